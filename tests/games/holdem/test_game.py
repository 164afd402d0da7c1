"""Hold'em hands: blinds, order, run-outs, pay-outs, and what is refused."""

import json
import pickle
from random import Random

import numpy as np
import pytest

from helpers.playing import deal, play, random_action, random_hand
from tiltless.blueprint.simulate.playout import play as play_out
from tiltless.blueprint.tree import betting_tree
from tiltless.cards.card import parse_cards
from tiltless.errors import OptionError
from tiltless.games import CHANCE, TERMINAL, IllegalActionError, load
from tiltless.games.holdem.actions import (
    CALL,
    CHECK,
    FOLD,
    Call,
    Check,
    Fold,
    LegalActions,
    RaiseTo,
)
from tiltless.games.holdem.events import Post
from tiltless.games.holdem.river_of_blood import river_of_blood
from tiltless.games.holdem.variants import limit_holdem, nlhe, short_deck, toy_holdem

# --- blinds and order ------------------------------------------------------------------------


def test_heads_up_the_button_posts_small_and_acts_first_before_the_flop_only():
    state = deal(nlhe(), button=0)
    assert state.table.posts == (Post(0, "small blind", 1), Post(1, "big blind", 2))
    assert state.actor == 0
    state = play(state, "c")
    assert state.actor == 1
    for _ in range(3):
        state = play(state, "k")
        assert state.actor == 1
        state = play(state, "k")
        assert state.actor == 0
    assert deal(nlhe(), button=1).actor == 1


def test_heads_up_in_the_order_of_pypokerengine():
    """The button posts the big blind; the small blind acts first on every street."""
    state = deal(nlhe(heads_up="pypokerengine"), button=0)
    assert state.table.posts == (Post(1, "small blind", 1), Post(0, "big blind", 2))
    for script in ("", "c k", "c k k k", "c k k k k k"):
        assert play(state, script).actor == 1


def test_three_and_more_seats_start_left_of_the_big_blind():
    game = nlhe(seats=4)
    state = deal(game, button=1)
    assert state.table.posts == (Post(2, "small blind", 1), Post(3, "big blind", 2))
    assert state.actor == 0
    state = play(state, "c c c k")
    assert state.actor == 2
    assert deal(nlhe(seats=3), button=0).actor == 0


def test_a_straddle_is_a_third_blind():
    state = deal(nlhe(seats=4, straddle=4), button=0)
    assert state.table.posts[-1] == Post(3, "straddle", 4)
    assert state.actor == 0
    assert state.actions.call == 4
    assert state.actions.min_raise == 8
    state = play(state, "c c c")
    assert state.actor == 3
    assert state.actions.check
    state = play(state, "k")
    assert state.actions.min_raise == 2


def test_antes_are_paid_first_and_are_not_part_of_a_bet():
    state = deal(nlhe(seats=3, ante=3, stack=100), button=0)
    assert state.table.posts[:3] == (Post(1, "ante", 3), Post(2, "ante", 3), Post(0, "ante", 3))
    assert state.betting.bets == (0, 1, 2)
    assert state.pot == 12
    assert state.actions.call == 2
    assert state.actions.max_raise == 97


def test_a_big_blind_ante_is_paid_by_the_big_blind_alone():
    state = deal(nlhe(seats=3, big_blind_ante=2, stack=100), button=0)
    assert state.table.posts[0] == Post(2, "big blind ante", 2)
    assert state.betting.stacks == (100, 99, 96)
    heads_up = deal(nlhe(big_blind_ante=2, stack=100), button=0)
    assert heads_up.betting.stacks == (99, 96)


def test_short_stacks_post_what_they_have():
    state = deal(nlhe(seats=3, ante=2, stack=(50, 3, 2), short_stacks=True), button=0)
    assert state.table.posts == (
        Post(1, "ante", 2),
        Post(2, "ante", 2),
        Post(0, "ante", 2),
        Post(1, "small blind", 1),
    )
    assert state.actions.call == 1  # the big blind has nothing left: the price is the small blind


def test_stacks_and_button_are_data_of_each_hand():
    game = nlhe(seats=3)
    state = game.start(button=2, stacks=(10, 300, 7))
    assert state.table.stacks == (10, 300, 7)
    assert game.start(button=2) is game.start(button=2)
    assert game.start() == game.start(button=0)
    assert game.start() != game.start(button=1)
    assert game.start(0, (200, 200, 200)) == game.start()


# --- the end of a hand -----------------------------------------------------------------------


