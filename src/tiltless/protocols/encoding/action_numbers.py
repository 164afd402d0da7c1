"""Action numbers: the actions of a game as 0, 1, 2 …, the same at every decision.

=====================  ===========================================================================
Kuhn                   0 check or fold, 1 bet or call
Leduc                  0 fold, 1 check or call, 2 raise
matrix games           the row, the column
hold'em, ``"chips"``   0 fold, 1 check or call, n + 1 bet or raise to n chips on this street
hold'em, a menu        0 fold, 1 check or call, then one number for each size of the menu
=====================  ===========================================================================

The sizes of a menu (`tiltless.abstraction.bets`) are numbered in the order in which they first
appear: with ``50%, 100%, a`` 2 is half the pot, 3 the pot, 4 all-in. Where several sizes come to
the same chips, the one that is listed last is legal and the others are not, so all-in stays all-in.
"""

from collections.abc import Sequence
from functools import singledispatch
from typing import Any, Protocol

from tiltless.abstraction.bets.menu import last_aggressor
from tiltless.abstraction.bets.presets import find_menu
from tiltless.abstraction.bets.size import Size
from tiltless.errors import OptionError
from tiltless.games.game import Game, IllegalActionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, RaiseTo
from tiltless.games.holdem.betting import NOBODY
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.state import HoldemState
from tiltless.games.kuhn import Kuhn
from tiltless.games.leduc import Leduc
from tiltless.games.matrix import MatrixGame
from tiltless.validate import brief, plain_int

__all__ = [
    "CHIPS",
    "ActionNumbers",
    "ChipNumbers",
    "MenuNumbers",
    "action_numbers",
    "checked_number",
    "nearest_number",
]

CHIPS = "chips"
"""Instead of a menu: every legal number of chips is an action of its own."""

_NO_LIMIT, _FIXED = "50%, 100%, a", "min"  # the default menus
_MOST = 1_000_000  # numbers; each has a place in every mask
_FIRST_RAISE = 2


class ActionNumbers(Protocol):
    """The numbering of a game's actions; states are those of the game.

    count: numbers are below it.
    """

    count: int

    def legal(self, state: Any) -> Sequence[int]:
        """The legal numbers of the player to act, ascending."""
        ...

    def action(self, state: Any, number: int) -> Any:
        """The action with a number; `IllegalActionError` if it is not legal here."""
        ...

    def number(self, state: Any, action: Any) -> int:
        """The number of a legal action; `IllegalActionError` if it has none here."""
        ...

    def fallback(self, state: Any) -> int:
        """What an illegal number is ruled to be: a check if that is free, otherwise a fold."""
        ...


@singledispatch
def action_numbers(game: Game, actions: str = "") -> ActionNumbers:
    """The numbering of a game.

    actions: for hold'em ``"chips"`` or a menu, by name or as text; by default half pot, pot and
    all-in, and in limit games the only raise there is. Other games have one numbering.
    """
    raise OptionError(
        f"the actions of {brief(game)} have no numbers; use a game of the registry, or add its "
        "class with action_numbers.register"
    )


class _WordNumbers:
    """Numbers for words; several words that are never legal together may share a number."""

    def __init__(self, *words: tuple[str, ...]) -> None:
        self.count = len(words)
        self._number = {word: number for number, some in enumerate(words) for word in some}

    def legal(self, state: Any) -> Sequence[int]:
        return [self._number[word] for word in state.actions]

    def action(self, state: Any, number: int) -> str:
        for word in state.actions:
            if self._number[word] == number:
                return str(word)
        raise _illegal(number, self.legal(state))

    def number(self, state: Any, action: Any) -> int:
        state.verify(action)
        return self._number[action]

    def fallback(self, state: Any) -> int:
        return self._number[state.actions[0]]


class _IndexNumbers:
    """Numbers in the order of the legal actions."""

    def __init__(self, count: int) -> None:
        self.count = count

    def legal(self, state: Any) -> Sequence[int]:
        return range(len(state.actions))

    def action(self, state: Any, number: int) -> Any:
        if not 0 <= number < len(state.actions):
            raise _illegal(number, self.legal(state))
        return state.actions[number]

    def number(self, state: Any, action: Any) -> int:
        state.verify(action)
        return int(state.actions.index(action))

    def fallback(self, state: Any) -> int:
        return 0


class ChipNumbers:
    """Hold'em in chips: 0 fold, 1 check or call, n + 1 bet or raise to n.

    most: the largest stack.
    """

    def __init__(self, most: int) -> None:
        self.count = most + _FIRST_RAISE
        if self.count > _MOST:
            raise OptionError(
                f"a stack of {most} chips has too many raises for numbers; use a menu such as "
                f"{_NO_LIMIT!r}, or stacks below {_MOST}"
            )

    def legal(self, state: HoldemState) -> Sequence[int]:
        """Fold, check or call, and every legal raise."""
        actions = state.actions
        first: list[int] = [0, 1] if actions.fold else [1]
        if actions.max_raise:
            first += range(actions.min_raise + 1, actions.max_raise + _FIRST_RAISE)
        return first

    def action(self, state: HoldemState, number: int) -> Action:
        """`RaiseTo` one chip less than the number, and the two others."""
        actions = state.actions
        if number == 1:
            return CHECK if actions.check else CALL
        action = FOLD if number == 0 else RaiseTo(number - 1)
        if action not in actions:
            raise IllegalActionError(
                f"{number} is not a legal action number; legal: {actions}, where raise to n has "
                "the number n + 1"
            )
        return action

    def number(self, state: HoldemState, action: Action) -> int:
        """One more than the chips of a raise."""
        if action not in state.actions:
            raise IllegalActionError(f"{action} is not legal here; legal: {state.actions}")
        return action.chips + 1 if isinstance(action, RaiseTo) else int(action != FOLD)

    def fallback(self, state: HoldemState) -> int:
        """Check if that is free, otherwise fold."""
        return int(state.actions.check)


