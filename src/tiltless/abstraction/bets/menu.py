"""Bet menus: the raises that a tree offers, instead of every number of chips.

A menu has sizes for each street, for each number of earlier bets and raises on that street, and for
each position; `tiltless.abstraction.bets.grammar` is its one-line notation.

* **In position** is the player with chips who sits last before or on the button, on every street;
  all others are out of position.
* **Donk** sizes are for a first bet into the player who made the last bet or raise of the previous
  street, while that player is still to act. After a street that was checked through, or that saw
  only blinds, there is nobody to lead into.
* **add**: all-in is added if it is at most this percentage of the pot.
* **force**: a raise becomes all-in if, once it is called by one opponent, the stack behind is at
  most this percentage of the pot. That is the threshold of postflop-solver; PioSOLVER has one on
  the fraction of the stack that is in the pot.
* **merge**: from the largest raise X down, in fractions of the pot, raises Y are dropped if
  (1 + X) / (1 + Y) < 1 + merge; as in PioSOLVER and postflop-solver.
* In fixed-limit games the only legal raise is offered wherever the menu has any size.

Pots are those after calling; stacks count only as far as an opponent can call.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from tiltless.abstraction.bets.size import Size
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, LegalActions, RaiseTo
from tiltless.games.holdem.bet_context import BetContext, spot_of
from tiltless.games.holdem.betting import MOST_COUNTED, NOBODY, SEAT_BITS, Betting
from tiltless.games.holdem.history import streets
from tiltless.games.holdem.notation import number_text
from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.state import HoldemState
from tiltless.games.holdem.streets import STREETS as HOLDEM_STREETS
from tiltless.validate import brief, is_number, whole_number

__all__ = ["MOST_CAP", "MOST_EACH", "STREETS", "Menu", "StreetMenu", "TableMenu", "last_aggressor"]

STREETS = (*HOLDEM_STREETS, "run")
"""Streets by number; ``run`` is every street after the river, which is like the river unless
it is named."""

MOST_CAP = 10_000
"""The largest ``cap``."""
MOST_EACH = MOST_COUNTED
"""The largest ``each``."""

_ALL_IN = Size("a")
"""The size of a raise that the setting ``add`` puts on offer."""

Sizes = tuple[Size, ...]
Lines = tuple[Sizes, ...]


@dataclass(frozen=True, slots=True)
class StreetMenu:
    """The sizes of one street.

    oop, ip: by position: the sizes of a first bet (preflop: of a raise over the blinds), of a
        first raise, a second raise …; the last entry is for all further raises. Empty: no raise.
    donk: sizes of a first bet into the aggressor of the previous street; None: as for other bets.
    cap: the most bets and raises on the street, blinds not counted; None: as the rules say.
    """

    oop: Lines
    ip: Lines
    donk: Sizes | None = None
    cap: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "oop", _lines(self.oop))
        object.__setattr__(self, "ip", _lines(self.ip))
        if self.donk is not None:
            object.__setattr__(self, "donk", _sizes(self.donk))
        if self.cap is not None:
            object.__setattr__(self, "cap", whole_number("cap", self.cap, 0, MOST_CAP))
            _check_none("cap", self.cap, self.lists)

    @property
    def lists(self) -> tuple[Sizes, ...]:
        """All lists of sizes."""
        return *self.oop, *self.ip, self.donk or ()

    def __str__(self) -> str:
        same = self.oop == self.ip
        parts = [_lines_text(self.oop)] if same else []
        if not same:
            parts = [f"oop {_lines_text(self.oop)}", f"ip {_lines_text(self.ip)}"]
        if self.donk is not None:
            parts.append(f"donk {_sizes_text(self.donk)}")
        if self.cap is not None:
            parts.append(f"cap {self.cap}")
        return " | ".join(parts)


@dataclass(frozen=True, slots=True)
class Menu:
    """The raises on offer; `tiltless.abstraction.bets.grammar.parse_menu` reads it from text.

    streets: one entry for each street; the last one is for all further streets.
    each: the most bets and raises that one player may make on a street; None: as the rules say.
    add, force, merge: thresholds in percent, see the top of this module; None: not used.
    """

    streets: tuple[StreetMenu, ...]
    each: int | None = None
    add: float | None = None
    force: float | None = None
    merge: float | None = None

    def __post_init__(self) -> None:
        streets = list(_entries(self.streets, StreetMenu, "a menu needs an entry for each street"))
        if not 1 <= len(streets) <= len(STREETS):
            raise OptionError(f"the menu has {len(streets)} streets; give 1 to {len(STREETS)}")
        if streets[0].donk is not None:  # preflop there is nobody to lead into
            streets[:1] = [replace(streets[0], donk=None), *streets[: len(streets) == 1]]
        for number, street in enumerate([*streets, streets[-1]]):
            if number:
                _check_first_bets(street, STREETS[min(number, len(STREETS) - 1)])
        while len(streets) > 1 and streets[-1] == streets[-2]:
            streets.pop()
        object.__setattr__(self, "streets", tuple(streets))
        if self.each is not None:
            object.__setattr__(self, "each", whole_number("each", self.each, 0, MOST_EACH))
            _check_none("each", self.each, (sizes for each in streets for sizes in each.lists))
        for name in ("add", "force", "merge"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _percent(name, getattr(self, name)))

    def street(self, number: int) -> StreetMenu:
        """The entry of a street; past the last one, the last."""
        return self.streets[min(number, len(self.streets) - 1)]

    @property
    def donks(self) -> bool:
        """Whether any street has donk sizes, so that the previous aggressor matters."""
        return any(street.donk is not None for street in self.streets)

    def at(self, rules: Rules, button: int = 0) -> "TableMenu":
        """The menu bound to the rules of a game and to a button seat."""
        return TableMenu(self, rules, button)

    def actions(self, state: HoldemState) -> tuple[Action, ...]:
        """The menu's actions for the player to act, in the order of `TableMenu.actions`."""
        aggressor = last_aggressor(state) if self.donks else NOBODY
        table = self.at(state.game.rules, state.table.button)
        return table.actions(state.betting, state.street, state.pot, aggressor)

    def __str__(self) -> str:
        streets: Sequence[StreetMenu] = self.streets
        caps = {street.cap for street in streets}
        settings = []
        if len(caps) == 1 and None not in caps:
            settings.append(f"cap {caps.pop()}")
            streets = [replace(street, cap=None) for street in streets]
        if self.each is not None:
            settings.append(f"each {self.each}")
        for name in ("add", "force", "merge"):
            value = getattr(self, name)
            if value is not None:
                settings.append(f"{name} {number_text(value)}%")
        return "; ".join([*_streets_text(streets), *settings])

    def __repr__(self) -> str:
        return f"parse_menu({str(self)!r})"


