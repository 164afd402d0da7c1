"""Training runs of three seats: limits, litmus, exact resume, compact checkpoints, the model."""

from unittest.mock import patch

import numpy as np
import pytest

from helpers.quick_tables import quick_tables
from tiltless import train
from tiltless.blueprint.loading import load_strategy
from tiltless.blueprint.multiway.model import MultiwayBlueprint
from tiltless.blueprint.multiway.simulate import play_against_copies
from tiltless.blueprint.training import compact_checkpoint
from tiltless.blueprint.training import run as training
from tiltless.blueprint.training.compact_checkpoint import read_compact, write_compact
from tiltless.blueprint.training.config import parse_config, read_config
from tiltless.blueprint.training.cost import needs
from tiltless.blueprint.training.graph_setup import GraphSetup
from tiltless.blueprint.training.run import Trainer
from tiltless.blueprint.training.setup import Setup
from tiltless.errors import DamagedFileError, FileError, FingerprintError, OptionError

BLOCK = 64 * 3
THREE = """
name = "three"
seed = 7
[game]
name = "nlhe"
seats = 3
stack = 20
[abstraction]
bets = "six-small"
cards = "small"
[rules]
discount_every = 768
discount_until = 3072
average_every = 384
snapshot_every = 768
[stop]
walks = {walks}
"""


def three(blocks=30, change=("", "")):
    return parse_config(THREE.format(walks=blocks * BLOCK).replace(*change, 1))


def trained(config, folder, **options):
    trainer = Trainer(config, folder, threads=1, match_deals=0, **options)
    trainer.run()
    return trainer


@pytest.fixture(scope="module", autouse=True)
def _quick_tables():
    with patch.object(training, "build_tables", quick_tables):
        yield


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return trained(three(), tmp_path_factory.mktemp("whole"))


def same_tables(one, two):
    assert one.engine.walks == two.engine.walks
    np.testing.assert_array_equal(one.engine.regret, two.engine.regret)
    np.testing.assert_array_equal(one.engine.average, two.engine.average)


def test_what_is_needed_is_what_is_allocated(whole):
    told, setup = needs(three()), Setup.of(three())
    assert isinstance(setup, GraphSetup)
    assert whole.engine.regret.size == told.rows == setup.rows
    model = whole.blueprint()
    assert told.infosets == model.about.infosets == whole.infosets
    assert told.memory > whole.engine.regret.nbytes + whole.engine.average.nbytes
    assert told.model == told.rows // 2


def test_an_interrupted_run_is_the_same_to_the_last_bit(whole, tmp_path):
    trained(three(7), tmp_path)
    trained(three(19), tmp_path, resume=True)
    same_tables(trained(three(), tmp_path, resume=True), whole)
    other = three(change=("seed = 7", "seed = 8"))
    with pytest.raises(FingerprintError):
        Trainer(other, tmp_path, resume=True)


def test_litmus_by_seat(whole):
    checks = {check.text: check.holds for check in whole.checks()}
    assert list(checks) == [
        "AA never folds first in",
        "72o folds first in from BTN",
        "first-in frequency rises from BTN to BTN",
        "every seat has an average",
        "the button wins more than the blinds",
    ]
    assert checks["AA never folds first in"]
    assert checks["every seat has an average"]
    assert whole.averaged
    fresh = Trainer(three(), whole.folder / "fresh", threads=1, match_deals=0)
    fresh.close()
    assert not fresh.averaged
    checks = {check.text: check.holds for check in fresh.checks()}
    assert not checks["AA never folds first in"]  # all actions are equally likely
    assert not checks["every seat has an average"]
    assert whole.engine.infosets_touched() == whole.blueprint().about.visited > 0
    assert fresh.engine.infosets_touched() == 0


def test_mean_regret_falls_and_counts_weights(tmp_path):
    engine = Trainer(three(), tmp_path, threads=1, match_deals=0).engine
    told = []
    for _ in range(3):
        engine.run(10 * BLOCK)
        weight = sum(engine.rules.weight(block * BLOCK) for block in range(engine.blocks)) * BLOCK
        hands = 43 * 42 / 2  # with two opponents
        wanted = np.maximum(engine.regret, 0).sum(dtype=np.float64) / weight / hands
        assert engine.mean_positive_regret() == pytest.approx(wanted, rel=0.02)
        told.append(wanted)
    assert told[0] > told[1] > told[2]


