"""Records replay, lines round-trip, views hide what they must."""

import gc
from contextlib import suppress
from dataclasses import replace
from random import Random
from types import FunctionType, ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.playing import deal, play, random_action, random_game, random_hand
from tiltless.cards.card import cards_text, parse_cards
from tiltless.errors import InputError, OptionError
from tiltless.games import CHANCE, TERMINAL, load
from tiltless.games.holdem.actions import CALL, CHECK, RaiseTo
from tiltless.games.holdem.events import Acted, BoardCards, HoleCards, Post, Returned, Shown, Won
from tiltless.games.holdem.record import hand_line, parse_hand, record_hand, record_view
from tiltless.games.holdem.variants import nlhe
from tiltless.games.holdem.view import View

SCRIPT, BOARD = "r6 c r10 c k k k r30 f", "Kh7c9d2c3d"


def example():
    return play(deal(nlhe(), "AsKd 7h7d", button=0), SCRIPT, BOARD)


def test_a_record_tells_the_whole_hand():
    record = record_hand(example(), ("Alice", "Bob"), 7)
    assert record.events == (
        Post(0, "small blind", 1),
        Post(1, "big blind", 2),
        HoleCards(0, parse_cards("AsKd")),
        HoleCards(1, parse_cards("7h7d")),
        Acted(0, RaiseTo(6), 5),
        Acted(1, CALL, 4),
        BoardCards("flop", parse_cards("Kh9d7c")),
        Acted(1, RaiseTo(10), 10),
        Acted(0, CALL, 10),
        BoardCards("turn", parse_cards("2c")),
        Acted(1, CHECK, 0),
        Acted(0, CHECK, 0),
        BoardCards("river", parse_cards("3d")),
        Acted(1, CHECK, 0),
        Acted(0, RaiseTo(30), 30),
        Acted(1, record.events[15].action, 0),
        Returned(0, 30),
        Won(0, 32),
    )
    assert record.payoffs == (16, -16)
    assert record.final == example()


def test_a_showdown_is_recorded():
    state = play(deal(nlhe(stack=(50, 200)), "2s3d AsAd"), "c r200 c", "2h7c9d2c4d")
    events = record_hand(state).events
    assert events[-4:] == (
        Shown(0, parse_cards("3d2s")),
        Shown(1, parse_cards("AsAd")),
        Returned(1, 150),
        Won(0, 100),
    )


def test_an_ante_is_won_and_never_returned():
    state = play(deal(nlhe(seats=3, big_blind_ante=2), button=0), "f f")
    assert record_hand(state).events[-2:] == (Returned(2, 1), Won(2, 4))


def test_a_line_of_text():
    record = record_hand(example(), ("Alice", "Bob"), 7)
    line = "HAND:7:nlhe:0:200|200:r6c/r10c/kk/kr30f:AsKd|7h7d/Kh9d7c/2c/3d:16|-16:Alice|Bob"
    assert hand_line(record) == line
    assert parse_hand(line, nlhe()) == record
    assert parse_hand(line.replace("kk/kr30f", "xx/xr30f"), nlhe()) == record
    all_in = play(deal(nlhe(), "AsKd 7h7d"), "r200 c", BOARD)
    assert hand_line(record_hand(all_in)) == (
        "HAND:0:nlhe:0:200|200:r200c///:AsKd|7h7d/Kh9d7c/2c/3d:-200|200:"
    )


def test_hands_that_are_not_over_are_recorded_as_far_as_they_went():
    state = deal(nlhe(), "AsKd 7h7d")
    for each in (nlhe().start(), state, play(state, "c k", "Kh7c9d")):
        record = record_hand(each)
        assert record.final == each
        line = hand_line(record)
        assert line.split(":")[7] == ""
        assert parse_hand(line, nlhe()).final == each


@pytest.mark.parametrize("name", ["river-of-blood", "permutation", "toy-holdem", "short-deck"])
def test_every_variant_round_trips(name):
    game = load(name)
    for seed in range(30):
        rng, state = Random(seed), game.start(seed % game.players)
        while state.actor != TERMINAL:
            chance = state.chance
            state = state.apply(chance.sample(rng) if chance else random_action(state, rng))
        record = record_hand(state, number=seed)
        assert record.payoffs == state.payoffs
        assert parse_hand(hand_line(record), game) == record


def test_random_hands_round_trip():
    for seed in range(400):
        state = random_hand(seed)
        names = tuple(f"P{seat}" for seat in range(state.game.players))
        record = record_hand(state, names, seed)
        assert record.final == state
        again = parse_hand(hand_line(record), state.game)
        assert again == record
        assert again.payoffs == state.payoffs


