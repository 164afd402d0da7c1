"""Weighted subsets of flops: what they promise, and that they can be chosen again."""

import json
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from tiltless.cards import flop_design
from tiltless.cards.card import CLASS_NAMES, parse_cards
from tiltless.cards.flop_design import choose_points, class_equities
from tiltless.cards.flop_subsets import SUBSETS, choose_flops, flop_subset
from tiltless.cards.flops import TEXTURES, all_flops, canonical_flop, flop_texture
from tiltless.cards.hand_equity import hand_equities
from tiltless.cards.ranges import Range
from tiltless.errors import OptionError
from tiltless.postflop.spot import unblocked


def shares(flops):
    count = {kind: Counter() for kind in TEXTURES}
    for flop in flops:
        for kind, name in flop_texture(flop.cards)._asdict().items():
            count[kind][name] += flop.weight
    return count


@pytest.mark.parametrize("size", SUBSETS)
def test_a_subset_has_the_weight_and_the_textures_of_all_flops(size):
    flops = flop_subset(size)
    assert len({flop.cards for flop in flops}) == size
    assert sum(flop.weight for flop in flops) == 22_100
    assert min(flop.weight for flop in flops) > 0
    assert {flop.cards for flop in flops} <= {flop.cards for flop in all_flops()}
    found, whole = shares(flops), shares(all_flops())
    for kind, names in TEXTURES.items():
        for name in names:
            if name != "trips":  # one flop in 425, which pairs stand for
                assert abs(found[kind][name] - whole[kind][name]) <= 22_100 / size, (kind, name)


def test_options():
    assert choose_flops("all") == all_flops()
    assert choose_flops(" 25 ") == flop_subset(25)
    chosen = choose_flops("2d7cKc, Ks 7s 2h, AhAd5c")
    assert chosen == (canonical_flop("AsAh5d"), canonical_flop("Ks7s2h"))
    assert len(choose_flops("all", (0, 0, 1, 1))) > 1755
    for wrong in ("26", "-1", "", "KsQs", "Ks7s2x", "Ks7sKs", "²", "2" * 5000):
        with pytest.raises(OptionError):
            choose_flops(wrong)
    with pytest.raises(OptionError, match="alike"):
        choose_flops("25", (0, 0, 1, 1))


def test_points_are_the_best_of_all_choices():
    """On few random points, against every choice; exchanges find one that is nearly as good."""
    rng = np.random.default_rng(5)
    for _ in range(10):
        places = rng.random((10, 2))
        distance = ((places[:, None] - places) ** 2).sum(axis=2)
        known = np.exp(-distance) + 0.1 * np.eye(10)
        share = rng.random(10)
        share /= share.sum()

        def error(some, known=known, share=share):
            """The variance of the mean, given the values at some points."""
            some = list(some)
            cross = known[:, some] @ np.linalg.inv(known[np.ix_(some, some)])
            return float(share @ (known - cross @ known[some]) @ share)

        chosen, weights = choose_points(known, share, 3)
        errors = sorted(map(error, combinations(range(10), 3)))
        assert error(chosen) <= errors[3]
        assert weights == pytest.approx(
            np.linalg.inv(known[np.ix_(chosen, chosen)]) @ (known @ share)[chosen]
        )


def test_class_equities_are_means_over_combos():
    flop = canonical_flop("Ks7s2h")
    row = class_equities([flop])[0]
    everything = Range.random().without(parse_cards("Ks7s2h"))
    hands = Range("KK").without(parse_cards("Ks7s2h"))
    equity = hand_equities(hands, everything, board="Ks7s2h")
    assert row[CLASS_NAMES.index("KK")] == pytest.approx(np.nanmean(equity))


@pytest.mark.slow
def test_the_stored_subsets_are_chosen_again(capsys):
    flop_design.main()
    again = json.loads(capsys.readouterr().out)
    for size in SUBSETS:
        assert again[str(size)] == {flop.text: flop.weight for flop in flop_subset(size)}


@pytest.mark.slow
def test_a_subset_is_nearer_to_the_whole_than_chance():
    """The mean equity of two ranges over all flops, and over flops drawn at random."""
    oop, ip = Range("22-JJ,A2s-AQs,K9s+,QTs+,JTs,T9s,AJo-AQo"), Range("66+,A9s+,KTs+,QJs,AQo+")
    rows = []
    for flop in all_flops():
        mine, theirs = oop.without(flop.cards), ip.without(flop.cards)
        pairs = mine.weights * unblocked(theirs.weights)
        equity = np.nan_to_num(hand_equities(mine, theirs, board=flop.cards))
        rows.append((flop.weight, pairs.sum(), pairs @ equity))
    weight, pairs, won = np.array(rows).T
    whole = weight @ won / (weight @ pairs)
    index = {flop.cards: number for number, flop in enumerate(all_flops())}
    rng = np.random.default_rng(7)
    for size in SUBSETS:
        picks = [rng.choice(len(weight), size, replace=False) for _ in range(100)]
        chance = [weight[some] @ won[some] / (weight[some] @ pairs[some]) for some in picks]
        some = np.array([index[flop.cards] for flop in flop_subset(size)])
        mine = np.array([flop.weight for flop in flop_subset(size)])
        found = mine @ won[some] / (mine @ pairs[some])
        assert abs(found - whole) < 0.5 * np.sqrt(np.mean((np.array(chance) - whole) ** 2))
