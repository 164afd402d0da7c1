import errno
import itertools
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from helpers.small_run import BLOCK, SMALL, small
from tiltless.blueprint.engine import BlueprintEngine
from tiltless.blueprint.sampling import SCHEMES
from tiltless.blueprint.simulate.match import Side, simulate_match
from tiltless.blueprint.strategy import Blueprint
from tiltless.blueprint.training import (
    cost as training_cost,
)
from tiltless.blueprint.training import (
    run as training,
)
from tiltless.blueprint.training import (
    speed as training_speed,
)
from tiltless.blueprint.training.config import parse_config, read_config
from tiltless.blueprint.training.convergence import COLUMNS, Match
from tiltless.blueprint.training.cost import MEETINGS, SpeedEstimate, check_room, needs
from tiltless.blueprint.training.presets import PRESETS
from tiltless.blueprint.training.run import METRICS, Tick, Trainer
from tiltless.blueprint.training.setup import Setup
from tiltless.errors import DamagedFileError, FileError, FingerprintError, OptionError, WriteError
from tiltless.files import scratch
from tiltless.files.arrays import read_arrays
from tiltless.files.csv_log import read_log
from tiltless.train import main


def trained(config, folder, **options):
    trainer = Trainer(config, folder, threads=1, **options)
    trainer.run()
    return trainer


@pytest.mark.parametrize(
    "name",
    [  # six itself is counted in test_graph_run.py
        pytest.param(name, marks=[pytest.mark.slow] * (name in ("six", "six-minute")))
        for name in PRESETS
    ],
)
def test_presets_can_be_read_and_counted(name):
    config = read_config(name)
    assert config.name == name
    told = needs(config)
    assert 0 < told.infosets < told.rows
    assert told.memory > 8 * told.rows


@pytest.mark.parametrize("sampling", SCHEMES)
def test_what_is_needed_is_what_is_allocated(tmp_path, sampling):
    config = small(change=("discount_every = 16384", f"sampling = '{sampling}'"))
    told = needs(config)
    trainer = Trainer(config, tmp_path, threads=1)
    assert trainer.engine.regret.size == told.rows
    tables = trainer.engine.regret.nbytes + trainer.engine.average.nbytes
    blueprint = trainer.blueprint().probabilities.nbytes
    found = tables + trainer.setup.tree.nbytes + blueprint
    assert found == pytest.approx(told.memory, rel=0.01)
    assert told.disk == 3 * tables + told.model  # two generations, and one that is being written


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('name = "small"', 'nom = "small"', "nom is not known"),
        ('name = "small"', "", 'name = "…"'),
        ("seed = 7", 'seed = "7"', "seed = '7' .* write a whole number"),
        ("[game]", "[gme]", r"\[gme\].*\[game\], \[abstraction\]"),
        ("discount_every = 16384", "alpha = nan", "alpha=nan"),
        ("discount_every = 16384", "alpha = -0.5", "alpha=-0.5"),
        ("discount_every = 16384", "beta = nan", "beta=nan"),
        ("discount_every = 16384", "gamma = inf", r"\[rules\] gamma = inf"),
        ("discount_every = 16384", "gamma = -1", "gamma=-1"),
        ("discount_every = 16384", "floor = 0.0", "floor=0.0"),
        ("discount_every = 16384", "floor = -inf", "floor = -inf"),
        ("discount_every = 16384", "prune_from = 5", "prune_from.*prune_below"),
        ("discount_every = 16384", "share_unpruned = 0.1", "prune_below"),
        ("discount_every = 16384", "average_from = 49152", "average.* 49,152"),
        ("discount_every = 16384", "average_from = 1\naverage_every = 6", "49,152"),
        ("seed = 7", "seed = -1", "seed=-1"),
        ("seed = 7", "seed = 18446744073709551616", "seed=18446744073709551616"),
        ('name = "small"', 'name = "../small"', "cannot name a folder"),
        ('name = "small"', 'name = ".small"', "cannot name a folder"),
        ('name = "small"', 'name = "sm/all"', "cannot name a folder"),
        ("minutes = 5.0", "minutes = inf", "minutes = inf"),
        ("minutes = 5.0", "minutes = nan", "minutes = nan"),
        ("walks = 49152", "minutes = inf", "minutes = inf"),
        ("walks = 49152", "walks = 99999999999999999999", r"walks = 1e\+20"),
        ("[rules]", "[rules]\nprune = 3", r"\[rules\] prune"),
        ("discount_every = 16384", "discount_every = 1000", "8,192"),
        ("discount_every = 16384", "prune_below = 3", r"prune_below = 3 .* negative"),
        ("discount_every = 16384", "prune_below = -3\nprune_from = -1", "prune_from=-1"),
        ("discount_every = 16384", f"prune_below = -1{'0' * 400}", "prune_below = -1000.* finite"),
        ("discount_every = 16384", f"alpha = 1{'0' * 400}", "alpha = 1000.* finite"),
        ("walks = 49152", f"walks = 1{'0' * 400}", "walks = 1000.* finite"),
        ("walks = 49152", f"walks = {'9' * 5000}", "TOML"),
        ("walks = 49152", f"walks = {'[' * 5000}", "TOML"),
        ("walks = 49152", "walks = 1.5", r"walks = 1\.5 .* write a whole number"),
        ("minutes = 5.0", "minutes = '5'", "minutes = '5' .* write a number"),
        ("walks = 49152", "walks = 0", "walks = 0"),
        ("walks = 49152", "walks = true", "walks = True"),
        ("minutes = 5.0", "minutes = -1", "minutes = -1"),
        ("seed = 7", "seed = ", "TOML"),
    ],
)
def test_wrong_configurations_are_refused_in_one_line(old, new, problem):
    text = SMALL.format(walks=6 * BLOCK, minutes=5.0)
    assert old in text
    with pytest.raises(OptionError, match=problem) as error:
        parse_config(text.replace(old, new, 1))
    assert "\n" not in str(error.value)


