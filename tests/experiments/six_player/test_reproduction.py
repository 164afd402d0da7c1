"""Training that continues, the trials, the command: small runs with made-up buckets."""

import json
import signal
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from helpers.six_report import made_up_flops, made_up_step
from tiltless.cli.app import app
from tiltless.cli.arena import six_player as command
from tiltless.errors import FingerprintError, OptionError
from tiltless.experiments.six_player import agent, speed, training
from tiltless.experiments.six_player.options import CHOICES, ReportOptions, parse_options
from tiltless.experiments.six_player.policy import load_policy
from tiltless.experiments.six_player.published import TRIALS
from tiltless.experiments.six_player.reproduction import (
    OPPONENTS,
    facts,
    main,
    markdown,
    reproduce_report,
    trial_plan,
    verdicts,
    wanted_trials,
)
from tiltless.experiments.six_player.training import SelfPlay, train_versions
from tiltless.plugins import provided

FEW = {"V1": 30, "V2": 50}


@pytest.fixture(autouse=True)
def _no_tables(monkeypatch):
    def buckets(options):
        return made_up_flops()._replace(steps=options.steps)

    monkeypatch.setattr(training, "report_buckets", buckets)
    monkeypatch.setattr(agent, "_step_of", made_up_step)
    monkeypatch.setattr(command, "build_tables", lambda *_, **__: None)
    monkeypatch.setattr(command, "shown_tables", lambda *_: nullcontext())


def train(folder, options=None, versions=FEW, **more):
    folder.mkdir(exist_ok=True)
    more = {"seed": 3, "nodes": 100_000} | more
    return train_versions(folder, options or ReportOptions(), versions, **more)


def test_a_training_that_was_stopped_continues_to_the_same_bytes(tmp_path):
    whole = train(tmp_path / "one")
    train(tmp_path / "two", versions={"V1": 30})
    parts = train(tmp_path / "two")
    for name, games in FEW.items():
        assert whole[name].read_bytes() == parts[name].read_bytes()
        policy = load_policy(whole[name])
        assert policy.counts.games == games
        assert games * 2 < policy.counts.hands <= games * 6
    written = {path: path.stat().st_mtime_ns for path in parts.values()}
    told = []
    train(tmp_path / "two", progress=lambda *facts: told.append(facts))
    assert not told
    assert {path: path.stat().st_mtime_ns for path in parts.values()} == written


def test_an_interrupted_training_continues_to_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(training, "_BLOCK", 10)

    def interrupt(counts, nodes):
        if counts.games == 40:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "one", progress=interrupt)
    assert load_policy(tmp_path / "one" / "unfinished.safetensors").counts.games == 40
    told = []
    parts = train(tmp_path / "one", progress=lambda counts, nodes: told.append(counts.games))
    assert told == [50]
    whole = train(tmp_path / "two")
    assert all(whole[name].read_bytes() == parts[name].read_bytes() for name in FEW)
    assert {path.name for path in (tmp_path / "one").iterdir()} == {f"{n}.safetensors" for n in FEW}


def test_what_was_kept_of_another_training_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr(training, "_KEEP_SECONDS", -1.0)  # keeps after each block
    monkeypatch.setattr(training, "_BLOCK", 10)
    with monkeypatch.context() as patch:
        patch.setattr(training.ReportPolicy, "save", save_until_games(20))
        with pytest.raises(RuntimeError):
            train(tmp_path)
    assert load_policy(tmp_path / "unfinished.safetensors").counts.games == 20
    told = []
    train(tmp_path, seed=4, progress=lambda counts, nodes: told.append(counts.games))
    assert told[0] == 10


def save_until_games(most):
    """A `ReportPolicy.save` that fails afterwards, as a process that is killed."""
    save = training.ReportPolicy.save

    def limited(self, path):
        if self.counts.games > most:
            raise RuntimeError("killed")
        save(self, path)

    return limited


def test_other_trainings_are_not_mistaken_for_it(tmp_path):
    train(tmp_path)
    for change in ({"seed": 4}, {"options": ReportOptions(pot="after")}, {"versions": {"V1": 31}}):
        with pytest.raises(FingerprintError, match="delete it"):
            train(tmp_path, **change)


def test_a_full_table_says_so(tmp_path):
    with pytest.raises(OptionError, match="allow more"):
        train(tmp_path, nodes=600)
    assert not list(tmp_path.iterdir())
    policy = load_policy(train(tmp_path)["V1"])
    with pytest.raises(OptionError, match="allow more"):
        SelfPlay(policy=policy, nodes=600)


def test_options():
    read = parse_options("own-regret=net, pot=after,hands=10,exploration=5.5")
    assert read == ReportOptions(own_regret="net", pot="after", hands=10, exploration=5.5)
    assert ReportOptions.from_json(read.to_json()) == read
    assert read.text == "pot=after,own_regret=net,hands=10,exploration=5.5"
    assert parse_options("") == ReportOptions()
    for name, choices in CHOICES.items():
        assert getattr(ReportOptions(), name) == choices[0]
    wrong = ("pot=x", "own_regret", "speed=1", "hands=many", "hands=0", "stack=50", "stack=10**9")
    for text in (*wrong, "small_blind=200", "exploration=nan", "exploration=-1"):
        with pytest.raises(OptionError):
            parse_options(text)


