"""Actions: fold, check, call, raise to a number of chips.

In ``RaiseTo(n)``, n is the player's total bet on this street, blinds included, antes not. There is
no separate bet: a bet is a raise over nothing. All-in is a raise or a call for the whole stack.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias, overload

from tiltless.errors import OptionError
from tiltless.validate import brief, plain_int

__all__ = [
    "CALL",
    "CHECK",
    "FOLD",
    "NO_ACTIONS",
    "Action",
    "Call",
    "Check",
    "Fold",
    "LegalActions",
    "RaiseTo",
    "action_text",
    "parse_action",
]


class _Plain:
    """An action without an amount; all instances of a class are equal."""

    __slots__ = ()
    text: ClassVar[str]

    def __eq__(self, other: object) -> bool:
        return self.__class__ is other.__class__

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}()"

    def __str__(self) -> str:
        return self.text


class Fold(_Plain):
    """Give up the hand."""

    __slots__ = ()
    text = "fold"


class Check(_Plain):
    """Stay in for free: there is no bet to call."""

    __slots__ = ()
    text = "check"


class Call(_Plain):
    """Match the highest bet, or go all-in for less."""

    __slots__ = ()
    text = "call"


@dataclass(frozen=True, slots=True)
class RaiseTo:
    """Bet or raise to a total of ``chips`` on this street."""

    chips: int

    def __post_init__(self) -> None:
        chips: Any = self.chips
        if chips.__class__ is not int:  # callers may pass other integers, such as NumPy's
            try:
                object.__setattr__(self, "chips", plain_int(chips))
            except TypeError:
                raise OptionError(
                    f"RaiseTo({brief(chips)}) is not possible; chips are whole numbers"
                ) from None

    def __repr__(self) -> str:
        return f"RaiseTo({self.chips})"

    def __str__(self) -> str:
        return f"raise to {self.chips}"


Action: TypeAlias = Fold | Check | Call | RaiseTo

FOLD, CHECK, CALL = Fold(), Check(), Call()


class LegalActions(Sequence[Action]):
    """The legal actions at a decision, a lazy sequence: its thousands of raises are never stored.

    The order is fold, check or call, then raises from the smallest to the largest.

    fold, check: whether they are legal.  call: the chips that a call costs, 0 if there is nothing
    to call.  min_raise, max_raise: bounds of `RaiseTo`, both 0 if no raise is legal;
    every whole number between them is legal.
    """

    __slots__ = ("call", "check", "fold", "max_raise", "min_raise")

    fold: bool
    check: bool
    call: int
    min_raise: int
    max_raise: int

    def __init__(self, fold: bool, check: bool, call: int, min_raise: int, max_raise: int) -> None:
        set_field = object.__setattr__
        set_field(self, "fold", fold)
        set_field(self, "check", check)
        set_field(self, "call", call)
        set_field(self, "min_raise", min_raise)
        set_field(self, "max_raise", max_raise)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"LegalActions is immutable; {name} cannot be set")

    def __reduce__(self) -> tuple[type["LegalActions"], tuple[bool, bool, int, int, int]]:
        return LegalActions, self._key()

    @property
    def _first_raise(self) -> int:
        """The index of the first raise."""
        return self.fold + self.check + (self.call > 0)

    def __len__(self) -> int:
        return self._first_raise + (self.max_raise - self.min_raise + 1 if self.max_raise else 0)

    @overload
    def __getitem__(self, index: int) -> Action: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Action, ...]: ...
    def __getitem__(self, index: int | slice) -> Action | tuple[Action, ...]:
        if isinstance(index, slice):
            return tuple(self[each] for each in range(*index.indices(len(self))))
        offset = index + len(self) if index < 0 else index
        if not 0 <= offset < len(self):
            raise IndexError(f"index {index} is out of range: there are {len(self)} legal actions")
        if offset >= self._first_raise:
            return RaiseTo(self.min_raise + offset - self._first_raise)
        if offset == 0 and self.fold:
            return FOLD
        return CHECK if self.check else CALL

    def __iter__(self) -> Iterator[Action]:
        if self.fold:
            yield FOLD
        if self.check:
            yield CHECK
        if self.call:
            yield CALL
        if self.max_raise:
            for chips in range(self.min_raise, self.max_raise + 1):
                yield RaiseTo(chips)

    def __contains__(self, action: object) -> bool:
        kind = action.__class__
        if kind is RaiseTo:
            chips: int = action.chips  # type: ignore[attr-defined]
            return self.max_raise > 0 and self.min_raise <= chips <= self.max_raise
        if kind is Fold:
            return self.fold
        return self.check if kind is Check else kind is Call and self.call > 0

    def index(self, action: Any, start: int = 0, stop: int | None = None) -> int:
        """The index of an action in the sequence; `ValueError` if it is not legal."""
        if action not in self:
            raise ValueError(f"{action} is not legal here; legal: {self}")
        if action.__class__ is RaiseTo:
            index: int = self._first_raise + action.chips - self.min_raise
        else:
            index = 0 if action.__class__ is Fold else int(self.fold)
        if not range(len(self))[start:stop].count(index):
            raise ValueError(f"{action} has index {index}, outside the slice that was searched")
        return index

    def _key(self) -> tuple[bool, bool, int, int, int]:
        return self.fold, self.check, self.call, self.min_raise, self.max_raise

    def __eq__(self, other: object) -> bool:
        if isinstance(other, LegalActions):
            return self._key() == other._key()
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"<legal: {self}>"

    def __str__(self) -> str:
        """``"fold, call 2, raise to 6..200"``."""
        parts = ["fold"] if self.fold else []
        parts += ["check"] if self.check else []
        parts += [f"call {self.call}"] if self.call else []
        if self.max_raise - self.min_raise > 3:
            parts.append(f"raise to {self.min_raise}..{self.max_raise}")
        elif self.max_raise:
            parts += [f"raise to {n}" for n in range(self.min_raise, self.max_raise + 1)]
        return ", ".join(parts) or "nothing"


NO_ACTIONS = LegalActions(False, False, 0, 0, 0)
"""The legal actions of a player who is not to act."""


def action_text(action: Action) -> str:
    """``"fold"``, ``"check"``, ``"call"`` or ``"raise to 6"``."""
    return str(action)


_WORDS: dict[str, Action] = {"fold": FOLD, "check": CHECK, "call": CALL}


def parse_action(text: str) -> Action:
    """The inverse of `action_text`."""
    words = text.strip().casefold()
    if words in _WORDS:
        return _WORDS[words]
    raised = re.fullmatch("raise to ([0-9]{1,18})", words)
    if raised:
        return RaiseTo(int(raised[1]))
    raise OptionError(f"{brief(text)} is not an action; write fold, check, call or raise to 6")
