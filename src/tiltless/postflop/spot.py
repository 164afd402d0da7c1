"""Post-flop spots: a board, two ranges, chips and a bet menu.

::

    Spot("QsJh2h8d", oop="QQ+,AKs,JTs", ip="88+,AQs+", pot=64, stack=320, bets="50%, a")

`parse_spot` reads the same from TOML:

.. code-block:: toml

    board = "Qs Jh 2h 8d"
    pot = 64
    stack = 320
    bets = "50%, 100%, a / 50%, a"     # a menu, see `tiltless.abstraction.bets.grammar`
    oop = "QQ+, AKs, JTs"              # ranges, see `tiltless.cards.range_text`
    ip = "88+, AQs+"
    rake = "5%"                        # of the pot, if there is any
    rake_cap = 6                       # the most that is taken, in chips
    big_blind = 2                      # the smallest bet, and the unit of sizes such as 3bb
    aggressor = "ip"                   # who bet last on the previous street, for donk sizes
"""

import math
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.bets.menu import STREETS, Menu
from tiltless.abstraction.bets.presets import find_menu
from tiltless.cards.card import COMBO_CARDS, DECK_SIZE, Cards, cards_text, parse_cards
from tiltless.cards.equity_input import Hand, as_range
from tiltless.cards.ranges import Range
from tiltless.errors import CardError, OptionError, RangeError
from tiltless.files.fingerprint import fingerprint
from tiltless.games.holdem.betting import NOBODY
from tiltless.validate import brief, shortened, whole_number

__all__ = ["IP", "MOST_RAKE", "OOP", "PLAYERS", "Spot", "parse_spot", "unblocked"]

Vector = npt.NDArray[np.float64]

IP, OOP = 0, 1
"""In position and out of position: player indices in arrays, where the button is player 0."""
PLAYERS = ("ip", "oop")
"""The names of the players, by index."""
MOST_RAKE = 0.5
"""The largest fraction of the pot that may be taken as rake."""

_MOST_CHIPS = 1_000_000_000
_STREETS = (3, 4, 5)  # cards of flop, turn and river
_SHOWN_AT = 5
_RIVER = 3


@dataclass(frozen=True)
class Spot:
    """Two players on a board before the first action of its street.

    board: 3 to 5 cards.  oop, ip: ranges, or their text; OOP acts first.  pot: chips in the middle.
    stack: chips behind of the shorter stack.  bets: a menu, or its text.
    rake: fraction of the pot taken as rake, 0.05 for 5 %.  rake_cap: its limit in chips.
    big_blind: the smallest bet, and the unit of sizes such as ``3bb``.
    aggressor: ``"oop"`` or ``"ip"``, the player who made the last bet of the previous street: first
        bets into that player use the donk sizes of the menu, if there are any.
    """

    board: Cards
    oop: Hand
    ip: Hand
    pot: int
    stack: int
    bets: Menu | str
    rake: float = 0.0
    rake_cap: float = math.inf
    big_blind: int = 1
    aggressor: str | None = None

    def __post_init__(self) -> None:
        board = parse_cards(self.board)
        self._set("board", board)
        self._check_board(board)
        for name in ("pot", "stack"):
            self._set(name, whole_number(name, getattr(self, name), 1, _MOST_CHIPS))
        self._set("big_blind", whole_number("big_blind", self.big_blind, 1, _MOST_CHIPS))
        self._set("bets", _menu(self.bets, self.street))
        self._check_rake()
        if self.aggressor not in (None, *PLAYERS):
            raise OptionError(
                f"aggressor={brief(self.aggressor)} is not a player; write oop or ip, or omit it"
            )
        for name in PLAYERS:
            whole = as_range(getattr(self, name))
            left = whole.without(board)
            if not len(left):
                why = "is empty" if not len(whole) else f"has no hand left on {self.board_text}"
                raise RangeError(
                    f"the range of {name.upper()} ({shortened(str(whole))}) {why}; give it a combo "
                    "that shares no card with the board"
                )
            self._set(name, left)
        if not self.pairs:
            raise RangeError(
                f"every hand of OOP shares a card with every hand of IP on {self.board_text}; "
                "widen a range"
            )

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _check_board(self, board: tuple[int, ...]) -> None:
        if len(board) not in _STREETS:
            raise CardError(f"the board has {len(board)} cards; give 3 (flop), 4 (turn), 5 (river)")

    def _check_rake(self) -> None:
        for name, high, example, most in (
            ("rake", MOST_RAKE, "0.05", f" to {MOST_RAKE}, a fraction of the pot"),
            ("rake_cap", math.inf, "6", " chips or more"),
        ):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise OptionError(f"{name}={brief(value)} is not a number; write {example}")
            if not 0 <= value <= high:
                raise OptionError(f"{name}={value:g} is not possible; choose 0{most}")
            self._set(name, float(value))

    @property
    def board_text(self) -> str:
        """``QsJh2h8d``."""
        return cards_text(parse_cards(self.board))

    @property
    def shown_at(self) -> int:
        """The number of cards of the boards on which hands are shown."""
        return _SHOWN_AT

    @property
    def bets_later(self) -> bool:
        """Whether there are bets on later streets; otherwise their cards are dealt and shown."""
        return True

    @property
    def suit_groups(self) -> tuple[int, int, int, int]:
        """The group of each suit c, d, h, s; only suits of one group are ever interchangeable."""
        return 0, 0, 0, 0

    @property
    def street(self) -> int:
        """1 flop, 2 turn, 3 river, which is where hands are shown."""
        return _RIVER - (self.shown_at - len(parse_cards(self.board)))

    @property
    def street_name(self) -> str:
        """``turn``."""
        return STREETS[self.street]

    @property
    def leads_into(self) -> int:
        """The player whom a first bet leads into, or `NOBODY`."""
        return NOBODY if self.aggressor is None else PLAYERS.index(self.aggressor)

    @property
    def ranges(self) -> tuple[Range, Range]:
        """The ranges by player index, without combos that the board blocks."""
        return as_range(self.ip), as_range(self.oop)

    @cached_property
    def weights(self) -> tuple[Vector, Vector]:
        """The ranges as weights, float64 ``[1326]`` each."""
        one, two = self.ranges
        return one.weights, two.weights

    @cached_property
    def pairs(self) -> float:
        """The sum of weight products over all pairs of hands without a common card."""
        one, two = self.weights
        total = float(one @ unblocked(two))
        return total if total > 1e-9 else 0.0

    def raked(self, pot: float) -> float:
        """The rake taken from a pot."""
        return min(self.rake * pot, self.rake_cap)

    @cached_property
    def fingerprint(self) -> str:
        """Equal for identical spots."""
        return fingerprint({each.name: self._plain(each.name) for each in fields(self)})

    def _plain(self, name: str) -> Any:
        value = getattr(self, name)
        return str(value) if isinstance(value, Range | Menu) else value

    def toml(self) -> str:
        """A text that `parse_spot` reads back."""
        lines = [f'board = "{self.board_text}"']
        lines += [f"{name} = {getattr(self, name)}" for name in ("pot", "stack")]
        lines.append(f'bets = "{self.bets}"')
        lines += [f'{name} = "{getattr(self, name)}"' for name in ("oop", "ip")]
        if self.rake:
            lines.append(f"rake = {self.rake!r}")
        if math.isfinite(self.rake_cap):
            lines.append(f"rake_cap = {self.rake_cap!r}")
        if self.big_blind != 1:
            lines.append(f"big_blind = {self.big_blind}")
        if self.aggressor is not None:
            lines.append(f'aggressor = "{self.aggressor}"')
        return "\n".join(lines) + "\n"


