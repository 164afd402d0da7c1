"""What can go wrong with a run: damage, full disks, a second run, and a kill in the middle."""

import builtins
import errno
import os
import re
import signal
import subprocess
import sys
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from helpers import small_run
from helpers.small_run import BLOCK, SMALL
from tiltless import system, train
from tiltless.blueprint.strategy import Blueprint
from tiltless.blueprint.training import cost as training_cost
from tiltless.blueprint.training import run as training
from tiltless.blueprint.training.convergence import COLUMNS
from tiltless.blueprint.training.cost import needs
from tiltless.blueprint.training.run import METRICS, Trainer
from tiltless.blueprint.training.setup import Setup
from tiltless.errors import ArrayError, FileError, NewerFileError, OptionError, WriteError
from tiltless.files import atomic, header
from tiltless.files import csv_log as training_log
from tiltless.files.arrays import read_arrays
from tiltless.files.csv_log import read_log
from tiltless.files.folder_lock import FolderLock
from tiltless.system import usable_cores

OFTEN = 1e-6  # minutes: a checkpoint at every tick
small = partial(small_run.small, minutes=OFTEN)


def walked(folder, blocks, **options):
    """A run with a checkpoint after every block, not closed."""
    trainer = Trainer(small(), folder, threads=1, **options)
    for _ in range(blocks):
        trainer.engine.run(BLOCK)
        trainer.save()
    return trainer


