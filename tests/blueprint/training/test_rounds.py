"""Rounds: copies that learn apart give the same bits anywhere, and a run that can be continued."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from helpers.quick_tables import quick_tables
from helpers.small_run import BLOCK, THREE, small
from tiltless.blueprint import packed_changes
from tiltless.blueprint.packed_changes import add_packed, pack_table, unpack_table
from tiltless.blueprint.training import rounds
from tiltless.blueprint.training import run as training
from tiltless.blueprint.training.config import parse_config
from tiltless.blueprint.training.rounds import CopyJob, Rounds, RoundSetting, run_copy
from tiltless.blueprint.training.run import Trainer
from tiltless.blueprint.training.setup import Setup
from tiltless.errors import ArrayError, FingerprintError, OptionError
from tiltless.executor import Held, Here, KeptProcesses, WorkerError, WorkerRefusedError

SIX = parse_config(THREE.replace("walks = 9000", "walks = 5000"))
TWO = RoundSetting(2, 16 * BLOCK)


def hashed(trainer):
    state = trainer.engine.state()
    return [hashlib.sha256(state[name].tobytes()).hexdigest() for name in ("regret", "average")]


def trained(folder, run, setting=TWO, executor=None, **options):
    trainer = Trainer(
        run, folder, threads=1, match_deals=0, rounds=setting, executor=executor, **options
    )
    reason = trainer.run()
    assert reason != "stopped"  # by a signal to the tests: a shorter run has other tables
    return trainer


class Recorded(Here):
    """Remembers the digest of every copy's changes, by first block and copy."""

    def __init__(self):
        self.digests = {}

    def map(self, task, jobs):
        for job in jobs:
            yield self.result(task, job)

    def result(self, task, job):
        found = task(job)
        digest = hashlib.sha256(repr((found.visited, found.won)).encode())
        for table in filter(None, (found.regret, found.average)):
            digest.update(table.mask.tobytes() + table.values.tobytes())
        key = job.first, job.copy
        assert self.digests.setdefault(key, digest.hexdigest()) == digest.hexdigest(), key
        return found


class Elsewhere(Recorded):
    """As on a cluster: another order, one job twice, regrets read-only, workers with leftovers."""

    is_here = False

    def map(self, task, jobs):
        jobs = list(jobs)
        results = [self.result(task, job) for job in reversed([jobs[0], *jobs])]
        yield from reversed(results[:-1])

    def result(self, task, job):
        for engine in rounds._engines.values():
            engine.regret[:] = engine.average[:] = np.nan
        regret = job.regret.get().view()
        regret.flags.writeable = False
        return super().result(task, job._replace(regret=Held(regret)))


@pytest.mark.parametrize("config", [small(walks=8 * BLOCK), SIX], ids=["two", "three"])
def test_equal_bits_wherever_copies_learn(tmp_path, monkeypatch, config):
    for module in (training, rounds):
        monkeypatch.setattr(module, "build_tables", quick_tables)
    monkeypatch.setattr(rounds, "_engines", {})  # engines with these tables stay here
    setting = TWO if config is not SIX else RoundSetting(2, 2000)
    run = Setup.of(config)
    one, two = Recorded(), Elsewhere()
    here = trained(tmp_path / "here", run, setting, one)
    monkeypatch.setattr(packed_changes, "usable_cores", lambda: 5)
    there = trained(tmp_path / "there", run, setting, two)
    for key, digest in one.digests.items():  # the first copy that differs, if one does
        assert (key, two.digests[key]) == (key, digest)
    assert hashed(here) == hashed(there)
    assert here.engine.walks >= config.stop_walks
    assert np.abs(here.engine.state()["average"]).sum() > 0


def test_the_number_of_copies_belongs_to_the_run(tmp_path):
    run = Setup.of(small(walks=6 * BLOCK))
    two, three = (trained(tmp_path / str(n), run, RoundSetting(n, 16 * BLOCK)) for n in (2, 3))
    assert two.engine.walks == three.engine.walks
    assert hashed(two) != hashed(three)


