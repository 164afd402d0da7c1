"""Benchmark results as text."""

from tiltless.bench import BENCHES
from tiltless.validate import unknown_name

__all__ = ["check_name", "readable"]

_FORMS = {
    "_per_s": "{:,.0f} /s",
    "_us": "{:.2f} µs",
    "_ns": "{:.0f} ns",
    "_ms": "{:.3g} ms",
    "_mb": "{:.0f} MB",
    "_s": "{:.4g} s",
}


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
    forms = (form for ending, form in _FORMS.items() if name.endswith(ending))
    return next(forms, "{:,.3g}").format(value)
