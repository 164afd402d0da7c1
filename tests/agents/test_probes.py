"""Probes do the one thing that they are named for, to the chip."""

import pytest

from helpers.playing import deal, play
from tiltless.agents.agent import Clock
from tiltless.agents.probes import AlwaysPot, AnyPair, MinBet, RiverShove, TenthOfPot, Top20
from tiltless.agents.registry import make_agent, registered
from tiltless.cards.card import COMBO_CARDS, COMBO_OF, combo_text, parse_cards
from tiltless.cards.matchups import HOLDING
from tiltless.games.holdem.variants import nlhe
from tiltless.seeding import SeededRandom

GAME = nlhe(stack=200)  # blinds 1 and 2; seat 0 is the button and the small blind
FLOP, TURN, RIVER = "c k", "c k k k", "c k k k k k"
BOARD = "7c2d9hKs3c"


def acts(agent, hole, script, board=BOARD):
    """What the player to act does after a script."""
    state = play(deal(GAME, hole), script, board)
    return str(agent.act(state.view(state.actor), Clock(), SeededRandom(0)).action)


NO_PAIR = "AsQd JhTd"  # neither seat pairs the board
SEVEN = "AsQd 7hTd"  # seat 1, first after the flop, pairs its seven
ACES = "AsAd 6h5d"


@pytest.mark.parametrize(
    ("agent", "hole", "script", "action"),
    [
        (MinBet(), NO_PAIR, "", "raise to 4"),  # a big blind on top of the blind
        (MinBet(), NO_PAIR, "c", "raise to 4"),  # a limp is not a raise
        (MinBet(), NO_PAIR, "r6", "fold"),
        (MinBet(), NO_PAIR, FLOP, "raise to 2"),
        (MinBet(), NO_PAIR, f"{FLOP} k", "raise to 2"),
        (MinBet(), SEVEN, f"{FLOP} k r2", "fold"),
        (MinBet(), SEVEN, f"{FLOP} r2 r4", "fold"),
        (MinBet(pairs=True), SEVEN, f"{FLOP} k r2", "call"),
        (MinBet(pairs=True), NO_PAIR, f"{FLOP} k r2", "fold"),
        (MinBet(pairs=True), NO_PAIR, "r6", "call"),
        (AlwaysPot(), NO_PAIR, "", "raise to 6"),  # 2, and a pot of 4 after the call
        (AlwaysPot(), NO_PAIR, "r6", "raise to 18"),
        (AlwaysPot(), NO_PAIR, FLOP, "raise to 4"),
        (AlwaysPot(), NO_PAIR, f"{FLOP} r4", "raise to 16"),
        (AlwaysPot(), NO_PAIR, f"{FLOP} r60", "raise to 184"),
        (AlwaysPot(), NO_PAIR, f"{FLOP} r100", "raise to 198"),  # all-in is all there is
        (AlwaysPot(), NO_PAIR, f"{FLOP} r198", "call"),
        (Top20(), ACES, "", "raise to 200"),
        (Top20(), ACES, "r6", "fold"),  # six-five
        (Top20(), ACES, "c r8", "raise to 200"),
        (Top20(), ACES, "c r200", "call"),
        (Top20(), ACES, "c", "check"),
        (Top20(), ACES, f"{FLOP} k", "check"),  # too late
        (Top20(), ACES, f"{FLOP} r2", "fold"),
        (AnyPair(), NO_PAIR, "", "call"),
        (AnyPair(), NO_PAIR, "c", "check"),
        (AnyPair(), NO_PAIR, "r6", "call"),
        (AnyPair(), SEVEN, FLOP, "check"),
        (AnyPair(), SEVEN, f"{FLOP} k r4", "call"),
        (AnyPair(), NO_PAIR, f"{FLOP} k r4", "fold"),
        (AnyPair(), ACES, f"{RIVER} r198", "call"),  # a pocket pair
        (AnyPair(), NO_PAIR, f"{FLOP} k k k", "check"),
        (TenthOfPot(), NO_PAIR, FLOP, "raise to 2"),  # 0.4 chips are not a legal bet
        (TenthOfPot(), NO_PAIR, "r40 c", "raise to 8"),
        (TenthOfPot(), NO_PAIR, "r40 c k k k", "raise to 8"),
        (TenthOfPot(), NO_PAIR, "r40 c r8 c", "raise to 10"),  # a tenth of 96
        (TenthOfPot(), NO_PAIR, "r40 c k r8", "fold"),
        (TenthOfPot(), SEVEN, "r40 c k r8", "call"),
        (RiverShove(), NO_PAIR, "", "call"),
        (RiverShove(), NO_PAIR, f"{TURN} r50", "call"),
        (RiverShove(), NO_PAIR, TURN, "check"),
        (RiverShove(), NO_PAIR, RIVER, "raise to 198"),
        (RiverShove(), NO_PAIR, f"{RIVER} r2", "raise to 198"),
        (RiverShove(), NO_PAIR, f"{RIVER} r198", "call"),
    ],
)
def test_what_they_do(agent, hole, script, action):
    assert acts(agent, hole, script) == action


def test_the_best_fifth_is_a_fifth():
    """The next class, of up to twelve combos, would make more than 265.2 of them."""
    pushed = []
    for combo, cards in enumerate(COMBO_CARDS.tolist()):
        other = [card for card in range(52) if card not in cards][:2]
        dealt = GAME.start().apply(tuple(cards)).apply(tuple(other))
        if str(Top20().act(dealt.view(0), Clock(), SeededRandom(0)).action) == "raise to 200":
            pushed.append(combo_text(combo))
    assert 265.2 - 12 < len(pushed) <= 265.2
    assert "AsAh" in pushed
    assert "7s2h" not in pushed


def test_they_are_registered_and_reveal_what_they_do():
    probes = [entry.name for entry in registered() if entry.name.startswith("probe-")]
    assert len(probes) == 6
    state = play(deal(GAME, NO_PAIR), f"{FLOP} r4", BOARD)
    for name in probes:
        agent = make_agent(name)
        view = state.view(state.actor)
        actions, chances = agent.policies(view._replace(cards=()))
        assert set(chances[~HOLDING[list(view.board)].any(axis=0)].sum(axis=1)) == {1}
        for cards in ("AsKd", "7d5d", "9c9d"):
            held = parse_cards(cards)
            played = agent.act(view._replace(cards=held), Clock(), SeededRandom(0)).action
            assert actions[chances[COMBO_OF[held[0], held[1]]].argmax()] == played
    assert make_agent("probe-min-bet:pairs").pairs
