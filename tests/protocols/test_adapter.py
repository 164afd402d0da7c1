"""The contract of adapters: refusals, rulings, hooks, bounded lines; the page that explains it."""

import doctest
import random
import re
import time
from pathlib import Path

import pytest

from tiltless.agents.agent import Agent, Clock, Decision, check_or_call
from tiltless.arena import watchdog
from tiltless.arena.rulings import ARENA, Ruling
from tiltless.errors import InputError, OptionError
from tiltless.games import load
from tiltless.games.holdem.actions import RaiseTo
from tiltless.protocols.adapter import RULINGS, Adapter, FakePeer, Lines, MatchStart

PAGE = Path(__file__).parents[2] / "docs" / "adding-a-protocol.md"


@pytest.fixture(scope="module")
def page():
    """The names of the page's example; its line in the table goes with it."""
    text = PAGE.read_text(encoding="utf-8")
    names = {"__name__": "page"}
    for block in re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        exec(compile(block, PAGE.name, "exec"), names)
    yield names
    del RULINGS["lines"]


@pytest.fixture
def dialect(page):
    return page["LineDialect"]()


def test_the_page_says_what_happens(page):
    text = PAGE.read_text(encoding="utf-8")
    examples = "\n".join(re.findall(r"^```pycon\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    test = doctest.DocTestParser().get_doctest(examples, dict(page), PAGE.name, str(PAGE), 0)
    assert len(test.examples) > 3
    said = []
    doctest.DocTestRunner().run(test, out=said.append)
    assert not said, "".join(said)


class Script(Agent):
    """Follows a script, then checks or calls; records its hooks and random numbers."""

    def __init__(self, *moves):
        self.moves, self.seen, self.draws = list(moves), [], []

    def act(self, view, clock, rng):
        self.draws.append(rng.random())
        move = self.moves.pop(0) if self.moves else check_or_call(view.actions)
        return Decision(move() if callable(move) else move)

    def match_start(self):
        self.seen.append("match_start")

    def hand_start(self, view):
        self.seen.append(("hand_start", view.cards, view.payoffs))

    def hand_end(self, view):
        self.seen.append(("hand_end", view.payoffs, view.is_over))


HAND = ["new 1 AsKd", "did call", "act", "did check", "board 2c7d9h", "act"]


def test_steps_reach_the_agent_in_order(dialect):
    agent = Script()
    peer = FakePeer([*HAND, "end -2", "new 0 2c2d", "end 1"])
    assert peer.play(adapter := Adapter(dialect, agent)) == ["check", "check"]
    kinds = [each if isinstance(each, str) else each[0] for each in agent.seen]
    assert kinds == ["match_start", *["hand_start", "hand_end"] * 2]
    assert agent.seen[2] == ("hand_end", (2, -2), True)
    assert agent.seen[4] == ("hand_end", (1, -1), True)
    assert adapter.faults == []


def crash():
    raise ZeroDivisionError("lost")


@pytest.mark.parametrize(
    ("move", "kind"), [(crash, "crashed"), (RaiseTo(3), "illegal"), (None, "illegal")]
)
def test_a_failing_agent_is_ruled_on_as_the_table_says(dialect, monkeypatch, move, kind):
    for ours, free, facing in (
        (Ruling.CHECK_OR_FOLD, "check", "fold"),
        (Ruling.CHECK_OR_CALL, "check", "call"),
    ):
        monkeypatch.setitem(RULINGS, "lines", RULINGS["lines"]._replace(ours=ours))
        adapter = Adapter(dialect, Script(move, move))
        assert FakePeer(["new 1 AsKd", "did call", "act"]).play(adapter) == [free]
        assert FakePeer(["new 1 AsKd", "did raise 6", "act"]).play(adapter) == [facing]
        assert [(fault.seat, fault.kind) for fault in adapter.faults] == [(1, kind)] * 2


def test_a_hook_that_fails_changes_nothing(dialect):
    class Bad(Script):
        def hand_start(self, view):
            raise SystemExit

        def match_start(self):
            raise ValueError("no")

    adapter = Adapter(dialect, Bad())
    assert FakePeer(HAND).play(adapter) == ["check", "check"]
    assert [fault.kind for fault in adapter.faults] == ["hook", "hook"]


def test_an_agent_that_cannot_play_at_the_table_says_so(dialect):
    dialect.read = lambda message: [MatchStart(load("nlhe", seats=3))]
    with pytest.raises(OptionError, match="3"):
        Adapter(dialect, "search").receive("any")


def test_a_note_about_the_table_is_a_warning(dialect):
    dialect.read = lambda message: [MatchStart(load("nlhe", stack=40))]
    with pytest.warns(UserWarning, match="BlueprintAgent: .*20"):
        Adapter(dialect, "blueprint").receive("any")


def test_texts_are_not_trusted(dialect):
    with pytest.raises(OptionError, match=r"'os:system:command=false'.*trusted=True"):
        Adapter(dialect, "os:system:command=false")


def test_late_answers_are_sent_and_kept(dialect):
    agent = Script(lambda: time.sleep(0.03) or RaiseTo(6))
    adapter = Adapter(dialect, agent, clock=Clock(0.001))
    assert FakePeer(["new 1 AsKd", "did call", "act"]).play(adapter) == ["raise 6"]
    assert [fault.kind for fault in adapter.faults] == ["late"]


def test_who_does_not_answer_is_interrupted(dialect, monkeypatch):
    monkeypatch.setattr(watchdog, "_GRACE", 0.05)
    monkeypatch.setattr(watchdog, "_EVERY", 0.05)
    adapter = Adapter(dialect, Script(lambda: time.sleep(20)), clock=Clock(0.05))
    assert FakePeer(["new 1 AsKd", "did raise 6", "act"]).play(adapter) == ["fold"]
    (fault,) = adapter.faults
    assert fault.kind == "late"
    assert "interrupted" in fault.detail


def test_random_numbers_follow_from_seed_hand_and_decision(dialect, page):
    def draws(seed, hands):
        agent, other = Script(), page["LineDialect"]()
        FakePeer(HAND * hands).play(Adapter(other, agent, seed=seed))
        return agent.draws

    assert draws(1, 2) == draws(1, 2)
    assert draws(1, 2)[:2] == draws(1, 1)
    assert len({*draws(1, 2), *draws(2, 2)}) == 8


def test_rubbish_is_refused_and_the_next_message_is_answered(dialect):
    """Mutated messages: no crash, faults are bounded lines, and a whole hand is played after."""
    rng = random.Random(4)
    adapter = Adapter(dialect, "fish")
    letters = "newactdidboard 0123456789AKQsdhc\x00é-"
    for _ in range(3000):
        message = list(rng.choice(HAND))
        for _ in range(rng.randrange(1, 4)):
            message[rng.randrange(len(message))] = rng.choice(letters)
        adapter.receive("".join(message))
    assert 0 < len(adapter.faults) <= 1000
    assert all(len(fault.detail) < 700 for fault in adapter.faults)
    assert FakePeer(HAND).play(adapter) == ["check", "check"]


def test_lines_from_bytes_in_any_parts():
    data = b"one\r\ntwo\n\nthree\n" + "fünf".encode() + b"\nrest"
    for size in range(1, len(data)):
        lines = Lines()
        found = [line for at in range(0, len(data), size) for line in lines.feed(data[at:][:size])]
        assert found == ["one", "two", "", "three", "fünf"]
        assert lines.feed(b"\n") == ["rest"]


def test_lines_are_bounded():
    lines = Lines(longest=5)
    assert lines.feed(b"12345\n12345\r\n123456\n1234567\r\nab\n\xff\xfe\ncd\n") == [
        "12345",
        "12345",
        "",
        "",
        "ab",
        "",
        "cd",
    ]
    for _ in range(1000):
        assert lines.feed(b"x" * 10_000) == []
    assert len(lines._rest) < 10
    assert lines.feed(b"\nok\n") == ["", "ok"]
    with pytest.raises(OptionError, match="longest="):
        Lines(longest=0)


def test_a_peer_may_follow_a_script_that_listens(dialect):
    said = []

    def table():
        yield "new 1 AsKd"
        yield "did call"
        said.append((yield "act"))
        said.append((yield "did check"))

    assert FakePeer(table()).play(Adapter(dialect, "fish")) == ["check"]
    assert said == ["check", None]


def test_a_peer_may_be_the_player():
    peer = FakePeer([("fold", 0), ("call", 2)])
    assert peer.answer("first") == ("fold", 0)
    assert peer.answer("second") == ("call", 2)
    assert peer.heard == ["first", "second"]
    with pytest.raises(InputError, match="message 3"):
        peer.answer("third")


def test_the_table_begins_with_our_own_rulings():
    assert next(iter(RULINGS)) == "arena"
    assert RULINGS["arena"] is ARENA
    assert set(ARENA) == {Ruling.CHECK_OR_FOLD}
    assert all(isinstance(each, Ruling) for row in RULINGS.values() for each in row)


def test_the_page_has_the_table_of_rulings():
    text = (PAGE.parent / "protocols.md").read_text(encoding="utf-8")
    rows = [[each.strip() for each in line.split("|")[1:-1]] for line in text.splitlines()]
    found = {row[0]: row[1:] for row in rows if len(row) == 5 and row[0] in RULINGS}
    assert found == {
        name: [each.value for each in (row.illegal, row.garbled, row.late, row.lost)]
        for name, row in RULINGS.items()
        if name != "lines"  # of the other page's example
    }
    assert {row.ours for row in RULINGS.values()} == {Ruling.CHECK_OR_FOLD}