def test_everybody_folds():
    state = play(deal(nlhe(seats=3), button=0), "r6 f f")
    assert state.actor == TERMINAL
    assert state.payoffs == (3, -1, -2)
    assert state.shown == ()
    assert state.board == ()


def test_the_best_hand_wins_a_showdown():
    state = deal(nlhe(), "AsKd 7h7d")
    state = play(state, "r6 c r10 c k k k k", "Kh7c9d2c3d")
    assert state.actor == TERMINAL
    assert state.payoffs == (-16, 16)
    assert state.shown == ((0, parse_cards("AsKd")), (1, parse_cards("7h7d")))
    assert play(deal(nlhe(), "AsKd 7h7d"), "c k k k k k k k", "Kh8c9d2c3d").payoffs == (2, -2)


def test_equal_hands_split():
    state = play(deal(nlhe(), "AsKd AhKc"), "c k k k k k k k", "2h7c9d2c3d")
    assert state.payoffs == (0, 0)


def test_odd_chips_go_left_of_the_button():
    """Three players, 1 + 2 + 2 with the small blind folding: the odd chip of 5."""
    for button, payoffs in ((0, (0, -1, 1)), (1, (1, 0, -1)), (2, (-1, 1, 0))):
        hole = ["AsKd", "AhKc", "AcKh"]
        state = deal(nlhe(seats=3), " ".join(hole), button=button)
        state = play(state, "c f k k k k k k k", "2h7c9d2c3d")
        assert state.payoffs == payoffs  # the big blind is left of the button among the winners


def test_all_in_players_see_the_whole_board_without_being_asked():
    state = deal(nlhe(stack=200), "AsAd KsKd")
    state = play(state, "r200 c", "2h7c9d2c3d")
    assert state.actor == TERMINAL
    assert len(state.board) == 5
    assert state.payoffs == (200, -200)
    streets = [move for move in state.moves if isinstance(move, tuple) and move]
    assert [len(cards) for cards in streets] == [3, 1, 1]


def test_side_pots_are_paid_to_the_best_hand_that_paid_for_them():
    game = nlhe(seats=3, stack=(30, 60, 100), blinds=(1, 2))
    state = deal(game, "AsAd KsKd QsQd", button=0)
    state = play(state, "r30 r60 c", "2h7c9d2c3d")
    assert state.actor == TERMINAL
    assert [pot.chips for pot in state.pots] == [90, 60]
    assert state.winnings == (90, 60, 0)
    assert state.payoffs == (60, 0, -60)


def test_an_uncalled_bet_comes_back():
    state = play(deal(nlhe(stack=(50, 200)), "2s3d AsAd"), "c r200 c", "2h7c9d2c4d")
    assert state.payoffs == (50, -50)
    assert state.winnings == (100, 150)


def test_a_player_all_in_for_the_ante_contests_the_antes_only():
    game = nlhe(seats=3, ante=2, stack=(2, 100, 100))
    state = deal(game, "AsAd KsKd QsQd", button=0)
    assert state.actor == 1
    state = play(state, "c k r20 c k k k k", "2h7c9d2c3d")
    assert state.winnings[0] == 6
    assert state.payoffs == (4, 20, -24)


def test_blinds_can_put_everybody_all_in():
    state = deal(nlhe(stack=(1, 2)), "AsAd KsKd", button=0)
    assert state.actor == CHANCE
    assert play(state, "", "2h7c9d2c3d").payoffs == (1, -1)


def test_folding_for_free_forfeits_what_was_paid():
    game = nlhe(seats=3, free_fold=True, stack=(20, 100, 100))
    state = deal(game, "2s3d AsAd KsKd", button=0)
    state = play(state, "r20 c c r30 c k f", "2h7c9d2c4d")  # seat 2 folds a side pot on the turn
    assert state.actor == TERMINAL
    assert state.payoffs == (40, 10, -50)
    state = deal(game, "2s3d AsAd KsKd", button=0)
    state = play(state, "r20 c c r30 c f", "2h7c9d2c4d")
    assert state.payoffs == (40, -50, 10)


def test_payoffs_are_refused_before_the_end():
    with pytest.raises(IllegalActionError, match="before the game is over"):
        _ = deal(nlhe()).payoffs


# --- limit -----------------------------------------------------------------------------------


def test_limit_bets_double_on_the_turn_and_are_capped():
    state = deal(limit_holdem())
    state = play(state, "r4 r6 r8")
    assert str(state.actions) == "fold, call 2"  # three raises over the big blind
    state = play(state, "c r2 r4 r6 r8")
    assert str(state.actions) == "fold, call 2"
    state = play(state, "c")
    assert str(state.actions) == "check, raise to 4"
    state = play(state, "k k")
    assert str(state.actions) == "check, raise to 4"


