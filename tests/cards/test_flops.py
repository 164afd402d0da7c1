"""Flops up to suits, counted by brute force, and textures against what players call them."""

from collections import Counter
from itertools import combinations

import pytest

from tiltless.cards.card import cards_text, parse_cards
from tiltless.cards.flops import TEXTURES, all_flops, canonical_flop, flop_texture
from tiltless.errors import CardError


def test_there_are_1755_flops_that_stand_for_22100():
    """Each flop of the deck is one of them, and weights count how many are."""
    found = Counter(canonical_flop(flop).cards for flop in combinations(range(52), 3))
    assert len(found) == 1755
    assert {flop.cards: flop.weight for flop in all_flops()} == found
    assert sum(found.values()) == 22_100


def test_fewer_are_alike_if_ranges_tell_suits_apart():
    alike = (0, 0, 1, 1)
    found = Counter(canonical_flop(flop, alike).cards for flop in combinations(range(52), 3))
    assert {flop.cards: flop.weight for flop in all_flops(alike)} == found
    assert sum(found.values()) == 22_100
    assert len(all_flops((0, 1, 2, 3))) == 22_100


def test_the_representative_is_of_the_same_flop():
    """Ranks stay, and suits are equal where they were."""
    for flop in list(combinations(range(52), 3))[::37]:
        there = canonical_flop(flop)
        assert canonical_flop(there.cards) == there
        assert sorted(card >> 2 for card in there.cards) == sorted(card >> 2 for card in flop)
        assert len({card & 3 for card in there.cards}) == len({card & 3 for card in flop})
        assert list(there.cards) == sorted(there.cards, reverse=True)
    assert canonical_flop("2d7cKc") == (parse_cards("Ks7s2h"), 12)
    assert canonical_flop("AcAdAh").weight == 4
    assert canonical_flop("AcAd5d").text == "AsAh5s"


def test_textures_of_all_flops():
    """Numbers of the 22,100 flops, by combinatorics."""
    count = {kind: Counter() for kind in TEXTURES}
    for flop in all_flops():
        for kind, name in flop_texture(flop.cards)._asdict().items():
            count[kind][name] += flop.weight
    assert count["suits"] == {"monotone": 1144, "two-tone": 12_168, "rainbow": 8788}
    assert count["pairing"] == {"unpaired": 18_304, "paired": 3744, "trips": 52}
    assert count["high"]["A"] == 22_100 - 48 * 47 * 46 // 6
    assert count["high"]["9-"] == 32 * 31 * 30 // 6
    assert all(set(count[kind]) == set(names) for kind, names in TEXTURES.items())
    # three ranks within one of the ten straights, in any suits
    windows = [{12, 0, 1, 2, 3}, *(set(range(r, r + 5)) for r in range(9))]
    triples = {three for window in windows for three in combinations(sorted(window), 3)}
    assert count["straights"]["connected"] == 64 * len(triples)


@pytest.mark.parametrize(
    ("flop", "expected"),
    [
        ("Ks7s2h", ("K", "two-tone", "unpaired", "disconnected")),
        ("As2h3d", ("A", "rainbow", "unpaired", "connected")),
        ("AsKsTs", ("A", "monotone", "unpaired", "connected")),
        ("Qs9h2d", ("Q", "rainbow", "unpaired", "semi-connected")),
        ("AsKh7d", ("A", "rainbow", "unpaired", "disconnected")),  # AK alone is a gutshot at best
        ("8s8h2d", ("9-", "rainbow", "paired", "disconnected")),
        ("8s8h7s", ("9-", "two-tone", "paired", "semi-connected")),
        ("TsThTd", ("T", "rainbow", "trips", "disconnected")),
    ],
)
def test_the_texture_of_a_flop(flop, expected):
    assert flop_texture(flop) == expected


def test_what_is_not_a_flop():
    for cards in ("KsQs", "KsQsJsTs"):
        with pytest.raises(CardError, match="Ks7s2d"):
            flop_texture(cards)
    assert cards_text(all_flops()[0].cards) == "AsAhAd"
