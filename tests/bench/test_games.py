"""The games bench measures what the peers do, and `make bench` measures everything."""

import re
from pathlib import Path

from tiltless.bench import BENCHES, games
from tiltless.bench.measuring.timing import rates_in_turns
from tiltless.games.holdem.state import HoldemState


def test_hands_are_paid_out_in_the_timed_loop(monkeypatch):
    """Payoffs are lazy; the peers evaluate the showdown and pay out while they are timed."""
    paid, real = [], HoldemState.payoffs

    def payoffs(state):
        paid.append(real.__get__(state))
        return paid[-1]

    monkeypatch.setattr(HoldemState, "payoffs", property(payoffs))
    assert games._ours(5) == 5 * 8  # four streets, each checked or called by both
    assert len(paid) == 5


def test_make_bench_runs_every_bench():
    text = (Path(__file__).parents[2] / "Makefile").read_text(encoding="utf-8")
    run = re.search(r"for name in ([a-z ]+); do \S*tiltless bench", text)[1].split()
    assert sorted(run) == sorted(set(BENCHES) - {"ranges-quick"})


def test_peers_play_in_turns_and_may_be_missing():
    played = []

    def missing(hands):
        raise ImportError

    def plays(name):
        return lambda hands: played.append((name, hands)) or hands

    rates = rates_in_turns(
        {"a": (plays("a"), 5), "b": (missing, 1), "c": (plays("c"), 2)}, rounds=2
    )
    assert played == [("a", 1), ("c", 1), ("a", 5), ("c", 2), ("a", 5), ("c", 2)]
    assert rates["b"] is None
    assert min(rates["a"], rates["c"]) > 0
