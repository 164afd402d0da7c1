import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive.games.betting import dealt, offered
from tiltless.abstraction.bets.grammar import parse_menu
from tiltless.abstraction.bets.menu import Menu, StreetMenu, last_aggressor
from tiltless.abstraction.bets.presets import MENUS, find_menu
from tiltless.abstraction.bets.size import Size, parse_size
from tiltless.blueprint.tree import count_nodes, tree_size
from tiltless.errors import OptionError
from tiltless.games import TERMINAL, load
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.holdem.betting import MOST_COUNTED, SEAT_BITS
from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.streets import no_limit

# The text


@pytest.mark.parametrize(
    "text",
    [
        "50%, 100%, a",
        "min; each 3",
        "all",
        "none",
        "50% / none",
        "preflop: 2.5bb / 3x, a; flop: 33%, 75% / 3x, a; turn, river: 50%, 100%, a; cap 4; "
        "add 150%; force 15%; merge 10%",
        "preflop: 3x; flop, turn, river: oop 33% / 3x | ip 50%, 100% / 3x, a | donk 25% | cap 3",
        "preflop, flop: 50% | cap 2; turn: none; river: e / a",
        "preflop: a; flop, turn, river: a | donk none",
        "preflop, flop, turn, river: 50%, a; run: a | cap 1",
        "preflop: a; flop: 50%; turn: a; river: 50%; each 15; add 12.5%",
        "min, a",
        "min, 3bb",
        "min, 50% / none; cap 4",
        "none; cap 0",
        "none; each 0",
    ],
)
def test_canonical_texts_come_back(text):
    menu = parse_menu(text)
    assert str(menu) == text
    assert repr(menu) == f"parse_menu({text!r})"
    assert parse_menu(text.upper().replace(", ", " ").replace(";", " ; ;")) == menu
    for blank in ("\t", "\n", " \r\n "):
        assert parse_menu(text.replace(" ", blank)) == menu
    for written in (text, text.replace(", ", " "), f" {text.upper()}"):
        assert find_menu(written) == menu


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("50% / 50% / 50%", "50%"),
        ("oop 50%, a | ip 50%, a", "50%, a"),
        ("cap 2; 50% 100%", "50%, 100%; cap 2"),
        ("a; river: 50%; cap 2", "preflop, flop, turn: a; river: 50%; cap 2"),
        ("preflop: 3bb; flop: 50%", "preflop: 3bb; flop, turn, river: 50%"),
        ("a; flop: a", "a"),
        ("50% | donk 25%", "preflop: 50%; flop, turn, river: 50% | donk 25%"),
        ("a | cap 2; river: a; cap 3", "preflop, flop, turn: a | cap 2; river: a | cap 3"),
        ("donk a | cap 3 | 50%; preflop: a | cap 3", "preflop: a; flop, turn, river: 50% | donk a"
         "; cap 3"),
    ],
)  # fmt: skip
def test_there_is_one_text_for_a_menu(written, canonical):
    assert str(parse_menu(written)) == canonical
    assert parse_menu(written) == parse_menu(canonical)


plain = st.sampled_from(["50%", "33.3%", "3bb", "20c3r", "7c", "2e", "e", "3e150%", "a", "min"])
raising = plain | st.sampled_from(["2.5x", "3x"])


def lists(words):
    return st.lists(words.map(parse_size), max_size=3, unique=True).map(tuple)


lines = st.tuples(lists(plain), st.lists(lists(raising), max_size=2)).map(
    lambda both: (both[0], *both[1])
)
streets = st.builds(
    StreetMenu, lines, lines, st.none() | lists(plain), st.none() | st.integers(1, 9)
) | st.just(StreetMenu(((),), ((),), cap=0))
percents = st.none() | st.floats(0.01, 1000)
menus = st.builds(
    Menu,
    st.lists(streets, min_size=1, max_size=5).map(tuple),
    st.none() | st.integers(1, 15),
    percents,
    percents,
    percents,
)


