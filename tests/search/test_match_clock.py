"""Seconds of a match, spread over its searches."""

from math import inf

import pytest

from tiltless.search.match_clock import MatchClock


def test_without_seconds_there_is_no_limit():
    assert MatchClock(0, 10).share() == inf


def test_what_is_left_is_shared_among_the_searches_to_come():
    clock = MatchClock(30, 90)
    clock.next_hand()
    assert clock.share() == pytest.approx(30 / (90 * 5 / 11))
    for _ in range(19):  # two searches in every hand
        clock.next_search()
        clock.next_search()
        clock.next_hand()
    clock.spend(10)
    assert clock.share() == pytest.approx(20 / (71 * 43 / 30))
    clock.spend(25)
    assert clock.share() == 0


def test_the_last_hand_may_take_the_rest():
    clock = MatchClock(3, 2)
    clock.next_hand()
    clock.next_hand()
    clock.spend(1)
    assert clock.share() == 2


def test_the_next_match_begins_with_all_its_seconds():
    clock = MatchClock(30, 2)
    clock.next_hand()
    first = clock.share()
    clock.next_search()
    clock.spend(29)
    clock.next_hand()
    assert clock.share() < first
    clock.next_hand()
    assert clock.share() == first


def test_large_pots_get_more_of_it():
    clock = MatchClock(30, 100)
    clock.next_hand()
    even = clock.share()
    assert clock.share(40) == pytest.approx(even)  # the first pot is the mean so far
    assert clock.share(80) == pytest.approx(even * 80 / (480 / 11))
    assert clock.share(20) == pytest.approx(even * 20 / (500 / 12))
    assert clock.share(800) == pytest.approx(4 * even)
    assert clock.share() == even
