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

import os
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.bets.menu import Menu
from tiltless.abstraction.bets.presets import find_menu
from tiltless.abstraction.cards.abstraction import CardAbstraction, street_of
from tiltless.abstraction.cards.buckets import Buckets
from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.abstraction.cards.tables import Tables
from tiltless.abstraction.information.grammar import read_information
from tiltless.abstraction.information.product import Abstraction
from tiltless.blueprint import file as blueprint_file
from tiltless.blueprint.compact import rounded
from tiltless.blueprint.file import LARGEST_FILE, About, PathName, Table
from tiltless.blueprint.information import bucket_counts, card_groups, hand_buckets, share_rows
from tiltless.blueprint.line_text import ReadLine, read_line
from tiltless.blueprint.model_card import CardResult, card_texts, read_results
from tiltless.blueprint.shipped import DEFAULT, find_blueprint
from tiltless.blueprint.tree import BettingTree, betting_tree
from tiltless.cards.card import (
    COMBO_CARDS,
    Cards,
    check_disjoint,
    combo_index,
    parse_cards,
)
from tiltless.errors import (
    ArrayError,
    CardError,
    DamagedFileError,
    FingerprintError,
    InputError,
    OptionError,
)
from tiltless.files.fingerprint import fingerprint
from tiltless.games.holdem.game import Holdem
from tiltless.games.registry import load as load_game
from tiltless.kernels.blueprint.nodes import ACTIONS, ACTOR, ROW, STREET, Rows
from tiltless.kernels.blueprint.quantise import WHOLE, Blocks, check_bytes, quantise
from tiltless.validate import brief, whole_number

__all__ = ["Blueprint", "buckets_of", "load_blueprint", "tree_fingerprint"]

CardsName = str | os.PathLike[str] | CardAbstraction

_MOST_WEIGHT = 1e300  # so that sums stay finite
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