@given(menus)
def test_any_menu_comes_back_from_its_text(menu):
    again = parse_menu(str(menu))
    assert again == menu
    assert hash(again) == hash(menu)
    assert str(again) == str(menu)
    assert find_menu(str(menu)) == menu
    assert find_menu(str(menu).replace(", ", " ")) == menu


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "''.*'none'"),
        (" ; ", "'none'"),
        ("cap 4", "'none'"),
        ("50", "'50'"),
        ("0%", r"0%.*0\.01%"),
        ("pot", "'pot'"),
        ("3x, a", "3x.*flop.*50% / 3x"),
        ("preflop: 3x", "3x.*flop"),
        ("preflop: 3x; flop: a; river: 2x", "2x.*river"),
        ("a; flop: a; run: 2x", "2x.*run"),
        ("flop: a | donk 2x; preflop: a", "2x"),
        ("flop: 50%", "preflop"),
        ("trun: 50%; a", "'trun'.*preflop, flop, turn, river, run"),
        (": 50%", "flop: 50%, a"),
        ("flop: a; flop: 50%; a", "flop.*'flop: 50%'"),
        ("flop, flop: a; a", "'flop, flop'"),
        ("a; 50%", "'50%'"),
        ("a; cap 3; cap 4", "cap.*'cap 4'"),
        ("a; cap x", "cap 'x'.*cap 3"),
        ("a; cap", "cap ''"),
        ("a; cap -1", "cap '-1'"),
        ("a; each 99", "each=99.*0 to 15"),
        ("a; add 50", "'add 50'.*add 10%"),
        ("a; force -3%", "'force -3%'"),
        ("a; merge 0%", "merge=0.0"),
        ("50%, 50%", "50%"),
        ("all, 50%", "all, 50%.*all"),
        ("none, 50%", "none.*'none, 50%'"),
        ("50% /", "none"),
        ("a; flop:", "flop.*none"),
        ("oop 50%", "ip;.*33%"),
        ("a; flop: donk 50%", "flop.*oop.*ip;.*33%"),
        ("50% | oop a", "'50%'.*oop"),
        ("50% | a", ": 'a'"),
        ("ip a | ip a | oop a", "'ip a'"),
        ("preflop: a | donk 50%; flop: a", r"'preflop: a \| donk 50%'"),
        ("a | donk 50% / 3x", "'donk 50% / 3x'"),
        ("flop: 50%: a", "'50%:'"),
        ("a; flop: pot", "^flop: 'pot'"),
        ("a; turn, river: 50%, 50%", "^turn, river: 50%"),
        ("a; fl\nop: pot", "'fl'"),
        ("a; turn\n, flop: 50%: a", "^turn, flop: '50%:'"),
        ("a | donk 50%\n/ 3x", "'donk 50% / 3x'"),
        ("a; each 99999999999", "each='99999999999'.*0 to 15"),
        ("a; cap " + "9" * 5000, "cap='999.*0 to 10000"),
        ("a | cap 10001", "cap=10001.*0 to 10000"),
        ("20c3r, 20c", "20c3r.*20c"),
        ("20c3r, a, 20c5r", "20c3r.*20c5r"),
        ("50%; cap 0", "cap 0.*50%.*none.*cap 1"),
        ("a; flop: none / a | cap 0", "^flop: cap 0"),
        ("a; flop: none | donk a | cap 0", "^flop: cap 0"),
        ("none; river: 50%, a; each 0", "each 0.*50%, a"),
        ("all-in", "'all-in'.*a$"),
    ],
)
def test_wrong_menus_are_named_in_one_line(text, says):
    with pytest.raises(OptionError, match=says) as error:
        parse_menu(text)
    assert "\n" not in str(error.value)


words = st.sampled_from(
    [*"\n\t:;|/,", "\r", "\u2028", "flop", "preflop", "donk", "oop", "ip", "cap", "each", "add",
     "a", "50%", "3x", "20c", "20c3r", "none", "pot", "0", "7"]
)  # fmt: skip


@pytest.mark.parametrize("read", [parse_menu, find_menu])
@given(
    st.text("preflop:;|/, aex%bc0123min\n\t", max_size=40)
    | st.lists(words, max_size=12).map(" ".join)
)
def test_whatever_is_written_is_a_menu_or_one_line(read, text):
    try:
        menu, said = read(text), "one line"
    except OptionError as error:
        menu, said = parse_menu("a"), str(error)
    assert read(str(menu)) == menu
    assert len(said.splitlines()) == 1


