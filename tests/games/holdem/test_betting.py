"""One betting round: order, price, bounds of raises, what closes it."""

import pytest

from tiltless.games.game import IllegalActionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.holdem.betting import NOBODY, Betting, Round, next_seat, open_round


def betting(stacks, bets=None, after=None, bet=10, **switches) -> Betting:
    """A round in which everybody is in; seat 0 begins unless ``after`` says otherwise."""
    seats = len(stacks)
    bets = tuple(bets or [0] * seats)
    return open_round(
        Round(bet, **switches),
        tuple(stacks),
        bets,
        (1 << seats) - 1,
        seats - 1 if after is None else after,
    )


def play(state: Betting, *actions) -> Betting:
    for action in actions:
        state = state.after(action)
    return state


def bounds(state: Betting) -> tuple[int, int]:
    return state.actions.min_raise, state.actions.max_raise


def test_players_act_clockwise_and_checks_close_the_round():
    state = betting([100, 100, 100])
    seen = []
    while state.actor != NOBODY:
        seen.append(state.actor)
        state = state.after(CHECK)
    assert seen == [0, 1, 2]


def test_a_raise_gives_everybody_else_another_turn():
    state = play(betting([100, 100, 100]), CHECK, RaiseTo(20), CALL)
    assert state.actor == 0
    assert play(state, CALL).actor == NOBODY
    assert play(state, RaiseTo(40)).actor == 1


def test_folded_and_all_in_players_are_not_asked():
    state = play(betting([100, 30, 100, 100]), RaiseTo(50), CALL, FOLD)
    assert state.actor == 3
    state = play(state, RaiseTo(100))
    assert state.actor == 0
    assert play(state, CALL).actor == NOBODY


def test_blinds_have_an_option():
    state = betting([90, 100, 95], bets=[10, 0, 5], after=0)  # button 1, blinds 2 and 0
    state = play(state, CALL, CALL)
    assert state.actor == 0
    assert state.actions.check
    assert not state.actions.fold
    assert bounds(state) == (20, 100)


def test_a_call_for_less_is_all_in():
    state = play(betting([100, 30]), RaiseTo(80), CALL)
    assert state.bets == (80, 30)
    assert state.stacks == (20, 0)
    assert state.actor == NOBODY


def test_the_smallest_raise_adds_the_largest_one():
    state = betting([1000] * 3)
    assert bounds(state) == (10, 1000)
    state = play(state, RaiseTo(30))
    assert bounds(state) == (60, 1000)
    state = play(state, RaiseTo(100))
    assert bounds(state) == (170, 1000)
    state = play(state, RaiseTo(170))
    assert bounds(state) == (240, 1000)


def test_who_cannot_afford_the_smallest_raise_may_still_raise_all_in():
    state = play(betting([1000, 150, 120, 80]), RaiseTo(100))
    assert bounds(state) == (150, 150)
    assert bounds(play(state, CALL)) == (120, 120)
    assert bounds(play(state, CALL, CALL)) == (0, 0)  # 80 is less than a call


def test_an_incomplete_raise_closes_the_bettor():
    """Bet 100, all-in 150: others raise to 250 at least, the bettor may only call or fold."""
    state = play(betting([1000, 150, 1000]), RaiseTo(100), RaiseTo(150))
    assert state.actor == 2
    assert bounds(state) == (250, 1000)
    state = play(state, CALL)
    assert state.actor == 0
    assert bounds(state) == (0, 0)
    assert state.actions.call == 50
    with pytest.raises(IllegalActionError, match=r"raise to 250.*fold, call 50$"):
        state.after(RaiseTo(250))


def test_two_incomplete_raises_that_add_up_reopen_the_bettor():
    """Bet 100, all-in 160, all-in 210: the bettor faces 110 and may raise to 310."""
    state = play(betting([1000, 160, 210, 1000]), RaiseTo(100), RaiseTo(160), RaiseTo(210), CALL)
    assert state.actor == 0
    assert bounds(state) == (310, 1000)


def test_who_called_between_two_incomplete_raises_stays_closed():
    state = betting([1000, 160, 1000, 210])
    state = play(state, RaiseTo(100), RaiseTo(160), CALL, RaiseTo(210), CALL)
    assert state.actor == 2
    assert bounds(state) == (0, 0)


def test_a_third_short_raise_does_not_close_who_faces_a_full_one():
    state = betting([1000, 160, 210, 240])
    state = play(state, RaiseTo(100), RaiseTo(160), RaiseTo(210), RaiseTo(240))
    assert state.actor == 0
    assert state.actions.call == 140
    assert bounds(state) == (0, 0)  # nobody is left to call a raise
    state = betting([1000, 160, 210, 240, 1000])
    state = play(state, RaiseTo(100), RaiseTo(160), RaiseTo(210), RaiseTo(240), CALL)
    assert bounds(state) == (340, 1000)


def test_a_full_raise_over_an_incomplete_one_reopens_everybody():
    state = play(betting([1000, 150, 1000]), RaiseTo(100), RaiseTo(150), RaiseTo(250))
    assert state.actor == 0
    assert bounds(state) == (350, 1000)


