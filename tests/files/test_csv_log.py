import random

import pytest

from tiltless.files.csv_log import Log, read_log

COLUMNS = ("walks", "speed")


@pytest.fixture
def path(tmp_path):
    made = tmp_path / "log.csv"
    log = Log(made, COLUMNS, 0)
    for walks in range(1, 6):
        log.add([walks * 10**10, walks / 3])
    return made


def walks(rows):
    return [int(row["walks"]) // 10**10 for row in rows]


def test_rows_are_kept(path):
    assert path.read_text().splitlines()[:2] == ["walks,speed", "10000000000,0.333333"]
    again = Log(path, COLUMNS, 5 * 10**10)
    again.add([6 * 10**10, 1.0])
    assert walks(again.rows) == walks(read_log(path, COLUMNS)) == [1, 2, 3, 4, 5, 6]


def test_what_will_be_done_again_is_dropped(path):
    log = Log(path, COLUMNS, 3 * 10**10)
    assert walks(log.rows) == [1, 2, 3]
    log.add([4 * 10**10, 7.0])
    assert read_log(path, COLUMNS)[-1]["speed"] == 7.0
    assert Log(path, COLUMNS, 0).rows == []  # a run from nothing


def test_a_row_that_is_there_twice_is_dropped(path):
    with path.open("a") as file:
        file.write("50000000000,9\n20000000000,9\n")
    assert walks(Log(path, COLUMNS, 10**12).rows) == [1, 2, 3, 4, 5]


def test_half_a_line_is_dropped(path):
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])
    assert walks(Log(path, COLUMNS, 10**12).rows) == [1, 2, 3, 4]
    assert walks(read_log(path, COLUMNS)) == [1, 2, 3, 4]


def test_other_columns_and_no_file(path, tmp_path):
    assert Log(path, (*COLUMNS, "more"), 10**12).rows == []
    assert path.read_text() == "walks,speed,more\n"
    assert read_log(tmp_path / "nothing.csv", COLUMNS) == []
    assert read_log(tmp_path, COLUMNS) == []


def test_damage_never_stops_a_run(path):
    whole, rng = path.read_bytes(), random.Random(0)
    for _ in range(200):
        data = bytearray(whole)
        for _ in range(rng.randrange(1, 30)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data[: rng.randrange(len(data))])
        log = Log(path, COLUMNS, 10**12)
        log.add([10**13, 1.0])
        assert read_log(path, COLUMNS)[-1] == {"walks": 10**13, "speed": 1.0}


def test_numbers_that_are_none_are_written_and_not_read(path):
    log = Log(path, COLUMNS, 10**12)
    for speed in (float("nan"), float("inf")):
        log.add([10**13, speed])
    assert path.read_text().splitlines()[-2:] == ["10000000000000,nan", "10000000000000,inf"]
    assert walks(read_log(path, COLUMNS)) == [1, 2, 3, 4, 5]


def test_a_full_disk_is_told_in_one_line(path, tmp_path):
    told = []
    log = Log(path, COLUMNS, 10**12, told.append)
    log.path = tmp_path / "folder" / "log.csv"
    for _ in range(3):
        log.add([6 * 10**10, 2])
    assert len(told) == 1  # not at every row
    assert told[0].startswith(f"no history for now: {log.path}: No such file")
    log.path.parent.mkdir()
    log.add([7 * 10**10, 2])  # the rows that were missed come with it
    assert walks(read_log(log.path, COLUMNS)) == [1, 2, 3, 4, 5, 6, 6, 6, 7]
    log.path = tmp_path / "none" / "log.csv"
    log.add([8 * 10**10, 2])
    assert len(told) == 2


def test_no_history_from_the_start_is_told(tmp_path):
    told = []
    log = Log(tmp_path / "folder" / "log.csv", COLUMNS, 0, told.append)
    assert len(told) == 1
    assert "\n" not in told[0]
    log.path.parent.mkdir()
    log.add([10**10, 2])
    assert walks(read_log(log.path, COLUMNS)) == [1]


def test_two_lines_in_one_are_no_row(path):
    with open(path, "a") as file:
        file.write("60000000000,1")
        file.write("70000000000,2\n80000000000,3\n")
    assert walks(read_log(path, COLUMNS)) == [1, 2, 3, 4, 5, 8]
