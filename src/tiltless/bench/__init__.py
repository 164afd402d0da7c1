"""Benchmarks: fixed work, fixed seeds, peers measured in the same run."""

from collections.abc import Callable, Mapping

__all__ = ["BENCHES", "Result"]

Result = dict[str, float | str | None]
"""Names such as ``evaluate_random_per_s`` to numbers; None where a peer is not installed."""


def _cards() -> Result:
    from tiltless.bench import cards

    return cards.run()


def _games() -> Result:
    from tiltless.bench import games

    return games.run()


def _solvers() -> Result:
    from tiltless.bench import solvers

    return solvers.run()


def _abstraction() -> Result:
    from tiltless.bench import abstraction

    return abstraction.run()


def _blueprint() -> Result:
    from tiltless.bench import blueprint

    return blueprint.run()


def _arena() -> Result:
    from tiltless.bench import arena

    return arena.run()


def _ranges() -> Result:
    from tiltless.bench import ranges

    return ranges.run()


def _ranges_quick() -> Result:
    from tiltless.bench import ranges

    return ranges.run_quick()


def _search() -> Result:
    from tiltless.bench import search

    return search.run()


def _start() -> Result:
    from tiltless.bench import start

    return start.run()


BENCHES: Mapping[str, Callable[[], Result]] = {
    "cards": _cards,
    "games": _games,
    "solvers": _solvers,
    "abstraction": _abstraction,
    "blueprint": _blueprint,
    "arena": _arena,
    "search": _search,
    "ranges": _ranges,
    "ranges-quick": _ranges_quick,
    "start": _start,
}
"""Each bench by name; imported when it is run."""
