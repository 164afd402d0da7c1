"""Blueprints of several seats: files, rounding, first-in decisions."""

from dataclasses import replace

import numpy as np
import pytest

from helpers.small_six import random_model, small_graph
from tiltless.blueprint.loading import load_strategy
from tiltless.blueprint.multiway.menu import MULTIWAY_MENUS
from tiltless.blueprint.multiway.menu_text import read_multiway_menu
from tiltless.blueprint.multiway.model import MultiwayBlueprint
from tiltless.blueprint.strategy import Blueprint
from tiltless.errors import FingerprintError, OptionError
from tiltless.games.holdem.actions import FOLD
from tiltless.kernels.multiway.nodes import ACTIONS, ACTOR, STREET


def test_a_model_is_what_was_averaged(tmp_path):
    model = random_model()
    again = load_strategy(model_file(model, tmp_path))
    assert isinstance(again, MultiwayBlueprint)
    again.verify()
    assert again.about == model.about
    assert 0 < again.about.visited < again.about.infosets
    graph, buckets = small_graph(), model.about.buckets
    offsets, node = graph.offsets(buckets), graph.nodes.node
    rng = np.random.default_rng(7)  # as `random_model` draws
    average = rng.random(len(model), np.float32)
    average[rng.random(len(average)) < 0.3] = 0
    average[: int(0.05 * len(average))] = 0
    decisions = np.flatnonzero(node[:, ACTOR] >= 0)
    for at in rng.choice(decisions, 300).tolist():
        actions, bucket = int(node[at, ACTIONS]), int(rng.integers(buckets[node[at, STREET]]))
        begin = int(offsets[at]) + bucket * actions
        weights = average[begin : begin + actions]
        assert again.is_visited(at, bucket) == bool(weights.any())
        wanted = weights / weights.sum() if weights.any() else np.full(actions, 1 / actions)
        np.testing.assert_allclose(again.row(at, bucket), wanted, atol=1 / 255)


def model_file(model, folder):
    path = folder / "six.safetensors"
    model.save(path)
    return path


def test_four_bits_an_action(tmp_path):
    model = random_model()
    small = model.compact()
    path = model_file(small, tmp_path)
    again = MultiwayBlueprint.load(path)
    np.testing.assert_array_equal(again.probabilities, small.probabilities)
    assert path.stat().st_size < 0.5 * len(model)
    off = np.abs(small.probabilities.astype(int) - model.probabilities)
    assert 0 < off.max() <= 17


def test_each_kind_says_where_the_other_is_opened(tmp_path):
    path = model_file(random_model(), tmp_path)
    with pytest.raises(OptionError, match="several players"):
        Blueprint.load(path)
    with pytest.raises(OptionError, match="two players"):
        MultiwayBlueprint.load("hundred")


def test_a_model_of_another_graph_is_refused():
    model = random_model()
    other = replace(model, about=replace(model.about, layout="shared blocks"))
    with pytest.raises(FingerprintError):
        _ = other.graph


def test_first_in_decisions_by_position():
    model = random_model()
    found = model.openings()
    assert [each.short for each in found] == ["CO", "BTN", "SB"]
    for each in found:
        assert each.choices[0].action == FOLD
        np.testing.assert_allclose(each.chances.sum(axis=1), 1)
        np.testing.assert_allclose(each.folds + each.limps + each.raises, 1)
    first = found[0]
    bucket = int(model.buckets(())[0])  # of the two lowest cards
    unmet = not model.is_visited(0, bucket)
    wanted = np.full(3, 1 / 3) if unmet else model.row(0, bucket)
    np.testing.assert_allclose(first.chances[model_class(0)], wanted)


def model_class(combo):
    from tiltless.cards.card import CLASS_OF_COMBO

    return CLASS_OF_COMBO[combo]


@pytest.mark.parametrize("name", MULTIWAY_MENUS)
def test_the_text_of_a_menu_is_read_again(name):
    menu = MULTIWAY_MENUS[name]
    assert read_multiway_menu(str(menu)) == menu == read_multiway_menu(name)
    with pytest.raises(OptionError, match="menu"):
        read_multiway_menu("100%, a; cap 2")
