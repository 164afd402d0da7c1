"""Rules of a hold'em game: public, frozen, validated.

Every player may see everything here. What only the dealer knows (the hidden ranks of Permutation
Hold'em) belongs to the `tiltless.games.holdem.game.Holdem` game, never to its rules.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tiltless.cards.hand_order import STANDARD, HandOrder
from tiltless.errors import OptionError
from tiltless.games.holdem.betting import Round
from tiltless.games.holdem.streets import Street, deal_size, deck_mask
from tiltless.validate import brief, one_of, true_or_false, whole_number

__all__ = ["HEADS_UP", "MINIMUM_RAISES", "MOST_CHIPS", "MOST_SEATS", "Rules", "parse_stacks"]

MOST_SEATS = 10
MOST_CHIPS = 1_000_000_000_000
_MOST_BOARD = 31

HEADS_UP = ("standard", "pypokerengine")
"""Heads-up blinds: the button posts the small blind, acts first before the flop and last after it;
or, as in the library PyPokerEngine, the button posts the big blind and acts last on every
street."""

MINIMUM_RAISES = ("standard", "acpc")
"""See `tiltless.games.holdem.betting` and `tiltless.games.holdem.betting.Round.acpc`."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a hold'em game.

    stacks: chips of each seat at the start of a hand, unless the hand is started with others.
    blinds: forced bets, clockwise from the seat left of the button (two players: see `HEADS_UP`);
        a third one is a straddle. Apart from zeros, they never decrease.
    ante: paid by every seat before the blinds.  big_blind_ante: paid by the big blind for
        everybody before the blinds; part of the main pot even if somebody is all-in for less.
    streets, run_suits: see `tiltless.games.holdem.streets`.
    hand_order: the order of hands.  eval7_flushes: see `tiltless.cards.evaluate.evaluate`.
    raises_per_player: the most bets and raises that one player may make on a street.
    effective_raises: nobody may raise to more than an opponent can call.
    free_fold: folding is legal where checking is free.
    short_stacks: a hand may start with stacks that do not cover the blinds, which are then posted
        as far as possible; a variant may still refuse such stacks as its default (see
        `tiltless.games.holdem.variants`).
    """

    stacks: tuple[int, ...]
    blinds: tuple[int, ...]
    streets: tuple[Street, ...]
    ante: int = 0
    big_blind_ante: int = 0
    hole_cards: int = 2
    run_suits: str = ""
    hand_order: HandOrder = STANDARD
    eval7_flushes: bool = False
    minimum_raise: str = "standard"
    raises_per_player: int | None = None
    effective_raises: bool = False
    free_fold: bool = False
    heads_up: str = "standard"
    short_stacks: bool = True

    def __post_init__(self) -> None:
        seats = len(self.stacks)
        if not 2 <= seats <= MOST_SEATS:
            raise OptionError(f"seats={seats} is not possible; choose 2 to {MOST_SEATS}")
        self._check_blinds(seats)
        self._set("stacks", self.checked_stacks(self.stacks))
        for switch in ("eval7_flushes", "effective_raises", "free_fold", "short_stacks"):
            true_or_false(switch, getattr(self, switch))
        one_of("heads_up", self.heads_up, HEADS_UP)
        one_of("minimum_raise", self.minimum_raise, MINIMUM_RAISES)
        if self.raises_per_player is not None:
            most = whole_number("raises_per_player", self.raises_per_player, 0, 15)
            self._set("raises_per_player", most)
        self._check_cards(seats)

    def _set(self, name: str, value: Any) -> None:
        """Set a field of this frozen object during construction."""
        object.__setattr__(self, name, value)

    def _check_blinds(self, seats: int) -> None:
        for name in ("ante", "big_blind_ante"):
            self._set(name, whole_number(name, getattr(self, name), 0, MOST_CHIPS))
        if len(self.blinds) > seats:
            raise OptionError(
                f"{len(self.blinds)} blinds for {seats} seats; give each seat one at most "
                "(a straddle needs a third seat)"
            )
        blinds = tuple(whole_number("blinds", blind, 0, MOST_CHIPS) for blind in self.blinds)
        self._set("blinds", blinds)
        posted = [blind for blind in self.blinds if blind]
        if posted != sorted(posted):
            raise OptionError(f"blinds {self.blinds} decrease; write the small blind first")
        if not posted and not self.ante and not self.big_blind_ante:
            raise OptionError("there are no blinds and no antes, so nothing to win; set one")
        if self.big_blind_ante and not posted:
            raise OptionError("big_blind_ante needs a big blind to pay it; set blinds")

    def checked_stacks(self, stacks: tuple[int, ...]) -> tuple[int, ...]:
        """The stacks as plain integers; `OptionError` unless a hand can start with them."""
        if len(stacks) != len(self.stacks):
            raise OptionError(
                f"{len(stacks)} stacks for {len(self.stacks)} seats; give one for each"
            )
        blind = max(self.blinds, default=0)
        needed = 1 if self.short_stacks else blind + self.ante + self.big_blind_ante
        checked = []
        for seat, stack in enumerate(stacks):
            checked.append(whole_number(f"the stack of seat {seat}", stack, 1, MOST_CHIPS))
            if stack < needed:
                raise OptionError(
                    f"the stack of seat {seat} is {stack}, below blind and ante; "
                    f"{needed} chips are needed here"
                )
        return tuple(checked)

    def _check_cards(self, seats: int) -> None:
        if not self.streets:
            raise OptionError("a game without streets cannot be played; give at least one")
        for number, street in enumerate(self.streets):
            whole_number(f"the bet of the {street.name}", street.bet, 1, MOST_CHIPS)
            low, high = (1, _MOST_BOARD) if number else (0, 0)  # the board starts with street 1
            whole_number(f"the cards of the {street.name}", street.cards, low, high)
        board = sum(street.cards for street in self.streets)
        longest = _MOST_BOARD if self.run_suits else board
        deck = deck_mask(self.hand_order.lowest).bit_count()
        needed = whole_number("hole_cards", self.hole_cards, 1, deck) * seats + longest
        if needed > deck:
            raise OptionError(
                f"{seats} seats with {self.hole_cards} cards and a board of {longest} "
                f"need {needed} cards; the deck has {deck}"
            )
        if not 5 <= board + self.hole_cards <= _MOST_BOARD + 2:
            raise OptionError(
                f"{self.hole_cards} hole cards and {board} board cards do not make a hand; "
                "five or more are needed"
            )

    @property
    def seats(self) -> int:
        """The number of seats."""
        return len(self.stacks)

    @property
    def big_blind(self) -> int:
        """The unit of ``bb``: the second posted blind, else the only one, else the smallest bet."""
        posted = [blind for blind in self.blinds if blind]
        return posted[min(1, len(posted) - 1)] if posted else self.streets[0].bet

    @property
    def deck(self) -> int:
        """The deck as a bit mask of card numbers."""
        return deck_mask(self.hand_order.lowest)

    def street(self, number: int) -> Street:
        """Street 0, 1, 2 …; past the last one, the last one is repeated."""
        return self.streets[min(number, len(self.streets) - 1)]

    def street_name(self, number: int) -> str:
        """``"flop"``; past the last street, ``"run"``."""
        return self.streets[number].name if number < len(self.streets) else "run"

    def deal_size(self, street: int, board: Sequence[int]) -> int:
        """How many board cards are dealt after a street; 0: none, showdown."""
        return deal_size(self.streets, self.run_suits, street, board)

    def round(self, number: int) -> Round:
        """The betting rules of a street, counted from 0."""
        street = self.street(number)
        return Round(
            bet=street.bet,
            fixed=street.fixed,
            cap=street.cap,
            cap_each=self.raises_per_player,
            acpc=self.minimum_raise == "acpc",
            effective=self.effective_raises,
            free_fold=self.free_fold,
        )

    def clockwise(self, button: int) -> tuple[int, ...]:
        """All seats, clockwise from the one left of the button, which comes last."""
        seats = len(self.stacks)
        return tuple((button + 1 + offset) % seats for offset in range(seats))

    def posting_order(self, button: int) -> tuple[int, ...]:
        """All seats in the order in which they post `blinds`."""
        if len(self.stacks) == 2 and self.heads_up == "standard":
            return button, 1 - button
        return self.clockwise(button)


def parse_stacks(stack: Any, seats: int, big_blind: int) -> tuple[int, ...]:
    """The stack of each seat from ``200``, ``"100bb"``, or one of these for each seat."""
    try:
        each = [] if isinstance(stack, str) else list(stack)
    except TypeError:
        each = []
    if not each:
        return (_chips(stack, big_blind),) * seats
    stacks = tuple(_chips(one, big_blind) for one in each)
    if len(stacks) != seats:
        raise OptionError(f"stack has {len(stacks)} numbers for {seats} seats; give one for each")
    return stacks


def _chips(stack: Any, big_blind: int) -> int:
    if isinstance(stack, str):
        form = re.fullmatch(r"(\d{1,18})\s*(bb)?", stack.strip().casefold())
        if form is None:
            raise OptionError(f"stack={brief(stack)} is not a stack; write 200 or '100bb'")
        stack = int(form[1]) * (big_blind if form[2] else 1)
    return whole_number("stack", stack, 1, MOST_CHIPS)