HALF = Size("%", 50)


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: Menu(()), r"\(\).*parse_menu"),
        (lambda: Menu("50%"), "'50%'; parse_menu"),
        (lambda: Menu((StreetMenu(((HALF,),), ((HALF,),)),) * 6), "6 streets.*1 to 5"),
        (lambda: StreetMenu((), ((HALF,),)), r"\(\).*parse_menu"),
        (lambda: StreetMenu(((0.5,),), ((HALF,),)), r"\(0\.5,\)"),
        (lambda: StreetMenu(((HALF,),), ((HALF,),), cap=-1), "cap=-1"),
        (lambda: Menu((StreetMenu(((HALF,),), ((HALF,),)),), add="5"), "add='5'"),
        (lambda: Menu((StreetMenu(((HALF,),), ((HALF,),)),), merge=True), "merge=True"),
        (lambda: parse_menu(None), "None.*50%"),
        (lambda: find_menu(((0.5,),)), r"\(\(0\.5,\),\)"),
        (lambda: find_menu("standart"), "'standard'"),
        (lambda: find_menu("libratus fan"), "'libratus fan'"),
        (lambda: find_menu("ep"), "'ep'"),
        (lambda: find_menu("cap 4"), "'cap 4'"),
        (lambda: find_menu("min q"), "'q' is not a size"),
        (lambda: find_menu("allin"), "'allin'.*a$"),
        (lambda: find_menu("all-in"), "'all-in'.*a$"),
        (lambda: find_menu("50"), "'50'"),
        (lambda: find_menu("flop 50"), "'flop'"),
        (lambda: find_menu("donk a"), "oop.*ip;.*33%"),
    ],
)
def test_wrong_values_are_named(build, says):
    with pytest.raises(OptionError, match=says):
        build()


# What is on offer


def after(game, *moves):
    (state, *_) = dealt(game.start())
    for move in moves:
        state = dealt(state.apply(move))[0]
    return state


def raises(game, menu, *moves):
    state = after(game, *moves)
    actions = parse_menu(menu).actions(state)
    assert list(actions) == offered(state, parse_menu(menu))
    assert all(action in state.actions for action in actions)
    return [action.chips for action in actions if isinstance(action, RaiseTo)]


NLHE = load("nlhe", stack=200)


def test_sizes_are_shares_of_the_pot_after_calling():
    assert raises(NLHE, "50%, 100%, a") == [4, 6, 200]
    assert raises(NLHE, "100%", RaiseTo(6)) == [18]
    assert raises(NLHE, "preflop: 100%; flop: 50%", RaiseTo(6), CALL) == [6]
    assert parse_menu("a").actions(after(NLHE)) == (FOLD, CALL, RaiseTo(200))
    assert parse_menu("none").actions(after(NLHE, CALL)) == (CHECK,)


def test_a_raise_of_the_facts():
    """Pot 100, bet 75, raise 50 %: to 200."""
    game = load("nlhe", stack=1000, blinds=(25, 50))
    assert raises(game, "50%", CALL, CHECK, RaiseTo(75)) == [200]


def test_the_number_of_the_raise_chooses_the_list():
    menu = "preflop: 2.5bb / 3x / a; flop: 50% / 3x, a"
    assert raises(NLHE, menu) == [5]
    assert raises(NLHE, menu, RaiseTo(5)) == [15]
    assert raises(NLHE, menu, RaiseTo(5), RaiseTo(15)) == [200]
    assert raises(NLHE, menu, RaiseTo(5), RaiseTo(15), RaiseTo(40)) == [200]
    flop = (RaiseTo(5), CALL)
    assert raises(NLHE, menu, *flop) == [5]
    assert raises(NLHE, menu, *flop, RaiseTo(5)) == [15, 195]
    assert raises(NLHE, menu, *flop, RaiseTo(5), RaiseTo(15)) == [45, 195]
    assert raises(NLHE, "50% / none", RaiseTo(5)) == []


def test_positions():
    menu = "oop 50% | ip 100%"
    assert raises(NLHE, menu) == [6]  # the button is in position, and before the flop acts first
    assert raises(NLHE, menu, CALL) == [4]
    assert raises(NLHE, menu, CALL, CHECK) == [2]
    assert raises(NLHE, menu, CALL, CHECK, CHECK) == [4]
    three = load("nlhe", seats=3, stack=200, button=1)
    assert raises(three, menu, CALL, CALL, CHECK) == [3]
    assert raises(three, menu, CALL, CALL, CHECK, CHECK) == [3]
    assert raises(three, menu, CALL, CALL, CHECK, CHECK, CHECK) == [6]
    without_button = (FOLD, CALL, CHECK)
    assert raises(three, menu, *without_button) == [2]
    assert raises(three, menu, *without_button, CHECK) == [4]


