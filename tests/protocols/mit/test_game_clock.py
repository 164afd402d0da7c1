"""The engine's clock: offers that last for a match, and limits that never outrun it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltless.protocols.mit.game_clock import GameClock

ACK = 0.0003


class Engine:
    """Counts the clock of a player whose decisions take as long as `takes` says."""

    def __init__(self, takes, seconds=30.0, hands=1000):
        self.time, self.left, self.takes, self.hands = 100.0, seconds, takes, hands
        self.clock = GameClock(seconds, hands, 10.0, now=lambda: self.time)
        self.offers, self.longest, self.given_up, self.cut_short = [], 0.0, 0, 0

    def play(self, hands, decisions):
        for hand in range(hands):
            for number in range(decisions):
                self._line()
                if number == 0:
                    self.clock.next_hand()
                if not self._decide(hand, number):
                    break  # folded
            self._line()
            self._spend(ACK)
        return self

    def _line(self):
        self.clock.line(self.left)

    def _decide(self, hand, number):
        if self.clock.is_kept:
            self.given_up += 1
            self._spend(ACK)
            return False
        offer = self.clock.offer()
        self.offers.append(offer)
        wanted, limit = self.takes(offer, hand, number), self.clock.limit(offer)
        took = min(wanted, limit)
        self.cut_short += wanted > limit
        self.longest = max(self.longest, took)
        self._spend(took + ACK)
        return True

    def _spend(self, seconds):
        self.time += seconds
        self.left -= seconds
        assert self.left > 0


def test_quick_agents_have_all_the_time():
    match = Engine(lambda *_: 0.0002).play(1000, 3)
    assert match.left > 27
    assert match.given_up == 0
    assert min(match.offers) > 0.03
    assert max(match.offers) == 2.5  # a quarter of the limit for one answer


@pytest.mark.parametrize("decisions", [1, 3, 6])
def test_agents_that_use_what_they_are_offered_use_most_of_the_clock(decisions):
    match = Engine(lambda offer, *_: 0.9 * offer).play(1000, decisions)
    assert 0.05 < match.left < 1
    assert match.given_up == 0
    assert min(match.offers) > 0.2 * 30 / len(match.offers)


def test_searches_now_and_then_get_more():
    """One decision in ten thinks: it is offered about what an oracle would offer."""
    match = Engine(
        lambda offer, hand, number: 0.9 * offer if hand % 5 == 0 and number == 2 else 0.0002
    ).play(1000, 3)
    thinking = [match.offers[3 * hand + 2] for hand in range(0, 1000, 5)]
    assert sum(thinking) / 200 == pytest.approx(30 / 200, rel=0.1)
    assert match.left < 1


@pytest.mark.parametrize("decisions", [1, 4])
def test_agents_that_ignore_their_clock_are_given_up(decisions):
    """An eighth of what is spare is lent to each decision, so the rest of the match is folded."""
    match = Engine(lambda *_: 100.0).play(1000, decisions)
    assert match.longest < 5
    assert match.left > 0


def test_agents_that_are_too_slow_play_as_long_as_they_can():
    """12 ms for each of 4,000 decisions would be 48 s: the rest of the match is folded in time."""
    match = Engine(lambda *_: 0.012).play(1000, 4)
    assert match.given_up > 300
    assert len(match.offers) > 0.9 * 30 / 0.0123
    assert match.left > 0


def test_one_slow_start_is_waited_for():
    match = Engine(lambda offer, hand, number: 1.0 if hand == number == 0 else 0.001)
    match.play(10, 3)
    assert match.longest == 1.0


def test_a_clock_that_is_kept_is_kept_for_check_and_fold():
    match = Engine(lambda offer, *_: offer, seconds=0.05, hands=10).play(10, 3)
    assert match.given_up == 10
    assert match.offers == []


def test_hiccups_are_waited_for():
    """An agent that needs half a second for each of its first showdowns loses no decision."""
    match = Engine(lambda offer, hand, number: 0.5 if hand < 12 and number == 0 else 0.0005)
    match.play(1000, 3)
    assert (match.given_up, match.cut_short) == (0, 0)
    assert match.longest == 0.5


def test_patience_ends_with_the_clock():
    match = Engine(lambda *_: 0.0002)
    for left, most in ((30.0, 4.0), (10.0, 1.3), (3.0, 0.4)):
        match.clock.line(left)
        offer = match.clock.offer()
        match._spend(0.1)  # loading
        assert offer < match.clock.limit(offer) - offer < most


def test_one_answer_never_takes_too_long():
    """Six seconds of loading and a decision that is waited for: below the engine's ten."""
    for loading in (0.0, 6.0, 7.9, 9.0):
        match = Engine(lambda *_: 0.0002, seconds=600.0)
        match.clock.line(600.0)
        match._spend(loading)
        assert match.clock.offer() <= 2.5
        assert loading + match.clock.limit(100.0) <= max(8.0, loading) + 1e-9


def test_one_slow_line_changes_little():
    """Loading an agent may take six seconds of a line that it does not answer."""
    match = Engine(lambda *_: 0.0002)
    match.clock.line(30.0)
    match._spend(6.0)
    match.play(1000, 3)
    assert match.given_up == 0
    assert min(match.offers) > 0.03


def test_matches_may_be_longer_than_expected():
    match = Engine(lambda offer, *_: 0.9 * offer, seconds=5.0, hands=20).play(60, 2)
    assert match.left > 0


def test_lines_without_a_clock_count_our_own_time():
    time = [0.0]
    clock = GameClock(30.0, 1000, 10.0, now=lambda: time[0])
    clock.line(30.0)
    time[0] = 12.0
    clock.line(None)
    assert clock.left == 18.0
    time[0] = 100.0
    assert clock.left == 0.0
    assert clock.is_kept
    assert clock.limit(1.0) == 0.0


def test_a_line_without_a_clock_costs_no_patience():
    """A line of 10 MB takes the engine five seconds; what we took is told by the next clock."""
    time, limits = [0.0], []
    clock = GameClock(30.0, 1000, 10.0, now=lambda: time[0])
    for took in (0.001, 1.0, 0.0):
        clock.line(30.0)
        limits.append(clock.limit(clock.offer()) - clock.offer())
        time[0] += took + 5.0
        clock.line(None)
        clock.line(30.0 - took)
    assert limits == pytest.approx([limits[0]] * 3, rel=0.01)


@given(st.lists(st.one_of(st.none(), st.floats(0, 1e9)), max_size=30))
def test_any_clock_leads_to_possible_limits(told):
    clock = GameClock(30.0, 1000, 10.0, now=lambda: 0.0)
    for left in told:
        clock.line(left)
        clock.next_hand()
        offer = clock.offer()
        assert 0 <= offer <= 2.5
        assert 0 <= clock.limit(offer) <= max(min(8, clock.left), 0)
