"""Training by a product of features: decisions of a class share rows, from engine to agent."""

from dataclasses import replace

import numpy as np
import pytest

from helpers.small_run import BLOCK, small
from tiltless.abstraction.cards.tables import build_tables
from tiltless.abstraction.information.presets import PRESETS
from tiltless.arena.match import play_match
from tiltless.arena.plan import MatchPlan
from tiltless.blueprint.engine import BlueprintRules
from tiltless.blueprint.files.export import decisions
from tiltless.blueprint.sampling import SCHEMES
from tiltless.blueprint.strategy import Blueprint
from tiltless.blueprint.training import tree_setup as training_setup
from tiltless.blueprint.training.config import parse_config
from tiltless.blueprint.training.cost import needs
from tiltless.blueprint.training.run import Trainer
from tiltless.blueprint.training.setup import Setup
from tiltless.errors import FingerprintError, OptionError

POT = "street * seat * pot(20) * cards"
COLOUR = "colour * street * pot(20) * cards"


BETS = "preflop: 100%, a; flop: 100%, a; none"


def config(information, sampling="external", blocks=4, bets=BETS):
    return parse_config(f"""
name = "shared"
[game]
name = "nlhe"
stack = 20
[abstraction]
bets = "{bets}"
cards = "thesis"
information = "{information}"
[rules]
sampling = "{sampling}"
discount_every = {2 * SCHEMES[sampling].block}
[stop]
walks = {blocks * SCHEMES[sampling].block}
""")


def trained(run, folder, blocks=2):
    trainer = Trainer(run, folder, threads=1, match_deals=0)
    trainer.engine.run(blocks * trainer.engine.block_walks)
    return trainer


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pot")
    path = folder / "pot.safetensors"
    trained(config(POT), folder, blocks=24).blueprint("test").save(path)
    return path


def test_a_configuration_is_resolved_once(tmp_path, monkeypatch):
    asked = []
    for name in ("load", "find_menu", "card_abstraction", "betting_tree"):
        made = getattr(training_setup, name)

        def counted(*given, _made=made, _name=name, **options):
            asked.append(_name)
            return _made(*given, **options)

        monkeypatch.setattr(training_setup, name, counted)
    setup = Setup.of(small())
    assert needs(setup).infosets == setup.infosets
    trained(setup, tmp_path).blueprint()
    assert sorted(asked) == ["betting_tree", "card_abstraction", "find_menu", "load"]
    assert Setup.of(setup) is setup


def test_all_bets_are_what_is_trained_without_a_product():
    plain = small()
    for text in ("history * cards", "thesis", "six-player"):
        assert Setup.of(replace(plain, information=text)).information is None
        written = Setup.of(replace(plain, information=text))
        assert written.fingerprint == Setup.of(plain).fingerprint
    assert Setup.of(replace(plain, information=POT)).fingerprint != Setup.of(plain).fingerprint


@pytest.mark.parametrize("sampling", SCHEMES)
def test_a_product_that_tells_all_apart_trains_the_same_tables(tmp_path, sampling):
    change = ("discount_every = 16384", f"sampling = '{sampling}'")
    plain = trained(small(change=change), tmp_path / "plain")
    run = replace(small(change=change), information=POT)
    assert Setup.of(run).information is not None
    product = trained(run, tmp_path / "product")
    assert product.setup.tree.size == plain.setup.tree.size
    np.testing.assert_array_equal(product.engine.regret, plain.engine.regret)
    np.testing.assert_array_equal(product.engine.average, plain.engine.average)
    np.testing.assert_array_equal(
        product.blueprint().probabilities, plain.blueprint().probabilities
    )


@pytest.mark.parametrize("sampling", ["chance", "public-chance", "external"])
@pytest.mark.parametrize("information", [POT, COLOUR])
def test_rows_that_are_shared_are_counted_and_written_once(tmp_path, sampling, information):
    run = config(information, sampling)
    told = needs(run)
    trainer = trained(run, tmp_path, blocks=1)
    assert trainer.engine.regret.size == told.rows
    assert trainer.infosets == told.infosets
    assert told.infosets < needs(config("history * cards")).infosets
    made = trainer.blueprint()
    assert 0 < made.about.visited == trainer.engine.infosets_touched()
    assert made.about.infosets == told.infosets
    made.verify()
    weights = trainer.engine.average_at(0)
    seen = weights.sum(axis=1) > 0
    exact = weights[seen] / weights[seen].sum(axis=1, keepdims=True)
    np.testing.assert_allclose(made.table(0)[seen] / 255, exact, atol=0.006)


