"""Local best responses to one agent, or to two on the same deals, in several processes.

What a response wins depends on its cards. Its winnings from two agents on the same deals are
compared deal by deal, which cancels the cards that favoured it in both.
"""

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import NamedTuple

from tiltless.agents.agent import Agent
from tiltless.arena.estimators.lbr import LbrSetting, checked_bot, lbr_wins
from tiltless.arena.plan import MatchPlan
from tiltless.arena.workers import in_order
from tiltless.executor import Executor
from tiltless.intervals import Tally

__all__ = ["Responses", "play_responses"]


class Responses(NamedTuple):
    """What local best responses won, in chips per hand, deal by deal.

    first, second: winnings from each agent.  more: first minus second.
    """

    first: Tally = Tally()
    second: Tally = Tally()
    more: Tally = Tally()

    def add(self, wins: tuple[float, float]) -> "Responses":
        """One more deal."""
        one, two = wins
        return Responses(self.first.add(one), self.second.add(two), self.more.add(one - two))


def play_responses(
    plan: MatchPlan,
    setting: LbrSetting,
    *,
    processes: int | Executor = 1,
    progress: Callable[[Responses], None] | None = None,
) -> Responses:
    """Play responses to both agents of a plan on its deals, or once if they are the same agent.

    progress: called with the result so far after each chunk.
    """
    for bot in plan.make_agents():
        checked_bot(plan.table, bot)
    result = Responses()
    with closing(in_order(_chunk, plan, range(plan.chunks), processes, setting)) as chunks:
        for chunk in chunks:
            for wins in chunk:
                result = result.add(wins)
            if progress is not None:
                progress(result)
    return result


def _chunk(
    plan: MatchPlan, number: int, agents: Sequence[Agent], setting: LbrSetting
) -> list[tuple[float, float]]:
    """Winnings from each agent, for each deal of a chunk."""
    deals, seed = plan.deals_of(number), plan.seed
    same = plan.agents[0] == plan.agents[1] and (not plan.objects or agents[0] is agents[1])
    bots = agents[:1] if same else agents
    won = [
        list(lbr_wins(plan.table, bot, setting, len(deals), seed=seed, first=deals.start))
        for bot in bots
    ]
    return list(zip(won[0], won[-1], strict=True))