def spoil(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def walks_of(trainer):
    files = [read_arrays(trainer.checkpoints.path(generation)) for generation in (1, 2)]  # verified
    return [int(file.metadata["walks"]) // BLOCK for file in files]


def test_after_damage_the_sound_checkpoint_is_kept(tmp_path):
    trainer = walked(tmp_path, 2)
    trainer.close()
    spoil(trainer.checkpoints.path(2))
    sound = trainer.checkpoints.path(1).read_bytes()
    again = Trainer(small(), tmp_path, threads=1, resume=True)
    again.engine.run(BLOCK)
    again.engine.run(BLOCK)
    assert again.save() == again.checkpoints.path(2)  # the damaged one is written over
    assert again.checkpoints.path(1).read_bytes() == sound
    assert walks_of(again) == [1, 3]
    assert again.play_before(100).before == BLOCK
    again.engine.run(BLOCK)
    assert again.save() == again.checkpoints.path(1)
    assert walks_of(again) == [4, 3]


def test_a_checkpoint_that_somebody_deleted_is_written_again(tmp_path):
    trainer = walked(tmp_path, 2)
    newest = trainer.checkpoints.newest
    assert newest == trainer.checkpoints.path(2) == trainer.save()  # nothing new to write
    newest.unlink()
    assert trainer.checkpoints.walks == BLOCK
    assert trainer.save() == newest
    assert walks_of(trainer) == [1, 2]


def test_a_damaged_checkpoint_plays_no_match(tmp_path):
    trainer = walked(tmp_path, 2)
    trainer.close()
    spoil(trainer.checkpoints.path(1))
    again = walked(tmp_path, 1, resume=True)  # goes on from 2, and writes over 1
    assert walks_of(again) == [3, 2]
    assert again.play_before(100).before == 2 * BLOCK


def test_what_is_not_damaged_is_never_written_over(tmp_path, monkeypatch):
    trainer = walked(tmp_path, 2)
    trainer.close()
    newest = trainer.checkpoints.path(2)
    whole = newest.read_bytes()
    monkeypatch.setattr(header, "FORMAT_VERSION", 0)
    with pytest.raises(NewerFileError, match=r"version 1; tiltless .* 0;"):
        Trainer(small(), tmp_path, threads=1, resume=True)
    monkeypatch.undo()
    newest.write_bytes(b"x" * 1000)  # its head is damaged: passed over like any other
    assert Trainer(small(), tmp_path, threads=1, resume=True).engine.walks == BLOCK
    newest.unlink()
    newest.mkdir()
    with pytest.raises(FileError, match=r"checkpoint-2\.safetensors"):
        Trainer(small(), tmp_path, threads=1, resume=True)
    newest.rmdir()
    newest.write_bytes(whole)
    assert Trainer(small(), tmp_path, threads=1, resume=True).engine.walks == 2 * BLOCK


def test_a_folder_has_one_run_at_a_time(tmp_path):
    first = Trainer(small(), tmp_path, threads=1)
    with pytest.raises(OptionError, match="another run is at work in") as error:
        Trainer(small(), tmp_path, threads=1)
    assert str(tmp_path) in str(error.value)
    assert "\n" not in str(error.value)
    first.engine.run(BLOCK)
    first.save()
    with pytest.raises(OptionError, match="another run is at work"):
        Trainer(small(), tmp_path, threads=1, resume=True)
    first.run()  # and gives it back
    second = Trainer(small(8 * BLOCK), tmp_path, threads=1, resume=True)
    first.engine.run(BLOCK)
    with pytest.raises(OptionError, match="another run is at work"):
        first.save()
    second.close()
    with pytest.raises(FileError, match=r"checkpoint-1\.safetensors"):  # a refusal keeps no lock
        Trainer(replace(small(), seed=8), tmp_path, resume=True)
    del Trainer(small(), tmp_path, threads=1, resume=True).engine  # nor does one that is gone
    Trainer(small(), tmp_path, threads=1, resume=True).close()


def test_a_run_that_ends_just_before_the_lock_is_taken_is_seen(tmp_path, monkeypatch):
    take = FolderLock.take

    def take_late(lock):
        (tmp_path / "checkpoint-1.safetensors").touch()
        take(lock)

    monkeypatch.setattr(FolderLock, "take", take_late)
    with pytest.raises(OptionError, match="already holds a run"):
        Trainer(small(), tmp_path, threads=1)


RUN = """
import sys
from tiltless.blueprint.training import run as training
from tiltless.blueprint.training.run import Trainer
from tiltless.blueprint.training.config import parse_config
training._TICK_SECONDS, training._MEASURED_SECONDS = 0.05, 0.02
trainer = Trainer(parse_config(sys.argv[2]), sys.argv[1], threads=1, match_deals=0)
trainer.run(lambda tick: print(tick.walks, flush=True))
"""


def test_killed_and_resumed_is_the_same_to_the_bit(tmp_path):
    command = [sys.executable, "-c", RUN, str(tmp_path), SMALL.format(walks=10**12, minutes=OFTEN)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for _ in range(3):
            assert process.stdout.readline()
        with pytest.raises(OptionError, match="another run is at work"):
            Trainer(small(), tmp_path, resume=True)
        process.send_signal(signal.SIGKILL)
    resumed = Trainer(small(10**12), tmp_path, threads=1, resume=True, match_deals=0)
    half = resumed.engine.walks
    assert half > 0
    resumed.config = small(2 * half)
    resumed.run()
    whole = Trainer(small(2 * half), tmp_path / "whole", threads=1, match_deals=0)
    whole.run()
    assert resumed.engine.walks == whole.engine.walks == 2 * half
    np.testing.assert_array_equal(resumed.engine.regret, whole.engine.regret)
    np.testing.assert_array_equal(resumed.engine.average, whole.engine.average)


class FullDisk:
    """Fails write number ``first`` and so many after it, whichever file it is for."""

    def __init__(self, monkeypatch, first, many):
        self.fails, self.count = range(first, first + many), 0
        real_write, real_fsync, real_open = atomic._Temporary.write, os.fsync, builtins.open

        def write(file, data):
            if self.is_full():
                raise atomic._write_error(file._path, self.error())
            return real_write(file, data)

        def fsync(handle):
            if self.is_full():
                raise self.error()
            real_fsync(handle)

        def opened(path, mode="r", **options):
            if "a" in mode and self.is_full():
                with real_open(path, mode, **options) as file:
                    file.write("12,3")  # half a line
                raise self.error()
            return real_open(path, mode, **options)

        monkeypatch.setattr(atomic._Temporary, "write", write)
        monkeypatch.setattr(os, "fsync", fsync)
        monkeypatch.setattr(training_log, "open", opened, raising=False)

    def is_full(self):
        self.count += 1
        return self.count - 1 in self.fails

    def error(self):
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(training, "_MATCH_SHARE", 1e9)
    monkeypatch.setattr(training, "_TICK_SECONDS", 1e-9)
    monkeypatch.setattr(training, "_MEASURED_SECONDS", 0.0)
    monkeypatch.setattr(Trainer, "_compile", lambda _: None)


@pytest.mark.parametrize("many", [1, 10**9], ids=["for a moment", "for good"])
@pytest.mark.parametrize("step", [19, pytest.param(1, marks=pytest.mark.slow)])
def test_a_full_disk_at_any_write_loses_no_run(tmp_path, quick, many, step):
    config = small(4 * BLOCK)
    whole = Trainer(config, tmp_path / "whole", threads=1, match_deals=20)
    whole.run()
    ended, went_on, first = [], 0, 0
    while True:
        folder = tmp_path / str(first)
        with pytest.MonkeyPatch.context() as patch:
            trainer = Trainer(config, folder, threads=1, match_deals=20)
            disk = FullDisk(patch, first, many)
            try:
                trainer.run()
                trainer.blueprint().save(folder / "blueprint.safetensors")
                went_on += any("No space left" in line for line in trainer.notes)
            except WriteError as error:
                ended.append(str(error))
            failed = disk.count > first
        trainer.close()
        kept = [trainer.checkpoints.path(generation).exists() for generation in (1, 2)]
        again = Trainer(config, folder, threads=1, match_deals=20, resume=any(kept))
        assert not [line for line in again.notes if "skipped" in line]
        again.run()
        again.blueprint().save(folder / "blueprint.safetensors")
        np.testing.assert_array_equal(again.engine.regret, whole.engine.regret)
        np.testing.assert_array_equal(again.engine.average, whole.engine.average)
        assert Blueprint.load(folder / "blueprint.safetensors").about.card["walks"] == "32768"
        for name, columns in (("metrics.csv", METRICS), ("matches.csv", COLUMNS)):
            walks = [int(row["walks"]) for row in read_log(folder / name, columns)]
            assert walks == sorted(set(walks))
            assert all(walk % BLOCK == 0 for walk in walks)
        if not failed:
            break
        first += step
    assert first > 10
    assert ended
    assert all("No space left" in line and "\n" not in line for line in ended)
    assert bool(went_on) == (many == 1)


def test_a_failed_checkpoint_is_told_and_tried_again(tmp_path, quick, monkeypatch):
    trainer, told, real = Trainer(small(), tmp_path, threads=1), [], Trainer.save
    fails = [True, True]

    def save(self):
        if fails:
            fails.pop()
            raise WriteError("cannot write it: No space left on device; free some space")
        return real(self)

    monkeypatch.setattr(Trainer, "save", save)
    assert trainer.run(on_note=told.append) == "49,152 walks are done"
    assert len(told) == 2
    assert told == trainer.notes
    assert re.match("no checkpoint at [0-9,]+ walks: cannot write it", told[0])
    assert max(walks_of(trainer)) == 6
    trainer = Trainer(small(), tmp_path / "end", threads=1)
    fails.extend([True] * 100)
    with pytest.raises(WriteError, match="No space left"):
        trainer.run()


def test_tables_that_are_not_finite_end_the_run(tmp_path, quick):
    trainer = walked(tmp_path, 2)
    kept = [trainer.checkpoints.path(generation).read_bytes() for generation in (1, 2)]
    trainer.engine.regret[3] = np.nan
    with pytest.raises(ArrayError, match=r"regret.*32,768"):
        trainer.run()
    with pytest.raises(ArrayError, match="32,768"):
        trainer.save()
    assert [trainer.checkpoints.path(generation).read_bytes() for generation in (1, 2)] == kept


@pytest.mark.parametrize(
    ("game", "problem"),
    [
        ({"name": "nlhe", "seats": 3}, "cannot be trained here"),
        ({"name": "kuhn"}, "hold'em"),
    ],
)
def test_games_that_cannot_be_trained_are_refused_before_tables(
    tmp_path, game, problem, monkeypatch
):
    config = replace(small(), game=game)
    with pytest.raises(OptionError, match=problem):
        needs(config)
    monkeypatch.setattr(training, "build_tables", None)
    with pytest.raises(OptionError, match=problem):
        Trainer(config, tmp_path)


def test_memory_is_what_the_container_has(tmp_path, monkeypatch):
    own, root = tmp_path / "cgroup", tmp_path / "root"
    found = system._group_memory
    assert found(root, own) == float("inf")
    (root / "a" / "b").mkdir(parents=True)
    (root / "memory" / "c").mkdir(parents=True)
    own.write_text("0::/a/b\n")
    (root / "a" / "b" / "memory.max").write_text("max\n")
    assert found(root, own) == float("inf")
    (root / "a" / "memory.max").write_text("5000\n")
    assert found(root, own) == 5000
    (root / "memory.max").write_text("4000\n")
    assert found(root, own) == 4000
    own.write_text("5:cpu,memory:/c\n3:pids:/a\n")
    (root / "memory" / "c" / "memory.limit_in_bytes").write_text("3000\n")
    assert found(root, own) == 3000
    monkeypatch.setattr(system, "_group_memory", lambda: 12345.0)
    assert system.usable_memory() == 12345


def test_threads_are_the_cores_that_we_may_use(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 4, 5}, raising=False)
    assert usable_cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert usable_cores() == 7


def test_a_floor_is_part_of_the_fingerprint():
    other = replace(small(), rules=replace(small().rules, floor=-5.0))
    assert Setup.of(small()).fingerprint != Setup.of(other).fingerprint


@pytest.mark.parametrize("place", ["build_tables", "_compile", "blueprint"])
def test_ctrl_c_outside_of_walks_is_quiet(tmp_path, monkeypatch, capsys, place):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(training if place == "build_tables" else Trainer, place, interrupt)
    config = tmp_path / "small.toml"
    config.write_text(SMALL.format(walks=BLOCK, minutes=OFTEN))
    assert train.main([str(config), str(tmp_path / "run")]) == 130
    assert capsys.readouterr().err == ""
    monkeypatch.undo()
    assert train.main([str(config), str(tmp_path / "run")]) == 0  # nobody holds the folder
    assert train.main([str(config), str(tmp_path / "run"), "--walks", "0"]) == 2
    assert "--walks 0 " in capsys.readouterr().err


def test_a_bare_run_without_an_average_says_so(tmp_path, capsys):
    config = tmp_path / "small.toml"
    text = SMALL.replace("walks = {walks}", "minutes = 0.0005").format(minutes=OFTEN)
    config.write_text(text.replace("[rules]", "[rules]\naverage_from = 1000000000"))
    assert train.main([str(config), str(tmp_path / "run")]) == 0
    told = capsys.readouterr().out
    assert "nothing was learned that can be played" in told
    assert "  yes  " not in told


@pytest.mark.parametrize("sampling", ["external", "chance"])
def test_a_sensible_end_is_told_where_it_is_one(sampling):
    rules = replace(small().rules, sampling=sampling, discount_every=None)
    config = replace(small(), rules=rules, stop_walks=None, stop_minutes=5)
    estimate = training_cost.SpeedEstimate.of(config, (5000, 5.0), 1000.0, 9000.0, 0.02)
    assert (estimate.met_walks is None) == (sampling == "chance")


def test_cards_of_presets_have_their_command(tmp_path, monkeypatch):
    config = small()
    trainer = Trainer(config, tmp_path / "own", threads=1)
    card = trainer.blueprint().about.card
    assert "command" not in card  # nobody said where the configuration is
    assert (card["walks"], card["seed"]) == ("0", "7")
    monkeypatch.setitem(training.PRESETS, "small", SMALL.format(walks=99, minutes=OFTEN))
    monkeypatch.setattr(training, "read_config", lambda _: small(99))
    trainer.engine.run(BLOCK)
    card = trainer.blueprint().about.card
    assert card["command"] == "tiltless train small --walks 8192"