def test_a_record_that_breaks_the_rules_is_refused():
    record = record_hand(example(), number=7)
    events = list(record.events)
    for place, wrong, message in (
        (4, Acted(0, RaiseTo(3), 2), "event 4.*hand 7: raise to 3"),
        (0, Post(0, "small blind", 2), "event 0.*hand 7.*Post"),
        (5, Acted(1, CALL, 7), "event 5.*hand 7.*Acted"),
        (17, Won(0, 33), "event 17.*hand 7.*Won"),
        (17, Returned(0, 32), "event 17.*hand 7.*Returned"),
        (6, BoardCards("flop", parse_cards("AsKh9d")), "cannot be dealt here"),
    ):
        with pytest.raises(InputError, match=message):
            _ = replace(record, events=(*events[:place], wrong, *events[place + 1 :])).final
    with pytest.raises(InputError, match=r"17 events.*18"):
        _ = replace(record, events=tuple(events[:-1])).final


GOOD = "HAND:7:nlhe:0:200|200:r6c/r10c/kk/kr30f:AsKd|7h7d/Kh9d7c/2c/3d:16|-16:Alice|Bob"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "''.*HAND, number"),
        ("STATE:1:c", "'STATE:1:c'.*HAND, number"),
        (GOOD.replace("nlhe", "kuhn"), "kuhn.*nlhe"),
        (GOOD.replace("16|-16", "17|-17"), r"17\|-17.*16\|-16"),
        (GOOD.replace("r6c", "r3c"), "raise to 3"),
        (GOOD.replace("r6c", "x6c"), "'x6'.*f.*c.*r6"),
        (GOOD.replace("r6c", "b6c"), "'b6'"),
        (GOOD.replace("r6c", "r\n6c"), "7.*'r'"),
        (GOOD.replace("r6c", "rc"), "7.*'r'"),
        (GOOD.replace(":nlhe:", ":nl\nhe:"), "hand 7 is of the game nl he"),
        (GOOD.replace("200|200", "200|0"), "seat 1"),
        (GOOD.replace("200|200", "200"), "1 stacks.*2 seats"),
        (GOOD.replace(":0:", ":9:"), "button=9"),
        (GOOD.replace("/3d", ""), "hand 7.*2 deals.*4 streets"),
        (GOOD.replace("/3d", "/3d/4d"), "hand 7.*4 deals"),
        (GOOD.replace("/kr30f", "").replace("/3d", ""), r"hand 7 .* 16\|-16"),
        (GOOD.replace("/3d", "/3x"), "hand 7"),
        (GOOD.replace("AsKd", "AsK"), "hand 7"),
        (GOOD.replace("7h7d", "AsKd"), "hand 7 .*As Kd"),
        (GOOD.replace("7h7d", "7h7x"), "hand 7"),
        (GOOD + ":A2345678TJQK9", "no hidden order"),
        (GOOD.replace("Alice|Bob", "Alice"), "1 names.*2 seats"),
    ],
)
def test_lines_that_are_wrong(line, message):
    with pytest.raises(InputError, match=message) as caught:
        parse_hand(line, nlhe())
    assert "\n" not in str(caught.value)


@settings(max_examples=300)
@given(st.data())
def test_a_damaged_line_is_refused_or_read(data):
    place = data.draw(st.integers(0, len(GOOD) - 1))
    letter = data.draw(st.characters(min_codepoint=32, max_codepoint=126))
    line = GOOD[:place] + letter + GOOD[place + 1 :]
    with suppress(InputError):
        record = parse_hand(line, nlhe())
        assert parse_hand(hand_line(record), nlhe()) == record


def test_names_that_would_break_a_line_are_refused():
    with pytest.raises(OptionError, match=r"'A\|B'"):
        hand_line(record_hand(example(), ("A|B", "C")))
    with pytest.raises(OptionError, match=r"1 names.*2 seats"):
        record_hand(example(), ("A",))


# --- views -----------------------------------------------------------------------------------


def test_a_view_has_what_an_agent_needs():
    view = play(deal(nlhe(), "AsKd 7h7d", button=0), "r6 c r10", "Kh7c9d").view(0)
    assert (view.game, view.seat, view.button, view.actor) == ("nlhe", 0, 0, 0)
    assert cards_text(view.cards) == "AsKd"
    assert cards_text(view.board) == "Kh9d7c"
    assert (view.street, view.street_name) == (1, "flop")
    assert view.stacks == (194, 184)
    assert view.bets == (0, 10)
    assert view.paid == (6, 16)
    assert view.pot == 22
    assert view.starting_stacks == (200, 200)
    assert (view.to_call, view.min_raise, view.max_raise) == (10, 20, 194)
    assert view.actor == view.seat
    assert not view.is_over
    assert view.opponents == (1,)
    assert view.shown == ()
    assert view.payoffs is None
    assert view.rules.big_blind == 2
    assert HoleCards(1, ()) in view.events
    assert HoleCards(0, view.cards) in view.events
    assert view.events[-1] == Acted(1, RaiseTo(10), 10)
    assert str(view) == "seat 0 AsKd, flop Kh9d7c, pot 22: fold, call 10, raise to 20..194"
    with pytest.raises(AttributeError):
        view.cards = ()


def test_who_is_not_to_act_has_no_actions():
    state = play(deal(nlhe(), "AsKd 7h7d"), "r6")
    assert list(state.view(0).actions) == []
    assert state.view(1).actions == state.actions


def test_a_view_of_a_stranger_is_refused():
    with pytest.raises(OptionError, match="seat=2"):
        deal(nlhe()).view(2)


