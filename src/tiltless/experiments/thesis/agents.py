"""CFRv1 and CFRv2, the thesis' agents: a toy blueprint, then rollouts where it has no row.

Before the flop and on the flop they look up their information set: the class of the player's own
hand, the ranks of the board, and all actions so far as letters, ``c`` for check or call and ``r``
for a raise of any size (sections 3.3 to 3.5; see `tiltless.experiments.thesis.csv_export`). Its row
has probabilities of fold, call and raise, from which they sample. Everywhere else, that is on the
turn and the river, after more raises than the toy game has, and where training left the row uniform
(the thesis removes such rows, section 3.3), they play as the bot
`tiltless.agents.monte_carlo.MonteCarlo`: with 50 rollouts in CFRv1, 10,000 in CFRv2.

Where the thesis is silent: a raise is the smallest legal one, as in its toy game, or a call if none
is legal. A fold is a fold if the rules allow it, even if checking is free. Letters do not encode
seats: in the standard order of blinds, where a different player than in training is first on the
flop, rows are still looked up by their letters.

::

    tiltless train thesis --out FOLDER
    make_agent("cfr-v2:file=FOLDER/blueprint.safetensors")     or a CSV of `tiltless blueprint`
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Protocol

import numpy as np

from tiltless.abstraction.cards.bucketing import Suitless
from tiltless.agents.agent import (
    Agent,
    Clock,
    Decision,
    check_or_call,
    check_or_fold,
    file_fingerprint,
    nearest_raise,
)
from tiltless.agents.monte_carlo import MonteCarlo
from tiltless.blueprint.strategy import Blueprint
from tiltless.cards.card import CLASS_COUNT, CLASS_OF_COMBO, combo_index
from tiltless.errors import OptionError
from tiltless.experiments.preset_file import preset_file
from tiltless.experiments.thesis.csv_table import ThesisTable, read_thesis_csv
from tiltless.games.holdem.actions import FOLD, Action, Fold, RaiseTo
from tiltless.games.holdem.history import decisions
from tiltless.games.holdem.view import View
from tiltless.kernels.blueprint.nodes import ACTOR, STREET
from tiltless.validate import brief

__all__ = ["ThesisAgent", "cfr_v1", "cfr_v2", "default_file", "find_toy_table", "history_letters"]

_BOARDS = (0, 3)
Row = tuple[float, float, float]


class ToyTable(Protocol):
    """Rows of fold, call and raise by information set."""

    def find(self, hole: Sequence[int], board: Sequence[int], history: str) -> Row | None:
        """The row of an information set; None if there is none."""
        ...


class _Cleaned:
    """The rows of a CSV, without uniform ones."""

    def __init__(self, table: ThesisTable) -> None:
        self.table = table

    def find(self, hole: Sequence[int], board: Sequence[int], history: str) -> Row | None:
        row = self.table.find(hole, board, history)
        return None if row is None or max(row) == min(row) else row


class _Trained:
    """The rows of a trained toy blueprint, without unvisited and uniform ones."""

    def __init__(self, blueprint: Blueprint) -> None:
        tree = blueprint.tree
        self.blueprint = blueprint
        self.nodes: dict[tuple[int, str], tuple[int, list[int]]] = {}
        for node in range(len(tree.nodes.node)):
            if tree.nodes.node[node, ACTOR] < 0:
                continue
            columns = [_column(tree.action(child)) for child in tree.children(node)]
            if columns.count(2) > 1:
                raise OptionError(
                    f"the blueprint of {blueprint.about.game} has several raise sizes, and the "
                    "thesis' agents support one; train it with `tiltless train thesis`"
                )
            letters = history_letters(tree.history(node))
            board = sum(blueprint.game.sizes[: int(tree.nodes.node[node, STREET])])
            self.nodes[board, letters] = node, columns
        if not all(isinstance(street, Suitless) for street in blueprint.abstraction.streets[:2]):
            raise OptionError(
                f"the blueprint has the card abstraction {blueprint.abstraction.name!r}, and the "
                "thesis' agents need 'thesis'; train it with `tiltless train thesis`"
            )

    def find(self, hole: Sequence[int], board: Sequence[int], history: str) -> Row | None:
        entry = self.nodes.get((len(board), history))
        if entry is None:
            return None
        node, columns = entry
        bucket = int(CLASS_OF_COMBO[combo_index(tuple(hole))])
        bucket += CLASS_COUNT * _ranks(tuple(sorted(board)))
        weights = self.blueprint.table(node)[bucket].tolist()
        if max(weights) - min(weights) <= 1:  # zeros, or equal up to rounding
            return None
        row = [0.0, 0.0, 0.0]
        for column, weight in zip(columns, weights, strict=True):
            row[column] += weight / sum(weights)
        return row[0], row[1], row[2]


@lru_cache(maxsize=4096)
def _ranks(board: tuple[int, ...]) -> int:
    """The index of a board's ranks in `Suitless`."""
    return int(Suitless(len(board)).rank_numbers(np.array([board], np.uint8))[0])


