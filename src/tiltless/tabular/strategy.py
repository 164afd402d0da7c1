"""A strategy for every player of a game: the probability of each action at each infoset.

::

    strategy = Strategy.uniform(flatten(load("kuhn")))
    strategy[state.infoset(0)]                  {'check': 0.5, 'bet': 0.5}
    strategy.sample(state.infoset(0), rng)      'bet'
    strategy.save("kuhn.safetensors")
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.errors import ArrayError, OptionError
from tiltless.games.game import Game, InfoSet
from tiltless.tabular import strategy_file as storage
from tiltless.tabular.flat import FlatGame, Key, key_text
from tiltless.tabular.public import PublicForm

__all__ = ["SUM_TOLERANCE", "Row", "Strategy", "check_table"]

Table = npt.NDArray[np.float64]
InfosetLike = InfoSet | Key | int

SUM_TOLERANCE = 1e-9
"""How far from 1 the probabilities of an infoset may sum."""


class Row(NamedTuple):
    """One infoset of a strategy, in words."""

    infoset: str
    actions: tuple[str, ...]
    probabilities: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Strategy:
    """Probabilities of actions in the order of ``flat``; they do not change.

    table: float64 `[entries]`, copied and made read-only; not a distribution, `ArrayError`.
    about: what the maker has to say, such as algorithm, iterations and exploitability, as text.
    """

    flat: FlatGame
    table: Table = field(repr=False)
    about: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        table = np.array(self.table, dtype=np.float64)
        check_table(self.flat, table)
        table.flags.writeable = False
        about = {str(name): str(value) for name, value in self.about.items()}
        object.__setattr__(self, "table", table)
        object.__setattr__(self, "about", MappingProxyType(about))

    @classmethod
    def uniform(cls, flat: FlatGame) -> "Strategy":
        """Every action with the same probability."""
        widths = np.diff(flat.tree.start)
        return cls(flat, np.repeat(1 / widths, widths))

    @classmethod
    def from_table(cls, flat: FlatGame, table: npt.ArrayLike, **about: object) -> "Strategy":
        """From a table of the flat form; what is said ``about`` it becomes text."""
        return cls(flat, np.asarray(table), {name: str(value) for name, value in about.items()})

    @classmethod
    def from_public(
        cls, form: PublicForm, table: npt.ArrayLike, flat: FlatGame, **about: object
    ) -> "Strategy":
        """From a table of the public form, `[rows, width]`, of the same game."""
        indices = _flat_indices(form, flat)
        rows = np.asarray(table, dtype=np.float64)
        if rows.shape != indices.shape:
            raise ArrayError(
                f"the table has the shape {rows.shape}; the public form of {form.game.name} needs "
                f"{indices.shape}"
            )
        flat_table = np.full(flat.entries, np.nan)
        flat_table[indices[indices >= 0]] = rows[indices >= 0]
        return cls.from_table(flat, flat_table, **about)

    @classmethod
    def combine(cls, *strategies: "Strategy") -> "Strategy":
        """Player 0 of the first strategy, player 1 of the second …; all on the same flat form."""
        flat = strategies[0].flat if strategies else None
        if flat is None or len(strategies) != flat.game.players:
            wanted = f"{flat.game.players}" if flat else "one for each player"
            raise OptionError(f"{len(strategies)} strategies are combined; give {wanted}")
        if any(each.flat is not flat for each in strategies):
            raise OptionError("strategies of different flat forms are combined; use one form")
        cuts = flat.tree.start[flat.tree.player]
        parts = [each.table[cuts[p] : cuts[p + 1]] for p, each in enumerate(strategies)]
        return cls(flat, np.concatenate(parts))

    def __repr__(self) -> str:
        about = "".join(f", {name} {value}" for name, value in self.about.items())
        return f"<Strategy of {self.game}: {len(self):,} information sets{about}>"

    @property
    def game(self) -> Game:
        """The game that it is for."""
        return self.flat.game

    def probabilities(self, infoset: InfosetLike) -> dict[Any, float]:
        """The probability of each action; an infoset, its key or its number."""
        number = self._number(infoset)
        return dict(zip(self.flat.actions[number], self._row(number), strict=True))

    __getitem__ = probabilities

    def __len__(self) -> int:
        return self.flat.infosets

    def __contains__(self, infoset: object) -> bool:
        key = infoset.key if isinstance(infoset, InfoSet) else infoset
        return key in self.flat.number

    def items(self) -> Iterator[Row]:
        """Every infoset in words: ``Row("player 0, J", ("check", "bet"), (0.8, 0.2))``."""
        for number in range(len(self)):
            words = self.flat.infoset_text(number), self.flat.action_texts(number)
            yield Row(*words, tuple(self._row(number)))

    def sample(self, infoset: InfosetLike, rng: Random) -> Any:
        """An action, drawn with ``rng``; never one whose probability is zero."""
        number = self._number(infoset)
        threshold = rng.random()
        choice = None
        for action, chance_probs in zip(self.flat.actions[number], self._row(number), strict=True):
            if chance_probs > 0:
                choice = action
                threshold -= chance_probs
                if threshold < 0:
                    break
        return choice

    def to_public(self, form: PublicForm) -> Table:
        """The same as a table of the public form, `[rows, width]`; zero where no hand can be."""
        indices = _flat_indices(form, self.flat)
        return np.where(indices >= 0, self.table[indices], 0.0)

    def save(self, path: str | PathLike[str]) -> None:
        """Write a file that names its game; see `tiltless.tabular.strategy_file`."""
        storage.write(path, self.flat, self.table, self.about)

    @classmethod
    def load(cls, path: str | PathLike[str], flat: FlatGame | None = None) -> "Strategy":
        """Read a file, exactly as it was saved.

        flat: the game that the file must fit; without it, the game is made again from what the
        file says, and laid out. What does not fit is refused with the reason.
        """
        file = storage.read(path, flat)
        try:
            return cls(file.flat, file.table, file.about)
        except ArrayError as error:
            raise storage.unsound(path, str(error)) from None

    def _number(self, infoset: InfosetLike) -> int:
        key = infoset.key if isinstance(infoset, InfoSet) else infoset
        if isinstance(key, int | np.integer):
            if 0 <= key < len(self):
                return int(key)
            raise OptionError(f"there is no infoset {key}; they are 0 to {len(self) - 1}")
        number = self.flat.number.get(key)
        if number is None:
            where = key_text(key) if isinstance(key, tuple) and len(key) == 3 else repr(key)
            raise OptionError(f"nobody acts at this infoset of {self.game.name}: {where}")
        return number

    def _row(self, number: int) -> list[float]:
        start = self.flat.tree.start
        row: list[float] = self.table[start[number] : start[number + 1]].tolist()
        return row


def check_table(flat: FlatGame, table: npt.NDArray[Any]) -> None:
    """Raise `ArrayError`, naming the infoset, unless every row of ``table`` is a distribution."""
    if table.shape != (flat.entries,):
        raise ArrayError(
            f"the table has the shape {table.shape}; {flat.game.name} needs ({flat.entries},): "
            "one number for each action of each infoset"
        )
    start = flat.tree.start[:-1]
    sums = np.add.reduceat(table, start) if len(start) else np.empty(0)
    least = np.minimum.reduceat(table, start) if len(start) else np.empty(0)
    sound = (least >= 0) & (np.abs(sums - 1) <= SUM_TOLERANCE)  # False for NaN
    if not sound.all():
        number = int(np.argmin(sound))
        row = table[flat.tree.start[number] : flat.tree.start[number + 1]].tolist()
        raise not_a_distribution(flat.game, flat.keys[number], row)


def not_a_distribution(game: Game, key: Key, row: list[float]) -> ArrayError:
    """The error for an infoset whose probabilities are not probabilities."""
    numbers = ", ".join(f"{p:.12g}" for p in row[:8]) + ", …" * (len(row) > 8)
    return ArrayError(
        f"the strategy of {game.name} at {key_text(key)} is [{numbers}]; probabilities must not "
        "be negative and must sum to 1"
    )


def _flat_indices(form: PublicForm, flat: FlatGame) -> npt.NDArray[np.int64]:
    if form.game != flat.game:
        raise OptionError(
            f"the public form is of {form.game.name} and the flat form of {flat.game.name}, or "
            "their parameters differ; make both from one game"
        )
    return form.flat_indices(flat)
