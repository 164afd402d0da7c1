"""Plays a match into a file, so that a test can end it at any moment: FILE DEALS PROCESSES."""

import contextlib
import os
import sys
import time
from collections import Counter

from tiltless.agents.agent import Agent, Decision, check_or_call
from tiltless.arena import watchdog as patience
from tiltless.arena.match import play_stored
from tiltless.arena.plan import MatchPlan
from tiltless.arena.store import Store


def plan(deals):
    return MatchPlan(("fish", "uniform"), deals, seed=8, chunk=10)


class Sleeper(Agent):
    """Calls, and sleeps for long from some place on; nobody waits so long for it.

    where: "act", or the hook in which it sleeps.  card: one that it holds then; -1 for any.
    """

    def __init__(self, where: str = "act", card: int = -1) -> None:
        patience._PATIENCE, patience._EVERY = 0.3, 0.05  # in worker processes too
        self.where, self.card = where, card

    def act(self, view, clock, rng):
        if self.card < 0 or self.card in view.cards:
            self._sleep("act")
        return Decision(check_or_call(view.actions))

    def hand_end(self, view):
        self._sleep("hand_end")

    def match_start(self):
        self._sleep("match_start")

    def _sleep(self, here):
        end = time.monotonic() + 5  # so that a test fails and does not hang
        while here == self.where and time.monotonic() < end:
            with contextlib.suppress(Exception):
                time.sleep(5)


class Sayer(Agent):
    """Calls, and says why after the flop came; `said` has the short words."""

    def __init__(self, unlucky: float = 0.3) -> None:
        self.unlucky = unlucky
        self.said: Counter[str] = Counter()

    def act(self, view, clock, rng):
        source = ""
        if view.street:
            unlucky = rng.random() < self.unlucky
            self.said["no luck" if unlucky else "street"] += 1
            source = f"street {view.street}" + (", no luck" if unlucky else "")
        return Decision(check_or_call(view.actions), source=source)


def vanish(plan, number, agents, keep_hands):
    """In place of playing a chunk."""
    os._exit(3)


if __name__ == "__main__":
    path, deals, processes = sys.argv[1:]
    with Store(path) as store:
        print("ready", flush=True)
        play_stored(plan(int(deals)), store, processes=int(processes), resume=True)
        print("done", flush=True)
