import csv
import json
import sys

import pytest

from helpers.solved_spots import river, turn
from tiltless.cards.card import combo_index
from tiltless.errors import OptionError
from tiltless.solvers.range_export import COLUMNS, export
from tiltless.solvers.range_places import find_place
from tiltless.solvers.range_report import actor_report, street_reports
from tiltless.tree.range_spot import parse_spot


def _csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_csv_of_one_decision(tmp_path):
    place = find_place(river(), "x")
    assert export(tmp_path / "x.csv", place) == 1
    rows = _csv(tmp_path / "x.csv")
    report = actor_report(place)
    assert list(rows[0]) == [
        *COLUMNS, "x", "ev x", "b32", "ev b32", "b150", "ev b150",
    ]  # fmt: skip
    assert len(rows) == (report.weight > 0).sum()
    for row in rows:
        combo = combo_index(row["combo"])
        assert (row["board"], row["line"], row["player"]) == ("QsJh2h8d3c", "x", "ip")
        assert float(row["weight"]) == pytest.approx(report.weight[combo], abs=1e-6)
        assert float(row["ev"]) == pytest.approx(report.ev[combo], abs=1e-6)
        assert float(row["equity"]) == pytest.approx(report.equity[combo], abs=1e-6)
        for n, word in enumerate(report.actions):
            assert float(row[word]) == pytest.approx(report.strategy[combo, n], abs=1e-6)
            assert float(row[f"ev {word}"]) == pytest.approx(report.action_ev[combo, n], abs=1e-6)
        assert sum(float(row[word]) for word in report.actions) == pytest.approx(1, abs=1e-5)


def test_csv_of_a_street_has_nothing_where_there_is_no_such_action(tmp_path):
    place = find_place(river())
    count = export(tmp_path / "street.csv", place, street=True)
    reports = list(street_reports(place))
    assert count == len(reports) > 5
    rows = _csv(tmp_path / "street.csv")
    assert len(rows) == sum(int((report.weight > 0).sum()) for report in reports)
    for row in rows:
        report = next(each for each in reports if each.place.line == row["line"])
        words = {name for name, text in row.items() if text and name not in COLUMNS}
        assert words <= {*report.actions, *(f"ev {word}" for word in report.actions)}
        assert {*report.actions} <= words


def test_json(tmp_path):
    place = find_place(turn(0.02), "x x Th")
    export(tmp_path / "a.json", place, street=True)
    text = (tmp_path / "a.json").read_text(encoding="utf-8")
    found = json.loads(text, parse_constant=lambda name: pytest.fail(name))
    assert parse_spot(found["spot"]).board == place.solver.spot.board
    first = found["decisions"][0]
    report = actor_report(place)
    assert first["line"] == "x x Th"
    assert first["player"] == "oop"
    assert first["board"] == "QdJh2h8dTh"
    assert first["actions"] == list(report.actions)
    assert first["total"]["ev"] == pytest.approx(report.totals.ev, abs=1e-5)
    for text, numbers in first["hands"].items():
        combo = combo_index(text)
        assert numbers["strategy"] == pytest.approx(report.strategy[combo].tolist(), abs=1e-6)
        assert numbers["action_ev"] == pytest.approx(report.action_ev[combo].tolist(), abs=1e-6)
    assert "Ts9s" in first["hands"]
    assert "KhTh" not in first["hands"]  # the card is on the board


def test_parquet_is_the_csv(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    place = find_place(river())
    for name in ("a.csv", "a.parquet"):
        export(tmp_path / name, place, street=True)
    table = parquet.read_table(tmp_path / "a.parquet").to_pylist()
    rows = _csv(tmp_path / "a.csv")
    assert len(table) == len(rows)
    for one, two in zip(table, rows, strict=True):
        assert list(one) == list(two)
        for name, value in one.items():
            if isinstance(value, float):
                assert value == float(two[name])
            else:
                assert ("" if value is None else str(value)) == two[name]


def test_parquet_without_pyarrow_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(OptionError, match=r"pip install 'tiltless\[analysis\]'"):
        export(tmp_path / "a.parquet", find_place(river()))
    assert not list(tmp_path.iterdir())


def test_mistakes(tmp_path):
    with pytest.raises(OptionError, match="ends in no format that is known; write"):
        export(tmp_path / "a.xls", find_place(river()))
    with pytest.raises(OptionError, match="nobody acts after 'x x'"):
        export(tmp_path / "a.csv", find_place(river(), "x x"))
    assert not list(tmp_path.iterdir())
