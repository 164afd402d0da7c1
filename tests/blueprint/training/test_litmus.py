import numpy as np
import pytest

from tiltless.blueprint.training.litmus import first_in, litmus
from tiltless.blueprint.tree import betting_tree
from tiltless.games import load

OFFSUIT_DEUCES = range(12 * 13, 12 * 13 + 12)


@pytest.fixture(scope="module")
def tree():
    return betting_tree(load("nlhe", stack=20), "preflop: a; none")


def test_a_strategy_that_always_folds_fails_them_all(tree):
    always_fold = np.zeros((169, 3), np.float32)
    always_fold[:, 0] = 7
    checks = litmus(tree, always_fold)
    assert len(checks) == 5
    assert not any(check.holds for check in checks)
    assert first_in(tree, always_fold)[:, 0].tolist() == [1.0] * 169


def test_good_hands_that_are_played_pass(tree):
    weights = np.zeros((169, 3), np.float32)
    weights[:, 2] = 1  # all in
    weights[OFFSUIT_DEUCES] = [1, 0, 0]
    assert [check.text for check in litmus(tree, weights) if not check.holds] == []


@pytest.mark.parametrize(
    ("place", "text"),
    [(0, "AA never folds first in"), (14, "KK never folds first in")],
)
def test_each_check_looks_at_its_own_hand(tree, place, text):
    weights = np.zeros((169, 3), np.float32)
    weights[:, 2] = 1
    weights[OFFSUIT_DEUCES] = [1, 0, 0]
    weights[place] = [0.02, 0, 0.98]
    assert [check.text for check in litmus(tree, weights) if not check.holds] == [text]


def test_hands_that_were_never_met_play_every_action_alike(tree):
    shares = first_in(tree, np.zeros((169, 3), np.float32))
    np.testing.assert_array_equal(shares, np.full((169, 3), 1 / 3))


def test_other_buckets_have_no_checks(tree):
    assert litmus(tree, np.ones((91, 3), np.float32)) == []
    assert first_in(tree, np.ones((91, 3), np.float32)) is None
