"""The strength experiment: cells, blocks that are stored and continued, tables that claim no more
than their intervals."""

import json
import re

import pytest

from tiltless.errors import OptionError
from tiltless.experiments.strength import cells as cells_module
from tiltless.experiments.strength.cells import FULL, PROBES, QUICK, Cell, cells, model_games
from tiltless.experiments.strength.play import LEAST_DEALS, BlockLog, Figure, play_cells
from tiltless.experiments.strength.published import PUBLISHED
from tiltless.experiments.strength.tables import facts, markdown, result_tables, verdicts
from tiltless.intervals import Tally, tally

GAME = "stack=100bb"
FOLD = Cell("lbr", "4", "fold", GAME, 12, 4)
EVEN = Cell("bots", "fish", "all-in", GAME, 12, 4)
PROOF = Cell("proof", "river", "search", "", 3, 3)
CELLS = (FOLD, EVEN)


def played(log, wanted=CELLS, **more):
    return dict(play_cells(wanted, log, seed=7, **more))


def test_models_are_those_that_ship():
    assert model_games() == {"hundred": GAME, "two-hundred": "blinds=50,100 stack=20000"}


def test_the_full_tables_are_those_of_the_issue(monkeypatch):
    monkeypatch.setattr(cells_module, "model_games", lambda: {"hundred": GAME, "deep": "stack=200"})
    made = cells(FULL)
    hands = {(c.table, c.first, c.second): c.hands for c in made if c.game in (GAME, "")}
    assert hands["lbr", "2", "blueprint"] == hands["lbr", "2", "search:iterations=50"] == 4_000
    assert hands["lbr", "3", "search:iterations=50"] == 2_000
    assert hands["match", "search:iterations=50", "blueprint"] == 50_000
    for probe in PROBES:
        assert hands["probes", probe, "blueprint"] == 20_000
        assert hands["probes", probe, "search:iterations=50"] == 5_000
    deep = {cell._replace(game=GAME) for cell in made if cell.game == "stack=200"}
    assert deep == {cell for cell in made if cell.game == GAME}  # the agents choose the model
    assert hands["proof", "river", "search"] == 100
    assert sum(cell.table == "lbr" for cell in made) == 16
    quick = cells(QUICK)
    assert {cell[:4] for cell in quick} == {cell[:4] for cell in made}  # a version of all of it
    assert all(small.hands < large.hands for small, large in zip(quick, made, strict=True))


def test_some_cells_and_more_hands():
    wanted = cells(FULL.scaled(0.15), agent="search", only=["LBR (2)", "probe-pot"])
    some = [cell for cell in wanted if cell.game == GAME]
    assert len(wanted) == 2 * len(some)
    assert [(cell.first, cell.second, cell.hands) for cell in some] == [
        ("2", "blueprint", 600),
        ("2", "search", 600),
        ("probe-pot", "blueprint", 3_000),
        ("probe-pot", "search", 750),
    ]
    with pytest.raises(OptionError, match="'nothing'"):
        cells(FULL, only=["nothing"])
    both = cells(FULL, only=["LBR (2) & search & 100bb", "match & 20000"])
    assert [cell.title.partition(",")[0] for cell in both] == [
        "lbr: LBR (2) against search:iterations=50",
        "match: search:iterations=50 against blueprint",
    ]
    assert [cell.game for cell in both] == list(model_games().values())


def test_blocks_have_seeds_of_their_own_and_all_the_hands():
    cell = Cell("match", "rules", "fish", GAME, 5_000, 2_000)
    assert [(block.seed, block.hands) for block in cell.blocks(3)] == [
        (3, 2_000), (4, 2_000), (5, 1_000)
    ]  # fmt: skip
    command = "tiltless evaluate 'rules' 'fish' stack=100bb --hands 2000 --seed 3"
    assert next(cell.blocks(3)).command == command
    known = next(cell._replace(first="probe-pot").blocks(3))  # both reveal their strategies
    words = "tiltless evaluate 'probe-pot' 'fish' stack=100bb --estimator ranges"
    assert known.command == f"{words} --hands 2000 --seed 3"
    response = next(Cell("lbr", "2", "fish", GAME, 500, 500).blocks(3))
    words = "tiltless lbr 'fish' stack=100bb --setting 2 --estimators ranges --hands 500 --seed 3"
    assert response.command == words


def test_figures_with_known_values(tmp_path):
    """Folding every hand loses the blinds to bets on the flop; fish and all-in play one hand."""
    found = played(BlockLog(tmp_path / "log"))
    for cell in CELLS:
        assert found[cell].hands == 12
        assert found[cell].raw.count == 6
    assert found[EVEN].raw.mean == pytest.approx(0, abs=1e-9)
    assert found[EVEN].raw.interval.half_width == pytest.approx(0, abs=1e-6)
    # as the small blind LBR calls and bets, as the big one it is given the small blind
    assert found[FOLD].factor * found[FOLD].raw.mean == pytest.approx(750)
    assert not found[EVEN].rulings


