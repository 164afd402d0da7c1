import errno
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from tiltless.errors import DamagedFileError, FileError, FingerprintError, OptionError, WriteError
from tiltless.files.arrays import read_arrays
from tiltless.solvers.blueprint import BLOCK
from tiltless.solvers.training import Trainer, needs
from tiltless.solvers.training_config import PRESETS, parse_config, read_config
from tiltless.strategy.blueprint import Blueprint

SMALL = """
name = "small"
seed = 7
[game]
name = "nlhe"
stack = 20
[abstraction]
bets = "preflop: a; none"
cards = "thesis"
[rules]
discount_every = 16384
[stop]
walks = {walks}
[checkpoint]
minutes = {minutes}
"""


def small(walks=6 * BLOCK, minutes=5.0, **changes):
    text = SMALL.format(walks=walks, minutes=minutes)
    for old, new in changes.values():
        assert old in text
        text = text.replace(old, new)
    return parse_config(text)


def trained(config, folder, **options):
    trainer = Trainer(config, folder, threads=1, **options)
    trainer.run()
    return trainer


@pytest.mark.parametrize("name", PRESETS)
def test_presets_can_be_read_and_counted(name):
    config = read_config(name)
    assert config.name == name
    told = needs(config)
    assert 0 < told.infosets < told.rows
    assert told.memory > 8 * told.rows


def test_what_is_needed_is_what_is_allocated(tmp_path):
    config = small()
    told = needs(config)
    trainer = Trainer(config, tmp_path, threads=1)
    assert trainer.engine.regret.size == told.rows
    tables = trainer.engine.regret.nbytes + trainer.engine.average.nbytes
    assert tables + trainer.tree.nbytes == pytest.approx(told.memory, rel=0.01)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('name = "small"', 'nom = "small"', "nom is not known"),
        ('name = "small"', "", "has no name"),
        ("seed = 7", 'seed = "7"', "seed = '7' has the wrong type"),
        ("[game]", "[gme]", "gme is not known"),
        ("[rules]", "[rules]\nprune = 3", r"\[rules\] prune is not known"),
        ("discount_every = 16384", "discount_every = 1000", "not a multiple of 8,192"),
        ("discount_every = 16384", "prune_below = 3", "would skip good actions"),
        ("walks = 49152", "walks = 0", "too little"),
        ("walks = 49152", "walks = true", "wrong type"),
        ("minutes = 5.0", "minutes = -1", "too little"),
        ("seed = 7", "seed = ", "is not TOML"),
    ],
)
def test_wrong_configurations_are_refused_in_one_line(old, new, problem):
    text = SMALL.format(walks=6 * BLOCK, minutes=5.0)
    assert old in text
    with pytest.raises(OptionError, match=problem) as error:
        parse_config(text.replace(old, new, 1))
    assert "\n" not in str(error.value)


def test_configurations_name_things_that_exist(tmp_path):
    path = tmp_path / "x.toml"
    text = SMALL.format(walks=1, minutes=1)
    path.write_text(text.replace('cards = "thesis"', 'cards = "none"'))
    with pytest.raises(OptionError, match="'none' is not known"):
        read_config(path)
    with pytest.raises(OptionError, match="choose minute"):
        read_config("hour")
    with pytest.raises(FileError, match="cannot read"):
        read_config(tmp_path / "nothing.toml")


def test_a_run_that_was_stopped_goes_on_to_the_same_tables(tmp_path):
    whole = trained(small(), tmp_path / "whole")
    trained(small(walks=2 * BLOCK), tmp_path / "parts")
    parts = trained(small(), tmp_path / "parts", resume=True)
    np.testing.assert_array_equal(whole.engine.regret, parts.engine.regret)
    np.testing.assert_array_equal(whole.engine.average, parts.engine.average)
    assert parts.said == ["going on from checkpoint-1.safetensors, 16,384 walks"]
    assert parts.engine.visited == whole.engine.visited


def test_two_generations_take_turns(tmp_path):
    trainer = Trainer(small(), tmp_path, threads=1)
    for walks in range(1, 4):
        trainer.engine.run(BLOCK)
        path = trainer.save()
        assert path == trainer.path(2 - walks % 2)
        assert path == trainer.save()  # nothing new: nothing written
    kept = [int(read_arrays(trainer.path(g)).metadata["walks"]) for g in (1, 2)]
    assert kept == [3 * BLOCK, 2 * BLOCK]


