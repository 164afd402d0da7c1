"""Menu presets: the bet menus of the five reports, and ours, by name.

The systems of the reports, and what the reports leave open:

* ``thesis``: fold, call or raise, at most 3 raises per player and round. The thesis does not give
  the size of a raise; here the smallest legal one, the only one in the game toy-holdem.
* ``calling-station``: 50, 100 and 200 % of the pot and all-in, at most 5 raises in a row; and
  ``calling-station-2022`` with the 75, 150 and 300 % of the year before.
* ``ep-white``: half pot, pot, all-in, at most 8 bets per round.
* ``six-player``: 9 raises before the flop, 7 on the flop, 5 later. It has no cap, so with six seats
  it needs an agent that does not store the whole tree.
* ``libratus-fan-club``: 50, 100 and 200 % of the pot and all-in, no cap.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from tiltless.abstraction.bets.grammar import KEYWORDS, parse_menu
from tiltless.abstraction.bets.menu import Menu
from tiltless.abstraction.bets.size import ALL_IN_WORDS, parse_size
from tiltless.errors import OptionError
from tiltless.validate import brief, unknown_name

__all__ = ["MENUS", "NamedMenu", "find_menu"]


class NamedMenu(NamedTuple):
    """A menu, and a short description of its origin or purpose."""

    menu: Menu
    about: str


def _preset(text: str, about: str) -> NamedMenu:
    return NamedMenu(parse_menu(text), about)


MENUS: Mapping[str, NamedMenu] = MappingProxyType(
    {
        "tiny": _preset("100%, a; cap 2", "pot and all-in; small enough to inspect"),
        "standard": _preset(
            "preflop: 2bb, 3bb, a / 2.5x, 4x, a; flop: 33%, 66%, 125%, a / 50%, 100%, a; "
            "turn: 50%, 100%, 200%, a / 50%, 100%, a; "
            "river: 33%, 66%, 125%, a / 50%, 100%, a; force 15%; merge 10%",
            "a heads-up blueprint with 100 big blinds: 137,358 nodes",
        ),
        "hundred": _preset(
            "preflop: 2bb, 3bb, a / 2.5x, 4x, a; flop: 33%, 100%, 250%, 600%, a / 50%, 100%, a; "
            "turn: 50%, 100%, 250%, 600%, a / 50%, 100%, a; "
            "river: 33%, 75%, 150%, 400%, a / 75%, a; force 15%; merge 10%",
            "the shipped blueprint with 100 big blinds: 95,822 nodes",
        ),
        "two-hundred": _preset(
            "preflop: 2bb, 3bb, a / 2.5x, 4x, a; flop: 33%, 100%, 250%, 600%, 1500%, a / 75%, a; "
            "turn: 50%, 100%, 250%, 600%, 1500%, a / 75%, a; "
            "river: 33%, 75%, 200%, a / 75%, a; force 15%; merge 10%",
            "the shipped blueprint with 200 big blinds: 102,190 nodes",
        ),
        "river-of-blood": _preset(
            "preflop: 2.5bb, a / 3x, a; flop, turn, river, run: 50%, 100%, 200%, a / 100%, a; "
            "force 15%; merge 10%; cap 4",
            "the shipped blueprint of River of Blood with 200 big blinds: 44,397 nodes",
        ),
        "every-raise": _preset("all", "all legal raises, for small games"),
        "thesis": _preset("min; each 3", "CFRv1: fold, call, raise; 3 raises per player"),
        "calling-station": _preset("50%, 100%, 200%, a; cap 5", "Calling Station, 2023"),
        "calling-station-2022": _preset("75%, 150%, 300%, a; cap 5", "Calling Station, 2022"),
        "ep-white": _preset("50%, 100%, a; cap 8", "EP White"),
        "six-player": _preset(
            "preflop: 25%, 50%, 75%, 100%, 125%, 150%, 175%, 200%, a; "
            "flop: 75%, 100%, 125%, 150%, 175%, 200%, a; "
            "turn, river: 50%, 100%, 150%, 200%, a",
            "the six-player self-play agent: 9, 7 and 5 raises",
        ),
        "libratus-fan-club": _preset("50%, 100%, 200%, a", "libratus fan club"),
    }
)
"""The presets by name."""


def find_menu(menu: Menu | str) -> Menu:
    """A menu from the name of a preset or from its text; a `Menu` is returned unchanged."""
    if isinstance(menu, Menu):
        return menu
    if not isinstance(menu, str):
        raise OptionError(f"{brief(menu)} is not a menu; give one such as '50%, 100%, a'")
    name = menu.strip().casefold()
    if name in MENUS:
        return MENUS[name].menu
    try:
        return parse_menu(menu)
    except OptionError:
        if not _may_be_a_name(name):
            raise
    raise unknown_name("menu", name, MENUS, "sizes, such as '50%, 100%, a'")


def _may_be_a_name(text: str) -> bool:
    """Whether this looks like the name of a preset rather than a list of sizes."""
    if not re.fullmatch("[a-z][a-z0-9]+([- ][a-z0-9]+)*", text):
        return False
    first = text.split()[0]
    if first in KEYWORDS or first in ALL_IN_WORDS:
        return False
    try:
        parse_size(first)
    except OptionError:
        return True
    return False
