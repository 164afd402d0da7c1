"""What agents say when they act, beside what `policies` tells of the same decisions afterwards."""

from collections import Counter

from tiltless.agents.agent import Agent, Clock, Decision, check_or_call, check_or_fold
from tiltless.arena.dealer import Seated, play_hand, shuffled_decks
from tiltless.cards.card import COMBO_OF
from tiltless.games.holdem.actions import RaiseTo
from tiltless.games.holdem.history import decisions, view_before

__all__ = ["Anyhow", "Witnessed", "compare", "untold"]


class Anyhow(Agent):
    """Bets small amounts of any size, which trees lack, and rarely folds. It tells nothing."""

    def act(self, view, clock, rng):
        low, high, kind = view.min_raise, view.max_raise, rng.random()
        if high and kind < 0.3:
            return Decision(RaiseTo(rng.randint(low, min(high, 3 * low))))
        return Decision((check_or_fold if kind > 0.97 else check_or_call)(view.actions))


class Witnessed(Agent):
    """Plays as another agent does, and keeps its decisions of a hand."""

    def __init__(self, agent):
        self.agent, self.said = agent, []

    def hand_start(self, view):
        self.said.clear()
        self.agent.hand_start(view)

    def act(self, view, clock, rng):
        decision = self.agent.act(view, clock, rng)
        self.said.append((view, decision))
        return decision


def untold(agent, said, final, seat):
    """The decisions of a hand that is over whose policy is not the row that `policies` tells.

    They are asked about as AIVAT asks: in order, after the hand. Each is a text of both.
    """
    found, seen, views = [], final.view(seat), iter(said)
    for past in decisions(final):
        if past.seat != seat:
            continue
        view, decision = next(views)
        before = view_before(seen, past)._replace(cards=final.hole[seat])
        assert before == view
        actions, chances = agent.policies(before)
        row = chances[int(COMBO_OF[view.cards[0], view.cards[1]])].tolist()
        told = {action: p for action, p in zip(actions, row, strict=True) if p > 0}
        if dict(decision.policy) != told or past.action not in told:
            found.append(f"{view}: played {dict(decision.policy)}, told {told}")
    return found


def compare(game, agents, deals, *, first=0, clock=None, seed=1, look=None):
    """Play deals in all rotations of the seats, and ask every agent with a strategy.

    Returns (sources of the decisions that were compared, by name, and those that differ).
    look: called with the last state of each hand and the agents by seat, before they are asked.
    """
    players, sources, differ = len(agents), Counter(), []
    witnessed = [Witnessed(agent) for agent in agents]
    decks = shuffled_decks(game, seed, first, deals).tolist()
    for deal, deck in enumerate(decks, start=first):
        for half in range(players):
            seats = [witnessed[(seat + half) % players] for seat in range(players)]
            table = [Seated(each, Clock(clock)) for each in seats]
            button = deal % players
            played = play_hand(game, table, deck, seed=seed, deal=deal, button=button)
            assert not played.faults, played.faults
            if look:
                look(played.final, [each.agent for each in seats])
            for seat, each in enumerate(seats):
                if hasattr(each.agent, "policies"):
                    differ += untold(each.agent, each.said, played.final, seat)
                    sources.update(decision.source for _, decision in each.said)
    return sources, differ
