"""Reports over three flops with few hands: the same as three spots solved one by one."""

import json
import math

import pytest

from tiltless.cards.flops import canonical_flop
from tiltless.errors import FingerprintError, OptionError, RangeError
from tiltless.executor import KeptProcesses
from tiltless.postflop.device import card
from tiltless.postflop.device.machine import NumpyMachine
from tiltless.postflop.flops import solve
from tiltless.postflop.flops.estimate import estimate_flops
from tiltless.postflop.flops.export import export_flops
from tiltless.postflop.flops.run import FlopFolder, in_spread_order, solve_flops
from tiltless.postflop.flops.settings import FlopSettings
from tiltless.postflop.flops.solve import FlopJob, FlopResult, solve_flop
from tiltless.postflop.flops.summary import BY_FLOP, FlopSummary
from tiltless.postflop.node import find_node
from tiltless.postflop.report import hand_report
from tiltless.postflop.solution import solve_spot
from tiltless.postflop.spot import Spot
from tiltless.viz.flops import flops_png

CHIPS = {"pot": 20, "stack": 30, "bets": "flop: 50%, a; turn, river: none"}
RANGES = {"oop": "KK,T9s,A5s", "ip": "AKs,QQ,76s"}
FLOPS = tuple(canonical_flop(text) for text in ("Ks7s2h", "QsTs8s", "5s5h2d"))


@pytest.fixture(scope="module")
def settings():
    return FlopSettings(**RANGES, **CHIPS, until=0.0, iterations=20)


@pytest.fixture(scope="module")
def solved(settings, tmp_path_factory):
    with FlopFolder.open(tmp_path_factory.mktemp("whole"), settings, "three") as folder:
        assert [result.failed for result in solve_flops(folder, FLOPS)] == ["", "", ""]
    return FlopSummary(settings, FLOPS, folder.results)


def test_a_report_equals_single_spots(settings, solved):
    """Frequencies, EV and equity of each flop, and their means with weights worked out here."""
    first, second = settings.decisions
    assert (first.line, first.player, second.line, second.player) == ("", "oop", "x", "ip")
    bets, shares, chips = 0.0, 0.0, 0.0
    rows = {row.name: row for row in solved.rows(second, BY_FLOP)}
    for flop in FLOPS:
        spot = Spot(flop.cards, **RANGES, **CHIPS)
        solution = solve_spot(spot, 0.0, iterations=20, threads=1)
        node = find_node(solution.solver, "x")
        ip, oop = (hand_report(node, player) for player in (0, 1))
        row = rows[flop.text]
        assert row.report.ip.ev == ip.totals.ev
        assert row.report.oop.equity == oop.totals.equity
        assert tuple(row.report.frequencies.values()) == ip.totals.frequencies
        start = hand_report(find_node(solution.solver), 1).totals
        deals = flop.weight * spot.pairs
        checked = deals * start.frequencies[0]
        assert row.share == pytest.approx(
            deals / sum(each.weight * spot_pairs(each) for each in FLOPS)
        )
        bets += checked * sum(ip.totals.frequencies[1:])
        shares += checked
        chips += deals * start.ev
    total = solved.total(second)
    assert total.often(second.bets) == pytest.approx(bets / shares)
    every = sum(flop.weight * spot_pairs(flop) for flop in FLOPS)
    assert solved.total(first).report.oop.ev == pytest.approx(chips / every)
    assert total.report.often == pytest.approx(shares / every)


def test_an_executor_gives_the_results_of_one_process(settings, solved, tmp_path):
    with FlopFolder.open(tmp_path, settings) as folder, KeptProcesses(2) as two:
        found = list(solve_flops(folder, FLOPS, processes=two))
        assert [result.failed for result in found] == ["", "", ""]
    export_flops(tmp_path / "one.json", solved)
    export_flops(tmp_path / "two.json", FlopSummary(settings, FLOPS, folder.results))
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


def spot_pairs(flop):
    return Spot(flop.cards, **RANGES, **CHIPS).pairs


def test_resuming_gives_the_same_bytes(settings, solved, tmp_path, monkeypatch):
    """A run stopped after one flop, its record torn, then continued for the others."""
    with FlopFolder.open(tmp_path / "part", settings) as folder:
        stream = solve_flops(folder, FLOPS)
        next(stream)
        stream.close()
    log = tmp_path / "part" / "flops.jsonl"
    log.write_text(log.read_text() + '{"flop": "Ks7s2h", "half')
    with FlopFolder.open(tmp_path / "part", None) as folder:
        assert len(folder.results) == 1
        assert len(list(solve_flops(folder, FLOPS))) == 2
        assert not list(solve_flops(folder, FLOPS))
    again = FlopSummary(folder.settings, FLOPS, folder.results)
    for suffix in (".json", ".csv", ".parquet"):
        if suffix == ".parquet":
            pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra analysis)")
        export_flops(tmp_path / f"whole{suffix}", solved)
        export_flops(tmp_path / f"again{suffix}", again)
        whole = (tmp_path / f"whole{suffix}").read_bytes()
        assert whole == (tmp_path / f"again{suffix}").read_bytes()
    for name, summary in (("whole", solved), ("again", again)):
        flops_png(summary, tmp_path / f"{name}.png")
    assert (tmp_path / "whole.png").read_bytes() == (tmp_path / "again.png").read_bytes()
    rows = json.loads((tmp_path / "whole.json").read_text())["flops"]
    assert len(rows) == 2 * len(FLOPS)
    assert sum(row["share"] for row in rows) == pytest.approx(2)


