"""Kuhn and Leduc against OpenSpiel: same histories, odds, payoffs and information sets."""

from random import Random

import pytest

from tiltless.games import CHANCE, TERMINAL, load

pyspiel = pytest.importorskip("pyspiel")

WORDS = {
    "kuhn": {"check": "Pass", "fold": "Pass", "bet": "Bet", "call": "Bet"},
    "leduc": {"fold": "Fold", "check": "Call", "call": "Call", "raise": "Raise"},
}


class Twins:
    """Our game and theirs, walked side by side."""

    def __init__(self, name, **parameters):
        self.game = load(name, **parameters)
        options = ["suit_isomorphism=True"] if parameters.get("rank_only") else []
        options.append(f"players={self.game.players}")
        self.theirs = pyspiel.load_game(f"{name}_poker({','.join(options)})")
        self.their_set, self.our_set = {}, {}
        self.nodes = self.terminals = 0

    def moves(self, ours, theirs):
        """Check one pair of states; return pairs of moves."""
        self.nodes += 1
        assert (ours.actor == TERMINAL) == theirs.is_terminal()
        assert (ours.actor == CHANCE) == theirs.is_chance_node()
        if ours.actor == TERMINAL:
            self.terminals += 1
            assert list(ours.payoffs) == theirs.returns()
            return []
        if ours.actor == CHANCE:
            our_odds, their_odds = dict(ours.chance.outcomes()), dict(theirs.chance_outcomes())
            assert our_odds == pytest.approx(their_odds, abs=1e-15)  # cards have the same numbers
            return [(card, card) for card in our_odds]
        assert ours.actor == theirs.current_player()
        key, text = ours.infoset(ours.actor).key, theirs.information_state_string()
        assert self.their_set.setdefault(key, text) == text
        assert self.our_set.setdefault(text, key) == key
        legal = theirs.legal_actions()
        words = [WORDS[self.game.name][action] for action in ours.actions]
        assert words == [theirs.action_to_string(action) for action in legal]
        return list(zip(ours.actions, legal, strict=True))

    def walk(self):
        stack = [(self.game.start(), self.theirs.new_initial_state())]
        while stack:
            ours, theirs = stack.pop()
            for mine, yours in self.moves(ours, theirs):
                stack.append((ours.apply(mine), theirs.child(yours)))
        return self

    def playouts(self, count, seed=0):
        rng = Random(seed)
        for _ in range(count):
            ours, theirs = self.game.start(), self.theirs.new_initial_state()
            while moves := self.moves(ours, theirs):
                mine, yours = rng.choice(moves)
                ours = ours.apply(mine)
                theirs.apply_action(yours)
        return self

    @property
    def counts(self):
        assert len(self.our_set) == len(self.their_set)
        return self.nodes, self.terminals, len(self.our_set)


def test_kuhn_for_two():
    assert Twins("kuhn").walk().counts == (58, 30, 12)


def test_kuhn_for_three():
    assert Twins("kuhn", players=3).walk().counts == (617, 312, 48)


@pytest.mark.parametrize("players", [4, 5, 9])
def test_kuhn_for_more(players):
    assert Twins("kuhn", players=players).playouts(200).terminals == 200


def test_leduc_for_two():
    assert Twins("leduc").walk().counts == (9457, 5520, 936)


def test_leduc_by_ranks():
    assert Twins("leduc", rank_only=True).walk().counts[2] == 288


@pytest.mark.parametrize("players", [3, 5])
def test_leduc_for_more_in_part(players):
    assert Twins("leduc", players=players).playouts(1000).terminals == 1000


@pytest.mark.slow
def test_leduc_for_three():
    assert Twins("leduc", players=3).walk().counts == (1_831_601, 1_043_952, 25_800)
