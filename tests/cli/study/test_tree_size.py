"""``tiltless tree`` and ``tiltless menus`` as a user runs them, in this process."""

import json

import pytest

from helpers.command import output, run_here
from tiltless.abstraction.bets.presets import MENUS
from tiltless.blueprint.multiway.graph_layout import betting_graph
from tiltless.blueprint.tree import betting_tree
from tiltless.games import load


def test_the_size_is_told_before_anything_is_laid_out():
    text = output("tree", "nlhe", "stack=20bb", "--bets", "100%, a; cap 2", "--buckets", "169,9")
    tree = betting_tree(load("nlhe", stack="20bb"), "tiny")
    assert "bets: 100%, a; cap 2\n" in text
    assert f"{tree.size.nodes:,} nodes" in text
    assert f"{tree.size.ends:,} terminals" in text
    assert "river" in text
    assert "regrets and averages" in text


def test_tree_as_json():
    found = json.loads(
        output("tree", "nlhe", "stack=20bb", "--bets", "tiny", "--buckets", "169,10,20", "--json")
    )
    tree = betting_tree(load("nlhe", stack="20bb"), "tiny")
    rows = tree.rows((169, 10, 20, 20))
    assert found["nodes"] == tree.size.nodes
    assert found["ends"] == tree.size.ends
    assert found["tree_bytes"] == tree.nbytes - tree.nodes.dead.nbytes
    assert found["rows"] == rows.start[-1]
    assert found["table_bytes"] == 8 * found["rows"]
    assert [line["buckets"] for line in found["streets"]] == [169, 10, 20, 20]
    assert [line["decisions"] for line in found["streets"]] == list(tree.size.decisions)
    assert found["infosets"] == sum(line["infosets"] for line in found["streets"])


@pytest.mark.parametrize(
    ("game", "numbers"),
    [
        (["toy-holdem", "--bets", "thesis"], [169, 200]),
        (["nlhe", "stack=10", "--bets", "tiny"], [169, 200, 200, 200]),
        (["river-of-blood", "stack=20", "--bets", "min a"], [169, 200, 200, 200, 200]),
    ],
)
def test_buckets_by_default_fit_any_number_of_streets(game, numbers):
    found = json.loads(output("tree", *game, "--json"))
    assert [line["buckets"] for line in found["streets"]] == numbers


def test_streets_that_repeat_are_one():
    found = json.loads(output("tree", "river-of-blood", "stack=20", "--bets", "a", "--json"))
    assert [line["street"] for line in found["streets"]] == [
        "preflop", "flop", "turn", "river", "run",
    ]  # fmt: skip


def test_menus_are_listed():
    text = output("menus")
    for name, each in MENUS.items():
        assert f"{name}: {each.about}" in text
        assert f"  {each.menu}\n" in text
    listed = json.loads(output("menus", "--json"))
    assert listed == {name: str(each.menu) for name, each in MENUS.items()}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["leduc"], "leduc is not a hold'em game; choose one, such as nlhe"),
        (["nlhe", "--bets", "standart"], "did you mean 'standard'"),
        (["nlhe", "--bets", "50"], "'50' has no unit"),
        (["nlhe", "--bets", "3x"], "3x multiplies a bet"),
        (["nlhe", "--buckets", "a"], "--buckets 'a' are not numbers"),
        (["nlhe", "--buckets", "0"], "--buckets=0 is not possible"),
        (["nlhe", "--buckets", "9" * 5000], "are not numbers of up to 10 digits"),
        (["nlhe", "--buckets", "4294967297"], "choose a whole number 1 to 4294967296"),
        (["nlhe", "--buckets", ""], "--buckets '' are not numbers"),
        (["nlhe", "--bets", "all-in"], "'all-in' is not a size; write a"),
        (["nlhe", "--buckets", "1,2,3,4,5"], "5 numbers for 4 streets"),
        (["nlhe", "stack"], "'stack' is not a parameter"),
        (["nlhe", "--limit", "10"], "more than 10 nodes"),
        (["nlhe", "seats=6"], "far more than 100,000,000 nodes"),
    ],
)
def test_mistakes_are_one_line(arguments, message):
    done = run_here("tree", *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_information_sets_of_a_product_are_counted():
    arguments = ("tree", "nlhe", "stack=20bb", "--bets", "tiny", "--buckets", "169,8", "--json")
    plain, full = (
        json.loads(output(*arguments, *more)) for more in ((), ("--information", "thesis"))
    )
    assert plain == full  # all bets: nothing is shared
    shared = json.loads(output(*arguments, "--information", "ep-white"))
    assert shared["nodes"] == plain["nodes"]
    assert shared["infosets"] < plain["infosets"]
    assert [line["buckets"] for line in shared["streets"]] == [169, 16, 16, 16]
    assert shared["rows"] == sum(line["rows"] for line in shared["streets"])
    text = output(*arguments[:-1], "--information", "ep-white")
    assert f"{shared['infosets']:,} information sets" in text


def test_menus_of_several_seats_tell_what_exact_histories_need():
    arguments = ("tree", "nlhe", "seats=3", "stack=20bb", "--bets", "six-small", "--buckets", "9,5")
    found = json.loads(output(*arguments, "--json"))
    shared, fewer, exact = found["layouts"]
    assert fewer["rows"] < shared["rows"] < exact["rows"]
    game = load("nlhe", seats=3, stack="20bb")
    graph = betting_graph(game, "six-small", shared=False)
    assert exact["rows"] == graph.size.entries([9, 5, 5, 5])
    assert exact["decisions"] == sum(graph.size.decisions)
    text = output(*arguments)
    assert "exact histories" in text
    assert f"{exact['rows']:,}" in text
    done = run_here("tree", "nlhe", "--bets", "six")
    assert "add seats=6" in done.stderr
