"""Kuhn and Leduc at an ACPC dealer: their views, and the agent that plays a solved strategy.

`tiltless.games.kuhn` and `tiltless.games.leduc` are the same games as the definitions
``kuhn.limit.2p`` and ``leduc.limit.2p``: positions are players, cards are counted from the lowest
of the deck. Agents of hold'em cannot play them. Those that look at nothing but their legal actions
can, and ``tabular``, which plays a strategy file of ``tiltless solve`` or solves the game itself.
"""

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple, cast

from tiltless.agents.agent import Agent, Clock, Decision
from tiltless.agents.registry import make_agent
from tiltless.errors import FileError, OptionError
from tiltless.games.game import InfoSet
from tiltless.games.holdem.actions import (
    CALL,
    CHECK,
    FOLD,
    NO_ACTIONS,
    Action,
    LegalActions,
    RaiseTo,
)
from tiltless.games.holdem.view import View
from tiltless.games.kuhn import Kuhn, KuhnState
from tiltless.games.leduc import Leduc, LeducState
from tiltless.protocols.acpc.gamedef import UNLIMITED, GameDef
from tiltless.protocols.acpc.hand import CALL_MOVE, FOLD_MOVE, AcpcHand, Move
from tiltless.protocols.acpc.wire import AcpcMatchState
from tiltless.validate import brief

if TYPE_CHECKING:
    from tiltless.tabular.strategy import Strategy

__all__ = ["SmallTable", "SmallView", "TabularAgent", "small_agent", "small_game"]

_SIMPLE = ("fish", "fold", "all-in", "uniform")
_DISTANCE, _SECONDS = 1e-3, 30.0  # of a strategy from equilibrium, in chips; to solve it
_WORDS: dict[str, Action] = {"fold": FOLD, "check": CHECK, "call": CALL}


class SmallView(NamedTuple):
    """What a player of Kuhn or Leduc sees; the fields that a `View` has mean the same.

    infoset: of the player to act, in the game of `small_game`; None when somebody else is.
    """

    game: str
    seat: int
    cards: tuple[int, ...]
    street: int
    board: tuple[int, ...]
    actions: LegalActions
    infoset: InfoSet | None
    shown: tuple[tuple[int, tuple[int, ...]], ...] = ()
    payoffs: tuple[float, ...] | None = None

    @property
    def is_over(self) -> bool:
        """Whether the hand is over."""
        return self.payoffs is not None


def small_game(game: GameDef) -> Kuhn | Leduc | None:
    """Kuhn or Leduc, if the definition is one of them."""
    players, ante = game.players, game.blinds[0]
    plain = (
        not game.no_limit
        and game.hole_cards == 1
        and ante > 0
        and set(game.blinds) == {ante}
        and not any(game.first)
        and set(game.stacks) == {UNLIMITED}
    )
    if not plain:
        return None
    if game.board_cards == (0,) and (game.suits, game.ranks) == (1, players + 1):
        is_kuhn = (ante, game.raise_sizes, game.max_raises) == (1, (1,), (1,))
        return Kuhn(players) if is_kuhn else None
    if game.board_cards == (0, 1) and len(set(game.max_raises)) == 1:
        return Leduc(
            players=players,
            ranks=game.ranks,
            suits=game.suits,
            raises=game.max_raises[0],
            raise_sizes=cast(tuple[int, int], game.raise_sizes),
            ante=ante,
        )
    return None


