"""Results: the page is told what the file says, and both halves of a deal have the same cards."""

import pytest

from tiltless.arena.store import Store
from tiltless.web.results import cross_tables
from web import samples


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    return folder, samples.play_results(folder / "results.sqlite").sorted()


@pytest.fixture
def file(played, tmp_path):
    (tmp_path / "results.sqlite").write_bytes((played[0] / "results.sqlite").read_bytes())
    (tmp_path / "other.sqlite").write_bytes(b"SQLite format 3\x00" + bytes(84))
    (tmp_path / "text.sqlite").write_text("no database")
    return "/api/results/results.sqlite"


def test_a_cross_table_is_that_of_the_arena(client, file, played):
    assert [each["id"] for each in client.get("/api/results").json()] == ["results.sqlite"]
    found = client.get(file).json()
    (table,) = found["tables"]
    expected = played[1]
    assert [row["agent"] for row in table["rows"]] == list(expected.names)
    for i, row in enumerate(table["rows"]):
        standing = expected.standing(i).mean
        assert row["mean"]["mean"] == pytest.approx(standing.mean, abs=0.01)
        assert row["mean"]["low"] == pytest.approx(standing.low, abs=0.01)
        for j, cell in enumerate(row["cells"]):
            if i == j:
                assert cell is None
                continue
            assert cell["mean"] == pytest.approx(expected.cell(i, j).mean, abs=0.01)
            assert cell["high"] == pytest.approx(expected.cell(i, j).high, abs=0.01)
    assert [each["number"] for each in found["matches"]] == [3, 2, 1]


def test_a_pair_that_never_played_is_empty(played):
    with Store(played[0] / "results.sqlite") as store:
        (table,) = cross_tables(store.records()[:2])
        assert not list(cross_tables(store.records()[:1]))
    cells = [cell for row in table["rows"] for cell in row["cells"]]
    assert len(cells) == 9
    assert sum(cell is None for cell in cells) == 5
    assert sum(row["mean"] is None for row in table["rows"]) == 2


def test_a_match_has_its_course_and_its_deals_by_swing(client, file):
    found = client.get(f"{file}/2").json()
    assert [point[0] for point in found["course"]] == [20, 40, 60]
    assert found["course"][-1][1] == pytest.approx(found["agents"][0]["mean"], abs=0.01)
    swings = [abs(deal["won"]) for deal in found["deals"]]
    assert len(swings) == 30
    assert swings == sorted(swings, reverse=True)
    total = sum(sum(deal["halves"]) for deal in found["deals"])
    assert 100 * total / 60 == pytest.approx(found["agents"][0]["mean"], abs=0.02)


def test_a_replay_has_both_halves_with_the_same_cards(client, file):
    one, two = client.get(f"{file}/2/5").json()
    assert one["cards"] == two["cards"]
    assert one["agents"] == two["agents"][::-1]
    assert one["deals"] == 30
    for half in (one, two):
        assert sum(half["payoffs"]) == 0
        last = half["steps"][-1]
        assert last["pot"] + sum(last["stacks"]) == 400
        said = [line for line in half["log"] if line["kind"] == "action"]
        acted = [step["text"] for step in half["steps"] if step["seat"] >= 0]
        assert acted == [line["parts"][0] for line in said]


@pytest.mark.parametrize(
    "path", ["/9", "/2/99", "/../../etc", "/2/x", "x", "/-1", "/99999999999999999999"]
)
def test_wrong_addresses_are_refused(client, file, path, tmp_path):
    answer = client.get(file + path)
    assert str(tmp_path) not in answer.text
    assert answer.status_code in (404, 422)
    assert answer.json()["error"]