# --- values and errors -----------------------------------------------------------------------


def test_legal_actions_are_a_sequence_that_is_not_a_list():
    legal = deal(nlhe(stack=20_000)).actions
    assert len(legal) == 2 + 20_000 - 4 + 1
    assert legal[0] == FOLD
    assert legal[1] == CALL
    assert legal[2] == RaiseTo(4)
    assert legal[-1] == RaiseTo(20_000)
    assert legal[1:4] == (CALL, RaiseTo(4), RaiseTo(5))
    assert RaiseTo(777) in legal
    assert RaiseTo(3) not in legal
    assert CHECK not in legal
    assert legal.index(RaiseTo(4)) == 2
    assert legal.index(CALL) == 1
    with pytest.raises(ValueError, match=r"check .*4\.\.20000"):
        legal.index(CHECK)
    with pytest.raises(IndexError):
        legal[len(legal)]
    small = LegalActions(True, False, 3, 6, 8)
    assert list(small) == [FOLD, CALL, RaiseTo(6), RaiseTo(7), RaiseTo(8)]
    assert [small[i] for i in range(-5, 5)] == list(small) * 2
    assert list(reversed(small)) == list(small)[::-1]
    assert [small.index(action) for action in small] == [0, 1, 2, 3, 4]
    assert list(LegalActions(False, True, 0, 0, 0)) == [CHECK]
    assert pickle.loads(pickle.dumps(small)) == small
    with pytest.raises(AttributeError):
        small.fold = False


def test_actions_are_values():
    assert Fold() == FOLD != CHECK
    assert Check() == CHECK != CALL == Call()
    assert RaiseTo(6) == RaiseTo(6) != RaiseTo(7)
    assert len({FOLD, CHECK, CALL, RaiseTo(6), Fold(), RaiseTo(6)}) == 4
    with pytest.raises(AttributeError):
        RaiseTo(6).chips = 7
    for wrong in (2.5, "6", None, True):
        with pytest.raises(OptionError, match="whole numbers"):
            RaiseTo(wrong)


@pytest.mark.parametrize("cards", ["As", "AsAs", "AsKdQh", "", "7h7s"])
def test_cards_that_cannot_be_dealt(cards):
    state = nlhe().start().apply(parse_cards("7hAh"))
    move = tuple(parse_cards(cards[i : i + 2])[0] for i in range(0, len(cards), 2))
    assert not state.can(move)
    with pytest.raises(IllegalActionError, match="cannot be dealt here"):
        state.verify(move)


def test_the_order_of_cards_dealt_together_is_nothing():
    one = deal(nlhe(), "AsKd 7h7d")
    other = deal(nlhe(), "KdAs 7d7h")
    assert one == other
    assert one.hole[0] == parse_cards("AsKd")


def test_states_and_games_can_be_sent_to_other_processes():
    for game in (nlhe(seats=4), limit_holdem(), short_deck(), load("permutation")):
        rng = Random(3)
        state = game.start()
        while state.actor != TERMINAL:
            again = pickle.loads(pickle.dumps(state))
            assert again == state
            assert hash(again) == hash(state)
            assert again.game == game
            chance = state.chance
            state = state.apply(chance.sample(rng) if chance else random_action(state, rng))


