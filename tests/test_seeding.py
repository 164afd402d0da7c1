"""Luck depends on its place: the same words, evenly spread, and quick to set anew."""

from random import Random

import pytest

from tiltless.errors import OptionError
from tiltless.seeding import SeededRandom, deal_key, derived_word, mixed, stirred


def test_the_words_of_splitmix():
    """The published first outputs of splitmix64 for the seed 1234567."""
    luck = SeededRandom(1234567)
    words = [luck.getrandbits(64) for _ in range(5)]
    assert words == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_the_same_word_gives_the_same_luck():
    luck = SeededRandom(7)
    first = [luck.random() for _ in range(5)]
    luck.reset(7)
    assert [luck.random() for _ in range(5)] == first
    assert first != [SeededRandom(8).random() for _ in range(5)]


def test_every_number_of_a_place_matters():
    places = [(1, 2, 3), (2, 1, 3), (1, 2), (1, 2, 3, 0), (1, 2, 4), (0, 2, 3), ()]
    assert len({mixed(*place) for place in places}) == len(places)
    assert mixed(1, 2, 3) == stirred(mixed(1, 2), 3)
    assert all(0 <= mixed(*place) < 2**64 for place in places)


def test_every_part_of_a_place_in_a_deal_matters():
    keys = [deal_key(*place) for place in ((1, 2), (2, 1), (12, 0), (1, 20), (0, 12), (2**62, 0))]
    assert len(set(keys)) == len(keys)
    places = [(3, 1), (3, 11), (31, 1), (4, 1), (3, 0), (2, 0)]
    words = {derived_word(key, *place) for key in keys for place in places}
    assert len(words) == len(keys) * len(places)
    assert all(0 <= word < 2**64 for word in words)
    assert (
        derived_word(keys[0], 3) == derived_word(keys[0], 3, 0) == derived_word(deal_key(1, 2), 3)
    )
    tenths = [0] * 10
    for deal in range(20_000):
        tenths[int(10 * SeededRandom(derived_word(deal_key(5, deal), 3)).random())] += 1
    assert all(1800 < count < 2200 for count in tenths)


def test_numbers_are_spread_evenly():
    draws = [SeededRandom(mixed(5, deal)).random() for deal in range(20_000)]
    assert all(0 <= draw < 1 for draw in draws)
    tenths = [0] * 10
    for draw in draws:
        tenths[int(10 * draw)] += 1
    assert all(1800 < count < 2200 for count in tenths)  # 2,000 ± 4.7 standard deviations


def test_it_is_a_random_generator():
    luck = SeededRandom(3)
    assert isinstance(luck, Random)
    cards = list(range(52))
    luck.shuffle(cards)
    assert sorted(cards) == list(range(52))
    assert cards != list(range(52))
    assert {luck.randrange(3) for _ in range(100)} == {0, 1, 2}
    assert {luck.choice("ab") for _ in range(100)} == {"a", "b"}


@pytest.mark.parametrize("bits", [0, 1, 7, 64, 65, 200])
def test_bits_stay_within(bits):
    luck = SeededRandom(11)
    drawn = [luck.getrandbits(bits) for _ in range(200)]
    assert all(0 <= each < 2**bits for each in drawn)
    if bits:
        assert max(drawn) >= 2 ** (bits - 1)


@pytest.mark.parametrize("word", [-1, 2**64, 0.5, "1"])
def test_what_is_no_word_is_refused(word):
    with pytest.raises(OptionError, match="word="):
        SeededRandom(word)
