"""Matrix games: two players choose simultaneously, and a table gives the payoffs.

Simultaneous choice is a sequence with a hidden move: player 0 chooses a row, then player 1, who
knows only that a choice was made, a column. Payoffs are arbitrary; if one player always wins what
the other loses, the game is zero-sum.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from tiltless.errors import OptionError
from tiltless.games.common import checked_player, game_not_over, illegal
from tiltless.games.game import TERMINAL, Chance, InfoSet
from tiltless.validate import brief

__all__ = ["MatrixGame", "MatrixState", "matrix_game", "rock_paper_scissors"]

Table = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class MatrixGame:
    """A table of payoffs for each player, with names of the rows and columns.

    row, column: `[rows, columns]`, the payoffs of player 0 and player 1.
    parameters: what rebuilds this game through the registry; not part of equality.
    """

    name: str
    row: Table
    column: Table
    row_actions: tuple[str, ...]
    column_actions: tuple[str, ...]
    parameters: Mapping[str, Any] = field(compare=False, repr=False)
    version: int = 1

    players = 2

    @cached_property
    def zero_sum(self) -> bool:
        """Whether one player wins what the other loses, in every cell."""
        pairs = zip(sum(self.row, ()), sum(self.column, ()), strict=True)
        return all(mine + yours == 0 for mine, yours in pairs)

    @cached_property
    def indices(self) -> tuple[dict[str, int], dict[str, int]]:
        """The index of each row and of each column, by name."""
        rows, columns = (
            {name: index for index, name in enumerate(names)}
            for names in (self.row_actions, self.column_actions)
        )
        return rows, columns

    def start(self) -> "MatrixState":
        """Nobody has chosen yet."""
        return MatrixState(self, ())

    def action_text(self, action: str) -> str:
        """Actions are their own names."""
        return action

    def parse_action(self, text: str) -> str:
        """The row or column of that name."""
        if text not in self.row_actions + self.column_actions:
            raise OptionError(
                f"{text!r} is not a choice in {self.name}; rows are {', '.join(self.row_actions)}, "
                f"columns are {', '.join(self.column_actions)}"
            )
        return text


class MatrixState(NamedTuple):
    """The choices so far, by player."""

    game: MatrixGame
    choices: tuple[str, ...]

    @property
    def actor(self) -> int:
        """Player 0, then player 1."""
        count = len(self.choices)
        return count if count < 2 else TERMINAL

    @property
    def actions(self) -> tuple[str, ...]:
        """Rows for player 0, columns for player 1."""
        count = len(self.choices)
        if count == 0:
            return self.game.row_actions
        return self.game.column_actions if count == 1 else ()

    @property
    def chance(self) -> Chance | None:
        """None: there are no chance nodes."""
        return None

    @property
    def payoffs(self) -> tuple[float, ...]:
        """The chosen cell of both tables."""
        if len(self.choices) < 2:
            raise game_not_over()
        rows, columns = self.game.indices
        row, column = rows[self.choices[0]], columns[self.choices[1]]
        return self.game.row[row][column], self.game.column[row][column]

    def can(self, move: Any) -> bool:
        """Whether the player to act has that choice."""
        if move.__class__ is not str or len(self.choices) > 1:
            return False
        return move in self.game.indices[len(self.choices)]

    def verify(self, move: Any) -> None:
        """Raise `IllegalActionError` unless the player to act has that choice."""
        if not self.can(move):
            raise illegal(self, move)

    def apply(self, move: Any) -> "MatrixState":
        """The state after a choice."""
        self.verify(move)
        return MatrixState(self.game, (*self.choices, move))

    def infoset(self, player: int) -> InfoSet:
        """Public: how many have chosen. Private: the player's own choice."""
        player = checked_player(self.game, player)
        count = len(self.choices)
        own = self.choices[player] if player < count else ""
        return InfoSet(player, f"{count} chosen", own, self.actions if player == count else ())


def matrix_game(
    row: Sequence[Sequence[float]],
    column: Sequence[Sequence[float]] | None = None,
    row_actions: Sequence[str] | None = None,
    column_actions: Sequence[str] | None = None,
) -> MatrixGame:
    """A matrix game from the payoffs of player 0 and, unless it is zero-sum, of player 1.

    row, column: `[rows, columns]` numbers. Choices are named r0, r1 … and c0, c1 … by default.
    """
    mine = _table("row", row)
    yours = tuple(tuple(0.0 - x for x in line) for line in mine) if column is None else None
    yours = yours or _table("column", column)
    if (len(yours), len(yours[0])) != (len(mine), len(mine[0])):
        raise OptionError(
            f"row has {len(mine)} x {len(mine[0])} payoffs and column {len(yours)} x "
            f"{len(yours[0])}; give both the same shape"
        )
    rows = _labels("row_actions", row_actions, "r", len(mine))
    columns = _labels("column_actions", column_actions, "c", len(mine[0]))
    parameters = {"row": mine, "column": yours, "row_actions": rows, "column_actions": columns}
    return MatrixGame("matrix", mine, yours, rows, columns, parameters)


def rock_paper_scissors() -> MatrixGame:
    """Rock breaks scissors, scissors cut paper, paper wraps rock: 1 for the winner."""
    names = ("rock", "paper", "scissors")
    row = ((0.0, -1.0, 1.0), (1.0, 0.0, -1.0), (-1.0, 1.0, 0.0))
    column = tuple(tuple(0.0 - x for x in line) for line in row)
    return MatrixGame("rps", row, column, names, names, {})


def _table(name: str, payoffs: Any) -> Table:
    """Payoffs as tuples of floats, or `OptionError`."""
    try:
        table = tuple(tuple(float(x) for x in line) for line in payoffs)
    except (TypeError, ValueError):
        raise OptionError(
            f"{name} must be rows of numbers, such as [[1, -1], [-1, 1]], "
            "on the command line 1,-1/-1,1"
        ) from None
    if not table or not table[0] or any(len(line) != len(table[0]) for line in table):
        raise OptionError(f"{name} must have rows of equal length, at least 1 x 1")
    if not all(abs(x) < float("inf") for line in table for x in line):
        raise OptionError(f"{name} must contain finite numbers")
    return table


def _labels(name: str, names: Sequence[str] | None, letter: str, count: int) -> tuple[str, ...]:
    """Distinct names, one for each row or column."""
    if names is None:
        return tuple(f"{letter}{i}" for i in range(count))
    labels = tuple(names) if isinstance(names, list | tuple) else ()
    texts = {label for label in labels if isinstance(label, str)}
    if len(labels) != count or len(texts) != count:
        raise OptionError(f"{name}={brief(names)} must be {count} different names")
    return labels
