"""What is particular to each variant."""

from itertools import islice
from math import prod
from random import Random

import pytest

from helpers.playing import deal, play, random_action
from tiltless.cards.card import RANKS, parse_cards
from tiltless.cards.evaluate import evaluate
from tiltless.errors import OptionError
from tiltless.games import CHANCE, TERMINAL, IllegalActionError, load
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.holdem.events import Post
from tiltless.games.holdem.permutation import (
    HiddenRanks,
    draw_ranks,
    permutation,
    ranks_probability,
)
from tiltless.games.holdem.river_of_blood import river_of_blood
from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.streets import Street
from tiltless.games.holdem.variants import limit_holdem, nlhe, short_deck, toy_holdem

NAMES = ("nlhe", "limit-holdem", "short-deck", "toy-holdem", "river-of-blood", "permutation")


@pytest.mark.parametrize("name", NAMES)
def test_every_variant_is_registered_and_plays(name):
    game, rng = load(name), Random(1)
    assert game.name == name
    for _ in range(20):
        state = game.start()
        while state.actor != TERMINAL:
            chance = state.chance
            state = state.apply(chance.sample(rng) if chance else random_action(state, rng))
        assert sum(state.payoffs) == 0


def test_stacks_are_chips_or_big_blinds():
    assert nlhe(blinds=(5, 10)).rules.stacks == (1000, 1000)
    assert nlhe(blinds=(5, 10), stack="20bb").rules.stacks == (200, 200)
    assert nlhe(blinds=(5, 10), stack=77).rules.stacks == (77, 77)
    assert nlhe(blinds=(5, 10), stack=("20bb", 30)).rules.stacks == (200, 30)
    assert nlhe(blinds=[5, 10], stack=[20, 30]) == nlhe(blinds=(5, 10), stack=(20, 30))
    for wrong in ("", "bb", "1.5bb", "²", "-5", "9" * 5000, "9" * 5000 + "bb"):
        with pytest.raises(OptionError, match="is not a stack"):
            nlhe(stack=wrong)


# --- short deck ------------------------------------------------------------------------------


def test_short_deck_has_36_cards_antes_and_a_button_blind():
    game = short_deck(seats=3)
    state = game.start(button=1)
    assert state.chance.count == 36 * 35 // 2
    assert min(cards[1] for cards, _ in state.chance.outcomes()) == parse_cards("6c")[0]
    assert state.table.posts == (
        Post(2, "ante", 1),
        Post(0, "ante", 1),
        Post(1, "ante", 1),
        Post(1, "big blind", 1),
    )
    assert deal(game, button=1).actor == 2
    assert not state.can(parse_cards("5cAs"))


@pytest.mark.parametrize("heads_up", ["standard", "pypokerengine"])
def test_short_deck_heads_up_the_button_posts(heads_up):
    state = deal(short_deck(seats=2, heads_up=heads_up), button=1)
    assert state.table.posts[-1] == Post(1, "big blind", 1)
    assert state.actor == 0


def test_short_deck_flush_beats_full_house_and_the_ace_plays_low():
    state = deal(short_deck(seats=2), "KsKd Ah9h", button=0)
    flush = play(state, "c k k k k k k k", "Kh6h6s8hQc")
    assert flush.payoffs == (-2, 2)
    state = deal(short_deck(seats=2), "QsQd Ah9c", button=0)
    straight = play(state, "c k k k k k k k", "6h7s8hQcJd")
    assert straight.payoffs == (-2, 2)


# --- toy hold'em -----------------------------------------------------------------------------


def test_toy_holdem_ends_on_the_flop():
    game = toy_holdem()
    state = deal(game, "AsAd KsKd", button=0)
    assert state.table.posts == (Post(1, "small blind", 5), Post(0, "big blind", 10))
    assert state.actor == 1
    assert list(state.actions) == [FOLD, CALL, RaiseTo(20)]
    state = play(state, "c k", "KhQc2d")
    assert state.actor == 1  # the small blind begins on every street
    assert list(state.actions) == [FOLD, CHECK, RaiseTo(10)]
    state = play(state, "k k")
    assert state.actor == TERMINAL
    assert len(state.board) == 3
    assert state.payoffs == (-10, 10)


def test_toy_holdem_has_three_raises_a_player_a_round():
    state = play(deal(toy_holdem(), button=0), "r20 r30 r40 r50 r60 r70")
    assert list(state.actions) == [FOLD, CALL]
    assert state.betting.bets == (70, 60)
    assert RaiseTo(10) in play(state, "c").actions
    assert list(deal(toy_holdem(raises_per_player=0), button=0).actions) == [FOLD, CALL]
    assert RaiseTo(35) in deal(toy_holdem(raise_size=25), button=0).actions