def test_donk_sizes_are_for_leading_into_the_aggressor():
    menu = "100% | donk 25%"
    assert raises(NLHE, menu, RaiseTo(8), CALL) == [4]
    assert raises(NLHE, menu, RaiseTo(8), CALL, CHECK) == [16]
    assert raises(NLHE, menu, RaiseTo(8), CALL, RaiseTo(4)) == [28]  # a raise is no lead
    assert raises(NLHE, menu, CALL, CHECK) == [4]  # nobody raised
    assert raises(NLHE, menu, CALL, RaiseTo(8), CALL) == [16]  # the aggressor itself
    checked = (RaiseTo(8), CALL, CHECK, CHECK)
    assert raises(NLHE, menu, *checked) == [16]  # checked through: no aggressor any more
    lead = (RaiseTo(8), CALL, RaiseTo(4), CALL)
    assert raises(NLHE, menu, *lead) == [24]
    assert raises(NLHE, menu, RaiseTo(8), CALL, RaiseTo(4), RaiseTo(12), CALL) == [10]
    assert raises(NLHE, "50% | donk none", RaiseTo(8), CALL) == []


def test_donk_sizes_with_three():
    game, menu = load("nlhe", seats=3, stack=200), "100% | donk 25%"
    raised_first = (RaiseTo(8), CALL, CALL)
    assert raises(game, menu, *raised_first) == [6]
    assert raises(game, menu, *raised_first, CHECK) == [6]
    assert raises(game, menu, *raised_first, CHECK, CHECK) == [24]
    by_the_big_blind = (CALL, CALL, RaiseTo(8), CALL, CALL)
    assert raises(game, menu, *by_the_big_blind) == [6]
    assert raises(game, menu, *by_the_big_blind, CHECK) == [24]
    assert raises(game, menu, *by_the_big_blind, CHECK, CHECK) == [24]  # has acted


def test_last_aggressor():
    assert last_aggressor(after(NLHE)) == -1
    assert last_aggressor(after(NLHE, CALL)) == -1
    assert last_aggressor(after(NLHE, RaiseTo(6))) == 0
    assert last_aggressor(after(NLHE, RaiseTo(6), CALL)) == 0
    assert last_aggressor(after(NLHE, RaiseTo(6), CALL, CHECK)) == 0
    assert last_aggressor(after(NLHE, RaiseTo(6), CALL, RaiseTo(6))) == 1
    assert last_aggressor(after(NLHE, RaiseTo(6), CALL, CHECK, CHECK)) == -1


def test_sizes_out_of_bounds_become_the_nearest_raise_and_are_merged():
    game = load("nlhe", stack=20)
    assert raises(game, "min, 10%, 20%") == [4]
    assert raises(game, "500%, 900%, 449%") == [20]
    assert raises(game, "50%, 451%, a") == [4, 20]
    assert raises(load("nlhe", stack=(9, 300), effective_raises=True), "900%") == [9]
    assert raises(load("nlhe", stack=(300, 9)), "50%, 100%, 200%, 300%, a") == [4, 6, 300]
    assert raises(load("nlhe", stack=(300, 9)), "all") == list(range(4, 301))


def test_caps():
    assert raises(NLHE, "preflop: 100% | cap 1; flop: none | cap 0", RaiseTo(6)) == []
    assert raises(NLHE, "preflop: 100% | cap 1; flop: none | cap 0", RaiseTo(6), CALL) == []
    assert raises(NLHE, "100%; cap 1") == [6]
    assert raises(NLHE, "min; each 1", RaiseTo(4)) == [6]
    assert raises(NLHE, "min; each 1", RaiseTo(4), RaiseTo(6)) == []
    assert raises(NLHE, "min; each 1", RaiseTo(4), RaiseTo(6), CALL) == [2]
    limit = "2c3r"
    raised = (RaiseTo(4), RaiseTo(6), RaiseTo(8))
    assert [len(raises(NLHE, limit, *raised[:n])) for n in range(4)] == [1, 1, 1, 0]
    flop = (CALL, CHECK, RaiseTo(2), *raised)
    assert [len(raises(NLHE, limit, *flop[:n])) for n in range(2, 7)] == [1, 1, 1, 1, 0]


def test_raises_of_a_player_are_counted_up_to_fifteen():
    """More than that do not spill over to the next seat."""
    wide = load("nlhe", stack=1000)
    moves = [RaiseTo(4 + 2 * n) for n in range(40)]
    assert [len(raises(wide, "min; each 15", *moves[:n])) for n in (0, 28, 29, 30, 31, 33, 39)] == [
        1, 1, 1, 0, 0, 0, 0,
    ]  # fmt: skip
    betting = after(wide, *moves).betting
    assert betting.raises == 40
    assert betting.raised == 0xFF
    assert [betting.raised >> SEAT_BITS * seat & MOST_COUNTED for seat in (0, 1, 2)] == [15, 15, 0]


