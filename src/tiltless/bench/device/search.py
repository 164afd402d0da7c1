"""Benchmark of a flop search on a GPU: a raised pot with all hands, as the agent solves it.

::

    python -m tiltless.bench.device.search

Set-up (boards, tree, upload), the time of 100 iterations, and what two seconds are enough for. The
module needs NumPy, Numba and CuPy only.
"""

import json
import sys
import time

from tiltless.bench import Result
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import RaiseTo
from tiltless.postflop.device.card import check_device
from tiltless.postflop.device.machine import Machine
from tiltless.postflop.spot import OOP, Spot
from tiltless.search.solved import Subgame
from tiltless.search.subgame import FLOP_SIZES, solve_subgame

__all__ = ["main", "run"]

_SPOT = Spot("QsJh2h", "random", "random", 500, 9750, FLOP_SIZES, big_blind=100)
_ODD = RaiseTo(170)  # which the menu lacks
_ITERATIONS, _SECONDS = 100, 2.0


def _solved(
    device: str | Machine, *line: RaiseTo, seconds: float | None = None, iterations: int = 1000
) -> tuple[float, Subgame]:
    begin = time.perf_counter()
    found = solve_subgame(
        _SPOT, line, OOP, device=device, seconds=seconds, iterations=iterations, patient=True
    )
    assert found is not None
    return time.perf_counter() - begin, found


def run(device: str | Machine = "gpu") -> Result:
    """Seconds of each, in the agent's menu, and with a bet that it lacks."""
    _solved(device, iterations=1)  # compiles
    result: Result = {}
    for name, line in (("flop", ()), ("odd_bet", (_ODD,))):
        first, found = _solved(device, *line, iterations=1)
        seconds, found = _solved(device, *line, iterations=_ITERATIONS)
        begin = time.perf_counter()
        found.solver.cfv(0, 0, OOP)
        result |= {
            f"search_{name}_setup_s": first,
            f"search_{name}_s": seconds,
            f"search_{name}_exploitability": found.solver.exploitability(),
            f"search_{name}_values_s": time.perf_counter() - begin,
            f"search_{name}_mb": found.solver.device_bytes / 1e6,
        }
        del found
        _, found = _solved(device, *line, seconds=_SECONDS)
        result[f"search_{name}_2s_iterations"] = float(found.solver.iterations)
        result[f"search_{name}_2s_exploitability"] = found.solver.exploitability()
    return result


def main() -> int:
    """``python -m tiltless.bench.device.search``: the figures as JSON."""
    try:
        check_device("gpu")
    except OptionError as problem:
        print(problem, file=sys.stderr)
        return 1
    print(json.dumps(run(), indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