class TableMenu:
    """A menu at a table: what it offers to the player to act.

    rules: for the big blind and the number of streets.  button: the seat of the button; in betting
    trees that is player 0.
    """

    __slots__ = ("big_blind", "blinds", "button", "by_position", "menu", "seats", "streets")

    def __init__(self, menu: Menu, rules: Rules, button: int = 0) -> None:
        self.menu, self.button = menu, button
        self.seats = rules.seats
        self.big_blind = rules.big_blind
        self.blinds = any(rules.blinds)
        self.streets = len(rules.streets)
        self.by_position = any(street.oop != street.ip for street in menu.streets)

    def actions(
        self, betting: Betting, street: int, pot: int, aggressor: int = NOBODY
    ) -> tuple[Action, ...]:
        """Fold, check or call, then raises, smallest first.

        pot: all chips paid so far, by everybody.
        aggressor: the seat that made the last bet or raise of the previous street; used only
            before the first bet of this one, and only by menus with donk sizes.
        """
        legal = betting.actions
        offers: list[Action] = [FOLD] if legal.fold else []
        offers.append(CHECK if legal.check else CALL)
        if legal.max_raise:
            offers += map(RaiseTo, self._raises(betting, legal, street, pot, aggressor))
        return tuple(offers)

    def lead(self, betting: Betting, street: int, aggressor: int) -> int:
        """The aggressor of the previous street if the offers of this one depend on it, or -1.

        betting: at the first decision of the street.
        """
        if aggressor < 0 or self.menu.street(street).donk is None or aggressor == betting.actor:
            return NOBODY
        return aggressor if betting.waiting >> aggressor & 1 else NOBODY

    def sized_raises(
        self,
        betting: Betting,
        legal: LegalActions,
        street: int,
        pot: int,
        aggressor: int = NOBODY,
    ) -> dict[int, Size]:
        """The raise totals on offer, each with its size; arguments as for `actions`.

        legal: the legal actions of the player to act. Where several sizes come to the same chips,
        it is the one that is listed last.
        """
        if not legal.max_raise:
            return {}
        sized = self._sized(betting, legal, street, pot, aggressor)
        return {chips: sized[chips] for chips in self._kept(sized, betting, legal, street, pot)}

    def _raises(
        self, betting: Betting, legal: LegalActions, street: int, pot: int, aggressor: int
    ) -> Sequence[int]:
        """The raise totals, ascending; a raise must be legal."""
        sized = self._sized(betting, legal, street, pot, aggressor)
        return self._kept(sized, betting, legal, street, pot)

    def _sized(
        self, betting: Betting, legal: LegalActions, street: int, pot: int, aggressor: int
    ) -> dict[int, Size]:
        menu, actor, raises = self.menu, betting.actor, betting.raises
        here = menu.streets[street] if street < len(menu.streets) else menu.streets[-1]
        if here.cap is not None and raises >= here.cap:
            return {}
        if menu.each is not None:
            if betting.raised >> SEAT_BITS * actor & MOST_COUNTED >= menu.each:
                return {}
        if here.donk is not None and not raises and self.lead(betting, street, aggressor) >= 0:
            sizes = here.donk
        else:
            lines = here.ip if self.by_position and self._in_position(betting) else here.oop
            sizes = lines[raises] if raises < len(lines) else lines[-1]
        if not sizes:
            return {}
        if betting.rules.fixed:
            return {legal.max_raise: sizes[-1]}
        spot = self._spot(betting, legal, street, pot)
        sized = {chips: size for size in sizes for chips in size.raises(spot)}
        if menu.add is not None and 100 * (spot.most - spot.bet) <= menu.add * spot.pot:
            sized.setdefault(spot.top, _ALL_IN)
        if menu.force is not None:
            sized = {_forced(chips, spot, menu.force): size for chips, size in sized.items()}
        return sized

    def _kept(
        self, sized: dict[int, Size], betting: Betting, legal: LegalActions, street: int, pot: int
    ) -> Sequence[int]:
        """The totals, ascending, without those that the menu merges."""
        ordered = sorted(sized)
        merge = self.menu.merge
        if merge is None or not sized or betting.rules.fixed:
            return ordered
        return _merged(ordered, self._spot(betting, legal, street, pot), merge)

    def _spot(self, betting: Betting, legal: LegalActions, street: int, pot: int) -> BetContext:
        raises = betting.raises
        earlier = raises - 1 if raises and (street or not self.blinds) else raises
        left = self.streets - street if street < self.streets else 1
        return spot_of(betting, pot, self.big_blind, earlier, left, legal)

    def _in_position(self, betting: Betting) -> bool:
        """Whether nobody with chips acts after the player to act on postflop streets."""
        actor, seats = betting.actor, self.seats
        last = self.button + 1
        mine = (actor - last) % seats
        return not any(
            betting.able >> seat & 1 and (seat - last) % seats > mine for seat in range(seats)
        )


