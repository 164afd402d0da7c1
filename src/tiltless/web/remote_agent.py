"""Agents in worker processes: those that think for seconds never hold up the server."""

from random import Random
from typing import Any

from tiltless.agents.agent import Agent, Clock, Decision
from tiltless.agents.registry import is_slow, make_agent
from tiltless.executor import WorkerError
from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.view import View
from tiltless.web.workers import WorkerPool

__all__ = ["RemoteAgent", "agent_maker"]


class RemoteAgent(Agent):
    """An agent of the registry that lives in a worker process.

    key: tells it from all others.  What happens at its table is told with the next decision. If
    its process dies it is asked once more in a new one, where it has forgotten earlier hands.
    """

    def __init__(self, pool: WorkerPool, text: str, key: str) -> None:
        self.pool, self.text, self.key = pool, text, key
        self._hooks: list[tuple[str, tuple[Any, ...]]] = []

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """The agent's decision."""
        hooks, self._hooks = self._hooks, []
        asked = {
            "text": self.text,
            "hooks": hooks,
            "view": view,
            "seconds": clock.seconds,
            "seed": rng.getrandbits(63),
        }
        decision: Decision
        try:
            decision = self.pool.run("act", asked, key=self.key)
        except WorkerError:
            decision = self.pool.run("act", asked, key=self.key)
        return decision

    def check_table(self, game: str, rules: Rules) -> str:
        """The agent's note on a table."""
        asked = {"text": self.text, "game": game, "rules": rules}
        return str(self.pool.run("check-agent", asked, key=self.key))

    def match_start(self) -> None:
        """Told with the next decision."""
        self._hooks = [("match_start", ())]

    def hand_start(self, view: View) -> None:
        """Told with the next decision."""
        self._hooks.append(("hand_start", (view,)))

    def showdown(self, view: View) -> None:
        """Told with the next decision."""
        self._hooks.append(("showdown", (view,)))

    def hand_end(self, view: View) -> None:
        """Told with the next decision."""
        self._hooks.append(("hand_end", (view,)))


def agent_maker(pool: WorkerPool, table: str) -> "_Maker":
    """Makes the agents of a table: slow ones in worker processes, others here."""
    return _Maker(pool, table)


class _Maker:
    def __init__(self, pool: WorkerPool, table: str) -> None:
        self.pool, self.table, self.made = pool, table, 0

    def __call__(self, text: str) -> Agent:
        if not is_slow(text):
            return make_agent(text)
        self.made += 1
        return RemoteAgent(self.pool, text, f"agent:{self.table}:{self.made}")
