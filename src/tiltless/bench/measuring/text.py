"""Benchmark results as text."""

from tiltless.bench import BENCHES
from tiltless.validate import unknown_name

__all__ = ["check_name", "readable"]


def check_name(name: str) -> None:
    """`OptionError` unless a bench has that name."""
    if name not in BENCHES:
        raise unknown_name("bench", name, [*BENCHES, "signature"])


def readable(name: str, value: float | str | None) -> str:
    """A number with its unit, taken from the end of its name."""
    if value is None:
        return "peer not installed: pip install 'tiltless[bench]'"
    if isinstance(value, str):
        return value
    if name.endswith("_per_s"):
        return f"{value:,.0f} /s"
    if name.endswith("_us"):
        return f"{value:.2f} µs"
    if name.endswith("_ns"):
        return f"{value:.0f} ns"
    if name.endswith("_ms"):
        return f"{value:.3g} ms"
    if name.endswith("_mb"):
        return f"{value:.0f} MB"
    if name.endswith("_s"):
        return f"{value:.4g} s"
    return f"{value:,.3g}"