def _column(action: Action | None) -> int:
    """The column of an action: 0 fold, 1 call, 2 raise."""
    return 2 if isinstance(action, RaiseTo) else int(not isinstance(action, Fold))


def default_file() -> Path:
    """The blueprint file that the agents use by default."""
    return preset_file("thesis")


def find_toy_table(file: str = "") -> ToyTable:
    """The rows of a file, a blueprint or a CSV; cached until the file changes."""
    path = Path(file) if file else default_file()
    if not path.exists():
        raise OptionError(
            f"the thesis' agents need a trained toy blueprint, and {brief(str(path))} does not "
            f"exist; make it with `tiltless train thesis --out {path.parent}`"
        )
    return _read(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=4)
def _read(path: Path, _written: int) -> ToyTable:
    if path.suffix == ".csv":
        return _Cleaned(read_thesis_csv(path))
    return _Trained(Blueprint.load(path))


def history_letters(actions: Iterable[Action]) -> str:
    """Actions as letters: ``"rccr"``."""
    return "".join("fcr"[_column(action)] for action in actions)


class ThesisAgent(Agent):
    """Plays a toy blueprint, and rollouts where it has no row.

    file: the blueprint or CSV; empty for `default_file`.  rollouts: for a decision without a row.
    """

    def __init__(self, file: str = "", rollouts: int = 10_000) -> None:
        self.elsewhere = MonteCarlo(rollouts)
        self.table = find_toy_table(file)
        self.made_from = file_fingerprint(file or default_file())

    def fingerprint(self) -> str:
        """Fingerprint of the agent's code and of the toy blueprint's file."""
        return f"{super().fingerprint()} {self.made_from}"

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """Sample from the row, or roll out."""
        row = self._row(view)
        if row is None:
            return self.elsewhere.act(view, clock, rng)
        legal = view.actions
        fold = FOLD if legal.fold else check_or_fold(legal)
        options = (fold, check_or_call(legal), nearest_raise(legal, legal.min_raise))
        policy: dict[Action, float] = {}
        for action, prob in zip(options, row, strict=True):
            policy[action] = policy.get(action, 0.0) + prob
        left = rng.random()
        chosen = options[1]
        for action, prob in policy.items():
            left -= prob
            if prob and left < 0:
                chosen = action
                break
        return Decision(chosen, tuple(policy.items()), source="toy blueprint")

    def _row(self, view: View) -> Row | None:
        if len(view.board) not in _BOARDS or len(view.cards) != 2 or view.rules.seats != 2:
            return None
        letters = history_letters(past.action for past in decisions(view))
        return self.table.find(view.cards, view.board, letters)


def cfr_v1(file: str = "", rollouts: int = 50) -> Agent:
    """CFRv1: 50 rollouts."""
    return ThesisAgent(file, rollouts)


def cfr_v2(file: str = "", rollouts: int = 10_000) -> Agent:
    """CFRv2: 10,000 rollouts."""
    return ThesisAgent(file, rollouts)