RULE = "discount_every = 16384"


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("seed = 7", "seed = 8", False),
        ("stack = 20", "stack = 22", False),
        ('"preflop: a; none"', '"preflop: a; flop: none; cap 1"', False),
        ('cards = "thesis"', 'cards = "tiny"', False),
        ("[rules]", 'information = "street * seat * cards"\n[rules]', False),
        (RULE, "discount_every = 8192", False),
        *((RULE, f"{RULE}\n{key} = 2", False) for key in ("alpha", "beta", "gamma")),
        *((RULE, f"{RULE}\n{key} = 8192", False) for key in ("discount_until", "average_from")),
        (RULE, f"{RULE}\naverage_every = 2", False),
        (RULE, f"{RULE}\nfloor = -5.0", False),
        (RULE, f"{RULE}\nprune_below = -5.0", False),
        (RULE, f'{RULE}\nsampling = "chance"', False),
        ("walks = ", "walks = 1", True),
        ("minutes = 5.0", "minutes = 6.0", True),
        ('name = "small"', 'name = "other"', True),
        (RULE, f'{RULE}\nsampling = "external"\nalpha = 1.0', True),
    ],
)
def test_checkpoints_belong_to_what_decides_the_tables(old, new, same):
    text = SMALL.format(walks=6 * BLOCK, minutes=5.0)
    assert old in text
    one, other = (Setup.of(parse_config(each)) for each in (text, text.replace(old, new, 1)))
    assert (one.fingerprint == other.fingerprint) == same


@pytest.mark.parametrize("sampling", SCHEMES)
def test_the_usual_discount_may_be_written(sampling):
    text = SMALL.format(walks=10**9, minutes=5.0)
    every = SCHEMES[sampling].discount_every
    given, usual = (
        Setup.of(parse_config(text.replace(RULE, f'sampling = "{sampling}"{more}')))
        for more in (f"\ndiscount_every = {every}", "")
    )
    assert given.fingerprint == usual.fingerprint


def test_configurations_name_things_that_exist(tmp_path):
    path = tmp_path / "x.toml"
    text = SMALL.format(walks=1, minutes=1)
    path.write_text(text.replace('cards = "thesis"', 'cards = "none"'))
    with pytest.raises(OptionError, match="'none'"):
        Setup.of(read_config(path))
    with pytest.raises(OptionError, match=r"'hour'.*minute.*\.toml"):
        read_config("hour")
    with pytest.raises(FileError, match=r"nothing\.toml"):
        read_config(tmp_path / "nothing.toml")


