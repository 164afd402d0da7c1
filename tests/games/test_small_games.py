"""Rules, numbers and messages of rock-paper-scissors, matrix games, bargaining, Kuhn and Leduc."""

import numpy as np
import pytest

from naive.tabular.trees import flat_payoffs, nash_conv
from tiltless.errors import InputError, OptionError
from tiltless.games import CHANCE, TERMINAL, IllegalActionError, load
from tiltless.games.matrix import MatrixGame
from tiltless.tabular.flat import flatten


def play(game, words):
    state = game.start()
    for word in words.split():
        state = state.apply(game.parse_action(word))
    return state


def uniform(flat):
    widths = np.diff(flat.tree.start)
    return np.repeat(1 / widths, widths)


# --- matrix games --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mine", "yours", "payoffs"),
    [
        ("rock", "scissors", (1, -1)),
        ("rock", "paper", (-1, 1)),
        ("paper", "rock", (1, -1)),
        ("scissors", "paper", (1, -1)),
        ("scissors", "rock", (-1, 1)),
        ("paper", "paper", (0, 0)),
    ],
)
def test_rock_paper_scissors(mine, yours, payoffs):
    assert play(load("rps"), f"{mine} {yours}").payoffs == payoffs


def test_rock_paper_scissors_has_value_zero_at_thirds():
    flat = flatten(load("rps"))
    assert nash_conv(flat, uniform(flat)) == pytest.approx(0, abs=1e-15)
    assert flat_payoffs(flat, uniform(flat)) == pytest.approx([0, 0], abs=1e-15)


def test_second_player_does_not_see_the_first_choice():
    game = load("rps")
    seen = {game.start().apply(move).infoset(1).key for move in game.start().actions}
    assert len(seen) == 1
    own = {game.start().apply(move).infoset(0).key for move in game.start().actions}
    assert len(own) == 3


class Unsearchable(tuple):
    def index(self, *rest):
        raise AssertionError("a search through all names")

    __contains__ = index


def test_choices_are_found_without_a_search():
    """A thousand rows and columns have a million ends: a search for each would take a minute."""
    names = Unsearchable(("a", "b"))
    table = ((1.0, 2.0), (3.0, 4.0))
    game = MatrixGame("large", table, table, names, names, {})
    assert game.start().apply("b").apply("a").payoffs == (3.0, 3.0)
    assert not game.start().can("c")


def test_matrix_game_of_any_shape_and_sum():
    game = load("matrix", row=[[1, 2, 3], [4, 5, 6]])
    assert game.zero_sum
    assert play(game, "r1 c2").payoffs == (6, -6)
    dilemma = load("matrix", row=np.array([[3, 0], [5, 1]]), column=[[3, 5], [0, 1]],
                   row_actions=["help", "cheat"], column_actions=["help", "cheat"])  # fmt: skip
    assert not dilemma.zero_sum
    assert play(dilemma, "cheat help").payoffs == (5, 0)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"row": []}, "^row .*1 x 1"),
        ({"row": [[]]}, "^row .*1 x 1"),
        ({"row": [[1, 2], [3]]}, "^row .*1 x 1"),
        ({"row": [["a"]]}, "^row .*1,-1/-1,1"),
        ({"row": 5}, "^row .*1,-1/-1,1"),
        ({"row": [[float("nan")]]}, "row must .*finite"),
        ({"row": [[1]], "column": [[1, 2]]}, "row.*1 x 1 payoffs.*column 1 x 2"),
        ({"row": [[1]], "column": []}, "^column .*1 x 1"),
        ({"row": [[1], [2]], "row_actions": ["a", "a"]}, "row_actions=.*2"),
        ({"row": [[1], [2]], "row_actions": 5}, "row_actions=5.*2"),
        ({"row": [[1], [2]], "row_actions": [1, 2]}, r"row_actions=\[1, 2\].* 2 "),
        ({"row": [[1], [2]], "column_actions": "a"}, "column_actions='a'.*1"),
        ({"row": [[1], [2]], "column_actions": ["a", "b"]}, "column_actions=.*1"),
    ],
)
def test_matrix_parameters_are_checked(parameters, message):
    with pytest.raises(OptionError, match=message):
        load("matrix", **parameters)