class SmallTable:
    """Kuhn or Leduc; `OptionError` if the game is neither."""

    holdem = None

    def __init__(self, game: GameDef) -> None:
        small = small_game(game)
        if small is None:
            raise OptionError("the game is neither hold'em nor Kuhn nor Leduc; no agent plays it")
        self.game, self.small = game, small

    def opening(self, state: AcpcMatchState) -> View:
        """The view after the deal."""
        return self._view(state)

    def view(self, state: AcpcMatchState) -> View:
        """The view now."""
        hand = state.hand
        infoset = None
        if hand.actor == state.position:
            infoset = self._played(state).infoset(state.position)
        return self._view(state, _legal(hand), infoset)

    def ending(self, state: AcpcMatchState) -> View:
        """The view with the result."""
        hand = state.hand
        shown = tuple((p, state.hole[p]) for p in hand.live if len(hand.live) > 1)
        payoffs = hand.payoffs(state.hole, state.board)
        return self._view(state, shown=shown, payoffs=payoffs)

    def move(self, action: Action, view: View) -> Move:
        """Limit raises have no size."""
        if isinstance(action, RaiseTo):
            return Move("r")
        return FOLD_MOVE if action == FOLD else CALL_MOVE

    def _view(
        self,
        state: AcpcMatchState,
        actions: LegalActions = NO_ACTIONS,
        infoset: InfoSet | None = None,
        shown: tuple[tuple[int, tuple[int, ...]], ...] = (),
        payoffs: tuple[float, ...] | None = None,
    ) -> View:
        position = state.position
        seen = SmallView(
            self.small.name,
            position,
            state.hole[position],
            state.hand.round,
            state.board,
            actions,
            infoset,
            shown,
            payoffs,
        )
        return cast(View, seen)  # for agents that look at nothing else

    def _played(self, state: AcpcMatchState) -> KuhnState | LeducState:
        """The state with our card; opponents hold any others, which our infoset does not show."""
        own, board = self._card(state.hole[state.position][0]), None
        taken = [own]
        if state.board:
            board = self._card(state.board[0])
            taken.append(board)
        deck = range(self.game.suits * self.game.ranks)
        free = iter([card for card in deck if card not in taken])
        played: KuhnState | LeducState = self.small.start()
        for position in range(self.game.players):
            played = played.apply(own if position == state.position else next(free))
        for number, moves in enumerate(state.hand.rounds):
            if number:
                played = played.apply(board)
            for move in moves:
                played = played.apply(_word(move, played.actions))
        return played

    def _card(self, card: int) -> int:
        """A card's number in our small games, which begin with the lowest card of the deck."""
        rank, suit = card // 4 - (13 - self.game.ranks), card % 4 - (4 - self.game.suits)
        return rank * self.game.suits + suit


def _legal(hand: AcpcHand) -> LegalActions:
    """The legal actions of the player to act; raises count the chips of the whole hand."""
    owed = hand.high - hand.spent[hand.actor] if hand.actor >= 0 else 0
    return LegalActions(hand.can_fold, not owed, owed, *hand.raise_bounds)


def _word(move: Move, actions: tuple[str, ...]) -> str:
    words = {"f": ("fold",), "c": ("check", "call"), "r": ("bet", "raise")}[move.letter]
    return next(word for word in actions if word in words)


class TabularAgent(Agent):
    """Plays a strategy of Kuhn or Leduc, at ACPC tables only."""

    def __init__(self, strategy: "Strategy") -> None:
        self.strategy = strategy

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """Draw an action of the infoset."""
        infoset = cast(SmallView, view).infoset
        if infoset is None:
            raise OptionError("the tabular agent plays Kuhn and Leduc at ACPC dealers only")
        drawn = self.strategy.sample(infoset, rng)
        return Decision(_WORDS.get(drawn) or RaiseTo(view.actions.min_raise), source="tabular")


def small_agent(text: str, game: GameDef) -> Agent:
    """An agent for Kuhn or Leduc: ``tabular``, ``tabular:file=leduc.safetensors`` or ``fish``."""
    name, _, rest = text.partition(":")
    if name in _SIMPLE:
        return make_agent(text)
    small = small_game(game)
    if name != "tabular" or small is None:
        raise OptionError(
            f"{brief(text)} cannot play this game; choose tabular, tabular:file=PATH or one of "
            f"{', '.join(_SIMPLE)}"
        )
    key, _, path = rest.partition("=")
    if not rest:
        from tiltless.tabular.solve_until import solve
        from tiltless.tabular.solver import Solver

        solver = Solver(small, "dcfr")
        solve(solver, until=_DISTANCE, seconds=_SECONDS)
        return TabularAgent(solver.strategy())
    if key.strip() != "file" or not path:
        raise OptionError(f"{brief(text)} is not possible; write tabular:file=PATH")
    from tiltless.tabular.strategy import Strategy

    strategy = Strategy.load(Path(path.strip()))
    if strategy.game != small:
        raise FileError(
            f"{path.strip()} has a strategy for {strategy.game.name} with "
            f"{dict(strategy.game.parameters)}; this table plays {dict(small.parameters)}"
        )
    return TabularAgent(strategy)
