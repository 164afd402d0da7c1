"""``tiltless lbr`` as a user runs it."""

import json
from textwrap import dedent

import pytest
from typer.testing import CliRunner

from tiltless import lbr as plain
from tiltless.arena.estimators import lbr_run
from tiltless.arena.estimators.lbr_match import LbrDeal, Responses
from tiltless.cli.app import app
from tiltless.errors import OptionError


def run(*arguments):
    return CliRunner().invoke(app, ["lbr", *map(str, arguments)], env={"COLUMNS": "110"})


def test_always_fold_in_three_settings():
    for setting in (2, 3, 4):
        done = run("fold", "stack=200bb", "--setting", setting, "--hands", 8)
        assert done.exit_code == 0, (done.output, done.exception)
        assert "+750.0 ± 0.0 mbb/h" in done.stdout
        assert "8 hands each" in done.stdout


def test_json_and_own_letters():
    done = run("fish", "--setting", "FC|C", "--hands", 60, "--json", "--seed", 3)
    facts = json.loads(done.stdout)
    assert facts["hands"] == 60
    assert facts["settings"]["FC|C"]["streets"] == "FC|C"
    assert facts["settings"]["FC|C"]["mbb_per_hand"] == 0


def test_whole_ranges():
    arguments = ("all-in", "stack=200bb", "--setting", 1, "--hands", 8, "--estimators", "ranges")
    done = run(*arguments)
    assert "8 hands of whole ranges each" in done.stdout
    assert "± 0.0 mbb/h" in done.stdout  # nothing is left to chance
    facts = json.loads(run(*arguments, "--json").stdout)
    assert facts["estimator"] == "ranges"
    assert facts["settings"]["1"]["mbb_per_hand"] == pytest.approx(15_546, rel=1e-3)
    assert facts["settings"]["1"]["aivat"] is None


def test_two_agents_on_the_same_deals():
    arguments = ("--setting", "C|C|FCB|FCB", "--sizes", 3, "--hands", 40, "--json", "--seed", 5)
    alone = [json.loads(run(bot, *arguments).stdout) for bot in ("fish", "fold")]
    both = json.loads(run("fish", *arguments, "--versus", "fold").stdout)
    fish, fold, one = (next(iter(each["settings"].values())) for each in (*alone, both))
    assert one["mbb_per_hand"] == fish["mbb_per_hand"] != 0
    assert one["versus"]["mbb_per_hand"] == fold["mbb_per_hand"] == 750
    assert one["difference"]["mbb_per_hand"] == pytest.approx(fish["mbb_per_hand"] - 750)
    words = run("fish", *arguments[:-3], "--versus", "fold", "--seed", 5).stdout
    assert "fish minus fold" in words


def test_raw_and_aivat_of_the_same_hands():
    arguments = ("all-in", "--setting", 1, "--hands", 60, "--seed", 3, "--versus", "fish")
    facts = json.loads(run(*arguments, "--json").stdout)["settings"]["1"]
    for each in (facts, facts["difference"]):
        low, high = each["aivat"]["interval"]
        assert low < each["aivat"]["mbb_per_hand"] < high
        assert 0 < high - low < each["interval"][1] - each["interval"][0]
        ratio = ((high - low) / (each["interval"][1] - each["interval"][0])) ** 2
        assert each["variance_ratio"] == pytest.approx(ratio)
    assert facts["difference"]["aivat"]["mbb_per_hand"] == pytest.approx(
        facts["aivat"]["mbb_per_hand"] - facts["versus"]["aivat"]["mbb_per_hand"]
    )
    words = run(*arguments).stdout
    assert words.count("AIVAT") == 3
    assert f"AIVAT {facts['aivat']['mbb_per_hand']:+,.1f} ±" in words
    plain = run(*arguments, "--estimators", "raw", "--json")
    only = json.loads(plain.stdout)["settings"]["1"]
    assert only["aivat"] is only["variance_ratio"] is None
    assert only["interval"] == facts["interval"]


def test_rulings_are_told_instead_of_aivat(tmp_path, monkeypatch):
    code = """
    from tiltless.agents.simple import AllIn

    class Falling(AllIn):
        def act(self, view, clock, rng):
            if rng.random() < 0.5:
                raise ValueError("no idea")
            return super().act(view, clock, rng)
    """
    (tmp_path / "falling_bot.py").write_text(dedent(code))
    monkeypatch.chdir(tmp_path)
    arguments = ("falling_bot:Falling", "--setting", 1, "--hands", 20)
    facts = json.loads(run(*arguments, "--json").stdout)["settings"]["1"]
    assert facts["aivat"] is None
    assert facts["rulings"] > 0
    words = run(*arguments).stdout
    assert f"ruled on {facts['rulings']} of its decisions" in words


@pytest.mark.slow
def test_processes_change_nothing():
    arguments = ("fish", "--setting", 3, "--sizes", 4, "--hands", 60, "--json", "--versus", "fold")
    found = []
    for processes in (1, 2):
        facts = json.loads(run(*arguments, "--processes", processes).stdout)
        facts["settings"]["3"].pop("seconds")
        found.append(facts)
    assert found[0] == found[1]


def test_an_interval_of_one_deal_is_null_in_json():
    done = run("fold", "--setting", "2", "--hands", 2, "--json")
    facts = json.loads(done.stdout, parse_constant=pytest.fail)
    assert facts["settings"]["2"]["interval"] == [None, None]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("uniform",), "policies"),
        (("fish", "--setting", "9"), "FCPA"),
        (("fish", "--game", "leduc"), "leduc"),
        (("fish", "--estimators", "all-in"), "raw,aivat"),
        (("fish", "--estimators", "raw,ranges"), "ranges alone"),
        (("fish", "--estimators", "ranges", "--seats", 3), "two seats"),
        (("fihs",), "did you mean 'fish'"),
    ],
)
def test_mistakes_in_one_line(arguments, words):
    done = run(*arguments)
    assert isinstance(done.exception, OptionError)
    assert words in str(done.exception)


def test_ctrl_c_shows_what_is_known(monkeypatch, capsys):
    def stopped(plan, setting, *, aivat, ranges, processes, progress):
        found = Responses()
        for _ in range(3):
            found = found.add(LbrDeal(2.0, 2.0), LbrDeal(1.0, 1.0))
            progress(found)
        raise KeyboardInterrupt

    monkeypatch.setattr(lbr_run, "play_responses", stopped)
    done = run("fish", "--versus", "fold", "--hands", 40)
    assert done.exit_code == 130
    assert "+1,000.0 ± 0.0 mbb/h" in done.stdout
    assert "after 6 hands" in done.stdout
    assert done.stdout.count("against fold") == 1
    facts = json.loads(run("fish", "--hands", 40, "--json").stdout)
    assert list(facts["settings"]) == ["1"]
    assert facts["settings"]["1"]["hands"] == 6
    assert plain.main(["fish", "--hands", "40", "--json"]) == 130
    assert json.loads(capsys.readouterr().out)["settings"]["1"]["hands"] == 6


def test_slow_hands_are_not_none_a_second(monkeypatch):
    clock = iter(range(0, 10_000, 20))
    monkeypatch.setattr(lbr_run.time, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(
        lbr_run,
        "play_responses",
        lambda *_, progress, **more: progress(Responses().add(LbrDeal(2.0), LbrDeal(1.0))),
    )
    done = run("fish", "--setting", 1, "--hands", 2)
    assert "0.1 hands/s" in done.stdout
