"""PHH, the Poker Hand History format, through pokerkit.

PHH numbers players by position: p1 is left of the button and the last player is the button; its
``seats`` field keeps our seat numbers, called chairs here. Raises are totals of the street, as
ours are. Cards that are not known are ``????``; a player who mucks at the showdown has lost. Games
without a code in PHH (hidden ranks, growing boards, other orders of blinds) and hands that the
plain rules of PHH do not allow are refused.

The events of a hand survive a round trip. The rules survive only in part, since PHH does not
record raise caps, minimum raises and the bet after a straddle: pass ``game`` to `from_phh` to
restore them. Rake is not recorded: pots are paid out in full. pokerkit is imported only when
needed. Files and collections are read by `tiltless.games.holdem.phh_file`.

Paper: Kim (2024), "Recording and describing poker hands", arXiv 2312.11753.
"""

import re
import warnings
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from types import ModuleType
from typing import Any, TypeVar

from tiltless.cards.card import cards_text, parse_cards
from tiltless.errors import InputError, OptionError
from tiltless.games.game import CHANCE, TERMINAL, IllegalActionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, RaiseTo
from tiltless.games.holdem.events import Acted, BoardCards
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.history import HIDDEN, decisions
from tiltless.games.holdem.pots import share_out
from tiltless.games.holdem.record import HandRecord, record_hand
from tiltless.games.holdem.rules import MOST_SEATS
from tiltless.games.holdem.seen_hand import cards_decide, deal_known
from tiltless.games.holdem.state import HoldemState
from tiltless.games.holdem.variants import limit_holdem, nlhe, short_deck
from tiltless.validate import brief

__all__ = ["chip_unit", "from_history", "from_phh", "phh_history", "to_phh"]

_T = TypeVar("_T")
_CENT = Decimal("0.01")
_VARIANTS = {"nlhe": "NT", "limit-holdem": "FT", "short-deck": "NS"}
_OTHERS = {
    "PO": "pot-limit Omaha",
    "FO/8": "Omaha hi-lo",
    "F7S": "seven-card stud",
    "F7S/8": "seven-card stud hi-lo",
    "FR": "razz",
    "N2L1D": "single draw",
    "F2L3D": "triple draw",
    "FB": "badugi",
}


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
    amounts = _Chips(unit)
    seats = _check_lengths(history)
    stacks = amounts(history.starting_stacks, "starting_stacks")
    order, button = _chairs(history.seats, seats)
    by_chair = _by_chair(stacks, order)
    played = game or _game(history, by_chair, amounts)
    names = tuple(_by_chair(history.players, order)) if history.players else ()
    number = history.hand if isinstance(history.hand, int) else 0
    try:
        state, mucked = _replay(played.start(button, by_chair), history.actions, order, amounts)
    except _FreeFoldError:
        if game is not None or history.variant == "NS":
            raise
        played = _game(history, by_chair, amounts, free_fold=True)
        state, mucked = _replay(played.start(button, by_chair), history.actions, order, amounts)
    payoffs = None if cards_decide(state) else _mucked_payoffs(state, mucked)
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


_LISTS = ("antes", "blinds_or_straddles", "seats", "players", "finishing_stacks")


def _check_lengths(history: Any) -> int:
    """The number of seats; `InputError` unless every list has one entry for each."""
    for name in ("starting_stacks", "actions", "antes", "blinds_or_straddles"):
        if not isinstance(getattr(history, name), list | tuple):
            raise InputError(f"{name} is not a list; write [...]")
    seats = len(history.starting_stacks)
    if not 2 <= seats <= MOST_SEATS:
        raise InputError(f"{seats} starting_stacks do not make a table; give 2 to {MOST_SEATS}")
    for name in _LISTS:
        values = getattr(history, name)
        if values is None:
            continue
        if not isinstance(values, list | tuple) or len(values) != seats:
            raise InputError(f"{name} = {brief(values)}; give {seats} entries, one for each seat")
    if not all(isinstance(line, str) for line in history.actions):
        raise InputError("actions must be strings, such as 'p1 cc'")
    if history.players and not all(isinstance(name, str) for name in history.players):
        raise InputError(f"players = {brief(history.players)} are not names; write texts")
    return seats


def _by_chair(values: Sequence[_T], order: Sequence[int]) -> list[_T]:
    """Values by position, reordered by chair."""
    return [values[order.index(chair)] for chair in range(len(order))]


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
        for stack, start in zip(_by_chair(finishing, order), state.table.stacks, strict=True)
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


