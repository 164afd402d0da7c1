"""What is in force at a decision, and what is dropped."""

from types import SimpleNamespace

import pytest

from helpers.playing import deal, play
from tiltless.games.holdem.actions import CALL, CHECK, RaiseTo
from tiltless.games.registry import load
from tiltless.search import cache as memory
from tiltless.search.cache import Memory, where
from tiltless.search.streets import past_decisions

FLOP = "r6 c k k "
SMALL, LARGE, ODD = RaiseTo(6), RaiseTo(20), RaiseTo(43)


class Tree:
    """Stands for a solved street: a line has a node if it has no bets but some."""

    def __init__(self, *bets, size=1, device=0):
        self.bets, self.solver = bets, SimpleNamespace(memory=size, device_bytes=device)

    def node_at(self, line):
        known = all(move in (CHECK, CALL, *self.bets) for move in line)
        return (self, line) if known else None


def state_after(turn, board="Ks7d2c9h"):
    return play(deal(load("nlhe"), "AsAd QhQc"), FLOP + turn, board)


def here(turn, own=None, board="Ks7d2c9h"):
    state = state_after(turn, board)
    return where(state.view(state.actor), own)


def test_a_street_is_in_force_until_a_line_leaves_its_tree():
    known, first, second = Memory(), Tree(SMALL, LARGE), Tree(SMALL, LARGE, ODD)
    assert known.find(here("")) is None
    known.keep(here(""), first)
    known.keep(here("k r6"), second)  # which is not needed: the first one has it
    assert known.find(here("")) == (first, (first, ()))
    assert known.find(here("k r6")) == (first, (first, (CHECK, SMALL)))
    assert known.find(here("k r43")) is None
    known.keep(here("k r43"), second)
    assert known.find(here("k r43")) == (second, (second, (CHECK, ODD)))
    assert known.find(here("")).subgame is first
    assert known.find(here("k", own=1)).subgame is first
    assert known.find(here("k", own=1), (CHECK, ODD)) == (second, (second, (CHECK,)))
    assert known.find(here("k")) is None  # as the other player sees it


@pytest.mark.parametrize("turn", ["k r43 c", "r43 c"])
def test_past_decisions_were_made_by_what_was_in_force(turn):
    state = state_after(turn, "Ks7d2c9h4s")
    decisions = [past for past in past_decisions(state.view(0)) if past.view.street == 2]
    for own in (0, 1):
        known, trees = Memory(), {}
        for past in decisions:
            if past.seat == own:
                decision = where(past.view)
                trees[decision.line] = Tree(*[move for move in decision.line if move == ODD])
                known.keep(decision, trees[decision.line])
        last = trees[max(trees, key=len)]
        for past in decisions:
            line = where(past.view).line
            found = known.find_past(past, own)
            if past.seat == own:
                assert found == (trees[line], (trees[line], line))
            elif last.node_at(past.line) is not None:
                assert found == (last, (last, line))
            else:  # our own bet is not in the tree: nothing is known of what came after
                assert found is None


def test_what_was_not_searched_was_not_made_by_a_search():
    known, start = Memory(), here("")
    [past] = [past for past in past_decisions(state_after("k").view(0)) if past.view.street == 2]
    known.keep(start, Tree())
    assert known.find_past(past, own=1) is not None
    known.notes(start).unsearched.add(())
    assert known.find_past(past, own=1) is None
    known.keep(start, Tree())
    assert known.find_past(past, own=1) is not None


def test_the_oldest_is_dropped(monkeypatch):
    monkeypatch.setattr(memory, "_BYTES", 10)
    monkeypatch.setattr(memory, "_STREETS", 2)
    known = Memory()
    streets = [here("", board=f"Ks7d2c{card}") for card in ("9h", "Th", "Jh")]
    for decision, size in zip(streets, (4, 6, 5), strict=True):
        known.keep(decision, Tree(size=size))
        known.notes(decision).too_large = size
    assert [known.find(decision) is not None for decision in streets] == [False, False, True]
    assert [known.notes(decision).too_large for decision in streets[1:]] == [6, 5]
    assert known.notes(streets[0]).too_large == 0
    known.keep(streets[0], Tree(size=99))  # the newest stays
    assert [known.find(decision) is not None for decision in streets] == [True, False, False]


def test_a_solution_of_several_lines_counts_once_and_stays_for_the_last(monkeypatch):
    monkeypatch.setattr(memory, "_BYTES", 10)
    known, shared = Memory(), Tree(size=6)
    known.keep(here("k"), shared)
    known.keep(here("r6"), shared)
    assert len(known.solved) == 2
    other = here("", board="Ks7d2cTh")
    known.keep(other, Tree(size=4))
    assert len(known.solved) == 3
    known.keep(other, Tree(size=5))
    assert list(known.solved.values()) == [known.find(other).subgame]


def test_what_replaces_a_solution_takes_its_room(monkeypatch):
    monkeypatch.setattr(memory, "_BYTES", 10)
    known, other = Memory(), here("", board="Ks7d2cTh")
    known.keep(here("k"), Tree(size=6))
    for _ in range(5):
        known.keep(other, Tree(size=4))
    assert len(known.solved) == 2


def test_the_same_tree_is_found_again_unless_something_is_locked_in_it():
    def lines(same):
        alike = SimpleNamespace(children=lambda node: (1, 2), action=(None, CHECK, SMALL))
        alike.has_same_lines = lambda other: same
        return [alike]

    known, tree = Memory(), Tree(SMALL)
    tree.solver.forests, tree.solver.locks = lines(True), {}
    known.keep(here("k"), tree)
    assert known.find_same(here("r6"), lines(True)) is tree
    assert known.find_same(here(""), lines(True)) is None  # which begins with our own action
    tree.solver.locks[0, 0, 0] = "ours"
    assert known.find_same(here("r6"), lines(True)) is None
    tree.solver.forests, tree.solver.locks = lines(False), {}
    assert known.find_same(here("r6"), lines(True)) is None


def test_room_is_made_before_a_large_tree():
    known = Memory()
    flop, other = here(""), here("", board="Ks7d2c9d")
    known.keep(flop, Tree(SMALL))
    known.keep(other, Tree(SMALL))
    known.make_room(here("k r43", own=flop.street.own))
    assert list(known.solved) == [(flop.street, flop.line)]


def test_a_card_has_a_limit_of_its_own(monkeypatch):
    monkeypatch.setattr(memory, "_DEVICE_BYTES", 10)
    known, boards = Memory(), ("Ks7d2c9h", "Ks7d2c9d", "Ks7d2c9s")
    streets = [here("", board=board) for board in boards]
    known.keep(streets[0], Tree())
    for street in streets[1:]:
        known.keep(street, Tree(device=6))
    assert [known.find(street) is not None for street in streets] == [True, False, True]
