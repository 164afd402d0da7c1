"""Options that commands about spots after the flop share, and how they are read."""

import math
from dataclasses import dataclass
from typing import Annotated

import typer

from tiltless.errors import OptionError
from tiltless.postflop.spot import MOST_RAKE
from tiltless.validate import brief, positive, whole_number

__all__ = ["BETS", "Device", "SolveTarget", "chips", "menu_text", "percentage"]

BETS = "50%, 100%, a"
"""Sizes of first bets if there is no menu."""
Device = Annotated[
    str, typer.Option(help=r"cpu, or gpu for an NVIDIA card (needs tiltless\[gpu]).")
]  # a bracket without the backslash would be markup, which is not shown


def chips(text: str) -> int:
    """The parser of an option in whole chips."""
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(
            f"{brief(text)} is not a whole number; use smaller chips, such as 65 for 6.5"
        ) from None


def menu_text(bets: str | None, raises: str | None, menu: str | None) -> str | None:
    """The menu text from the options, or None."""
    if menu is not None:
        if bets is not None or raises is not None:
            raise OptionError("--menu contains all sizes; leave out --bets and --raises, or --menu")
        return menu
    if raises is None:
        return bets
    return f"{BETS if bets is None else bets} / {raises}"


def percentage(name: str, text: str) -> float:
    """Percent, from ``0.3%`` or ``0.3``; for rake, 0.05 is a fraction."""
    words = text.strip()
    try:
        number = float(words.removesuffix("%"))
    except ValueError:
        number = math.nan
    if not 0 <= number <= 100:
        raise OptionError(f"{name} {brief(text)} is not a percentage; write {name} 0.3%")
    if name != "--rake" or words.endswith("%"):
        return number
    if number > MOST_RAKE:
        raise OptionError(f"--rake {brief(text)} is more than half of the pot; write 0.05 or 5%")
    return 100 * number


@dataclass(frozen=True)
class SolveTarget:
    """When to stop."""

    until: float
    seconds: float | None
    iterations: int | None

    def check(self) -> None:
        """`OptionError` for a target that can never be reached."""
        if self.seconds is not None:
            positive("--seconds", self.seconds)
        if self.iterations is not None:
            whole_number("iterations", self.iterations, 1, 1 << 40)
        if not self.until and not self.bounded:
            raise OptionError(
                "--until 0 is never reached; give more than 0 %, or --seconds or --iterations too"
            )

    @property
    def bounded(self) -> bool:
        """Whether time or iterations limit the run."""
        return self.seconds is not None or self.iterations is not None
