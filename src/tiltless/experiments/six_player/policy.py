"""The report's policies as one file: every path that was visited, its visits and regrets.

Nodes are those of `tiltless.kernels.six_player.nodes`, breadth first, so that the children of a
node are neighbours, sorted by token. Files are memory-mapped: opening one costs nothing, and a hand
reads a few pages of it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import COMBO_OF
from tiltless.cards.hand_order import STANDARD, hand_tables
from tiltless.errors import DamagedFileError, OptionError
from tiltless.experiments.six_player.options import ReportOptions
from tiltless.files.arrays import read_arrays, write_arrays
from tiltless.kernels.six_player import nodes as kernel
from tiltless.kernels.six_player.nodes import PolicyNodes, sort_nodes
from tiltless.validate import whole_number

__all__ = [
    "ActionRecord",
    "ReportPolicy",
    "TrainingCounts",
    "action_text",
    "empty_nodes",
    "hand_class",
    "load_policy",
]

KIND = "six-player-policy"
_MOST_NODES = 2**31 - 1
_TYPES = {"first": np.int32, "token": np.int32, "visits": np.int32, "regret": np.float32}


class ActionRecord(NamedTuple):
    """An action at a node: its code (`tiltless.kernels.six_player.nodes`), node, visits, regret."""

    code: int
    node: int
    visits: int
    regret: float


class TrainingCounts(NamedTuple):
    """How far a training has come; state: of the random numbers."""

    games: int = 0
    hands: int = 0
    decisions: int = 0
    seed: int = 0
    state: int = 0


@dataclass(frozen=True, eq=False)
class ReportPolicy:
    """All policies of one training.

    first: int32 ``[n + 1]``, where the children of each node begin.  token, visits: int32 ``[n]``,
    regret: float32 ``[n]``; see `PolicyNodes`.  Node 0 is the root.
    """

    options: ReportOptions
    counts: TrainingCounts
    first: npt.NDArray[np.int32] = field(repr=False)
    token: npt.NDArray[np.int32] = field(repr=False)
    visits: npt.NDArray[np.int32] = field(repr=False)
    regret: npt.NDArray[np.float32] = field(repr=False)

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self.token)

    @property
    def policies(self) -> int:
        """How many of the 546 policies exist."""
        return int(self.first[1] - self.first[0])

    def child(self, node: int, token: int) -> int:
        """The child of a node with this token, or -1."""
        low, high = int(self.first[node]), int(self.first[node + 1])
        at = low + int(np.searchsorted(self.token[low:high], token))
        return at if at < high and self.token[at] == token else -1

    def root(self, cards: tuple[int, ...], small_blind: int) -> int:
        """The policy of a hand, or -1.  small_blind: its relabelled seat, 0 for the owner."""
        return self.child(0, hand_class(cards) * 6 + small_blind)

    def actions(self, node: int, seat: int) -> list[ActionRecord]:
        """What a relabelled seat has done at a node."""
        low, high = int(self.first[node]), int(self.first[node + 1])
        shifted = seat << kernel.SEAT_SHIFT
        begin = low + int(np.searchsorted(self.token[low:high], shifted))
        end = low + int(np.searchsorted(self.token[low:high], shifted + (1 << kernel.SEAT_SHIFT)))
        codes = (self.token[begin:end] - shifted).tolist()
        visits, regrets = self.visits[begin:end].tolist(), self.regret[begin:end].tolist()
        return list(map(ActionRecord, codes, range(begin, end), visits, regrets))

    def nested(self, node: int, depth: int = 24) -> dict[str, Any]:
        """What follows a node as the report prints it: seat, action, [visits, what follows].

        At the owner's states the information comes first, and actions have (visits, regret).
        """
        out: dict[str, Any] = {}
        for at, token in self._children(node) if depth else ():
            seat, code = divmod(token, 1 << kernel.SEAT_SHIFT)
            below = self.nested(at, depth - 1)
            if token >= kernel.INFORMATION:
                out[f"bucket {token - kernel.INFORMATION}"] = below
                continue
            visits = int(self.visits[at])
            told = (visits, float(self.regret[at])) if seat == 0 else visits
            out.setdefault(f"p{seat + 1}", {})[action_text(code)] = [told, below]
        return out

    def _children(self, node: int) -> Iterator[tuple[int, int]]:
        for at in range(int(self.first[node]), int(self.first[node + 1])):
            yield at, int(self.token[at])

    def save(self, path: str | PathLike[str]) -> None:
        """Write a file, atomically and with checksums; `load_policy` reads it."""
        metadata = {"options": self.options.to_json()}
        metadata |= {name: str(value) for name, value in self.counts._asdict().items()}
        arrays = {name: getattr(self, name) for name in _TYPES}
        write_arrays(path, arrays, kind=KIND, metadata=metadata)

    @classmethod
    def of_nodes(
        cls, nodes: PolicyNodes, options: ReportOptions, counts: TrainingCounts
    ) -> "ReportPolicy":
        """The policies of a table of nodes, sorted."""
        used = int(nodes.used[0])
        first, order = np.empty(used + 1, np.int32), np.empty(used, np.int32)
        sort_nodes(nodes, first, order, np.empty(used, np.int32))
        arrays = (first, nodes.token[order], nodes.visits[order], nodes.regret[order])
        return cls(options, counts, *arrays)

    def to_nodes(self, most: int) -> PolicyNodes:
        """A table of ``most`` nodes with these policies, to go on training."""
        nodes, size = empty_nodes(most), self.size
        if size > most:
            raise OptionError(f"{size:,} nodes do not fit into nodes={most:,}; allow more")
        nodes.parent[1:size] = np.repeat(np.arange(size, dtype=np.int32), np.diff(self.first))
        nodes.token[:size], nodes.visits[:size] = self.token, self.visits
        nodes.regret[:size] = self.regret
        nodes.used[0] = size
        kernel.rebuild_slots(nodes)
        return nodes


def empty_nodes(most: int) -> PolicyNodes:
    """A table for ``most`` nodes: 16 bytes each, and 4 for each of its slots, 1.5 to 3 a node."""
    whole_number("nodes", most, 2, _MOST_NODES)
    return PolicyNodes(
        parent=np.zeros(most, np.int32),
        token=np.zeros(most, np.int32),
        visits=np.zeros(most, np.int32),
        regret=np.zeros(most, np.float32),
        slots=np.zeros(1 << (3 * most // 2).bit_length(), np.int32),
        used=np.ones(1, np.int64),
    )


def hand_class(cards: tuple[int, ...]) -> int:
    """One of 91 pairs of ranks, suits ignored."""
    return int(hand_tables(STANDARD).pair_of_combo[COMBO_OF[cards[0], cards[1]]])


def action_text(code: int) -> str:
    """``"CALL"``, ``"RAISE 300"``; a check is a call of nothing, as in PyPokerEngine."""
    names = {kernel.FOLD: "FOLD", kernel.CALL: "CALL", kernel.ALL_IN: "ALL-IN"}
    names[kernel.BIG_BLIND] = "BIGBLIND"
    return names.get(code) or f"RAISE {code - kernel.RAISE}"


def load_policy(path: str | PathLike[str]) -> ReportPolicy:
    """Open a file of `ReportPolicy.save`; what was opened is shared until the file changes."""
    about = Path(path).stat() if Path(path).exists() else None
    return _load(str(path), about.st_mtime_ns if about else 0)


@lru_cache(maxsize=4)
def _load(path: str, _written: int) -> ReportPolicy:
    file = read_arrays(path, kind=KIND)
    _check(path, file.arrays)
    try:
        counts = TrainingCounts(*(int(file.metadata[name]) for name in TrainingCounts._fields))
        options = ReportOptions.from_json(file.metadata["options"])
    except (KeyError, ValueError) as problem:
        raise _damaged(path, f"its card is not readable ({problem})") from None
    return ReportPolicy(options, counts, **{name: file.arrays[name] for name in _TYPES})


def _check(path: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """`DamagedFileError` unless the arrays are a tree, so that no look-up leaves them."""
    if arrays.keys() != _TYPES.keys():
        raise _damaged(path, "it has other arrays")
    if any(arrays[name].ndim != 1 or arrays[name].dtype != kind for name, kind in _TYPES.items()):
        raise _damaged(path, "an array has another type")
    first, size = arrays["first"], len(arrays["token"])
    if (
        not size
        or len(first) != size + 1
        or not all(len(arrays[n]) == size for n in ("visits", "regret"))
    ):
        raise _damaged(path, "its arrays do not fit together")
    steps = np.diff(first)
    if (
        first[0] != 1
        or first[-1] != size
        or steps.min() < 0
        or (first[:-1] <= np.arange(size)).any()
    ):
        raise _damaged(path, "its nodes are not a tree")


def _damaged(path: str, what: str) -> DamagedFileError:
    return DamagedFileError(f"{path} is damaged: {what}; delete it, then train again")
