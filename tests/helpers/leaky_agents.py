"""Agents with one leak each, which otherwise play the blueprint."""

from tiltless.agents.agent import Agent, Decision, check_or_fold
from tiltless.agents.registry import make_agent
from tiltless.blueprint.fallback import strengths
from tiltless.cards.card import combo_index
from tiltless.games.holdem.actions import RaiseTo

RIVER = 3


class FoldsRivers(Agent):
    """Folds to every bet on the river."""

    def __init__(self):
        self.agent = make_agent("blueprint")

    def act(self, view, clock, rng):
        if view.street == RIVER and view.to_call:
            return Decision(check_or_fold(view.actions))
        return self.agent.act(view, clock, rng)


class NeverBluffs(Agent):
    """Never bets or raises a river without a good hand."""

    def __init__(self):
        self.agent = make_agent("blueprint")

    def act(self, view, clock, rng):
        decision = self.agent.act(view, clock, rng)
        weak = view.street == RIVER and strengths(view.board)[combo_index(view.cards)] < 0.6
        if weak and isinstance(decision.action, RaiseTo):
            return Decision(check_or_fold(view.actions))
        return decision
