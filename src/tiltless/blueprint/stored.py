"""Stored strategies: a table of one byte an action in memory, with its description and its files.

A probability is a byte / 255, and the bytes of an infoset sum to exactly 255. An infoset that
training never visited is all zeros. What the rows mean is for subclasses: `Blueprint` has a betting
tree of two players, `MultiwayBlueprint` a betting graph of several.
"""

import os
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.abstraction import CardAbstraction
from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.abstraction.cards.tables import Tables
from tiltless.blueprint.files import file as blueprint_file
from tiltless.blueprint.files.compact import rounded
from tiltless.blueprint.files.file import LARGEST_FILE, About, PathName, Table
from tiltless.blueprint.files.model_card import CardResult, card_texts
from tiltless.cards.card import COMBO_CARDS, Cards, check_disjoint, combo_index, parse_cards
from tiltless.errors import (
    ArrayError,
    CardError,
    DamagedFileError,
    FingerprintError,
    InputError,
    OptionError,
)
from tiltless.games.holdem.game import Holdem
from tiltless.games.registry import load as load_game
from tiltless.kernels.blueprint.quantise import WHOLE, Blocks, check_bytes, quantise
from tiltless.validate import brief, whole_number

__all__ = ["BlueprintTable", "CardsName", "quantised"]

CardsName = str | os.PathLike[str] | CardAbstraction

_MOST_WEIGHT = 1e300  # so that sums stay finite


@dataclass(frozen=True, eq=False)
class BlueprintTable(ABC):
    """A trained strategy.

    about: game, betting and cards it was trained for, and its model card.
    parts: the table, divided as in its files; read-only.
    given_cards: the card abstraction or its file, if it cannot be found by name.
    """

    about: About
    parts: tuple[Table, ...] = field(repr=False)
    given_cards: CardsName | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        about = self.about
        words = (f"{name}={value}" for name, value in about.parameters.items())
        kind, size = type(self).__name__, f"{about.infosets:,} information sets"
        return f"<{kind} of {' '.join([about.game, *words])}: cards {about.cards}, {size}>"

    @property
    @abstractmethod
    def blocks(self) -> Blocks:
        """The entries of each decision, of the betting that was built again and compared."""

    @abstractmethod
    def bucket_counts(self, cards: CardAbstraction) -> tuple[int, ...]:
        """The number of buckets that cards give each street of the betting."""

    @abstractmethod
    def _decision(self, node: int) -> tuple[int, int, int]:
        """The first entry of a decision, and its numbers of buckets and actions."""

    @abstractmethod
    def _board(self, node: int, board: Cards) -> tuple[int, ...]:
        """The cards of a board; `CardError` if their number is not that of a decision's street."""

    @abstractmethod
    def buckets(
        self, board: Cards = (), tables: Tables | None = None
    ) -> npt.NDArray[np.integer[Any]]:
        """The bucket of every hand on a board, `[1326]`; tables: of its cards, quicker."""

    def _check_betting(self, kind: str, print_: str, entries: int) -> None:
        """Compare the betting that was built again with that of training.

        kind: tree or graph.  print_: its fingerprint.  entries: of a table for it.
        """
        if print_ != self.about.tree:
            raise FingerprintError(
                f"the {kind} of {brief(self.about.menu)} differs from the one of training; use the "
                "tiltless that made the blueprint, or train again"
            )
        if entries != len(self):
            raise DamagedFileError(
                f"the blueprint has {len(self):,} entries and its {kind} {entries:,}; make it again"
            )

    @staticmethod
    def _acting(node: int, actors: npt.NDArray[Any]) -> int:
        """``node`` if somebody acts there; otherwise `OptionError`.  actors: of all nodes."""
        node = whole_number("node", node, 0, len(actors) - 1)
        if actors[node] < 0:
            raise OptionError(f"nobody acts at node {node}; choose a decision")
        return node

    @staticmethod
    def _check_dealt(cards: Sequence[int], street: str, dealt: int) -> None:
        if len(cards) != dealt:
            raise CardError(
                f"the {street} has {dealt} board cards, but {len(cards)} were given; "
                f"{'give them' if dealt else 'give none'}"
            )

    def with_card(self, changes: Mapping[str, object]) -> Self:
        """A copy with some entries of its model card changed; None removes an entry.

        ``Blueprint.load(path).with_card({"results": results}).save(path)`` adds to a file.
        """
        kept = {**self.about.card, **changes}
        card = card_texts({name: value for name, value in kept.items() if value is not None})
        return replace(self, about=replace(self.about, card=card))

    @property
    def results(self) -> tuple[CardResult, ...]:
        """The match results on its model card."""
        return self.about.results

    def compact(self) -> Self:
        """A copy with probabilities in multiples of 1 / 15, whose file is about five times smaller.

        See `tiltless.blueprint.files.compact`. Probabilities below 1 / 30 mostly become 0.
        """
        table = rounded(self.probabilities, self.blocks)
        table.flags.writeable = False
        return replace(self, parts=(table,))

    def save(self, path: PathName, parts_of: int | None = LARGEST_FILE) -> None:
        """Write it atomically: one file, or an index and parts of at most ``parts_of`` bytes each.

        None: one file of any size. A `compact` one is compressed, about 0.26 bytes an entry.
        """
        blueprint_file.write(path, self.about, self.parts, parts_of)

    def verify(self) -> None:
        """Check that game, tree and cards are those of training, every row, and the model card."""
        blocks, _, _ = self.blocks, self.abstraction, self.results
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
        if self.bucket_counts(cards) != about.buckets:
            raise DamagedFileError(
                f"the blueprint has {about.buckets} buckets and {cards.name} {cards.counts}; "
                "make it again"
            )
        return cards

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

    def bucket(self, node: int, hole: Cards, board: Cards = ()) -> int:
        """The bucket of a hand at a decision."""
        cards, hand = self._board(node, board), parse_cards(hole)
        combo = combo_index(hand)
        check_disjoint(hand=hand, board=cards)
        return int(self.buckets(cards)[combo])


def quantised(average: Any, entries: int, blocks: Blocks) -> tuple[Table, int]:
    """An average strategy rounded to bytes, and how many infosets training visited.

    average: float32 or float64 `[entries]`, weights that need not sum to 1.
    """
    weights = _checked_average(average, entries)
    table: Table = np.zeros(len(weights), dtype=np.uint8)
    rest = np.empty(int(blocks.width.max(initial=1)))
    visited = quantise(weights, blocks, rest, table)
    table.flags.writeable = False
    return table, int(visited)


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
