"""``tiltless train`` as a user runs it."""

import csv
import re
import shutil

import pytest
from typer.testing import CliRunner

from tiltless.abstraction.cards import tables
from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.blueprint.strategy import Blueprint
from tiltless.blueprint.training import run as training
from tiltless.cli.app import app

CONFIG = """
name = "push"
[game]
name = "nlhe"
stack = "10bb"
[abstraction]
bets = "preflop: a; none"
cards = "thesis"
[rules]
discount_every = 65536
[stop]
walks = 400000
"""


def run(*arguments):
    return CliRunner().invoke(app, ["train", *map(str, arguments)])


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "push.toml"
    path.write_text(CONFIG)
    return path


def test_a_run_is_told_saved_and_resumed(config, tmp_path):
    folder = tmp_path / "run"
    done = run(config, "--out", folder, "--threads", 1, "--walks", 200_000)
    assert done.exit_code == 0, done.output
    assert "information sets" in done.stdout
    assert "200,000 walks are done" in done.stdout
    names = {path.name for path in folder.iterdir()}
    made = {"blueprint.safetensors", "metrics.csv", "matches.csv", "first-in.png"}
    assert made <= names
    assert "measured: " in done.stdout
    assert "a sensible end: in " not in done.stdout  # which is for runs that do not count walks
    assert "of information sets met" in done.stdout
    assert " the button raises " in done.stdout
    assert "AKs" in done.stdout
    again = run(config, "--out", folder, "--threads", 1, "--resume")
    assert again.exit_code == 0, again.output
    assert "from checkpoint-1" in again.stdout
    assert "yes  AA never folds first in" in again.stdout
    assert "what was learned: the button plays" in again.stdout
    made = Blueprint.load(folder / "blueprint.safetensors")
    assert made.about.card["walks"] == str(49 * 8192)
    assert made.about.card["command"] == f"tiltless train {config} --walks {49 * 8192}"
    assert made.about.card["seed"] == "0"
    assert made.about.card["rules"] == "external sampling, discount_every 65536"
    assert dict(made.query("AsAh"))["fold"] < 0.02
    with open(folder / "metrics.csv", encoding="utf-8") as file:
        walks = [int(float(row["walks"])) for row in csv.DictReader(file)]
    assert walks == sorted(walks)
    assert walks[-1] == pytest.approx(49 * 8192, rel=1e-4)
    refused = run(config, "--out", folder)
    assert "--resume" in str(refused.exception)


def test_what_it_takes_is_told_before(tmp_path):
    done = run("hundred", "--dry-run")
    assert "14,667,708 information sets" in done.stdout
    assert "GB of disk for checkpoints and blueprint" in done.stdout


def test_bucket_tables_that_are_not_there_are_told_before(tmp_path, monkeypatch):
    monkeypatch.setenv("TILTLESS_CACHE", str(tmp_path))
    told = run("minute", "--dry-run").stdout
    assert "202 MB of bucket tables (flop, turn, river)" in told
    assert str(tmp_path) in told
    for plan in tables._plans(card_abstraction("small"), None):
        plan.path.parent.mkdir(exist_ok=True)
        plan.path.touch()
    assert "bucket tables" not in run("minute", "--dry-run").stdout


def test_mistakes_end_in_one_line(config):
    for arguments, problem in (
        (("hour",), "known: minute"),
        ((config, "--minutes", 0), "--minutes 0 "),
        ((config, "--walks", -1), "--walks -1 "),
        ((config, "--minutes", "inf"), "--minutes inf "),
        ((config, "--minutes", "nan"), "--minutes nan "),
    ):
        done = run(*arguments)
        assert problem in str(done.exception)
        assert "\n" not in str(done.exception)


