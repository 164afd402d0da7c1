"""Benchmark of the post-flop engine on the spots of a published solver comparison.

Times are those of solving to a given exploitability, looked at every ten iterations, which is part
of the time; layout and compiling are not. Values are chips for OOP, net of half the pot.
"""

import subprocess
import sys

from tiltless.bench import Result
from tiltless.bench.measuring.busy import busy_thread_ratio
from tiltless.postflop.solver import PostflopSolver, SolverStatus
from tiltless.postflop.spot import OOP, Spot

__all__ = ["BENCH_RANGES", "FULL_FLOP", "RULES", "SPOTS", "run", "run_quick"]

_OOP = (
    "AA,KK,QQ,JJ,TT,99:0.75,88:0.75,77:0.5,66:0.25,55:0.25,AK,AQs,AQo:0.75,AJs,AJo:0.5,ATs:0.75,"
    "A6s:0.25,A5s:0.75,A4s:0.75,A3s:0.5,A2s:0.5,KQs,KQo:0.5,KJs,KTs:0.75,K5s:0.25,K4s:0.25,"
    "QJs:0.75,QTs:0.75,Q9s:0.5,JTs:0.75,J9s:0.75,J8s:0.75,T9s:0.75,T8s:0.75,T7s:0.75,98s:0.75,"
    "97s:0.75,96s:0.5,87s:0.75,86s:0.5,85s:0.5,76s:0.75,75s:0.5,65s:0.75,64s:0.5,54s:0.75,"
    "53s:0.5,43s:0.5"
)
_IP = (
    "QQ:0.5,JJ:0.75,TT,99,88,77,66,55,44,33,22,AKo:0.25,AQs,AQo:0.75,AJs,AJo:0.75,ATs,ATo:0.75,"
    "A9s,A8s,A7s,A6s,A5s,A4s,A3s,A2s,KQ,KJ,KTs,KTo:0.5,K9s,K8s,K7s,K6s,K5s,K4s:0.5,K3s:0.5,"
    "K2s:0.5,QJ,QTs,Q9s,Q8s,Q7s,JTs,JTo:0.5,J9s,J8s,T9s,T8s,T7s,98s,97s,96s,87s,86s,76s,75s,"
    "65s,64s,54s,53s,43s"
)
BENCH_RANGES = {"oop": _OOP, "ip": _IP}
"""The ranges of TexasSolver's benchmark."""
_MENU = "50%, 100%, a / 50%, a"


def _spot(board: str, full: bool = False, bets: str = _MENU) -> Spot:
    oop, ip = ("random", "random") if full else (_OOP, _IP)
    return Spot(board, oop, ip, 64, 320, bets)


SPOTS = {
    "river_bench": _spot("QsJh2h8d3c"),
    "river_full": _spot("QsJh2h8d3c", full=True),
    "turn_bench": _spot("QsJh2h8d"),
    "turn_full": _spot("QsJh2h8d", full=True),
    "flop_bench": _spot("QsJh2h", bets="100%, a / 50%, a"),
}
"""The spots by name; the ranges ``bench`` are those of TexasSolver's benchmark."""
FULL_FLOP = _spot("QsJh2h", full=True, bets="100%, a / 50%, a")
"""``flop_bench`` with all hands on both sides, which is measured on a GPU only."""
RULES = ("dcfr-ranges", "dcfr", "dcfr+", "cfr+", "pcfr+", "pdcfr+", "linear")
"""The CFR variants that are compared."""

_UNTIL = {"river": 0.1, "turn": 0.5, "flop": 0.5}  # percent of the pot, as the peers' times
_REPEATS = {"river": 20, "turn": 2, "flop": 1}
_COMPARED = 0.3
_MOST = 2000
_MB = 1e6


def run() -> Result:
    """Times of all spots, two threads, memory, and the comparison of rules."""
    result: Result = {}
    for name in SPOTS:
        result |= _time(name)
    result |= _threads("turn_bench", result)
    for name in ("turn_full", "flop_bench"):
        result[f"{name}_memory_mb"] = _memory(name)
    return result | _compare(("river_bench", "river_full", "turn_bench"))


def run_quick() -> Result:
    """The rivers alone."""
    return _time("river_bench") | _time("river_full") | _compare(("river_bench",))


def _time(name: str) -> Result:
    """Seconds, iterations and the value of a spot: the best of several."""
    _warm(name)
    tries = [_solve(name) for _ in range(_REPEATS[name.split("_")[0]])]
    best = min(tries, key=lambda each: each[0].seconds)
    return {
        f"{name}_s": best[0].seconds,
        f"{name}_iterations": float(best[0].iterations),
        f"{name}_value": best[1].values()[OOP],
    }


def _solve(name: str, threads: int = 1) -> tuple[SolverStatus, PostflopSolver]:
    solver = PostflopSolver(SPOTS[name], threads=threads)
    return solver.solve(_UNTIL[name.split("_")[0]], iterations=_MOST), solver


def _threads(name: str, result: Result) -> Result:
    """Two threads and one thread alternating, so that both see the same noise; the best of each."""
    times: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(3):
        for threads, seconds in times.items():
            seconds.append(_solve(name, threads)[0].seconds)
    alone = result[f"{name}_s"]
    one = min(*times[1], alone) if isinstance(alone, float) else min(times[1])
    two = min(times[2])
    return {
        f"{name}_s": one,
        f"{name}_2threads_s": two,
        "thread_scaling": one / two,
        "busy_thread_ratio": busy_thread_ratio(lambda threads: _solve(name, threads)),
    }


def _warm(name: str) -> None:
    """Load the compiled code of a street by solving a tiny spot."""
    spot = SPOTS[name]
    small = PostflopSolver(Spot(spot.board, "AA", "KK", 64, 320, "a; cap 1"))
    small.run(1)
    small.exploitability()


def _compare(names: tuple[str, ...]) -> Result:
    """Iterations and seconds to 0.3 % of the pot for each variant."""
    result: Result = {}
    for name in names:
        _warm(name)
        for rules in RULES:
            best, iterations = float("inf"), 0
            for _ in range(5 if name.startswith("river") else 1):
                solver = PostflopSolver(SPOTS[name], rules=rules)
                done = solver.solve(_COMPARED, iterations=_MOST)
                best, iterations = min(best, done.seconds), done.iterations
            reached = done.exploitability <= _COMPARED
            plain = rules.replace("+", "_plus").replace("-", "_")
            result[f"rules_{name}_{plain}_s"] = best if reached else float("nan")
            result[f"rules_{name}_{plain}_iterations"] = float(iterations)
    return result


_PROBE = """
import sys
from tiltless.bench.ranges import SPOTS, _warm, _held
from tiltless.postflop.solver import PostflopSolver
name = sys.argv[1]
_warm(name)
before = _held("VmRSS")
solver = PostflopSolver(SPOTS[name])
solver.run(2)
solver.exploitability()
print(_held("VmHWM") - before)
"""


def _memory(name: str) -> float | None:
    """Peak MB of a spot, above a process that has loaded everything.

    Only on Linux, where the system reports it.
    """
    if sys.platform != "linux":
        return None
    command = [sys.executable, "-c", _PROBE, name]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return float(output) / _MB


def _held(what: str) -> float:
    """Bytes: ``VmRSS`` now, ``VmHWM`` at most so far."""
    with open("/proc/self/status", encoding="ascii", errors="replace") as file:
        for line in file:
            if line.startswith(f"{what}:"):
                return 1024.0 * int(line.split()[1])
    return float("nan")