def test_the_acpc_minimum():
    """To X + (X - Y) after a raise from Y to X, never less than before; nothing closes."""
    state = betting([1000, 130, 1000], acpc=True)
    state = play(state, RaiseTo(100), RaiseTo(130))
    assert bounds(state) == (200, 1000)
    state = play(state, CALL)
    assert bounds(state) == (200, 1000)  # the bettor may raise again
    state = play(betting([1000, 1000], acpc=True), RaiseTo(30))
    assert bounds(state) == (60, 1000)


def test_nobody_raises_what_nobody_can_call():
    state = play(betting([1000, 50]), RaiseTo(40), RaiseTo(50))
    assert state.actor == 0
    assert bounds(state) == (0, 0)
    state = play(betting([1000, 50, 1000]), RaiseTo(40), RaiseTo(50), FOLD)
    assert bounds(state) == (0, 0)


def test_nobody_is_asked_who_has_nothing_to_decide():
    everybody_else_all_in = betting([90, 0, 0], bets=[10, 10, 4], after=0)
    assert everybody_else_all_in.actor == NOBODY
    one_with_a_price = betting([90, 0, 0], bets=[0, 10, 4], after=2)
    assert one_with_a_price.actor == 0
    # The button folds: the big blind has nothing to call and nobody to bet into.
    state = betting([100, 0, 90], bets=[0, 5, 10], after=2)
    assert state.actor == 0
    assert play(state, FOLD).actor == NOBODY
    assert betting([100, 0, 0]).actor == NOBODY


def test_a_short_blind_lowers_the_price():
    state = betting([100, 99, 0], bets=[0, 1, 1], after=2)
    assert state.actions.call == 1
    assert bounds(state) == (11, 100)


def test_fixed_limit_has_one_size():
    state = betting([100, 100], fixed=True)
    assert bounds(state) == (10, 10)
    state = play(state, RaiseTo(10))
    assert bounds(state) == (20, 20)
    assert bounds(play(betting([100, 15], fixed=True), RaiseTo(10))) == (15, 15)
    with pytest.raises(IllegalActionError):
        state.after(RaiseTo(21))


def test_raises_are_capped():
    state = play(betting([100, 100], fixed=True, cap=4), *map(RaiseTo, (10, 20, 30)))
    assert bounds(state) == (40, 40)
    assert bounds(play(state, RaiseTo(40))) == (0, 0)
    assert bounds(betting([100, 100], cap=0)) == (0, 0)


def test_raises_are_capped_by_player():
    state = play(betting([100] * 3, fixed=True, cap_each=1), CHECK, RaiseTo(10), RaiseTo(20))
    assert state.actor == 0
    assert bounds(state) == (30, 30)
    state = play(state, CALL)
    assert state.actor == 1
    assert bounds(state) == (0, 0)


def test_effective_raises_never_exceed_what_an_opponent_can_call():
    assert bounds(betting([200, 50], effective=True)) == (10, 50)
    assert bounds(betting([50, 200], effective=True)) == (10, 50)
    assert bounds(betting([200, 50, 120], effective=True)) == (10, 120)
    assert bounds(play(betting([200, 8], effective=True))) == (8, 8)
    assert bounds(betting([200, 50])) == (10, 200)


def test_folding_for_free_is_a_switch():
    assert not betting([100, 100]).actions.fold
    with pytest.raises(IllegalActionError, match=r"fold .*seat 0.* check"):
        betting([100, 100]).after(FOLD)
    state = betting([100, 100], free_fold=True)
    assert state.actions.fold
    assert state.after(FOLD).live == 0b10


@pytest.mark.parametrize("action", [CALL, FOLD, RaiseTo(9), RaiseTo(101), RaiseTo(-5), RaiseTo(0)])
def test_what_is_illegal_without_a_bet(action):
    state = betting([100, 100])
    assert action not in state.actions
    with pytest.raises(IllegalActionError, match=r"check, raise to 10..100"):
        state.after(action)


@pytest.mark.parametrize("action", [CHECK, RaiseTo(39), RaiseTo(101)])
def test_what_is_illegal_facing_a_bet(action):
    state = play(betting([100, 100]), RaiseTo(20))
    assert action not in state.actions
    with pytest.raises(IllegalActionError, match=r"seat 1.*fold, call 20, raise to 40..100"):
        state.after(action)


@pytest.mark.parametrize("stranger", [None, "fold", 1, (), object, CALL.__class__])
def test_what_is_no_action_is_illegal(stranger):
    with pytest.raises(IllegalActionError):
        betting([100, 100]).after(stranger)


def test_a_closed_round_takes_no_action():
    state = play(betting([100, 100]), CHECK, CHECK)
    assert list(state.actions) == []
    with pytest.raises(IllegalActionError, match="over"):
        state.after(CHECK)


def test_next_seat_goes_around():
    assert [next_seat(0b10110, after) for after in range(5)] == [1, 2, 4, 4, 1]