class _FreeFoldError(InputError):
    """A player folds who could have checked: legal in rooms, and in ours with ``free_fold``."""


class _Chips:
    """Converts money to whole chips."""

    def __init__(self, unit: Any) -> None:
        try:
            self.unit = Decimal(str(unit))
        except InvalidOperation:
            self.unit = Decimal(0)
        if not self.unit.is_finite() or self.unit <= 0:
            raise OptionError(f"unit={unit!r} is not the value of a chip; write 1 or '0.01'")

    def one(self, value: Any, name: str) -> int:
        try:
            chips = Decimal(str(value)) / self.unit
        except InvalidOperation:
            raise InputError(f"{name} {value!r} is not a number") from None
        if not chips.is_finite() or chips != int(chips):
            raise InputError(f"{name} {value} is not a whole number of chips; pass unit='0.01'")
        return int(chips)

    def __call__(self, values: Sequence[Any], name: str) -> list[int]:
        return [self.one(value, name) for value in values]


def _chairs(numbers: Sequence[int] | None, seats: int) -> tuple[list[int], int]:
    """The chair of each position, and the button's; chairs are numbered without gaps."""
    if numbers is None:
        return list(range(seats)), seats - 1
    if len(set(numbers)) < seats or not all(type(number) is int for number in numbers):
        raise InputError(f"seats = {brief(numbers)} are not {seats} different whole numbers")
    ranked = sorted(numbers)
    order = [ranked.index(number) for number in numbers]
    if any((order[0] + position) % seats != chair for position, chair in enumerate(order)):
        raise InputError(f"seats = {brief(numbers)} do not go clockwise from the button's left")
    return order, order[-1]


def _game(history: Any, stacks: list[int], amounts: _Chips, **switches: bool) -> Holdem:
    """The game of a file, with the stacks of its hand."""
    antes = amounts(history.antes, "ante")
    blinds = amounts(history.blinds_or_straddles, "blind")
    options: dict[str, Any] = {"seats": len(stacks), "stack": tuple(stacks), "short_stacks": True}
    options |= switches
    if len(set(antes)) == 1:
        options["ante"] = antes[0]
    elif not antes[0] and not any(antes[2:]) and history.variant == "NT":
        options["big_blind_ante"] = antes[1]
    else:
        raise InputError(f"antes {antes} are neither equal nor a big blind ante; pass game=")
    if history.variant == "NS":
        options["min_bet"] = amounts.one(history.min_bet, "min_bet")
        if (blinds[-1] and not any(blinds[:-1])) or (len(blinds) == 2 and not blinds[1]):
            return short_deck(**options, button_blind=max(blinds))
        return short_deck(**options, blinds=_two(blinds))
    if history.variant == "FT":
        small = amounts.one(history.small_bet, "small_bet")
        big = amounts.one(history.big_bet, "big_bet")
        return limit_holdem(
            **options, blinds=_two(blinds), small_bet=small, big_bet=big, raise_cap=4
        )
    if history.variant == "NT":
        smallest = amounts.one(history.min_bet, "min_bet")
        straddle = blinds[2] if len(blinds) > 2 else 0
        rest = [*blinds[:2], *blinds[3:]]
        return nlhe(**options, blinds=_two(rest), straddle=straddle, min_bet=smallest)
    name = _OTHERS.get(history.variant, "unknown")
    raise InputError(
        f"variant {brief(history.variant)} ({name}) is not hold'em; only NT, FT and NS are read"
    )


def _two(blinds: list[int]) -> tuple[int, int]:
    if any(blinds[2:]):
        raise InputError(f"blinds {blinds} are more than small, big and straddle; pass game=")
    return blinds[0], blinds[1]


def _replay(
    state: HoldemState, lines: Sequence[str], order: Sequence[int], amounts: _Chips
) -> tuple[HoldemState, set[int]]:
    """The state after the actions of the file, and the chairs that mucked."""
    hole: dict[int, tuple[int, ...]] = {}
    shown, mucked = _shown(lines, order)
    skipped = False
    for number, line in enumerate(lines):
        words = line.split("#")[0].split()
        try:
            if words[:2] == ["d", "dh"]:
                if len(words) != 4:
                    raise InputError("hole cards are written as 'd dh p1 AsKd'")
                chair = _chair(words[2], order)
                if chair in hole:
                    raise InputError(f"{words[2]} has cards already")
                hole[chair] = _hole_cards(words[3], shown.get(chair, HIDDEN))
                if len(hole) == len(order):
                    state = deal_known(state, [hole[chair] for chair in range(len(order))])
            elif words[:2] == ["d", "db"]:
                if len(words) != 3:
                    raise InputError("board cards are written as 'd db 2c3d4h'")
                state = state.apply(parse_cards(words[2]))
            elif len(words) > 1 and words[1] != "sm":
                chair = _chair(words[0], order)
                if words[1] == "cc" and not skipped and _is_pointless_check(state, chair):
                    skipped = True
                    continue
                if chair != state.actor:
                    raise InputError(f"the player to act is {_whose(state, order)}")
                state = state.apply(_parse_action(words, state, amounts))
        except _FreeFoldError:
            raise
        except (IllegalActionError, InputError) as problem:
            raise InputError(f"action {number} of the hand, {line!r}: {problem}") from problem
    return state, mucked