BAD_RULES = [
    (nlhe, {"seats": 1}, "seats=1"),
    (nlhe, {"seats": 11}, "seats=11"),
    (nlhe, {"stack": 0}, "stack=0"),
    (nlhe, {"stack": -5}, "stack=-5"),
    (nlhe, {"stack": 99.5}, "stack=99.5"),
    (nlhe, {"stack": "lots"}, "stack='lots'"),
    (nlhe, {"stack": (100, 100, 100)}, "3 numbers.*2 seats"),
    (nlhe, {"stack": (100, 0)}, "stack=0"),
    (nlhe, {"stack": None}, "stack=None"),
    (nlhe, {"stack": np.array([50, 100, 100])}, "3 numbers.*2 seats"),
    (nlhe, {"stack": np.array([[50, 100], [1, 1]])}, "stack=array"),
    (nlhe, {"stack": ()}, r"stack=\(\)"),
    (nlhe, {"raise_cap": 2.5}, "raise_cap=2.5"),
    (nlhe, {"raise_cap": True}, "raise_cap=True"),
    (nlhe, {"raise_cap": "many"}, "raise_cap="),
    (nlhe, {"free_fold": "yes"}, "free_fold='yes'"),
    (nlhe, {"effective_raises": 1}, "effective_raises=1"),
    (river_of_blood, {"eval7_flushes": None}, "eval7_flushes=None"),
    (nlhe, {"button": 0.0}, "button=0.0"),
    (nlhe, {"button": True}, "button=True"),
    (nlhe, {"seats": np.array([2, 3])}, "seats=array"),
    (nlhe, {"blinds": (2, 1)}, r"\(.*1.*\) decrease"),
    (nlhe, {"blinds": (-1, 2)}, "small blind=-1"),
    (nlhe, {"blinds": (1, 0)}, "big blind=0"),
    (nlhe, {"blinds": 2}, "blinds=2"),
    (nlhe, {"blinds": (1, 2, 4)}, "blinds="),
    (nlhe, {"straddle": 4}, "3.*2 seats"),
    (nlhe, {"seats": 3, "straddle": 1}, r"\(.*1.*\) decrease"),
    (nlhe, {"ante": -1}, "ante=-1"),
    (nlhe, {"big_blind_ante": -1}, "big_blind_ante=-1"),
    (nlhe, {"min_bet": -2}, "min_bet=-2"),
    (nlhe, {"min_bet": 0}, "min_bet=0"),
    (limit_holdem, {"big_bet": 0}, "big_bet=0"),
    (river_of_blood, {"blinds": "1/2"}, "blinds="),
    (river_of_blood, {"stack": 1}, r"seat \d .*\d"),
    (nlhe, {"button": 2}, "button=2"),
    (nlhe, {"button": -1}, "button=-1"),
    (nlhe, {"heads_up": "reverse"}, "heads_up='reverse'"),
    (nlhe, {"minimum_raise": "none"}, "minimum_raise='none'"),
    (nlhe, {"raise_cap": -1}, "raise_cap=-1"),
    (nlhe, {"raise_cap": (1, 2)}, "raise_cap.*2 numbers"),
    (nlhe, {"raises_per_player": 16}, "raises_per_player=16"),
    (toy_holdem, {"stack": 9}, r"seat \d .*\d"),
    (short_deck, {"seats": 20}, "seats=20"),
    (short_deck, {"button_blind": 0}, "button_blind=0"),
    (nlhe, {"stack": 1}, "seat 1.*1.*ante; 2"),
    (nlhe, {"ante": 300}, "seat 0.*200.*ante; 301"),
    (nlhe, {"stack": (200, 3), "big_blind_ante": 2}, "seat 1.*3.*ante; 4"),
    (nlhe, {"stack": (1, 9, 9), "seats": 3, "button": 1}, "seat 0.*1.*ante"),
    (nlhe, {"seats": 3, "stack": 3, "straddle": 4}, "seat 0.*3.*ante; 4"),
    (nlhe, {"short_stacks": "yes"}, "short_stacks='yes'"),
    (limit_holdem, {"stack": 1}, "seat 1.*1.*ante; 2"),
    (limit_holdem, {"ante": 200}, r"seat \d .*\d"),
    (short_deck, {"stack": 1}, "seat 0.*1.*ante; 2"),
    (short_deck, {"ante": 101}, r"seat \d .*\d"),
]


@pytest.mark.parametrize(("make", "options", "message"), BAD_RULES)
def test_impossible_rules_are_refused_when_the_game_is_made(make, options, message):
    with pytest.raises(OptionError, match=message) as caught:
        make(**options)
    assert "\n" not in str(caught.value)


def test_impossible_hands_are_refused():
    game = nlhe(seats=3)
    with pytest.raises(OptionError, match="button=3"):
        game.start(button=3)
    with pytest.raises(OptionError, match=r"2 stacks.*3 seats"):
        game.start(stacks=(1, 2))
    with pytest.raises(OptionError, match="seat 1"):
        game.start(stacks=(1, 0, 2))
    with pytest.raises(OptionError, match="stacks=5"):
        game.start(stacks=5)
    with pytest.raises(OptionError, match=r"seat 1=2\.5"):
        game.start(stacks=(9, 2.5, 9))
    game.start(button=1)
    for button in (True, 1.0, "1", []):
        with pytest.raises(OptionError, match="button="):
            game.start(button)
    for chips in (True, 6.0, "6", None, np.array([6, 7])):
        with pytest.raises(OptionError, match="chips are whole numbers"):
            RaiseTo(chips)


