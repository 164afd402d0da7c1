"""Blueprint: a trained strategy over (betting tree x buckets), one byte per action in memory.

::

    blueprint = Blueprint.from_average(tree, "nlhe", {"stack": 200}, "standard", cards, average)
    blueprint.save("model.safetensors")
    blueprint = Blueprint.load("model.safetensors")
    blueprint.query("AsKd", "", "r2.5bb")        [('fold', 0.0), ('call 4', 0.4), …]

A probability is a byte / 255, and the bytes of an infoset sum to exactly 255. An infoset that
training never visited is all zeros; compiled playouts play it uniformly at random, the agent by
strength. Loading maps the file, or unpacks it if it is compact, and builds nothing: the tree and
the card abstraction are built when first needed, and both must have the fingerprints recorded in
the file.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.bets.menu import Menu
from tiltless.abstraction.bets.presets import find_menu
from tiltless.abstraction.cards.abstraction import CardAbstraction, street_of
from tiltless.abstraction.cards.buckets import Buckets
from tiltless.abstraction.cards.tables import Tables
from tiltless.abstraction.information.grammar import read_information
from tiltless.abstraction.information.product import Abstraction
from tiltless.blueprint.files import file as blueprint_file
from tiltless.blueprint.files.file import About, PathName
from tiltless.blueprint.files.model_card import card_texts
from tiltless.blueprint.information import bucket_counts, card_groups, hand_buckets, share_rows
from tiltless.blueprint.line_text import ReadLine, read_line
from tiltless.blueprint.shipped import DEFAULT, find_blueprint
from tiltless.blueprint.stored import BlueprintTable, CardsName, quantised
from tiltless.blueprint.tree import BettingTree, betting_tree
from tiltless.cards.card import Cards, parse_cards
from tiltless.errors import FingerprintError, InputError, OptionError
from tiltless.files.fingerprint import fingerprint
from tiltless.games.registry import load as load_game
from tiltless.kernels.blueprint.nodes import ACTIONS, ACTOR, ROW, STREET, Rows
from tiltless.kernels.blueprint.quantise import Blocks
from tiltless.validate import brief

__all__ = ["Blueprint", "buckets_of", "load_blueprint", "tree_fingerprint"]

_TREE_BYTES = 256  # of a tree per entry of its table, at most
_SHARED_TREE_BYTES = 1 << 30  # of a tree whose decisions share rows: the limit of training


def tree_fingerprint(tree: BettingTree) -> str:
    """Equal for trees with the same menu and the same nodes, raises and chips in the same order."""
    return fingerprint("betting-tree", str(tree.menu), tree.repeat_from, list(tree.nodes))


def buckets_of(
    tree: BettingTree, cards: CardAbstraction, information: Abstraction | None = None
) -> tuple[int, ...]:
    """The number of buckets on each street of a tree; streets that repeat use those of the last.

    information: a product that may have other features of the cards, such as ``colour(dh)``.
    """
    return bucket_counts(tree, information, cards.counts)


@dataclass(frozen=True, eq=False, repr=False)
class Blueprint(BlueprintTable):
    """A trained strategy of two players; `from_average` and `load` make it."""

    @classmethod
    def from_average(
        cls,
        tree: BettingTree,
        game: str,
        parameters: Mapping[str, Any],
        menu: Menu | str,
        abstraction: CardAbstraction,
        average: npt.NDArray[np.floating[Any]],
        card: Mapping[str, object] | None = None,
        information: Abstraction | None = None,
    ) -> "Blueprint":
        """Round an average strategy to bytes.

        game, parameters: arguments of `tiltless.games.load` for the game of ``tree``.
        menu: the menu of the tree.
        average: float32 or float64 `[entries]`, weights laid out by ``tree.rows(buckets)`` that
            need not sum to 1; all zero in infosets that training never visited.
        card: the model card; values become text, see `tiltless.blueprint.files.model_card`.
        information: the product that decisions of ``tree`` share rows by (`share_rows`); None if
            none do.
        """
        loaded = load_game(game, **parameters)
        if loaded != tree.game or find_menu(menu) != tree.menu:
            what = "game" if loaded != tree.game else "menu"
            raise OptionError(f"the tree is of another {what} than the blueprint; give its own")
        buckets = buckets_of(tree, abstraction, information)
        blocks = _blocks(tree, buckets)
        table, visited = quantised(average, int(tree.rows(buckets).start[-1]), blocks)
        about = About(
            game=game,
            rules=loaded.version,
            parameters=parameters,
            menu=str(tree.menu),
            repeat_from=tree.repeat_from,
            tree=tree_fingerprint(tree),
            cards=abstraction.name,
            cards_fingerprint=abstraction.fingerprint,
            buckets=buckets,
            infosets=int(blocks.rows.sum()),
            visited=visited,
            card=card_texts(card or {}),
            information="" if information is None else str(information),
        )
        blueprint = cls(about, (table,), abstraction)
        blueprint.__dict__["tree"] = tree  # saves building it again
        return blueprint

    @classmethod
    def load(
        cls, path: PathName, *, cards: CardsName | None = None, verify: bool = True
    ) -> "Blueprint":
        """Map a file, or a shipped blueprint by its name, and its parts into memory.

        path: as for `find_blueprint`.
        cards: the card abstraction, or its file, if it is not a preset.
        verify: check every byte first, at about 1 GB/s.
        Files that are damaged, of another kind or version, or made for other rules are refused
        here; whether tree and cards match is checked when they are first used, and by `verify`.
        """
        about, parts = blueprint_file.read(find_blueprint(path), verify)
        if about.layout:
            raise OptionError(
                f"{path} is for several players ({about.layout}), and this needs one for two; "
                "choose another (in Python, MultiwayBlueprint.load opens it)"
            )
        return cls(about, parts, cards)

    @cached_property
    def information(self) -> Abstraction | None:
        """The product of features that decisions share rows by; None if they share none."""
        try:
            return read_information(self.about.information) if self.about.information else None
        except InputError as error:
            raise FingerprintError(f"the blueprint cannot be used: {error}") from None

    @cached_property
    def tree(self) -> BettingTree:
        """The betting tree, built again and compared with the one of training."""
        about, information = self.about, self.information
        room = _TREE_BYTES * (len(self) + 16)
        if information is not None:
            room = max(room, _SHARED_TREE_BYTES)
        try:
            tree = betting_tree(
                self.game, about.menu, repeat_from=about.repeat_from, memory_limit=room
            )
            if information is not None:
                tree = share_rows(tree, information)
            entries = int(tree.rows(about.buckets).start[-1])
        except InputError as error:
            raise FingerprintError(f"the blueprint cannot be used: {error}") from None
        self._check_betting("tree", tree_fingerprint(tree), entries)
        return tree

    def buckets(
        self, board: Cards = (), tables: Tables | None = None
    ) -> npt.NDArray[np.integer[Any]]:
        """The bucket of every hand on a board, `[1326]`; tables: of its cards, which are quicker.

        Without a product of features these are the buckets of the card abstraction.
        """
        source, cards = tables or self.abstraction, parse_cards(board)
        found = source.buckets(cards)
        if self.information is None:
            return found
        counts = self.abstraction.counts
        count = counts[street_of(len(cards), len(counts))]
        return hand_buckets(self.tree, self.information, cards, count, found)

    def groups(self, tables: Tables) -> tuple[Buckets, ...]:
        """The buckets of each street of its tree, for playouts; tables: those of its cards."""
        return card_groups(self.tree, self.information, tables.groups)

    @property
    def blocks(self) -> Blocks:
        """The entries of each decision; nodes that share their rows occur once."""
        return _blocks(self.tree, self.about.buckets)

    def bucket_counts(self, cards: CardAbstraction) -> tuple[int, ...]:
        """The number of buckets on each street."""
        return buckets_of(self.tree, cards, self.information)

    @cached_property
    def rows(self) -> Rows:
        """The offsets of decisions in the table; see `tiltless.kernels.blueprint.nodes.Rows`."""
        return self.tree.rows(self.about.buckets)

    def _decision(self, node: int) -> tuple[int, int, int]:
        """The first entry of a decision, and its numbers of buckets and actions."""
        record = self.tree.nodes.node
        node = self._acting(node, record[:, ACTOR])
        street = int(record[node, STREET])
        buckets = int(self.rows.buckets[street])
        return (
            int(self.rows.start[street]) + int(record[node, ROW]) * buckets,
            buckets,
            int(record[node, ACTIONS]),
        )

    def locate(self, line: str) -> int:
        """The node that a line such as ``r2.5bb c / x b50%`` leads to; see `read_line`."""
        return self.follow(line).node

    def follow(self, line: str) -> ReadLine:
        """The same, with the state of the betting there and notes on sizes that were not exact."""
        return read_line(self.tree, line)

    def query(self, hole: Cards, board: Cards = (), line: str = "") -> list[tuple[str, float]]:
        """The strategy after a line: each action of the player to act, and its probability.

        hole: that player's cards.  board: in the order dealt, as many cards as the line needs.
        """
        decision = self.decision_after(line)
        probs = self.row(decision.node, self.bucket(decision.node, hole, board))
        labels = (choice.label for choice in decision.choices(self.tree))
        return list(zip(labels, probs.tolist(), strict=True))

    def decision_after(self, line: str) -> ReadLine:
        """The decision that a line leads to; `OptionError` if nobody is to act there."""
        decision = self.follow(line)
        if decision.actor < 0:
            raise OptionError(f"nobody is to act after {brief(line)}; shorten the line")
        return decision

    def _board(self, node: int, board: Cards) -> tuple[int, ...]:
        """The cards of a board; `CardError` if their number is not that of a decision's street."""
        self._decision(node)
        cards = parse_cards(board)
        street = int(self.tree.nodes.node[node, STREET])
        sizes = self.game.sizes
        dealt = sum(sizes[:street]) + max(0, street - len(sizes))
        if street != self.tree.repeat_from or len(cards) < dealt:  # a run has any number of more
            self._check_dealt(cards, self.tree.street_name(street), dealt)
        return cards


def load_blueprint(name: PathName = DEFAULT, *, cards: CardsName | None = None) -> Blueprint:
    """Load a blueprint that ships with the package, by name, or the blueprint of a file.

    ``load_blueprint().query("AsKd", line="r3bb")``; cards: see `Blueprint.load`.
    """
    return Blueprint.load(name, cards=cards)


def _blocks(tree: BettingTree, buckets: tuple[int, ...]) -> Blocks:
    """The entries of each decision; nodes that share their rows occur once."""
    rows = tree.rows(buckets)
    acts = tree.nodes.node[tree.nodes.node[:, ACTOR] >= 0].astype(np.int64)
    count = rows.buckets[acts[:, STREET]]
    begin, once = np.unique(rows.start[acts[:, STREET]] + acts[:, ROW] * count, return_index=True)
    return Blocks(begin, np.ascontiguousarray(acts[once, ACTIONS]), count[once])
