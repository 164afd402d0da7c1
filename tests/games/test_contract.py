"""Every registered game keeps the contract; a new line in the registry is enough to be checked."""

import random
from functools import cache

import pytest

from contract import game as contract
from contract.game import CHECKS, Sample
from tiltless.games import load, registered
from tiltless.games.common import Lottery
from tiltless.games.kuhn import KuhnState

GAMES = [
    pytest.param(entry.name, number, id=f"{entry.name}-{number}")
    for entry in registered()
    for number in range(len(entry.examples))
]


@cache
def sample(name: str, number: int) -> Sample:
    entry = next(entry for entry in registered() if entry.name == name)
    return Sample(load(name, **entry.examples[number]))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize(("name", "number"), GAMES)
def test_contract(name, number, check):
    check(sample(name, number))


def leaks(self, player):
    infoset = honest_infoset(self, player)
    return infoset._replace(private=str(self.cards))


def forgets(self, player):
    infoset = honest_infoset(self, player)
    return infoset._replace(public=len(self.moves))


def two_truths(self, player):
    infoset = honest_infoset(self, player)
    return infoset._replace(public=(player, infoset.public))


def blinds(self, player):
    return honest_infoset(self, player)._replace(private="")


def tells_all_the_menu(self, player):
    return honest_infoset(self, player)._replace(actions=self.actions)


class Marked(Lottery):
    def sample(self, rng):
        return self.tickets[0]


class Global(Lottery):
    def sample(self, rng):
        return random.choice(self.tickets)


def marked_cards(self):
    lottery = honest_chance(self)
    return lottery and Marked(lottery.tickets, lottery.seen_by)


def own_generator(self):
    lottery = honest_chance(self)
    return lottery and Global(lottery.tickets, lottery.seen_by)


honest_infoset, honest_chance = KuhnState.infoset, KuhnState.chance.fget

BROKEN = [
    ("infoset", leaks, contract.check_players_do_not_see_what_is_hidden),
    ("infoset", forgets, contract.check_perfect_recall),
    ("infoset", two_truths, contract.check_infosets),
    ("infoset", tells_all_the_menu, contract.check_infosets),
    ("infoset", blinds, contract.check_players_see_what_is_shown),
    ("chance", property(marked_cards), contract.check_chance),
    ("chance", property(own_generator), contract.check_samples_repeat),
    ("payoffs", property(lambda self: (1.0, 0.0)), contract.check_payoffs),
    ("payoffs", property(lambda self: (1.0, -1.0)), contract.check_turns),
    ("actions", property(lambda self: ("bet",)), contract.check_turns),
    ("verify", lambda self, move: None, contract.check_illegal_moves),
    ("can", lambda self, move: True, contract.check_illegal_moves),
    ("__hash__", lambda self: id(self), contract.check_states_are_values),
    ("__eq__", lambda self, other: True, contract.check_states_are_values),
]


@pytest.mark.parametrize(("name", "broken", "check"), BROKEN)
def test_contract_catches_a_broken_game(monkeypatch, name, broken, check):
    monkeypatch.setattr(KuhnState, name, broken)
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        check(Sample(load("kuhn")))
