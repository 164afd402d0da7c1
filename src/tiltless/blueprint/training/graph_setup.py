"""Three to six seats: a training run on a betting graph, by vector sampling."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from math import comb
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.abstraction.cards.tables import Tables
from tiltless.blueprint.multiway.deals import HoldemDealer
from tiltless.blueprint.multiway.engine import DEALS, MultiwayEngine, VectorRules
from tiltless.blueprint.multiway.graph import BettingGraph, GraphSize
from tiltless.blueprint.multiway.graph_layout import betting_graph, graph_size
from tiltless.blueprint.multiway.locate import GraphSpots
from tiltless.blueprint.multiway.menu import MultiwayMenu
from tiltless.blueprint.multiway.menu_text import read_multiway_menu
from tiltless.blueprint.multiway.model import MultiwayBlueprint, graph_blocks
from tiltless.blueprint.multiway.openings import openings
from tiltless.blueprint.multiway.simulate import play_against_copies
from tiltless.blueprint.opening import Opening
from tiltless.blueprint.training.config import TrainingConfig
from tiltless.blueprint.training.litmus import LitmusCheck, litmus_by_seat
from tiltless.blueprint.training.setup import Arrays, Played, Setup, TrainingEngine
from tiltless.errors import OptionError
from tiltless.files.fingerprint import fingerprint
from tiltless.games.holdem.game import Holdem
from tiltless.games.registry import load
from tiltless.kernels.blueprint.external import count_visited, sum_positive
from tiltless.kernels.blueprint.quantise import Blocks

__all__ = ["GraphEngine", "GraphSetup"]

_FEWEST_SEATS, _MOST_SEATS = 3, 6
_DECK, _BOARD = 52, 5
_MODEL_BYTES = 0.5  # of an entry, at most: four bits


class GraphEngine(MultiwayEngine):
    """`MultiwayEngine` of hold'em, with the numbers that a run reports."""

    dealer: HoldemDealer

    def mean_positive_regret(self) -> float:
        """The sum of positive regrets over the weight of all traversals, in chips a hand.

        A traversal adds the regrets of all hands that the traverser can hold.
        """
        rules, walks = self.rules, self.walks
        weight = float(walks)
        if rules.discount_every:
            counted = min(walks, rules.discount_until)
            periods, rest = divmod(counted, rules.discount_every)
            weight = rules.discount_every * periods * (periods + 1) / 2 + rest * (periods + 1)
            weight += (walks - counted) * rules.weight(walks)
        hands = comb(_DECK - _BOARD - 2 * (self.graph.players - 1), 2)
        return float(sum_positive(self.regret)) / max(weight * hands / self.copies, 1.0)

    def infosets_touched(self) -> int:
        """The number of infosets that have an average."""
        return int(count_visited(self.average, self._layout))

    @cached_property
    def _layout(self) -> npt.NDArray[np.int64]:
        """As `count_visited` takes it: first entry, entries a bucket, buckets, actions, 1."""
        counts: tuple[int, ...] = tuple(self.counts.tolist())
        begin, width, rows = graph_blocks(self.graph, counts)
        return np.stack([begin, width, rows, width, np.ones_like(begin)], axis=1)


