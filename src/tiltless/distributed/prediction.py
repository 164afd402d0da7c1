"""Prediction of training on 1 to 64 machines, from what was measured on one.

A small simulation of rounds (`tiltless.blueprint.training.rounds`) with one copy on each machine:
the driver sends the regrets to one machine after the other, each copy learns for about the same
time, changes come back through the driver's link in the order in which copies finish, and the
driver merges and writes a checkpoint. What the copies together are worth is less than their number,
since they learn apart: the error of CFR falls with the root of iterations, so a merge that leaves
f times the error of one copy with as many iterations divides their worth by f squared.

``python -m tiltless.distributed.prediction --round 15`` prints a table.
"""

import argparse
import sys
from bisect import bisect_right
from collections.abc import Sequence
from math import log2
from typing import NamedTuple

import numpy as np

from tiltless.errors import OptionError
from tiltless.plain import plain_main
from tiltless.validate import positive, whole_number

__all__ = ["MERGE_ERROR", "MeasuredRound", "Predicted", "merge_error", "predict"]

MERGE_ERROR = {
    "short": {1: 1.0, 2: 1.14, 4: 1.30, 8: 1.39, 16: 1.42},
    "long": {1: 1.0, 2: 1.18, 4: 1.22, 8: 1.50, 16: 1.69},
}
"""Exploitability after as many iterations in all, over that of one copy: Leduc, 655,360 iterations
of linear external sampling, in rounds of 4,096 (short) and 65,536 iterations (long)."""
_ROUNDS = 200


class MeasuredRound(NamedTuple):
    """What a round takes; times in seconds, sizes in bytes.

    Defaults for ``down``, ``up``, ``merge`` and ``save`` were measured: a round of 2,097,152
    traversals of the preset ``hundred`` in 15 s (docs/scaling.md). The others are assumptions.

    compute: of a copy.  spread: standard deviation of the logarithm of a copy's time.
    down, up: bytes to a machine and back.  merge: of the driver for each copy.
    save: of a checkpoint.  network: bytes per second of the driver's link.
    """

    compute: float
    spread: float = 0.05
    down: float = 157e6
    up: float = 94e6
    merge: float = 0.49
    save: float = 0.61
    network: float = 125e6


class Predicted(NamedTuple):
    """A round on some machines.

    seconds: of a round.  busy: copies that learn at a time, on average.  short, long: their worth
    in machines, by the merge error of short and of long rounds.
    """

    machines: int
    seconds: float
    busy: float
    short: float
    long: float


def merge_error(copies: int, rounds: str) -> float:
    """`MERGE_ERROR`, linear in the logarithm between measured numbers, and beyond the last one."""
    table = MERGE_ERROR[rounds]
    known = sorted(table)
    if copies in table:
        return table[copies]
    low = min(bisect_right(known, copies) - 1, len(known) - 2)
    one, two = known[low], known[low + 1]
    slope = (table[two] - table[one]) / (log2(two) - log2(one))
    return table[one] + slope * (log2(copies) - log2(one))


def predict(given: MeasuredRound, machines: int, seed: int = 0) -> Predicted:
    """Simulate `_ROUNDS` rounds with one copy on each machine; the driver is one of them."""
    whole_number("machines", machines, 1, 4096)
    for name, value in given._asdict().items():
        if not 0 <= value < 1e15 or (name in ("compute", "network") and not value):
            raise OptionError(f"{name}={value} is not possible; give a positive number")
    rng = np.random.default_rng(seed)
    down, up = given.down / given.network, given.up / given.network
    if machines == 1:  # nothing travels
        down = up = 0.0
    total = 0.0
    for _ in range(_ROUNDS):
        times = given.compute * np.exp(given.spread * rng.standard_normal(machines))
        order = np.arange(machines)  # the first copy is the driver's own and has no way to go
        link = 0.0
        for each, own in sorted(zip((down * order + times).tolist(), order == 0, strict=True)):
            link = max(link, each) + (0.0 if own else up)
        total += link + machines * given.merge + given.save
    seconds = total / _ROUNDS
    busy = machines * given.compute / seconds
    worth = [busy / merge_error(machines, rounds) ** 2 for rounds in ("short", "long")]
    return Predicted(machines, seconds, busy, *worth)


def table_lines(given: MeasuredRound, machines: Sequence[int]) -> list[str]:
    """The predictions as a table in Markdown."""
    lines = [
        "| machines | s a round | busy copies | worth, short rounds | worth, long rounds |",
        "|---|---|---|---|---|",
    ]
    for count in machines:
        _, seconds, busy, short, long = predict(given, count)
        mark = " *" if count > max(MERGE_ERROR["short"]) else ""
        lines.append(
            f"| {count} | {seconds:.1f} | {busy:.1f} | {short:.1f}{mark} | {long:.1f}{mark} |"
        )
    return [*lines, "", "*: the merge error is extrapolated beyond 16 copies."]


def _print(args: argparse.Namespace) -> None:
    positive("--round", args.round)
    given = MeasuredRound(
        args.round,
        args.spread,
        args.down * 1e6,
        args.up * 1e6,
        args.merge,
        args.save,
        args.network * 1e9 / 8,
    )
    print(*table_lines(given, [1, 2, 4, 8, 16, 32, 64]), sep="\n")


def main(arguments: list[str]) -> int:
    """Print a table; returns the exit code."""
    usual = MeasuredRound(1.0)
    parser = argparse.ArgumentParser(
        "python -m tiltless.distributed.prediction", description="Predict a cluster's training."
    )
    parser.add_argument("--round", type=float, default=15.0, help="seconds of a copy in a round")
    parser.add_argument("--spread", type=float, default=usual.spread, help="of a copy's time")
    parser.add_argument("--down", type=float, default=usual.down / 1e6, help="MB to a machine")
    parser.add_argument("--up", type=float, default=usual.up / 1e6, help="MB back from a copy")
    parser.add_argument("--merge", type=float, default=usual.merge, help="seconds for each copy")
    parser.add_argument("--save", type=float, default=usual.save, help="seconds of a checkpoint")
    parser.add_argument("--network", type=float, default=1.0, help="Gbit/s of the driver's link")
    return plain_main(parser, arguments, _print)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