def test_a_run_that_was_stopped_goes_on_to_the_same_tables(tmp_path):
    whole = trained(small(), tmp_path / "whole")
    trained(small(walks=2 * BLOCK), tmp_path / "parts")
    parts = trained(small(), tmp_path / "parts", resume=True)
    np.testing.assert_array_equal(whole.engine.regret, parts.engine.regret)
    np.testing.assert_array_equal(whole.engine.average, parts.engine.average)
    assert parts.notes == ["continuing from checkpoint-1.safetensors, 16,384 walks"]
    assert parts.engine.visited == whole.engine.visited


def test_two_generations_take_turns(tmp_path):
    trainer = Trainer(small(), tmp_path, threads=1)
    for walks in range(1, 4):
        trainer.engine.run(BLOCK)
        path = trainer.save()
        assert path == trainer.checkpoints.path(2 - walks % 2)
        assert path == trainer.save()  # nothing new: nothing written
    kept = [int(read_arrays(trainer.checkpoints.path(g)).metadata["walks"]) for g in (1, 2)]
    assert kept == [3 * BLOCK, 2 * BLOCK]


def two_checkpoints(folder):
    trainer = Trainer(small(), folder, threads=1)
    for _ in range(2):
        trainer.engine.run(BLOCK)
        trainer.save()
    return trainer


def test_a_damaged_checkpoint_falls_back_to_the_one_before(tmp_path):
    trainer = two_checkpoints(tmp_path)
    newest = trainer.checkpoints.path(2)
    data = bytearray(newest.read_bytes())
    data[len(data) // 2] ^= 1
    newest.write_bytes(data)
    trainer.close()
    again = Trainer(small(), tmp_path, threads=1, resume=True)
    assert again.engine.walks == BLOCK
    assert "is damaged" in again.notes[0]
    again.run()
    whole = trained(small(), tmp_path / "whole")
    np.testing.assert_array_equal(again.engine.regret, whole.engine.regret)
    for path in (trainer.checkpoints.path(1), trainer.checkpoints.path(2)):
        path.write_bytes(b"")
    with pytest.raises(DamagedFileError, match="no checkpoint in"):
        Trainer(small(), tmp_path, threads=1, resume=True)


@pytest.mark.parametrize("trials", [40, pytest.param(400, marks=pytest.mark.slow)])
def test_every_flip_and_truncation_is_seen(tmp_path, trials):
    trainer = two_checkpoints(tmp_path)
    path = trainer.checkpoints.path(2)
    whole = path.read_bytes()
    rng = random.Random(0)
    for trial in range(trials):
        if trial % 2:
            path.write_bytes(whole[: rng.randrange(len(whole))])
        else:
            data = bytearray(whole)
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            path.write_bytes(data)
        with pytest.raises(FileError):
            read_arrays(path)


def test_another_configuration_is_refused(tmp_path):
    trained(small(), tmp_path)
    with pytest.raises(OptionError, match="--resume"):
        Trainer(small(), tmp_path)
    for change in (("seed = 7", "seed = 8"), ("stack = 20", "stack = 22"), ("16384", "8192")):
        with pytest.raises(FingerprintError, match=r"checkpoint-1\.safetensors"):
            Trainer(small(change=change), tmp_path, resume=True)
    with pytest.raises(FileError, match="--resume"):
        Trainer(small(), tmp_path / "empty", resume=True)
    later = small(walks=8 * BLOCK, minutes=1.0)  # when to stop and save may change
    assert Trainer(later, tmp_path, resume=True).engine.walks == 6 * BLOCK


def test_a_full_disk_leaves_the_generation_before(tmp_path, monkeypatch):
    trainer = two_checkpoints(tmp_path)
    kept = [trainer.checkpoints.path(g).read_bytes() for g in (1, 2)]
    trainer.engine.run(BLOCK)

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WriteError, match="No space left"):
        trainer.save()
    monkeypatch.undo()
    assert [trainer.checkpoints.path(g).read_bytes() for g in (1, 2)] == kept
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".lock",
        "checkpoint-1.safetensors",
        "checkpoint-2.safetensors",
    ]


