"""``python -m tiltless.bench.device.check``: whether a card solves as the processor does.

1. ``launches``: tiny spots, the card against the twins in NumPy after every launch of a kernel.
2. ``golden``: tables of the tiny spots after five iterations, written to a folder; the tests
   compare the twins with them on machines without a card.
3. ``spots``: the spots of the benches, solved on the card; the processor computes the value and
   the exploitability of what was found.
4. ``rivers``, ``turns``, ``flops``: random spots, solved on both; values may differ by the sum of
   the exploitabilities, which is how far either can be from the value of the game.

One line for each; the exit code is 1 if anything differs.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from tiltless.bench.ranges import FULL_FLOP, SPOTS
from tiltless.cards.card import COMBO_COUNT, DECK_SIZE
from tiltless.cards.ranges import Range
from tiltless.files.arrays import write_arrays
from tiltless.plain import plain_main
from tiltless.postflop.device.batch import RiverBatch
from tiltless.postflop.device.card import find_machine
from tiltless.postflop.device.compare import launch_differences, random_tables
from tiltless.postflop.device.machine import Machine, NumpyMachine
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import OOP, Spot
from tiltless.system import usable_cores

__all__ = ["GOLDEN_KIND", "TINY", "golden_tables", "random_spot", "run_check"]

TINY = {
    "river": Spot("QsJh2h8d3c", "QQ+,AKs,JTs,99,A5s", "88+,AQs+,KQs,T9s", 64, 320, "50%, a"),
    "turn": Spot("QsJh2h8d", "QQ,AKs:0.5,T9s", "88,JJ:0.7,AQs", 64, 200, "50%, a; cap 1"),
    "flop": Spot("QhJh2h", "QQ,AKs:0.5", "JJ,KTs", 64, 200, "a; cap 1"),
}
"""Spots that the twins solve in seconds."""
_SPOTS = {**SPOTS, "flop_full": FULL_FLOP}
GOLDEN_KIND = "gpu-golden"
_GOLDEN_SEED, _GOLDEN_ITERATIONS = 21, 5
_GOLDEN_BEFORE = (
    6  # the first iterations forget the tables, and regrets of 0 are a matter of rounding
)
_CLOSE = 1e-5
_BETS = {5: "50%, 100%, a / 50%, a", 4: "66%, a", 3: "100%, a; cap 2"}
_UNTIL = {5: 0.1, 4: 0.3, 3: 0.5}
_BATCH_BETS = "66%, a / 60%, a"


def golden_tables(name: str, machine: Machine) -> dict[str, np.ndarray]:
    """Tables of a tiny spot after five iterations from random ones."""
    solver = PostflopSolver(TINY[name], device=machine)
    random_tables(solver, _GOLDEN_SEED)
    solver.iterations = _GOLDEN_BEFORE
    solver.run(_GOLDEN_ITERATIONS)
    return {"regret": solver.tables.regret, "average": solver.tables.average}


def random_spot(rng: np.random.Generator, cards: int) -> Spot:
    """A spot with random cards, ranges and chips; about a third of all combos."""
    board = rng.choice(DECK_SIZE, cards, replace=False).tolist()
    share = 0.33 if cards > 3 else 0.08
    oop, ip = (
        Range.from_weights(
            np.where(rng.random(COMBO_COUNT) < share, rng.uniform(0.2, 1, COMBO_COUNT), 0)
        )
        for _ in range(2)
    )
    pot, stack = int(rng.integers(20, 200)), int(rng.integers(50, 400))
    return Spot(board, oop, ip, pot, stack, _BETS[cards])


Line = tuple[bool, str]


def _launches(machine: Machine) -> Iterator[Line]:
    for name, spot in TINY.items():
        worst = launch_differences(spot, machine, NumpyMachine())
        bad = {key: apart for key, apart in worst.items() if not apart <= _CLOSE}
        most = max(worst.values())
        first = f"; first {next(iter(bad))} {bad[next(iter(bad))]:.3g}" if bad else ""
        yield not bad, f"launches {name}: {len(worst)} pairs, worst {most:.2g}{first}"


def _golden(machine: Machine, folder: Path) -> Iterator[Line]:
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("river", "turn"):
        tables = golden_tables(name, machine)
        path = folder / f"{name}.safetensors"
        write_arrays(path, tables, kind=GOLDEN_KIND, fingerprint=TINY[name].fingerprint)
        yield True, f"golden {name}: {path}, {path.stat().st_size:,} bytes"


def _spots(machine_of: Callable[[], Machine]) -> Iterator[Line]:
    for name, spot in _SPOTS.items():
        until = 0.1 if name.startswith("river") else 0.5
        solver = PostflopSolver(spot, device=machine_of())
        status = solver.solve(until, iterations=2000)
        value = solver.values()[OOP]
        there = PostflopSolver(spot, threads=usable_cores())
        there.tables.average[:] = solver.tables.average
        found, same = there.exploitability(), there.values()[OOP]
        good = abs(found - status.exploitability) < 0.01 and abs(same - value) < 1e-3 * spot.pot
        yield (
            good and found <= until + 0.01,
            f"spot {name}: {status.iterations} iterations, {status.seconds:.4f} s, exploitability "
            f"{status.exploitability:.4f} % (processor: {found:.4f}), value {value:.4f} "
            f"({same:.4f})",
        )


def _random(machine_of: Callable[[], Machine], cards: int, count: int, seed: int) -> Iterator[Line]:
    """Random turns or flops, one after the other."""
    rng, wrong, furthest = np.random.default_rng(seed), 0, 0.0
    for _ in range(count):
        spot = random_spot(rng, cards)
        ends = []
        for solver in (
            PostflopSolver(spot, device=machine_of()),
            PostflopSolver(spot, threads=usable_cores()),
        ):
            status = solver.solve(_UNTIL[cards], iterations=2000)
            ends.append((solver.values()[OOP], status.exploitability * spot.pot / 50))
        (one, gap), (two, other) = ends
        furthest = max(furthest, abs(one - two) / (gap + other))
        wrong += not abs(one - two) <= gap + other
    name = {4: "turns", 3: "flops"}[cards]
    yield not wrong, f"random {name}: {count}, {wrong} differ, furthest {furthest:.2f} of the limit"


def _rivers(machine: Machine, count: int, seed: int) -> Iterator[Line]:
    """Random rivers in one batch, each solved by the processor as well."""
    rng = np.random.default_rng(seed)
    spots = [random_spot(rng, 5) for _ in range(count)]
    spots = [Spot(each.board, each.oop, each.ip, 64, 320, _BATCH_BETS) for each in spots]
    batch = RiverBatch(spots, machine)
    begin = time.perf_counter()
    found = batch.solve(_UNTIL[5])
    seconds = time.perf_counter() - begin
    wrong, furthest = 0, 0.0
    for index, spot in enumerate(spots):
        solver = PostflopSolver(spot)
        status = solver.solve(_UNTIL[5], iterations=2000)
        limit = (status.exploitability + found.exploitability[index]) * spot.pot / 50
        apart = abs(solver.values()[OOP] - batch.solver(index).values()[OOP])
        furthest = max(furthest, apart / limit)
        wrong += not apart <= limit
    most = float(found.exploitability.max())
    yield (
        not wrong and most <= _UNTIL[5],
        f"random rivers: {count} in {seconds:.3f} s, exploitability at most {most:.4f} %, {wrong} "
        f"differ, furthest {furthest:.2f} of the limit",
    )


def run_check(given: argparse.Namespace, machine_of: Callable[[], Machine]) -> int:
    """Run the parts that are asked for; returns 1 if anything differs.

    machine_of: makes a machine.
    """
    parts: dict[str, Callable[[], Iterator[Line]]] = {
        "launches": lambda: _launches(machine_of()),
        "golden": lambda: _golden(machine_of(), Path(given.golden)),
        "rivers": lambda: _rivers(machine_of(), given.rivers, given.seed),
        "spots": lambda: _spots(machine_of),
        "turns": lambda: _random(machine_of, 4, given.turns, given.seed),
        "flops": lambda: _random(machine_of, 3, given.flops, given.seed),
    }
    wanted = given.only.split(",") if given.only else list(parts)
    failed = 0
    for name in wanted:
        for good, line in parts[name]():
            failed |= not good
            print("ok  " if good else "BAD ", line, flush=True)
    return int(failed)


def _check(given: argparse.Namespace) -> int:
    def machine_of() -> Machine:
        machine = find_machine("gpu")
        assert machine is not None
        return machine

    return run_check(given, machine_of)


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser("python -m tiltless.bench.device.check", description=__doc__)
    made.add_argument("--only", default="", help="parts, separated by commas; all by default")
    made.add_argument("--golden", default="gpu-golden", help="folder of the golden tables")
    made.add_argument("--rivers", type=int, default=1000, help="number of random rivers")
    made.add_argument("--turns", type=int, default=30, help="number of random turns")
    made.add_argument("--flops", type=int, default=3, help="number of random flops")
    made.add_argument("--seed", type=int, default=1, help="random seed of the spots")
    return made


if __name__ == "__main__":
    sys.exit(plain_main(parser(), sys.argv[1:], _check))
