"""PHH, the Poker Hand History format, through pokerkit.

PHH numbers players by position: p1 is left of the button and the last player is the button; its
``seats`` field keeps our seat numbers, called chairs here. Raises are totals of the street, as
ours are. Cards that are not known are ``????``; a player who mucks at the showdown has lost. Games
without a code in PHH (hidden ranks, growing boards, other orders of blinds) and hands that the
plain rules of PHH do not allow are refused.

The events of a hand survive a round trip. The rules survive only in part, since PHH does not
record raise caps, minimum raises and the bet after a straddle: pass ``game`` to `from_phh` to
restore them. Rake is not recorded: pots are paid out in full. pokerkit is imported only when
needed. Files and collections are read by `tiltless.games.holdem.histories.files`.

Paper: Kim (2024), "Recording and describing poker hands", arXiv 2312.11753.
"""

import warnings
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from tiltless.cards.card import cards_text
from tiltless.errors import InputError, OptionError
from tiltless.games.game import TERMINAL
from tiltless.games.holdem.actions import FOLD, RaiseTo
from tiltless.games.holdem.events import Acted, BoardCards
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.histories.phh_fields import (
    Amounts,
    by_chair,
    chairs_of,
    check_lengths,
    game_of,
)
from tiltless.games.holdem.histories.phh_replay import FreeFoldError, replay
from tiltless.games.holdem.history import decisions
from tiltless.games.holdem.pots import share_out
from tiltless.games.holdem.record import HandRecord, record_hand
from tiltless.games.holdem.seen_hand import cards_decide
from tiltless.games.holdem.state import HoldemState

__all__ = ["from_history", "from_phh", "phh_history", "to_phh"]

_VARIANTS = {"nlhe": "NT", "limit-holdem": "FT", "short-deck": "NS"}


def _pokerkit() -> ModuleType:
    try:
        import pokerkit
    except ModuleNotFoundError:
        raise OptionError("PHH is read and written by pokerkit; pip install pokerkit") from None
    return pokerkit


def to_phh(record: HandRecord) -> str:
    """A finished hand as PHH text; checked by reading it back with `from_phh`."""
    final, rules = record.final, record.game.rules
    name = record.game.name
    if name not in _VARIANTS:
        codes = ", ".join(f"{each} ({code})" for each, code in _VARIANTS.items())
        raise OptionError(f"PHH has no code for {name}, only for {codes}; use `hand_line`")
    if rules.heads_up != "standard":
        raise OptionError(f"PHH cannot express {name} with these rules; use `hand_line`")
    if rules.ante and rules.big_blind_ante:
        raise OptionError("PHH cannot express a big blind ante together with antes; use one")
    if final.actor != TERMINAL:
        raise OptionError(f"hand {record.number} is not over; only finished hands become PHH")
    if any(set(player) & set("'\\\n\r") for player in record.names):
        raise OptionError("names with quotes, backslashes or line breaks cannot be written as PHH")
    if any(past.action == FOLD and past.betting.actions.check for past in decisions(final)):
        raise OptionError("readers of PHH refuse a fold where a check is free; use `hand_line`")
    order = rules.clockwise(record.button)
    bets = [street.bet for street in rules.streets]
    antes = [rules.ante] * rules.seats
    if rules.big_blind_ante:
        antes[1] = rules.big_blind_ante
    fields: dict[str, Any] = {
        "variant": _VARIANTS[name],
        "ante_trimming_status": not rules.big_blind_ante,
        "antes": antes,
        "blinds_or_straddles": [*rules.blinds, *[0] * (rules.seats - len(rules.blinds))],
        "starting_stacks": [record.stacks[seat] for seat in order],
        "actions": _actions(record, order),
        "hand": record.number,
        "seats": [seat + 1 for seat in order],
        "finishing_stacks": [record.stacks[seat] + record.payoffs[seat] for seat in order],
    }
    if record.names:
        fields["players"] = [record.names[seat] for seat in order]
    if name == "limit-holdem":
        fields |= {"small_bet": bets[0], "big_bet": bets[2]}
    else:
        fields |= {"min_bet": min(bets)}
    text: str = _pokerkit().HandHistory(**fields).dumps() + "\n"
    try:
        same = from_phh(text).events == record.events
    except InputError as problem:
        raise OptionError(f"PHH cannot express the rules of this hand: {problem}") from problem
    if not same:
        raise OptionError(f"PHH would change hand {record.number} of {name}; use `hand_line`")
    return text


def _actions(record: HandRecord, order: Sequence[int]) -> list[str]:
    """The actions of the hand; all-in hands are shown before the rest of the board."""
    player = {seat: f"p{number}" for number, seat in enumerate(order, 1)}
    hole, unknown = record.final.hole, "??" * record.game.rules.hole_cards
    lines = [f"d dh {player[seat]} {cards_text(hole[seat]) or unknown}" for seat in order]
    shows = [
        f"{player[seat]} sm {cards_text(cards)}".rstrip()
        for seat, cards in record.final.shown
        if cards or record.payoffs[seat] <= 0  # unknown cards that lose are mucked
    ]
    moves = [event for event in record.events if isinstance(event, Acted | BoardCards)]
    acted = [number for number, event in enumerate(moves) if isinstance(event, Acted)]
    last = acted[-1] if acted else -1
    for number, event in enumerate(moves):
        if number == last + 1:
            lines += shows
        if isinstance(event, BoardCards):
            lines.append(f"d db {cards_text(event.cards)}")
        elif isinstance(event.action, RaiseTo):
            lines.append(f"{player[event.seat]} cbr {event.action.chips}")
        else:
            lines.append(f"{player[event.seat]} {'f' if event.action == FOLD else 'cc'}")
    return lines if last + 1 < len(moves) else lines + shows


