"""Tasks for the workers of a cluster, which import them by name, and drivers of the tests."""

import json
import os
import random
import signal
import sys
import time


def square(number):
    return number * number


def trouble(number):
    """Job 2 raises, job 4 hangs, job 6 wants more memory than it may have, job 8 dies."""
    import numpy as np

    if number == 2:
        raise ValueError("two is wrong")
    if number == 4:
        time.sleep(1000)
    if number == 6:
        np.ones(1 << 28)
    if number == 8:
        os._exit(1)
    return number


def picky(number):
    """Refused by machines that say so."""
    from tiltless.executor import WorkerRefusedError

    if os.environ.get("TILTLESS_TEST_OTHER_MODEL"):
        raise WorkerRefusedError("it has another model")
    time.sleep(0.05)
    return number


def refused(address):
    """Print the results of `picky` and what was said."""
    from tiltless.distributed.connect import connected

    said = []
    with connected(address, note=said.append) as executor:
        executor.check()
        got = list(executor.map(picky, range(40)))
        states = [each.refused for each in executor.check()]
    print(json.dumps({"got": got, "said": said, "states": states}))


def troubled(address):
    """Print the results of `trouble`, and what was said about the others."""
    from tiltless.distributed.connect import connected
    from tiltless.executor import WorkerError

    got, said = [], []
    with connected(address, job_seconds=3.0, memory=300 << 20, note=said.append) as executor:
        try:
            for result in executor.map(trouble, range(12)):
                got.append(result)
        except WorkerError as problem:
            error = str(problem)
        after = list(executor.map(square, range(8)))
    print(json.dumps({"got": got, "error": error, "said": said, "after": after}))


def match_with_kills(address, deals, kills):
    """Print the sums of a match in which workers are killed at random, in this process and not."""
    from tiltless.arena.match import play_match
    from tiltless.arena.plan import MatchPlan
    from tiltless.distributed.connect import connected

    plan = MatchPlan(("uniform", "rules"), int(deals), seed=5, chunk=10)
    rng, killed = random.Random(1), []
    here = play_match(plan)
    with connected(address) as executor:

        def kill(deals, _):
            alive = [process for _, process in executor.workers if process not in killed]
            if len(killed) < int(kills) and alive:
                process = rng.choice(alive)
                os.kill(process, signal.SIGKILL)
                killed.append(process)

        there = play_match(plan, processes=executor, progress=kill)
    sums = [[[*score.won, score.hands] for score in each] for each in (here, there)]
    print(json.dumps({"here": sums[0], "there": sums[1], "killed": len(killed)}))


if __name__ == "__main__":
    {"troubled": troubled, "match": match_with_kills, "refused": refused}[sys.argv[1]](
        *sys.argv[2:]
    )
