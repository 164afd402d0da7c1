"""Many hold'em tables at once, as arrays: a compiled environment for batches.

::

    tables = VectorTables("nlhe", tables=1024, actions="50%, 100%, a", seed=1)
    while True:
        numbers = choose(tables.observations, tables.masks, tables.actors)
        over, payoffs = tables.step(numbers)

Needs numpy and numba only. Every table plays hand after hand: where one is over, `step` returns its
payoffs and the observation is that of the first decision of the next.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.cards.hand_order import hand_tables
from tiltless.errors import ArrayError, OptionError
from tiltless.games.game import Game
from tiltless.games.holdem.betting import Betting
from tiltless.games.holdem.game import Holdem
from tiltless.kernels.base.rng import seed_words
from tiltless.kernels.table import betting as columns
from tiltless.kernels.table.step import TableRules, observe_seat, step_tables
from tiltless.protocols.encoding.action_numbers import MenuNumbers, action_numbers
from tiltless.protocols.encoding.observation import HoldemObservation
from tiltless.protocols.environments.table import game_of
from tiltless.validate import whole_number

__all__ = ["VectorTables", "compiled_rules"]

_NO_CAP = 1 << 40
_MOST_TABLES = 1 << 20
_MOST_CHIPS = 1 << 40
_ALL_IN, _SMALLEST = -1.0, 0.0


def compiled_rules(game: Game, actions: str = "") -> tuple[TableRules, MenuNumbers]:
    """A game for the kernels, and its numbering; `OptionError` if they do not play it.

    They play hold'em with two hole cards and four streets, any blinds, antes, stacks and deck, with
    one list of bet sizes for all streets: percent of the pot, ``min`` and ``a``.
    """
    if not isinstance(game, Holdem) or game.hidden is not None or game.rules.run_suits:
        raise OptionError(
            f"{game.name} has no compiled tables; choose nlhe, limit-holdem or short-deck"
        )
    rules = game.rules
    dealt = tuple(street.cards for street in rules.streets)
    if dealt != (0, 3, 1, 1) or rules.hole_cards != 2 or rules.eval7_flushes:
        raise OptionError(f"{game.name} has no compiled tables: its streets or hands are unusual")
    if max(rules.stacks) > _MOST_CHIPS:
        raise OptionError(f"a stack of {max(rules.stacks)} is too large; at most {_MOST_CHIPS}")
    numbers = action_numbers(game, actions)
    if not isinstance(numbers, MenuNumbers):
        raise OptionError("compiled tables need a menu of sizes, such as '50%, 100%, a', not chips")
    if any(game.start(button).table.betting.actor < 0 for button in range(rules.seats)):
        raise OptionError(
            f"with stacks of {rules.stacks} a hand may be over before anybody acts, which compiled "
            "tables do not play; give larger stacks"
        )
    street_bets = [street.bet for street in rules.streets]
    caps = [_NO_CAP if street.cap is None else street.cap for street in rules.streets]
    switches = (
        rules.streets[0].fixed,
        rules.minimum_raise == "acpc",
        rules.effective_raises,
        rules.free_fold,
    )
    each = _NO_CAP if rules.raises_per_player is None else rules.raises_per_player
    hands = hand_tables(game.order)
    return (
        TableRules(
            rules=np.array([rules.seats, *switches, each, *street_bets, *caps], np.int64),
            opening=np.array([_opening(game, button) for button in range(rules.seats)], np.int64),
            sizes=np.array(_codes(numbers, actions), np.float64),
            unit=np.array([1.0 / max(rules.stacks)], np.float32),
            deck=np.array([card for card in range(52) if game.deck >> card & 1], np.uint8),
            card_key=hands.card_key,
            card_bit=hands.card_bit,
            flushes=hands.flushes,
            offsets=hands.offsets[2],
            values=hands.values[2],
        ),
        numbers,
    )


def _codes(numbers: MenuNumbers, actions: str) -> list[float]:
    """Sizes as numbers for the kernels."""
    menu = numbers.menu
    line = menu.streets[0]
    plain = len(menu.streets) == 1 and line.oop == line.ip and len(line.oop) == 1
    settings = (menu.each, menu.add, menu.force, menu.merge, line.cap, line.donk)
    units = {size.unit for size in numbers.sizes}
    if not plain or any(each is not None for each in settings) or not units <= {"%", "min", "a"}:
        raise OptionError(
            f"compiled tables have one list of sizes in percent of the pot, min and a, not "
            f"{actions!r}; write '50%, 100%, a'"
        )
    codes = {"min": _SMALLEST, "a": _ALL_IN}
    return [codes.get(size.unit, size.amount) for size in numbers.sizes]


def _opening(game: Holdem, button: int) -> list[int]:
    """The row of a new hand."""
    table = game.start(button).table
    opening: Betting = table.betting
    seats = game.players
    row = [0] * (columns.SEAT_COLUMNS + (4 + 2 * columns.STREET_COUNT) * seats)
    row[columns.ACTOR], row[columns.BUTTON] = opening.actor, button
    row[columns.HIGH], row[columns.LIVE] = opening.high, opening.live
    row[columns.ABLE] = opening.able
    row[columns.WAITING], row[columns.LARGEST] = opening.waiting, opening.largest
    row[columns.LEAST] = opening.least
    paid = [start - left for start, left in zip(table.stacks, opening.stacks, strict=True)]
    by_seat = [*opening.stacks, *opening.bets, *table.dead, *table.stacks, *paid]
    row[columns.SEAT_COLUMNS : columns.SEAT_COLUMNS + len(by_seat)] = by_seat
    return row


class VectorTables:
    """Tables of one game, all played at once.

    game: a hold'em game, or the name of one with its parameters.  actions: the bet sizes, as for
    `tiltless.protocols.encoding.action_numbers`.  seed: of the cards.

    observations: float32 ``[tables, size]``, what the player to act knows, laid out by
    `HoldemObservation`.  masks: int8 ``[tables, actions]``, 1 for legal numbers.  over, payoffs: of
    the last step.  All are overwritten by the next step. Payoffs are net chips.
    """

    def __init__(
        self,
        game: Game | str = "nlhe",
        tables: int = 1024,
        actions: str = "",
        seed: int = 0,
        **parameters: Any,
    ) -> None:
        self.game = game_of(game, parameters)
        self._shared, self.numbers = compiled_rules(self.game, actions)
        assert isinstance(self.game, Holdem)
        self.layout = HoldemObservation(self.game)
        count = self.tables = whole_number("tables", tables, 1, _MOST_TABLES)
        seats = self.game.players
        self._rows = np.zeros((count, self._shared.opening.shape[1]), np.int64)
        self._cards = np.zeros((count, 2 * seats + 5), np.uint8)
        self._chips = np.zeros((count, len(self.numbers.sizes)), np.int64)
        self.observations = np.zeros((count, self.layout.size), np.float32)
        self.masks = np.zeros((count, self.numbers.count), np.int8)
        self.payoffs = np.zeros((count, seats), np.int64)
        self.over = np.zeros(count, np.bool_)
        self._no_actions = np.zeros(count, np.int64)
        self.reset(seed)

    def reset(self, seed: int | None = None) -> None:
        """Deal a new hand at every table.

        With a seed it is the first of that seed, and the button is where the game has it.
        """
        if seed is not None:
            self._states = seed_words(seed, self.tables)
            self._rows[:] = 0
            assert isinstance(self.game, Holdem)
            self._rows[:, columns.BUTTON] = self.game.button
        self._step(self._no_actions, True, True)

    def step(
        self, actions: npt.ArrayLike, new_hands: bool = True
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
        """An action at each table; returns `over`, bool ``[tables]``, and `payoffs`.

        actions: whole numbers ``[tables]``; an illegal one is a check if that is free, otherwise a
        fold.  new_hands: whether tables whose hand is over go on with the next at once; otherwise
        they wait for `reset`.
        payoffs: int64 ``[tables, seats]``, zeros where the hand goes on.
        """
        numbers = np.asarray(actions)
        if numbers.shape != (self.tables,) or numbers.dtype.kind not in "iu":
            raise ArrayError(
                f"actions are {numbers.dtype} {list(numbers.shape)}; give whole numbers "
                f"[{self.tables}], one for each table"
            )
        self._step(np.ascontiguousarray(numbers, np.int64), False, new_hands)
        return self.over, self.payoffs

    def _step(self, numbers: npt.NDArray[np.int64], deal: bool, new_hands: bool) -> None:
        step_tables(
            self._shared,
            self._rows,
            self._cards,
            self._states,
            self._chips,
            numbers,
            deal,
            new_hands,
            self.observations,
            self.masks,
            self.payoffs,
            self.over,
        )

    def observe(self, table: int, player: int) -> npt.NDArray[np.float32]:
        """What a player knows at a table, to act or not; a new array."""
        number = whole_number("table", table, 0, self.tables - 1)
        seat = whole_number("player", player, 0, self.game.players - 1)
        out = np.empty(self.layout.size, np.float32)
        observe_seat(self._shared, self._rows, self._cards, number, seat, out)
        return out

    @property
    def actors(self) -> npt.NDArray[np.int64]:
        """The seat to act at each table, -1 where a hand is over; a view."""
        return self._rows[:, columns.ACTOR]

    @property
    def buttons(self) -> npt.NDArray[np.int64]:
        """The seat of the button at each table; a view."""
        return self._rows[:, columns.BUTTON]

    @property
    def ruled(self) -> npt.NDArray[np.bool_]:
        """Whether the last action at each table was illegal, where its hand goes on."""
        return np.asarray(self._rows[:, columns.RULED], np.bool_)

    @property
    def cards(self) -> npt.NDArray[np.uint8]:
        """All cards of the hands in play, hidden ones too: by seat, then the board; a copy."""
        return self._cards.copy()
