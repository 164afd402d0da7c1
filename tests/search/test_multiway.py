"""Search among three players: subgames, ranges, and what a long search says of a short one."""

import numpy as np
import pytest

from tiltless.abstraction.cards.buckets import ComboBuckets
from tiltless.blueprint.multiway.deals import HoldemDealer
from tiltless.cards.card import CLASS_OF_COMBO, COMBO_CARDS, COMBO_OF, parse_cards
from tiltless.errors import ArrayError, OptionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.registry import load
from tiltless.search.multiway import MultiwaySearch

GAME = load("nlhe", seats=6, stack="100bb")
BUCKETS = [ComboBuckets(13, CLASS_OF_COMBO % 13)] * 4
RIVER = parse_cards("AsKsQs2d2c")
NUTS, NOTHING = COMBO_OF[tuple(parse_cards("JsTs"))], COMBO_OF[tuple(parse_cards("4c3d"))]


def ranges_of(players=3):
    return np.ones((players, 1326))


def test_the_line_is_followed_and_off_menu_raises_are_added():
    search = MultiwaySearch(
        GAME, RIVER, 30, 100, ranges_of(), BUCKETS, line=[CHECK, RaiseTo(17), FOLD]
    )
    assert search.actor == 0
    assert search.actions[:2] == (FOLD, CALL)
    assert RaiseTo(100) in search.actions
    assert search.strategy().shape == (1326, len(search.actions))
    with pytest.raises(OptionError):
        search.child(search.node, RaiseTo(18))


def test_the_nuts_raise_and_do_not_fold():
    """A royal flush against two who have bet and called: folding it is never right."""
    line = [RaiseTo(20), CALL]
    search = MultiwaySearch(GAME, RIVER, 30, 100, ranges_of(), BUCKETS, line=line, seed=1)
    done = search.run(900.0, walks=20_000)
    assert done >= 20_000
    last, average = search.strategy(), search.believed()
    assert last[NUTS, 0] == 0
    assert average[NUTS, 0] < 0.01
    assert last[NOTHING, 0] > 0.9  # four high, no draw, on the last street
    np.testing.assert_allclose(last.sum(axis=1), 1)


def test_searches_repeat_on_one_thread():
    one, two = (
        MultiwaySearch(GAME, RIVER[:4], 30, 100, ranges_of(), BUCKETS, seed=5) for _ in range(2)
    )
    for search in (one, two):
        search.run(900.0, walks=2000)
    np.testing.assert_array_equal(one.engine.regret, two.engine.regret)
    assert one.engine.regret.any()


def test_hands_are_drawn_from_ranges():
    """A player who can only hold two hands holds them in proportion, and no card twice."""
    ranges = ranges_of()
    ranges[1] = 0
    ranges[1, [NUTS, NOTHING]] = 3, 1
    dealer = HoldemDealer(GAME, BUCKETS, board=RIVER[:3], ranges=ranges)
    deals = dealer.deal(np.array([7], np.uint64), 4000)
    held = deals.held
    assert set(held[:, 1]) == {NUTS, NOTHING}
    assert abs((held[:, 1] == NUTS).mean() - 0.75) < 0.03
    taken = np.concatenate([COMBO_CARDS[held[:, p]] for p in range(3)], axis=1)
    assert all(len(set(row)) == 6 for row in taken[:200].tolist())
    masks = np.bitwise_or.reduce(dealer.masks[held], axis=1)
    assert not (masks & deals.board).any()
    assert (np.bitwise_count(deals.board) == 5).all()


def test_impossible_ranges_are_refused():
    with pytest.raises(ArrayError):
        HoldemDealer(GAME, BUCKETS, board=RIVER, ranges=np.zeros((3, 1326)))
    same = np.zeros((2, 1326))
    same[:, NUTS] = 1
    with pytest.raises(OptionError):
        HoldemDealer(GAME, BUCKETS, board=RIVER, ranges=same).deal(np.ones(1, np.uint64), 1)
    with pytest.raises(OptionError):
        MultiwaySearch(GAME, RIVER[:2], 30, 100, ranges_of(), BUCKETS)
