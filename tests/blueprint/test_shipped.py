"""The blueprints of the package, and their model cards."""

import json
import tomllib
from pathlib import Path, PurePosixPath

import numpy as np
import pytest
from typer.testing import CliRunner

import tiltless
from tiltless.abstraction.cards.buckets import ONE_BUCKET
from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.abstraction.cards.tables import build_tables
from tiltless.blueprint import shipped
from tiltless.blueprint.files.file import LARGEST_FILE
from tiltless.blueprint.files.model_card import RESULTS, CardResult, card_texts, read_results
from tiltless.blueprint.loading import load_strategy
from tiltless.blueprint.shipped import (
    DEFAULT,
    MODELS,
    SIX,
    find_blueprint,
    shipped_blueprints,
    shipped_rules,
)
from tiltless.blueprint.simulate.match import Side, simulate_match
from tiltless.blueprint.simulate.simple_policies import SIMPLE_POLICIES, simple_policy
from tiltless.blueprint.strategy import Blueprint, buckets_of
from tiltless.blueprint.table_fit import effective_depth
from tiltless.blueprint.training.litmus import litmus
from tiltless.blueprint.tree import betting_tree
from tiltless.cards.card import CLASS_NAMES
from tiltless.cli.app import app
from tiltless.errors import DamagedFileError, OptionError
from tiltless.games import load

ALL_BYTES = 50_000_000  # of all models together, in the repository
GAMES = {"hundred": "", "two-hundred": " stack=20000 blinds=50,100"}
KINGS_FOLD = {"hundred": 0.01, "two-hundred": 0.25}
"""At most, to all chips first in, which training hardly ever sees with 200 big blinds."""
MATCH = CardResult("always-call", 1512.5, (1490, 1535.25), 1_000_000, 7, "tiltless match --seed 7")


def blueprint(card=None):
    tree, cards = betting_tree(load("nlhe", stack=20), "100%, a"), card_abstraction("tiny")
    entries = int(tree.rows(buckets_of(tree, cards)).start[-1])
    average = np.random.default_rng(5).random(entries, dtype=np.float32)
    return Blueprint.from_average(tree, "nlhe", {"stack": 20}, "100%, a", cards, average, card)


@pytest.fixture
def models(tmp_path, monkeypatch):
    folder = tmp_path / "models"
    folder.mkdir()
    monkeypatch.setattr(shipped, "MODELS", folder)
    return folder


def test_names_are_those_of_index_files(models):
    assert shipped_blueprints() == ()
    blueprint().save(models / "another.safetensors")
    blueprint().save(models / "hundred.safetensors", parts_of=4096)
    assert len(list(models.glob("hundred.*of*.safetensors"))) > 1
    (models / "notes.md").write_text("not a model")
    (models / "hundred.safetensors.x").write_text("nor this")
    assert shipped_blueprints() == ("hundred", "another")
    made = Blueprint.load(find_blueprint())
    assert (made.probabilities == blueprint().probabilities).all()
    assert find_blueprint("another") == models / "another.safetensors"
    assert find_blueprint(DEFAULT) == find_blueprint()


def test_paths_are_taken_as_they_are(models, tmp_path, monkeypatch):
    blueprint().save(models / "hundred.safetensors")
    monkeypatch.chdir(tmp_path)
    for path in ("a/b", "hundred.safetensors", "./hundred", Path("hundred")):
        assert find_blueprint(path) == Path(path)
    blueprint().save("mine")
    blueprint().save("hundred")
    assert find_blueprint("mine") == Path("mine")
    assert find_blueprint("hundred") == models / "hundred.safetensors"


def test_other_names_are_refused_with_those_that_ship(models):
    with pytest.raises(OptionError, match=r"'none'.*\.safetensors"):
        find_blueprint("none")
    blueprint().save(models / "hundred.safetensors")
    blueprint().save(models / "another.safetensors")
    for name in ("hundrd", "", "Hundred", "hundred.1of2", ".."):
        with pytest.raises(OptionError, match="hundred, another;"):
            find_blueprint(name)


