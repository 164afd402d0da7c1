"""Training of the report's agent: six copies, phases of 30,000 games, V1 and V2.

One thread plays and learns hand by hand, so a seed determines every byte of a policy. A table of
nodes that is full stops the training with a message; it never forgets or answers with zeros.
"""

import time
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from threading import Event

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.abstraction import BOARD_CARDS
from tiltless.abstraction.cards.fill import BoardTable
from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.abstraction.cards.tables import open_tables
from tiltless.cards.card import COMBO_COUNT
from tiltless.cards.hand_order import STANDARD, hand_tables
from tiltless.cards.isomorphism import isomorphism
from tiltless.errors import FileError, FingerprintError, OptionError
from tiltless.experiments.six_player.options import ReportOptions
from tiltless.experiments.six_player.policy import (
    ReportPolicy,
    TrainingCounts,
    empty_nodes,
    load_policy,
)
from tiltless.interrupts import deferred_signals
from tiltless.kernels.base.rng import seed_words
from tiltless.kernels.six_player.self_play import ReportBuckets, play_games
from tiltless.validate import whole_number

__all__ = [
    "ABSTRACTION",
    "NODES",
    "PHASE",
    "SHARES",
    "VERSIONS",
    "SelfPlay",
    "blank_buckets",
    "buckets_from",
    "report_buckets",
    "train_versions",
]

ABSTRACTION = "six-player"
"""The card abstraction: 91 pairs of ranks, then 190 steps of expected hand strength."""
PHASE = 30_000
"""Games of a phase."""
VERSIONS = {"V1": 300_000, "V2": 500_000}
"""Games of self-play after which the report keeps a version."""
NODES = 16_000_000
"""Nodes of the table; 500,000 games need six million."""
SHARES = ((1, 2, 3, 4, 5, 6, 7, 8), (3, 4, 5, 6, 7, 8), (2, 4, 6, 8), (2, 4, 6, 8))
"""Raise sizes of each street in quarters of the pot; all-in besides."""
_BLOCK = 1_000  # games between two calls of progress
_KEEP_SECONDS = 60.0

Steps = npt.NDArray[np.uint8]
Progress = Callable[[TrainingCounts, int], None]
"""Called with what has been played and how many nodes there are."""


@lru_cache(maxsize=4)
def report_buckets(options: ReportOptions) -> ReportBuckets:
    """What the kernels need of cards and raise sizes; the tables must have been built."""
    groups = open_tables(card_abstraction(ABSTRACTION), verify=False).groups[1:]
    return buckets_from([group.table for group in groups if isinstance(group, BoardTable)], options)


def buckets_from(tables: Sequence[Steps], options: ReportOptions) -> ReportBuckets:
    """The same from other tables.

    tables: for flop, turn and river the step of each hand on each canonical board, uint8
    ``[boards, 1326]``, read-only.
    """
    shares = np.zeros((len(SHARES), max(map(len, SHARES))), np.int64)
    for street, sizes in enumerate(SHARES):
        shares[street, : len(sizes)] = sizes
    boards = (isomorphism((cards,), "all").tables for cards in BOARD_CARDS[1:])
    return ReportBuckets(shares, options.steps, *tables, *boards)


def blank_buckets(options: ReportOptions) -> ReportBuckets:
    """Without tables, every hand in the lowest bucket: to compile, and for tests."""
    sizes = (isomorphism((cards,), "all").size for cards in BOARD_CARDS[1:])
    tables = [np.zeros((size, COMBO_COUNT), np.uint8) for size in sizes]
    for table in tables:
        table.flags.writeable = False  # as one from a file is
    return buckets_from(tables, options)