def from_phh(text: str, unit: Any = 1, game: Holdem | None = None) -> HandRecord:
    """The record of one hand of no-limit, fixed-limit or short-deck hold'em.

    unit: the value of one chip if the file counts in money: ``"0.01"``.
    game: the game that was played; by default it is built from the file.
    """
    return from_history(phh_history(text), unit, game)


def phh_history(text: str) -> Any:
    """One hand as a `pokerkit.HandHistory`, not yet checked."""
    pokerkit = _pokerkit()
    try:
        with warnings.catch_warnings():  # about fields that it does not know
            warnings.simplefilter("ignore")
            return pokerkit.HandHistory.loads(text)
    except Exception as problem:  # pokerkit and its TOML reader raise many kinds
        raise InputError(f"this is not PHH: {problem}") from problem


def from_history(history: Any, unit: Any = 1, game: Holdem | None = None) -> HandRecord:
    """The record of a `pokerkit.HandHistory`; the rest as in `from_phh`."""
    amounts = Amounts(unit)
    seats = check_lengths(history)
    order, button = chairs_of(history.seats, seats)
    stacks = by_chair(amounts(history.starting_stacks, "starting_stacks"), order)
    played = game or game_of(history, stacks, amounts)
    names = tuple(by_chair(history.players, order)) if history.players else ()
    number = history.hand if isinstance(history.hand, int) else 0
    try:
        start = played.start(button, stacks)
        state, mucked = replay(start, history.actions, order, amounts)
    except FreeFoldError:
        if game is not None or history.variant == "NS":
            raise
        played = game_of(history, stacks, amounts, free_fold=True)
        start = played.start(button, stacks)
        state, mucked = replay(start, history.actions, order, amounts)
    if cards_decide(state):
        payoffs = None
        _check_mucks(state, mucked, order)
    else:
        payoffs = _mucked_payoffs(state, mucked)
    if history.finishing_stacks is not None:
        finishing = amounts(history.finishing_stacks, "finishing_stacks")
        payoffs = _check_end(state, finishing, order, payoffs)
    if payoffs is None and not cards_decide(state):
        who = [f"p{order.index(seat) + 1}" for seat in state.live if not state.hole[seat]]
        raise InputError(
            f"who won cannot be told: the cards of {', '.join(who)} at the showdown are unknown, "
            "and neither mucked nor followed by finishing_stacks"
        )
    return record_hand(state, names, number, payoffs)


def _check_mucks(state: HoldemState, mucked: set[int], order: Sequence[int]) -> None:
    """`InputError` if somebody mucks known cards that win: PHH gives the pot to others then."""
    if state.actor != TERMINAL or len(state.live) < 2 or mucked.isdisjoint(state.live):
        return
    others = _mucked_payoffs(state, mucked)
    if others is not None and others != list(state.payoffs):
        who = ", ".join(f"p{order.index(seat) + 1}" for seat in sorted(mucked & {*state.live}))
        raise InputError(
            f"{who} mucked a hand that wins by its cards, which PHH cannot say; leave this hand out"
        )


def _mucked_payoffs(state: HoldemState, mucked: set[int]) -> list[int] | None:
    """What the seats win if hands that were mucked have lost; None if that does not decide."""
    live = state.live
    known = [seat for seat in live if seat not in mucked]
    if not all(state.hole[seat] for seat in known):
        return None
    if any(len(pot.seats) > 1 and not set(pot.seats) & set(known) for pot in state.pots):
        return None
    left = sum(1 << seat for seat in known)
    values = state._replace(betting=state.betting._replace(live=left)).values
    won = share_out(state.pots, values, state.table.order)
    return [chips - paid for chips, paid in zip(won, state.paid, strict=True)]


def _check_end(
    state: HoldemState, finishing: list[int], order: Sequence[int], payoffs: list[int] | None
) -> list[int]:
    """The payoffs of a hand that ends with these stacks; `InputError` if it cannot.

    payoffs: those that are known otherwise.  Winners may have less than the rules give them: rake.
    """
    if state.actor != TERMINAL:
        raise InputError("finishing_stacks are given, but the actions do not end the hand")
    given = [
        stack - start
        for stack, start in zip(by_chair(finishing, order), state.table.stacks, strict=True)
    ]
    if payoffs is None and not cards_decide(state):
        return given
    ours = list(state.payoffs) if payoffs is None else payoffs
    rake = [chips - theirs for chips, theirs in zip(ours, given, strict=True)]
    won = [chips + paid for chips, paid in zip(ours, state.paid, strict=True)]
    if any(taken < 0 or (taken and not chips) for taken, chips in zip(rake, won, strict=True)):
        ends = [state.table.stacks[chair] + ours[chair] for chair in order]
        raise InputError(f"finishing_stacks are {finishing} chips; by the rules they are {ends}")
    return ours
