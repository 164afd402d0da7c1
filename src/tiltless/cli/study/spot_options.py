"""Options of commands about spots after the flop, ``spot_options.Pot``, and how they are read."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from tiltless.errors import OptionError
from tiltless.postflop.spot import MOST_RAKE
from tiltless.validate import brief, positive, whole_number

__all__ = ["BETS", "SolveTarget", "given_spot", "percentage"]

BETS = "50%, 100%, a"
"""Sizes of first bets if there is no menu."""
_OF_SPOT = ("board", "oop", "ip", "pot", "stack", "rake", "rake_cap", "big_blind", "aggressor")


def _chips(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(
            f"{brief(text)} is not a whole number; use smaller chips, such as 65 for 6.5"
        ) from None


def _in_chips(about: str) -> Any:
    return typer.Option(help=f"{about}, in chips.", parser=_chips, metavar="CHIPS")


Oop = Annotated[str | None, typer.Option(help="OOP's range (acts first).")]
Ip = Annotated[str | None, typer.Option(help="IP's range (acts last).")]
Pot = Annotated[int | None, _in_chips("Pot")]
Stack = Annotated[int | None, _in_chips("Effective stack")]
Bets = Annotated[str | None, typer.Option(help=f"Sizes of first bets; {BETS} if there is no menu.")]
Raises = Annotated[str | None, typer.Option(help="Raise sizes; by default the same as bet sizes.")]
Menu = Annotated[str | None, typer.Option(help="Bet menu as one text; see `tiltless menus`.")]
Rake = Annotated[str | None, typer.Option(help="Rake as a percentage of the pot, such as 5%.")]
RakeCap = Annotated[float | None, typer.Option(help="Rake cap, in chips.")]
BigBlind = Annotated[int | None, _in_chips("Minimum bet")]
Compressed = Annotated[bool, typer.Option(help="Use 16-bit instead of 32-bit tables.")]
Device = Annotated[
    str, typer.Option(help=r"cpu, or gpu for an NVIDIA card (needs tiltless\[gpu]).")
]  # a bracket without the backslash would be markup, which is not shown


def given_spot(options: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a `Spot` that are given among the options of a command."""
    given = {name: options[name] for name in _OF_SPOT if options.get(name) is not None}
    sizes = _menu_text(options["bets"], options["raises"], options["menu"])
    if sizes is not None:
        given["bets"] = sizes
    if "rake" in given:
        given["rake"] = percentage("--rake", given["rake"]) / 100
    return given


def _menu_text(bets: str | None, raises: str | None, menu: str | None) -> str | None:
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
        example = "5%" if name == "--rake" else "0.3%"
        raise OptionError(
            f"{name} {brief(text)} is not a percentage from 0 to 100; write {name} {example}"
        )
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
