"""Plays a match into a file, so that a test can end it at any moment: FILE DEALS PROCESSES."""

import os
import sys

from tiltless.arena.match import play_stored
from tiltless.arena.plan import MatchPlan
from tiltless.arena.store import Store


def plan(deals):
    return MatchPlan(("fish", "uniform"), deals, seed=8, chunk=10)


def vanish(plan, number, agents, keep_hands):
    """In place of playing a chunk."""
    os._exit(3)


if __name__ == "__main__":
    path, deals, processes = sys.argv[1:]
    with Store(path) as store:
        print("ready", flush=True)
        play_stored(plan(int(deals)), store, processes=int(processes), resume=True)
        print("done", flush=True)