@pytest.fixture(scope="module")
def ships():
    """Every model of the package, loaded once."""
    return {name: load_strategy(find_blueprint(name)) for name in shipped_blueprints()}


def test_what_ships_is_sound(ships):
    assert DEFAULT in ships  # without a model, the loops below check nothing
    for made in ships.values():
        made.verify()
        command = made.about.card["command"]
        assert command.startswith(("tiltless train", "python -m tiltless.train"))
    sizes = [path.stat().st_size for path in MODELS.glob("*")]
    assert max(sizes) <= LARGEST_FILE
    assert sum(sizes) <= ALL_BYTES


@pytest.fixture(scope="module")
def hundred(ships):
    return ships["hundred"]


@pytest.fixture(scope="module", params=["hundred", "two-hundred"])
def name(request):
    return request.param


@pytest.fixture(scope="module")
def model(name, ships):
    return ships[name]


def test_what_ships_passes_every_litmus_check(model):
    checks = litmus(model.tree, model.table(0).astype(np.float32))
    assert len(checks) == 5
    assert [check.text for check in checks if not check.holds] == []


def test_what_ships_plays_the_hands_that_everybody_knows(name, model):
    def first_in(hole, word):
        return sum(chance for label, chance in model.query(hole) if label.startswith(word))

    for hole in ("AsAh", "KsKh", "QsQh", "AsKs", "JsJd", "AhKd"):
        assert first_in(hole, "fold") < 0.01
        assert first_in(hole, "raise") > 0.75  # the rest are traps
    assert first_in("7s2h", "fold") > 0.9
    all_in = "a"  # of all chips, first in
    for hole, most in (("AsAh", 0.01), ("KsKh", KINGS_FOLD[name])):
        assert dict(model.query(hole, line=all_in))["fold"] < most
    for hole in ("7s2h", "Js3h", "9s4d"):
        assert dict(model.query(hole, line=all_in))["fold"] > 0.99


def test_the_results_on_the_card_can_be_had_again(name, model):
    simple, responses = model.results[:4], model.results[4:]
    assert [each.against for each in simple] == list(SIMPLE_POLICIES)
    for setting, result in enumerate(responses, 1):
        assert result.command == (
            f"tiltless lbr blueprint:file={name}{GAMES[name]} --setting {setting} "
            f"--hands {result.hands} --seed {result.seed}"
        )
    assert len(responses) == 4
    for result in simple:
        assert result.interval[0] > 0  # it beats them all
        deals = result.hands // 2
        assert result.command == (
            f"tiltless blueprint match {name} {result.against} --deals {deals} --seed {result.seed}"
        )
    # who raises every hand wins 750; who only calls, 250
    assert 500 < simple[-1].mbb_per_hand < 750


def test_queries_need_no_tables_of_buckets(hundred, tmp_path, monkeypatch):
    monkeypatch.setenv("TILTLESS_CACHE", str(tmp_path))
    river = ("--board", "Ks7d2c9h3s", "--line", "c x / x x / x x / x")
    for more in ((), river):
        command = ["blueprint", "query", "--hole", "AsKd", *more]
        done = CliRunner().invoke(app, command, env={"COLUMNS": "100"})
        assert done.exit_code == 0, (done.output, done.exception)
        place = hundred.decision_after(more[-1] if more else "")
        bucket = hundred.abstraction.bucket("AsKd", more[1] if more else ())
        chances = hundred.row(place.node, bucket)
        for choice, chance in zip(place.choices(hundred.tree), chances.tolist(), strict=True):
            row = next(each for each in done.output.splitlines() if f" {choice.label} " in each)
            assert f" {chance:.1%} " in row
    assert not (tmp_path / "buckets").exists()


