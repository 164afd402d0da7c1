"""Quality of a card abstraction: bucket sizes, and how similar the hands of a bucket are.

A deal is a board and an unblocked hand; all deals of a street are equally likely. For each street
the report measures the exact E[HS] and E[HS^2] of hands (`Strength`) inside their buckets:

    spread      the standard deviation of E[HS] within a bucket, averaged over deals
    explained   1 - (variance within buckets) / (variance of all deals): 1 is lossless
    effective   exp(-sum p ln p), p the bucket probabilities: the perplexity, which is the number of
                buckets of equal size with the same entropy

All three pool the boards, so buckets that separate kinds of boards count like buckets that separate
hands. A player sees one board. So the same is measured board by board (`OneBoard`): how many
buckets its hands are in, how many effectively, and the spread of E[HS] in a bucket there. What one
strategy for all boards of a bucket costs is measured by `tiltless.bench.tied_boards`.

Boards are drawn with a seed, by their probability, unless there are few enough to take them all.
Equity is not everything: hands with the same E[HS] may play differently, and buckets that separate
those explain less of E[HS] with the same number of buckets. Compare E[HS^2] too.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.abstraction import BOARD_CARDS, STREETS, CardAbstraction
from tiltless.abstraction.cards.features import Strength, live_hands
from tiltless.abstraction.cards.quality_report import (
    Example,
    Floats,
    OneBoard,
    Report,
    StreetReport,
    WideBucket,
)
from tiltless.abstraction.cards.tables import Tables
from tiltless.cards.card import COMBO_COUNT, cards_text, combo_text
from tiltless.cards.hand_order import STANDARD, HandOrder
from tiltless.cards.isomorphism import canonical_boards
from tiltless.errors import OptionError
from tiltless.system import usable_cores
from tiltless.validate import whole_number

__all__ = ["equities", "report"]

Progress = Callable[[str, int, int], None]

_TIMES = (1, 1, 8, 16)  # boards of each street per flop: they are that much faster
_CHUNK = (1, 4, 32, 128)  # boards per task of a thread
_WIDEST = 10
_EXAMPLE_BOARDS = (1, 32, 256, 512)
_NOTHING = 1e-6  # a spread that is only rounding error
_MOST_BUCKETS = 30_000_000  # at 56 bytes of sums each
_PENDING = 4_000_000  # sums waiting to be merged


@lru_cache(maxsize=4)
def _before_the_flop(order: HandOrder) -> Floats:
    strength = Strength(order=order).exact(np.empty(0, np.uint8))
    strength.flags.writeable = False
    return strength


def equities(board: npt.NDArray[np.uint8], order: HandOrder = STANDARD) -> Floats:
    """E[HS] and E[HS^2] of each hand, ``[1326, 2]``; cached for starting hands."""
    return Strength(order=order).exact(board) if len(board) else _before_the_flop(order)


def report(
    abstraction: CardAbstraction,
    *,
    boards: int | None = 200,
    seed: int = 0,
    tables: Tables | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> Report:
    """Measure the quality of an abstraction.

    boards: flops to draw, with 8 times as many boards of four cards and 16 times of five. None, or
    more than exist: every canonical board, weighted by the boards that it represents.
    tables: those of the abstraction, if built; faster, with the same result.
    In River of Blood, equities are those of the current board, any card may be its newest, and
    streets past the river are omitted.
    progress: called with the name of the street, boards done and total boards.
    The result depends on the seed, not on the number of threads.
    """
    if boards is not None:
        whole_number("boards", boards, 1, 10**9)
    whole_number("seed", seed, 0, 2**63)
    if tables is not None and tables.abstraction.fingerprint != abstraction.fingerprint:
        raise OptionError(
            f"the tables are those of {tables.abstraction.name}, not of {abstraction.name}; "
            "open the right ones"
        )
    workers = threads or usable_cores()
    streets = []
    for street in range(len(STREETS)):
        some = _Boards.draw(abstraction, street, boards, seed)
        eye = _Eye(abstraction, street, tables, abstraction.order)
        streets.append(_look(eye, some, workers, progress))
    return Report(abstraction, seed, tuple(streets))


class _Boards(NamedTuple):
    """The boards to examine, uint8 ``[n, cards]``, their weights, and the number of all boards."""

    cards: npt.NDArray[np.uint8]
    weights: Floats
    of: int

    @classmethod
    def draw(
        cls, abstraction: CardAbstraction, street: int, boards: int | None, seed: int
    ) -> "_Boards":
        if not BOARD_CARDS[street]:
            return cls(np.empty((1, 0), np.uint8), np.ones(1), 1)
        every, weights = canonical_boards(BOARD_CARDS[street], abstraction.suits)
        if abstraction.streets[street].newest_counts:
            every = np.random.default_rng(seed).permuted(every, axis=1)
        count = len(every) if boards is None else boards * _TIMES[street]
        if count >= len(every):
            return cls(every, weights.astype(np.float64), len(every))
        draws = np.random.default_rng([seed, street]).multinomial(count, weights / weights.sum())
        drawn = np.flatnonzero(draws)
        return cls(every[drawn], draws[drawn].astype(np.float64), len(every))


class _Eye(NamedTuple):
    """Buckets and equities of the boards of one street."""

    abstraction: CardAbstraction
    street: int
    tables: Tables | None
    order: HandOrder

    def hands(
        self, board: npt.NDArray[np.uint8]
    ) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int64], Floats]:
        """The hands of a board, their buckets, and their E[HS] and E[HS^2]."""
        live = np.flatnonzero(live_hands(board))
        if self.tables is not None:
            every = self.tables.buckets(board.tolist())
        else:
            every = self.abstraction.streets[self.street].buckets(board)
        return live, every[live].astype(np.int64), equities(board, self.order)[live]


class _Sums(NamedTuple):
    """Weighted sums of each bucket that occurred.

    of: float64 ``[buckets, 5]``: mass, then x and x^2 for E[HS] - 1/2 and for E[HS^2] - 1/3, which
    keeps differences of squares precise.  seen: a board on which the bucket occurred.
    """

    bucket: npt.NDArray[np.int64]
    of: Floats
    seen: npt.NDArray[np.int64]

    @classmethod
    def merged(
        cls, bucket: npt.NDArray[np.int64], of: Floats, seen: npt.NDArray[np.int64]
    ) -> "_Sums":
        met, first, row = np.unique(bucket, return_index=True, return_inverse=True)
        sums = [np.bincount(row, column, len(met)) for column in of.T]
        return cls(met, np.stack(sums, axis=1), seen[first])

    @classmethod
    def joined(cls, parts: Sequence["_Sums"]) -> "_Sums":
        return cls.merged(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _look(eye: _Eye, some: _Boards, workers: int, progress: Progress | None) -> StreetReport:
    bucketing, name = eye.abstraction.streets[eye.street], STREETS[eye.street]
    least = len(some.cards) * COMBO_COUNT // 2
    if min(bucketing.count, least) > _MOST_BUCKETS:
        raise OptionError(
            f"{bucketing.count:,} buckets on the {name} are too many to examine all boards; draw "
            "some, such as boards=200"
        )
    eye.hands(some.cards[0])  # fills caches before threads need them

    def work(low: int) -> tuple[_Sums, int, Floats]:
        return _sums(eye, some, low, min(low + _CHUNK[eye.street], len(some.cards)))

    parts: list[_Sums] = []
    on_boards: list[Floats] = []
    hands = done = pending = 0
    with ThreadPoolExecutor(workers) as pool:
        try:
            steps = range(0, len(some.cards), _CHUNK[eye.street])
            for sums, count, on_board in pool.map(work, steps):
                parts.append(sums)
                on_boards.append(on_board)
                hands += count
                pending += len(sums.bucket)
                if pending > _PENDING:
                    parts, pending = [_Sums.joined(parts)], 0
                done = min(done + _CHUNK[eye.street], len(some.cards))
                if progress:
                    progress(name, done, len(some.cards))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    met = _Sums.joined(parts)
    mass = met.of[:, 0]
    share = mass / mass.sum()
    mean, spread, total, explained = _parted(mass, met.of[:, 1], met.of[:, 2])
    widest = np.argsort(-spread, kind="stable")[:_WIDEST]
    widest = widest[spread[widest] > _NOTHING]
    by_bucket = _examples(eye, some, met.bucket[widest], met.seen[widest])
    return StreetReport(
        street=eye.street,
        text=bucketing.text,
        count=bucketing.count,
        boards=len(some.cards),
        of_boards=some.of,
        hands=hands,
        bucket=met.bucket,
        share=share,
        equity=mean + 0.5,
        spread=spread,
        total=total,
        explained=explained,
        explained_squared=_parted(mass, met.of[:, 3], met.of[:, 4])[3],
        widest=tuple(
            WideBucket(
                int(met.bucket[at]),
                float(share[at]),
                float(mean[at] + 0.5),
                float(spread[at]),
                examples,
            )
            for at, examples in zip(widest, by_bucket, strict=True)
        ),
        one_board=OneBoard(
            *np.average(np.concatenate(on_boards), axis=0, weights=some.weights).tolist()
        ),
    )


def _on_board(bucket: npt.NDArray[np.int64], equity: Floats) -> tuple[float, float, float]:
    """`OneBoard` of one board, from the bucket and E[HS] of its hands."""
    _, row, count = np.unique(bucket, return_inverse=True, return_counts=True)
    share = count / len(bucket)
    centred = equity - (np.bincount(row, equity) / count)[row]
    spread = np.sqrt(np.bincount(row, centred * centred) / count)
    effective = np.exp(-(share * np.log(share)).sum())
    return float(len(count)), float(effective), float((share * spread).sum())


def _sums(eye: _Eye, some: _Boards, low: int, high: int) -> tuple[_Sums, int, Floats]:
    """The sums of some boards, how many hands they have, and `OneBoard` of each."""
    seen = [eye.hands(some.cards[board]) for board in range(low, high)]
    sizes = [len(bucket) for _, bucket, _ in seen]
    mass = np.repeat(some.weights[low:high], sizes)
    values = np.concatenate([values for _, _, values in seen]) - (1 / 2, 1 / 3)
    parts = [mass]
    for x in values.T:
        parts += [mass * x, mass * x * x]
    bucket = np.concatenate([bucket for _, bucket, _ in seen])
    boards = np.repeat(np.arange(low, high), sizes)
    on_board = np.array([_on_board(bucket, values[:, 0]) for _, bucket, values in seen])
    return _Sums.merged(bucket, np.stack(parts, axis=1), boards), len(mass), on_board


def _parted(mass: Floats, x: Floats, xx: Floats) -> tuple[Floats, Floats, float, float]:
    """Mean and standard deviation of each bucket, that of all, and the fraction explained."""
    mean = x / mass
    inside = np.maximum(xx / mass - mean * mean, 0.0)
    middle = x.sum() / mass.sum()
    total = xx.sum() / mass.sum() - middle * middle
    within = (mass * inside).sum() / mass.sum()
    explained = float(min(max(1 - within / total, 0.0), 1.0)) if total > 0 else 1.0
    return mean, np.sqrt(inside), float(np.sqrt(max(total, 0.0))), explained


def _examples(
    eye: _Eye, some: _Boards, wanted: npt.NDArray[np.int64], seen: npt.NDArray[np.int64]
) -> list[tuple[Example, ...]]:
    """The weakest, a middle and the strongest hand of each bucket, from a few boards."""
    by_bucket: list[list[Example]] = [[] for _ in wanted]
    if not len(wanted):
        return []
    most = min(_EXAMPLE_BOARDS[eye.street], len(some.cards))
    few = np.linspace(0, len(some.cards) - 1, most).astype(int)
    for number in sorted({*few.tolist(), *seen.tolist()}):
        board = some.cards[number]
        text = cards_text(sorted(board.tolist(), reverse=True))
        live, buckets, values = eye.hands(board)
        for examples, bucket in zip(by_bucket, wanted, strict=True):
            for at in np.flatnonzero(buckets == bucket):
                hand = combo_text(int(live[at]))
                examples.append(Example(hand, text, float(values[at, 0])))
    chosen = []
    for examples in by_bucket:
        examples.sort(key=lambda example: example.equity)
        indices = sorted({0, len(examples) // 2, len(examples) - 1})
        chosen.append(tuple(examples[index] for index in indices))
    return chosen
