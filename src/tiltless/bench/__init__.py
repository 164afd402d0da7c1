"""Benchmarks: fixed work, fixed seeds, peers measured in the same run."""

from collections.abc import Callable, Mapping

__all__ = ["BENCHES", "Result"]

Result = dict[str, float | str | None]
"""Names such as ``evaluate_random_per_s`` to numbers; None where a peer is not installed."""


def _cards() -> Result:
    from tiltless.bench import cards

    return cards.run()


BENCHES: Mapping[str, Callable[[], Result]] = {"cards": _cards}
"""Each bench by name; imported when it is run."""