@pytest.mark.slow
def test_what_ships_wins_what_its_card_says(model):
    """Needs the tables of its buckets, which take a minute where they are not built yet."""
    groups = build_tables(model.abstraction).groups
    side = Side(model.probabilities, groups)
    for result in model.results[: len(SIMPLE_POLICIES)]:
        policy = simple_policy(model.tree, result.against)
        other = Side(policy, [ONE_BUCKET] * model.tree.streets)
        deals = result.hands // 2
        found = simulate_match(model.tree, deals, side, other, seed=result.seed, threads=2)
        mean, _ = found.mbb(model.tree.game.rules.big_blind)
        assert mean == pytest.approx(result.mbb_per_hand, abs=0.051)  # as it is rounded there


def test_models_are_data_of_the_package(models):
    """Else a wheel would be without them; Windows and Linux agree on the names."""
    blueprint().save(models / "hundred.safetensors", parts_of=4096)
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    patterns = tomllib.loads(text)["tool"]["setuptools"]["package-data"]["tiltless"]
    for path in models.iterdir():
        assert any(
            PurePosixPath(f"blueprint/models/{path.name}").match(pattern) for pattern in patterns
        )
    assert Path(tiltless.__file__).parent / "blueprint" / "models" == MODELS


def test_a_card_is_changed_and_the_table_is_not(tmp_path):
    path = tmp_path / "model.safetensors"
    first = blueprint({"command": "tiltless train", "seconds": 3})
    assert first.results == ()
    first.save(path, parts_of=4096)
    before = {each.name for each in tmp_path.iterdir()}
    changed = Blueprint.load(path).with_card({"results": [MATCH], "seconds": None, "date": 2026})
    changed.save(path, parts_of=4096)
    found = Blueprint.load(path)
    found.verify()
    assert {each.name for each in tmp_path.iterdir()} == before
    assert (found.probabilities == first.probabilities).all()
    assert found.fingerprint == first.fingerprint
    assert found.results == (MATCH,)
    assert isinstance(found.results[0].interval, tuple)
    words = {name: text for name, text in found.about.card.items() if name != RESULTS}
    assert words == {"command": "tiltless train", "date": "2026"}
    again = found.with_card({"results": [*found.results, MATCH._replace(against="random")]})
    assert [each.against for each in again.results] == ["always-call", "random"]
    assert found.results == (MATCH,)
    assert again.with_card({"note": "x"}).results == again.results
    assert again.with_card({"results": None}).results == ()
    assert blueprint({"results": [MATCH._asdict()]}).results == (MATCH,)


def test_results_are_json_on_the_card():
    texts = card_texts({"results": [MATCH], 3: 4})
    assert texts["3"] == "4"
    assert json.loads(texts["results"]) == [{**MATCH._asdict(), "interval": [1490, 1535.25]}]
    assert card_texts(texts) == texts
    assert read_results({}) == ()
    numbers = MATCH._replace(mbb_per_hand=np.float32(1500.5), hands=np.int64(5))
    assert read_results(card_texts({"results": (numbers,)}))[0].hands == 5


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"against": ""}, "against=''"),
        ({"against": "two\nlines"}, r"against='two\\nlines'"),
        ({"command": 3}, "command=3"),
        ({"mbb_per_hand": "12"}, "mbb_per_hand='12'"),
        ({"mbb_per_hand": float("nan")}, "mbb"),
        ({"mbb_per_hand": True}, "mbb"),
        ({"mbb_per_hand": 1}, "1.*1490 to 1535.25"),
        ({"interval": 22.5}, r"interval=22\.5"),
        ({"interval": (1490, float("inf"))}, "mbb"),
        ({"interval": (1535.25, 1490)}, r"1512\.5.*1535\.25"),
        ({"hands": 0}, "hands.*=0"),
        ({"seed": -1}, "seed.*="),
        ({"seed": 1.5}, "seed.*="),
        ({"won": 3}, "against, mbb_per_hand, interval, hands, seed, command"),
    ],
)
def test_a_claim_without_its_numbers_is_refused(changes, message):
    with pytest.raises(OptionError, match=message) as caught:
        card_texts({"results": [{**MATCH._asdict(), **changes}]})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("given", ["[", "[3]", " [{}]", "[" * 10_000, [3], [None], ({},)])
