"""Boards to come and the hands on them, as arrays."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from naive.postflop import boards as naive
from tiltless.cards.card import COMBO_CARDS, COMBO_OF, parse_card, parse_cards
from tiltless.cards.evaluate import evaluate
from tiltless.postflop.boards import board_sets
from tiltless.postflop.run_spot import RunSpot
from tiltless.postflop.spot import Spot

TURN = Spot("QsJh2h8d", "QQ+, AKs, 87s", "88+, AQ, 76s:0.5", 20, 90, "a")
RAINBOW, TWO_ALIKE, THREE_ALIKE = (
    replace(TURN, board=board, oop="QQ+, 87s", ip="88+, AQ")
    for board in ("QsJh2d", "QsJh2h", "QsJs2s")
)
NONE_ALIKE = replace(TWO_ALIKE, oop="QQ+, 87s, AcKc:0.5")


@pytest.mark.parametrize(
    ("spot", "turns"),
    [(RAINBOW, 49), (TWO_ALIKE, 49 - 13), (THREE_ALIKE, 10 + 13), (NONE_ALIKE, 49)],
)
def test_boards_and_images_are_all_cards(spot, turns):
    top, turn, river = board_sets(spot)
    assert top.boards == [parse_cards(spot.board)]
    assert len(turn) == turns
    assert sorted(card for some in turn.images for card in some) == [
        card for card in range(52) if card not in top.boards[0]
    ]
    assert top.arrays.below.tolist() == [0, turns]
    for number, before in enumerate(turn.boards):
        first, last = turn.arrays.below[number : number + 2].tolist()
        cards = [card for b in range(first, last) for card in river.images[b]]
        assert sorted(cards) == [card for card in range(52) if card not in before]
        assert all(river.parent[b] == number for b in range(first, last))
        assert all(river.boards[b][:-1] == before for b in range(first, last))


@pytest.mark.parametrize("spot", [TURN, THREE_ALIKE])
def test_images_lead_to_the_same_with_other_suits(spot):
    """The way back of each image: the same hand with suits exchanged, on the board before."""
    sets = board_sets(spot)
    for above, here in pairwise(sets):
        for b in range(len(here)):
            for player in (0, 1):
                hands = here.combos[b][player]
                before = above.combos[here.parent[b]][player]
                width = int(here.arrays.width[b, player])
                begin = int(here.arrays.image[b, player])
                for i, card in enumerate(here.images[b]):
                    way = here.arrays.parent_hand[
                        begin + i * width : begin + i * width + len(hands)
                    ]
                    one, two = card & 3, here.images[b][0] & 3
                    swap = {one: two, two: one}
                    cards = COMBO_CARDS[hands].astype(int)
                    suits = np.vectorize(lambda suit, swap=swap: swap.get(suit, suit))(cards & 3)
                    moved = COMBO_OF[cards[:, 0] & ~3 | suits[:, 0], cards[:, 1] & ~3 | suits[:, 1]]
                    assert (before[way] == moved).all()
                    assert not (COMBO_CARDS[moved] == card).any()


@pytest.mark.parametrize("spot", [TURN, replace(TURN, board="QsJh2h8d3c")])
def test_rivers_are_sorted_with_groups_of_equals(spot):
    river = board_sets(spot)[-1]
    arrays = river.arrays
    for b, board in enumerate(river.boards):
        values = [
            [evaluate([*COMBO_CARDS[hand].tolist(), *board]) for hand in river.combos[b][player]]
            for player in (0, 1)
        ]
        assert all(each == sorted(each) for each in values)
        every = sorted({*values[0], *values[1]})
        groups = arrays.group_end[int(arrays.group[b]) : int(arrays.group[b + 1])]
        assert groups.tolist() == [
            [sum(value <= most for value in each) for each in values] for most in every
        ]


def test_hands_on_each_board():
    for some in board_sets(THREE_ALIKE):
        arrays = some.arrays
        for b, board in enumerate(some.boards):
            for player in (0, 1):
                hands, theirs = some.combos[b][player], some.combos[b][1 - player]
                weights = THREE_ALIKE.weights[player]
                free = ~np.isin(COMBO_CARDS, board).any(axis=1)
                assert sorted(hands) == np.flatnonzero((weights > 0) & free).tolist()
                assert arrays.count[b, player] == len(hands)
                width = int(arrays.width[b, player])
                assert len(hands) <= width < len(hands) + 16
                assert width % 16 == 0
                at, cards = int(arrays.hand[b, player]), COMBO_CARDS[hands].astype(int)
                assert (arrays.first[at : at + len(hands)] == 16 * cards[:, 0]).all()
                assert (arrays.second[at : at + len(hands)] == 16 * cards[:, 1]).all()
                same = arrays.same[at : at + len(hands)].tolist()
                for hand, place in zip(hands.tolist(), same, strict=True):
                    if hand in theirs:
                        assert theirs[place] == hand
                    else:
                        assert place == arrays.width[b, 1 - player]
        assert float(arrays.share) == pytest.approx(1 / (49 - len(some.boards[0])))


def test_a_card_that_only_one_range_tells_apart():
    club, spade = parse_card("4c"), parse_card("4s")
    turn = board_sets(NONE_ALIKE)[1]
    assert all(len(images) == 1 for images in turn.images)
    turn = board_sets(THREE_ALIKE)[1]
    of = {card: images for images in turn.images for card in images}
    assert len(of[club]) == 3
    assert of[spade] == (spade,)


LONG = RunSpot("QsJh2h8d3h4d5h6d7h", "QQ+, AKs, 87s", "88+, AQ, 76s:0.5", 20, 90, "a")


@pytest.mark.parametrize(
    "spot",
    [TURN, replace(TURN, board="QsJh2h8d3c"), THREE_ALIKE, TWO_ALIKE, NONE_ALIKE, LONG],
    ids=lambda spot: spot.board_text,
)
def test_compiled_lists_are_those_of_the_slow_twin(spot):
    for mine, theirs in zip(board_sets(spot), naive.board_sets(spot), strict=True):
        assert mine.boards == theirs.boards
        assert (mine.parent, mine.images) == (theirs.parent, theirs.images)
        for one, two in zip(mine.combos, theirs.combos, strict=True):
            assert [hands.tolist() for hands in one] == [hands.tolist() for hands in two]
            assert all(hands.dtype == np.int64 for hands in one)
        for name, expected in theirs.arrays._asdict().items():
            found = getattr(mine.arrays, name)
            assert found.dtype == expected.dtype, name
            np.testing.assert_array_equal(found, expected, err_msg=name)