@dataclass(frozen=True, eq=False)
class GraphSetup(Setup):
    """A run of three to six seats; `of` makes it."""

    menu: MultiwayMenu

    @classmethod
    def of(cls, run: TrainingConfig | Setup) -> "GraphSetup":
        """Resolve a configuration; see `Setup.of`."""
        assert isinstance(run, TrainingConfig)
        game = load(run.game_name, **run.parameters)
        if not isinstance(game, Holdem):
            raise OptionError(f"{run.game_name} is not a hold'em game; train nlhe or the like")
        if not _FEWEST_SEATS <= game.players <= _MOST_SEATS:
            raise OptionError(
                f"{game.players} seats cannot be trained by vector sampling; choose "
                f"{_FEWEST_SEATS} to {_MOST_SEATS}, or another sampling for two"
            )
        if run.information:
            raise OptionError(
                f"information = {run.information!r} is for two seats; leave it out: the streets of "
                "several seats share blocks"
            )
        cards, streets = card_abstraction(run.cards), len(game.rules.streets)
        if len(cards.counts) < streets:
            raise OptionError(
                f"{run.cards} has buckets for {len(cards.counts)} streets and the game has "
                f"{streets}; choose cards that fit"
            )
        return cls(run, game, cards, read_multiway_menu(run.bets))

    @property
    def _rules(self) -> VectorRules:
        rules = self.config.rules
        assert isinstance(rules, VectorRules)
        return rules

    @cached_property
    def fingerprint(self) -> str:
        """See `Setup`."""
        config = self.config
        return fingerprint(
            "multiway training",
            DEALS,
            dict(config.game),
            str(self.menu),
            self.cards.fingerprint,
            config.seed,
            asdict(self._rules),
        )

    @property
    def rules_text(self) -> str:
        """See `Setup`."""
        parts = (f"{name} {value}" for name, value in asdict(self._rules).items())
        return ", ".join(["vector sampling", *parts])

    @cached_property
    def graph(self) -> BettingGraph:
        """The betting graph."""
        return betting_graph(self.game, self.menu)

    @cached_property
    def size(self) -> GraphSize:
        """Its size, counted before it is laid out."""
        return graph_size(self.game, self.menu)

    @property
    def buckets(self) -> tuple[int, ...]:
        """How many buckets each street has."""
        return self.cards.counts[: len(self.size.decisions)]

    @property
    def infosets(self) -> int:
        """See `Setup`."""
        return sum(n * count for n, count in zip(self.size.decisions, self.buckets, strict=True))

    @property
    def rows(self) -> int:
        """See `Setup`."""
        return self.size.entries(self.buckets)

    @cached_property
    def table_blocks(self) -> Blocks:
        """The rows of the tables."""
        return graph_blocks(self.graph, self.buckets)

    @property
    def layout_bytes(self) -> int:
        """Bytes of the graph."""
        return self.size.nbytes

    @property
    def model_bytes(self) -> int:
        """Four bits an action, before they are compressed."""
        return int(_MODEL_BYTES * self.rows)

    def engine(self, tables: Tables, threads: int) -> GraphEngine:
        """See `Setup`."""
        dealer = HoldemDealer(self.game, tables.groups[: self.graph.streets])
        seed = self.config.seed
        return GraphEngine(self.graph, dealer, self._rules, seed=seed, threads=threads)

    def compile(self, engine: TrainingEngine, matches: bool) -> None:
        """A run of a small game."""
        groups = _own(engine).dealer.buckets
        game = load("nlhe", seats=_FEWEST_SEATS, stack=4)
        assert isinstance(game, Holdem)
        graph = betting_graph(game, "six-small")
        rules = VectorRules(average_every=1, snapshot_every=1)
        small = GraphEngine(graph, HoldemDealer(game, groups), rules)
        small.run(1)
        small.mean_positive_regret()
        small.infosets_touched()
        if matches:
            play_against_copies(graph, groups, 1, small.average, small.average)

    def meetings(self, nodes_per_walk: float) -> float:
        """Not known: a walk brings all hands to a node, and nodes are shared by many lines."""
        return 0.0

    @cached_property
    def _spots(self) -> GraphSpots:
        return GraphSpots(self.graph)

    def openings(self, engine: TrainingEngine) -> list[Opening]:
        """First-in decisions from under the gun to the small blind."""
        real = _own(engine)
        return openings(
            self._spots, self.cards.buckets(()), lambda node: real.at(real.average, node)
        )

    def checks(self, engine: TrainingEngine) -> list[LitmusCheck]:
        """See `tiltless.blueprint.training.litmus`."""
        real = _own(engine)
        found = litmus_by_seat(
            self._spots, self.openings(engine), lambda node: real.at(real.average, node)
        )
        button, *blinds = real.value_by_player()[:3].tolist()
        won = LitmusCheck("the button wins more than the blinds", button > max(blinds))
        return [*found, won]

    def play(
        self, engine: TrainingEngine, older: Arrays, deals: int, seed: int, folder: Path
    ) -> Played:
        """One of the average as it is against copies of the older one, in every seat."""
        real = _own(engine)
        result = play_against_copies(
            self.graph,
            real.dealer.buckets,
            deals,
            real.average,
            older["average"],
            seed=seed,
            threads=real.threads,
        )
        return Played(*result[:5])

    def blueprint(
        self, engine: TrainingEngine, card: Mapping[str, object], folder: Path
    ) -> MultiwayBlueprint:
        """Four bits an action."""
        config, real = self.config, _own(engine)
        about = config.game_name, config.parameters, self.cards
        return MultiwayBlueprint.from_average(self.graph, *about, real.average, card).compact()


def _own(engine: TrainingEngine) -> GraphEngine:
    assert isinstance(engine, GraphEngine)
    return engine