@dataclass(frozen=True, eq=False)
class Blueprint:
    """A trained strategy; `from_average` and `load` make it.

    about: game, tree and cards it was trained for, and its model card.
    parts: the table, divided as in its files; read-only.
    given_cards: the card abstraction or its file, if it cannot be found by name.
    """

    about: About
    parts: tuple[Table, ...] = field(repr=False)
    given_cards: CardsName | None = field(default=None, repr=False)

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
        card: the model card; values become text, see `tiltless.blueprint.model_card`.
        information: the product that decisions of ``tree`` share rows by (`share_rows`); None if
            none do.
        """
        loaded = load_game(game, **parameters)
        if loaded != tree.game or find_menu(menu) != tree.menu:
            what = "game" if loaded != tree.game else "menu"
            raise OptionError(f"the tree is of another {what} than the blueprint; give its own")
        buckets = buckets_of(tree, abstraction, information)
        blocks = _blocks(tree, buckets)
        weights = _checked_average(average, int(tree.rows(buckets).start[-1]))
        table: Table = np.zeros(len(weights), dtype=np.uint8)
        rest = np.empty(int(blocks.width.max(initial=1)))
        visited = quantise(weights, blocks, rest, table)
        table.flags.writeable = False
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
            visited=int(visited),
            card=card_texts(card or {}),
            information="" if information is None else str(information),
        )
        blueprint = cls(about, (table,), abstraction)
        blueprint.__dict__["tree"] = tree  # saves building it again
        return blueprint

    def with_card(self, changes: Mapping[str, object]) -> "Blueprint":
        """A copy with some entries of its model card changed; None removes an entry.

        ``Blueprint.load(path).with_card({"results": results}).save(path)`` adds to a file.
        """
        kept = {**self.about.card, **changes}
        card = card_texts({name: value for name, value in kept.items() if value is not None})
        return replace(self, about=replace(self.about, card=card))

    @property
    def results(self) -> tuple[CardResult, ...]:
        """The match results on its model card."""
        try:
            return read_results(self.about.card)
        except OptionError as error:
            raise DamagedFileError(f"{error}; with_card replaces them") from None

    def compact(self) -> "Blueprint":
        """A copy with probabilities in multiples of 1 / 15, whose file is about five times smaller.

        See `tiltless.blueprint.compact`. Probabilities below 1 / 30 mostly become 0.
        """
        table = rounded(self.probabilities, _blocks(self.tree, self.about.buckets))
        table.flags.writeable = False
        return replace(self, parts=(table,))

    def save(self, path: PathName, parts_of: int | None = LARGEST_FILE) -> None:
        """Write it atomically: one file, or an index and parts of at most ``parts_of`` bytes each.

        None: one file of any size. A `compact` one is compressed, about 0.26 bytes an entry.
        """
        blueprint_file.write(path, self.about, self.parts, parts_of)

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
        return cls(about, parts, cards)

    def verify(self) -> None:
        """Check that game, tree and cards are those of training, every row, and the model card."""
        tree, _, _ = self.tree, self.abstraction, self.results
        blocks = _blocks(tree, self.about.buckets)
        found = np.zeros(3, dtype=np.int64)
        check_bytes(self.probabilities, blocks, found)
        visited, wrong, first = found.tolist()
        if wrong:
            raise DamagedFileError(
                f"the bytes of {wrong:,} information sets do not sum to {WHOLE}, the first at "
                f"{first:,}; make the blueprint again"
            )
        if visited != self.about.visited:
            raise DamagedFileError(
                f"{visited:,} information sets were visited, not {self.about.visited:,} as the "
                "blueprint says; make it again"
            )

    @cached_property
    def game(self) -> Holdem:
        """The game, loaded from the registry."""
        about = self.about
        try:
            game = load_game(about.game, version=about.rules, **about.parameters)
        except (InputError, FingerprintError) as error:
            raise FingerprintError(f"the blueprint cannot be used: {error}") from None
        if not isinstance(game, Holdem):
            raise FingerprintError(f"the blueprint is for {about.game}, which is not hold'em")
        return game

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
        if tree_fingerprint(tree) != about.tree:
            raise FingerprintError(
                f"the tree of {brief(about.menu)} differs from the one of training; use the "
                "tiltless that made the blueprint, or train again"
            )
        if entries != len(self):
            raise DamagedFileError(
                f"the blueprint has {len(self):,} entries and its tree {entries:,}; make it again"
            )
        return tree

    @cached_property
    def abstraction(self) -> CardAbstraction:
        """The card abstraction, which computes buckets on the fly, without tables."""
        about, source = self.about, self.given_cards
        if isinstance(source, CardAbstraction):
            cards = source
        else:
            try:
                cards = card_abstraction(about.cards if source is None else source)
            except OptionError as error:
                raise FingerprintError(
                    f"the blueprint needs the card abstraction {about.cards!r}: {error}"
                ) from None
        if cards.fingerprint != about.cards_fingerprint:
            raise FingerprintError(
                f"the card abstraction {cards.name!r} has the fingerprint "
                f"{cards.fingerprint[:12]}, and the blueprint was trained with "
                f"{about.cards_fingerprint[:12]}; give the file that it was trained with"
            )
        if buckets_of(self.tree, cards, self.information) != about.buckets:
            raise DamagedFileError(
                f"the blueprint has {about.buckets} buckets and {cards.name} {cards.counts}; "
                "make it again"
            )
        return cards

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

    @cached_property
    def rows(self) -> Rows:
        """The offsets of decisions in the table; see `tiltless.kernels.blueprint.nodes.Rows`."""
        return self.tree.rows(self.about.buckets)

    @property
    def fingerprint(self) -> str:
        """Equal for blueprints whose tables have the same meaning, entry by entry."""
        return self.about.fingerprint

    @cached_property
    def _ends(self) -> list[int]:
        return list(accumulate(map(len, self.parts)))

    def __len__(self) -> int:
        """The number of entries: one for each action of each infoset."""
        return self._ends[-1]

    @cached_property
    def probabilities(self) -> Table:
        """The bytes of all entries, uint8 `[entries]`, read-only; a copy if there are parts."""
        if len(self.parts) == 1:
            return self.parts[0]
        table = np.concatenate(self.parts)
        table.flags.writeable = False
        return table

    def policy(self) -> npt.NDArray[np.float32]:
        """Probabilities for `simulate.playout.play`, float32 `[entries]`, 0 where unvisited.

        Playouts choose uniformly at random there, as `row` and `query` report; the agent plays by
        hand strength instead (`tiltless.blueprint.fallback`), so compiled matches are not its own.
        """
        policy = np.empty(len(self), dtype=np.float32)
        begin = 0
        for part in self.parts:
            np.divide(part, np.float32(WHOLE), out=policy[begin : begin + len(part)])
            begin += len(part)
        return policy

    def _bytes(self, begin: int, end: int) -> Table:
        """A slice of entries, which may span several parts."""
        first = bisect_right(self._ends, begin)
        pieces: list[Table] = []
        while begin < end:
            offset = self._ends[first] - len(self.parts[first])
            pieces.append(self.parts[first][begin - offset : end - offset])
            begin, first = begin + len(pieces[-1]), first + 1
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)

    def _decision(self, node: int) -> tuple[int, int, int]:
        """The first entry of a decision, and its numbers of buckets and actions."""
        record = self.tree.nodes.node
        node = whole_number("node", node, 0, len(record) - 1)
        if record[node, ACTOR] < 0:
            raise OptionError(f"nobody acts at node {node}; choose a decision")
        street = int(record[node, STREET])
        buckets = int(self.rows.buckets[street])
        return (
            int(self.rows.start[street]) + int(record[node, ROW]) * buckets,
            buckets,
            int(record[node, ACTIONS]),
        )

    def row(self, node: int, bucket: int) -> npt.NDArray[np.float64]:
        """The probability of each action of a decision, float64 `[actions]`; uniform if unvisited.

        node: index of a decision in the tree.  bucket: of the hand on the street of the node.
        """
        begin, buckets, actions = self._decision(node)
        begin += actions * whole_number("bucket", bucket, 0, buckets - 1)
        return _probs(self._bytes(begin, begin + actions).reshape(1, -1)).ravel()

    def is_visited(self, node: int, bucket: int) -> bool:
        """Whether training visited this infoset."""
        begin, buckets, actions = self._decision(node)
        begin += actions * whole_number("bucket", bucket, 0, buckets - 1)
        return bool(self._bytes(begin, begin + actions).any())

    def table(self, node: int) -> Table:
        """The bytes of all buckets at a decision, uint8 `[buckets, actions]`."""
        begin, buckets, actions = self._decision(node)
        return self._bytes(begin, begin + buckets * actions).reshape(buckets, actions)

    def hands(self, node: int, board: Cards = ()) -> npt.NDArray[np.float64]:
        """The strategy of every hand at a decision, float64 `[1326, actions]`; zeros if blocked."""
        cards = self._board(node, board)
        probs = np.take(_probs(self.table(node)), self.buckets(cards), axis=0)
        probs[np.isin(COMBO_CARDS, cards).any(axis=1)] = 0
        return probs

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

    def bucket(self, node: int, hole: Cards, board: Cards = ()) -> int:
        """The bucket of a hand at a decision."""
        cards, hand = self._board(node, board), parse_cards(hole)
        combo = combo_index(hand)
        check_disjoint(hand=hand, board=cards)
        return int(self.buckets(cards)[combo])

    def _board(self, node: int, board: Cards) -> tuple[int, ...]:
        """The cards of a board; `CardError` if their number is not that of a decision's street."""
        self._decision(node)
        cards = parse_cards(board)
        street = int(self.tree.nodes.node[node, STREET])
        sizes = self.game.sizes
        dealt = sum(sizes[:street]) + max(0, street - len(sizes))
        more = street == self.tree.repeat_from and len(cards) > dealt
        if len(cards) != dealt and not more:
            name = self.tree.street_name(street)
            raise CardError(
                f"the {name} has {dealt} board cards, but {len(cards)} were given; "
                f"{'give them' if dealt else 'give none'}"
            )
        return cards


