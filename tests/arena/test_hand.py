"""Hands that stop where somebody outside must act: the same hands as those of agents alone."""

import pytest

from tiltless.agents import Agent, Clock, Decision, make_agent
from tiltless.agents.agent import check_or_call
from tiltless.arena.dealer import Hand, Seated, play_hand, shuffled_decks
from tiltless.arena.watchdog import asked
from tiltless.errors import OptionError
from tiltless.games import load
from tiltless.games.game import IllegalActionError
from tiltless.games.holdem.actions import CALL, RaiseTo
from tiltless.seeding import SeededRandom, deal_key, derived_word


class Witness(Agent):
    """Records its hooks."""

    def __init__(self):
        self.heard = []

    def act(self, view, clock, rng):
        self.heard.append(("act", view, rng.random()))
        return Decision(check_or_call(view.actions), source="witness")

    def hand_start(self, view):
        self.heard.append(("start", view))

    def showdown(self, view):
        self.heard.append(("showdown", view))

    def hand_end(self, view):
        self.heard.append(("end", view))


def parted(hand):
    """All but the seconds."""
    return hand._replace(seconds=tuple(map(len, hand.seconds)))


@pytest.mark.parametrize(
    ("name", "options"),
    [("nlhe", {}), ("nlhe", {"seats": 3, "stack": 9}), ("permutation", {}), ("short-deck", {})],
)
def test_many_hands_in_turns_in_one_thread(name, options):
    """An outside player who copies `uniform` gives the same hand as that agent in the seat."""
    game = load(name, **options)
    hands = 60
    decks = shuffled_decks(game, 5, 0, hands).tolist()
    uniform, others = make_agent("uniform"), range(game.players - 1)
    alone, both = [], [[], []]
    for deal, deck in enumerate(decks):
        seats = [Seated(uniform), *(Seated(Witness()) for _ in others)]
        button = deal % game.players
        alone.append(parted(play_hand(game, seats, deck, seed=5, deal=deal, button=button)))
        both[0].append([seat.agent.heard for seat in seats[1:]])
    tables = []
    for deal, deck in enumerate(decks):
        seats = [None, *(Seated(Witness()) for _ in others)]
        both[1].append([seat.agent.heard for seat in seats[1:]])
        button = deal % game.players
        tables.append(Hand(game, seats, deck, seed=5, deal=deal, button=button))
    waiting, decisions = list(range(hands)), [0] * hands
    while waiting:
        for deal in list(waiting):
            view = tables[deal].advance()
            if view is None:
                waiting.remove(deal)
                continue
            assert view.seat == view.actor == 0
            assert tables[deal].advance() is view  # asks the same until it is answered
            luck = SeededRandom(derived_word(deal_key(5, deal), 3, decisions[deal]))
            decisions[deal] += 1
            tables[deal].act(uniform.act(view, Clock(), luck).action)
    assert sum(decisions) > hands / 2
    assert [parted(table.result) for table in tables] == alone
    assert both[0] == both[1]


def test_what_is_illegal_is_refused_and_asked_again():
    game = load("nlhe")
    deck = shuffled_decks(game, 1, 0, 1)[0].tolist()
    hand = Hand(game, [None, Seated(make_agent("fish"))], deck)
    assert hand.view(0).cards
    assert not hand.done
    with pytest.raises(IllegalActionError, match="advance"):
        hand.act(CALL)
    view = hand.advance()
    assert asked.now is None
    with pytest.raises(IllegalActionError, match=r"RaiseTo\(1\).*4\.\.200"):
        hand.act(RaiseTo(1))
    with pytest.raises(OptionError, match="advance"):
        _ = hand.result
    hand.act(CALL)
    while (view := hand.advance()) is not None:
        hand.act(check_or_call(view.actions))
    assert hand.done
    assert hand.advance() is None
    assert hand.view(0).payoffs == hand.result.payoffs
    assert len(hand.result.seconds[0]) == 4
    with pytest.raises(IllegalActionError):
        hand.act(CALL)


def test_a_hand_of_agents_alone_has_nobody_to_ask():
    game = load("nlhe")
    deck = shuffled_decks(game, 1, 0, 1)[0].tolist()
    with pytest.raises(OptionError, match="Hand"):
        play_hand(game, [None, Seated(make_agent("fish"))], deck)


def test_luck_that_was_kept_shows_nothing_while_a_person_thinks():
    class Keeper(Witness):
        def act(self, view, clock, rng):
            self.rng = rng
            return super().act(view, clock, rng)

    keeper, game = Keeper(), load("nlhe")
    hand = Hand(game, [Seated(keeper), None], shuffled_decks(game, 5, 0, 1)[0].tolist())
    assert hand.advance() is not None
    assert keeper.rng.word == 0
