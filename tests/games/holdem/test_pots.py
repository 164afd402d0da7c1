"""Side pots, uncalled bets and odd chips."""

from hypothesis import given
from hypothesis import strategies as st

from tiltless.games.holdem.pots import Pot, share_out, side_pots


def test_one_pot_when_all_have_paid_the_same():
    assert side_pots([10, 10, 10], 0b111) == (Pot(30, (0, 1, 2)),)


def test_folded_chips_stay_in():
    assert side_pots([10, 4, 10], 0b101) == (Pot(24, (0, 2)),)


def test_each_short_stack_makes_a_side_pot():
    assert side_pots([50, 20, 100, 100], 0b1111) == (
        Pot(80, (0, 1, 2, 3)),
        Pot(90, (0, 2, 3)),
        Pot(100, (2, 3)),
    )


def test_what_folded_players_paid_is_cut_like_the_rest():
    assert side_pots([50, 20, 70, 100, 100], 0b11011) == (
        Pot(100, (0, 1, 3, 4)),
        Pot(120, (0, 3, 4)),
        Pot(120, (3, 4)),
    )


def test_an_uncalled_bet_is_a_pot_of_one():
    assert side_pots([30, 100], 0b11) == (Pot(60, (0, 1)), Pot(70, (1,)))


def test_a_fold_above_the_highest_live_payment_goes_to_the_last_pot():
    """Possible only where folding is legal without a bet to call."""
    assert side_pots([50, 20, 50], 0b011) == (Pot(60, (0, 1)), Pot(60, (0,)))
    assert side_pots([20, 20, 50], 0b011) == (Pot(90, (0, 1)),)


def test_a_big_blind_ante_belongs_to_the_main_pot():
    assert side_pots([0, 10, 10], 0b111, dead=5) == (Pot(5, (0, 1, 2)), Pot(20, (1, 2)))
    assert side_pots([3, 10, 10], 0b111, dead=5) == (Pot(14, (0, 1, 2)), Pot(14, (1, 2)))


def test_the_best_hand_of_each_pot_takes_it():
    pots = side_pots([50, 20, 100, 100], 0b1111)
    assert share_out(pots, [5, 9, 3, 4], (0, 1, 2, 3)) == [90, 80, 0, 100]


def test_equal_hands_split():
    assert share_out([Pot(60, (0, 1, 2))], [7, 7, 7], (1, 2, 0)) == [20, 20, 20]


def test_odd_chips_go_to_the_first_winner_left_of_the_button():
    pot = [Pot(31, (0, 1, 2, 3))]
    assert share_out(pot, [7, 1, 7, 1], (1, 2, 3, 0)) == [15, 0, 16, 0]
    assert share_out(pot, [7, 1, 7, 1], (3, 0, 1, 2)) == [16, 0, 15, 0]


def test_all_odd_chips_of_a_pot_go_to_one_seat():
    assert share_out([Pot(11, (0, 1, 2))], [7, 7, 7], (2, 0, 1)) == [3, 3, 5]


def test_each_pot_is_split_by_itself():
    pots = [Pot(5, (0, 1, 2)), Pot(5, (0, 1))]
    assert share_out(pots, [7, 7, 1], (1, 2, 0)) == [4, 6, 0]


@st.composite
def tables(draw):
    seats = draw(st.integers(2, 10))
    paid = draw(st.lists(st.integers(0, 60), min_size=seats, max_size=seats))
    live = draw(st.integers(1, (1 << seats) - 1))
    values = draw(st.lists(st.integers(0, 4), min_size=seats, max_size=seats))
    dead = draw(st.integers(0, 9))
    button = draw(st.integers(0, seats - 1))
    return paid, live, values, dead, [(button + 1 + place) % seats for place in range(seats)]


@given(tables())
def test_no_chip_is_lost_and_nobody_wins_more_than_his_due(table):
    paid, live, values, dead, order = table
    pots = side_pots(paid, live, dead)
    assert sum(pot.chips for pot in pots) == sum(paid) + dead
    assert all(one.seats != other.seats for one in pots for other in pots if one is not other)
    taken = share_out(pots, values, order)
    assert sum(taken) == sum(paid) + dead
    in_hand = [seat for seat in range(len(paid)) if live >> seat & 1]
    top = max(paid[seat] for seat in in_hand)
    for seat, chips in enumerate(taken):
        assert chips == 0 or seat in in_hand
        if paid[seat] < top:
            assert chips <= dead + sum(min(each, paid[seat]) for each in paid)
