"""Compiled matches of several players: exact zeros, chips, and a slow twin."""

import numpy as np
import pytest

from helpers.quick_tables import quick_tables
from helpers.small_six import small_graph
from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.blueprint.multiway.simulate import _deal, play_against_copies
from tiltless.errors import ArrayError
from tiltless.kernels.multiway.nodes import (
    ACTIONS,
    ACTOR,
    END,
    FIRST,
    LINK,
    SHOWDOWN,
    STREET,
)
from tiltless.kernels.multiway.rotation import play_rotations

GRAPH = small_graph()
CARDS = card_abstraction("small")
ENTRIES = GRAPH.size.entries(CARDS.counts)


@pytest.fixture(scope="module")
def groups():
    return quick_tables(CARDS).groups


def weights(seed):
    return np.random.default_rng(seed).random(ENTRIES, np.float32)


def test_equal_sides_win_nothing_and_exchanged_ones_the_opposite_of_the_others(groups):
    one = weights(1)
    result = play_against_copies(GRAPH, groups, 300, one, one, seed=4)
    assert result.mean == pytest.approx(0, abs=1e-12)
    assert result.standard_error == pytest.approx(0, abs=1e-9)
    assert result.hands == 1200
    assert result.seats.sum() == pytest.approx(0, abs=1e-9)
    assert result.button == pytest.approx(result.seats[0])
    threads = play_against_copies(GRAPH, groups, 2500, one, weights(2), seed=4, threads=2)
    alone = play_against_copies(GRAPH, groups, 2500, one, weights(2), seed=4)
    assert threads.mean == alone.mean != 0
    with pytest.raises(ArrayError):
        play_against_copies(GRAPH, groups, 1, one[1:], one)


def test_hands_are_those_of_a_slow_twin(groups):
    """One table in all seats: chips by following the graph in Python, with the same words."""
    deals = 40
    dealt = _deal(GRAPH, groups, 9, 0, deals)
    one = weights(5)
    one[np.random.default_rng(6).random(ENTRIES) < 0.4] = 0
    one.flags.writeable = False
    won = np.empty((deals, 4, 4))
    start = GRAPH.offsets(CARDS.counts)
    play_rotations(GRAPH.nodes, start, one, one, dealt, 40.0, 0.0, won)
    np.testing.assert_allclose(won.sum(axis=2), 0, atol=1e-9)
    for own in range(1, 4):
        np.testing.assert_array_equal(won[:, own], won[:, 0])
    for deal in range(deals):
        np.testing.assert_allclose(won[deal, 0], slow_hand(one, start, dealt, deal), atol=1e-4)


def slow_hand(table, start, dealt, deal):
    """Payoffs of one hand, in chips: a stack of 40, blinds of 1 and 2."""
    mask, golden = (1 << 64) - 1, 0x9E3779B97F4A7C15
    words = [int(word) for word in dealt.words[deal]]

    def draw(player):
        words[player] = (words[player] + golden) & mask
        z = words[player]
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return ((z ^ (z >> 31)) >> 11) / 2**53

    record, paid = GRAPH.nodes.node, [0.0] * 4
    at, seats, pot, behind = 0, [0, 1, 2, 3], 0.0, 40.0
    while True:
        actor, street = int(record[at, ACTOR]), int(record[at, STREET])
        if actor >= 0:
            player, actions = seats[actor], int(record[at, ACTIONS])
            row = int(start[at]) + int(dealt.bucket[deal, player, street]) * actions
            chances = table[row : row + actions].astype(float)
            x = draw(player)
            if chances.sum() > 0:
                chosen = int(np.searchsorted(np.cumsum(chances)[:-1], x * chances.sum(), "right"))
            else:
                chosen = int(x * actions)
            at = int(record[at, FIRST]) + chosen
            continue
        end, unit = int(record[at, END]), pot if street else 1.0
        bets = {}
        for position, player in enumerate(seats):
            chips = float(GRAPH.nodes.contribution[end, position]) * unit
            full = int(GRAPH.nodes.all_in[end]) >> position & 1
            bets[player] = behind if full else min(chips, behind)
            paid[player] += bets[player]
        live = [p for r, p in enumerate(seats) if int(GRAPH.nodes.live[end]) >> r & 1]
        if actor == LINK:
            pot = sum(paid)
            behind -= max(bets[player] for player in live)
            seats = sorted(live, key=lambda player: (player - 1) % 4)
            at = int(GRAPH.nodes.target[end])
            continue
        value = {p: int(dealt.strength[deal, p]) if actor == SHOWDOWN else 0 for p in live}
        best = [p for p in live if value[p] == max(value.values())]
        return [sum(paid) / len(best) * (p in best) - paid[p] for p in range(4)]
