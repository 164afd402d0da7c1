"""Showdown seeking: deviations are those of the rule, legal, and only before the order is known."""

import numpy as np
import pytest

from tiltless.agents.permutation.beliefs import Known, Posterior
from tiltless.blueprint.betting import AbstractBetting
from tiltless.blueprint.tree import betting_tree
from tiltless.experiments.permutation.play import PermutationTable, play_matches
from tiltless.experiments.permutation.seeking import (
    Seeking,
    SeekingPosterior,
    seeking_table,
    shifts,
    wants_showdowns,
)
from tiltless.experiments.permutation.showdowns import hidden_order, with_results
from tiltless.games import load
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.holdem.betting import NOBODY
from tiltless.kernels.blueprint.nodes import ACTIONS, ROW, STREET
from tiltless.permutation.random_match import random_cards

MENU = "50%, 100%, a; cap 2"
RULES = [
    Seeking(call=0.34),
    Seeking(call=0.5, pot=6, street=1),
    Seeking(check=True, pot=4),
    Seeking(call=0.34, check=True, pot=12, street=3),
]


@pytest.fixture(scope="module")
def tree():
    return betting_tree(load("nlhe", stack=40), MENU)


@pytest.fixture(scope="module")
def decisions(tree):
    """By node: its street, actions, pot and price of a call, by the rules of betting."""
    rules, found = AbstractBetting(tree.game, MENU, None), {}
    waiting = [(0, rules.first, 0)]
    while waiting:
        node, betting, street = waiting.pop()
        kind, betting, street, _ = rules.settle(betting, street, NOBODY)
        if kind < 0:
            continue
        actions = [tree.action(child) for child in tree.children(node)]
        assert all(action in betting.actions for action in actions)
        pot = rules.chips - sum(betting.stacks)
        found[node] = street, actions, pot, betting.actions.call
        for child, action in zip(tree.children(node), actions, strict=True):
            waiting.append((child, betting.after(action), street))
    return found


@pytest.mark.parametrize("rule", RULES)
def test_deviations_are_those_of_the_rule(tree, decisions, rule):
    found = {shift.node: shift for shift in shifts(tree, rule)}
    expected = {}
    for node, (street, actions, pot, price) in decisions.items():
        if street < rule.street or pot > rule.pot * tree.game.rules.big_blind:
            continue
        bets = [action for action in actions if isinstance(action, RaiseTo)]
        if price and price <= rule.call * pot:
            expected[node] = CALL, [FOLD]
        elif not price and rule.check and street > 0 and bets:
            expected[node] = CHECK, bets
    assert expected
    assert found.keys() == expected.keys()
    for node, shift in found.items():
        actions = decisions[node][1]
        assert (actions[shift.to], [actions[each] for each in shift.away]) == expected[node]


def test_the_table_has_the_blueprint_and_the_deviations(tree, decisions):
    buckets, rule = [2, 3, 1, 2], Seeking(call=0.34, check=True)
    old, rng = tree.rows(buckets), np.random.default_rng(1)
    table = np.zeros(int(old.start[-1]), np.uint8)
    changes = {shift.node: shift for shift in shifts(tree, rule)}
    blocks = {}
    for node in decisions:
        street, row, actions = tree.nodes.node[node, [STREET, ROW, ACTIONS]].tolist()
        count = buckets[street]
        block = rng.multinomial(255, [1 / actions] * actions, count).astype(np.uint8)
        block[rng.random(count) < 0.2] = 0  # training never came here
        begin = int(old.start[street]) + row * count
        table[begin : begin + count * actions] = block.reshape(-1)
        blocks[node] = block
    doubled, new = seeking_table(tree, table, buckets, rule)
    assert new.buckets.tolist() == [4, 6, 2, 4]
    assert len(doubled) == 2 * len(table)
    for node, block in blocks.items():
        street, row, actions = tree.nodes.node[node, [STREET, ROW, ACTIONS]].tolist()
        begin = int(new.start[street]) + row * 2 * len(block)
        plain, seeks = doubled[begin : begin + 2 * block.size].reshape(2, -1, actions)
        assert (plain == block).all()
        if node not in changes:
            assert (seeks == block).all()
            continue
        _, to, away = changes[node]
        usual = np.where(block.any(axis=1, keepdims=True), block, 1).astype(int)
        assert not seeks[:, away].any()
        assert (seeks[:, to] == usual[:, [to, *away]].sum(axis=1)).all()
        assert (seeks.sum(axis=1) == usual.sum(axis=1)).all()


@pytest.mark.parametrize("until", [1.0, 13.0])
def test_showdowns_are_wanted_until_the_order_is_known(until):
    beliefs, usual, order = SeekingPosterior(until), Posterior(), hidden_order(4)
    assert not wants_showdowns(usual)
    wanted, known = [], []
    for showdown in with_results(random_cards(4, 250), order):
        wanted.append(wants_showdowns(beliefs))
        known.append(beliefs.belief().known)
        for each in (beliefs, usual):
            each.observe(*showdown)
        assert (beliefs.belief().order == usual.belief().order).all()
    assert wanted[0]
    assert known[-1]
    assert not any(want and know for want, know in zip(wanted, known, strict=True))
    assert sum(wanted) == known.index(True) if until == 1 else sum(wanted) < known.index(True)


@pytest.mark.slow
def test_who_knows_the_order_does_not_deviate():
    table = PermutationTable()
    seeking = table.seeking(Seeking(call=1, check=True, pot=400))

    def known(truth):
        return Known(truth)

    def median(truth):
        return Posterior()

    def seeks(truth):
        return SeekingPosterior()

    def sure(truth):
        return SeekingPosterior(until=100)

    usual = play_matches(table, median, known, 2, hands=40, seed=3)
    for first in (median, sure):
        same = play_matches(seeking, first, known, 2, hands=40, seed=3)
        assert (same.chips == usual.chips).all()
    assert (usual.certain == 40).all()
    assert (usual.needed == usual.showdowns).all()
    more = play_matches(seeking, seeks, known, 2, hands=40, seed=3)
    assert more.showdowns.sum() > usual.showdowns.sum() + 20
    told = play_matches(seeking, known, median, 2, hands=4, seed=3)
    assert not told.certain.any()
