"""Benchmarks: fixed work, fixed seeds, peers measured in the same run."""

from collections.abc import Callable, Mapping
from importlib import import_module

__all__ = ["BENCHES", "Result"]

Result = dict[str, float | str | None]
"""Names such as ``evaluate_random_per_s`` to numbers; None where a peer is not installed."""


def _bench(module: str, function: str = "run") -> Callable[[], Result]:
    """A function of a module of this package, which is imported when it is called."""

    def run() -> Result:
        found: Result = getattr(import_module(f"tiltless.bench.{module}"), function)()
        return found

    return run


BENCHES: Mapping[str, Callable[[], Result]] = {
    **{
        name: _bench(name)
        for name in (
            "cards",
            "games",
            "solvers",
            "abstraction",
            "blueprint",
            "arena",
            "search",
            "six",
        )
    },
    "ranges": _bench("ranges"),
    "ranges-quick": _bench("ranges", "run_quick"),
    "mit": _bench("mit"),
    "protocols": _bench("protocols"),
    "gpu": _bench("gpu"),
    "start": _bench("start"),
    "web": _bench("web"),
    "cluster": _bench("cluster"),
}
"""Each bench by name; imported when it is run."""
