"""Bet menus for several players: sizes before the flop, and by the number of players left.

The more players are left the more betting a menu costs, and the less it matters: most flops are
seen by two. So each number of players has a menu of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from tiltless.abstraction.bets.menu import Menu, StreetMenu
from tiltless.abstraction.bets.presets import find_menu
from tiltless.abstraction.bets.size import Size
from tiltless.errors import OptionError
from tiltless.games.holdem.notation import number_text
from tiltless.validate import unknown_name

__all__ = ["MULTIWAY_MENUS", "MultiwayMenu", "find_multiway_menu"]

_POT_UNITS = ("%", "x", "e", "a")


@dataclass(frozen=True, slots=True)
class MultiwayMenu:
    """The raises on offer at a table of several players.

    preflop: the menu before the flop.
    postflop: menus of the later streets for two players left, for three, and so on; the last one is
        for all larger numbers.
    limper: big blinds that a limper adds to the first raise before the flop, where that is given in
        big blinds: after two limpers ``2.5bb`` becomes 4.5 big blinds if ``limper`` is 1.
    """

    preflop: Menu
    postflop: tuple[Menu, ...]
    limper: float = 1.0

    def __post_init__(self) -> None:
        if not self.postflop:
            raise OptionError("the menu has no sizes after the flop; give those of two players")
        if not 0 <= self.limper <= 100:
            raise OptionError(f"limper={self.limper} is not possible; choose 0 to 100 big blinds")
        for menu in (self.preflop, *self.postflop):
            if menu.donks:
                raise OptionError(
                    f"{str(menu)!r} has donk sizes, which menus of several players do not know; "
                    "leave them out"
                )

    @classmethod
    def parse(
        cls, preflop: Menu | str, *postflop: Menu | str, limper: float = 1.0
    ) -> "MultiwayMenu":
        """A menu from the texts of its parts (`tiltless.abstraction.bets.grammar`)."""
        return cls(find_menu(preflop), tuple(map(find_menu, postflop)), limper)

    def left(self, players: int) -> Menu:
        """The menu after the flop for this many players."""
        return self.postflop[min(players - 2, len(self.postflop) - 1)]

    def after_limpers(self, limpers: int) -> Menu:
        """The menu before the flop once this many players have limped."""
        more, street = limpers * self.limper, self.preflop.street(0)
        if not more:
            return self.preflop
        first, *later = self.preflop.streets
        oop, ip = ((_longer(lines[0], more), *lines[1:]) for lines in (street.oop, street.ip))
        return replace(self.preflop, streets=(StreetMenu(oop, ip, None, first.cap), *later))

    @property
    def any_pot(self) -> bool:
        """Whether all sizes after the flop are relative to the pot, so that pots can share them."""
        menus = [street for menu in self.postflop for street in menu.streets]
        return all(
            size.unit in _POT_UNITS for each in menus for line in each.lists for size in line
        )

    def __str__(self) -> str:
        parts = [f"before the flop {self.preflop}"]
        for players, menu in enumerate(self.postflop, 2):
            more = " or more" if players == len(self.postflop) + 1 else ""
            parts.append(f"{players}{more} left {menu}")
        return " | ".join([*parts, f"limper {number_text(self.limper)}bb"])


def _longer(sizes: tuple[Size, ...], more: float) -> tuple[Size, ...]:
    return tuple(
        replace(size, amount=size.amount + more) if size.unit == "bb" else size for size in sizes
    )


MULTIWAY_MENUS: Mapping[str, MultiwayMenu] = MappingProxyType(
    {
        "six": MultiwayMenu.parse(
            "2.5bb / 3x / 2.3x, a; cap 3; force 15%",
            "50%, 100%, a / 100%, a; cap 3; force 15%",
            "66%, a / a; cap 2; force 15%",
            "75%; cap 1; force 15%",
        ),
        "six-small": MultiwayMenu.parse(
            "2.5bb / 3x / 2.3x, a; cap 3; force 15%",
            "75% / a; cap 2; force 15%",
            "75%; cap 1; force 15%",
        ),
    }
)
"""Menus by name."""


def find_multiway_menu(menu: MultiwayMenu | str) -> MultiwayMenu:
    """A menu from its name; a `MultiwayMenu` is returned unchanged."""
    if isinstance(menu, MultiwayMenu):
        return menu
    if menu in MULTIWAY_MENUS:
        return MULTIWAY_MENUS[menu]
    raise unknown_name("menu", menu, MULTIWAY_MENUS, "a MultiwayMenu")
