"""Bet sizes: their notation, and the chips of each in a betting state.

====================  ==========================================================================
``50%``               bet or raise by half of the pot after calling
``2.5x``              raise to 2.5 times the bet faced: for raises, and before the flop, where
                      the blind is faced
``3bb``               bet or raise to a total of 3 big blinds
``100c``, ``20c3r``   bet or raise by 100 chips; ``3r``: at most 3 raises over the first bet
``2e``, ``e``         geometric: the same fraction of the pot in each of 2 bets, the last all-in
``3e200%``            the same in 3 bets, but never more than twice the pot
``a``                 all-in
``min``               the smallest legal raise
``all``               every legal raise, for small games: a deep stack has thousands of them
====================  ==========================================================================

The pot is the one after calling, so ``100%`` over a bet of 75 into 100 is a raise to 75 + 250.

**Geometric.** With pot P and stack S after calling, n bets of a fraction f of the pot, each called
by one opponent, make a pot of P (1 + 2 f)^n; they are all-in if
f = ((1 + 2 S / P)^(1 / n) - 1) / 2. So ``2e`` with P = 100 and S = 400 is 100. ``e`` counts the
remaining streets: ``3e`` on the flop, ``2e`` on the turn, ``1e``, which is all-in, on the
river. Each raise over an earlier raise reduces n by one.

A size below the smallest legal raise becomes that raise. A size that no opponent could call in full
becomes all-in: the excess would be returned anyway.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tiltless.errors import OptionError
from tiltless.games.holdem.bet_context import BetContext
from tiltless.games.holdem.notation import number_text
from tiltless.games.holdem.rules import MOST_CHIPS
from tiltless.validate import brief, is_number

__all__ = ["ALL_IN_WORDS", "Size", "parse_size"]

_UNITS: dict[str, tuple[float, float]] = {
    "%": (0.01, 100_000),
    "x": (1.01, 1000),
    "bb": (0.01, 1_000_000),
    "c": (1, MOST_CHIPS),
    "e": (1, 30),
    "a": (0, 0),
    "min": (0, 0),
    "all": (0, 0),
}
_WHOLE = ("c", "e")
_BARE = ("a", "min", "all")
_MOST_RAISES = 10_000

ALL_IN_WORDS = ("allin", "all-in")
"""Common misspellings of ``a``; the error suggests the right word."""

_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_FORMS = re.compile(
    rf"(?P<amount>{_NUMBER})(?P<unit>%|x|bb)"
    rf"|(?P<chips>{_NUMBER})c(?:(?P<raises>[0-9]+)r)?"
    rf"|(?P<bets>{_NUMBER})?e(?:(?P<most>{_NUMBER})%)?"
    r"|(?P<bare>a|min|all)"
)


@dataclass(frozen=True, slots=True)
class Size:
    """A bet size; `parse_size` reads it from its text, and ``str`` is the inverse.

    unit: one of ``% x bb c e a min all``.  amount: the number in front of the unit; 0 for a bare
    ``e`` and for units without a number.  limit: for ``c``, the most raises over the first bet; for
    ``e``, percent of the pot; None: no limit.
    """

    unit: str
    amount: float = 0
    limit: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.unit, str) or self.unit not in _UNITS:
            raise _unknown(self.unit)
        for name in ("amount", "limit"):
            value: Any = getattr(self, name)
            if value is None and name == "limit":
                continue
            if not is_number(value):
                raise OptionError(f"{name}={brief(value)} of a size is not a number; write 50")
            object.__setattr__(self, name, float(value))
        self._check_amount()
        self._check_limit()

    def _check_amount(self) -> None:
        low, high = _UNITS[self.unit]
        if self.unit == "e" and not self.amount:
            return
        if self.unit in _BARE and self.amount:
            raise OptionError(f"{self.unit} takes no number; write {self.unit}")
        if self.unit == "x" and self.amount <= 1:
            raise OptionError(f"{self} is not a raise; multiples are above 1x, or write min")
        if not low <= self.amount <= high:
            instead = "; for the smallest legal raise write min" if self.amount < low else ""
            low_text, high_text = number_text(low), number_text(high)
            raise OptionError(
                f"{self} is not possible; choose {low_text}{self.unit} to {high_text}{self.unit}"
                f"{instead}"
            )
        if self.unit in _WHOLE and self.amount % 1:
            raise OptionError(f"{self} is not possible; {self.unit} takes a whole number")

    def _check_limit(self) -> None:
        if self.limit is None:
            return
        if self.unit == "c":
            possible = 0 <= self.limit <= _MOST_RAISES and not self.limit % 1
            remedy = f"the cap is a whole number 0 to {_MOST_RAISES}, as in 20c3r"
        else:
            low, high = _UNITS["%"]
            possible = self.unit == "e" and low <= self.limit <= high
            remedy = "the limit is a percentage above 0, as in 3e200%"
        if not possible:
            raise OptionError(f"{self} is not possible; {remedy}")

    def __str__(self) -> str:
        if self.unit in _BARE:
            return self.unit
        text = (number_text(self.amount) if self.amount or self.unit != "e" else "") + self.unit
        if self.limit is None:
            return text
        return f"{text}{number_text(self.limit)}{'r' if self.unit == 'c' else '%'}"

    def raises(self, spot: BetContext) -> Sequence[int]:
        """The raise totals of this size: one, none past a cap, every legal one for ``all``."""
        unit = self.unit
        if unit == "%":
            chips = spot.bet + self.amount * spot.pot / 100
        elif unit == "a":
            return (spot.top,)
        elif unit == "x":
            chips = self.amount * spot.bet
        elif unit == "bb":
            chips = self.amount * spot.big_blind
        elif unit == "e":
            chips = spot.bet + self._geometric(spot) * spot.pot
        elif unit == "c":
            if self.limit is not None and spot.bet and spot.earlier >= self.limit:
                return ()
            chips = spot.bet + self.amount
        elif unit == "min":
            chips = 0.0
        else:
            return range(spot.low, spot.top + 1)
        return (spot.legal(int(chips + 0.5)),)

    def _geometric(self, spot: BetContext) -> float:
        """The fraction of the pot that makes the last of n equal bets all-in."""
        bets = max(1.0, (self.amount or spot.streets) - spot.earlier)
        fraction: float = ((1 + 2 * spot.share(spot.most)) ** (1 / bets) - 1) / 2
        return fraction if self.limit is None else min(fraction, self.limit / 100)


def parse_size(text: str) -> Size:
    """A size from its text; the `OptionError` lists the valid forms."""
    if not isinstance(text, str):
        raise _unknown(text)
    word = text.strip().casefold()
    form = _FORMS.fullmatch(word)
    if form is None:
        raise _unknown(text.strip())
    if form["bare"]:
        return Size(form["bare"])
    if form["unit"]:
        return Size(form["unit"], float(form["amount"]))
    if form["chips"]:
        return Size("c", float(form["chips"]), float(form["raises"]) if form["raises"] else None)
    if form["bets"] and not float(form["bets"]):
        raise OptionError(f"{word} is not possible; choose 1e to 30e, or e for the streets left")
    return Size("e", float(form["bets"] or 0), float(form["most"]) if form["most"] else None)


def _unknown(word: object) -> OptionError:
    if isinstance(word, str) and re.fullmatch(_NUMBER, word):
        return OptionError(
            f"{word!r} has no unit; write {word}% of the pot, {word}c for chips or {word}bb"
        )
    if isinstance(word, str) and word.casefold() in ALL_IN_WORDS:
        return OptionError(f"{word!r} is not a size; write a")
    return OptionError(
        f"{brief(word)} is not a size; write 50% (of the pot), 2.5x, 3bb, 100c, 20c3r, 2e, 3e200%, "
        "a (all-in), min or all"
    )
