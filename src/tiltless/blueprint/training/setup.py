"""A training configuration resolved once, and the engine behind a run.

A `Setup` is everything that differs between the games that a run can train: `TreeSetup` is a
betting tree for two players, `GraphSetup` a re-entrant graph for three to six. Cost estimates, the
trainer and the commands know only what stands here.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Union

import numpy.typing as npt

from tiltless.abstraction.cards.abstraction import CardAbstraction
from tiltless.abstraction.cards.tables import Tables
from tiltless.blueprint.multiway.engine import VectorRules
from tiltless.blueprint.opening import Opening
from tiltless.blueprint.packed_changes import CopyChanges
from tiltless.blueprint.training.config import TrainingConfig
from tiltless.blueprint.training.litmus import LitmusCheck
from tiltless.errors import OptionError
from tiltless.games.holdem.game import Holdem
from tiltless.kernels.blueprint.quantise import Blocks

__all__ = ["Played", "Setup", "Trained", "TrainingEngine"]

Arrays = Mapping[str, npt.NDArray[Any]]


class TrainingEngine(Protocol):
    """What a run needs of an engine; see `tiltless.blueprint.engine.BlueprintEngine`."""

    visited: int
    threads: int
    copies: int

    @property
    def walks(self) -> int:
        """Traversals done."""
        ...

    @property
    def block_walks(self) -> int:
        """Traversals of a block."""
        ...

    def run(self, walks: int) -> None:
        """Run at least this many more, in whole blocks."""
        ...

    def run_copy(self, regret: npt.NDArray[Any], first: int, stop: int, copy: int) -> CopyChanges:
        """Run the blocks of one of `copies`, from these regrets on; own tables are overwritten."""
        ...

    def merge(self, first: int, stop: int, changes: Sequence[CopyChanges]) -> None:
        """Add what all copies have learned."""
        ...

    def check_finite(self) -> None:
        """`ArrayError` if a number of the tables is not finite."""
        ...

    def mean_positive_regret(self) -> float:
        """Chips a traversal."""
        ...

    def infosets_touched(self) -> int:
        """Information sets met so far."""
        ...

    def state(self) -> Arrays:
        """Everything needed to continue later."""
        ...

    def restore(self, state: Arrays) -> None:
        """Continue from a state."""
        ...


class Trained(Protocol):
    """A strategy that can be written to a file."""

    def save(self, path: str | PathLike[str]) -> None:
        """Write it atomically."""
        ...


class Played(NamedTuple):
    """A match of a strategy against an older one, in chips a hand.

    hands: how many.  mean, error: what the newer one wins, with its standard error.
    button, button_error: what the button wins.
    """

    hands: int
    mean: float
    error: float
    button: float
    button_error: float


@dataclass(frozen=True, eq=False)
class Setup(ABC):
    """What a configuration stands for; `of` makes it."""

    config: TrainingConfig
    game: Holdem
    cards: CardAbstraction

    @classmethod
    def of(cls, run: Union[TrainingConfig, "Setup"]) -> "Setup":
        """Resolve a configuration; `OptionError` if it names what is not there or cannot be used.

        A setup is returned as it is.
        """
        if isinstance(run, Setup):
            return run
        # both extend this class
        from tiltless.blueprint.training.graph_setup import GraphSetup
        from tiltless.blueprint.training.tree_setup import TreeSetup

        kind = GraphSetup if isinstance(run.rules, VectorRules) else TreeSetup
        return kind.of(run)

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """Of everything that decides the tables; when to stop or save does not."""

    @property
    @abstractmethod
    def rules_text(self) -> str:
        """How walks add up, for the model card."""

    @property
    @abstractmethod
    def infosets(self) -> int:
        """How many information sets there are."""

    @property
    @abstractmethod
    def rows(self) -> int:
        """How many numbers a table has: one for each action of each information set."""

    @property
    @abstractmethod
    def layout_bytes(self) -> int:
        """Memory of the betting beside the tables."""

    @property
    def table_blocks(self) -> Blocks:
        """The rows of the tables, for compact checkpoints; `OptionError` if there are none."""
        raise OptionError("compact checkpoints are of three to six seats; keep the full ones")

    @property
    def takes_long(self) -> str:
        """A line for the user if counting takes a second or more; otherwise ""."""
        return ""

    @property
    def model_bytes(self) -> int:
        """Size of the blueprint's file, at most."""
        return self.rows

    @abstractmethod
    def engine(self, tables: Tables, threads: int) -> TrainingEngine:
        """An engine that has not walked yet.  tables: the buckets of `cards`."""

    @abstractmethod
    def compile(self, engine: TrainingEngine, matches: bool) -> None:
        """Have every kernel that a run of the engine needs ready."""

    @abstractmethod
    def meetings(self, nodes_per_walk: float) -> float:
        """Visits of a walk to information sets, over the number of these; 0 if not known."""

    @abstractmethod
    def openings(self, engine: TrainingEngine) -> list[Opening]:
        """First-in decisions of the average as it is; none where buckets are not 169 hands."""

    @abstractmethod
    def checks(self, engine: TrainingEngine) -> list[LitmusCheck]:
        """Litmus checks of the average as it is."""

    @abstractmethod
    def play(
        self, engine: TrainingEngine, older: Arrays, deals: int, seed: int, folder: Path
    ) -> Played:
        """The average as it is against that of an older state, which may be mapped from a file.

        folder: for temporary files.
        """

    @abstractmethod
    def blueprint(
        self, engine: TrainingEngine, card: Mapping[str, object], folder: Path
    ) -> Trained:
        """The average as it is, with a model card."""