def test_steps_of_the_buckets():
    every = ReportOptions().steps
    assert (every == np.arange(190)).all()
    shared = ReportOptions(buckets="shared").steps
    assert [len(set(row)) for row in shared.tolist()] == [64, 63, 63]
    assert (np.diff(shared.astype(int), axis=1) >= 0).all()


def test_plans_of_the_trials(tmp_path):
    for trial in TRIALS:
        plan = trial_plan(trial, tmp_path, ReportOptions(), games=trial.games, seed=1)
        assert plan.deals == trial.games * trial.hands
        assert (plan.carry, plan.chunk, plan.seatings) == (True, trial.hands, 1)
        rules = plan.table.rules
        assert set(rules.stacks) == {10_000}
        assert (rules.blinds, rules.heads_up, rules.free_fold) == ((50, 100), "pypokerengine", True)
        for player, text in zip(trial.players, plan.agents, strict=True):
            assert text == OPPONENTS.get(player, f"six-report:file={tmp_path},version={player}")
    assert [trial.name for trial in wanted_trials(["five", "V1"])] == ["V2 v V1", "five seats"]
    with pytest.raises(OptionError):
        wanted_trials(["nobody"])


def test_a_small_run_is_played_once_and_told(tmp_path):
    run = reproduce_report(tmp_path, scale=0.002, seed=2, nodes=200_000)
    again = reproduce_report(tmp_path, scale=0.002, seed=2, nodes=200_000)
    assert facts(run) == facts(again)
    assert markdown(run) == (tmp_path / "table.md").read_text()
    told = facts(run)
    assert [trial["hands"] for trial in told["trials"]] == [20, 20, 20, 20, 10]
    for trial, published in zip(told["trials"], TRIALS, strict=True):
        assert sum(player["chips"] for player in trial["players"]) == 0
        assert [player["published_chips"] for player in trial["players"]] == list(published.chips)
        assert all(player["rulings"] == 0 for player in trial["players"])
        for player in trial["players"]:
            assert player["per_hand"][0] == pytest.approx(player["chips"] / trial["hands"])
    crowd = [
        trial["players"][TRIALS[i].players.index("V2")]
        for i, trial in enumerate(told["trials"])
        if 1 <= i <= 3
    ]
    assert told["crowd"][0] == pytest.approx(sum(each["chips"] for each in crowd) / 60)
    said = " ".join(verdicts(run))
    assert "-5 to +519" in said
    assert "touches zero" in said


def test_folders_that_no_agent_could_name(tmp_path):
    with pytest.raises(OptionError, match="comma"):
        reproduce_report(tmp_path / "a,b", scale=0.002)
    assert not list(tmp_path.iterdir())


def test_seats_of_one_player_are_averaged(tmp_path):
    """The interval of V2's mean counts the sessions, in which its seats are not independent."""
    run = reproduce_report(tmp_path, scale=0.004, only=["V2 v V1"], seed=2, nodes=200_000)
    result = run.trials[0]
    seats = result.seats_of("V2")
    assert seats == [2, 3, 5]
    ours, theirs = result.won(seats), result.won(result.seats_of("V1"))
    assert ours.mean == pytest.approx(-theirs.mean)
    assert ours.standard_error == pytest.approx(theirs.standard_error)


def test_the_command(tmp_path):
    words = ["reproduce", "six-player", "--quick", "--scale", "0.04", "--processes", "1"]
    words += ["--only", "trial 2, five", "--out", str(tmp_path / "out"), "--nodes", "200000"]
    done = CliRunner().invoke(app, [*words, "--json"])
    assert done.exit_code == 0, (done.output, done.exception)
    told = json.loads(done.stdout)
    assert [trial["trial"] for trial in told["trials"]] == ["trial 2", "five seats"]
    assert told["training_games"] == {"V1": 600, "V2": 1000}
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {
        *("V1.safetensors", "V2.safetensors", "results.sqlite", "table.md")
    }
    done = CliRunner().invoke(app, words)
    assert "trial 2" in done.stdout
    assert "touches zero" in " ".join(done.stdout.split())
    done = CliRunner().invoke(app, [*words, "--options", "pot=after"])
    assert isinstance(done.exception, FingerprintError)


def test_without_the_command_line(tmp_path, capsys):
    words = ["--scale", "0.002", "--processes", "1", "--out", str(tmp_path)]
    assert main(words) == 0
    assert "| V2 | `six-report V2` |" in capsys.readouterr().out
    assert Path(tmp_path / "table.md").exists()
    assert main([*words, "--options", "pot=middle"]) == 2


def test_the_figure_of_the_bench(monkeypatch):
    monkeypatch.setattr(speed, "_FIRST", 10)
    monkeypatch.setattr(speed, "_GAMES", 30)
    monkeypatch.setattr(speed, "_NODES", 100_000)
    built = []
    monkeypatch.setattr(speed, "build_tables", built.append)
    ((name, measure),) = provided("six bench", "FIGURES")
    assert name == "report_hands_per_s"
    assert measure() > 0
    assert [abstraction.name for abstraction in built] == [training.ABSTRACTION]
