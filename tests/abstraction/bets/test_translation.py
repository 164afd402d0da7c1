import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from naive.games.betting import dealt
from tiltless.abstraction.bets.grammar import parse_menu
from tiltless.abstraction.bets.presets import find_menu
from tiltless.abstraction.bets.translation import (
    RULES,
    Translation,
    chance_of_smaller,
    midpoint,
    similarity,
)
from tiltless.errors import OptionError
from tiltless.games import TERMINAL, load
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.holdem.bet_context import BetContext, spot_of

EXACT = ("deterministic", "similarity")

# Sizes as shares of the pot

sizes = st.floats(0, 50)


@st.composite
def neighbours(draw):
    """A < B that are not too close, and x between them."""
    small = draw(sizes)
    large = small + draw(st.floats(0.01, 50))
    share = draw(st.floats(0, 1))
    return small, large, min(large, small + share * (large - small))


def test_known_values():
    assert chance_of_smaller(0.75, 0.5, 1) == pytest.approx(3 / 7)
    assert midpoint(0.5, 1) == pytest.approx(2.5 / 3.5)
    assert midpoint(0, 1) == pytest.approx(1 / 3)
    assert chance_of_smaller(1 / 3, 0, 1) == pytest.approx(1 / 2)
    assert similarity(2, 4) == similarity(4, 2) == 0.5
    assert similarity(0, 0) == 1
    assert similarity(0, 3) == 0


def test_the_example_of_the_six_player_report():
    """In chips, as there, f(450) is its 0.445 but for rounding: the paper then takes B, it A."""
    share = chance_of_smaller(450, 400, 500)
    assert share == pytest.approx(0.4446, abs=1e-4)
    assert Translation("deterministic").split(450, [400, 500]) == ((1, 1.0),)


@given(neighbours())
def test_boundary_constraints(some):
    small, large, _ = some
    assert chance_of_smaller(small, small, large) == pytest.approx(1)
    assert chance_of_smaller(large, small, large) == 0


@given(neighbours(), st.floats(0, 1))
def test_monotone(some, step):
    small, large, x = some
    further = min(large, x + step * (large - x))
    assert chance_of_smaller(x, small, large) >= chance_of_smaller(further, small, large) - 1e-12


@given(neighbours())
def test_the_answers_to_both_neighbours_mix_to_the_right_one(some):
    small, large, x = some
    share = chance_of_smaller(x, small, large)
    assert 0 <= share <= 1 + 1e-12
    mixed = share / (1 + small) + (1 - share) / (1 + large)
    assert mixed == pytest.approx(1 / (1 + x))


@given(neighbours(), st.floats(-1e-6, 1e-6))
def test_action_robustness(some, change):
    """A small change of x changes f little: its slope is at most (1 + B) / ((B - A) (1 + A))."""
    small, large, x = some
    near = min(large, max(small, x + change))
    slope = (1 + large) / ((large - small) * (1 + small))
    before, after = (chance_of_smaller(each, small, large) for each in (x, near))
    assert abs(before - after) <= slope * abs(near - x) + 1e-9


@given(neighbours(), st.floats(0, 1e-6), st.booleans())
def test_boundary_robustness(some, change, below):
    """Small changes of A or B change f little."""
    small, large, x = some
    a, b = (max(0, small - change), large) if below else (small, large + change)
    before, after = chance_of_smaller(x, small, large), chance_of_smaller(x, a, b)
    assert abs(before - after) <= 1e-6 * 2 * (1 + large) / (large - small) + 1e-9


@given(neighbours())
def test_the_midpoint_is_where_both_are_equally_likely(some):
    small, large, _ = some
    middle = midpoint(small, large)
    assert small <= middle <= large
    assert chance_of_smaller(middle, small, large) == pytest.approx(1 / 2)