def two_checkpoints(folder):
    trainer = Trainer(small(), folder, threads=1)
    for _ in range(2):
        trainer.engine.run(BLOCK)
        trainer.save()
    return trainer


def test_a_damaged_checkpoint_falls_back_to_the_one_before(tmp_path):
    trainer = two_checkpoints(tmp_path)
    newest = trainer.path(2)
    data = bytearray(newest.read_bytes())
    data[len(data) // 2] ^= 1
    newest.write_bytes(data)
    again = Trainer(small(), tmp_path, threads=1, resume=True)
    assert again.engine.walks == BLOCK
    assert "is damaged" in again.said[0]
    again.run()
    whole = trained(small(), tmp_path / "whole")
    np.testing.assert_array_equal(again.engine.regret, whole.engine.regret)
    for path in (trainer.path(1), trainer.path(2)):
        path.write_bytes(b"")
    with pytest.raises(DamagedFileError, match="no checkpoint in"):
        Trainer(small(), tmp_path, threads=1, resume=True)


@pytest.mark.parametrize("trials", [40, pytest.param(400, marks=pytest.mark.slow)])
def test_every_flip_and_truncation_is_seen(tmp_path, trials):
    trainer = two_checkpoints(tmp_path)
    path = trainer.path(2)
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
    with pytest.raises(OptionError, match="holds a run already"):
        Trainer(small(), tmp_path)
    for change in (("seed = 7", "seed = 8"), ("stack = 20", "stack = 22"), ("16384", "8192")):
        with pytest.raises(FingerprintError, match="belongs to another configuration"):
            Trainer(small(change=change), tmp_path, resume=True)
    with pytest.raises(FileError, match="has no checkpoint"):
        Trainer(small(), tmp_path / "empty", resume=True)
    later = small(walks=8 * BLOCK, minutes=1.0)  # when to stop and save may change
    assert Trainer(later, tmp_path, resume=True).engine.walks == 6 * BLOCK


def test_a_full_disk_leaves_the_generation_before(tmp_path, monkeypatch):
    trainer = two_checkpoints(tmp_path)
    kept = [trainer.path(g).read_bytes() for g in (1, 2)]
    trainer.engine.run(BLOCK)

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WriteError, match="No space left"):
        trainer.save()
    monkeypatch.undo()
    assert [trainer.path(g).read_bytes() for g in (1, 2)] == kept
    assert sorted(path.name for path in tmp_path.iterdir()) == [
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
from tiltless.solvers.training import Trainer
from tiltless.solvers.training_config import read_config
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
            time.sleep(rng.random() * 0.3)
            process.kill()
            told += [int(line) for line in process.stdout.read().split()]
        resume = "yes"
        again = Trainer(read_config(config), folder, threads=1, resume=True)
        assert not [line for line in again.said if "skipped" in line]
        # the last tick that was told may not be saved yet, the one before it is
        assert again.engine.walks >= told[-2] >= reached
        reached = again.engine.walks


def test_kill_at_random_moments_loses_at_most_one_interval(tmp_path):
    kill_many(tmp_path, 5)


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
sys.argv = ["train", *sys.argv[1:]]
runpy.run_module("tiltless.train", run_name="__main__")
"""


def test_a_bare_server_trains_and_goes_on(tmp_path):
    config, folder = tmp_path / "small.toml", tmp_path / "run"
    config.write_text(SMALL.format(walks=2 * BLOCK, minutes=5.0))

    def train(*arguments):
        command = [sys.executable, "-c", BARE, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True)

    first = train(config, folder)
    assert first.returncode == 0, first.stderr
    assert "16,384 walks are done" in first.stdout
    config.write_text(SMALL.format(walks=4 * BLOCK, minutes=5.0))
    second = train(config, folder)
    assert "going on from checkpoint-1" in second.stdout
    made = Blueprint.load(folder / "blueprint.safetensors")
    assert made.about.card["iterations"] == str(4 * BLOCK)
    wrong = train("hour")
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("error: hour is no configuration")
    assert train().returncode == 2
