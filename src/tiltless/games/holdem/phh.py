"""PHH, the Poker Hand History format, through pokerkit.

PHH numbers players by position: p1 is left of the button and the last player is the button; its
``seats`` field keeps our seat numbers, called chairs here. Raises are totals of the street, as
ours are. Hands that PHH cannot express (hidden ranks, growing boards, other orders of blinds),
hands with unknown cards and hands that the plain rules of PHH do not allow are refused.

The events of a hand survive a round trip. The rules survive only in part, since PHH does not
record raise caps, minimum raises and the bet after a straddle: pass ``game`` to `from_phh` to
restore them. pokerkit is imported only when needed.

Paper: Kim (2024), "Recording and describing poker hands", arXiv 2312.11753.
"""

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
from tiltless.games.holdem.record import HandRecord, record_hand
from tiltless.games.holdem.rules import MOST_SEATS
from tiltless.games.holdem.state import HoldemState
from tiltless.games.holdem.variants import limit_holdem, nlhe, short_deck
from tiltless.validate import brief

__all__ = ["from_phh", "to_phh"]

_T = TypeVar("_T")
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
    if name not in _VARIANTS or rules.heads_up != "standard" or rules.free_fold:
        raise OptionError(f"PHH cannot express {name} with these rules; use `hand_line`")
    if rules.ante and rules.big_blind_ante:
        raise OptionError("PHH cannot express a big blind ante together with antes; use one")
    if final.actor != TERMINAL:
        raise OptionError(f"hand {record.number} is not over; only finished hands become PHH")
    if any(set(player) & set("'\\\n\r") for player in record.names):
        raise OptionError("names with quotes, backslashes or line breaks cannot be written as PHH")
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
    hole = record.final.hole
    lines = [f"d dh {player[seat]} {cards_text(hole[seat])}" for seat in order]
    shows = [f"{player[seat]} sm {cards_text(cards)}" for seat, cards in record.final.shown]
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
    pokerkit = _pokerkit()
    try:
        history = pokerkit.HandHistory.loads(text)
    except Exception as problem:  # pokerkit and its TOML reader raise many kinds
        raise InputError(f"this is not PHH: {problem}") from problem
    amounts = _Chips(unit)
    seats = _check_lengths(history)
    stacks = amounts(history.starting_stacks, "starting_stacks")
    order, button = _chairs(history.seats, seats)
    by_chair = _by_chair(stacks, order)
    state = (game or _game(history, by_chair, amounts)).start(button, by_chair)
    names = tuple(_by_chair(history.players, order)) if history.players else ()
    number = history.hand if isinstance(history.hand, int) else 0
    state = _replay(state, history.actions, order, amounts)
    if history.finishing_stacks is not None:
        _check_end(state, amounts(history.finishing_stacks, "finishing_stacks"), order)
    return record_hand(state, names, number)


_LISTS = ("antes", "blinds_or_straddles", "seats", "players", "finishing_stacks")


def _check_lengths(history: Any) -> int:
    """The number of seats; `InputError` unless every list has one entry for each."""
    for name in ("starting_stacks", "actions"):
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


def _check_end(state: HoldemState, finishing: list[int], order: Sequence[int]) -> None:
    """Raise `InputError` unless the hand ends with these stacks."""
    if state.actor != TERMINAL:
        raise InputError("finishing_stacks are given, but the actions do not end the hand")
    ends = zip(state.table.stacks, state.payoffs, strict=True)
    by_chair = [stack + won for stack, won in ends]
    ours = [by_chair[chair] for chair in order]
    if ours != finishing:
        raise InputError(f"finishing_stacks are {finishing} chips; by the rules they are {ours}")


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


def _game(history: Any, stacks: list[int], amounts: _Chips) -> Holdem:
    """The game of a file, with the stacks of its hand."""
    antes = amounts(history.antes, "ante")
    blinds = amounts(history.blinds_or_straddles, "blind")
    options: dict[str, Any] = {"seats": len(stacks), "stack": tuple(stacks), "short_stacks": True}
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
    raise InputError(f"variant {history.variant} is not hold'em; only NT, FT and NS are read")


def _two(blinds: list[int]) -> tuple[int, int]:
    if any(blinds[2:]):
        raise InputError(f"blinds {blinds} are more than small, big and straddle; pass game=")
    return blinds[0], blinds[1]


def _replay(
    state: HoldemState, lines: Sequence[str], order: Sequence[int], amounts: _Chips
) -> HoldemState:
    """The state after the actions of the file."""
    hole: dict[int, tuple[int, ...]] = {}
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
                hole[chair] = parse_cards(words[3])
                if len(hole) == len(order):
                    for chair in range(len(order)):
                        state = state.apply(hole[chair])
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
        except (IllegalActionError, InputError) as problem:
            raise InputError(f"action {number} of the hand, {line!r}: {problem}") from problem
    return state


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
        return FOLD
    if words[1] == "cc":
        return CHECK if state.actions.check else CALL
    if words[1] == "cbr" and len(words) > 2:
        return RaiseTo(amounts.one(words[2], "raise"))
    raise InputError("actions are f, cc, or cbr with a number")