def test_bargaining_pays_demands_that_fit():
    game = load("bargaining", pie=10)
    assert not game.zero_sum
    assert play(game, "6 4").payoffs == (6, 4)
    assert play(game, "3 2").payoffs == (3, 2)
    assert play(game, "6 5").payoffs == (0, 0)
    assert play(game, "10 0").payoffs == (10, 0)
    assert play(game, "10 10").payoffs == (0, 0)
    with pytest.raises(OptionError, match="pie=0"):
        load("bargaining", pie=0)


def test_every_split_of_the_pie_is_an_equilibrium_and_so_is_greed():
    flat = flatten(load("bargaining", pie=4))
    for mine, yours in [(0, 4), (1, 3), (2, 2), (4, 0), (4, 4)]:
        table = np.zeros((2, 5))
        table[0, mine] = table[1, yours] = 1
        assert nash_conv(flat, table.ravel()) == 0
    table = np.zeros((2, 5))
    table[0, 1] = table[1, 2] = 1
    assert nash_conv(flat, table.ravel()) == 2  # each could have asked for one more


# --- Kuhn ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "payoffs"),
    [
        ("K Q check check", (1, -1)),
        ("J Q check check", (-1, 1)),
        ("J K bet fold", (1, -1)),
        ("J K bet call", (-2, 2)),
        ("K J check bet fold", (-1, 1)),
        ("K J check bet call", (2, -2)),
    ],
)
def test_kuhn_payoffs(words, payoffs):
    state = play(load("kuhn"), words)
    assert state.actor == TERMINAL
    assert state.payoffs == payoffs


@pytest.mark.parametrize(
    ("words", "payoffs"),
    [
        ("J Q A check check check", (-1, -1, 2)),
        ("A J Q check bet fold fold", (-1, 2, -1)),
        ("A J Q check check bet call fold", (3, -1, -2)),
        ("Q K J bet call call", (-2, 4, -2)),
    ],
)
def test_kuhn_for_three(words, payoffs):
    state = play(load("kuhn", players=3), words)
    assert state.actor == TERMINAL
    assert state.payoffs == payoffs


def test_kuhn_numbers():
    flat = flatten(load("kuhn"))
    assert (flat.nodes, flat.terminals, flat.infosets) == (58, 30, 12)
    flat = flatten(load("kuhn", players=3))
    assert (flat.terminals, flat.infosets) == (24 * 13, 48)


def test_kuhn_value_and_uniform_nash_conv():
    """The first player loses 1/18 in equilibrium; see Kuhn (1950), with bluff frequency 1/3."""
    flat = flatten(load("kuhn"))
    bets = {  # probability of the second action: bet, or call
        (0, "", "J"): 1 / 3, (0, "", "Q"): 0, (0, "", "K"): 1,
        (0, "check bet", "J"): 0, (0, "check bet", "Q"): 2 / 3, (0, "check bet", "K"): 1,
        (1, "check", "J"): 1 / 3, (1, "check", "Q"): 0, (1, "check", "K"): 1,
        (1, "bet", "J"): 0, (1, "bet", "Q"): 1 / 3, (1, "bet", "K"): 1,
    }  # fmt: skip
    assert set(bets) == set(flat.keys)
    table = np.array([[1 - bets[key], bets[key]] for key in flat.keys]).ravel()
    assert flat_payoffs(flat, table) == pytest.approx([-1 / 18, 1 / 18])
    assert nash_conv(flat, table) == pytest.approx(0, abs=1e-15)
    assert nash_conv(flat, uniform(flat)) == pytest.approx(11 / 12)


# --- Leduc ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "payoffs"),
    [
        ("Js Qs check raise fold", (-1, 1)),
        ("Js Qs raise raise fold", (-3, 3)),
        ("Js Qs check check Ks check check", (-1, 1)),
        ("Js Qs check check Jh check check", (1, -1)),
        ("Ks Kh raise call Qs raise call", (0, 0)),
        ("Ks Qh raise raise call Qs raise raise call", (-13, 13)),
        ("Ks Qh check raise raise call Js check raise raise fold", (9, -9)),
    ],
)
def test_leduc_payoffs(words, payoffs):
    state = play(load("leduc"), words)
    assert state.actor == TERMINAL
    assert state.payoffs == payoffs


