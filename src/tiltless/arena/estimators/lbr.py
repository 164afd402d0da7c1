"""Local best response: a simple opponent that knows the strategy it plays against.

It tracks the bot's range with Bayes' rule from the bot's actions and strategy, and at each decision
takes the action that is best if both players only check and call from there to the showdown. With
wp, the probability to win against the range (ties count half), and asked, the chips to call:

    U(fold)    = 0
    U(call)    = wp pot - (1 - wp) asked
    U(raise a) = fp pot + (1 - fp) (wp' (pot + a) - (1 - wp') (asked + a))

a: chips beyond the call, as far as the bot can call them.  fp: the probability that the bot folds.
wp': the probability to win against the hands that do not fold. What it wins on average is a lower
bound of the bot's exploitability. It may be negative, which says nothing.

Paper: Lisý & Bowling (2017), "Equilibrium approximation quality of current no-limit poker bots",
arXiv 1612.07547, algorithm 1.  Deviations: win probabilities are exact on every street, by
enumeration (before the flop from a table); the paper does not list its 56 bets, see `bet_sizes`.
"""

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.agents.agent import Agent, Clock, Decision, KnownStrategy, check_or_call
from tiltless.arena.dealer import Seated, play_hand, shuffled_decks
from tiltless.cards.card import COMBO_OF
from tiltless.cards.hand_order import STANDARD
from tiltless.cards.matchups import HOLDING, edges_against_all
from tiltless.errors import OptionError, TiltlessError
from tiltless.games.holdem.actions import CALL, FOLD, Action, RaiseTo
from tiltless.games.holdem.betting import Betting
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.history import PastDecision, StreetDeal, steps, view_before
from tiltless.games.holdem.view import View
from tiltless.intervals import Tally, tally
from tiltless.validate import brief, whole_number

__all__ = [
    "BETS",
    "SETTINGS",
    "LbrSetting",
    "LocalBestResponse",
    "bet_sizes",
    "checked_bot",
    "lbr_wins",
    "local_value",
    "play_lbr",
]

_Vector = npt.NDArray[np.float64]
_LETTERS = "FCPAB"
BETS = 56


class LbrSetting(NamedTuple):
    """Allowed actions on each street: ``LbrSetting.parse("C|C|FCPA|FCPA")``.

    streets: letters for each street; the last entry also holds for later streets.  F fold, C check
    or call, P raise by the pot, A raise all-in, B the ``bets`` raises of `bet_sizes`.
    """

    streets: tuple[str, ...]
    bets: int = BETS

    @classmethod
    def parse(cls, text: str) -> "LbrSetting":
        """One of `SETTINGS` by number, or letters for each street separated by ``|``."""
        if text.strip() in SETTINGS:
            return SETTINGS[text.strip()]
        streets = tuple(part.strip().upper() for part in text.split("|"))
        for street in streets:
            if "C" not in street or set(street) - set(_LETTERS):
                raise OptionError(
                    f"setting {brief(text)} is not known; use {', '.join(SETTINGS)}, or letters of "
                    f"{_LETTERS} with C on every street, such as C|C|FCPA|FCPA"
                )
        return cls(streets)

    def allowed(self, street: int) -> str:
        """The letters of a street."""
        return self.streets[min(street, len(self.streets) - 1)]

    def __str__(self) -> str:
        return "|".join(self.streets)


SETTINGS = {
    "1": LbrSetting(("FC", "FC", "FC", "FC")),
    "2": LbrSetting(("C", "C", "FCPA", "FCPA")),
    "3": LbrSetting(("C", "C", "FCB", "FCB")),
    "4": LbrSetting(("C", "FCB", "FC", "FC")),
}
"""The four settings that are usually published (DeepStack's supplement): fold and call only; bets
of the pot or all-in on turn and river; 56 sizes there; 56 sizes on the flop. Quote the largest
result of the four."""