def test_ticks_tell_how_far_it_is(tmp_path):
    ticks = []
    trainer = Trainer(small(), tmp_path, threads=2)
    assert trainer.run(ticks.append) == "49,152 walks are done"
    assert [tick.walks for tick in ticks] == sorted(tick.walks for tick in ticks)
    assert ticks[-1].walks == 6 * BLOCK
    assert ticks[-1].seconds == trainer.seconds > 0
    assert ticks[-1].mean_regret > 0


RUN = """
import sys
from tiltless.blueprint.training import run as training
from tiltless.blueprint.training.run import Trainer
from tiltless.blueprint.training.config import read_config
training._TICK_SECONDS, training._MEASURED_SECONDS = 0.1, 0.05
folder, config, resume = sys.argv[1:]
trainer = Trainer(read_config(config), folder, threads=1, resume=resume == "yes")
trainer.run(lambda tick: print(tick.walks, flush=True))
"""


def start(folder, config, resume):
    command = [sys.executable, "-c", RUN, str(folder), str(config), resume]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def configuration(folder, minutes):
    path = folder / "run.toml"
    path.write_text(SMALL.format(walks=10**12, minutes=minutes))
    return path


def test_sigterm_stops_between_blocks_and_saves(tmp_path):
    with start(tmp_path / "run", configuration(tmp_path, 5), "no") as process:
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        process.stdout.read()
        assert process.wait(60) == 0
    again = Trainer(small(), tmp_path / "run", resume=True)
    assert again.engine.walks > 0
    assert again.engine.walks % BLOCK == 0


def kill_many(tmp_path, kills):
    """kill -9 at random moments: the newest checkpoint that is told is never lost."""
    config = configuration(tmp_path, minutes=1e-6)  # saves after every tick
    rng = random.Random(1)
    folder, resume, reached = tmp_path / "run", "no", 0
    for _ in range(kills):
        with start(folder, config, resume) as process:
            told = [int(process.stdout.readline()) for _ in range(2)]
            time.sleep(rng.random() * 0.2)
            process.kill()
            told += [int(line) for line in process.stdout.read().split()]
        resume = "yes"
        again = Trainer(read_config(config), folder, threads=1, resume=True)
        assert not [line for line in again.notes if "skipped" in line]
        # the last tick that was told may not be saved yet, the one before it is
        assert again.engine.walks >= told[-2] >= reached
        reached = again.engine.walks
        again.close()


def test_a_kill_at_a_random_moment_loses_at_most_one_interval(tmp_path):
    kill_many(tmp_path, 1)


@pytest.mark.slow
def test_kill_at_fifty_random_moments(tmp_path):
    kill_many(tmp_path, 50)


BARE = """
import importlib.abc, runpy, sys
allowed = {"tiltless", "numpy", "numba", "llvmlite", *sys.stdlib_module_names}
class Blocker(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        root = name.partition(".")[0]
        if root not in allowed and not root.startswith("_"):
            raise ImportError(f"{name} is not there")
sys.meta_path.insert(0, Blocker())
for words in " ".join(sys.argv[1:]).split(" THEN "):
    sys.argv = ["train", *words.split()]
    try:
        runpy.run_module("tiltless.train", run_name="__main__")
    except SystemExit as left:
        assert not left.code
    print("THEN")
"""