def _shown(
    lines: Sequence[str], order: Sequence[int]
) -> tuple[dict[int, tuple[int, ...]], set[int]]:
    """The cards that each chair shows at the end, and the chairs that muck."""
    shown: dict[int, tuple[int, ...]] = {}
    mucked: set[int] = set()
    for number, line in enumerate(lines):
        words = line.split("#")[0].split()
        if len(words) < 2 or words[1] != "sm":
            continue
        try:
            chair = _chair(words[0], order)
            if len(words) == 2:
                mucked.add(chair)
            elif words[2] != "-" and set(words[2]) != {"?"}:
                shown[chair] = parse_cards(words[2])
        except InputError as problem:
            raise InputError(f"action {number} of the hand, {line!r}: {problem}") from problem
    return shown, mucked


def _hole_cards(text: str, shown: tuple[int, ...]) -> tuple[int, ...]:
    """Cards as dealt, or as shown at the end if they were dealt unseen."""
    if set(text) == {"?"}:
        return shown
    cards = parse_cards(text)
    if shown and {*shown} != {*cards}:
        raise InputError(f"these are not the cards that are shown, {cards_text(shown)}")
    return cards


def _is_pointless_check(state: HoldemState, chair: int) -> bool:
    """Whether this is a check that pokerkit asks for and we do not.

    Before the flop, when everybody else has folded or is all-in from the blinds, pokerkit still
    asks the last player with chips, who has not acted and owes nothing.
    """
    if state.actor != CHANCE or state.street or len(state.hole) < state.game.players:
        return False
    stacks = state.betting.stacks
    posted_only = stacks[chair] == state.table.betting.stacks[chair]
    others = [stacks[seat] for seat in state.live if seat != chair]
    return chair in state.live and stacks[chair] > 0 and posted_only and not any(others)


def _whose(state: HoldemState, order: Sequence[int]) -> str:
    return f"p{order.index(state.actor) + 1}" if state.actor >= 0 else "nobody"


def _chair(word: str, order: Sequence[int]) -> int:
    """The chair of ``p1``, ``p2`` and so on."""
    number = int(word[1:]) if word[:1] == "p" and word[1:].isdecimal() else 0
    if not 1 <= number <= len(order):
        raise InputError(f"{word!r} is not a player; they are p1 to p{len(order)}")
    return order[number - 1]


def _parse_action(words: list[str], state: HoldemState, amounts: _Chips) -> Action:
    if words[1] == "f":
        if state.actions.check and not state.rules.free_fold:
            raise _FreeFoldError("a fold where a check is free is not legal in this game")
        return FOLD
    if words[1] == "cc":
        return CHECK if state.actions.check else CALL
    if words[1] == "cbr" and len(words) > 2:
        return RaiseTo(amounts.one(words[2], "raise"))
    raise InputError("actions are f, cc, or cbr with a number")


def chip_unit(history: Any) -> Decimal:
    """The value of a chip: a cent if an amount is a fraction of money, otherwise 1."""
    amounts: list[Any] = [history.min_bet, history.small_bet, history.big_bet]
    for values in (history.starting_stacks, history.antes, history.blinds_or_straddles):
        amounts += values if isinstance(values, list | tuple) else []
    if isinstance(history.actions, list | tuple):
        amounts += [text for line in history.actions for text in _RAISE.findall(str(line))]
    fractions = (each for each in amounts if isinstance(each, float | Decimal | str))
    return _CENT if any(not _is_whole(each) for each in fractions) else Decimal(1)


_RAISE = re.compile(r"^p\d+\s+cbr\s+([0-9]{1,18}\.[0-9]{1,18})")


def _is_whole(amount: float | Decimal | str) -> bool:
    try:
        value = Decimal(str(amount))
    except InvalidOperation:  # is refused where it is read
        return True
    return not value.is_finite() or value == value.to_integral_value()
