"""Actions: fold, check, call, raise to a number of chips.

``RaiseTo(n)``: n is what that player will have in front on this street, blinds included and antes
not. There is no separate bet: a bet is a raise over nothing. All-in is a raise or a call that takes
the whole stack.
"""

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
    """Stay in where nothing has to be paid."""

    __slots__ = ()
    text = "check"


class Call(_Plain):
    """Pay what the highest bet asks, or the whole stack where that is less."""

    __slots__ = ()
    text = "call"


@dataclass(frozen=True, slots=True)
class RaiseTo:
    """Bet or raise, to a total of ``chips`` in front on this street."""

    chips: int

    def __post_init__(self) -> None:
        chips: Any = self.chips
        if chips.__class__ is not int:  # a program may count with other integers, such as NumPy's
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
    """The legal actions at a decision: a sequence that never lists its thousands of raises.

    The order is fold, check or call, then raises from the smallest to the largest.

    fold, check: whether they are legal.  call: the chips that a call costs, 0 where there is
    nothing to call.  min_raise, max_raise: bounds of `RaiseTo`, both 0 where no raise is legal;
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
        raise AttributeError(f"legal actions do not change; {name} cannot be set")

    def __reduce__(self) -> tuple[type["LegalActions"], tuple[bool, bool, int, int, int]]:
        return LegalActions, self._key()

    @property
    def _first_raise(self) -> int:
        """How many actions come before the raises."""
        return self.fold + self.check + (self.call > 0)

    def __len__(self) -> int:
        return self._first_raise + (self.max_raise - self.min_raise + 1 if self.max_raise else 0)

    @overload
    def __getitem__(self, place: int) -> Action: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Action, ...]: ...
    def __getitem__(self, place: int | slice) -> Action | tuple[Action, ...]:
        if isinstance(place, slice):
            return tuple(self[each] for each in range(*place.indices(len(self))))
        index = place + len(self) if place < 0 else place
        if not 0 <= index < len(self):
            raise IndexError(f"there are {len(self)} legal actions, not {place}")
        if index >= self._first_raise:
            return RaiseTo(self.min_raise + index - self._first_raise)
        if index == 0 and self.fold:
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
        """Where an action stands in the order; `ValueError` where it is not legal."""
        if action not in self:
            raise ValueError(f"{action} is not legal here; legal: {self}")
        if action.__class__ is RaiseTo:
            place: int = self._first_raise + action.chips - self.min_raise
        else:
            place = 0 if action.__class__ is Fold else int(self.fold)
        if not range(len(self))[start:stop].count(place):
            raise ValueError(f"{action} stands at {place}, outside the part that was searched")
        return place

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
"""What a player may do when it is not their turn."""


def action_text(action: Action) -> str:
    """``"fold"``, ``"check"``, ``"call"`` or ``"raise to 6"``."""
    return str(action)


_WORDS: dict[str, Action] = {"fold": FOLD, "check": CHECK, "call": CALL}


def parse_action(text: str) -> Action:
    """The inverse of `action_text`."""
    words = text.strip().casefold()
    if words in _WORDS:
        return _WORDS[words]
    chips = words.removeprefix("raise to ")
    if chips != words and chips.isascii() and chips.isdigit():
        return RaiseTo(int(chips))
    raise OptionError(f"{text!r} is not an action; write fold, check, call or raise to 6")