def test_a_bare_server_trains_and_goes_on(tmp_path):
    config, folder = tmp_path / "small.toml", tmp_path / "run"
    config.write_text(SMALL.format(walks=2 * BLOCK, minutes=5.0))

    words = (config, folder, "THEN", config, folder, "--walks", 4 * BLOCK)
    command = [sys.executable, "-c", BARE, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    first, second, _ = done.stdout.split("THEN\n")
    assert "16,384 walks are done" in first
    assert "measured: " in first
    assert "of information sets met" in first
    assert len(read_log(folder / "metrics.csv", METRICS)) == 2
    assert (folder / "matches.csv").exists()
    assert "from checkpoint-1" in second
    assert "32,768 walks are done" in second
    made = Blueprint.load(folder / "blueprint.safetensors")
    assert made.about.card["walks"] == str(4 * BLOCK)
    assert made.about.card["command"] == f"python -m tiltless.train {config} --walks {4 * BLOCK}"


def test_mistakes_on_a_bare_server(capsys):
    assert main(["hour"]) == 2
    assert capsys.readouterr().err.startswith("error: no configuration is called 'hour'")
    with pytest.raises(SystemExit) as left:
        main([])
    assert left.value.code == 2


def test_what_is_measured_is_part_of_the_run(tmp_path):
    told = []
    trainer = Trainer(small(walks=12 * BLOCK), tmp_path, threads=1)
    trainer.run(told.append, on_estimate=told.append)
    estimate = told[0]
    assert isinstance(estimate, SpeedEstimate)
    assert all(isinstance(each, Tick) for each in told[1:])
    assert 0 < estimate.walks_per_second < estimate.nodes_per_second
    assert estimate.stop_walks == pytest.approx(12 * BLOCK)
    assert estimate.met_walks is None  # the configuration knows better
    plain = Trainer(small(), tmp_path / "plain", threads=1)
    plain.engine.run(12 * BLOCK)
    np.testing.assert_array_equal(plain.engine.regret, trainer.engine.regret)


def test_estimates_say_what_comes_first():
    def of(walks, minutes):
        config = small().with_stop(walks, minutes)
        # 2 visits in 100 walks to each information set, 1,000 walks/s
        return SpeedEstimate.of(config, (5000, 5.0), 1000.0, 9000.0, 0.02)

    both = of(65_000, 2)
    assert both.met_walks is both.met_seconds is None
    assert (both.stop_seconds, both.stop_walks) == (60, 65_000)
    first = of(65_000, 0.5)
    assert (first.stop_seconds, first.stop_walks) == (25, 30_000)
    over = of(4000, None)
    assert (over.stop_seconds, over.stop_walks) == (0, 5000)
    never = of(None, None)
    assert never.stop_seconds is never.stop_walks is None
    assert never.met_walks == MEETINGS / 0.02
    assert never.met_seconds == (MEETINGS / 0.02 - 5000) / 1000


def test_too_little_disk_or_memory_is_refused_with_advice(tmp_path, monkeypatch):
    config = small()
    told = needs(config)
    folder = tmp_path / "not" / "yet"
    check_room(config, told, folder)
    usage = shutil.disk_usage(tmp_path)

    def left(size):
        monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=size))

    left(told.disk - 1)
    with pytest.raises(OptionError, match=r"\d MB.*\d MB") as error:
        check_room(config, told, folder)
    assert "\n" not in str(error.value)
    assert not re.search(r"\b0(\.0)? .B", str(error.value))
    left(told.disk)
    check_room(config, told, folder)
    left(told.disk - 1000)  # what the run has written already is its own to replace
    folder.mkdir(parents=True)
    (folder / "checkpoint-1.safetensors").write_bytes(bytes(1000))
    check_room(config, told, folder)
    monkeypatch.setattr(training_cost, "usable_memory", lambda: told.memory / 0.95)
    with pytest.raises(OptionError, match=r"\d MB.*\d MB.*tiltless tree"):
        check_room(config, told, folder)


@pytest.fixture
def matched(monkeypatch):
    """A match at every checkpoint, and a step of one block, however fast the machine."""
    monkeypatch.setattr(training, "_MATCH_SHARE", 1e9)
    monkeypatch.setattr(training, "_TICK_SECONDS", 1e-9)
    monkeypatch.setattr(training, "_MEASURED_SECONDS", 0.0)


def test_each_checkpoint_plays_against_the_one_before(tmp_path, matched):
    config, told = small(walks=8 * BLOCK, minutes=1e-6), []
    trainer = Trainer(config, tmp_path / "run", threads=1, match_deals=3000)
    trainer.run(on_match=told.append)
    assert told == trainer.matches
    assert len(told) > 1
    for before, match in itertools.pairwise(told):
        assert match.before == before.walks < match.walks
        assert match.hands == 6000
    last = told[-1]
    files = {g: read_arrays(trainer.checkpoints.path(g)) for g in (1, 2)}
    by_walks = {int(file.metadata["walks"]): file.arrays["average"] for file in files.values()}
    groups = trainer.engine.buckets
    result = simulate_match(
        trainer.setup.tree,
        3000,
        Side(by_walks[last.walks], groups),
        Side(by_walks[last.before], groups),
        seed=config.seed + last.walks,
    )
    assert (last.chips, last.chips_error) == (result.mean, result.standard_error)
    assert (last.value, last.value_error) == (result.button, result.button_error)
    rows = read_log(tmp_path / "run" / "matches.csv", COLUMNS)
    assert [int(row["walks"]) for row in rows] == [match.walks for match in told]
    # a run that plays no matches has the same tables
    plain = Trainer(config, tmp_path / "plain", threads=1, match_deals=0)
    plain.run()
    assert plain.matches == []
    np.testing.assert_array_equal(plain.engine.regret, trainer.engine.regret)
    np.testing.assert_array_equal(plain.engine.average, trainer.engine.average)