def test_a_stopped_run_continues_with_the_next_block(tmp_path):
    whole = played(BlockLog(tmp_path / "whole"))
    path, blocks = tmp_path / "stopped", []

    def stop(cell):
        def told(hands, interval):
            blocks.append(hands)
            if len(blocks) > 4:
                raise KeyboardInterrupt

        return told

    with pytest.raises(KeyboardInterrupt):
        played(BlockLog(path), begin=stop)
    kept = path.read_text().splitlines()
    assert 0 < len(kept) < 6
    with path.open("a") as file:
        file.write(kept[0][:50])  # a process was killed while it wrote
    log = BlockLog(path)
    again = played(log)
    assert log.taken == len(kept)
    for cell in CELLS:
        assert again[cell]._replace(seconds=0) == whole[cell]._replace(seconds=0)
    assert len([line for line in path.read_text().splitlines() if line.endswith("}")]) == 6
    log = BlockLog(path)
    played(log)
    assert log.taken == 6


def test_blocks_of_another_version_are_played_again(tmp_path, monkeypatch):
    path = tmp_path / "log"
    played(BlockLog(path), [EVEN])
    from tiltless.agents.simple import Caller

    monkeypatch.setattr(Caller, "fingerprint", lambda agent: "other code")
    log = BlockLog(path)
    played(log, [EVEN])
    assert log.taken == 0


def proved(street, roots):
    assert (street, roots) == ("river", 3)
    found = {"river_roots": 3.0, "river_blueprint_loss_mbb": 2_500.0}
    for key, mean in (("gain_mbb", 200.0), ("loss_mbb", -2_000.0), ("gift_percent", 60.0)):
        found |= {f"river_max-margin_{key}{end}": mean for end in ("", "_low", "_high")}
    return found


def figure(mean, half=100.0, hands=2_000):
    """A figure whose interval is about ``mean ± half`` mbb/h."""
    deals = hands // 2
    spread = half / 1.96 * deals**0.5
    some = tally([mean - spread, mean + spread] * (deals // 2))
    return Figure(some, some, 1.0, hands)


def test_tables_stand_beside_published_rows_and_mark_what_is_shown(tmp_path):
    figures = {
        Cell("lbr", "1", "search:iterations=50", GAME, 2_000, 500): figure(-300),
        Cell("lbr", "2", "search:iterations=50", GAME, 4_000, 500): figure(-50),
        Cell("match", "search:iterations=50", "blueprint", GAME, 2_000, 500): figure(150),
        Cell("probes", "probe-pot", "blueprint", GAME, 2_000, 2_000): figure(-2_000),
        Cell("probes", "probe-tenth", "blueprint", GAME, 2_000, 2_000): figure(40),
        **played(BlockLog(tmp_path / "log"), [PROOF], prove=proved),
    }
    text = markdown(figures, 1000, "tiltless reproduce strength")
    row = next(line for line in text.splitlines() if line.startswith("| `search:"))
    assert re.sub(r"\s+", " ", row) == (
        "| `search:iterations=50` | 100 bb | **-300 ± 100** | -50 ± 100 | | |"
    )
    for bot in PUBLISHED:
        line = next(line for line in text.splitlines() if line.startswith(f"| {bot.bot},"))
        for mean, half in bot.won:
            assert f"{mean:,} ± {half:,}" in line
    assert "| DeepStack, published | 200 bb | -428 ± 87 | -383 ± 219 | -775 ± 255 |" in text
    assert "**-2,000 ± 100**" in text
    assert "| 40 ± 100 |" in text
    assert "**150 ± 100**" in text
    assert "+60 (60 to 60)" in text
    assert "seeds 1000 to 1003" in text
    assert "2,000 of 4,000" in text
    words = "tiltless lbr 'search:iterations=50' stack=100bb --setting 1 --estimators ranges"
    assert f"{words} --hands 500" in text
    said = list(verdicts(figures))
    assert "in 1 of 2 settings (1)" in said[0]
    assert said[1].endswith("1 of 2 probes lose, interval included; not shown for probe-tenth")
    titles = [table.title for table in result_tables(figures, 1000)]
    assert len(titles) == len(set(titles)) == 4


def test_few_deals_alike_show_nothing():
    cell = Cell("lbr", "1", "search:iterations=50", GAME, 2_000, 500)
    for deals, shown in ((LEAST_DEALS - 1, "-100 ± ?"), (LEAST_DEALS, "**-100 ± 0**")):
        alike = Figure(tally([-0.2] * deals), None, 500.0, 2 * deals)
        text = markdown({cell: alike}, 1000)
        assert f"| {shown} |" in text
        assert ("± ? for fewer" in text) == (deals < LEAST_DEALS)
        assert f"in {int(deals == LEAST_DEALS)} of 1 settings" in text


def test_json_has_every_figure_and_no_infinity(tmp_path):
    one = Figure(Tally(1, 3.0, 9.0), None, 500.0, 2)
    figures = {FOLD: one, EVEN: figure(-300)}
    found = json.loads(json.dumps(facts(figures, 7), allow_nan=False))
    first, second = found["cells"]
    assert first["interval"] == [None, None]
    assert (first["mbb_per_hand"], first["estimator"]) == (1_500, "ranges")
    assert second["estimator"] == "aivat"
    assert second["mbb_per_hand"] == pytest.approx(-300)
    assert second["seeds"] == [7, 9]
    assert len(second["commands"]) == 3
    assert found["published_lbr"][0]["bot"] == "DeepStack"
