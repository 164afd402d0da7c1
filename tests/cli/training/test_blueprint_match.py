"""``tiltless blueprint match`` as a user runs it."""

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

from tiltless.abstraction.cards.buckets import ONE_BUCKET
from tiltless.abstraction.cards.design import design
from tiltless.abstraction.cards.design_file import save_design
from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.abstraction.cards.tables import build_tables
from tiltless.blueprint.simulate.match import Side, simulate_match
from tiltless.blueprint.simulate.simple_policies import SIMPLE_POLICIES, simple_policy
from tiltless.blueprint.strategy import Blueprint, buckets_of
from tiltless.blueprint.tree import betting_tree
from tiltless.cli import ui
from tiltless.cli.app import app
from tiltless.errors import FingerprintError, OptionError
from tiltless.games import load

MENU = "preflop: a; none"
DEALS = ("--deals", 20_000, "--seed", 3)


def run(*arguments):
    return CliRunner().invoke(app, ["blueprint", "match", *map(str, arguments)])


def output(*arguments):
    done = run(*arguments)
    assert done.exit_code == 0, (done.output, done.exception)
    return done.stdout


def told(*arguments):
    return json.loads(output(*arguments, "--json"))


def refused(error, *arguments):
    done = run(*arguments)
    assert type(done.exception) is error, done.output
    assert "\n" not in str(done.exception)
    return str(done.exception)


def test_it_tells_how_far_it_is(models, monkeypatch):
    monkeypatch.setattr(ui, "EVERY", 0.0)
    done = run(models[0], "call", *DEALS)
    assert "20,000 of 20,000 deals" in done.stderr
    assert "deals" not in done.stdout


def save(path, cards, seed, game="nlhe", stack=20, menu=MENU, **more):
    """A strategy without sense, over buckets that need no tables."""
    tree = betting_tree(load(game, stack=stack, **more), menu)
    entries = int(tree.rows(buckets_of(tree, cards)).start[-1])
    average = np.random.default_rng(seed).random(entries, dtype=np.float32)
    made = Blueprint.from_average(tree, game, {"stack": stack, **more}, menu, cards, average)
    made.save(path, parts_of=1 << 20)
    return path


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Two of one tree with other buckets, and the file of those that are no preset."""
    folder = tmp_path_factory.mktemp("models")
    own = design("ranks, suitless, suitless, suitless")
    save_design(folder / "cards.safetensors", own)
    return (
        save(folder / "first.safetensors", card_abstraction("thesis"), 1),
        save(folder / "second.safetensors", own.abstraction(), 2),
        folder / "cards.safetensors",
    )


def test_the_numbers_are_those_of_the_match(models):
    first, second, cards = models
    blueprint, other = Blueprint.load(first), Blueprint.load(second, cards=cards)
    assert len(blueprint.parts) > 1
    tree = blueprint.tree
    side, other_side = (
        Side(each.probabilities, build_tables(each.abstraction).groups)
        for each in (blueprint, other)
    )
    opponents = {
        name: Side(simple_policy(tree, name), [ONE_BUCKET] * tree.streets)
        for name in SIMPLE_POLICIES
    }
    opponents[str(second)] = other_side
    assert blueprint.about.buckets != other.about.buckets
    for name, opponent in opponents.items():
        found = told(first, name, *DEALS, "--cards", cards)
        expected = simulate_match(tree, 20_000, side, opponent, seed=3)
        assert expected.mean != 0
        assert found["mbb_per_hand"] == 500 * expected.mean  # the big blind is 2
        assert found["interval"] == [500 * end for end in expected.interval[1:]]
        assert found["button_mbb_per_hand"] == 500 * expected.button
        low, high = found["button_interval"]
        assert high - low == pytest.approx(2 * 1.96 * 500 * expected.button_error, rel=1e-4)
        assert (low + high) / 2 == pytest.approx(500 * expected.button)
        assert (found["hands"], found["seed"]) == (40_000, 3)
        assert found["hands_per_second"] == pytest.approx(40_000 / found["seconds"])
        text = output(first, name, *DEALS, "--cards", cards).splitlines()
        assert text[0] == f"{first} against {name}: {expected.describe(2)}"
        assert text[1].startswith(f"the button won {500 * expected.button:+,.1f} mbb/h, 95 % be")
        assert re.fullmatch(r"[\d,]+ hands/s", text[2])


def test_seats_and_threads_change_nothing(models):
    first, second, cards = models
    one = told(first, second, *DEALS, "--cards", cards, "--threads", 1)
    two = told(first, second, *DEALS, "--cards", cards, "--threads", 2)
    assert one["mbb_per_hand"] == two["mbb_per_hand"] != 0
    swapped = told(second, first, *DEALS, "--cards", cards)
    assert swapped["mbb_per_hand"] == -one["mbb_per_hand"]
    assert told("call", first, *DEALS)["mbb_per_hand"] == (
        -told(first, "call", *DEALS)["mbb_per_hand"]
    )
    assert told(first, first, *DEALS)["mbb_per_hand"] == 0
    other = told(first, second, "--deals", 20_000, "--cards", cards)
    assert other["mbb_per_hand"] != one["mbb_per_hand"]  # another seed


def test_what_cannot_be_played_is_refused_in_one_line(models, tmp_path):
    first, second, _ = models
    thesis = card_abstraction("thesis")
    bets = save(tmp_path / "bets.safetensors", thesis, 3, menu="preflop: 3bb, a; none")
    ranks = save(
        tmp_path / "ranks.safetensors", thesis, 3, game="permutation", ranks="A23456789TJQK"
    )
    assert Blueprint.load(ranks).about.tree == Blueprint.load(first).about.tree  # other cards
    for other in (bets, ranks):
        text = refused(FingerprintError, first, other)
        trees = [Blueprint.load(path).about.tree[:12] for path in (first, other)]
        for words in (str(first), str(other), *trees, "a match needs two blueprints of one tree"):
            assert words in text
    assert "with bets 'preflop: 3bb, a; flop, turn, river: none' (tree" in refused(
        FingerprintError, first, bets
    )
    assert "name one" in refused(OptionError, "call", "fold")
    assert "no blueprint is called 'calls'" in refused(OptionError, first, "calls")
    assert "needs the card abstraction" in refused(FingerprintError, first, second)
    assert run(first, "call", "--deals", 0).exit_code == 2