class MenuNumbers:
    """Hold'em with the raises of a menu: 0 fold, 1 check or call, then the sizes.

    sizes: the sizes of the numbers 2, 3 …
    """

    def __init__(self, game: Holdem, menu: str) -> None:
        self.menu = find_menu(menu)
        lists = [sizes for street in self.menu.streets for sizes in street.lists]
        added = [(Size("a"),)] if self.menu.add is not None else []
        self.sizes = tuple(dict.fromkeys(size for sizes in lists + added for size in sizes))
        if any(size.unit == "all" for size in self.sizes):
            raise OptionError(f"the menu {menu!r} has the size all; use {CHIPS!r} instead")
        self.count = _FIRST_RAISE + len(self.sizes)
        self._number = {size: place for place, size in enumerate(self.sizes, _FIRST_RAISE)}
        self._tables = [self.menu.at(game.rules, button) for button in range(game.players)]
        self._last: tuple[HoldemState | None, _Offers] = None, {}

    def _offers(self, state: HoldemState) -> "_Offers":
        """The action of each legal number; one state is often asked about several times."""
        before, offers = self._last
        if before is not state:
            legal = state.actions
            offers = {0: FOLD} if legal.fold else {}
            offers[1] = CHECK if legal.check else CALL
            if legal.max_raise:
                table = self._tables[state.table.button]
                lead = last_aggressor(state) if self.menu.donks else NOBODY
                sized = table.sized_raises(state.betting, legal, state.street, state.pot, lead)
                chips_of = {self._number[size]: chips for chips, size in sized.items()}
                for number in sorted(chips_of):
                    offers[number] = RaiseTo(chips_of[number])
            self._last = state, offers
        return offers

    def legal(self, state: HoldemState) -> Sequence[int]:
        """Fold, check or call, and the sizes on offer."""
        return list(self._offers(state))

    def action(self, state: HoldemState, number: int) -> Action:
        """The size's chips, and the two others."""
        action = self._offers(state).get(number)
        if action is None:
            raise _illegal(number, self.legal(state))
        return action

    def number(self, state: HoldemState, action: Action) -> int:
        """The size with these chips; raises that are not on offer have no number."""
        for number, offer in self._offers(state).items():
            if offer == action:
                return number
        offers = ", ".join(map(str, self._offers(state).values()))
        raise IllegalActionError(f"{action} is not on the menu here, which has: {offers}")

    def fallback(self, state: HoldemState) -> int:
        """Check if that is free, otherwise fold."""
        return int(self._offers(state)[1] == CHECK)


_Offers = dict[int, Action]


@action_numbers.register
def _(game: Kuhn, actions: str = "") -> ActionNumbers:
    return _only(actions, game, _WordNumbers(("check", "fold"), ("bet", "call")))


@action_numbers.register
def _(game: Leduc, actions: str = "") -> ActionNumbers:
    return _only(actions, game, _WordNumbers(("fold",), ("check", "call"), ("raise",)))


@action_numbers.register
def _(game: MatrixGame, actions: str = "") -> ActionNumbers:
    most = max(len(game.row_actions), len(game.column_actions))
    return _only(actions, game, _IndexNumbers(most))


@action_numbers.register
def _(game: Holdem, actions: str = "") -> ActionNumbers:
    if actions.strip().casefold() == CHIPS:
        return ChipNumbers(max(game.rules.stacks))
    return MenuNumbers(game, actions or (_FIXED if game.rules.streets[0].fixed else _NO_LIMIT))


def nearest_number(numbers: ActionNumbers, state: HoldemState, action: Action) -> int:
    """The number of an action; for a raise that has none, that of the nearest which has.

    Where no raise has one it is a check or call.
    """
    try:
        return numbers.number(state, action)
    except IllegalActionError:
        if not isinstance(action, RaiseTo) or action not in state.actions:
            raise
    raises = {
        number: made.chips
        for number in numbers.legal(state)
        if isinstance(made := numbers.action(state, number), RaiseTo)
    }
    wanted = action.chips
    return min(raises, key=lambda number: abs(raises[number] - wanted)) if raises else 1


def _only(actions: str, game: Game, numbers: ActionNumbers) -> ActionNumbers:
    if actions:
        raise OptionError(f"actions={actions!r} is for hold'em; {game.name} has one numbering")
    return numbers


def _illegal(number: Any, legal: Sequence[int]) -> IllegalActionError:
    some = ", ".join(map(str, legal))
    return IllegalActionError(f"{number} is not a legal action number here; legal: {some}")


def checked_number(numbers: ActionNumbers, number: Any) -> int:
    """A number as an int; `OptionError` unless some action has it somewhere."""
    try:
        whole = plain_int(number)
    except TypeError:
        whole = -1
    if not 0 <= whole < numbers.count:
        raise OptionError(
            f"{brief(number)} is not an action number; they are 0 to {numbers.count - 1}"
        )
    return whole