def test_matches_take_a_tenth_of_the_time(tmp_path, monkeypatch):
    trainer = two_checkpoints(tmp_path)
    played = []
    monkeypatch.setattr(trainer, "play_before", lambda deals: played.append(deals) or MATCH)
    monkeypatch.setattr(trainer, "match_deals", 500_000)
    for seconds, rate, deals in ((60, 5000, 30_000), (60, 1e6, 500_000), (1, 90_000, None)):
        trainer.seconds, trainer._matched_at, trainer._deals_per_second = 100 + seconds, 100, rate
        played.clear()
        assert (trainer._match() is None) == (deals is None)
        assert played == ([] if deals is None else [deals])
    assert trainer._matched_at == 100  # time that was not used is there for the next


def test_a_checkpoint_that_cannot_be_read_plays_no_match(tmp_path):
    trainer = two_checkpoints(tmp_path)
    assert trainer.play_before(100).before == BLOCK
    trainer.checkpoints.path(1).write_bytes(b"nothing")
    assert trainer.play_before(100) is None
    assert trainer.notes[-1].startswith("no match at 16,384 walks")
    trainer.engine.run(BLOCK)
    assert trainer.play_before(100) is None  # nothing is saved yet


@pytest.mark.parametrize("sampling", ["chance", "public-chance"])
def test_averages_are_put_in_order_outside_of_memory(tmp_path, monkeypatch, sampling):
    block = SCHEMES[sampling].block
    config = small(walks=2 * block, change=("discount_every = 16384", f"sampling = '{sampling}'"))
    trainer = trained(config, tmp_path / "run", match_deals=0)
    engine = trainer.engine
    first = engine.policy()
    engine.run(block)
    trainer.save()
    names = {path.name for path in (tmp_path / "run").iterdir()}
    asked = []

    def policy(average=None, *, out=None):
        asked.append(out is not None)
        return BlueprintEngine.policy(engine, average, out=out)

    monkeypatch.setattr(engine, "policy", policy)
    match = trainer.play_before(1000)
    made = trainer.blueprint()
    assert asked == [True, True, True]
    now = BlueprintEngine.policy(engine)
    sides = [Side(each, engine.buckets) for each in (now, first)]
    result = simulate_match(trainer.setup.tree, 1000, *sides, seed=config.seed + engine.walks)
    assert result.mean != 0
    assert (match.chips, match.chips_error) == (result.mean, result.standard_error)
    rows = Blueprint.from_average(
        trainer.setup.tree, "nlhe", config.parameters, config.bets, made.abstraction, now
    )
    np.testing.assert_array_equal(made.probabilities, rows.probabilities)
    assert {path.name for path in (tmp_path / "run").iterdir()} == names


def test_no_room_to_put_averages_in_order_is_no_match_and_no_blueprint(tmp_path, monkeypatch):
    block = SCHEMES["chance"].block
    config = small(walks=2 * block, change=("discount_every = 16384", "sampling = 'chance'"))
    trainer = trained(config, tmp_path / "run", match_deals=0)
    trainer.engine.run(block)
    trainer.save()
    names = {path.name for path in (tmp_path / "run").iterdir()}

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(scratch, "_reserve", full)
    assert trainer.play_before(100) is None
    assert "No space left on device; free some space" in trainer.notes[-1]
    with pytest.raises(WriteError, match="for a moment: No space left on device; free some space"):
        trainer.blueprint()
    assert {path.name for path in (tmp_path / "run").iterdir()} == names


MATCH = Match(2, 1, 10**6, 0.0, 0.001, 0.1, 0.01, 2)


