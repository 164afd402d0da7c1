"""A training configuration resolved once: the game, menu, cards and product that it names.

Cost estimates, the trainer and the blueprint all read it. What is expensive, the betting tree, is
laid out when it is first asked for, and kept.
"""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Union

from tiltless.abstraction.bets.menu import Menu
from tiltless.abstraction.bets.presets import find_menu
from tiltless.abstraction.cards.abstraction import CardAbstraction
from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.abstraction.information.grammar import read_information
from tiltless.abstraction.information.product import Abstraction
from tiltless.blueprint.betting import TreeSize
from tiltless.blueprint.information import share_rows
from tiltless.blueprint.sampling import SCHEMES, check_game
from tiltless.blueprint.strategy import buckets_of
from tiltless.blueprint.training.config import TrainingConfig
from tiltless.blueprint.tree import BettingTree, betting_tree, tree_size
from tiltless.cfr.pruning import RegretBased
from tiltless.errors import OptionError
from tiltless.files.fingerprint import fingerprint
from tiltless.games.holdem.game import Holdem
from tiltless.games.registry import load

__all__ = ["Setup"]


@dataclass(frozen=True, eq=False)
class Setup:
    """What a configuration stands for; `of` makes it.

    information: the product that decisions share rows by; None for all bets (perfect recall).
    """

    config: TrainingConfig
    game: Holdem
    menu: Menu
    cards: CardAbstraction
    information: Abstraction | None

    @classmethod
    def of(cls, run: Union[TrainingConfig, "Setup"]) -> "Setup":
        """Resolve a configuration; `OptionError` if it names what is not there or cannot be used.

        A setup is returned as it is.
        """
        if isinstance(run, Setup):
            return run
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
        return cls(run, game, menu, cards, information)

    @cached_property
    def fingerprint(self) -> str:
        """Of everything that decides the tables; when to stop or save does not."""
        config = self.config
        rules = {each.name: getattr(config.rules, each.name) for each in fields(config.rules)}
        pruning = rules.pop("pruning")
        rules["pruning"] = (
            [pruning.threshold, pruning.warmup_iterations, pruning.share_unpruned]
            if isinstance(pruning, RegretBased)
            else None
        )
        rules["discount_every"] = config.rules.every
        return fingerprint(
            "training, averages rounded by chance",
            SCHEMES[config.rules.sampling].block,
            dict(config.game),
            str(self.menu),
            self.cards.fingerprint,
            config.seed,
            rules,
            *([] if self.information is None else [str(self.information)]),
        )

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
