import importlib
import json
import pkgutil
import subprocess
import sys

import numpy as np
import pytest

from tiltless import kernels
from tiltless.abstraction.cards.buckets import PREFLOP_CLASSES
from tiltless.agents.blueprint import load_blueprint
from tiltless.blueprint.shipped import find_blueprint
from tiltless.cli.compiling import besides
from tiltless.cli.upkeep import warmup
from tiltless.cli.upkeep.warmup import jobs, run_jobs, workers
from tiltless.kernels.base.jit import compiler_enabled
from tiltless.kernels.blueprint.chance import reorder_table
from tiltless.kernels.blueprint.playout import play_hands, settle_hands
from tiltless.search.playouts import Continuation

# Needed only to build tables that are then kept on disk, by designs or by tests, or for the layout
# of spots on a GPU (card_lists, hands_below).
NOT_NEEDED = {
    "card_lists",
    "displace_rows",
    "hands_below",
    "next_card_counts",
    "possible_results",
    "rank_long_boards",
    "sum_matchups",
}


@pytest.fixture(scope="module")
def warm():
    """After all jobs, in this process."""
    if not compiler_enabled():
        pytest.skip("needs the compiler")
    for job in jobs().values():
        job()


def test_warmup_compiles_every_kernel(warm):
    missing = set()
    for module in pkgutil.walk_packages(kernels.__path__, "tiltless.kernels."):
        for thing in vars(importlib.import_module(module.name)).values():
            cache = getattr(thing, "_cache", None)
            if cache is not None and type(cache).__name__ != "NullCache" and not thing.signatures:
                missing.add(thing.__name__)
    assert missing <= NOT_NEEDED


def test_averages_of_a_file_are_put_in_order_without_compiling(warm):
    assert {signature[0].mutable for signature in reorder_table.signatures} == {True, False}


@pytest.mark.skipif(not compiler_enabled(), reason="needs the compiler")
def test_playouts_of_a_shipped_blueprint_need_no_compiling():
    jobs()["playouts"]()
    before = {*play_hands.signatures, *settle_hands.signatures}
    shipped = load_blueprint(find_blueprint()).blueprint
    on = Continuation(shipped.tree, shipped.probabilities, [PREFLOP_CLASSES] * 4)
    on.payoffs([1, 2], 0, (51, 50), (), np.ones(1326), 4, 1)
    assert {*play_hands.signatures, *settle_hands.signatures} == before


SPOT = "solve-spot --oop AA --ip KK --pot 10 --stack 20 --bets a --iterations 2"
COMMANDS = (
    "hand AsKsQsJsTs2d3c",
    "equity AsAh KdKc",
    "equity AKs random --board QsJh2h",
    "equity random 30% --board QsJh2h",
    "equity AA KK QQ --board QsJh2h",
    "equity AA KK --method monte_carlo --samples 10",
    "range 15%",
    "abstraction bucket strong AsQs Ks7s2d",
    "abstraction bucket standard AsQs Ks7s2d7c",
    "solve kuhn --iterations 10 --quiet",
    f"{SPOT} --board QsJh2h8d3c",
    f"{SPOT} --board QsJh2h8d --at x_x_4c",
    f"{SPOT} --board QsJh2h --at x_x_4c_x_x_4d --compressed",
    "solve rps --algorithm pcfr+ --iterations 10 --quiet",
)
"""With ``_`` for a space within a word."""
ONE_AFTER_ANOTHER = """
import json, sys
from tiltless.cli import main
for command in json.loads(sys.argv[1]):
    sys.argv[1:] = [word.replace("_", " ") for word in command.split()]
    try:
        main()
    except SystemExit as left:
        assert not left.code, command
"""


def test_no_command_compiles_anything_after_it(warm):
    """In a process of its own, which has what the jobs left on disk."""
    command = [sys.executable, "-c", ONE_AFTER_ANOTHER, json.dumps(COMMANDS)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert "compiling" not in done.stderr


def test_jobs_are_done_in_processes_of_their_own_and_seconds_add_up():
    seen = []
    run_jobs(["hand tables", "hand evaluation", "boards"], 2, lambda *now: seen.append(now))
    assert seen[-1] == ("", 3.0)
    assert all(0 <= done <= 3 for _, done in seen)


def test_a_process_that_died_leaves_its_job_to_us(monkeypatch):
    done = []
    monkeypatch.setattr(warmup, "jobs", lambda: {name: lambda: done.append(1) for name in "ab"})
    run_jobs(["a", "b"], 2, lambda *_: None)  # which the others do not know, and die of it
    assert len(done) == 2


def test_as_many_processes_as_cores_and_memory_allow(monkeypatch):
    monkeypatch.setattr(warmup, "usable_cores", lambda: 4)
    for free, expected in ((0.0, 1), (1.3e9, 2), (float("inf"), 4)):
        monkeypatch.setattr(warmup, "free_memory", lambda free=free: free)
        assert workers() == expected


def test_compiling_is_said_apart():
    assert besides(0.0) == ""
    assert "2.3 s" in besides(2.34)