def test_a_list_of_other_things_is_refused(given):
    with pytest.raises(OptionError, match="against, mbb_per_hand, interval, hands, seed"):
        blueprint({"results": given})


def test_words_are_no_matches():
    made = blueprint({"results": "+3 ± 2 mbb against “random”"})
    assert made.results == ()
    assert made.with_card({"n": 3}).about.card["results"] == "+3 ± 2 mbb against “random”"


def test_a_file_with_other_results_says_so():
    made = blueprint()
    made.about.__dict__["card"] = {"results": "[3, 4]"}
    with pytest.raises(DamagedFileError, match=r"3.*mbb_per_hand"):
        made.verify()


def test_a_shipped_blueprint_is_loaded_by_name(hundred):
    assert Blueprint.load("hundred", verify=False).about == hundred.about
    with pytest.raises(OptionError, match="hundred"):
        Blueprint.load("thousand")


def test_a_table_gets_the_shipped_blueprint_of_the_nearest_depth(monkeypatch):
    games = {
        DEFAULT: load("nlhe"),
        "two-hundred": load("nlhe", stack=20_000, blinds=(50, 100)),
        "six": load("nlhe", seats=6),
        "blood": load("river-of-blood", stack="200bb"),
        "short": load("short-deck", seats=2, stack="200bb"),
    }
    monkeypatch.setattr(
        shipped, "shipped_rules", lambda: {name: game.rules for name, game in games.items()}
    )
    for stack, name in (("20bb", DEFAULT), ("140bb", DEFAULT), ("142bb", "two-hundred")):
        assert shipped.blueprint_for(load("nlhe", stack=stack).rules) == name
    for name, game in games.items():
        assert shipped.blueprint_for(game.rules) == name
    assert shipped.blueprint_for(load("nlhe", seats=6, stack="90bb").rules) == "six"
    assert shipped.blueprint_for(load("river-of-blood", stack="20bb").rules) == "blood"
    for seats, name in ((3, "six"), (5, "six"), (7, DEFAULT)):
        assert shipped.blueprint_for(load("nlhe", seats=seats).rules) == name
    assert shipped.blueprint_for(load("river-of-blood").rules) == "blood"


def test_rules_of_shipped_blueprints_are_those_of_their_games(ships):
    found = shipped_rules()
    assert tuple(found) == shipped_blueprints()
    for name, rules in found.items():
        assert rules == ships[name].game.rules
    depths = {name: effective_depth(rules) for name, rules in found.items() if name != SIX}
    assert depths == {DEFAULT: 100, "river-of-blood": 200, "two-hundred": 200}


def test_the_model_of_six_seats_passes_its_litmus(ships):
    """First in: more from every later seat, by raising; strong hands never fold."""
    made = ships[SIX]
    found = {each.short: each for each in made.openings()}
    assert list(found) == ["UTG", "HJ", "CO", "BTN", "SB"]
    plays = [1 - each.share(each.folds) for each in found.values()]
    assert plays[0] < plays[1] < plays[2] < plays[3]
    assert 0.12 < plays[0] < 0.25
    assert 0.35 < plays[3] < 0.6
    raises = [each.share(each.raises) for each in found.values()]
    assert raises[0] < raises[1] < raises[2] < raises[3]
    for each in found.values():
        for hand in ("AA", "KK", "QQ", "AKs", "AKo"):
            assert each.folds[CLASS_NAMES.index(hand)] < 0.01
        assert each.folds[CLASS_NAMES.index("72o")] > 0.95
    for short in ("UTG", "HJ", "CO", "BTN"):
        each = found[short]
        assert each.share(each.limps) < 0.08
        assert each.share(each.raises) > 2 * each.share(each.limps)
        for hand in ("AA", "KK", "AKs"):
            assert each.raises[CLASS_NAMES.index(hand)] > 0.75
    assert sum(path.stat().st_size for path in MODELS.glob("six*")) <= 20e6
    for seats in range(3, 7):
        assert shipped.blueprint_for(load("nlhe", seats=seats).rules) == SIX