def test_without_blinds_the_first_street_opens_with_a_bet():
    game = load("nlhe", stack=200, blinds=(0, 2))
    assert raises(game, "2c0r") == []
    rules = Rules((200, 200), (0, 0), no_limit((2, 2, 2, 2)), ante=2)
    table = parse_menu("2c1r").at(rules)
    betting = load("nlhe", stack=200).start().betting.next_round(rules.round(0), 0)
    assert table.actions(betting, 0, 4) == (CHECK, RaiseTo(2))
    bet = betting.after(RaiseTo(2))
    assert table.actions(bet, 0, 6) == (FOLD, CALL, RaiseTo(4))
    assert table.actions(bet.after(RaiseTo(4)), 0, 10) == (FOLD, CALL)


def test_fixed_limit_has_one_raise():
    game = load("limit-holdem")
    assert raises(game, "50%, 300%") == [4]
    assert raises(game, "a") == [4]
    assert raises(game, "none") == []
    assert raises(game, "all; cap 1", RaiseTo(4)) == []


def test_all_in_is_added_where_it_is_small():
    game = load("nlhe", stack=14)  # 12 behind the call, and the pot is 4 then
    assert raises(game, "100%; add 300%") == [6, 14]
    assert raises(game, "100%; add 299%") == [6]
    assert raises(game, "none; add 300%") == []


def test_all_in_is_forced_where_little_would_be_left():
    """Raise to 6: 8 behind and 12 in the pot once it is called."""
    game = load("nlhe", stack=14)
    assert raises(game, "100%; force 66%") == [6]
    assert raises(game, "100%; force 66.7%") == [14]
    assert raises(load("nlhe", stack=12), "100%; force 50%") == [12]  # 6 of 12: just as much
    assert raises(load("nlhe", stack=(100, 14)), "100%; force 66.7%") == [100]


def test_close_sizes_are_merged():
    """Of 50 % and 75 % of the pot the smaller goes at 175 / 150 < 1 + t."""
    menu = "preflop: 6bb; flop: 50%, 75%, 200%; merge {}%"
    flop = (RaiseTo(12), CALL)
    assert raises(NLHE, menu.format(16), *flop) == [12, 18, 48]
    assert raises(NLHE, menu.format(17), *flop) == [18, 48]
    assert raises(NLHE, menu.format(72), *flop) == [12, 48]  # 300 / 175 < 1.72 < 300 / 150
    assert raises(NLHE, menu.format(100), *flop) == [12, 48]  # 300 / 150 is not below 2
    assert raises(NLHE, menu.format(101), *flop) == [48]
    assert raises(NLHE, "flop: 50%, 60%, 70%; merge 10%; preflop: 5bb", RaiseTo(10), CALL) == [
        10,
        14,
    ]  # 60 is close to 70 and goes; 50 is measured against 70


def test_geometric_sizes_by_street():
    """With 100 in the pot and 1,300 behind: 100, 300, 900."""
    game = load("nlhe", stack=1350, blinds=(25, 50))
    flop = (CALL, CHECK)
    assert raises(game, "e", *flop) == [100]
    turn = (*flop, RaiseTo(100), CALL)
    assert raises(game, "e", *turn) == [300]
    river = (*turn, RaiseTo(300), CALL)
    assert raises(game, "e", *river) == [900]
    assert raises(game, "e", *flop, RaiseTo(50)) == [188]  # 200 in the pot: 13.5^(1/3)
    assert raises(game, "e", *flop, RaiseTo(50), RaiseTo(150)) == [470]  # 400: 6.75^(1/2)


@settings(max_examples=120)
@given(menus, st.integers(2, 4), st.randoms(use_true_random=False))
def test_offers_are_legal_and_agree_with_the_slow_twin(menu, seats, rng):
    stacks = tuple(rng.randint(2, 90) for _ in range(seats))
    game = load("nlhe", seats=seats, stack=stacks, button=rng.randrange(seats), short_stacks=True)
    (state,) = dealt(game.start())
    while state.actor != TERMINAL:
        actions = menu.actions(state)
        assert list(actions) == offered(state, menu)
        assert all(action in state.actions for action in actions)
        (state,) = dealt(state.apply(rng.choice(actions)))


