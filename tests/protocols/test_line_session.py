"""What the clients of all protocols of lines have in common."""

from types import SimpleNamespace

import pytest

from tiltless.agents.agent import Agent, Clock, Decision, check_or_call
from tiltless.agents.permutation.view import shown_hands
from tiltless.arena.rulings import Fault, ask
from tiltless.arena.watchdog import NoAnswer
from tiltless.games import load
from tiltless.permutation.orders import Orders
from tiltless.protocols import line_session
from tiltless.seeding import SeededRandom


@pytest.mark.parametrize(("slow", "hands"), [((), 1), ((0,), 2), ((3,), 2), ((0, 5), 2)])
def test_a_decision_that_was_slow_is_rehearsed_again(slow, hands, monkeypatch):
    """What it had to load left it no time for anything else; a second hand is the last one."""
    now, seen = [0.0], []

    class Loads(Agent):
        def act(self, view, clock, rng):
            now[0] += 9.0 if len(seen) in slow else 0.1
            seen.append((view.cards, view.street_name))
            return Decision(check_or_call(view.actions))

    monkeypatch.setattr(line_session, "time", SimpleNamespace(monotonic=lambda: now[0]))
    line_session.rehearse(Loads(), load("nlhe", stack="100bb"))
    assert [street for _, street in seen] == ["preflop", "flop", "turn", "river"] * hands
    assert len({cards for cards, _ in seen}) == hands


def test_a_rehearsal_ends_with_showdowns_of_one_match():
    """An agent that learns from them loads what it needs for it; one that fails there may play."""
    seen = []

    class Learns(Agent):
        def act(self, view, clock, rng):
            assert not seen
            return Decision(check_or_call(view.actions))

        def showdown(self, view):
            seen.append(view)
            if len(seen) == 39:
                raise RuntimeError

    line_session.rehearse(Learns(), load("permutation"))
    assert len(seen) == 39
    assert all(len(view.shown) == 2 and len(view.board) == 5 for view in seen)
    assert len({view.board for view in seen}) == 39
    orders = Orders()
    for view in seen:
        orders.observe(*shown_hands(view))
    assert orders.dropped == []  # one hidden order explains them all


def test_decisions_that_were_not_waited_for_are_told_apart_from_late_ones():
    class Slow(Agent):
        def act(self, view, clock, rng):
            raise NoAnswer

    view = load("nlhe").start().view(0)
    *_, kind, detail = ask(Slow(), view, Clock(0.1), SeededRandom(0), 0)
    faults = [Fault(0, kind, detail), *[Fault(0, "late", "0.200 s of 0.1")] * 2]
    assert [fault.is_interrupted for fault in faults] == [True, False, False]
    faults.append(Fault(0, "illegal", "interrupted after all; legal: check"))
    text = line_session.faults_text(faults)
    assert text.startswith(
        "faults: 2 late, 1 interrupted, 1 illegal; the first: late, interrupted after 0."
    )
