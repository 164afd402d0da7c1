"""Figures in the README are those of the documents, digit by digit."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def section(title):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.search(rf"^## {title}\n(.*?)^## ", text, re.MULTILINE | re.DOTALL)[1]


def rows(title):
    """The rows of a section's tables, without heads."""
    lines = [line for line in section(title).splitlines() if line.startswith("| ")]
    assert len(lines) > 3
    return lines


@pytest.mark.parametrize("row", rows("How fast")[1:])
def test_speeds_are_those_of_the_benchmarks(row):
    known = set(NUMBER.findall((ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")))
    cells = row.split("|")[2:]
    assert NUMBER.search(cells[0]), row
    assert [each for each in NUMBER.findall("|".join(cells)) if each not in known] == []


def test_strength_is_that_of_the_results():
    known = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    figures = re.findall(r"[-+]?[\d,.]+ ± [\d,.]*\d", section("How strong"))
    assert len(figures) > 12
    assert [each for each in figures if each not in known] == []


def test_quoted_peers_have_a_column_of_their_own():
    """A time from another machine must not stand where ratios are formed."""
    quoted = ("postflop-solver", "OMPEval", "the thesis")
    for row in rows("How fast"):
        _, _, _, same_run, _, _ = row.split("|")
        assert not any(name in same_run for name in quoted)