@given(st.lists(sizes, min_size=1, max_size=6, unique=True).map(sorted), sizes)
def test_the_rules_choose_neighbours(offered, x):
    for rule in RULES:
        found = Translation(rule).split(x, offered)
        below = [each for each in offered if each <= x]
        above = [each for each in offered if each >= x]
        near = ([below[-1]] if below else []) + ([above[0]] if above else [])
        assert {offered[place] for place, _ in found} <= set(near)
        assert sum(share for _, share in found) == pytest.approx(1)
        assert len(found) == 1 or rule == "pseudo-harmonic"
        if x in offered:
            assert found == ((offered.index(x), 1.0),)


@given(neighbours())
def test_the_mixture_has_its_odds(some):
    small, large, x = some
    assume(small < x < large)
    share = chance_of_smaller(x, small, large)
    assert Translation().split(x, [small, large]) == ((0, share), (1, 1 - share))


@given(neighbours())
def test_the_deterministic_rule_takes_what_is_more_likely(some):
    small, large, x = some
    share = chance_of_smaller(x, small, large)
    assume(abs(share - 0.5) > 1e-9)
    assert Translation("deterministic").split(x, [small, large]) == ((share < 0.5, 1.0),)


def test_the_deterministic_rule_takes_the_midpoint_for_the_smaller():
    for small, large in ((0.5, 1.0), (0.0, 1.0), (1.0, 4.0)):
        split = Translation("deterministic").split(midpoint(small, large), [small, large])
        assert split == ((0, 1.0),)


def test_similarity_compares_ratios():
    rule = Translation("similarity")
    assert rule.split(1.9, [1, 4]) == ((0, 1.0),)
    assert rule.split(2, [1, 4]) == ((0, 1.0),)  # a tie goes down
    assert rule.split(2.1, [1, 4]) == ((1, 1.0),)
    assert rule.split(0.1, [0, 4]) == ((1, 1.0),)  # nothing is like a check


def test_wrong_arguments_are_named():
    with pytest.raises(OptionError, match="rule='harmonic' is not known"):
        Translation("harmonic")
    for x in (float("nan"), float("inf"), -0.1, "x", None):
        with pytest.raises(OptionError, match="pots is not possible"):
            Translation("similarity").split(x, [0.5, 1])
    for wrong in ([], ["a"], [0.5, float("nan")], [-1, 1]):
        with pytest.raises(OptionError, match="are not shares of the pot"):
            Translation("similarity").split(0.7, wrong)
    with pytest.raises(OptionError, match=r"sizes \[1, 0.5\] are not in order; sort them"):
        Translation("similarity").split(0.7, [1, 0.5])
    for wrong in ((0.4, 0.5, 1), (1.1, 0.5, 1), (1, 1, 1), (0, -1, 1)):
        with pytest.raises(OptionError, match="is not between"):
            chance_of_smaller(*wrong)


# In a hand

BET = BetContext(bet=0, pot=100, low=2, top=1000, most=1000)
MENU = (CHECK, RaiseTo(50), RaiseTo(100), RaiseTo(1000))


def test_wrong_hands_are_named():
    rule = Translation("deterministic")
    for actions in ((), (FOLD,), (RaiseTo(50),)):
        with pytest.raises(OptionError, match="no check or call among"):
            rule.readings(50, BET, actions, BET)
    empty = BET._replace(pot=0)
    for real, abstract in ((empty, BET), (BET, empty)):
        with pytest.raises(OptionError, match="pot=0"):
            rule.readings(50, real, MENU, abstract)
    for chips in (0, float("nan"), "50", None, 10**13):
        with pytest.raises(OptionError, match=r"chips=.* is not possible; choose a whole number 1"):
            rule.readings(chips, BET, MENU, BET)


def taken(chips, real=BET, menu=MENU, abstract=BET, rule="deterministic"):
    """The likeliest; the smaller of two that are as likely."""
    found = Translation(rule).readings(chips, real, menu, abstract)
    assert sum(share for _, share in found) == pytest.approx(1)
    return menu[max(found, key=lambda each: each[1])[0]]