def test_matches_are_told_and_drawn(config, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "_MATCH_SHARE", 1e9)
    monkeypatch.setattr(training, "_TICK_SECONDS", 1e-9)
    monkeypatch.setattr(training, "_MEASURED_SECONDS", 0.0)
    config.write_text(CONFIG + "[checkpoint]\nminutes = 0.0001\n")
    some = ("--threads", 1, "--walks", 60_000)
    done = run(config, "--out", tmp_path / "run", *some, "--match-deals", 100)
    assert done.exit_code == 0, done.output
    assert re.search(r"[\d,]+ walks against [\d,]+: [+-][\d.]+ ± [\d.]+ mbb/h", done.stdout)
    assert (tmp_path / "run" / "training.png").read_bytes().startswith(b"\x89PNG")
    none = run(config, "--out", tmp_path / "none", *some, "--match-deals", 0)
    assert "walks against" not in none.stdout
    assert len((tmp_path / "none" / "matches.csv").read_text().splitlines()) == 1


def test_too_little_disk_is_refused_before_anything_is_written(config, tmp_path, monkeypatch):
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1000))
    for arguments in ((), ("--dry-run",)):
        done = run(config, "--out", tmp_path / "run", *arguments)
        assert "make room, choose another folder" in str(done.exception)
    assert not (tmp_path / "run").exists()


def test_a_run_without_an_average_says_so(config, tmp_path):
    text = CONFIG.replace("walks = 400000", "minutes = 0.0005")
    config.write_text(text.replace("[rules]", "[rules]\naverage_from = 1000000000"))
    done = run(config, "--out", tmp_path / "run", "--threads", 1)
    assert done.exit_code == 0, done.output
    assert "nothing was learned that can be played: the average begins after" in done.stdout
    assert "what was learned" not in done.stdout
    assert "  NO   " not in done.stdout
    assert "  yes  " not in done.stdout
    assert not (tmp_path / "run" / "first-in.png").exists()
    made = Blueprint.load(tmp_path / "run" / "blueprint.safetensors")
    assert made.about.visited == 0
    assert made.about.card["rules"].endswith("average_from 1000000000")


def test_what_cannot_be_trained_is_refused_in_a_dry_run(config):
    three = CONFIG.replace('stack = "10bb"', 'stack = "10bb"\nseats = 3')
    config.write_text(three.replace("[rules]", '[rules]\nsampling = "external"'))
    assert "cannot be trained here" in str(run(config, "--dry-run").exception)
    config.write_text(CONFIG.replace('name = "push"', 'name = "push"\nseed = -1'))
    assert "seed=-1 is not possible" in str(run(config, "--dry-run").exception)


def test_help_says_what_limits_mean():
    told = " ".join(run("--help").stdout.replace("│", " ").split())
    assert told.count("Replaces every limit of the configuration.") == 2
    assert told.count("including earlier processes") == 2
    assert "memory and disk" in told


def test_a_product_of_features_is_told_and_kept(config, tmp_path):
    product = "seat * pot(2) * cards"
    text = CONFIG.replace("[rules]", f'information = "{product}"\n[rules]')
    config.write_text(text)
    told = run(config, "--dry-run").stdout
    assert f"push ({product}): " in told
    done = run(config, "--out", tmp_path / "run", "--threads", 1, "--walks", 50_000)
    assert done.exit_code == 0, done.output
    shown = CliRunner().invoke(
        app, ["blueprint", "info", str(tmp_path / "run" / "blueprint.safetensors")]
    )
    assert f"information: {product}" in shown.stdout
    config.write_text(text.replace("* cards", "* card"))
    assert "'card' in information" in str(run(config, "--dry-run").exception)


def test_a_run_that_ctrl_c_ended_has_its_own_exit_code(config, tmp_path, monkeypatch):
    train = training.Trainer.run

    def stopped(*arguments, **options):
        train(*arguments, **options)
        return training.STOPPED

    monkeypatch.setattr(training.Trainer, "run", stopped)
    done = run(config, "--out", tmp_path / "run", "--threads", 1, "--walks", 65_536)
    assert done.exit_code == 130
    assert "0.0 MB" not in done.stdout