@pytest.mark.parametrize(
    ("name", "value"), [("until", 0.5), ("oop", "KK"), ("stack", 31), ("lines", ("",))]
)
def test_a_folder_refuses_other_settings(settings, tmp_path, name, value):
    with FlopFolder.open(tmp_path, settings):
        pass
    other = {**settings.plain(), "rake_cap": math.inf, "lines": settings.lines, name: value}
    with pytest.raises(FingerprintError, match=name):
        FlopFolder.open(tmp_path, FlopSettings(**other))


def test_one_run_at_a_time(settings, tmp_path):
    with FlopFolder.open(tmp_path, settings), pytest.raises(OptionError, match="another"):
        FlopFolder.open(tmp_path, settings).__enter__()


def test_a_flop_that_fails_is_named_and_the_rest_goes_on(settings, tmp_path, monkeypatch):
    real = solve.solve_spot

    def fails(spot, *more, **options):
        if spot.board_text == FLOPS[0].text:
            raise MemoryError("no more")
        return real(spot, *more, **options)

    monkeypatch.setattr(solve, "solve_spot", fails)
    with FlopFolder.open(tmp_path, settings) as folder:
        results = {result.flop: result for result in solve_flops(folder, FLOPS)}
        assert results[FLOPS[0].text].failed == "MemoryError: no more"
        assert set(folder.results) == {flop.text for flop in FLOPS[1:]}
    assert FlopSummary(settings, FLOPS, folder.results).missing == [FLOPS[0].text]


def test_a_stop_loses_only_the_flop_at_work(settings, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        solve_flop(FlopJob(settings, FLOPS[0].cards), lambda: True)


def test_a_result_survives_the_file(solved):
    for each in solved.solved:
        facts = json.loads(json.dumps(each.result.facts(), allow_nan=False))
        assert repr(FlopResult.from_facts(facts)) == repr(each.result)


def test_flops_without_a_hand_are_never_dealt(tmp_path):
    few = FlopSettings(oop="AA", ip="KQs", pot=20, stack=20, bets="a", iterations=1)
    summary = FlopSummary(few, [canonical_flop("AsAhAd"), *FLOPS], {})
    assert summary.never == 1
    assert len(summary.missing) == len(FLOPS)
    with FlopFolder.open(tmp_path, few) as folder:
        assert not list(solve_flops(folder, [canonical_flop("AsAhAd")]))
    with pytest.raises(RangeError, match="no flop"):
        FlopSettings(oop="AsAh", ip="AsAh", pot=20, stack=20, bets="a")


def test_wrong_lines_are_refused(settings):
    for line in ("x x", "b10 f", "x x Ah"):
        with pytest.raises(OptionError, match=r"decision|move|there"):
            FlopSettings(**RANGES, **CHIPS, lines=(line,))
    assert FlopSettings(**RANGES, **CHIPS, lines=("x b50%",)).lines == ("x b10",)


def test_each_beginning_of_a_run_is_spread():
    flops = [canonical_flop((51, 47, card)) for card in range(40)]
    order = in_spread_order(flops)
    assert sorted(order) == sorted(flops)
    first = [flops.index(each) for each in order[:8]]
    assert max(first) > 28
    assert min(first) < 12


def test_the_estimate_counts_what_is_allocated(settings):
    from tiltless.postflop.solver import PostflopSolver

    estimate = estimate_flops(settings, FLOPS)
    solvers = [PostflopSolver(settings.spot(flop.cards)) for flop in FLOPS]
    assert estimate.bytes_each == max(solver.memory for solver in solvers)
    assert estimate.flops == 3
    assert estimate.seconds == pytest.approx(sum(estimate.seconds_each.values()))


def test_a_device_solves_the_same_flop(monkeypatch):
    settings = FlopSettings(
        "KK,T9s:0.5,44",
        "AKs,77",
        20,
        30,
        "flop: 50%; turn, river: none; cap 1",
        until=0.0,
        iterations=1,
    )
    flop = canonical_flop("QsTs8s")
    asked = []

    def find(device, processes):
        asked.append((device, processes))
        return None if device == "cpu" else NumpyMachine()

    monkeypatch.setattr(solve, "find_machine", find)
    cpu, gpu = (
        solve_flop(FlopJob(settings, flop.cards, 1, device, 4)) for device in ("cpu", "gpu")
    )
    assert asked == [("cpu", 4), ("gpu", 4)]
    assert (cpu.failed, gpu.failed) == ("", "")
    assert gpu.exploitability == pytest.approx(cpu.exploitability, rel=1e-3)
    assert math.isfinite(cpu.reports[""].oop.ev)
    for line, report in cpu.reports.items():
        for there, here in ((gpu.reports[line].oop, report.oop), (gpu.reports[line].ip, report.ip)):
            assert there.ev == pytest.approx(here.ev, abs=0.01, nan_ok=True)
            assert there.equity == pytest.approx(here.equity, nan_ok=True)
        assert gpu.reports[line].frequencies == pytest.approx(
            report.frequencies, abs=1e-3, nan_ok=True
        )


def test_a_device_that_is_not_there_is_refused(settings, tmp_path, monkeypatch):
    monkeypatch.setattr(card, "missing_card", lambda: "there is no card; use one that has a card")
    with FlopFolder.open(tmp_path, settings) as folder:
        with pytest.raises(OptionError, match="device cpu"):
            next(solve_flops(folder, FLOPS, device="gpu"))
        with pytest.raises(OptionError, match="cpu or gpu"):
            next(solve_flops(folder, FLOPS, device="tpu"))


def test_the_estimate_knows_the_device(settings):
    cpu, gpu = (estimate_flops(settings, FLOPS, device=device) for device in ("cpu", "gpu"))
    assert cpu.card_seconds == 0
    assert 0 < gpu.card_seconds < gpu.seconds < cpu.seconds
    assert gpu.wall_seconds(1 << 20) >= gpu.card_seconds
