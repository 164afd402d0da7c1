"""PyPokerEngine's sample bots, as they really play.

If the original folds although checking is free, the bot here folds if the rules allow that
(``free_fold``), and otherwise checks. FishPlayer is `tiltless.agents.simple.Caller`.
"""

from random import Random

from tiltless.agents.agent import Agent, Clock, Decision, check_or_call
from tiltless.agents.win_rate import checked_rollouts, win_rate
from tiltless.games.holdem.actions import CHECK, FOLD, Action, LegalActions, RaiseTo
from tiltless.games.holdem.view import View

__all__ = ["Honest", "RandomPlayer", "give_up"]


def give_up(actions: LegalActions) -> Action:
    """Fold if the rules allow it, even if checking is free."""
    return FOLD if actions.fold else CHECK


class Honest(Agent):
    """PyPokerEngine's HonestPlayer: stays in with an average hand or better, and never raises.

    Rollouts are against one random hand for every other seat, even those that have folded; a tie
    counts as a win. It calls if the win rate is 1 / seats or more, and otherwise folds.

    Deviations: uses our hand evaluator; PyPokerEngine's is wrong in one showdown in 25.
    """

    def __init__(self, rollouts: int = 1000) -> None:
        self.rollouts = checked_rollouts(rollouts)

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """Call or fold."""
        seats = view.rules.seats
        rate = win_rate(
            view.rules, view.cards, view.board, self.rollouts, rng, opponents=seats - 1
        ).with_ties
        stay = rate >= 1 / seats
        action = check_or_call(view.actions) if stay else give_up(view.actions)
        return Decision(action, source=f"win rate {rate:.3f}")


class RandomPlayer(Agent):
    """PyPokerEngine's RandomPlayer: folds one time in three, else raises; it never calls.

    It was meant to fold, call and raise equally often, but compares its random number with
    thresholds that are not cumulative. All raise sizes are equally likely. If its stack is below
    the smallest raise it still tries to raise, which PyPokerEngine rules a fold; so does this bot.
    If nobody has chips left to call a raise, the original raises anyway and gets back what is not
    called; here that is a call.
    """

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """Draw an action."""
        actions = view.actions
        whole_stack = view.bets[view.seat] + view.stack
        if rng.random() < 1 / 3 or whole_stack < view.betting.least:
            return Decision(give_up(actions))
        if not actions.max_raise:
            return Decision(check_or_call(actions))
        sizes = actions.max_raise - actions.min_raise + 1
        return Decision(RaiseTo(actions.min_raise + int(rng.random() * sizes)))
