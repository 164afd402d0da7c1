"""With trust 0 gadgets keep the promise of the papers; a fixed range does not."""

import numpy as np
import pytest

from tiltless.cards.card import combo_index, parse_cards
from tiltless.kernels.postflop.street import BEST
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import IP, OOP, Spot
from tiltless.search.entry import TRUST, alternatives, hands_apart, make_entry
from tiltless.search.gadget import FixedRange, MaxMarginGadget, ResolvingGadget
from tiltless.search.subgame import TREMBLE, iterate

BOARD = "Ks7d2c5h9s"
SIZES = "100%, a / a"
CATCHERS = "K8s, K6s, QQ, JJ, TT"


def spot(oop: str) -> Spot:
    """In position are hands that only catch bluffs; out of it are sets and air."""
    return Spot(BOARD, oop=oop, ip=CATCHERS, pot=20, stack=60, bets=SIZES)


@pytest.fixture(scope="module")
def balanced():
    """What is right against as many sets as air: the blueprint."""
    solver = PostflopSolver(spot("77, 55, JTs, T8s, QTs"))
    solver.solve(0.02, iterations=5000)
    return solver.tables.average.copy()


def solve(balanced, entry, trust=0.0, iterations=3000, tremble=0.0):
    """Search as IP, who believes that sets hardly ever come; by default nobody trembles."""
    solver = PostflopSolver(spot("77:0.002, 55:0.002, JTs, T8s, QTs"))
    alternative = alternatives(solver, balanced, OOP)
    gadget = make_entry(solver, entry, balanced, OOP, trust)
    limits = {"seconds": None, "iterations": iterations}
    iterate(solver, gadget, IP, tremble=tremble, begin=0.0, **limits)
    apart = hands_apart(solver, OOP)
    best = solver.root_values(OOP, BEST)[: len(apart)].astype(np.float64)
    return (best - alternative) / apart, solver


def test_a_fixed_range_makes_gifts(balanced):
    more, solver = solve(balanced, "fixed-range")
    combos = solver.boards[0].combos[0][OOP].tolist()
    sets = combos.index(combo_index(parse_cards("7h7c")))
    assert more[sets] > 0.025 * 20  # the value of a set against one who calls too much
    assert more.max() == pytest.approx(more[sets], rel=0.01)


@pytest.mark.parametrize("tremble", [0.0, TREMBLE])
@pytest.mark.parametrize("entry", ["resolving-gadget", "max-margin"])
def test_with_trust_0_there_are_none(balanced, entry, tremble):
    more, _ = solve(balanced, entry, tremble=tremble)
    assert more.max() < (0.0005 + 0.1 * tremble) * 20  # the error of the solver


@pytest.mark.parametrize("entry", ["resolving-gadget", "max-margin"])
def test_who_is_believed_gets_gifts_of_a_few_percent(balanced, entry):
    more, _ = solve(balanced, entry, trust=TRUST[entry], tremble=TREMBLE)
    assert 0.0025 * 20 < more.max() < 0.05 * 20


def test_max_margin_has_the_larger_margin(balanced):
    weak = np.zeros_like(balanced) + 1  # a blueprint that leaves room: all actions alike
    follow, _ = solve(weak, "resolving-gadget")
    margin, _ = solve(weak, "max-margin")
    assert margin.max() <= follow.max() + 0.0005 * 20
    assert margin.mean() < -0.1 * 20


def test_trust_lies_between_safe_and_unsafe(balanced):
    unsafe, _ = solve(balanced, "fixed-range")
    all_of_it, _ = solve(balanced, "resolving-gadget", trust=1.0)
    half, _ = solve(balanced, "resolving-gadget", trust=0.5)
    assert all_of_it == pytest.approx(unsafe, abs=0.02 * 20)
    assert half.max() < unsafe.max()


def test_regret_matching_by_hand():
    entry = ResolvingGadget(np.array([1.0, 0.0, 2.0]), np.array([0.5, 1.0, 1.0]))
    scale = 2.5 / 3
    assert entry.weights == pytest.approx(scale * np.array([0.5, 1.0, 1.0]))
    entry.learn(np.array([3.0, 1.0, 1.0]), 1)  # better, better, worse than otherwise
    # regrets of following (1 - f) d and of not -f d with f = 1/2, 1, 1 and d = 2, 1, -1
    assert entry.regret == pytest.approx(np.array([[1.0, 0.0, 0.0], [-1.0, -1.0, 1.0]]))
    assert entry.weights == pytest.approx(scale * np.array([1.0, 1.0, 0.0]))
    entry.learn(np.array([0.0, 0.0, 1.0]), 2)  # d = -1, 0, -1
    keep = 2**1.5 / (2**1.5 + 1)
    expected = np.array([[keep, 0.0, -1.0], [-0.5 + 1.0, -0.5, keep]])
    assert entry.regret == pytest.approx(expected)
    assert entry.weights[0] == pytest.approx(scale * keep / (keep + 0.5))


def test_margins_are_chosen_by_hand():
    entry = MaxMarginGadget(np.array([1.0, 2.0]), np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    assert entry.choice == pytest.approx([1 / 3, 2 / 3])
    entry.learn(np.array([3.0, 4.0]), 1)  # margins 2 and 1
    assert entry.choice == pytest.approx([1.0, 0.0])
    blocked = MaxMarginGadget(np.array([1.0, 0.0]), np.array([1.0, 0.0]), np.array([1.0, 1.0]))
    blocked.learn(np.array([-2.0, 0.0]), 1)  # it cannot be chosen, even if all others lose
    assert blocked.choice == pytest.approx([1.0, 0.0])
    always = FixedRange(np.array([0.3, 0.7]))
    always.learn(np.array([3.0, 4.0]), 1)
    assert always.weights.tolist() == [0.3, 0.7]