def test_leduc_splits_odd_pots_between_three():
    words = "Js Ks Kh raise call raise fold call Qs check check"
    state = play(load("leduc", players=3), words)
    assert state.payoffs == (-3, 1.5, 1.5)


def test_leduc_second_round_starts_with_the_first_who_is_in():
    game = load("leduc", players=3)
    state = play(game, "Js Ks Kh raise call raise fold call")
    assert state.actor == CHANCE
    assert state.apply(game.parse_action("Qs")).actor == 1


def test_leduc_numbers():
    flat = flatten(load("leduc"))
    assert (flat.nodes, flat.terminals, flat.infosets) == (9457, 5520, 936)
    flat = flatten(load("leduc", rank_only=True))
    assert flat.infosets == 288


@pytest.mark.parametrize("rank_only", [False, True])
def test_leduc_uniform_nash_conv(rank_only):
    flat = flatten(load("leduc", rank_only=rank_only))
    assert nash_conv(flat, uniform(flat)) == pytest.approx(4.747222, abs=5e-7)


@pytest.mark.parametrize(("ranks", "suits", "raises"), [(4, 2, 2), (3, 3, 1), (5, 1, 3), (2, 2, 0)])
def test_leduc_with_another_deck(ranks, suits, raises):
    """Counts follow from the betting of one round: lines that fold, that go on, that are open."""
    flat = flatten(load("leduc", ranks=ranks, suits=suits, raises=raises))
    cards, folds, goes_on, decisions = ranks * suits, 2 * raises, 2 * raises + 1, 2 * (raises + 1)
    deals = cards * (cards - 1)
    second = goes_on * (cards - 2)
    assert flat.terminals == deals * (folds + second * (folds + goes_on))
    assert flat.infosets == cards * (decisions + goes_on * (cards - 1) * decisions)


def test_leduc_with_other_sizes():
    game = load("leduc", ante=3, raise_sizes=[5, 7], raises=1)
    assert play(game, "Js Ks raise call Qs check raise fold").payoffs == (-8, 8)
    assert game.parameters["raise_sizes"] == (5, 7)
    assert "raise" not in play(game, "Js Ks raise").actions


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"ranks": 14}, "ranks=14"),
        ({"suits": 5}, "suits=5"),
        ({"raises": -1}, "raises=-1"),
        ({"raise_sizes": (2,)}, r"raise_sizes=\(2,\)"),
        ({"raise_sizes": (2, 0)}, "raise_sizes=0"),
        ({"raise_sizes": 2}, "raise_sizes=2"),
        ({"ante": 0}, "ante=0"),
        ({"rank_only": "yes"}, "rank_only='yes'"),
        ({"ranks": 1, "suits": 2}, "ranks=1.*suits=2"),
    ],
)
def test_leduc_parameters_are_checked(parameters, message):
    with pytest.raises(OptionError, match=message):
        load("leduc", **parameters)


def test_messages_say_what_is_legal():
    state = play(load("leduc"), "Js Ks raise")
    with pytest.raises(IllegalActionError, match=r"player 1 .*: fold, call, raise$"):
        state.apply("check")
    with pytest.raises(IllegalActionError, match=r"chance.*: Jh, Qh, Qs, Kh, Ks$"):
        play(load("leduc"), "Js").apply(1)
    with pytest.raises(IllegalActionError, match="'fold'"):
        state.apply("fold").apply("fold")
    with pytest.raises(InputError, match="no payoffs before the game is over"):
        _ = state.payoffs


def test_infosets_read_well():
    flat = flatten(load("leduc"))
    state = play(load("leduc"), "Js Ks check raise call Qh check")
    number = flat.number[state.infoset(1).key]
    assert flat.infoset_text(number) == "player 1, Ks: check raise call / check Qh"
    assert flat.action_texts(number) == ("check", "raise")
