"""Subgames solved on a device are those of the processor."""

import numpy as np
import pytest

from tiltless.bench.device.check import TINY
from tiltless.cards.card import COMBO_COUNT
from tiltless.games.holdem.actions import CHECK
from tiltless.postflop.device.compare import random_tables
from tiltless.postflop.device.machine import NumpyMachine
from tiltless.postflop.node import find_node
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import IP, OOP
from tiltless.search.entry import make_entry
from tiltless.search.past_play import OwnDecision
from tiltless.search.solved import carried_values
from tiltless.search.subgame import Tremble, one_iteration, solve_subgame

TURN, FLOP = TINY["turn"], TINY["flop"]
CARRIED = np.linspace(-20, 20, COMBO_COUNT)


def solved(spot, **options):
    """The same subgame of OOP, on the processor and on a device."""
    return [
        solve_subgame(spot, (CHECK,), OOP, device=device, **options)
        for device in ("cpu", NumpyMachine())
    ]


@pytest.mark.parametrize("entry", ["max-margin", "resolving-gadget"])
def test_gadgets_and_trembles(entry):
    """From random tables, as regrets of exactly 0 would leave strategies to rounding."""
    found = []
    for device in ("cpu", NumpyMachine()):
        solver = PostflopSolver(TURN, device=device)
        random_tables(solver, 2)
        solver.iterations = 6  # later ones keep a part of them
        gadget = make_entry(solver, entry, None, IP, carried=CARRIED)
        tremble = Tremble(solver, IP, 0.3)
        for _ in range(3):
            one_iteration(solver, gadget, tremble)
        found.append((gadget.weights, solver.tables.regret, solver.tables.average))
    for cpu, gpu in zip(*found, strict=True):
        np.testing.assert_allclose(cpu, gpu, rtol=0, atol=1e-4 * np.abs(cpu).max())


def test_an_entry_is_kept():
    cpu, gpu = solved(TURN, entry="max-margin", carried=CARRIED, iterations=2)
    assert gpu.solver.on_gpu
    assert (cpu.entry, cpu.trust) == (gpu.entry, gpu.trust) == ("max-margin", 0.9)
    there, here = (carried_values(each, (CHECK, CHECK), 8, IP) for each in (gpu, cpu))
    np.testing.assert_allclose(there, here, atol=1e-2 * TURN.pot)


def test_our_past_decisions_stay_as_they_were():
    prob = np.linspace(0.1, 0.9, COMBO_COUNT)
    chances = np.stack([prob, 1 - prob], axis=1)
    actions = tuple(find_node(solve_subgame(TURN, (), OOP, iterations=1).solver).actions[:2])
    past = [OwnDecision((), CHECK, prob, actions, chances)]
    assert actions[0] == CHECK
    for found in solved(TURN, past=past, iterations=3, tremble=0):
        node = found.node_at(())
        combos = node.combos(OOP)
        np.testing.assert_allclose(found.strategy_at(node)[combos, 0], prob[combos], rtol=1e-5)


@pytest.mark.slow
def test_a_flop_gives_the_turn_its_values():
    cpu, gpu = solved(FLOP, iterations=2, tremble=0)
    assert len(gpu.solver.forests) == 3
    there, here = (carried_values(each, (CHECK, CHECK), 8, IP) for each in (gpu, cpu))
    assert np.isfinite(here).any()
    np.testing.assert_allclose(there, here, atol=1e-2 * FLOP.pot)
    node = gpu.node_at((CHECK,))
    combo = int(node.combos(IP)[0])
    np.testing.assert_allclose(
        gpu.values_at(node, combo),
        cpu.values_at(cpu.node_at((CHECK,)), combo),
        atol=1e-2 * FLOP.pot,
    )