def bet_sizes(least: int, most: int, count: int = BETS) -> tuple[int, ...]:
    """Raises from the smallest legal one to all-in, in equal ratios; fewer if some coincide."""
    sizes = np.rint(np.geomspace(least, most, count)).astype(int)
    sizes[0], sizes[-1] = least, most
    return tuple(dict.fromkeys(sizes.tolist()))


def local_value(
    win: float, pot: float, asked: float, beyond: float = 0, folds: float = 0.0
) -> float:
    """U of a call, or of a raise by ``beyond`` chips; see above.

    win: the probability to win against the hands that do not fold.  folds: the probability that the
    bot folds.
    """
    return folds * pot + (1 - folds) * (win * (pot + beyond) - (1 - win) * (asked + beyond))


class LocalBestResponse(Agent):
    """Plays heads-up against a bot whose strategy is known; see the module.

    It sees only a player's `View`, and asks for the bot's strategy given the public history.
    """

    def __init__(self, bot: KnownStrategy, setting: LbrSetting) -> None:
        self.bot, self.setting = bot, setting
        self._forget()

    def _forget(self) -> None:
        self._moves = 0
        self._range: _Vector = np.zeros(1326)
        self._equity: tuple[tuple[int, ...], _Vector] | None = None

    def hand_start(self, view: View) -> None:
        """Reset the bot's range."""
        self._forget()

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """The action with the largest U; the cheapest if several are equal."""
        self._follow(view)
        allowed, actions = self.setting.allowed(view.street), view.actions
        stay = check_or_call(actions)
        options: list[Action] = [stay]
        if "F" in allowed and stay == CALL:
            options.insert(0, FOLD)
        options += self._raises(view, allowed)
        if len(options) == 1:
            return Decision(stay, source="lbr")
        action_values = [(action, self._value(view, action)) for action in options]
        best = max(action_values, key=lambda pair: pair[1])[0]
        return Decision(best, values=tuple(action_values), source="lbr")

    def _raises(self, view: View, allowed: str) -> list[Action]:
        least, most = view.min_raise, view.max_raise
        if not most:
            return []
        sizes: list[int] = []
        if "P" in allowed:
            called = view.bets[view.seat] + view.to_call
            sizes.append(min(max(called + view.pot + view.to_call, least), most))
        if "A" in allowed:
            sizes.append(most)
        if "B" in allowed:
            sizes += bet_sizes(least, most, self.setting.bets)
        return [RaiseTo(size) for size in sorted(set(sizes))]

    def _value(self, view: View, action: Action) -> float:
        """U of an action."""
        if action == FOLD:
            return 0.0
        pot, asked = _stakes(view)
        if not isinstance(action, RaiseTo):
            return local_value(self._win(view, self._range), pot, asked)
        other = 1 - view.seat
        room = view.bets[other] + view.stacks[other]  # what the bot can call, on this street
        beyond = min(action.chips, room) - (view.bets[view.seat] + asked)
        betting = view.betting.after(action)
        folds = 0.0
        stays = self._range
        if betting.actor == other:
            known = self.bot.policies(_answering(view, betting, action))
            if FOLD in known.actions:
                chance = known.chances[:, known.actions.index(FOLD)].astype(np.float64)
                folds = float(self._range @ chance)
                stays = self._range * (1 - chance)
        if folds >= 1 - 1e-9:
            return float(pot)
        return local_value(self._win(view, stays), pot, asked, beyond, folds)

    def _win(self, view: View, weights: _Vector) -> float:
        """The probability to win against a range if all cards are dealt; ties count half."""
        if self._equity is None or self._equity[0] != view.board:
            hand = int(COMBO_OF[view.cards[0], view.cards[1]])
            edges = edges_against_all(hand, np.array(view.board, np.uint8))
            self._equity = view.board, 0.5 + edges / 2
        total = float(weights.sum())
        return float(weights @ self._equity[1]) / total if total > 0 else 0.5

    def _follow(self, view: View) -> None:
        """Update the range with the moves since the last call."""
        if not self._moves:
            self._range = _left(np.ones(1326), view.cards, ())
        for step in steps(view)[self._moves :]:
            if isinstance(step, StreetDeal):
                self._range = _left(self._range, step.cards, step.board)
            elif isinstance(step, PastDecision) and step.seat != view.seat:
                self._range = self._acted(view_before(view, step), step.action)
        self._moves = len(view.moves)

    def _acted(self, before: View, action: Action) -> _Vector:
        """The range after an action of the bot; unchanged if the action has probability 0.

        That happens after a ruling, and if probabilities are rounded to 0.
        """
        known = self.bot.policies(before)
        if action not in known.actions:
            return self._range
        weights = self._range * known.chances[:, known.actions.index(action)]
        total = weights.sum()
        return np.asarray(weights / total) if total > 0 else self._range