def test_opponents_are_seen_at_a_showdown_only():
    shown = play(deal(nlhe(), "AsKd 7h7d"), "c k k k k k k k", BOARD)
    assert shown.view(0).shown == ((0, parse_cards("AsKd")), (1, parse_cards("7h7d")))
    assert shown.view(0).payoffs == shown.payoffs
    assert example().view(0).shown == ()
    assert record_hand(shown).view(1) == shown.view(1)
    for script, known in (("c k k k k k k k", 2), ("r6 f", 1)):
        hands = [deal(nlhe(), f"AsKd {hand}") for hand in ("7h7d", "7h7s")]
        ends = [play(hand, script, BOARD) for hand in hands]
        assert len({state.infoset(0).key for state in ends}) == known


def walk(thing, seen):
    """Every object that can be reached from a thing, by any means that Python has."""
    if id(thing) in seen or isinstance(thing, type | ModuleType | FunctionType):
        return
    seen[id(thing)] = thing
    if isinstance(thing, str | int | float | bool | None):
        return
    names = [name for name in dir(thing) if not name.startswith("__")]
    parts = [getattr(thing, name, None) for name in names]
    for part in [*parts, *gc.get_referents(thing)]:
        if not callable(part):
            walk(part, seen)


@pytest.mark.parametrize("seed", range(25))
def test_no_hidden_card_can_be_reached_from_a_view(seed):
    """Deal hidden cards twice, differently: views and infosets are equal, whatever they contain."""
    rng = Random(seed)
    game = random_game(seed)
    state = other = game.start(rng.randrange(game.players))
    seat = rng.randrange(game.players)
    own = state.chance.sample(rng)
    for each in range(game.players):
        hands = []
        for now in (state, other):
            hand = own
            while each != seat and (hand == own or set(hand) & set(own)):
                hand = now.chance.sample(rng)
            hands.append(hand)
        state, other = state.apply(hands[0]), other.apply(hands[1])
    hidden = {card for number, hand in enumerate(state.hole) if number != seat for card in hand}
    while state.actor != TERMINAL:
        view = state.view(seat)
        assert view == other.view(seat)
        assert view.events == other.view(seat).events
        assert repr(view) == repr(other.view(seat))
        assert state.infoset(seat) == other.infoset(seat)
        assert not cards_in(view) & (hidden - set(state.board))
        if state.actor == CHANCE:
            move = state.chance.sample(rng)
            while not other.can(move) or not state.can(move):
                move = state.chance.sample(rng)
        else:
            move = random_action(state, rng)
        state, other = state.apply(move), other.apply(move)
    shown = {card for _, cards in state.shown for card in cards}
    assert not cards_in(state.view(seat)) & (hidden - shown - set(state.board))


def cards_in(view: View) -> set[int]:
    """All cards of all events and fields of a view, and of whatever else leads to a hand."""
    seen: dict[int, object] = {}
    walk(view, seen)
    names = {type(thing).__name__ for thing in seen.values()}
    assert not names & {"HoldemState", "Holdem", "Table", "Deal", "HandRecord", "Random"}
    cards: set[int] = {*view.cards, *view.board}
    for thing in seen.values():
        if isinstance(thing, HoleCards | Shown | BoardCards):
            cards |= set(thing.cards)
    for move in view.moves:
        if isinstance(move, tuple):
            cards |= set(move)
    return cards


@pytest.mark.parametrize("name", ["nlhe", "river-of-blood", "permutation"])
def test_records_of_what_a_player_saw(name):
    """Unknown cards: the same payoffs, views and lines, and no card that was not shown."""
    game, hidden = load(name), 0
    for seed in range(20):
        rng, state = Random(seed), game.start(seed % 2)
        while state.actor != TERMINAL:
            chance = state.chance
            state = state.apply(chance.sample(rng) if chance else random_action(state, rng))
        whole = record_hand(state, number=seed)
        seen = whole.as_seen_by(1)
        hidden += not seen.final.hole[0]
        assert seen.payoffs == whole.payoffs
        assert seen.view(1) == whole.view(1)
        assert record_view(whole.view(1), game, number=seed) == seen
        assert parse_hand(hand_line(seen), game) == seen
        assert bool(state.shown) == bool(seen.final.hole[0])
    assert hidden


def test_payoffs_of_unknown_cards_are_given_and_checked():
    state = play(deal(nlhe(), "AsKd 7h7d"), "r200 c", "Kh7c9d2c3d")
    unknown = state._replace(hole=((), state.hole[1]))
    with pytest.raises(InputError, match="payoffs"):
        record_hand(unknown)
    assert record_hand(unknown, payoffs=(200, -200)).payoffs == (200, -200)
    for wrong in ((200, -100), (300, -300), (-201, 201)):
        with pytest.raises(InputError, match="pot is 400"):
            record_hand(unknown, payoffs=wrong)
    with pytest.raises(InputError, match=r"rules say \[-200, 200\]"):
        record_hand(state, payoffs=(200, -200))
    with pytest.raises(OptionError, match="other rules"):
        record_view(record_hand(state).view(0), nlhe(ante=1))
