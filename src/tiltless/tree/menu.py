"""Which raises a tree offers: a small menu of sizes instead of every number of chips.

A size is a fraction of the pot after calling: raising by f means to call first, and then to add f
times the pot as it is then. So 1.0 is the raise that is called "pot".
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import Any

from tiltless.errors import OptionError
from tiltless.games.actions import CALL, CHECK, FOLD, Action, RaiseTo
from tiltless.games.betting import Betting
from tiltless.games.common import whole_number

__all__ = ["EVERY_RAISE", "Menu"]

_LARGEST = 1000.0


@dataclass(frozen=True, slots=True)
class Menu:
    """The raises on offer, street by street; past the last entry, the last one goes on.

    sizes: for each street, fractions of the pot after calling. A size below the smallest legal
        raise becomes that raise, one above the largest becomes that one, and equal raises are
        merged. None: every legal raise.
    all_in: whether the largest legal raise is always on offer.
    caps: how many bets and raises a street may see, blinds not counted; None: as the rules say.
    In fixed-limit games the one legal raise is on offer, whatever the sizes.
    """

    sizes: tuple[tuple[float, ...], ...] | None = ((0.5, 1.0),)
    all_in: bool = True
    caps: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if self.sizes is not None:
            streets = _entries("sizes", self.sizes, "((0.5, 1.0),)")
            for street in streets:
                if isinstance(street, str) or not isinstance(street, Iterable):
                    raise _wrong_form("sizes", self.sizes, "((0.5, 1.0),)")
            sizes = tuple(tuple(map(_size, street)) for street in streets)
            object.__setattr__(self, "sizes", sizes)
        if self.caps is not None:
            caps = _entries("caps", self.caps, "(3,)")
            caps = tuple(whole_number("caps", cap, 0, 10_000) for cap in caps)
            object.__setattr__(self, "caps", caps)
        if not isinstance(self.all_in, bool):
            raise OptionError(f"all_in={self.all_in!r} is not possible; choose True or False")

    def actions(self, betting: Betting, street: int, pot: int) -> tuple[Action, ...]:
        """What the player to act may choose: fold, check or call, then raises, smallest first.

        pot: all chips that everybody has paid so far.
        """
        legal = betting.actions
        chosen: list[Action] = [FOLD] if legal.fold else []
        chosen.append(CHECK if legal.check else CALL)
        if legal.max_raise and (
            self.caps is None or betting.raises < self.caps[min(street, len(self.caps) - 1)]
        ):
            low, high = legal.min_raise, legal.max_raise
            chosen += map(RaiseTo, self._raises(betting, street, pot, low, high))
        return tuple(chosen)

    def _raises(
        self, betting: Betting, street: int, pot: int, low: int, high: int
    ) -> Sequence[int]:
        """Totals to raise to, in order, for legal ones from ``low`` to ``high``."""
        if self.sizes is None or betting.rules.fixed:
            return range(low, high + 1)
        pot += betting.to_call
        raises = {high} if self.all_in else set()
        for size in self.sizes[min(street, len(self.sizes) - 1)]:
            chips = betting.high + int(size * pot + 0.5)
            raises.add(low if chips < low else high if chips > high else chips)
        return sorted(raises)


def _entries(name: str, given: object, example: str) -> tuple[Any, ...]:
    """One entry for each street."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise _wrong_form(name, given, example)
    entries = tuple(given)
    if not entries:
        raise OptionError(f"{name} is empty; give one entry for each street, or one for all")
    return entries


def _wrong_form(name: str, given: object, example: str) -> OptionError:
    return OptionError(
        f"{name}={given!r} has no entries for streets; write {example} for the same on every street"
    )


def _size(size: object) -> float:
    if isinstance(size, Real) and not isinstance(size, bool):
        pots = float(size)
        if isfinite(pots) and 0 <= pots <= _LARGEST:
            return pots
    raise OptionError(
        f"a raise of {size} pots is not possible; choose 0 to {_LARGEST:.0f}, such as 0.5"
    )


EVERY_RAISE = Menu(sizes=None)
"""All legal raises, for small games: a deep stack has thousands at every turn."""
