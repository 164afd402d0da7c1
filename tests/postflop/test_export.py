import csv
import json
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from helpers.solved_spots import river, single, turn
from tiltless.cards.card import cards_text, combo_index
from tiltless.errors import OptionError
from tiltless.postflop.export import (
    COLUMNS,
    FORMATS,
    NODE_COLUMNS,
    check_format,
    export,
    export_nodes,
    node_as_json,
)
from tiltless.postflop.node import find_node
from tiltless.postflop.report import actor_report, street_reports
from tiltless.postflop.spot import parse_spot
from tiltless.postflop.tables import aggregate, card_report, line_report


def _csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_csv_of_one_decision(tmp_path):
    node = find_node(river(), "x")
    assert export(tmp_path / "x.csv", node) == 1
    rows = _csv(tmp_path / "x.csv")
    report = actor_report(node)
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
    node = find_node(river())
    count = export(tmp_path / "street.csv", node, street=True)
    reports = list(street_reports(node))
    assert count == len(reports) > 5
    rows = _csv(tmp_path / "street.csv")
    assert len(rows) == sum(int((report.weight > 0).sum()) for report in reports)
    for row in rows:
        report = next(each for each in reports if each.node.line == row["line"])
        words = {name for name, text in row.items() if text and name not in COLUMNS}
        assert words <= {*report.actions, *(f"ev {word}" for word in report.actions)}
        assert {*report.actions} <= words


def test_json(tmp_path):
    node = find_node(turn(0.02), "x x Th")
    export(tmp_path / "a.json", node, street=True)
    text = (tmp_path / "a.json").read_text(encoding="utf-8")
    found = json.loads(text, parse_constant=lambda name: pytest.fail(name))
    assert parse_spot(found["spot"]).board == node.solver.spot.board
    first = found["decisions"][0]
    report = actor_report(node)
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
    node = find_node(river())
    for name in ("a.csv", "a.parquet"):
        export(tmp_path / name, node, street=True)
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


def test_nodes_are_rows(tmp_path):
    reports = list(card_report(find_node(turn(0.02), "x x")).values())
    names = [tmp_path / f"cards{ending}" for ending in (".json", ".csv", ".parquet")]
    if not find_spec("pyarrow"):
        names.pop()
    assert {export_nodes(name, reports) for name in names} == {48}
    made = json.loads(names[0].read_text(encoding="utf-8"))["places"]
    rows = _csv(names[1])
    words = list(reports[0].frequencies)
    assert list(rows[0]) == [*NODE_COLUMNS, *words]
    for report, plain, row in zip(reports, made, rows, strict=True):
        assert plain["line"] == row["line"] == report.line
        assert plain["player"] == row["player"] == "oop"
        assert plain["board"] == row["board"] == cards_text(report.board)
        assert plain["pot"] == int(row["pot"]) == report.pot
        assert plain["often"] == float(row["often"]) == pytest.approx(report.often, abs=1e-6)
        for player, totals in (("oop", report.oop), ("ip", report.ip)):
            for name in ("ev", "equity", "eqr", "combos"):
                column = f"{player} {name}"
                if np.isnan(getattr(totals, name)):  # no EQR without equity
                    assert plain[column] is None
                    assert row[column] == ""
                    continue
                assert plain[column] == float(row[column])
                assert plain[column] == pytest.approx(getattr(totals, name), abs=1e-6)
        for word in words:
            assert plain["actions"][word] == float(row[word])
            assert plain["actions"][word] == pytest.approx(report.frequencies[word], abs=1e-6)
    if len(names) == 3:
        parquet = pytest.importorskip("pyarrow.parquet")
        table = parquet.read_table(names[2]).to_pylist()
        assert [each["oop ev"] for each in table] == [each["oop ev"] for each in made]
        assert [each["pot"] for each in table] == [20] * 48


def test_nodes_that_are_means_or_never_reached(tmp_path):
    reports = list(card_report(find_node(single(), "x x")).values())
    mean = aggregate(line_report(river(), ["x", "b32"]))
    gone = node_as_json(reports[-1])  # the ace of spades, which OOP holds
    assert gone["often"] == 0
    assert gone["oop ev"] is None
    assert set(gone["actions"].values()) == {None}
    assert not float(node_as_json(mean)["pot"]).is_integer()
    for ending in FORMATS:
        if ending != ".parquet" or find_spec("pyarrow"):
            assert export_nodes(tmp_path / f"all{ending}", [*reports, mean]) == 49


def test_formats(tmp_path):
    assert [check_format(tmp_path / f"a{ending.upper()}") for ending in FORMATS[:2]] == [
        ".json",
        ".csv",
    ]
    for name in ("a", "a.xls", ".csv"):
        with pytest.raises(OptionError, match=r"\.json, \.csv.*\.parquet"):
            check_format(name)
        with pytest.raises(OptionError, match=r"\.json, \.csv.*\.parquet"):
            export_nodes(name, [])


def test_parquet_without_pyarrow_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(OptionError, match=r"pip install 'tiltless\[analysis\]'"):
        export(tmp_path / "a.parquet", find_node(river()))
    assert not list(tmp_path.iterdir())


def test_mistakes(tmp_path):
    with pytest.raises(OptionError, match=r"a\.xls.*\.json, \.csv"):
        export(tmp_path / "a.xls", find_node(river()))
    with pytest.raises(OptionError, match="'x x'"):
        export(tmp_path / "a.csv", find_node(river(), "x x"))
    assert not list(tmp_path.iterdir())