# Presets


QUARTERS = "75%, 100%, 125%, 150%, 175%, 200%"
TEXTS = {
    "tiny": "100%, a; cap 2",
    "standard": "preflop: 2bb, 3bb, a / 2.5x, 4x, a; flop: 33%, 66%, 125%, a / 50%, 100%, a; "
    "turn: 50%, 100%, 200%, a / 50%, 100%, a; river: 33%, 66%, 125%, a / 50%, 100%, a; force 15%; "
    "merge 10%",
    "hundred": "preflop: 2bb, 3bb, a / 2.5x, 4x, a; flop: 33%, 100%, 250%, 600%, a / 50%, 100%, a; "
    "turn: 50%, 100%, 250%, 600%, a / 50%, 100%, a; "
    "river: 33%, 75%, 150%, 400%, a / 75%, a; force 15%; merge 10%",
    "river-of-blood": "preflop: 2.5bb, a / 3x, a; flop, turn, river: 50%, 100%, 200%, a / 100%, a; "
    "cap 4; force 15%; merge 10%",
    "two-hundred": "preflop: 2bb, 3bb, a / 2.5x, 4x, a; "
    "flop: 33%, 100%, 250%, 600%, 1500%, a / 75%, a; "
    "turn: 50%, 100%, 250%, 600%, 1500%, a / 75%, a; "
    "river: 33%, 75%, 200%, a / 75%, a; force 15%; merge 10%",
    "every-raise": "all",
    "thesis": "min; each 3",
    "calling-station": "50%, 100%, 200%, a; cap 5",
    "calling-station-2022": "75%, 150%, 300%, a; cap 5",
    "ep-white": "50%, 100%, a; cap 8",
    "six-player": f"preflop: 25%, 50%, {QUARTERS}, a; flop: {QUARTERS}, a; "
    "turn, river: 50%, 100%, 150%, 200%, a",
    "libratus-fan-club": "50%, 100%, 200%, a",
}


def test_presets_have_their_texts():
    assert {name: str(find_menu(name)) for name in MENUS} == TEXTS


@pytest.mark.parametrize("name", MENUS)
def test_presets_come_back_and_are_legal_along_random_hands(name):
    menu = find_menu(name)
    assert parse_menu(str(menu)) == menu
    rng = random.Random(name)
    for game in (load("nlhe", seats=rng.randint(2, 6), stack="40bb"), load("river-of-blood")):
        (state,) = dealt(game.start())
        while state.actor != TERMINAL:
            actions = menu.actions(state)
            assert all(action in state.actions for action in actions)
            state = dealt(state.apply(rng.choice(actions)))[0]


def test_the_standard_tree_has_its_size():
    assert count_nodes(load("nlhe", stack="100bb"), "standard") == 137_358
    assert "137,358" in MENUS["standard"].about


def test_the_trees_of_the_shipped_blueprints_have_their_sizes():
    deep = load("nlhe", stack=20_000, blinds=[50, 100])
    for game, name, nodes in (
        (load("nlhe", stack="100bb"), "hundred", 95_822),
        (deep, "two-hundred", 102_190),
    ):
        assert count_nodes(game, name) == nodes
        assert f"{nodes:,}" in MENUS[name].about


def test_presets_of_the_reports():
    wide = load("nlhe", stack=20_000)
    six = load("nlhe", seats=6, stack=20_000)
    assert len(find_menu("six-player").actions(after(six, *[CALL] * 5))) == 1 + 9
    assert len(find_menu("six-player").actions(after(wide, CALL, CHECK))) == 1 + 7
    turn = (CALL, CHECK, CHECK, CHECK)
    assert len(find_menu("six-player").actions(after(wide, *turn))) == 1 + 5
    assert raises(wide, "75%, 150%, 300%, a; cap 5", CALL, CHECK) == [3, 6, 12, 19998]
    assert str(find_menu("Calling-Station-2022")) == "75%, 150%, 300%, a; cap 5"
    for name, cap in (("calling-station", 5), ("ep-white", 8)):
        moves = [RaiseTo(4 + 2 * n) for n in range(cap)]
        assert len(find_menu(name).actions(after(wide, *moves[:-1]))) > 2
        assert len(find_menu(name).actions(after(wide, *moves))) == 2


def test_the_thesis_game_needs_no_menu():
    """In its own game the one raise is fixed, and three of them a player are the rule."""
    game = load("toy-holdem")
    assert tree_size(game, "thesis") == tree_size(game, "every-raise")