def last_aggressor(state: HoldemState) -> int:
    """Who made the last bet or raise of this street; if nobody has, of the one before; or -1."""
    *before, street = streets(state)[-2:]
    if street.aggressor >= 0 or not before:
        return street.aggressor
    return before[0].aggressor


def _forced(chips: int, spot: BetContext, force: float) -> int:
    """All-in instead of a raise that leaves at most ``force`` percent of the pot behind."""
    pot = spot.pot + 2 * (chips - spot.bet)
    return spot.top if 100 * (spot.most - chips) <= force * pot else chips


def _merged(ordered: list[int], spot: BetContext, merge: float) -> list[int]:
    """The raises without those that are close to a larger one."""
    kept: list[int] = []
    above = 0
    for chips in reversed(ordered):
        shared = spot.pot + min(chips, spot.most) - spot.bet
        if not kept or 100 * above >= (100 + merge) * shared:
            kept.append(chips)
            above = shared
    return kept[::-1]


def _check_first_bets(street: StreetMenu, name: str) -> None:
    for size in (*street.oop[0], *street.ip[0], *(street.donk or ())):
        if size.unit == "x":
            raise OptionError(
                f"{size} multiplies a bet, but the first bet of the {name} does not face one; "
                "write it after a slash, as in 50% / 3x"
            )


