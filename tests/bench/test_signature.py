"""Behaviour is as the golden file says; `tiltless bench signature` tells what differs."""

import numpy as np
import pytest

from helpers.command import run
from tiltless.bench.signature.agents import skipped
from tiltless.bench.signature.golden import (
    Change,
    Fact,
    Golden,
    compare,
    golden_path,
    measure,
    processor,
    short,
    signed,
)
from tiltless.cli.upkeep.signature import GROUPS

KIND = processor()


@pytest.fixture(scope="module")
def golden():
    return Golden.read(golden_path())


AGENTS = "json.agents"
LONG = {
    "blueprint.chance.toy": "blueprint.chance.table",
    "agents.cfr-v2.hands": "agents.cfr-v1.hands",
    "agents.six.hands": "agents.blueprint.hands",  # agents/six/test_agent.py has a small model
    "json.abstraction.report": "json.abstraction.show",
}
"""Entries of several seconds, and quicker ones that go the same way."""


@pytest.mark.parametrize("group", GROUPS)
def test_behaviour_is_as_in_the_golden_file(golden, group):
    left_out = (*skipped(), *LONG, AGENTS)
    items = [item for item in GROUPS[group]() if item[0] not in left_out]
    assert compare(golden, dict(measure(items)), KIND, f"{group}.", left_out) == []


@pytest.mark.slow
def test_long_work_is_as_in_the_golden_file(golden):
    found = {name: work for group in GROUPS.values() for name, work in group() if name in LONG}
    assert {*found} == {*LONG}
    for name, work in found.items():
        assert compare(golden, {name: work()}, KIND, name) == []
        assert LONG[name] in golden.entries


def test_the_signature_of_a_command_in_a_process_of_its_own():
    """Of the agents: what other tests have registered would be listed as well."""
    done = run("bench", "signature", "--only", AGENTS)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


def one(entry, fact, kind="here"):
    return compare(Golden({"a": entry}), {"a": fact}, kind)


def test_floats_are_compared_by_kind_and_sums_elsewhere():
    table = np.linspace(-1, 3, 1000)
    fact = signed("x", floats=(table,))
    entry = Golden({}).updated({"a": fact}, "here").entries["a"]
    assert one(entry, fact) == []
    nearly, other = signed("x", floats=(table + 1e-9,)), signed("x", floats=(table + 1e-3,))
    assert one(entry, nearly) == [Change("a", "floats")]
    assert one(entry, nearly, "elsewhere") == []
    assert one(entry, other, "elsewhere") == [Change("a", "sums")]
    assert one(entry, signed("x", floats=(table[::-1],)), "elsewhere") == [Change("a", "sums")]
    assert one(entry, signed("y", floats=(table,))) == [Change("a", "exact")]


def test_an_update_keeps_hashes_of_other_kinds_while_numbers_stay():
    table = np.ones(10)
    first = Golden({}).updated({"a": signed(floats=(table,))}, "here")
    second = first.updated({"a": signed(floats=(table + 1e-12,))}, "there")
    assert set(second.entries["a"]["floats"]) == {"here", "there"}
    third = second.updated({"a": signed(floats=(2 * table,))}, "there")
    assert set(third.entries["a"]["floats"]) == {"there"}


def test_entries_that_come_and_go(tmp_path):
    golden = Golden({"a.x": {"exact": "1"}, "b.x": {"exact": "2"}})
    facts = {"a.y": Fact("3")}
    assert compare(golden, facts, "here", "a.") == [Change("a.x", "gone"), Change("a.y", "new")]
    assert compare(golden, facts, "here", "a.", ["a.x"]) == [Change("a.y", "new")]
    path = tmp_path / "golden.json"
    golden.updated(facts, "here", "a.").write(path)
    assert Golden.read(path).entries == {"a.y": {"exact": "3"}, "b.x": {"exact": "2"}}
    assert len(path.read_text().splitlines()) == 4
    assert short({"a": Fact("1")}) != short({"a": Fact("2")})