def test_a_bare_run_writes_a_model_that_loads(tmp_path, capsys):
    config = tmp_path / "three.toml"
    config.write_text(THREE.format(walks=10 * BLOCK))
    folder = tmp_path / "run"
    assert train.main([str(config), str(folder), "--threads", "1", "--compact"]) == 0
    told = capsys.readouterr().out
    assert "every seat has an average" in told
    model = load_strategy(folder / "blueprint.safetensors")
    assert isinstance(model, MultiwayBlueprint)
    model.verify()
    assert model.about.card["walks"] == str(10 * BLOCK)
    assert model.about.card["rules"].startswith("vector sampling")
    assert (folder / "compact-1of1.safetensors").exists()
    assert train.main([str(config), str(folder), "--walks", str(12 * BLOCK)]) == 0
    assert "continuing from checkpoint-" in capsys.readouterr().out
    for path in folder.glob("checkpoint-*"):
        path.unlink()
    assert train.main([str(config), str(folder), "--walks", str(12 * BLOCK)]) == 0
    assert "continuing from a compact checkpoint" in capsys.readouterr().out


def test_a_compact_checkpoint_keeps_the_strategy(whole, tmp_path):
    setup, state = whole.setup, whole.engine.state()
    about = {"walks": str(whole.engine.walks), "seconds": "1.5"}
    write_compact(tmp_path, state, setup.table_blocks, setup.fingerprint, about)
    found = read_compact(tmp_path, setup.table_blocks, setup.fingerprint)
    assert found.metadata["seconds"] == "1.5"
    assert set(found.arrays) == set(state)
    for name in set(state) - {"regret", "average"}:
        np.testing.assert_array_equal(found.arrays[name], state[name])
    blocks = setup.table_blocks
    rng = np.random.default_rng(3)
    for number in rng.choice(len(blocks.begin), 100).tolist():
        begin, width, rows = (int(each[number]) for each in blocks)
        part = slice(begin, begin + width * rows)
        old, new = (each["regret"][part].reshape(rows, width) for each in (state, found.arrays))
        check_rounded_regrets(old, new)
        old, new = (each["average"][part].reshape(rows, width) for each in (state, found.arrays))
        most, now = old.sum(axis=1), new.sum(axis=1)
        kept = most > 1e-3
        assert np.all((now[kept] / most[kept] > 0.84) & (now[kept] / most[kept] < 1.19))
        off = old[kept] / most[kept, None] - new[kept] / now[kept, None]
        assert np.abs(off).max(initial=0) <= width / 14
        assert np.all(new[most == 0] == 0)


def check_rounded_regrets(old, new):
    """Rows keep their largest regret, positive shares of it, and the size of negative ones."""
    most = old.max(axis=1)
    some = most > 1e-3
    old, new, most = old[some], new[some], most[some]
    now = new.max(axis=1)
    assert np.all((now / most > 0.84) & (now / most < 1.19))
    x, y = old / most[:, None], new / now[:, None]
    up = x > 0
    assert np.abs(x - y)[up].max(initial=0) <= 1 / 14 + 1e-5
    assert np.all(y[x == 0] == 0)
    down = (x < -0.2) & (x > -40)
    assert np.all((y[down] / x[down] > 0.7) & (y[down] / x[down] < 1.42))
    assert np.all(y[x <= -40] == -32)


def test_long_runs_keep_their_strategy_in_compact_checkpoints(whole, tmp_path):
    """After 100 million walks negative regrets are a thousand times the positive ones."""
    setup, state = whole.setup, dict(whole.engine.state())
    regret = state["regret"]
    rng = np.random.default_rng(5)
    made = rng.normal(size=len(regret)).astype(np.float32)
    state["regret"] = np.where(made < 0, 1e12 * made, 1e9 * made).astype(np.float32)
    write_compact(tmp_path, state, setup.table_blocks, setup.fingerprint, {"walks": "1"})
    found = read_compact(tmp_path, setup.table_blocks, setup.fingerprint).arrays["regret"]
    blocks = np.stack(setup.table_blocks, axis=1)
    for begin, width, rows in blocks[:200].tolist():
        part = slice(begin, begin + width * rows)
        old, new = (table[part].reshape(rows, width) for table in (state["regret"], found))
        check_rounded_regrets(old, new)
        none = old.max(axis=1) < 0
        assert np.all(new[none].max(axis=1) <= 0)
        assert np.all(new[none].min(axis=1) < 0)


