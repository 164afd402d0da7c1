"""Kill writers at random moments and look at what they leave. Run by test_crash.py.

python crash_writer.py atomic|plain PATH KILLS SEED

Each child writes generation after generation of one file until it is killed with SIGKILL. The plain
writer produces the same bytes straight into the file, which is what a test of safety must catch.
"""

import json
import os
import random
import signal
import sys
import time

import numpy as np

from tiltless.errors import FileError
from tiltless.files import arrays
from tiltless.files.atomic import SUFFIX

CELLS = 1 << 18  # 2 MB


def save_atomic(path, generation):
    arrays.write_arrays(path, {"cells": np.full(CELLS, generation)}, kind="test")


def save_plain(path, generation):
    content = {"cells": np.full(CELLS, generation)}
    with open(path, "wb") as file:
        arrays._stream(file, arrays._plan(content, "test", "", {}), content)


def state(path):
    """A generation, or None where the file cannot be read or mixes two."""
    try:
        cells = arrays.read_arrays(path).arrays["cells"]
    except FileError:
        return None
    return int(cells[0]) if (cells == cells[0]).all() else None


def main(writer, path, kills, seed):
    save = {"atomic": save_atomic, "plain": save_plain}[writer]
    rng = random.Random(seed)
    save(path, 0)
    begin = time.perf_counter()
    save(path, 0)
    span = 3 * (time.perf_counter() - begin)  # so that any disk gets through some generations
    newest = unreadable = backwards = caught_writing = 0
    for _ in range(kills):
        child = os.fork()
        if child == 0:
            generation = newest
            while True:
                generation += 1
                save(path, generation)
        time.sleep(rng.uniform(0.0, span))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        caught_writing += any(str(child) in name for name in os.listdir(os.path.dirname(path)))
        found = state(path)
        if found is None:
            unreadable += 1
        else:
            backwards += found < newest
            newest = found
    save_atomic(path, newest + 1)
    left = sum(name.endswith(SUFFIX) for name in os.listdir(os.path.dirname(path)))
    result = {
        "unreadable": unreadable,
        "backwards": backwards,
        "caught_writing": caught_writing,
        "generations": newest,
        "temporaries_left": left,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