def _check_none(name: str, limit: Any, lists: Iterable[Sizes]) -> None:
    """Raise `OptionError` if there are sizes although a limit of 0 forbids every raise."""
    some = next(filter(None, lists), None)
    if limit == 0 and some:
        raise OptionError(
            f"{name} 0 allows no bet, but there is the size {_sizes_text(some)}; write none, or "
            f"{name} 1"
        )


def _entries(values: Any, kind: type, need: str) -> tuple[Any, ...]:
    entries = tuple(values) if isinstance(values, Iterable) and not isinstance(values, str) else ()
    if not entries or not all(isinstance(entry, kind) for entry in entries):
        raise OptionError(f"{need}, not {brief(values)}; parse_menu reads menus from text")
    return entries


def _lines(values: Any) -> Lines:
    lines = [_sizes(line) for line in _entries(values, tuple, "a street needs lists of sizes")]
    while len(lines) > 1 and lines[-1] == lines[-2]:
        lines.pop()
    return tuple(lines)


def _sizes(values: Any) -> Sizes:
    sizes = _entries(values, Size, "a list contains sizes") if values != () else ()
    for index, size in enumerate(sizes):
        if size in sizes[:index]:
            raise OptionError(f"{size} appears twice in {_sizes_text(sizes)}; write it once")
        if size.unit == "all" and len(sizes) > 1:
            raise OptionError(f"all includes {_sizes_text(sizes[:2])}; write all alone")
        for other in sizes[:index]:
            if size.unit == other.unit == "c" and size.amount == other.amount:
                raise OptionError(f"{other} and {size} are the same bet; write one of them")
    return sizes


def _percent(name: str, value: Any) -> float:
    if is_number(value) and 0.01 <= float(value) <= 100_000:
        return float(value)
    raise OptionError(
        f"{name}={brief(value)} is not possible; choose 0.01 to 100000 percent, or leave it out"
    )


def _sizes_text(sizes: Sizes) -> str:
    return ", ".join(map(str, sizes)) or "none"


def _lines_text(lines: Lines) -> str:
    return " / ".join(map(_sizes_text, lines))


def _streets_text(streets: Sequence[StreetMenu]) -> list[str]:
    """Each distinct entry with the streets that it is for; a single entry has no names."""
    if len(streets) == 1:
        return [str(streets[0])]
    named = list(zip(STREETS, streets, strict=False))
    named += [(name, streets[-1]) for name in STREETS[len(streets) : -1]]
    texts = []
    for street, group in groupby(named, key=lambda each: each[1]):
        texts.append(f"{', '.join(name for name, _ in group)}: {street}")
    return texts