def test_what_is_wrong_with_a_compact_checkpoint(whole, tmp_path):
    setup, state = whole.setup, whole.engine.state()
    with pytest.raises(FileError, match="no compact checkpoint"):
        read_compact(tmp_path, setup.table_blocks, setup.fingerprint)
    write_compact(tmp_path, state, setup.table_blocks, setup.fingerprint, {"walks": "1"})
    with pytest.raises(FingerprintError, match="another configuration"):
        read_compact(tmp_path, setup.table_blocks, "other")
    (tmp_path / "compact-1of1.safetensors").rename(tmp_path / "compact-1of2.safetensors")
    with pytest.raises(FileError, match="missing"):
        read_compact(tmp_path, setup.table_blocks, setup.fingerprint)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("seed = 7", "seed = 8"),
        ("stack = 20", "stack = 22"),
        ('"six-small"', '"six"'),
        ('"small"', '"tiny"'),
        *((f"{key} = ", f"{key} = 1") for key in ("discount_every", "discount_until")),
        *((f"{key} = ", f"{key} = 1") for key in ("average_every", "snapshot_every")),
        *(
            ("[rules]", f"[rules]\n{rule}")
            for rule in ("average_from = 384", "explore = 0.002", "callers = 0.5", "floor = -5.0")
        ),
        ("[rules]", "[rules]\ncaller_weight = 1.0"),
    ],
)
def test_checkpoints_belong_to_what_decides_the_tables(old, new):
    one, other, longer = (
        Setup.of(each).fingerprint for each in (three(99), three(99, (old, new)), three(100))
    )
    assert old in THREE
    assert one == longer != other


def test_files_of_two_compact_checkpoints_are_not_mixed(whole, tmp_path, monkeypatch):
    setup, state = whole.setup, whole.engine.state()
    monkeypatch.setattr(compact_checkpoint, "_CHUNK", whole.engine.regret.size // 2)
    monkeypatch.setattr(compact_checkpoint, "_LARGEST_FILE", 1)
    first = write_compact(tmp_path, state, setup.table_blocks, setup.fingerprint, {"walks": "1"})[0]
    older = first.read_bytes()
    paths = write_compact(tmp_path, state, setup.table_blocks, setup.fingerprint, {"walks": "2"})
    assert paths[0] == first
    assert len(paths) > 1
    read_compact(tmp_path, setup.table_blocks, setup.fingerprint)
    first.write_bytes(older)
    with pytest.raises(DamagedFileError, match="two checkpoints"):
        read_compact(tmp_path, setup.table_blocks, setup.fingerprint)


def test_the_newer_of_two_compact_checkpoints_is_read(whole, tmp_path, monkeypatch):
    setup, state = whole.setup, whole.engine.state()
    monkeypatch.setattr(compact_checkpoint, "_CHUNK", whole.engine.regret.size // 2)
    about = (tmp_path, state, setup.table_blocks, setup.fingerprint)
    (one,) = write_compact(*about, {"walks": "1"})
    older = one.read_bytes()
    monkeypatch.setattr(compact_checkpoint, "_LARGEST_FILE", 1)
    for newest in ("2", "0"):
        paths = write_compact(*about, {"walks": newest})
        assert len(paths) > 1
        one.write_bytes(older)  # as if its removal had been prevented
        read = read_compact(tmp_path, setup.table_blocks, setup.fingerprint)
        assert read.metadata["walks"] == max(newest, "1")
    paths[0].unlink()
    assert read_compact(tmp_path, setup.table_blocks, setup.fingerprint).metadata["walks"] == "1"


def test_training_wins_from_the_strategy_before(whole, tmp_path):
    early = trained(three(5), tmp_path)
    result = play_against_copies(
        whole.setup.graph,
        whole.engine.dealer.buckets,
        4000,
        whole.engine.average,
        early.engine.average,
        seed=3,
    )
    assert result.mean > 3 * result.standard_error
    played = whole.setup.play(whole.engine, early.engine.state(), 4000, 3, tmp_path)
    assert played == (12_000, *result[1:5])


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("average_every = 384", "prune_below = -5.0"), "prune_below is for two seats"),
        (("seats = 3", "seats = 7"), "7 seats cannot be trained"),
        (('cards = "small"', 'cards = "small"\ninformation = "ep-white"'), "is for two seats"),
        (('bets = "six-small"', 'bets = "50%, a"'), "no menu of several players"),
        (("average_every = 384", "explore = 2.0"), "explore=2.0"),
        (("walks = 5760", "walks = 100"), "the average begins after 768 walks"),
        (("seats = 3", "seats = 2"), "snapshot_every is for three to six seats"),
    ],
)
def test_configurations_that_are_refused(change, problem):
    assert change[0] in THREE.format(walks=30 * BLOCK)
    with pytest.raises(OptionError, match=problem):
        Setup.of(three(change=change))


def test_presets_fit_the_files_that_ship():
    told = needs(read_config("six"))
    assert told.rows == 88_797_873
    assert told.memory < 0.9e9
