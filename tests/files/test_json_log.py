import pytest

from tiltless.errors import WriteError
from tiltless.files.json_log import JsonLog


def test_records_come_back_in_order(tmp_path):
    log = JsonLog(tmp_path / "log")
    assert list(log.records()) == []
    for number in range(3):
        log.append({"number": number})
    assert [record["number"] for record in JsonLog(log.path).records()] == [0, 1, 2]


@pytest.mark.parametrize("cut", range(1, 14))
def test_half_a_line_costs_that_line_and_no_other(tmp_path, cut):
    log = JsonLog(tmp_path / "log")
    log.append({"number": 0})
    log.append({"number": 1})
    log.path.write_bytes(log.path.read_bytes()[:-cut])
    log.append({"number": 2})
    kept = [0, 1, 2] if cut == 1 else [0, 2]
    assert [record["number"] for record in log.records()] == kept


def test_what_is_no_record_is_left_out(tmp_path):
    log = JsonLog(tmp_path / "log")
    log.path.write_bytes(b'\xff\n3\n[]\n{"number": 1}\n')
    assert list(log.records()) == [{"number": 1}]


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(WriteError, match="none"):
        JsonLog(tmp_path / "none" / "log").append({})
