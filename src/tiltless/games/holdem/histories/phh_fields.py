"""Fields of PHH: seats, stacks, antes and blinds, and the game that they make."""

import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation, Overflow
from typing import Any, TypeVar

from tiltless.errors import InputError, OptionError
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.rules import MOST_SEATS
from tiltless.games.holdem.variants import limit_holdem, nlhe, short_deck
from tiltless.validate import brief, shortened

__all__ = ["Amounts", "by_chair", "chairs_of", "check_lengths", "chip_unit", "game_of"]

_T = TypeVar("_T")
_CENT = Decimal("0.01")
_MOST_DIGITS = 18  # of chips
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
_LISTS = ("antes", "blinds_or_straddles", "seats", "players", "finishing_stacks")
_RAISE = re.compile(r"^p\d+\s+cbr\s+([0-9]{1,18}\.[0-9]{1,18})")


def check_lengths(history: Any) -> int:
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


def by_chair(values: Sequence[_T], order: Sequence[int]) -> list[_T]:
    """Values by position, reordered by chair."""
    return [values[order.index(chair)] for chair in range(len(order))]


class Amounts:
    """Converts money to whole chips."""

    def __init__(self, unit: Any) -> None:
        try:
            self.unit = Decimal(str(unit))
        except InvalidOperation:
            self.unit = Decimal(0)
        if not self.unit.is_finite() or self.unit <= 0:
            raise OptionError(f"unit={unit!r} is not the value of a chip; write 1 or '0.01'")

    def one(self, value: Any, name: str) -> int:
        """An amount in chips; name: what it is, for errors."""
        try:
            money = Decimal(str(value))
        except InvalidOperation:
            raise InputError(f"{name} {value!r} is not a number") from None
        if not money.is_finite():
            raise InputError(f"{name} {value} is not known; only whole numbers of chips are read")
        try:
            chips = money / self.unit
        except Overflow:
            chips = Decimal("Infinity")
        if not chips.is_finite() or chips.adjusted() > _MOST_DIGITS or chips != int(chips):
            raise InputError(
                f"{name} {shortened(str(value))} is not a whole number of chips; pass unit='0.01'"
            )
        return int(chips)

    def __call__(self, values: Sequence[Any], name: str) -> list[int]:
        """Several amounts."""
        return [self.one(value, name) for value in values]


def chip_unit(history: Any) -> Decimal:
    """The value of a chip: a cent if an amount is a fraction of money, otherwise 1."""
    amounts: list[Any] = [history.min_bet, history.small_bet, history.big_bet]
    for values in (history.starting_stacks, history.antes, history.blinds_or_straddles):
        amounts += values if isinstance(values, list | tuple) else []
    if isinstance(history.actions, list | tuple):
        amounts += [text for line in history.actions for text in _RAISE.findall(str(line))]
    fractions = (each for each in amounts if isinstance(each, float | Decimal | str))
    return _CENT if any(not _is_whole(each) for each in fractions) else Decimal(1)


def _is_whole(amount: float | Decimal | str) -> bool:
    try:
        value = Decimal(str(amount))
    except InvalidOperation:  # is refused where it is read
        return True
    return not value.is_finite() or value == value.to_integral_value()


def chairs_of(numbers: Sequence[int] | None, seats: int) -> tuple[list[int], int]:
    """The chair of each position, and the button's; chairs are numbered without gaps."""
    if numbers is None:
        return list(range(seats)), seats - 1
    if not all(type(number) is int for number in numbers) or len(set(numbers)) < seats:
        raise InputError(f"seats = {brief(numbers)} are not {seats} different whole numbers")
    ranked = sorted(numbers)
    order = [ranked.index(number) for number in numbers]
    if any((order[0] + position) % seats != chair for position, chair in enumerate(order)):
        raise InputError(f"seats = {brief(numbers)} do not go clockwise from the button's left")
    return order, order[-1]


def game_of(history: Any, stacks: list[int], amounts: Amounts, **switches: bool) -> Holdem:
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
        seated = blinds[::-1] if len(blinds) == 2 else blinds  # the button's blind is the last one
        if seated[-1] and not any(seated[:-1]):
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
    name = _OTHERS.get(str(history.variant), "unknown")
    raise InputError(
        f"variant {brief(history.variant)} ({name}) is not hold'em; only NT, FT and NS are read"
    )


def _two(blinds: list[int]) -> tuple[int, int]:
    if any(blinds[2:]):
        raise InputError(f"blinds {blinds} are more than small, big and straddle; pass game=")
    return blinds[0], blinds[1]
