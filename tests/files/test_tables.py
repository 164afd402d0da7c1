import csv
import json
import sys

import pytest

from tiltless.errors import OptionError
from tiltless.files import tables
from tiltless.files.tables import TABLES, check_format, write_table

COLUMNS = {"line": "string", "pot": "int64", "ev": "float64", "words": "list string"}
ROWS = [("x, b32", 64, 1.5, ["x", "b32"]), ("b64 \u2660", 128, None, [])]


def test_csv_and_json_lines(tmp_path):
    for name in ("a.csv", "a.jsonl"):
        assert write_table(tmp_path / name, COLUMNS, iter(ROWS)) == 2
    with open(tmp_path / "a.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(COLUMNS)
    assert [row["line"] for row in rows] == ["x, b32", "b64 \u2660"]
    assert [row["ev"] for row in rows] == ["1.5", ""]
    lines = (tmp_path / "a.jsonl").read_text("utf-8").splitlines()
    assert [tuple(json.loads(line).values()) for line in lines] == ROWS


def test_parquet(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    assert write_table(path, COLUMNS, ROWS, about={"plan": "{}"}) == 2
    assert [tuple(row.values()) for row in parquet.read_table(path).to_pylist()] == ROWS
    assert parquet.read_schema(path).metadata[b"plan"] == b"{}"
    assert write_table(path, COLUMNS, []) == 0
    assert parquet.read_table(path).column_names == list(COLUMNS)


def test_rows_are_written_as_they_come(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "_BATCH", 3)
    held, seen = [], []

    def rows():
        for number in range(8):
            held.append(number - (seen[-1] if seen else 0))
            yield (number,)

    assert write_table(tmp_path / "a.csv", {"n": "int64"}, rows(), progress=seen.append) == 8
    assert seen == [3, 6, 8]
    assert max(held) <= 3


def test_a_fault_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.csv"
    write_table(path, {"n": "int64"}, [(1,)])

    def rows():
        yield (2,)
        raise OptionError("no more")

    with pytest.raises(OptionError, match="no more"):
        write_table(path, {"n": "int64"}, rows())
    assert path.read_text("utf-8") == "n\n1\n"
    assert [each.name for each in tmp_path.iterdir()] == ["a.csv"]


def test_formats(monkeypatch):
    assert check_format("a.CSV") == ".csv"
    for name in ("a", "a.xls", ".csv"):
        with pytest.raises(OptionError, match=r"\.csv, \.jsonl.*\.parquet"):
            check_format(name)
    with pytest.raises(OptionError, match=r"\.json.*\.csv"):
        check_format("a.jsonl", (".json", ".csv"))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(OptionError, match=r"pip install 'tiltless\[analysis\]'"):
        check_format("a.parquet")
    assert len(TABLES) == 3
