"""Exact comparisons of search and blueprint at roots of self-play."""

import numpy as np
import pytest

from tiltless.agents.blueprint import load_blueprint
from tiltless.bench.search_value import Proof, one_root, prove, sample_roots
from tiltless.blueprint.shipped import find_blueprint
from tiltless.cards.card import COMBO_CARDS
from tiltless.errors import OptionError
from tiltless.kernels.blueprint.nodes import ACTOR, STREET
from tiltless.search.blueprint_policy import BlueprintPolicy
from tiltless.search.subgame import ENTRIES, RIVER_SIZES


@pytest.fixture(scope="module")
def guide():
    known = load_blueprint(find_blueprint())
    return BlueprintPolicy(known.blueprint, known.buckets)


def test_roots_begin_a_street(guide):
    roots = list(sample_roots(guide, 3, 4, seed=5))
    record = guide.blueprint.tree.nodes.node
    for root in roots:
        assert record[root.node, STREET] == 3
        assert record[root.node, ACTOR] == 1
        assert len(set(root.board)) == 5
        gone = np.isin(COMBO_CARDS, root.board).any(axis=1)
        for vector in (*root.reaches, *root.beliefs):
            assert vector.max() == 1
            assert not vector[gone].any()
        assert (root.beliefs[:, ~gone] > 0).all()
    again = list(sample_roots(guide, 3, 4, seed=5))
    assert all((one.reaches == two.reaches).all() for one, two in zip(roots, again, strict=True))
    assert roots[0].board != next(sample_roots(guide, 3, 1, seed=6)).board


def test_a_root_has_the_reach_of_its_line(guide):
    root = next(sample_roots(guide, 2, 1, seed=8))
    blueprint, tree = guide.blueprint, guide.blueprint.tree
    expected, node = np.ones((2, 1326)), root.node
    while node:
        before = int(tree.nodes.node[node, 6])
        taken = node - tree.children(before)[0]
        street = int(tree.nodes.node[before, STREET])
        rows = blueprint.hands(before, root.board[: street + 2 if street else 0])
        expected[int(tree.nodes.node[before, ACTOR])] *= rows[:, taken]
        node = before
    expected[:, np.isin(COMBO_CARDS, root.board).any(axis=1)] = 0
    assert root.reaches == pytest.approx(expected / expected.max(axis=1, keepdims=True))


def test_without_a_search_nothing_changes(guide):
    root = next(sample_roots(guide, 3, 1, seed=5))
    late = Proof(3, seconds=1e-9, sizes=RIVER_SIZES)
    findings = one_root(guide, root, late)
    assert [found.entry for found in findings[::2]] == list(ENTRIES)
    for found in findings:
        assert found.late
        assert (found.gain, found.gift) == pytest.approx((0, 0), abs=1e-4)
        assert found.loss == pytest.approx(0, abs=1e-4)
        assert found.blueprint_loss > 0


def test_search_is_harder_to_beat(guide):
    told = []
    proof = Proof(3, iterations=80, sizes=RIVER_SIZES)
    findings = prove(guide, proof, 4, seed=1, progress=lambda n, found: told.append(n))
    assert told == [1, 2, 3, 4]
    for way in range(0, 6, 2):  # without argmax
        losses = [found[way].loss / found[way].blueprint_loss for found in findings]
        assert max(losses) < -0.3
    gains = [found[0].gain / found[0].pot for found in findings]
    assert np.mean(gains) > -0.01


def test_roots_must_be_some(guide):
    with pytest.raises(OptionError, match="give 1 or more"):
        prove(guide, Proof(3), 0)