@pytest.mark.parametrize("rule", RULES)
def test_exact_matches_stay(rule):
    for action in MENU[1:]:
        assert taken(action.chips, rule=rule) == action
    half = BetContext(bet=0, pot=50, low=2, top=700, most=700)
    assert taken(50, real=half, rule=rule) == RaiseTo(100)  # the same share of another pot
    facing = BetContext(bet=75, pot=250, low=150, top=1000, most=1000)
    assert taken(200, real=facing, rule=rule) == RaiseTo(50)


def test_bets_between_sizes():
    assert taken(71) == RaiseTo(50)
    assert taken(72) == RaiseTo(100)
    assert taken(70, rule="similarity") == RaiseTo(50)
    assert taken(71, rule="similarity") == RaiseTo(100)
    share = chance_of_smaller(0.75, 0.5, 1)
    assert Translation().readings(75, BET, MENU, BET) == ((1, share), (2, 1 - share))


def test_a_check_is_a_bet_of_nothing_in_the_mixture_alone():
    for rule in ("deterministic", "similarity"):
        assert taken(2, rule=rule) == RaiseTo(50)
    for chips in (2, 20, 49):
        share = chance_of_smaller(chips / 100, 0, 0.5)
        assert Translation().readings(chips, BET, MENU, BET) == ((0, share), (1, 1 - share))
    call = (FOLD, CALL, RaiseTo(500))
    share = chance_of_smaller(0.02, 0, 5)
    assert Translation().readings(2, BET, call, BET) == ((1, share), (2, 1 - share))


def test_a_raise_past_the_cap_is_a_call():
    assert taken(300, menu=(FOLD, CALL)) == CALL
    assert taken(300, menu=(CHECK,)) == CHECK


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("menu", [MENU, MENU[:3], (FOLD, CALL, *map(RaiseTo, range(50, 1001)))])
def test_raises_beyond_what_can_be_called_are_alike(rule, menu):
    for most in (60, 75, 120, 999):
        covered = BET._replace(most=most)
        bets = [*range(most, 1001, 1 if len(menu) < 9 else 31), 1000]
        found = {taken(chips, real=covered, menu=menu, rule=rule) for chips in bets}
        assert len(found) == 1, most
        there = BET._replace(most=most)  # and the same where the tree is as shallow
        found = {
            taken(chips, covered, menu, there, rule).chips >= min(most, menu[-1].chips)
            for chips in bets
        }
        assert found == {True}


def test_an_uncalled_rest_does_not_make_a_bet_larger():
    """Nobody can call more than 100: a bet of 150 is a pot-sized one, not one and a half."""
    covered = BET._replace(most=100)
    menu = (CHECK, RaiseTo(100), RaiseTo(150), RaiseTo(1000))
    assert taken(150, real=covered, menu=menu) == RaiseTo(100)
    tree = BET._replace(most=100)
    offers = (CHECK, RaiseTo(50), RaiseTo(1000))
    assert taken(100, menu=offers, abstract=tree) == RaiseTo(1000)  # its all-in is worth 100


def test_a_raise_past_the_cap_waits_for_an_answer():
    """Before the flop, with one raise in the tree: the re-raise is a call there."""
    (real,), (tree,) = (dealt(load("nlhe", stack=200).start()) for _ in range(2))
    menu = parse_menu("100%; cap 1")
    (real,), (tree,) = (dealt(each.apply(RaiseTo(6))) for each in (real, tree))
    spots = spot_of(real.betting, real.pot), menu.actions(tree), spot_of(tree.betting, tree.pot)
    there = spots[1][Translation().readings(18, *spots)[0][0]]
    assert there == CALL
    (real,), (tree,) = dealt(real.apply(RaiseTo(18))), dealt(tree.apply(there))
    assert (real.street, tree.street) == (0, 1)
    (real,) = dealt(real.apply(CALL))
    assert (real.street, real.actor) == (tree.street, tree.actor)