def test_a_flat_run_stops_and_stays_stopped(tmp_path, matched, monkeypatch):
    def flat(trainer, _):
        return replace(MATCH, walks=trainer.engine.walks)

    monkeypatch.setattr(Trainer, "play_before", flat)
    config = replace(small(walks=10**12, minutes=1e-6), stop_flat=3)
    trainer = Trainer(config, tmp_path, threads=1)
    assert trainer.run().startswith("flat: the last 3 checkpoints")
    assert len(trainer.matches) in (3, 4)  # and the last checkpoint, if there were walks since
    again = Trainer(config, tmp_path, threads=1, resume=True)
    assert again.run().startswith("flat")
    assert again.engine.walks == trainer.engine.walks
    more = Trainer(replace(config, stop_flat=9), tmp_path, threads=1, resume=True)
    assert more.run().startswith("flat: the last 9")
    assert more.engine.walks > trainer.engine.walks
    (tmp_path / "matches.csv").write_bytes(b"\xff,\x00\n1,2,3\nwalks")
    forgot = Trainer(config, tmp_path, threads=1, resume=True)
    assert forgot.run().startswith("flat: the last 3")
    assert forgot.engine.walks > more.engine.walks
    assert len(read_log(tmp_path / "matches.csv", COLUMNS)) == len(forgot.matches) >= 3


def test_history_ends_where_a_run_goes_on(tmp_path, matched):
    config = small(walks=16 * BLOCK, minutes=1e-6)
    trainer = Trainer(config, tmp_path, threads=1, match_deals=10)
    trainer.run()
    trainer.checkpoints.newest.write_bytes(b"")
    ticks = []
    again = Trainer(config, tmp_path, threads=1, resume=True, match_deals=10)
    start = again.engine.walks
    again.run(ticks.append)
    for name, columns in (("metrics.csv", METRICS), ("matches.csv", COLUMNS)):
        walks = [int(row["walks"]) for row in read_log(tmp_path / name, columns)]
        assert walks == sorted(set(walks))
        assert walks[0] < start < walks[-1] == 16 * BLOCK
    last = read_log(tmp_path / "metrics.csv", METRICS)[-1]
    assert 0 < last["touched"] < 1.00001 * again.engine.infosets_touched() / again.infosets
    assert again.infosets == needs(config).infosets


def test_whole_tables_are_looked_through_for_one_percent_of_the_time(monkeypatch):
    clock, looks = [0.0], []

    class Slow:
        def check_finite(self):
            clock[0] += 0.0

        def mean_positive_regret(self):
            clock[0] += 0.01
            return 1.0

        def infosets_touched(self):
            clock[0] += 0.02
            looks.append(clock[0])
            return 5

    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])
    scan = training_speed.Scan(Slow())
    for second in range(100):
        scan.look(float(second))
    assert (scan.mean_regret, scan.touched) == (1.0, 5)
    assert len(looks) in (33, 34)  # every three seconds


READY = """
import os, pkgutil, sys
import tiltless.kernels
from tiltless.blueprint.training import run as training
from tiltless.blueprint.training.config import parse_config

def ready():
    found = {}
    for module in pkgutil.walk_packages(tiltless.kernels.__path__, "tiltless.kernels."):
        if module.name in sys.modules:
            names = vars(sys.modules[module.name])
            found |= {
                (module.name, name): len(each.overloads)
                for name, each in names.items()
                if hasattr(each, "overloads")
            }
    return found

training._MATCH_SHARE, training._MEASURED_SECONDS, training._TICK_SECONDS = 1e9, 0.0, 1e-9
for config, folder in zip(sys.argv[1::2], sys.argv[2::2]):
    if os.fork():  # each starts without any kernel
        assert os.wait()[1] == 0
        continue
    trainer = training.Trainer(parse_config(config), folder, threads=2, match_deals=100)
    trainer._compile()
    before = ready()
    trainer.run()
    assert len(trainer.matches) > 0
    after = ready()
    print([name for name in after if after[name] != before.get(name)], flush=True)
    sys.exit()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_everything_is_compiled_before_training_begins(tmp_path):
    words = []
    for name, scheme in SCHEMES.items():
        text = SMALL.format(walks=5 * scheme.block, minutes=1e-6)
        text = text.replace("16384", f"{2 * scheme.block}\nsampling = '{name}'")
        words += [text, str(tmp_path / name)]
    done = subprocess.run([sys.executable, "-c", READY, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[]\n" * len(SCHEMES), done.stderr
