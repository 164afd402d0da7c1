"""Two matches on the same deals, compared deal by deal, if all of their hands are kept."""

import pytest

from tiltless.arena.match import play_stored
from tiltless.arena.plan import MatchPlan
from tiltless.arena.stats.paired import paired_difference
from tiltless.arena.store import Store
from tiltless.intervals import tally

TWO = ("fish", "all-in"), ("uniform", "all-in")


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "r.sqlite") as made:
        yield made


def played(store, agents, **given):
    kept = given.pop("keep_hands", True)
    plan = MatchPlan(agents, **{"deals": 20, "seed": 3, "chunk": 10, **given})
    return play_stored(plan, store, keep_hands=kept)


def test_each_deal_is_compared_with_itself(store):
    one, two = (played(store, agents) for agents in TWO)
    won = [[0.0] * 20, [0.0] * 20]
    for match, by_deal in zip((one, two), won, strict=True):
        for row in store.hands(match.number):
            by_deal[row.deal] += row.payoffs[0] / 2
    expected = tally(first - second for first, second in zip(*won, strict=True))
    assert paired_difference(store, one, two, "chips/h") == pytest.approx(expected)
    assert paired_difference(store, one, one, "chips/h") == (20, 0, 0)


def test_what_cannot_be_paired(store):
    one = played(store, TWO[0])
    assert paired_difference(store, one, played(store, TWO[1], seed=4)) is None
    assert paired_difference(store, one, played(store, TWO[1], keep_hands=False)) is None
    assert paired_difference(store, one, played(store, TWO[1], match_hands=5)) is None


def test_a_deal_of_which_a_hand_is_missing_is_not_compared(store):
    one, two = (played(store, agents) for agents in TWO)
    store._db.execute("DELETE FROM hands WHERE match = 2 AND deal = 7 AND half = 1")
    assert paired_difference(store, one, two) is None
