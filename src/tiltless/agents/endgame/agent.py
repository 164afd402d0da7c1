"""The endgame agent: any agent, playing to win the match and not the chips.

::

    make_agent("endgame:agent=blueprint")                      1,000 hands, or what the arena says
    make_agent("endgame:hands=500,agent=search:total=30,hands=500")

Where only the sign of the bankroll after the last hand counts, as at MIT Pokerbots, this wrapper
checks and folds as soon as the match cannot be lost, never folds where that loses it, and near
these lines folds, calls or goes all-in by the score (`lines`). Everything else its agent decides.
It counts hands and chips through its own hooks, so that it plays at any table of two with stacks
that are reset: `match_start` begins a match, and `hand_end` tells what was won.
"""

from pathlib import Path
from random import Random

import numpy as np

from tiltless.agents.agent import (
    Agent,
    Clock,
    CostlyStrategy,
    Decision,
    KnownStrategy,
    Policies,
    check_or_call,
    check_or_fold,
    check_two_seats,
    file_fingerprint,
)
from tiltless.agents.endgame.lines import CALLS, FOLDS, JAMS, KEEPS, Changes, changes
from tiltless.agents.endgame.rules import MatchState
from tiltless.agents.endgame.values import match_values
from tiltless.cards.matchups import HOLDING
from tiltless.games.holdem.actions import FOLD, Action, LegalActions, RaiseTo
from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.view import View
from tiltless.validate import whole_number

__all__ = ["Endgame", "KnownEndgame", "endgame"]

_HANDS, _MOST_HANDS = 1000, 1_000_000


def endgame(agent: Agent, hands: int = 0, only_locks: bool = False) -> "Endgame":
    """A wrapper of an agent; its strategy is known if the agent's is.

    hands: hands of a match; 0 for what the arena says, or 1,000 at other tables.  only_locks: leave
    all to the agent but what loses, or wins, the match for certain.
    """
    kind = KnownEndgame if isinstance(agent, KnownStrategy) else Endgame
    return kind(agent, hands, only_locks)


class Endgame(Agent):
    """An agent that plays to win the match; see the top of this module.

    state: the match before the present hand; None before the first, and after the last.
    """

    def __init__(self, agent: Agent, hands: int = 0, only_locks: bool = False) -> None:
        self.agent, self.only_locks = agent, only_locks
        self.asked = whole_number("hands", hands, 0, _MOST_HANDS)
        self.hands = self.asked or _HANDS
        self.state: MatchState | None = None
        self._bankroll = self._played = 0

    # --- hooks ------------------------------------------------------------------------------------

    def match_start(self) -> None:
        """Begin to count; the agent forgets too."""
        self._bankroll = self._played = 0
        self.state = None
        self.agent.match_start()

    def hand_start(self, view: View) -> None:
        """Note the score before the hand; the first one of all computes `match_values`."""
        self.state = self._state(view)
        self.agent.hand_start(view)

    def showdown(self, view: View) -> None:
        """Passed on."""
        self.agent.showdown(view)

    def hand_end(self, view: View) -> None:
        """Count the hand and its chips."""
        if view.payoffs is not None:
            self._bankroll += view.payoffs[view.seat]
        self._played += 1
        self.agent.hand_end(view)

    def check_table(self, game: str, rules: Rules) -> str:
        """Refuse more than two seats."""
        check_two_seats("endgame", rules)
        return self.agent.check_table(game, rules)

    def expect_match(self, hands: int) -> str:
        """Count on matches of this length, unless another was asked for."""
        note = self.agent.expect_match(hands)
        if not self.asked:
            self.hands = min(hands, _MOST_HANDS)
        elif self.asked != hands:
            note = f"counts on matches of {self.asked:,} hands, not {hands:,}; write hands={hands}"
        return note

    def fingerprint(self) -> str:
        """Fingerprint of this package and of the agent."""
        files = sorted(Path(__file__).parent.glob("*.[ps][ya]*"))
        own = " ".join(map(file_fingerprint, files))
        return f"{super().fingerprint()} {own} {self.agent.fingerprint()}"

    # --- decisions --------------------------------------------------------------------------------

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """The agent's decision, or another where the score asks for it."""
        change = self._changes(view)
        if change is None:
            return self.agent.act(view, clock, rng)
        source = f"endgame, {change.why}"
        if change.only is not None:
            return Decision(_action(change.only, view.actions), source=source)
        decision = self.agent.act(view, clock, rng)
        action = _changed(decision.action, change.line(view.cards), change, view.actions)
        return decision if action == decision.action else Decision(action, source=source)

    def _state(self, view: View) -> MatchState | None:
        left = self.hands - self._played
        if left < 1 or view.rules.seats != 2:
            return None
        posted = [
            start - now
            for start, now in zip(view.starting_stacks, view.opening.stacks, strict=True)
        ]
        posts = posted[view.button], posted[1 - view.button]
        state = MatchState(self._bankroll, left, view.seat == view.button, posts)
        table = self.hands, posts, view.rules.big_blind, min(view.starting_stacks)
        self._values = match_values(*table, not state.is_lost)
        return state

    def _changes(self, view: View) -> Changes | None:
        if self.state is None:
            return None
        return changes(view, self.state, self._values, self.agent, only_locks=self.only_locks)


class KnownEndgame(Endgame):
    """The wrapper of an agent whose strategy is known."""

    agent: KnownStrategy  # type: ignore[assignment]  # and an Agent

    def policies(self, view: View) -> Policies:
        """The agent's policies, changed as by `act`, at the present score."""
        policies = self.agent.policies(view)
        change = self._changes(view)
        if change is None:
            return policies
        actions = list(policies.actions)
        chances = np.zeros((len(policies.chances), len(actions) + 3), np.float32)
        for column, action in enumerate(policies.actions):
            for line in (KEEPS, FOLDS, CALLS, JAMS):
                rows = change.lines == line
                instead = _changed(action, line, change, view.actions)
                if instead not in actions:
                    actions.append(instead)
                chances[rows, actions.index(instead)] += policies.chances[rows, column]
        chances[HOLDING[list(view.board)].any(axis=0)] = 0
        return Policies(tuple(actions), chances[:, : len(actions)])

    def takes_long(self, view: View) -> bool:
        """As the agent says."""
        return isinstance(self.agent, CostlyStrategy) and self.agent.takes_long(view)


def _action(line: int, legal: LegalActions) -> Action:
    """The action of a line other than `KEEPS`."""
    if line == JAMS and legal.max_raise:
        return RaiseTo(legal.max_raise)
    return check_or_fold(legal) if line == FOLDS else check_or_call(legal)


def _changed(action: Action, line: int, change: Changes, legal: LegalActions) -> Action:
    """What is played instead of an action of the agent."""
    if line == KEEPS:
        return check_or_call(legal) if change.never_folds and action == FOLD else action
    if change.keeps_raises and isinstance(action, RaiseTo):
        return action
    return _action(line, legal)
