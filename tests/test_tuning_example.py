"""The genetic search of examples/07_tune_heuristics.py, which found the genes in the code."""

import runpy
from pathlib import Path

import pytest

from tiltless.agents.heuristics import GENES_1, GENES_2, Tuned
from tiltless.agents.simple import AllIn, Caller, Folder
from tiltless.games.holdem.variants import nlhe

EXAMPLE = runpy.run_path(str(Path(__file__).parents[1] / "examples" / "07_tune_heuristics.py"))
evolve, fitness = EXAMPLE["evolve"], EXAMPLE["fitness"]
table_of_six, winnings = EXAMPLE["table_of_six"], EXAMPLE["winnings"]


def mean(game, player, others, hands, seed):
    won = winnings(game, player, others, hands, seed)
    assert len(won) == hands
    return sum(won) / hands


def test_winnings_are_counted_in_every_seat():
    small = nlhe(stack=20)
    assert mean(small, Caller(), [Caller()], 40, 3) == 0.0  # the same cards in both seats
    assert mean(small, AllIn(), [Caller()], 40, 3) == 0.0
    assert mean(small, AllIn(), [Folder()], 40, 3) == 0.75  # half a blind and a whole one


def test_fitness_is_cautious():
    assert fitness([2.0, 2.0]) == 2.0
    assert fitness([0.0, 4.0]) == pytest.approx(2.0 - 2.0 / 2**0.5)


def test_the_search_repeats_itself_and_improves():
    game, others = nlhe(stack=40), [Caller()]
    some = {"population": 6, "generations": 2, "hands": 30}
    found = evolve(game, others, seed=1, **some)
    assert found == evolve(game, others, seed=1, **some)
    assert found != evolve(game, others, seed=2, **some)
    assert all(0.0 <= gene <= 1.0 for gene in found)
    assert mean(game, Tuned(found), others, 300, 9) > 0.2


def test_the_found_players_win_at_their_tables():
    game, others = table_of_six()
    assert fitness(winnings(game, Tuned(GENES_1), others, 300, 77)) > 0
    assert fitness(winnings(game, Tuned(GENES_2), [Tuned(GENES_1), *others[1:]], 300, 77)) > 0


@pytest.mark.slow
def test_the_found_genes_are_those_of_the_code():
    game, others = table_of_six()
    assert evolve(game, others, seed=1) == GENES_1
    assert evolve(game, [Tuned(GENES_1), *others[1:]], seed=2) == GENES_2