def _left(weights: _Vector, cards: tuple[int, ...], board: tuple[int, ...]) -> _Vector:
    """The range without hands that hold one of these cards; uniform if nothing is left."""
    left = np.where(HOLDING[list(cards)].any(axis=0), 0.0, weights)
    if not left.any():
        left = np.ones(1326)
        left[HOLDING[list(cards + board)].any(axis=0)] = 0.0
    return np.asarray(left / left.sum())


def _answering(view: View, betting: Betting, action: Action) -> View:
    """The other player's view after an action, without its cards."""
    return view._replace(
        seat=betting.actor,
        cards=(),
        actor=betting.actor,
        actions=betting.actions,
        betting=betting,
        moves=(*view.moves, action),
    )


def _stakes(view: View) -> tuple[int, int]:
    """The pot that can be won now, and the cost of a call.

    Chips that the opponent has put in beyond what our stack can call are returned, so not counted.
    """
    asked = view.to_call
    own, other = view.paid[view.seat], view.paid[1 - view.seat]
    return own + min(other, own + asked), asked


def play_lbr(
    game: Holdem, bot: Agent, setting: LbrSetting, deals: int, *, seed: int = 0, first: int = 0
) -> Tally:
    """The response's winnings in chips per hand, over mirrored deals, played in both seats.

    A failure of the response is an error; failures of the bot are ruled on as usual.
    """
    return tally(lbr_wins(game, bot, setting, deals, seed=seed, first=first))


def lbr_wins(
    game: Holdem, bot: Agent, setting: LbrSetting, deals: int, *, seed: int = 0, first: int = 0
) -> Iterator[float]:
    """The winnings of `play_lbr`, deal by deal."""
    whole_number("deals", deals, 1, 10**12)
    response = LocalBestResponse(checked_bot(game, bot), setting)
    button = game.button
    for number in range(first, first + deals):
        deck = shuffled_decks(game, seed, number, 1)[0].tolist()
        won = 0
        for seat in (0, 1):
            seats = [Seated(bot), Seated(bot)]
            seats[seat] = Seated(response)
            bot.match_start()
            hand = play_hand(game, seats, deck, seed=seed, deal=number, button=button)
            for fault in hand.faults:
                if fault.seat == seat:
                    raise TiltlessError(f"the local best response failed: {fault.detail}")
            won += hand.payoffs[seat]
        yield won / 2


def checked_bot(game: Holdem, bot: Agent) -> KnownStrategy:
    """The bot, if local best response supports it and the game; else `OptionError`."""
    if game.players != 2:
        raise OptionError(
            f"a local best response needs two players, and {game.name} has {game.players}; "
            "choose a heads-up game"
        )
    if game.order != STANDARD or game.hidden is not None or game.rules.run_suits:
        raise OptionError(
            f"a local best response needs the standard order of hands, not that of {game.name}; "
            "choose nlhe, for example"
        )
    if not isinstance(bot, KnownStrategy):
        raise OptionError(
            f"{type(bot).__name__} does not reveal its strategy for every hand; choose an agent "
            "with `policies`, such as blueprint, fish, fold or all-in"
        )
    return bot