def load_blueprint(name: PathName = DEFAULT, *, cards: CardsName | None = None) -> Blueprint:
    """Load a blueprint that ships with the package, by name, or the blueprint of a file.

    ``load_blueprint().query("AsKd", line="r3bb")``; cards: see `Blueprint.load`.
    """
    return Blueprint.load(name, cards=cards)


def _probs(table: Table) -> npt.NDArray[np.float64]:
    """Bytes as probabilities; uniform where a row is all zeros."""
    probs = table / WHOLE
    probs[~table.any(axis=1)] = 1 / table.shape[1]
    return np.asarray(probs)


def _checked_average(average: Any, entries: int) -> npt.NDArray[Any]:
    weights = np.asarray(average)
    if weights.dtype not in (np.float32, np.float64) or weights.shape != (entries,):
        raise ArrayError(
            f"the average has shape {weights.shape} and dtype {weights.dtype}; this tree with "
            f"these buckets needs {entries:,} numbers of float32 or float64 in one row"
        )
    most = weights.dtype.type(min(_MOST_WEIGHT, float(np.finfo(weights.dtype).max)))
    low, high = weights.min(initial=0.0), weights.max(initial=0.0)
    if not (low >= 0 and high <= most):  # False for NaN
        index = int(np.argmin((weights >= 0) & (weights <= most)))
        raise ArrayError(
            f"number {index:,} of the average is {weights[index]}; give weights from 0 to {most:g}"
        )
    return weights


def _blocks(tree: BettingTree, buckets: tuple[int, ...]) -> Blocks:
    """The entries of each decision; nodes that share their rows occur once."""
    rows = tree.rows(buckets)
    acts = tree.nodes.node[tree.nodes.node[:, ACTOR] >= 0].astype(np.int64)
    count = rows.buckets[acts[:, STREET]]
    begin, once = np.unique(rows.start[acts[:, STREET]] + acts[:, ROW] * count, return_index=True)
    return Blocks(begin, np.ascontiguousarray(acts[once, ACTIONS]), count[once])