def unblocked(weights: Vector) -> Vector:
    """For each combo, the weight of all combos that share no card with it, float64 ``[1326]``.

    By inclusion and exclusion: the total, less the combos with its first card and with its second,
    plus the combo itself, which was subtracted twice.
    """
    first, second = COMBO_CARDS.T
    held = np.bincount(first, weights, DECK_SIZE) + np.bincount(second, weights, DECK_SIZE)
    rest: Vector = weights.sum() - (held[first] + held[second]) + weights
    return np.maximum(rest, 0.0)


def _menu(bets: Menu | str, street: int) -> Menu:
    """The menu of a text, which may omit streets before that of the spot."""
    try:
        return find_menu(bets)
    except OptionError:
        for over in range(1, street + 1) if isinstance(bets, str) and ":" in bets else ():
            with suppress(OptionError):
                menu = find_menu(f"{', '.join(STREETS[:over])}: none; {bets}")
                break
        else:
            raise
    if f"{STREETS[street]}:" not in _compact(str(bets)):
        raise OptionError(
            f"the menu has no sizes for the {STREETS[street]}; name it, or write sizes without a "
            "street, which hold for all others"
        )
    return menu


def _compact(text: str) -> str:
    return "".join(text.split()).casefold().replace(",", ":")


def parse_spot(text: str, **changes: Any) -> Spot:
    """Read a spot from TOML; `OptionError` names what is missing, unknown or wrong.

    changes: fields that replace those of the text.
    """
    try:
        settings: Mapping[str, Any] = {**tomllib.loads(text), **changes}
    except tomllib.TOMLDecodeError as problem:
        raise OptionError(
            f"the spot is not valid TOML: {problem}; write lines such as pot = 64"
        ) from None
    names = [each.name for each in fields(Spot)]
    for name in settings:
        if name not in names:
            raise OptionError(
                f"{brief(name)} is not a field of a spot; the fields are {', '.join(names)}"
            )
    missing = [name for name in names[:6] if name not in settings]
    if missing:
        raise OptionError(f"the spot has no {missing[0]}; add a line {_EXAMPLES[missing[0]]}")
    values = dict(settings)
    rake = values.get("rake")
    if isinstance(rake, str) and rake.strip().endswith("%"):
        try:
            values["rake"] = float(rake.strip()[:-1]) / 100
        except ValueError:
            raise OptionError(f"rake={brief(rake)} is not a number; write 5%") from None
    elif isinstance(rake, int | float) and rake > MOST_RAKE and not isinstance(rake, bool):
        raise OptionError(f'rake={rake:g} is more than half of the pot; write 0.05 or "5%"')
    return Spot(**values)


_EXAMPLES = {
    "board": 'board = "Qs Jh 2h"',
    "oop": 'oop = "QQ+, AKs"',
    "ip": 'ip = "QQ+, AKs"',
    "pot": "pot = 64",
    "stack": "stack = 320",
    "bets": 'bets = "50%, a"',
}
