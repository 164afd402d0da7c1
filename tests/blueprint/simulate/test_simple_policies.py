import numpy as np
import pytest

from tiltless.abstraction.cards.buckets import ONE_BUCKET
from tiltless.blueprint.simulate.match import Side, simulate_match
from tiltless.blueprint.simulate.simple_policies import SIMPLE_POLICIES, simple_policy
from tiltless.blueprint.tree import betting_tree
from tiltless.errors import OptionError
from tiltless.games import load
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.streets import no_limit
from tiltless.kernels.blueprint.nodes import ACTOR, ROW, STREET

TREES = {
    "heads-up": betting_tree(load("nlhe", stack=40), "50%, 100%, a"),
    "uneven": betting_tree(load("nlhe", stack=(9, 31), ante=1), "50%, 100%, a; cap 2"),
    "limit": betting_tree(load("limit-holdem"), "a; cap 2"),
    "river of blood": betting_tree(load("river-of-blood", stack=20), "100%, a; cap 1"),
    "three seats": betting_tree(load("nlhe", stack=8, seats=3), "100%, a; cap 2"),
    "all-in from the start": betting_tree(Rules((1, 1), (1, 2), no_limit((2, 2, 2, 2))), "a"),
}


def expected(name, actions):
    """What a policy does, as a person would say it."""
    raises = [action for action in actions if isinstance(action, RaiseTo)]
    passive = CHECK if CHECK in actions else CALL
    if name == "call":
        return {passive}
    if name == "raise":
        return {max(raises, key=lambda action: action.chips)} if raises else {passive}
    if name == "fold":
        return {CHECK if CHECK in actions else FOLD}
    return set(actions)


@pytest.mark.parametrize("name", SIMPLE_POLICIES)
@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
def test_each_decision_has_the_action_that_the_name_says(tree, name):
    table, rows = simple_policy(tree, name), tree.rows()
    assert table.shape == (rows.start[-1],)
    assert table.dtype == np.uint8
    seen = set()
    for node in np.flatnonzero(tree.nodes.node[:, ACTOR] >= 0).tolist():
        actions = [tree.action(child) for child in tree.children(node)]
        begin = int(rows.start[tree.nodes.node[node, STREET]] + tree.nodes.node[node, ROW])
        weights = table[begin : begin + len(actions)].tolist()
        taken = {action for action, weight in zip(actions, weights, strict=True) if weight}
        assert taken == expected(name, actions)
        assert set(weights) <= {0, 1}
        seen |= taken
    if tree is TREES["heads-up"]:
        kinds = {type(action) for action in seen}
        count = {"random": 4, "call": 2, "raise": 2, "fold": 2}[name]
        assert len(kinds) == count


def test_matches_between_them_end_as_they_must():
    tree = TREES["heads-up"]  # blinds 1 and 2
    sides = {
        name: Side(simple_policy(tree, name), [ONE_BUCKET] * tree.streets)
        for name in SIMPLE_POLICIES
    }
    # the button folds its blind of 1; in the big blind, the raiser's 2 are lost for the other
    folded = simulate_match(tree, 1000, sides["raise"], sides["fold"])
    assert folded.mean == 1.5
    assert folded.standard_error == 0
    # a caller on the button checks it down: even, and half of all hands
    for pair, won in ((("call", "fold"), 0.5), (("raise", "call"), 0)):
        result = simulate_match(tree, 20_000, *(sides[name] for name in pair))
        assert result.mean == pytest.approx(won, abs=4 * result.standard_error)


def test_other_names_are_refused_in_one_line():
    with pytest.raises(OptionError, match=r"'check'.*call, raise"):
        simple_policy(TREES["heads-up"], "check")
