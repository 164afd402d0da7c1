"""Lines of play as text: what can be written, what it means, and what is refused."""

import pytest

from tiltless.blueprint.line_text import node_line, offered_words, read_line
from tiltless.blueprint.tree import betting_tree
from tiltless.errors import OptionError
from tiltless.games import load
from tiltless.kernels.blueprint.nodes import ACTOR, CHANCE, SHOWDOWN, STREET, UNCONTESTED

TREES = {
    "small": betting_tree(load("nlhe", stack=6), "100%, a"),
    "deep": betting_tree(load("nlhe", stack=40), "preflop: 2bb, 3bb, a; flop: 50%, 100%, a; cap 3"),
    "blood": betting_tree(load("river-of-blood", stack=12), "100%, a; cap 1"),
    "three": betting_tree(load("nlhe", seats=3, stack=8), "100%, a; cap 1"),
}
DEEP = TREES["deep"]


def refused(line, tree=DEEP):
    with pytest.raises(OptionError) as caught:
        read_line(tree, line)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", TREES)
def test_every_decision_has_a_line_that_leads_back(name):
    tree = TREES[name]
    seen = set()
    for node, record in enumerate(tree.nodes.node.tolist()):
        if record[ACTOR] < 0 or record[STREET] >= tree.repeat_from:
            continue
        line = node_line(tree, node)
        seen.add(line)
        if len(seen) % 5 and len(seen) > 300:
            continue  # some of the many
        found = read_line(tree, line)
        assert (found.node, found.actor, found.street) == (node, record[ACTOR], record[STREET])
        assert found.notes == ()
        words = offered_words(tree, node)
        assert len(found.choices(tree)) == len(words)
        for word, child in zip(words, tree.children(node), strict=True):
            assert read_line(tree, f"{line} {word}").node == child
    assert len(seen) == sum(tree.size.decisions[: tree.repeat_from])


def test_a_street_that_repeats_can_be_reached():
    tree = TREES["blood"]
    line = "c x / x x / x x / x x"
    chance = read_line(tree, line)
    assert chance.actor == CHANCE
    assert chance.choices(tree) == ()
    once = read_line(tree, line + " /")
    twice = read_line(tree, line + " / x x /")
    for found in (once, twice):
        assert found.actor == 1
        assert found.street == tree.repeat_from
        assert tree.nodes.node[found.node, ACTOR] == 1
    assert offered_words(tree, once.node) == offered_words(tree, twice.node)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("", ""),
        ("r6", "r6"),
        ("b6", "r6"),
        ("r3bb", "r6"),
        ("R3BB", "r6"),
        ("r3x", "r6"),
        ("rmin", "r4"),
        ("a", "r40"),
        ("ra", "r40"),
        ("r9999", "r40"),
        ("c x", "c x"),
        ("c x/x b50%", "c x / x b2"),
        ("c x / b100%", "c x / b4"),
        ("r4 c / b4 r100% c / x", "r4 c / b4 r20 c / x"),  # 4 + (8 + 4 + 4)
        ("c x /", "c x /"),
        ("c k", "c x"),
    ],
)
def test_sizes_are_read(line, told):
    found = read_line(DEEP, line)
    assert found.text == told
    assert found.notes == ()


def test_sizes_that_the_tree_lacks_become_the_nearest_and_it_says_so():
    found = read_line(DEEP, "r2.5bb c / b75%")
    assert found.text == "r4 c / b4"  # of 4 and 6 the smaller; of 4, 8, 36, 6 is between 4 and 8
    first, second = found.notes
    assert first == "r2.5bb is 5 chips, which the tree does not have; took 4 of 4, 6, 40"
    assert second == "b75% is 6 chips, which the tree does not have; took 4 of 4, 8, 36"
    assert read_line(DEEP, "r5.5bb").text == "r6"
    assert read_line(DEEP, "r24").text == "r40"
    assert read_line(DEEP, "r1").notes


def test_what_is_known_where_a_line_ends():
    found = read_line(DEEP, "r6 c / x")
    assert (found.actor, found.street, found.pot) == (0, 1, 12)
    assert [choice.label for choice in found.choices(DEEP)] == [
        "check",
        "bet 6",
        "bet 12",
        "bet 34 (all-in)",
    ]
    assert [choice.share for choice in found.choices(DEEP)] == [
        None,
        0.5,
        1.0,
        pytest.approx(34 / 12),
    ]
    facing = read_line(DEEP, "r6 a").choices(DEEP)
    assert [choice.label for choice in facing] == ["fold", "call 34"]
    assert read_line(DEEP, "f").actor == UNCONTESTED
    assert read_line(DEEP, "a c").actor == SHOWDOWN


def test_all_in_is_what_can_be_called_and_no_fixed_bet():
    limit = betting_tree(load("limit-holdem", stack=20), "min")
    found = read_line(limit, "a c / x")
    assert found.text == "r4 c / x"
    assert found.notes == ("a is 20 chips, which the tree does not have; took 4 of 4",)
    assert [choice.label for choice in found.choices(limit)] == ["check", "bet 2"]
    uneven = betting_tree(load("nlhe", stack=(40, 10)), "100%, a")
    for line in ("a", "r10", "r25", "r40"):
        found = read_line(uneven, line)
        assert (found.text, found.notes) == ("r40", ())
    assert read_line(uneven, "").choices(uneven)[-1].label == "raise to 40 (all-in)"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("x", "'x' at the start in the line 'x': "),
        ("x", "there is f, c, r4, r6, r40"),
        ("c c", "'c' after 'c' in the line"),
        ("c / x", "this street is not over"),
        ("c x x", "the flop begins"),
        ("c x / / x", "this street is not over"),
        ("f /", "the hand is over"),
        ("f c", "the hand is over"),
        ("a c / x", "the hand is over"),
        ("c x / b2 r6 r14 a", "nobody can bet or raise; there is f, c"),
        ("c x / a a", "nobody can bet or raise; there is f, c"),
        ("r", "'r' at the start in the line 'r': 'r' is not a move; write f, x, c"),
        ("r2.5", "is not a move"),
        ("r-4", "is not a move"),
        ("r1.2.3bb", "is not a move"),
        ("r0bb", "above 0"),
        ("r1x", "r1x is not a size"),
        ("c x / b3x", "no bet to multiply"),
        ("c x / Ks7d2c x", "has no cards"),
        ("*", "has no cards"),
        ("call", "is not a move"),
        ("r٣", "is not a move"),
        ("r" + "9" * 400, "is not a move"),
    ],
)
def test_bad_lines_are_refused(line, reason):
    assert reason in refused(line)
    assert len(refused(line)) < 330


@pytest.mark.parametrize("line", [None, 5, ["c"]])
def test_a_line_is_text(line):
    assert "is not a line" in refused(line)