# --- river of blood --------------------------------------------------------------------------


def test_the_board_grows_while_the_newest_card_is_red():
    state = deal(river_of_blood(), "AsAd KsKd", button=0)
    state = play(state, "c k k k k k", "2h7c9d2c3d")
    assert state.street == 3
    state = play(state, "k k", "4h")
    assert state.actor == 1  # a betting round on every card
    assert len(state.board) == 6
    assert state.game.rules.street_name(state.street) == "run"
    state = play(state, "r10 c", "Qc")
    assert len(state.board) == 7
    state = play(state, "k k")
    assert state.actor == TERMINAL
    assert state.payoffs == (12, -12)


def test_red_cards_before_the_river_do_not_matter():
    state = play(deal(river_of_blood(), "AsAd KsKd"), "c k k k k k k k", "2h7h9h2d3c")
    assert state.actor == TERMINAL
    assert len(state.board) == 5


def test_all_in_players_still_get_the_whole_board():
    state = play(deal(river_of_blood(), "AsAd KsKd"), "r400 c", "2h7c9d2c3d4h5dKc")
    assert state.actor == TERMINAL
    assert len(state.board) == 8
    assert state.payoffs == (-400, 400)


def test_the_longest_board_has_31_cards():
    reds = "".join(rank + suit for rank in RANKS for suit in "dh")
    state = play(deal(river_of_blood(), "AsAc KsKc"), "r400 c", "2c2s3c3s" + reds + "4c")
    assert len(state.board) == 31
    assert state.actor == TERMINAL
    assert sum(state.payoffs) == 0


def test_board_sizes_have_the_right_distribution():
    """Of a river card, half are red: P(5 cards) = 1/2; six and more follow about geometrically."""
    rng, game, counts = Random(1), river_of_blood(), [0] * 32
    hands = 4000
    for _ in range(hands):
        state = game.start()
        while state.actor != TERMINAL:
            move = state.chance.sample(rng) if state.actor == CHANCE else None
            state = state.apply(move or (CHECK if state.actions.check else CALL))
        counts[len(state.board)] += 1
    for size, share in ((5, 0.5), (6, 0.255), (7, 0.128), (8, 0.062), (9, 0.029)):
        spread = (hands * share * (1 - share)) ** 0.5
        assert abs(counts[size] - hands * share) < 4 * spread


@pytest.mark.parametrize(("eval7_flushes", "payoffs"), [(True, (2, -2)), (False, (0, 0))])
def test_flushes_are_scored_as_eval7_does(eval7_flushes, payoffs):
    """The board has a straight flush in hearts; with five diamonds, eval7 sees only those."""
    state = deal(river_of_blood(eval7_flushes=eval7_flushes), "3sJs KdQc", button=0)
    state = play(state, "c k" + " k k" * 8, "2d5d9dJd6h7h8h9hTh4c")
    assert state.actor == TERMINAL
    assert state.payoffs == payoffs
    for seat in (0, 1):
        cards = (*state.hole[seat], *state.board)
        assert state.values[seat] == evaluate(cards, eval7_flushes=eval7_flushes)


def test_raises_stop_where_the_opponent_is_all_in():
    state = river_of_blood().start(stacks=(400, 150))
    state = play(state.apply(parse_cards("AsAd")).apply(parse_cards("KsKd")), "")
    assert (state.actions.min_raise, state.actions.max_raise) == (4, 150)


# --- permutation -----------------------------------------------------------------------------

ORDER = "A2345678TJQK9"  # the ace is the lowest rank, the nine the highest


def test_the_hidden_order_decides_at_the_showdown():
    script, board = "c k k k k k k k", "2h7cTd3c5d"
    hole = "AsKd 9sQd"
    assert play(deal(permutation(ranks=RANKS), hole), script, board).payoffs == (2, -2)
    assert play(deal(permutation(ranks=ORDER), hole), script, board).payoffs == (-2, 2)


def test_straights_follow_the_hidden_order():
    script, board = "c k k k k k k k", "7hTcJdKd2c"
    state = play(deal(permutation(ranks=ORDER), "8sQh AsAd"), script, board)
    assert state.payoffs == (2, -2)  # 8 T J Q K are neighbours here


