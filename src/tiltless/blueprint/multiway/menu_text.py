"""Menus of several players as text: ``"2.5bb / 3x / a | 50%, a | 75%"``.

The sizes before the flop, then after it with two players left, with three, and so on; the last is
for all larger numbers. ``limper 1bb`` at the end is what each limper adds to the first raise. What
``str`` makes of a menu is read as well.
"""

import re

from tiltless.blueprint.multiway.menu import MULTIWAY_MENUS, MultiwayMenu, find_multiway_menu
from tiltless.errors import OptionError
from tiltless.validate import brief

__all__ = ["read_multiway_menu"]

_HEAD = re.compile(r"(?:before the flop|[2-6](?: or more)? left)\s+")
_LIMPER = re.compile(r"limper\s+([0-9]+(?:\.[0-9]+)?)bb")


def read_multiway_menu(text: str) -> MultiwayMenu:
    """A menu by its name or from its text."""
    if "|" not in text:
        if text.strip() in MULTIWAY_MENUS or re.fullmatch(r"[\w-]+", text.strip()):
            return find_multiway_menu(text.strip())
        raise OptionError(
            f"{brief(text)} is no menu of several players; write the sizes before the flop | with "
            f"two players left | with more, or one of {', '.join(MULTIWAY_MENUS)}"
        )
    parts = [_HEAD.sub("", part.strip(), count=1) for part in text.split("|")]
    last, limper = _LIMPER.fullmatch(parts[-1]), 1.0
    if last:
        parts, limper = parts[:-1], float(last[1])
    return MultiwayMenu.parse(*parts, limper=limper)
