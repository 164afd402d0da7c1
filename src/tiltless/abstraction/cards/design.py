"""Design of card abstractions: sample hands, compute features, find centroids.

This is done once for each abstraction. The result is a file of a few kilobytes, which is all that
is needed afterwards (`tiltless.abstraction.cards.design_file`).
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.abstraction import BOARD_CARDS, STREETS, street_name
from tiltless.abstraction.cards.board_aware import RANGE_CLUSTERS, board_features
from tiltless.abstraction.cards.bucketing import Bucketing, Clustered, neighbours
from tiltless.abstraction.cards.clustering import k_means
from tiltless.abstraction.cards.design_file import Design, bucketing_of, common_to, feature_of
from tiltless.abstraction.cards.features import HandFeature, Histogram, live_hands
from tiltless.abstraction.cards.grammar import parse_streets
from tiltless.abstraction.cards.next_card import NextCardHistogram
from tiltless.abstraction.cards.potential import Potential, places_of
from tiltless.abstraction.cards.river_run import RunHistogram, deal_boards, growing_boards
from tiltless.cards.card import CLASS_OF_COMBO, COMBO_COUNT
from tiltless.cards.hand_order import STANDARD, HandOrder
from tiltless.cards.isomorphism import canonical_boards
from tiltless.errors import OptionError
from tiltless.kernels.cards.assign import L2, assign
from tiltless.system import usable_cores
from tiltless.validate import whole_number

__all__ = ["Designer", "design", "opponent_clusters"]

Progress = Callable[[str, int, int], None]
_BYTES_LIMIT = 4 << 30
_HANDS = 16  # hands drawn per board
_FINE = 1 << 12  # units of a weight
_RUN_HANDS = 64  # the same for River of Blood, whose boards take longer
_NO_BOARD = np.empty(0, np.uint8)
_NO_BOARDS = np.empty(0, np.int64)


@dataclass(frozen=True)
class Designer:
    """The effort of a design.

    points: hands to draw on each street, 16 on each board, boards drawn by their probability; None:
    every hand of every canonical board, weighted by the number of boards that it represents.
    rounds: of Lloyd's algorithm.  tries: restarts, of which the best is kept.
    """

    points: int | None = 500_000
    rounds: int = 50
    tries: int = 3
    seed: int = 0
    threads: int = 0

    def __post_init__(self) -> None:
        if self.points is not None:
            whole_number("points", self.points, 1, 10**9)
        whole_number("rounds", self.rounds, 1, 10_000)
        whole_number("tries", self.tries, 1, 1_000)
        whole_number("seed", self.seed, 0, 2**63)

    @property
    def workers(self) -> int:
        """Threads that compute features."""
        return self.threads or usable_cores()

    @property
    def text(self) -> str:
        """A description for the design file."""
        points = "every hand" if self.points is None else f"{self.points} hands a street"
        return f"{points}, {self.rounds} rounds, best of {self.tries}, seed {self.seed}"

    def sample(self, feature: HandFeature, street: int) -> "Sample":
        """The hands of a street that its clusters are made from."""
        if isinstance(feature, RunHistogram | NextCardHistogram):
            points = self._sample_of_deals(feature, street)
            return Sample(points, np.ones(len(points), np.uint32))
        if street == 0:
            size = np.bincount(CLASS_OF_COMBO)
            first = np.unique(CLASS_OF_COMBO, return_index=True)[1]
            return Sample(feature.whole(_NO_BOARD)[first], size.astype(np.uint32))
        boards, weights = canonical_boards(BOARD_CARDS[street])
        hands = len(boards) * COMBO_COUNT if self.points is None else self.points
        if (needed := hands * feature.dims * 4) > _BYTES_LIMIT:
            raise OptionError(
                f"{hands:,} hands of the {STREETS[street]} need {needed / 1e9:.0f} GB; "
                "draw fewer points"
            )
        rng = np.random.default_rng([self.seed, street])
        if self.points is None:
            draws = np.ones(len(boards), np.int64)
        else:
            draws = rng.multinomial(-(-self.points // _HANDS), weights / weights.sum())
        seeds = rng.integers(0, 2**32, len(boards))

        def one(board: int) -> npt.NDArray[np.int16]:
            hands = np.flatnonzero(live_hands(boards[board]))
            if self.points is not None:
                few = min(_HANDS * int(draws[board]), len(hands))
                hands = np.random.default_rng(seeds[board]).choice(hands, few, replace=False)
            return feature.whole(boards[board])[hands]

        with ThreadPoolExecutor(self.workers) as pool:
            drawn = np.flatnonzero(draws)
            parts = list(pool.map(one, drawn))
        sizes = np.array([*map(len, parts)])
        each: npt.NDArray[Any] = weights[drawn]
        if self.points is not None:
            wanted = _HANDS * draws[drawn]
            exact = np.array_equal(wanted, sizes)  # else some boards have too few hands
            each = np.ones_like(sizes) if exact else _FINE * wanted // sizes
        return Sample(
            np.concatenate(parts),
            np.repeat(each, sizes).astype(np.uint32),
            np.repeat(drawn, sizes),
        )

    def _sample_of_deals(
        self, feature: RunHistogram | NextCardHistogram, street: int
    ) -> npt.NDArray[np.int16]:
        """Points of a street of River of Blood: 64 hands of each board that is dealt.

        Of the next card, only boards that grow, and the last street has boards of all sizes.
        """
        if street == 0:
            return feature.whole(_NO_BOARD)
        if self.points is None:
            raise OptionError("River of Blood has too many boards to take them all; draw points")
        rng = np.random.default_rng([self.seed, street])
        if isinstance(feature, NextCardHistogram):
            boards = growing_boards(street + 2, -(-self.points // _RUN_HANDS), rng)
        else:
            boards = list(deal_boards(street + 2, -(-self.points // _RUN_HANDS), rng))
        seeds = rng.integers(0, 2**32, len(boards))

        def one(board: int) -> npt.NDArray[np.int16]:
            hands = np.flatnonzero(live_hands(boards[board]))
            hands = np.random.default_rng(seeds[board]).choice(hands, _RUN_HANDS, replace=False)
            return feature.whole(boards[board])[hands]

        with ThreadPoolExecutor(self.workers) as pool:
            return np.concatenate([*pool.map(one, range(len(boards)))])

    def centroids(
        self, feature: HandFeature, street: int, count: int, metric: str
    ) -> npt.NDArray[np.int16]:
        """Cluster a street, weak hands first."""
        points, weights, _ = self.sample(feature, street)
        centroids = self._k_means(points, weights, count, metric)
        return centroids[_weak_first(feature, centroids)]

    def _k_means(
        self, points: npt.NDArray[np.int16], weights: npt.NDArray[Any], count: int, metric: str
    ) -> npt.NDArray[np.int16]:
        effort = {"rounds": self.rounds, "tries": self.tries, "threads": self.workers}
        return k_means(points, weights, count, metric, self.seed, **effort)

    def board_labels(
        self, street: int, count: int, clusters: npt.NDArray[np.uint8], order: HandOrder
    ) -> npt.NDArray[np.uint8]:
        """The cluster of each canonical board, uint8 ``[boards]``, ordered by their centroids.

        clusters: of starting hands; see `board_features`. Boards count as often as they are dealt.
        """
        boards, weights = canonical_boards(BOARD_CARDS[street])
        points = board_features(boards, clusters, self.workers, order)
        centroids = self._k_means(points, weights, count, "l2")
        centroids = centroids[np.lexsort(centroids.T[::-1])]
        flat, live = points.reshape(-1), np.ones(len(points), np.uint8)
        label, apart = np.empty(len(points), np.uint16), np.empty(len(points), np.int32)
        assign(flat, live, centroids.reshape(-1), *neighbours(centroids, L2), L2, label, apart)
        return label.astype(np.uint8)

    def centroids_by_board(
        self,
        feature: HandFeature,
        street: int,
        count: int,
        metric: str,
        label: npt.NDArray[np.uint8],
    ) -> npt.NDArray[np.int16]:
        """Centroids of the hands of each cluster of boards, int16 ``[clusters, count, dims]``."""
        points, weights, board = self.sample(feature, street)
        cluster = label[board]
        found = []
        for each in range(int(label.max()) + 1):
            inside = cluster == each
            centroids = self._k_means(points[inside], weights[inside], count, metric)
            found.append(centroids[_weak_first(feature, centroids)])
        return np.stack(found)


class Sample(NamedTuple):
    """Hands for clustering: points, int16 ``[n, dims]``, and weights, uint32 ``[n]``.

    board: int64 ``[n]``, the canonical board of each; empty before the flop and in River of Blood.
    """

    points: npt.NDArray[np.int16]
    weights: npt.NDArray[np.uint32]
    board: npt.NDArray[np.int64] = _NO_BOARDS


def _weak_first(feature: HandFeature, centroids: npt.NDArray[np.int16]) -> npt.NDArray[np.int64]:
    """The order of centroids: by mean equity, or by the closest proxy in the feature."""
    wide = centroids.astype(np.int64)
    if isinstance(feature, Histogram | RunHistogram | NextCardHistogram):
        strength = -wide.sum(axis=1)
    elif isinstance(feature, Potential):
        strength = wide[:, 0]
    else:
        strength = wide.sum(axis=1)
    return np.lexsort((*wide.T[::-1], strength))


def opponent_clusters(
    count: int = 8, designer: Designer | None = None, order: HandOrder = STANDARD
) -> npt.NDArray[np.uint8]:
    """Clusters of the 169 starting hands by their equity histograms, uint8 ``[169]``; weak first.

    Distances are L2 on cumulative 50-bin histograms over all boards; a class is weighted by its
    number of combos.
    Paper: Johanson et al. (2013), section 4, who cluster under the earth mover's distance.
    """
    designer = designer or Designer()
    feature = Histogram(order=order)
    points, weights, _ = designer.sample(feature, 0)
    effort = {"rounds": 100, "tries": 20, "threads": designer.workers}
    centroids = k_means(points, weights, count, "l2", designer.seed, **effort)
    clusters = Clustered(feature, centroids[_weak_first(feature, centroids)]).buckets(_NO_BOARD)
    first = np.unique(CLASS_OF_COMBO, return_index=True)[1]
    return clusters[first].astype(np.uint8)


def design(
    text: str,
    *,
    name: str = "custom",
    designer: Designer | None = None,
    order: str = "standard",
    progress: Progress | None = None,
) -> Design:
    """Design a card abstraction from a text such as ``"lossless, histogram 200, …, ochs 200"``.

    Streets are designed from the river backwards, since a potential-aware street uses the next one.
    order: the order of hands; "no-straights" for Permutation Hold'em while the order of the ranks
    is not known.
    progress: called with the current step, the number of finished steps and that of all steps.
    """
    streets = parse_streets(text)
    common = common_to(streets, order)
    designer = designer or Designer()
    notify = progress or (lambda _what, _done, _all: None)
    sizes = sorted({street.size for street in streets if street.kind == "ochs"})
    steps = len(sizes) + sum(bool(street.metric or street.boards) for street in streets)
    arrays: dict[str, npt.NDArray[Any]] = {}
    for done, size in enumerate(sizes):
        notify(f"{size} opponent clusters", done, steps)
        arrays[f"opponents{size}"] = opponent_clusters(size, designer, common.order)
    ranges = arrays.get(f"opponents{RANGE_CLUSTERS}")
    if ranges is None and any(street.boards for street in streets):
        ranges = opponent_clusters(RANGE_CLUSTERS, designer, common.order)
    following: Bucketing | None = None
    done = len(sizes)
    for street in reversed(range(len(streets))):
        here = streets[street]
        if here.metric or here.boards:
            notify(f"{street_name(street)}: {here}", done, steps)
            done += 1
        if here.boards:
            assert ranges is not None
            label = designer.board_labels(street, here.boards, ranges, common.order)
            arrays[f"{STREETS[street]}_boards"] = label
            if here.metric and not here.black:
                feature = feature_of(here, street, arrays, None, common)
                arrays[STREETS[street]] = designer.centroids_by_board(
                    feature, street, here.count, here.metric, label
                )
        if here.metric and (here.black or not here.boards):
            if here.kind == "potential":
                assert isinstance(following, Clustered)
                arrays[f"{STREETS[street]}_places"] = places_of(following)
            feature = feature_of(here, street, arrays, following, common)
            centroids = designer.centroids(feature, street, here.count, here.metric)
            if street:
                arrays[street_name(street)] = centroids
            else:
                arrays["preflop"] = Clustered(feature, centroids, here.metric).buckets(_NO_BOARD)
        following = bucketing_of(here, street, arrays, following, common)
    notify("done", steps, steps)
    return Design(name, ", ".join(map(str, streets)), arrays, designer.text, order)
