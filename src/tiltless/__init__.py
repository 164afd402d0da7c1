"""A poker AI that anyone can train on a laptop, play against, study, extend and trust."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tiltless._version import __version__
from tiltless.plugins import provide

if TYPE_CHECKING:
    from tiltless.cards.equity import Equity, equity
    from tiltless.cards.evaluate import best_five, evaluate, evaluate_many, hand_name
    from tiltless.cards.hand_equity import equity_histogram, hand_equities, hand_vs_ranges
    from tiltless.cards.ranges import Range

__all__ = [
    "Equity",
    "Range",
    "__version__",
    "best_five",
    "equity",
    "equity_histogram",
    "evaluate",
    "evaluate_many",
    "hand_equities",
    "hand_name",
    "hand_vs_ranges",
]

# Registries of lower layers find the entries of upper ones through here, in every process.
provide("agents", "tiltless.experiments.agent_entries", "tiltless.protocols.agent_entries")

# Public names are loaded when they are used: `tiltless --version` need not wait for a compiler.
_HOMES = {
    "tiltless.cards.equity": ("Equity", "equity"),
    "tiltless.cards.evaluate": ("best_five", "evaluate", "evaluate_many", "hand_name"),
    "tiltless.cards.hand_equity": ("equity_histogram", "hand_equities", "hand_vs_ranges"),
    "tiltless.cards.ranges": ("Range",),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module 'tiltless' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
