"""Forests of bets, against hands that are really played."""

from dataclasses import replace

import numpy as np
import pytest

from tiltless.errors import OptionError
from tiltless.games import load
from tiltless.games.game import CHANCE, TERMINAL
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.kernels.postflop.street import ACTIONS, ACTOR, FIRST, ROW, SHOWDOWN, STREET_END
from tiltless.kernels.postflop.street import FOLD as FOLD_NODE
from tiltless.postflop.betting_forest import TooManyLinesError, street_forests
from tiltless.postflop.spot import Spot

STACK = 50
MENUS = [
    "50%, 100%, a / 50%, a",
    "flop: 33% | donk 50%, a; turn: oop 50% / 3x | ip 75%, a | donk 25%; river: 2bb, a | donk 66%",
    "60%; cap 2; add 100%; force 20%; merge 15%",
    "50%, 75%, a; each 1",
    "none",
]


def played(raised):
    """A hand with real cards at the start of the flop."""
    state = load("nlhe", stack=STACK, blinds=(1, 2)).start().apply((0, 1)).apply((6, 7))
    line = (RaiseTo(6), CALL) if raised == "ip" else (CALL, RaiseTo(6), CALL)
    if raised is None:
        line = (CALL, CHECK)
    for action in line:
        state = state.apply(action)
    return state.apply((12, 20, 28))


def spot_of(state, menu, raised):
    stack = state.betting.stacks[0]
    return Spot("5c7c9c", "AA", "KK", state.pot, stack, menu, big_blind=2, aggressor=raised)


LEADS = [  # who raised last matters to donk bets, so others are quick once
    (menu, raised)
    if raised == "ip" or ("donk" in menu and raised == "oop")
    else pytest.param(menu, raised, marks=pytest.mark.slow)
    for menu in MENUS
    for raised in ("ip", "oop", None)
]


@pytest.mark.parametrize(("menu", "raised"), LEADS)
def test_every_line_as_it_is_played(menu, raised):
    """Actions, chips, who acts, what follows: as in a hand of the readable game."""
    state = played(raised)
    spot = spot_of(state, menu, raised)
    menu = spot.bets
    forests = street_forests(spot)
    cards = {12, 20, 28, 0, 1, 6, 7}
    spare = [card for card in range(52) if card not in cards]
    seen = [set(), set(), set()]

    def follow(state, level, node):
        made = forests[level]
        seen[level].add(node)
        actor = int(made.forest.node[node, ACTOR])
        if actor >= 0:
            assert state.actor == actor
            offers = menu.actions(state)
            children = list(made.children(node))
            assert [made.action[child] for child in children] == list(offers)
            assert made.betting[node].stacks == state.betting.stacks
            for offer, child in zip(offers, children, strict=True):
                assert made.parent[child] == node
                follow(state.apply(offer), level, child)
        elif actor == FOLD_NODE:
            assert state.actor == TERMINAL
            check_fold(state, made, node)
        elif actor == STREET_END:
            root = made.forest.next.tolist().index(node)
            below = int(forests[level + 1].forest.root[root])
            if state.actor == CHANCE:
                state = state.apply((spare[level],))
            follow(state, level + 1, below)
        else:
            assert actor == SHOWDOWN
            assert state.actor in (TERMINAL, CHANCE)

    def check_fold(state, made, node):
        """What the winner wins of the pot, net of half of what was there."""
        winner = made.betting[node].live.bit_length() - 1
        lost = -state.payoffs[1 - winner]
        before = STACK - spot.stack
        for traverser, sign in ((winner, 1), (1 - winner, -1)):
            pays = ends_pay(made, traverser)[node]
            assert pays == pytest.approx(sign * (lost - before + spot.pot / 2))

    follow(state, 0, 0)
    for made, nodes in zip(forests, seen, strict=True):
        assert len(nodes) == made.nodes


def ends_pay(made, traverser):
    """What the kernels are told that each fold pays to a traverser."""
    ends, pays = made.ends, {}
    for nodes, cfv in (
        (ends.sibling_fold[traverser], ends.sibling_payoff[traverser]),
        (ends.fold[traverser], ends.fold_payoff[traverser]),
    ):
        for node, value in zip(nodes.tolist(), cfv.tolist(), strict=True):
            if node >= 0:
                assert node not in pays  # each once
                pays[node] = value
    return pays


SPOT = Spot("QsJh2h", "AA", "KK", 20, 90, "50%, a / 60%, a")