def test_the_order_can_be_drawn_by_chance():
    state = permutation().start()
    assert state.chance.seen_by == ()
    assert state.chance.count == 6_227_020_800
    drawn = state.apply(ORDER)
    assert drawn.ranks == ORDER
    for cards in ("AsKd", "9sQd"):
        drawn = drawn.apply(parse_cards(cards))
    end = play(drawn, "c k k k k k k k", "2h7cTd3c5d")
    assert end.payoffs == (-2, 2)
    for wrong in ("", "23456789TJQK", "2223456789TJQ", None, 7):
        with pytest.raises(IllegalActionError, match="13 ranks"):
            state.apply(wrong)
    with pytest.raises(OptionError, match="13 ranks"):
        permutation(ranks="AKQ")


def reachable(thing, seen=None):
    """Every value that can be reached from a thing by attributes, items and iteration."""
    seen = {} if seen is None else seen
    if id(thing) in seen:
        return seen
    seen[id(thing)] = thing
    if isinstance(thing, str | int | float | bool | None | type):
        return seen
    if isinstance(thing, dict):
        for key, value in thing.items():
            reachable(key, seen)
            reachable(value, seen)
    elif isinstance(thing, tuple | list | set | frozenset):
        for each in thing:
            reachable(each, seen)
    for name in dir(thing):
        if not name.startswith("__"):
            value = getattr(thing, name, None)
            if not callable(value):
                reachable(value, seen)
    return seen


@pytest.mark.parametrize("game", [permutation(ranks=ORDER), permutation()])
def test_the_order_is_in_no_view_and_no_infoset(game):
    state = game.start()
    if state.chance.seen_by == ():
        state = state.apply(ORDER)
    state = state.apply(parse_cards("AsKd")).apply(parse_cards("9sQd"))
    states = [state, play(state, "c k k k"), play(state, "c k k k k k k k")]
    for each in states:
        for seat in (0, 1):
            for thing in (each.view(seat), each.infoset(seat)):
                found = reachable(thing).values()
                assert ORDER not in [value for value in found if isinstance(value, str)]
                assert game not in [value for value in found if isinstance(value, type(game))]


def test_orders_are_drawn_with_their_probability():
    assert ranks_probability(RANKS) == pytest.approx(
        prod(0.25 / (1 - 0.75**n) for n in range(1, 14))
    )
    rng, draws = Random(3), 20_000
    orders = [draw_ranks(rng) for _ in range(draws)]
    for true, share in ((0, 0.256), (1, 0.192), (2, 0.144), (12, 0.008)):
        found = sum(order[true] == "2" for order in orders)
        assert abs(found - draws * share) < 4 * (draws * share) ** 0.5 + draws * 0.0006
    aces = sum(order[12] == "A" for order in orders) / draws
    assert abs(aces - 0.258) < 0.015
    for order, probability in islice(HiddenRanks().outcomes(), 50):
        assert probability == ranks_probability(order) > 0


def test_probabilities_of_all_orders_sum_to_one():
    """Of each prefix, the chances of the next true rank do: 13 sums of geometric tails."""
    for free in range(1, 14):
        total = sum(0.25 * 0.75**place / (1 - 0.75**free) for place in range(free))
        assert total == pytest.approx(1)


# --- rules of one's own ----------------------------------------------------------------------


def test_a_deck_too_small_is_refused():
    streets = (Street("first", 0, 2), Street("board", 3, 2))
    chips = {"stacks": (100,) * 10, "blinds": (1, 2)}
    with pytest.raises(OptionError, match=r"63 cards.*52"):
        Rules(**chips, streets=streets, hole_cards=6)
    with pytest.raises(OptionError, match=r"1 .*3 .*five"):
        Rules(**chips, streets=streets, hole_cards=1)
    with pytest.raises(OptionError, match="without streets"):
        Rules(**chips, streets=())
    with pytest.raises(OptionError, match="board=3"):
        Rules(**chips, streets=streets[1:])
    with pytest.raises(OptionError, match="empty=0"):
        Rules(**chips, streets=(*streets, Street("empty", 0, 2)))
    with pytest.raises(OptionError, match="free=0"):
        Rules(**chips, streets=(*streets, Street("free", 1, 0)))
    with pytest.raises(OptionError, match="no blinds and no antes"):
        Rules(stacks=(100,) * 2, blinds=(), streets=streets)
    antes_alone = Rules(stacks=(100,) * 2, blinds=(), streets=streets, ante=1, short_stacks=False)
    assert antes_alone.checked_stacks((1, 1)) == (1, 1)


def test_limit_sizes_can_be_chosen():
    game = limit_holdem(blinds=(2, 5), small_bet=4, big_bet=9, raise_cap=1)
    state = deal(game)
    assert RaiseTo(9) in state.actions
    state = play(state, "c k k k")
    assert RaiseTo(9) in state.actions
    assert list(play(state, "r9").actions) == [FOLD, CALL]
