"""Two players: a training run on a betting tree, with the menu, cards and product that it names.

What is expensive, the betting tree, is laid out when it is first asked for, and kept.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.bets.menu import Menu
from tiltless.abstraction.bets.presets import find_menu
from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.abstraction.cards.tables import Tables
from tiltless.abstraction.information.grammar import read_information
from tiltless.abstraction.information.product import Abstraction
from tiltless.blueprint.betting import TreeSize
from tiltless.blueprint.engine import BlueprintEngine, BlueprintRules
from tiltless.blueprint.information import card_groups, share_rows
from tiltless.blueprint.line_text import read_line
from tiltless.blueprint.opening import Opening
from tiltless.blueprint.sampling import SCHEMES, check_game
from tiltless.blueprint.simulate.match import Side, simulate_match
from tiltless.blueprint.strategy import Blueprint, buckets_of
from tiltless.blueprint.training.config import TrainingConfig
from tiltless.blueprint.training.litmus import LitmusCheck, first_in, litmus
from tiltless.blueprint.training.setup import Arrays, Played, Setup, TrainingEngine
from tiltless.blueprint.tree import BettingTree, betting_tree, tree_bytes, tree_size
from tiltless.cfr.pruning import RegretBased
from tiltless.errors import OptionError
from tiltless.files.fingerprint import fingerprint
from tiltless.files.scratch import scratch_table
from tiltless.games.holdem.game import Holdem
from tiltless.games.registry import load

__all__ = ["TreeSetup"]

_LARGE_TREE = 300_000  # nodes, which take a second


@dataclass(frozen=True, eq=False)
class TreeSetup(Setup):
    """A run of two players; `of` makes it.

    information: the product that decisions share rows by; None for all bets (perfect recall).
    """

    menu: Menu
    information: Abstraction | None

    @classmethod
    def of(cls, run: TrainingConfig | Setup) -> "TreeSetup":
        """Resolve a configuration; see `Setup.of`."""
        assert isinstance(run, TrainingConfig)
        assert isinstance(run.rules, BlueprintRules)
        game = load(run.game_name, **run.parameters)
        menu, cards = find_menu(run.bets), card_abstraction(run.cards)
        information = read_information(run.information) if run.information else None
        if not isinstance(game, Holdem):
            raise OptionError(f"{run.game_name} is not a hold'em game; train nlhe or the like")
        check_game(game, run.rules.sampling)
        streets = len(game.rules.streets) + bool(game.rules.run_suits)
        if len(cards.counts) < streets:
            raise OptionError(
                f"{run.cards} has buckets for {len(cards.counts)} streets and the game has "
                f"{streets}; choose cards that fit"
            )
        runs = set(cards.counts[streets - 1 :]) if game.rules.run_suits else {0}
        if len(runs) > 1:
            raise OptionError(
                f"{run.cards} has {', '.join(map(str, cards.counts[streets - 1 :]))} buckets on "
                "boards that grow, which share their strategy; give all the same number"
            )
        return cls(run, game, cards, menu, information)

    @property
    def _rules(self) -> BlueprintRules:
        rules = self.config.rules
        assert isinstance(rules, BlueprintRules)
        return rules

    @cached_property
    def fingerprint(self) -> str:
        """Of everything that decides the tables; when to stop or save does not."""
        config, given = self.config, self._rules
        rules = {each.name: getattr(given, each.name) for each in fields(given)}
        pruning = rules.pop("pruning")
        rules["pruning"] = (
            [pruning.threshold, pruning.warmup_iterations, pruning.share_unpruned]
            if isinstance(pruning, RegretBased)
            else None
        )
        rules["discount_every"] = given.every
        return fingerprint(
            "training, averages rounded by chance",
            SCHEMES[given.sampling].block,
            dict(config.game),
            str(self.menu),
            self.cards.fingerprint,
            config.seed,
            rules,
            *([] if self.information is None else [str(self.information)]),
        )

    @property
    def rules_text(self) -> str:
        """See `Setup`."""
        return self._rules.text()

    @cached_property
    def tree(self) -> BettingTree:
        """The betting tree, in which decisions share rows by the product."""
        tree = betting_tree(self.game, self.menu)
        return tree if self.information is None else share_rows(tree, self.information)

    @cached_property
    def size(self) -> TreeSize:
        """The size of the tree, which is laid out only where a product must be counted."""
        return tree_size(self.game, self.menu) if self.information is None else self.tree.size

    @cached_property
    def buckets(self) -> tuple[int, ...]:
        """How many buckets each street has."""
        if self.information is None:
            return self.cards.counts[: len(self.size.decisions)]
        return buckets_of(self.tree, self.cards, self.information)

    @property
    def infosets(self) -> int:
        """How many information sets there are."""
        return sum(n * count for n, count in zip(self.size.decisions, self.buckets, strict=True))

    @property
    def rows(self) -> int:
        """How many numbers a table has: one for each action of each information set."""
        return sum(n * count for n, count in zip(self.size.actions, self.buckets, strict=True))

    @property
    def takes_long(self) -> str:
        """Laying out a large tree, to count a product."""
        nodes = 0 if self.information is None else tree_size(self.game, self.menu).nodes
        if nodes <= _LARGE_TREE:
            return ""
        return f"laying out a tree of {nodes:,} nodes, to count its information sets"

    @property
    def layout_bytes(self) -> int:
        """Bytes of the tree."""
        return tree_bytes(self.size, self.game.players)

    def engine(self, tables: Tables, threads: int) -> BlueprintEngine:
        """See `Setup`."""
        groups = card_groups(self.tree, self.information, tables.groups)
        return BlueprintEngine(
            self.tree, groups, self._rules, seed=self.config.seed, threads=threads
        )

    def compile(self, engine: TrainingEngine, matches: bool) -> None:
        """A run of a tree without bets."""
        real = _own(engine)
        tree = betting_tree(self.tree.game, "none", repeat_from=self.tree.repeat_from)
        every = real.block_walks if real.rules.every else 0
        small = BlueprintEngine(tree, real.buckets, replace(real.rules, discount_every=every))
        small.run(1)
        small.mean_positive_regret()
        small.infosets_touched()
        if matches:
            older = small.average.view()
            older.flags.writeable = False  # as one from a file is
            sides = [Side(small.policy(each), small.buckets) for each in (None, older)]
            simulate_match(tree, 1, *sides)

    def meetings(self, nodes_per_walk: float) -> float:
        """A node is taken to be a decision as often as in the tree.

        Public chance sampling brings all hands to each node; as they share a board, an eighth of
        them count as visits (by the ``minute`` preset with that sampling).
        """
        size = self.tree.size
        visits = nodes_per_walk * (1 - size.ends / size.nodes)
        if self._rules.sampling == "public-chance":
            left = self.tree.game.deck.bit_count() - self.tree.board
            visits *= left * (left - 1) / 2 / 8
        return visits / self.infosets

    def openings(self, engine: TrainingEngine) -> list[Opening]:
        """The button's first decision."""
        chances = first_in(self.tree, _own(engine).average_at(0))
        if chances is None:
            return []
        choices = read_line(self.tree, "").choices(self.tree)
        return [Opening("BTN", "the button", choices, chances)]

    def checks(self, engine: TrainingEngine) -> list[LitmusCheck]:
        """See `tiltless.blueprint.training.litmus`."""
        return litmus(self.tree, _own(engine).average_at(0))

    def play(
        self, engine: TrainingEngine, older: Arrays, deals: int, seed: int, folder: Path
    ) -> Played:
        """Every deal twice, with the seats exchanged."""
        real = _own(engine)
        average = older["average"]  # its weights are looked at as they come
        with self._policy(real, folder) as now, self._policy(real, folder, average) as before:
            sides = [Side(each, real.buckets) for each in (now, before)]
            result = simulate_match(self.tree, deals, *sides, seed=seed, threads=real.threads)
        button = result.button, result.button_error
        return Played(result.hands, result.mean, result.standard_error, *button)

    @contextmanager
    def _policy(
        self,
        engine: BlueprintEngine,
        folder: Path,
        average: npt.NDArray[np.float32] | None = None,
    ) -> Iterator[npt.NDArray[np.float32]]:
        """`BlueprintEngine.policy` without memory of its own; see `scratch_table`."""
        if not engine.scheme.own_order:
            yield engine.policy(average)
            return
        with scratch_table(folder, engine.average.size) as out:
            yield engine.policy(average, out=out)

    def blueprint(
        self, engine: TrainingEngine, card: Mapping[str, object], folder: Path
    ) -> Blueprint:
        """See `Setup`."""
        config, real = self.config, _own(engine)
        about = config.game_name, config.parameters, self.menu, self.cards
        with self._policy(real, folder) as average:
            return Blueprint.from_average(self.tree, *about, average, card, self.information)


def _own(engine: TrainingEngine) -> BlueprintEngine:
    assert isinstance(engine, BlueprintEngine)
    return engine
