"""Behaviour is as the golden file says; `tiltless bench signature` tells what differs."""

import subprocess
import sys

import numpy as np
import pytest

from tiltless.bench.signature import (
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
from tiltless.bench.signature_agents import skipped
from tiltless.cli.upkeep.signature import GROUPS

KIND = processor()


@pytest.fixture(scope="module")
def golden():
    return Golden.read(golden_path())


@pytest.mark.parametrize("group", [group for group in GROUPS if group != "json"])
def test_behaviour_is_as_in_the_golden_file(golden, group):
    facts = dict(measure(GROUPS[group]()))
    assert compare(golden, facts, KIND, f"{group}.", skipped()) == []


def test_json_of_the_commands_is_as_in_the_golden_file():
    """In a process of its own: what other tests have registered would be listed as well."""
    program = "from tiltless.cli import main; main()"
    command = [sys.executable, "-c", program, "bench", "signature", "--only", "json."]
    done = subprocess.run(command, capture_output=True, text=True)
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
