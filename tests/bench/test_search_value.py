"""Exact comparisons of search and blueprint at roots of self-play."""

from dataclasses import replace

import numpy as np
import pytest

from helpers.toy_river_of_blood import save_toy
from tiltless.agents.blueprint import load_blueprint
from tiltless.bench.search import PROOFS
from tiltless.bench.search_value import Proof, one_root, prove, sample_roots
from tiltless.blueprint.shipped import find_blueprint
from tiltless.cards.card import COMBO_CARDS, SUITS
from tiltless.errors import OptionError
from tiltless.kernels.blueprint.nodes import ACTOR, STREET
from tiltless.search.blueprint_policy import BlueprintPolicy
from tiltless.search.entry import ENTRIES
from tiltless.search.left_out import LEAST
from tiltless.search.subgame import RIVER_SIZES, TURN_SIZES


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


@pytest.fixture(scope="module")
def rivers(guide):
    """Findings at rivers of a seed by which nothing was chosen."""
    told = []
    proof = Proof(3, iterations=80, sizes=RIVER_SIZES)
    found = prove(guide, proof, 4, seed=31, progress=lambda n, found: told.append(n))
    assert told == [1, 2, 3, 4]
    return found


def test_search_is_harder_to_beat(rivers):
    for way in range(0, 6, 2):  # without argmax
        losses = [found[way].loss / found[way].blueprint_loss for found in rivers]
        assert max(losses) < -0.5
        assert np.mean(losses) < -0.8
        assert np.mean([found[way].gain / found[way].pot for found in rivers]) > 0


def test_no_hand_gains_much_over_its_alternative_value(guide, rivers):
    """Of the agent's default entry and trust; with trust 0 next to nothing, as the papers prove."""
    default = [found[2 * ENTRIES.index("max-margin")] for found in rivers]
    # limits that a fixed range exceeds: it gives up to 0.94, 0.42 on average
    assert max(found.gift / found.pot for found in default) < 0.75
    assert np.mean([found.gift / found.pot for found in default]) < 0.35
    safe = Proof(3, iterations=300, sizes=RIVER_SIZES, entries=("max-margin",), trust=0.0)
    gifts = [found[0].gift / found[0].pot for found in prove(guide, safe, 3, seed=31)]
    assert max(gifts) < 0.05


def test_hands_that_were_left_out_cost_little(guide):
    """A best response gains as little against a search without them as against one with all."""
    given = {"iterations": 80, "sizes": RIVER_SIZES, "entries": ("max-margin",)}
    few, every = (
        [found[0] for found in prove(guide, Proof(3, least=least, **given), 2, seed=32)]
        for least in (LEAST, 0.0)
    )
    for one, two in zip(few, every, strict=True):
        assert one.loss < two.loss + 0.02 * one.pot
        assert one.gain > two.gain - 0.02 * one.pot


def test_turns_are_judged_with_the_agent_s_menu(guide):
    proof = replace(PROOFS["turn"], seconds=None, iterations=40, entries=("max-margin",))
    assert proof.sizes == TURN_SIZES
    (found,) = prove(guide, proof, 1, seed=33)
    assert found[0].loss < -0.3 * found[0].blueprint_loss
    assert found[0].iterations == 40


def test_roots_must_be_some(guide):
    with pytest.raises(OptionError, match="give 1 or more"):
        prove(guide, Proof(3), 0)


def test_search_on_red_rivers_of_river_of_blood(tmp_path):
    """Better than a random blueprint; hardly, where bets that it left out are judged."""
    known = load_blueprint(save_toy(tmp_path / "toy.safetensors"))
    policy = BlueprintPolicy(known.blueprint, known.buckets, known.strengths)
    (root,) = sample_roots(policy, 3, 1, seed=3, red=True)
    assert SUITS[root.board[-1] & 3] in "dh"
    (black,) = sample_roots(policy, 3, 1, seed=3, red=False)
    assert SUITS[black.board[-1] & 3] in "cs"
    proof = Proof(3, iterations=30, sizes="75%, a / a", entries=("fixed-range",))
    for after, judged, most in ((False, False, -0.5), (True, True, -0.5), (False, True, 0.0)):
        mixed, _ = one_root(policy, root, replace(proof, bets_after=after, judged_after=judged))
        assert mixed.gain > 0
        assert mixed.loss < most * mixed.blueprint_loss
        assert mixed.iterations == 30
