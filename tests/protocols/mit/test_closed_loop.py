"""Whole matches against a table that deals, and lines that hypothesis has broken."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.mit_lines import engine_lines
from helpers.mit_table import RandomTable, random_choice
from tiltless.agents.agent import Agent, Decision
from tiltless.protocols.adapter import Adapter, FakePeer
from tiltless.protocols.mit.dialect import MitDialect
from tiltless.protocols.mit.wire import CLAUSES, parse_clause
from tiltless.protocols.mit.years import YEARS


class RandomAgent(Agent):
    """Any legal action; records its views and hooks."""

    def __init__(self):
        self.acted, self.hooks, self.ends = [], Counter(), []

    def act(self, view, clock, rng):
        self.acted.append(view)
        assert len(view.actions)
        assert view.cards
        return Decision(random_choice(view.actions, rng))

    def hand_start(self, view):
        self.hooks["hand_start"] += 1

    def showdown(self, view):
        self.hooks["showdown"] += 1
        assert len(view.shown) == 2

    def hand_end(self, view):
        self.hooks["hand_end"] += 1
        self.ends.append(view)


@pytest.mark.parametrize("year", YEARS)
def test_a_match_of_400_hands(year):
    """No illegal answer, every view as the dealer has it, every hand with its result."""
    table, agent = RandomTable(YEARS[year], 400, seed=5), RandomAgent()
    adapter = Adapter(MitDialect(YEARS[year]), agent)
    FakePeer(table.script()).play(adapter)
    assert set(table.complaints) == {""}
    assert adapter.faults == []
    assert adapter.dialect.is_over
    assert agent.acted == [state.view(0) for state in table.states]
    assert [view.payoffs for view in agent.ends] == [end.payoffs for end in table.ends]
    assert [view.shown for view in agent.ends] == [end.shown for end in table.ends]
    assert adapter.dialect.bankroll == sum(end.payoffs[0] for end in table.ends)
    all_in = sum(0 in end.betting.stacks and bool(end.shown) for end in table.ends)
    assert all_in > 8
    assert agent.hooks["showdown"] > 40
    if year == 2023:
        assert max(len(end.board) for end in table.ends) > 9


WORDS = [word for year in YEARS for line in engine_lines(year, "A")[:60] for word in line.split()]
GARBAGE = st.one_of(
    st.sampled_from(WORDS),
    st.text(alphabet="TPHFCKRBODQ0123456789.,-AKQJT98765432cdhs", max_size=12),
    st.text(max_size=6),
)


@st.composite
def broken_matches(draw):
    """The first hands of a recorded match with clauses dropped, repeated, moved and replaced."""
    year, player = draw(st.sampled_from(sorted(YEARS))), draw(st.sampled_from("AB"))
    lines = [line.split() for line in engine_lines(year, player)[: draw(st.integers(5, 60))]]
    for _ in range(draw(st.integers(1, 12))):
        line = lines[draw(st.integers(0, len(lines) - 1))]
        at = draw(st.integers(0, len(line)))
        kind = draw(st.sampled_from(["drop", "repeat", "replace", "insert", "cut", "again"]))
        if kind == "insert":
            line.insert(at, draw(GARBAGE))
        elif kind == "again":
            lines.insert(draw(st.integers(0, len(lines))), [*line])
        elif at < len(line):
            new = {"drop": [], "repeat": [line[at]] * 2, "cut": [line[at][:-1]]}.get(kind)
            line[at : at + 1] = [draw(GARBAGE)] if new is None else new
    return year, [" ".join(line) for line in lines]


def is_answer(text):
    """One that an engine can read."""
    return text[0] in "FCKR" and type(parse_clause(text)) is CLAUSES[text[0]].kind


@settings(max_examples=100)
@given(broken_matches())
def test_broken_lines_are_always_answered(case):
    """With something that every engine can read; what the agent is told stays consistent."""
    year, lines = case
    agent = RandomAgent()
    adapter = Adapter(MitDialect(YEARS[year]), agent)
    for line in lines:
        answer = adapter.receive(line)
        if adapter.dialect.is_over:
            assert answer is None
            break
        assert is_answer(answer)
    assert {fault.kind for fault in adapter.faults} <= {"garbled", "overruled", "late"}
    assert all(len(fault.detail) < 250 and fault.detail.isprintable() for fault in adapter.faults)
    assert 0 <= agent.hooks["hand_start"] - agent.hooks["hand_end"] <= 1
    assert adapter.dialect.bankroll == sum(view.payoffs[0] for view in agent.ends)
    assert all(sum(view.payoffs) == 0 for view in agent.ends)
    if not adapter.dialect.is_over:  # and the next hand is played, whatever came before
        before = len(agent.acted)
        assert is_answer(adapter.receive("T9.000 D0"))
        adapter.receive("T9.000 P0 HAs,Ks")
        assert len(agent.acted) == before + 1


@settings(max_examples=200)
@given(st.lists(st.text(max_size=40), max_size=8))
def test_any_text_is_answered(lines):
    adapter = Adapter(MitDialect(YEARS[2020]), RandomAgent())
    for line in lines:
        answer = adapter.receive(line)
        assert answer is None if adapter.dialect.is_over else is_answer(answer)
        if adapter.dialect.is_over:
            break