def test_a_raise_that_the_tree_calls_all_in():
    short = BetContext(bet=0, pot=100, low=2, top=90, most=90)
    menu = (CHECK, RaiseTo(50), RaiseTo(90))
    assert taken(95, menu=menu, abstract=short) == RaiseTo(90)
    assert taken(300, menu=menu, abstract=short) == RaiseTo(90)
    assert taken(88, menu=menu, abstract=short) == RaiseTo(90)
    assert taken(55, menu=menu, abstract=short) == RaiseTo(50)


def test_an_all_in_below_the_largest_size():
    shallow = BetContext(bet=0, pot=100, low=2, top=60, most=60)
    assert taken(60, real=shallow) == RaiseTo(50)  # its price matters
    shallow = shallow._replace(top=120, most=120)
    assert taken(120, real=shallow) == RaiseTo(1000)  # beyond every other size
    assert taken(119, real=shallow) == RaiseTo(100)  # not all-in
    assert taken(100, real=shallow._replace(top=100, most=100)) == RaiseTo(100)  # exact
    covered = shallow._replace(top=900, most=120)
    assert taken(500, real=covered) == RaiseTo(1000)  # nobody can call more than 120
    assert taken(120, real=shallow, menu=MENU[:3]) == RaiseTo(100)  # no all-in in the tree
    assert taken(3, real=shallow._replace(top=3, most=3), menu=(CHECK, RaiseTo(1000))) == (
        RaiseTo(1000)
    )


@given(
    st.integers(1, 400),
    st.integers(1, 3000),
    st.integers(1, 1000),
    st.integers(2, 50),
    st.sampled_from(RULES),
)
def test_scale_invariance(pot, chips, stack, scale, rule):
    """The same hand in cents: chips, pots and stacks times a constant."""

    def spot(times):
        return BetContext(0, pot * times, times, 3000 * times, 3000 * times)

    menu = sorted({min(3000, stack), min(3000, 2 * stack), 3000})
    places = [
        Translation(rule).readings(
            chips * times,
            spot(times),
            (CHECK, *(RaiseTo(each * times) for each in menu)),
            spot(times),
        )
        for times in (1, scale)
    ]
    assert places[0] == places[1]


@given(
    st.sampled_from(["tiny", "ep-white", "standard", "calling-station", "33%; cap 1"]),
    st.sampled_from(RULES),
    st.randoms(use_true_random=False),
)
def test_a_hand_of_any_bets_has_its_line_in_the_tree(name, rule, rng):
    """Two hands side by side: one of any legal bets, and one that the menu has."""
    menu, translation = find_menu(name), Translation(rule)
    stacks = rng.randint(4, 200), rng.randint(4, 200)
    (real,) = dealt(load("nlhe", stack=stacks).start())
    (tree,) = dealt(load("nlhe", stack=200).start())
    while real.actor != TERMINAL:
        if (real.actor, real.street) != (tree.actor, tree.street):
            # The tree is never behind: it has ended the street, or the hand.
            assert tree.actor == TERMINAL or tree.street == real.street + 1
            move = CHECK if real.actions.check else rng.choice([FOLD, CALL])
            (real,) = dealt(real.apply(move))
            assert tree.actor == TERMINAL or real.actor in (TERMINAL, tree.actor)
            continue
        offered = menu.actions(tree)
        abstract = spot_of(tree.betting, tree.pot)
        move = rng.choice(real.actions)
        if isinstance(move, RaiseTo):
            spot = spot_of(real.betting, real.pot)
            read = translation.readings(move.chips, spot, offered, abstract)
            there = offered[rng.choice(read)[0]]
        else:
            there = move if move in offered else offered[0]
        assert there in tree.actions
        (real,), (tree,) = dealt(real.apply(move)), dealt(tree.apply(there))


def test_every_legal_raise_needs_no_translation():
    (state,) = dealt(load("nlhe", stack=(30, 12)).start())
    menu, spot = parse_menu("all").actions(state), spot_of(state.betting, state.pot)
    for place, action in enumerate(menu[2:], 2):
        ((found, _),) = Translation().readings(action.chips, spot, menu, spot)
        assert menu[found].chips == min(action.chips, 12)  # what is beyond comes back
        assert found == min(place, menu.index(RaiseTo(12)))