@pytest.mark.parametrize("board", ["QsJh2h", "QsJh2h8d", "QsJh2h8d3c"])
@pytest.mark.parametrize("menu", MENUS)
def test_forests_hold_together(board, menu):
    for made in street_forests(replace(SPOT, board=board, bets=menu, big_blind=2)):
        node = made.forest.node
        rows = [0, 0]
        for n in range(made.nodes):
            actor, first, actions, row = node[n].tolist()
            if actor >= 0:
                assert row == rows[actor]
                rows[actor] += actions
                assert all(made.parent[child] == n for child in range(first, first + actions))
                assert first > n
        assert tuple(rows) == made.rows
        for traverser in (0, 1):
            slot = made.forest.slot[traverser]
            roots = len(made.forest.root)
            assert slot[:roots].tolist() == list(range(roots))
            assert slot.max() + 1 == made.slots[traverser]
            for n in range(roots, made.nodes):
                mine = node[made.parent[n], ACTOR] == traverser
                assert (slot[n] == slot[made.parent[n]]) == mine
            others = [n for n in range(made.nodes) if node[n, ACTOR] == 1 - traverser]
            for (
                n
            ) in others:  # children of the opponent's are neighbours, so that one loop fills them
                first, actions = node[n, [FIRST, ACTIONS]].tolist()
                assert slot[first : first + actions].tolist() == list(
                    range(slot[first], slot[first] + actions)
                )
            folds = {n for n in range(made.nodes) if node[n, ACTOR] == FOLD_NODE}
            assert set(ends_pay(made, traverser)) == folds
        shown = [n for n in made.ends.showdown.tolist() if n >= 0]
        assert sorted(shown) == np.flatnonzero(node[:, ACTOR] == SHOWDOWN).tolist()
        assert len(made.ends.showdown) % 16 == made.ends.fold.shape[1] % 16 == 0
        assert (node[node[:, ACTOR] < 0][:, [FIRST, ACTIONS, ROW]] == 0).all()


def test_showdowns_pay_the_pot_less_rake():
    spot = replace(SPOT, board="QsJh2h8d3c", rake=0.05, rake_cap=4)
    (made,) = street_forests(spot)
    for lane, n in enumerate(made.ends.showdown.tolist()):
        if n < 0:
            continue
        half, lose, tie = made.ends.showdown_factor[:, lane].tolist()
        mine = 10 + 90 - min(made.betting[n].stacks)
        rake = min(0.05 * 2 * mine, 4)
        win = lose + 2 * half
        assert win == pytest.approx(mine - rake)
        assert lose == pytest.approx(-mine)
        assert tie == pytest.approx(-rake / 2)
        assert lose + half == pytest.approx(tie)


def test_bets_that_were_made_are_in_the_tree():
    spot = replace(SPOT, board="QsJh2h8d3c")
    (menu,) = street_forests(spot)
    (made,) = street_forests(spot, [CHECK, RaiseTo(23), RaiseTo(57)])
    assert menu.nodes < made.nodes
    check = made.children(0)[0]
    offers = [made.action[n] for n in made.children(check)]
    assert offers == [CHECK, RaiseTo(10), RaiseTo(23), RaiseTo(90)]
    facing = made.children(check)[2]
    assert RaiseTo(57) in [made.action[n] for n in made.children(facing)]
    assert made.action[made.children(facing)[0]] == FOLD
    with pytest.raises(OptionError, match="raise to 20 "):
        street_forests(spot, [CHECK, CHECK, RaiseTo(20)])
    with pytest.raises(ValueError, match=r"91 .*1\.\.90"):
        street_forests(spot, [RaiseTo(91)])


def test_the_last_bettor_is_led_into_on_the_next_street_only():
    spot = replace(SPOT, bets="50% | donk 20%", aggressor="oop")
    flop, turn, _ = street_forests(spot)
    assert [flop.action[n] for n in flop.children(0)] == [CHECK, RaiseTo(10)]  # nobody leads
    into = street_forests(replace(spot, aggressor="ip"))[0]
    assert [into.action[n] for n in into.children(0)] == [CHECK, RaiseTo(4)]
    for root, over in enumerate(flop.forest.next.tolist()):
        n = int(turn.forest.root[root])
        if flop.betting[over].actor >= 0 or turn.forest.node[n, ACTOR] < 0:
            continue
        pot = 20 + 2 * (90 - flop.betting[over].stacks[0])
        last = flop.lead[over] if flop.betting[over].raises else -1
        share = 0.2 if last == 0 else 0.5
        first_bet = [turn.action[child] for child in turn.children(n)][1]
        assert first_bet.chips == min(round(share * pot), turn.betting[n].stacks[1])


def test_too_many_lines_are_refused():
    most = max(made.nodes for made in street_forests(SPOT))
    assert street_forests(SPOT, most=most)
    with pytest.raises(TooManyLinesError, match=f"{most - 1:,} .* cap"):
        street_forests(SPOT, most=most - 1)