@pytest.mark.parametrize("many", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_equal_bits_in_other_processes(tmp_path, monkeypatch, many):
    """Processes whose memory is full of other bytes: nothing is read before it is written."""
    config = small(walks=6 * BLOCK)
    monkeypatch.setenv("MALLOC_PERTURB_", "165")
    with KeptProcesses(many) as kept:
        apart = trained(tmp_path / "apart", config, TWO, kept)
    assert hashed(apart) == hashed(trained(tmp_path / "here", config))


def test_a_copy_alone_is_the_plain_engine_but_for_rounding():
    """Discounts fall inside rounds; the second round begins with regrets."""
    setup = Setup.of(small())
    engine, plain = (setup.engine(trained_tables(small()), 1) for _ in range(2))
    rounds = Rounds(setup, engine, RoundSetting(1, 16 * 5 * BLOCK), Here())
    rounds.run_round()
    plain.run(5 * BLOCK)
    for name in ("regret", "average"):
        expected = unpack_table(pack_table(plain.state()[name]))
        np.testing.assert_array_equal(engine.state()[name], expected)
    plain.restore(engine.state())
    rounds.run_round()
    plain.run(5 * BLOCK)
    assert engine.blocks == plain.blocks == 10
    for name in ("regret", "average"):
        one, two = engine.state()[name], plain.state()[name]
        assert np.linalg.norm(one - two) < 0.004 * np.linalg.norm(two)
    assert engine.mean_positive_regret() == pytest.approx(plain.mean_positive_regret(), rel=0.01)


def trained_tables(config):
    from tiltless.abstraction.cards.tables import build_tables

    return build_tables(Setup.of(config).cards)


def test_regrets_are_averaged_and_averages_summed():
    """A slow twin of a round: each copy by hand, from zero."""
    config = small(change=("discount_every = 16384", "discount_every = 0"))
    setup = Setup.of(config)
    tables = trained_tables(config)
    engine = setup.engine(tables, 1)
    Rounds(setup, engine, RoundSetting(3, 4 * BLOCK), Here()).run_round()
    assert engine.blocks == 3
    assert engine.copies == 3
    alone = [setup.engine(tables, 1) for _ in range(3)]
    for number, each in enumerate(alone):
        each._run_blocks(iter([number]))
    for name, mean in (("regret", 3), ("average", 1)):
        packed = [unpack_table(pack_table(each.state()[name])) for each in alone]
        expected = sum(each.astype(float) for each in packed) / mean
        np.testing.assert_allclose(engine.state()[name], expected, rtol=1e-6)


def test_a_run_that_was_killed_ends_with_the_same_bits(tmp_path):
    config = small(walks=16 * BLOCK)

    class Killed(Here):
        def __init__(self, rounds):
            self.left = rounds

        def map(self, task, jobs):
            self.left -= 1
            if self.left < 0:
                raise WorkerError("killed")
            yield from map(task, jobs)

    whole = trained(tmp_path / "whole", config)
    with pytest.raises(WorkerError, match="killed"):
        trained(tmp_path / "parts", config, TWO, Killed(3))
    again = trained(tmp_path / "parts", config, resume=True)
    assert hashed(again) == hashed(whole)


def test_a_run_goes_on_with_the_same_copies_only(tmp_path):
    trained(tmp_path, small(walks=4 * BLOCK))
    for other in (RoundSetting(3, TWO.walks), RoundSetting(2, BLOCK), None):
        with pytest.raises(FingerprintError, match="2 copies, rounds of"):
            Trainer(small(), tmp_path, match_deals=0, rounds=other, resume=True)
    assert "2 copies" in str(Trainer(small(), tmp_path, rounds=TWO, resume=True).blueprint().about)


def test_flat_stops_are_refused(tmp_path):
    config = replace(small(), stop_flat=2)
    with pytest.raises(OptionError, match="flat"):
        Trainer(config, tmp_path, rounds=TWO)


def test_a_worker_with_other_buckets_is_refused():
    job = CopyJob(small(), "another", 2, None, Held(np.zeros(3, np.float32)), 0, 2, 0)
    with pytest.raises(WorkerRefusedError, match="install the same"):
        run_copy(job)


def test_rounds_grow_and_follow_from_the_blocks_done(tmp_path):
    setup = Setup.of(small())
    engine = setup.engine(trained_tables(small()), 1)
    rounds = Rounds(setup, engine, RoundSetting(4, 64 * BLOCK), Here())
    sizes = {}
    for done in (0, 16, 4 * 64, 4 * 80, 4 * 640, 4 * 5000):
        engine.blocks = done
        sizes[done] = rounds.next_stop() - done
    assert sizes == {0: 16, 16: 16, 256: 32, 320: 40, 2560: 256, 20000: 256}


def test_rules_of_copies_have_smaller_limits():
    config = small(change=("discount_every = 16384", "floor = -800.0\nprune_below = -400.0"))
    rules = config.rules.for_copies(4)
    assert (rules.floor, rules.pruning.threshold) == (-200.0, -100.0)
    assert replace(SIX.rules, floor=-8.0).for_copies(4).floor == -2.0


def test_copies_learn_by_rules_of_copies():
    """Regrets that every copy has at its floor are there in the mean."""
    config = small(change=("discount_every = 16384", "discount_every = 0\nfloor = -8.0"))
    setup = Setup.of(config)
    engine = setup.engine(trained_tables(config), 1)
    Rounds(setup, engine, RoundSetting(2, BLOCK), Here()).run_round()
    assert engine.state()["regret"].min() == -4.0


@pytest.mark.parametrize("length", [0, 1, 7, 1000, (1 << 20) + 13])
def test_packed_tables_keep_every_number_to_a_part_in_256(length):
    rng = np.random.default_rng(length)
    table = (rng.standard_normal(length) * 10.0 ** rng.integers(-20, 20, length)).astype(np.float32)
    table[rng.random(length) < 0.5] = 0
    found = unpack_table(pack_table(table))
    assert np.array_equal(found == 0, table == 0)
    assert np.all(np.abs(found - table) <= np.abs(table) / 256)
    assert pack_table(table).nbytes <= length / 8 + 2 * np.count_nonzero(table) + 32
    total = np.ones(length, np.float32)
    add_packed(total, [pack_table(table)] * 2, 0.5)
    np.testing.assert_array_equal(total, (1 + found.astype(float)).astype(np.float32))


def test_packed_numbers_that_lie_between_two_become_the_even_one():
    table = np.array([1 + 1 / 256, 1 + 3 / 256, -1 - 1 / 256], np.float32)
    assert unpack_table(pack_table(table)).tolist() == [1.0, 1 + 4 / 256, -1.0]


def test_changes_of_another_table_are_refused():
    with pytest.raises(ArrayError, match="same game"):
        add_packed(np.zeros(5, np.float32), [pack_table(np.ones(4, np.float32))], 1.0)
