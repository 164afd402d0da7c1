"""``tiltless reproduce thesis`` as a user runs it, with cheap bots and a tiny toy."""

import re
import shutil
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from tiltless import lock
from tiltless.agents import Agent, Decision, register, registered
from tiltless.agents.agent import check_or_call
from tiltless.arena.store import Store
from tiltless.blueprint.training.config import read_config
from tiltless.cli.app import app
from tiltless.cli.arena import reproduce
from tiltless.experiments.thesis import reproduction
from tiltless.experiments.thesis.published import Published
from tiltless.lock import try_lock

SMALL = Published(
    ("All-in", "CFR"), ("all-in", "cfr-test"), "sb/h", 60, {("all-in", "cfr-test"): 1.0}
)
SMALL.values["cfr-test", "all-in"] = -1.0


class Toy(Agent):
    """Calls; knows the file that it was given."""

    def __init__(self, file: str = "") -> None:
        self.file = file

    def act(self, view, clock, rng):
        return Decision(check_or_call(view.actions))


if "cfr-test" not in {entry.name for entry in registered()}:
    register("cfr-test", Toy, "for tests")


class Trained:
    """In the place of a `Trainer`, whose checkpoints of 320 MB are too much for a test."""

    def __init__(self, config, folder, *, match_deals, resume=False):
        self.engine = SimpleNamespace(walks=0)
        self.config = config

    def run(self):
        self.engine.walks = self.config.stop_walks

    def blueprint(self, command):
        def save(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(command.split()[-1])

        return SimpleNamespace(save=save)


@pytest.fixture
def small(monkeypatch, tmp_path):
    """An own folder with own toys; our agent is the shipped blueprint as always."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(reproduction, "THESIS", SMALL)
    monkeypatch.setattr(reproduce, "THESIS", SMALL)
    monkeypatch.setattr(reproduce, "_QUICK_HANDS", 20)
    monkeypatch.setattr(reproduce, "_QUICK_WALKS", 2_000)
    monkeypatch.setattr(reproduce, "default_file", lambda: tmp_path / "toys/thesis/b.safetensors")
    # tables of buckets take a minute to build, and so few hands do without
    monkeypatch.setattr(reproduce, "shown_tables", lambda *_: nullcontext())
    monkeypatch.setattr(reproduce, "build_tables", lambda abstraction, progress: None)
    stop_at(monkeypatch, 6_000)
    return tmp_path


@pytest.fixture
def cheap(small, monkeypatch):
    """Nothing is really trained."""
    monkeypatch.setattr(reproduce, "Trainer", Trained)
    monkeypatch.setattr(
        reproduce, "_walks", lambda path: int(path.read_text()) if path.exists() else 0
    )
    return small


def stop_at(monkeypatch, walks):
    monkeypatch.setattr(
        reproduce, "read_config", lambda name: read_config(name).with_stop(walks, None)
    )


def run(*arguments):
    words = ["reproduce", "thesis", "--processes", "1", *arguments]
    done = CliRunner().invoke(app, words, env={"COLUMNS": "140"})
    assert done.exit_code == 0, (done.output, done.exception)
    return done.stdout


def texts(file):
    with Store(file) as store:
        return {text for record in store.records() for text in record.plan.agents}


def test_quick_and_full_runs_are_kept_apart(cheap):
    quick_toy = cheap / "toys/thesis-quick/b.safetensors"
    first = run("--quick")
    assert "training the toy blueprint of CFRv1 and CFRv2 (2,000 walks)" in first
    assert "20 hands a pair" in first
    assert "earlier run" not in first
    assert (cheap / "thesis-quick/tables.md").exists()
    assert reproduce._walks(quick_toy) >= 2_000
    assert not (cheap / "toys/thesis").exists()
    assert texts(cheap / "thesis-quick/quick.sqlite") == {
        "all-in", "blueprint", f"cfr-test:file={quick_toy}"
    }  # fmt: skip

    full = run("--out", "thesis-quick")  # in the same folder, if somebody wants that
    assert "(6,000 walks)" in full
    assert "60 hands a pair" in full
    assert "earlier run" not in full
    assert texts(cheap / "thesis-quick/full.sqlite") == {"all-in", "blueprint", "cfr-test"}


def test_what_is_taken_from_earlier_runs_is_told_and_can_be_forgotten(cheap):
    run("--quick")
    again = run("--quick")
    toy = cheap / "toys/thesis-quick"
    assert f"delete {toy}" in again
    assert "2,000 walks" in again
    assert "earlier run: 100 hands in 5 of 5 matches; --fresh plays them again" in again
    fresh = run("--quick", "--fresh")
    assert "earlier run" not in fresh
    assert f"delete {toy}" in fresh  # what is kept is told
    shutil.rmtree(toy)
    assert "training the toy" in run("--quick", "--fresh")


def test_a_toy_that_was_made_anew_is_told(cheap, monkeypatch):
    run("--quick")
    monkeypatch.setattr(Toy, "fingerprint", lambda self: "another one")
    done = CliRunner().invoke(app, ["reproduce", "thesis", "--quick", "--processes", "1"])
    toy = cheap / "toys/thesis-quick/b.safetensors"
    lines = [line for line in done.stderr.splitlines() if "other versions of" in line]
    assert len(lines) == 3  # the pair, and our blueprint in both orders of blinds
    assert all(f"other versions of cfr-test:file={toy}, so this is a new one" in x for x in lines)


@pytest.mark.slow
def test_a_toy_of_too_few_walks_is_trained_on(small, monkeypatch):
    toy = small / "toys/thesis/b.safetensors"
    run()
    first = reproduce._walks(toy)
    assert 6_000 <= first < 20_000
    assert "exists" in run()
    stop_at(monkeypatch, 20_000)
    assert "training the toy" in run()
    assert reproduce._walks(toy) >= 20_000
    toy.write_bytes(b"not a blueprint")
    assert reproduce._walks(toy) == 0


def test_a_toy_of_too_few_walks_is_not_taken(cheap, monkeypatch):
    run()
    stop_at(monkeypatch, 20_000)
    assert "training the toy blueprint of CFRv1 and CFRv2 (20,000 walks)" in run()
    assert "exists, 20,000 walks" in run()


def test_a_training_that_was_stopped_is_no_toy(cheap, monkeypatch):
    monkeypatch.setattr(Trained, "run", lambda self: None)
    words = ["reproduce", "thesis", "--quick"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 130
    assert "the same command" in done.stdout
    assert not (cheap / "toys/thesis-quick/b.safetensors").exists()


def test_a_toy_that_another_run_trains_is_waited_for_and_taken(cheap, monkeypatch):
    toy = cheap / "toys/thesis-quick/b.safetensors"
    toy.parent.mkdir(parents=True)
    other = try_lock(toy.with_suffix(".lock"))

    def end_of_the_other_run(what):
        def finish(process):
            toy.write_text("2000")
            other.release()

        return finish

    monkeypatch.setattr(lock, "_QUIET_SECONDS", 0.0)
    monkeypatch.setattr(reproduce, "waiting_for", end_of_the_other_run)
    monkeypatch.setattr(reproduce, "Trainer", None)
    assert "2,000 walks" in run("--quick")
    assert [path.name for path in toy.parent.iterdir()] == [toy.name]


def test_columns_go_into_parts_that_fit():
    assert reproduce._parts([10, 10, 10], 30) == [[0, 1, 2]]
    assert reproduce._parts([10, 10, 10], 29) == [[0, 1], [2]]
    assert reproduce._parts([10, 40, 10], 29) == [[0], [1], [2]]


def test_a_narrow_terminal_cuts_no_numbers(cheap):
    words = ["reproduce", "thesis", "--processes", "1", "--quick"]
    told = {}
    for columns in ("45", "140"):
        done = CliRunner().invoke(app, words, env={"COLUMNS": columns})
        assert done.exit_code == 0, (done.output, done.exception)
        told[columns] = re.findall(r"[+-]\d+\.\d\d ± \d+\.\d\d|\([+-]\d\.\d\d\)", done.stdout)
        assert "…" not in done.stdout
        lines = [line for line in done.stdout.splitlines() if "│" in line]
        assert max(map(len, lines)) <= int(columns)
    assert sorted(told["45"]) == sorted(told["140"])
    assert len(told["45"]) == 8
