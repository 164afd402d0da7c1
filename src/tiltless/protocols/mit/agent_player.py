"""Agents of ours at our own MIT engine: in this process, over the same lines."""

import time

from tiltless.agents.agent import Agent
from tiltless.agents.thinking_time import compiling
from tiltless.protocols.adapter import Adapter
from tiltless.protocols.mit.dialect import MitDialect
from tiltless.protocols.mit.engine import TimedAnswer
from tiltless.protocols.mit.years import Year

__all__ = ["AgentPlayer"]


class AgentPlayer:
    """An agent that answers lines, as `tiltless.protocols.mit.client` does over a socket.

    year: with the stack, the clock and the hands of the match.  seed: of the agent's random
    numbers.  Time that is spent compiling is not counted, since a package compiles when it is
    built.
    """

    is_connected = True

    def __init__(self, agent: Agent, name: str, year: Year, seed: int = 0) -> None:
        self.name = name
        agent.expect_match(year.hands)  # for one that plays by the score of a match
        self.adapter = Adapter(MitDialect(year), agent, seed=seed)

    @property
    def notes(self) -> list[str]:
        """The first failures of the agent, one of each kind, for people.

        An answer that takes more than its share of the clock is not one: it counts.
        """
        first = {each.kind: each for each in reversed(self.adapter.faults) if each.kind != "late"}
        return [f"{self.name} {fault.kind}: {fault.detail}" for fault in first.values()]

    @property
    def crashes(self) -> int:
        """How often the agent has failed so that its adapter answered instead."""
        return sum(fault.kind in ("crashed", "illegal", "hook") for fault in self.adapter.faults)

    def ask(self, line: str, limit: float) -> TimedAnswer:
        """The agent's answer to a line, and its thinking time."""
        begin = time.perf_counter() - compiling.total
        answer = self.adapter.receive(line)
        return TimedAnswer(answer or "", time.perf_counter() - compiling.total - begin)