def test_numbers_of_numpy_become_plain_ones():
    game = nlhe(
        seats=np.int64(2),
        stack=np.array([50, 100]),
        blinds=np.array([1, 2], dtype=np.uint8),
        ante=np.int64(1),
        raise_cap=np.int64(3),
        raises_per_player=np.int8(2),
        button=np.int64(1),
    )
    plain = nlhe(stack=(50, 100), blinds=(1, 2), ante=1, raise_cap=3, raises_per_player=2, button=1)
    assert game == plain
    assert game.parameters == plain.parameters
    assert json.dumps(game.parameters) == json.dumps(plain.parameters)
    assert pickle.dumps(game.rules) == pickle.dumps(plain.rules)
    state = game.start(np.int64(0), np.array([30, 40]))
    chips = (*state.table.stacks, *state.betting.stacks, *state.betting.bets, state.table.button)
    assert {type(number) for number in chips} == {int}


@pytest.mark.parametrize("make", [nlhe, limit_holdem, short_deck])
def test_short_stacks_are_possible_where_they_are_asked_for(make):
    assert make(seats=2, stack=1, short_stacks=True).start().pot == 2
    assert make(seats=2).start(stacks=(1, 1)).pot == 2  # what is left in a match
    with pytest.raises(OptionError, match=r"seat \d .*\d"):
        toy_holdem().start(stacks=(1, 1))


def test_a_stack_must_cover_the_blind_of_its_own_seat():
    assert nlhe(stack=(1, 9)).start().betting.stacks == (0, 7)
    with pytest.raises(OptionError, match=r"seat 0.*1"):
        nlhe(stack=(1, 9), button=1)


def test_equal_games_may_be_written_differently():
    assert nlhe(stack="100bb") == nlhe(stack=200)
    assert hash(nlhe(stack="100bb")) == hash(nlhe(stack=200))
    others = [nlhe(button=1), nlhe(stack=201), nlhe(free_fold=True), limit_holdem()]
    assert all(nlhe() != other for other in others)


# --- cards -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.int64])
def test_cards_may_be_numbers_of_numpy(kind):
    state = nlhe().start().apply(np.array([40, 51], dtype=kind))
    assert state.hole == ((51, 40),)
    assert [type(card) for card in state.hole[0]] == [int, int]
    assert type(state.dealt) is int


def test_cards_of_played_out_hands_can_be_dealt():
    played = play_out(betting_tree(nlhe(stack=4), "50%, 100%, a"), 20, trace=True)
    for row in played.cards:
        state = nlhe(stack=4).start().apply(row[:2]).apply(row[2:4])
        assert sorted(state.hole[0]) == sorted(int(card) for card in row[:2])


@pytest.mark.parametrize(
    "cards",
    [(10**10, 3), (52, 3), (-1, 3), (True, 3), (1.0, 3), ("As", "Kd"), (3, 3), (), 7, None, "AsKd"],
)
def test_what_is_no_card_is_refused_at_once(cards):
    state = nlhe().start()
    with pytest.raises(IllegalActionError, match=r" 2 .* 52 "):
        state.apply(cards)
    assert not state.can(cards)


# --- many hands ------------------------------------------------------------------------------


def test_chips_are_conserved_in_random_hands():
    seats = {random_hand(seed).game.players for seed in range(1_000)}
    assert seats == set(range(2, 11))


@pytest.mark.slow
def test_chips_are_conserved_in_a_million_random_hands():
    for seed in range(1_000_000, 2_000_000):
        random_hand(seed)


def test_dealing_is_fair():
    """Every card comes to every place equally often, within five deviations."""
    rng, counts, hands = Random(4), [[0] * 52 for _ in range(3)], 20_000
    start = nlhe().start()
    for _ in range(hands):
        first = start.chance.sample(rng)
        second = start.apply(first).chance.sample(rng)
        for card in first:
            counts[0][card] += 1
        for card in second:
            counts[1][card] += 1
        counts[2][first[0]] += 1
    for place in (0, 1):
        for count in counts[place]:
            assert abs(count - hands / 26) < 5 * (hands / 26) ** 0.5
    # The first card written is the higher one: card c tops c of the 1,326 pairs.
    for card, count in enumerate(counts[2]):
        assert abs(count - hands * card / 1326) <= 5 * (hands * card / 1326) ** 0.5


def test_random_tables_reach_the_corners():
    """The generator of random hands makes side pots, splits and all-in blinds."""
    ends = [random_hand(seed) for seed in range(1_500)]
    assert sum(len(end.pots) > 2 for end in ends if end.shown) > 50
    splits = [end for end in ends if end.shown and len(set(end.values)) < len(end.live)]
    assert len(splits) > 10


@pytest.mark.parametrize("text", ["", "raise", "raise to", "raise to ²", "raise to " + "9" * 5000])
def test_texts_that_are_no_action(text):
    with pytest.raises(OptionError, match="is not an action; write fold"):
        nlhe().parse_action(text)