class SelfPlay:
    """A training: its table of nodes, and what has been played.

    policy: continue after this one.  nodes: the size of the table.  buckets: instead of
    `report_buckets`.
    """

    def __init__(
        self,
        options: ReportOptions | None = None,
        *,
        seed: int = 0,
        nodes: int = NODES,
        policy: ReportPolicy | None = None,
        buckets: ReportBuckets | None = None,
    ) -> None:
        self.options = options or ReportOptions()
        if policy is None:
            state = int(seed_words(whole_number("seed", seed, 0), 1)[0, 0])
            self.counts = TrainingCounts(seed=seed, state=state)
            self.nodes = empty_nodes(nodes)
        else:
            self.options, self.counts = policy.options, policy.counts
            self.nodes = policy.to_nodes(nodes)
        self._buckets = buckets or report_buckets(self.options)

    def run(
        self,
        games: int,
        progress: Progress | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Play until ``games`` games have been played in all, or ``stop`` says so after a block."""
        while self.counts.games < games:
            self._play(min(_BLOCK, games - self.counts.games))
            if progress:
                progress(self.counts, int(self.nodes.used[0]))
            if stop():
                return

    def _play(self, games: int) -> None:
        state, counts = np.array([self.counts.state], np.uint64), np.zeros(2, np.int64)
        done = play_games(
            state,
            self.counts.games,
            games,
            self.options.rules,
            self._buckets,
            hand_tables(STANDARD),
            self.nodes,
            counts,
            np.zeros((0, 6), np.int64),
        )
        if done < games:
            raise OptionError(
                f"nodes={len(self.nodes.parent):,} are full after {self.counts.games + done:,} "
                "games; allow more, or play fewer games"
            )
        self.counts = TrainingCounts(
            self.counts.games + games,
            self.counts.hands + int(counts[0]),
            self.counts.decisions + int(counts[1]),
            self.counts.seed,
            int(state[0]),
        )

    @property
    def policy(self) -> ReportPolicy:
        """The policies as they are now."""
        return ReportPolicy.of_nodes(self.nodes, self.options, self.counts)


def train_versions(
    folder: Path,
    options: ReportOptions,
    versions: dict[str, int],
    *,
    seed: int = 0,
    nodes: int = NODES,
    progress: Progress | None = None,
) -> dict[str, Path]:
    """Train every version whose file is not in the folder; the files.

    versions: games of each, ascending. A file of another seed, other options or other games is an
    error. Ctrl-C keeps what was learned, as does a minute of training; the next call goes on.
    """
    files = {name: folder / f"{name}.safetensors" for name in versions}
    kept, last, play = folder / "unfinished.safetensors", None, None
    for name, games in versions.items():
        if files[name].exists():
            last, play = _fitting(files[name], options, games, seed), None
            continue
        if play is None:
            policy = _unfinished(kept, options, seed, last.counts.games if last else 0, games)
            play = SelfPlay(options, seed=seed, nodes=nodes, policy=policy or last)
        _train(play, games, kept, progress)
        play.policy.save(files[name])
    kept.unlink(missing_ok=True)
    return files


def _train(play: SelfPlay, games: int, kept: Path, progress: Progress | None) -> None:
    """Play to a number of games; `KeyboardInterrupt` between two blocks, once all is kept."""
    with deferred_signals() as asked:
        while play.counts.games < games:
            until = time.monotonic() + _KEEP_SECONDS
            play.run(games, progress, partial(_is_time, asked, until))
            if play.counts.games < games:
                play.policy.save(kept)
            if asked.is_set():
                raise KeyboardInterrupt


def _is_time(asked: Event, until: float) -> bool:
    return asked.is_set() or time.monotonic() > until


def _unfinished(
    path: Path, options: ReportOptions, seed: int, after: int, games: int
) -> ReportPolicy | None:
    """What a training that was stopped has kept, if it is the one that is wanted."""
    try:
        policy = load_policy(path)
    except FileError:
        return None
    same = (policy.options, policy.counts.seed) == (options, seed)
    return policy if same and after < policy.counts.games <= games else None


def _fitting(path: Path, options: ReportOptions, games: int, seed: int) -> ReportPolicy:
    """A policy that exists, if it is the one that is wanted."""
    policy = load_policy(path)
    if (policy.options, policy.counts.games, policy.counts.seed) != (options, games, seed):
        raise FingerprintError(
            f"{path} has {policy.counts.games:,} games, seed {policy.counts.seed}, options "
            f"{policy.options.text or 'as usual'}, not those that are wanted; delete it or choose "
            "another --out"
        )
    return policy