@pytest.mark.parametrize("name", PRESETS)
def test_the_information_sets_of_the_reports_train(tmp_path, name):
    run = config(name, bets="preflop: a; flop: a; none")  # one raise: thesis cards are many
    trainer = Trainer(run, tmp_path, threads=1, match_deals=0)
    trainer.run()
    made = trainer.blueprint()
    made.save(tmp_path / "made.safetensors")
    again = Blueprint.load(tmp_path / "made.safetensors")
    again.verify()
    assert again.fingerprint == made.fingerprint
    assert again.information == trainer.setup.information
    assert bool(again.about.information) == (name in ("ep-white", "libratus-fan-club"))


def test_one_lookup_and_many_agree_on_buckets(tmp_path):
    made = trained(config(COLOUR), tmp_path, blocks=1).blueprint()
    groups = made.groups(build_tables(made.abstraction))
    rng = np.random.default_rng(1)
    dealt = np.array([rng.permutation(52)[:9] for _ in range(50)], np.uint8)
    bucket = np.empty((50, 2, 4), np.uint32)
    for street, group in enumerate(groups):
        assert group.count == made.about.buckets[street]
        group.fill(dealt, street, bucket)
    colours = set()
    for hand, found in zip(dealt.tolist(), bucket, strict=True):
        for street, size in enumerate((0, 3, 4, 5)):
            board = hand[4 : 4 + size]
            node = made.locate(" / ".join(["c x", "x x", "x x"][:street]))
            assert made.bucket(node, hand[:2], board) == found[0, street]
            if street:
                red = (board[-1] & 3) in (1, 2)
                assert found[0, street] // made.abstraction.counts[street] == red
                colours.add(red)
    assert colours == {False, True}


def test_a_blueprint_of_a_product_is_asked_exported_and_played(model):
    made = Blueprint.load(model)
    assert made.about.information == POT
    assert len(made.query("AsAh")) == len(made.tree.children(0))
    lines = [rows.line for rows in decisions(made, visited=True)]
    assert len(lines) == len(set(lines)) > sum(made.tree.size.decisions)
    agents = (f"blueprint:file={model}", "fish")
    plan = MatchPlan(agents, 400, parameters={"stack": 20}, seed=3)
    scores = play_match(plan)
    assert scores.interval.low > 0
    assert sum(scores[0].faults) == 0


def test_lines_of_a_class_have_one_row(model):
    made = Blueprint.load(model)
    same = [made.locate(line) for line in ("c x / x b4 c / x", "c b4 c / x x / x")]
    assert made.table(same[0]).any()
    np.testing.assert_array_equal(made.table(same[0]), made.table(same[1]))
    assert same[0] != same[1]


def test_another_product_than_that_of_training_is_refused(model, tmp_path):
    made = Blueprint.load(model)
    for text in ("street * seat * pot(3) * cards", "", "no such thing"):
        other = replace(made, about=replace(made.about, information=text))
        other.save(tmp_path / "other.safetensors")
        with pytest.raises(FingerprintError) as error:
            Blueprint.load(tmp_path / "other.safetensors").verify()
        assert "\n" not in str(error.value)


def test_games_that_no_traversal_knows_stay_refused():
    run = replace(small(), game={"name": "permutation"}, information="ep-white")
    with pytest.raises(OptionError, match="permutation"):
        Setup.of(run)
    blood = {"name": "river-of-blood"}
    with pytest.raises(OptionError, match="4 streets and the game has 5"):
        Setup.of(replace(small(), game=blood))
    chance = BlueprintRules(sampling="chance")
    with pytest.raises(OptionError, match="external"):
        Setup.of(replace(small(), game=blood, cards="run-small", rules=chance))


@pytest.mark.parametrize("text", ["street * pot(20)", "street * poet(20) * cards", "ep white"])
def test_texts_that_cannot_be_trained_are_one_line(text):
    with pytest.raises(OptionError, match="cards") as error:
        Setup.of(replace(small(walks=BLOCK), information=text))
    assert "\n" not in str(error.value)
