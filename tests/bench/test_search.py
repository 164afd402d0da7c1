"""The bench of search keeps what it has found."""

import json
from dataclasses import replace

import pytest

from tiltless.bench import search
from tiltless.errors import OptionError
from tiltless.search.entry import ENTRIES


@pytest.fixture
def quick(monkeypatch):
    proof = replace(search.PROOFS["river"], seconds=None, iterations=10)
    monkeypatch.setattr(search, "PROOFS", {"river": proof})


def test_a_long_run_goes_on_where_it_was_stopped(quick, tmp_path, capsys):
    path = tmp_path / "found.jsonl"
    search.main(["river", "1", str(path)])
    first = path.read_text()
    search.main(["river", "2", str(path)])
    assert path.read_text().startswith(first)
    assert len(path.read_text().splitlines()) == 2
    one, two = map(json.loads, capsys.readouterr().out.splitlines())
    assert (one["river_roots"], two["river_roots"]) == (1, 2)
    for name in (*ENTRIES, "fixed-range_argmax"):
        low, mean, high = (two[f"river_{name}_loss_mbb{end}"] for end in ("_low", "", "_high"))
        assert low < mean < high
    path.write_text(first.replace('"run": "', '"run": "x'))
    with pytest.raises(OptionError, match="blueprint"):
        search.main(["river", "1", str(path)])


def test_what_cannot_be_read_is_refused():
    with pytest.raises(OptionError, match="usage"):
        search.main(["flop", "3", "x"])


def test_all_of_it(quick, monkeypatch):
    monkeypatch.setattr(search, "_TIMED_ROOTS", 1)
    found = search.run({"river": 2})
    assert found["river_roots"] == 2
    assert 0 < found["search_river_ms"] < 10_000
    low, mean, high = (
        found[f"river_max-margin_gift_percent{end}"] for end in ("_low", "", "_high")
    )
    assert low < mean < high
