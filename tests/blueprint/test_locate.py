"""From the table to the tree and back."""

from random import Random
from typing import Any

import numpy as np
import pytest

from helpers.playing import dealt, played
from tiltless.abstraction.bets.translation import Translation, chance_of_smaller
from tiltless.blueprint import locate
from tiltless.blueprint.locate import MOST_READINGS, Locator
from tiltless.blueprint.readings import hand_weights, likeliest
from tiltless.blueprint.tree import BettingTree, betting_tree
from tiltless.errors import OptionError
from tiltless.games.game import TERMINAL
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, RaiseTo
from tiltless.games.holdem.state import HoldemState
from tiltless.games.registry import load
from tiltless.kernels.blueprint.nodes import PARENT

MENU = "preflop: 2bb, 3bb, a / 2.5x, a; flop, turn, river: 50%, 100%, a / 75%, a"


@pytest.fixture(scope="module")
def tree() -> BettingTree:
    return betting_tree(load("nlhe", stack="50bb"), MENU)


def located(locator: Locator, state: HoldemState) -> Any:
    return likeliest(locator.locate(state.view(state.actor)))


def along(tree: BettingTree, *places: int) -> int:
    """The node after some places in menus."""
    node = 0
    for place in places:
        node = tree.children(node)[place]
    return node


def scaled(action: Action, factor: int) -> Action:
    return RaiseTo(action.chips * factor) if isinstance(action, RaiseTo) else action


@pytest.mark.parametrize("factor", [1, 5])
@pytest.mark.parametrize("rule", ["pseudo-harmonic", "deterministic"])
def test_hands_of_the_tree_are_found_exactly(tree: BettingTree, factor: int, rule: str) -> None:
    game = load("nlhe", stack="50bb", blinds=(factor, 2 * factor))
    locator, rng = Locator(tree, Translation(rule)), Random(7)
    for _ in range(150):
        button = rng.randrange(2)
        state, node = dealt(game.start(button), rng), 0
        while state.actor != TERMINAL:
            view = state.view(state.actor)
            (found,) = locator.locate(view)
            menu = [tree.action(child) for child in tree.children(node)]
            assert (found.inside, found.node) == (True, node)
            assert list(found.actions) == [scaled(action, factor) for action in menu]
            place = rng.randrange(len(menu))
            node = tree.children(node)[place]
            state = dealt(state.apply(found.actions[place]), rng)


def test_what_was_remembered_changes_nothing(tree: BettingTree) -> None:
    game, rng = load("nlhe", stack=(61, 140), blinds=(1, 3)), Random(3)
    one = Locator(tree)
    for _ in range(100):
        state = dealt(game.start(rng.randrange(2)), rng)
        while state.actor != TERMINAL:
            view = state.view(state.actor)
            fresh = Locator(tree).locate(view) if rng.random() < 0.1 else one.locate(view)
            assert one.locate(view) == fresh
            assert len(fresh) <= MOST_READINGS
            assert sum(each.share for each in fresh) == pytest.approx(1)
            for action in (action for each in fresh for action in each.actions):
                assert action in view.actions
            legal = view.actions
            state = dealt(state.apply(legal[rng.randrange(len(legal))]), rng)


def test_bets_between_two_sizes(tree: BettingTree) -> None:
    game = load("nlhe", stack="50bb")
    locator = Locator(tree, Translation("deterministic"))
    # shares of the pot after calling: 2bb is 0.5, 3bb is 1.0; raises to 5 chips are 0.75
    small, large = along(tree, 2), along(tree, 3)
    assert [tree.action(node) for node in (small, large)] == [RaiseTo(4), RaiseTo(6)]
    assert located(locator, played(game, RaiseTo(4))).node == small
    assert located(locator, played(game, RaiseTo(5))).node == large  # the middle is 5/7 of a pot
    assert located(locator, played(game, RaiseTo(7))).node == large


def test_bets_between_two_sizes_are_read_as_both(tree: BettingTree) -> None:
    game, locator = load("nlhe", stack="50bb"), Locator(tree)
    # 2bb is 0.5 of the pot after calling, 3bb is 1.0, all-in 24.5; five chips are 0.75
    shares = {each.node: each.share for each in locator.locate(played(game, RaiseTo(5)).view(1))}
    f = chance_of_smaller(0.75, 0.5, 1.0)
    assert shares == pytest.approx({along(tree, 2): f, along(tree, 3): 1 - f})
    line = [RaiseTo(6), CALL, RaiseTo(2)]  # a sixth of the pot, below the smallest of 0.5
    found = locator.locate(played(game, *line).view(0))
    start = along(tree, 3, 1)
    f = chance_of_smaller(1 / 6, 0, 0.5)
    assert [(each.node, each.inside, each.called) for each in found] == [
        (along(tree, 3, 1, 0), True, True),
        (along(tree, 3, 1, 1), True, False),
    ]
    assert [each.share for each in found] == pytest.approx([f, 1 - f])
    assert found[0].actions[0] == CALL  # the tree checks
    assert tree.children(start)[0] == found[0].node


def test_readings_multiply_and_the_lightest_are_dropped(
    tree: BettingTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, locator = load("nlhe", stack="50bb"), Locator(tree)
    line: list[Action] = [RaiseTo(5), CALL]
    counts = []
    for bet in (7, 21, 40):
        line += [CHECK, RaiseTo(bet)]
        state = played(game, *line)
        counts.append(len(locator.locate(state.view(state.actor))))
        line.append(CALL)
    assert counts == [4, MOST_READINGS, MOST_READINGS]
    found = locator.locate(state.view(state.actor))
    assert sum(each.share for each in found) == pytest.approx(1)
    assert {each.inside for each in found} == {True}
    monkeypatch.setattr(locate, "MOST_READINGS", 1000)
    every = {each.node: each.share for each in Locator(tree).locate(state.view(state.actor))}
    assert len(every) > MOST_READINGS
    heaviest = sorted(every.values(), reverse=True)[:MOST_READINGS]
    shares = [each.share * sum(heaviest) for each in found]
    assert sorted(shares, reverse=True) == pytest.approx(heaviest)


def test_readings_are_kept_through_the_hand(tree: BettingTree) -> None:
    game, locator = load("nlhe", stack="50bb"), Locator(tree)
    for bet in range(7, 30):
        before = locator.locate(played(game, RaiseTo(bet)).view(1))
        assert len(before) == 2
        after = locator.locate(played(game, RaiseTo(bet), CALL).view(1))
        assert after == Locator(tree).locate(played(game, RaiseTo(bet), CALL).view(1))
        for one, two in zip(before, after, strict=True):
            assert two.share == one.share
            if two.inside:
                assert tree.nodes.node[two.node, PARENT] == one.node


def test_readings_look_at_public_things_only(tree: BettingTree) -> None:
    """They are the same for any cards; nothing is drawn, so nobody can predict a draw."""
    game, locator = load("nlhe", stack="50bb"), Locator(tree)
    found = {locator.locate(played(game, RaiseTo(13), seed=seed).view(1)) for seed in range(30)}
    assert len(found) == 1
    assert len(found.pop()) == 2


def test_own_reach_multiplies_shares(tree: BettingTree) -> None:
    def reach(view: Any, located: Any, action: Action, same: Any) -> Any:
        low = np.arange(1326) < 663
        calls = 0.2 if located.node == along(tree, 2) else 0.8
        return [np.where(low, calls, 0.0)]

    game = load("nlhe", stack="50bb")
    locator = Locator(tree, reach=reach)
    view = played(game, RaiseTo(5), CALL).view(1)
    f = chance_of_smaller(0.75, 0.5, 1.0)
    small, large = hand_weights(locator.locate(view))
    odds = f * 0.2 / (f * 0.2 + (1 - f) * 0.8)
    assert small[:663] == pytest.approx(np.full(663, odds))
    assert small[663:] == pytest.approx(np.full(663, f))  # no reading calls with these: shares
    assert small + large == pytest.approx(np.ones(1326))
    other = hand_weights(locator.locate(view, own=0))  # in the eyes of the raiser
    assert len(other) == 2
    assert other[0] == pytest.approx(np.full(1326, f))


def test_raises_that_are_the_same_at_the_table_split_by_their_probabilities(
    tree: BettingTree,
) -> None:
    game = load("limit-holdem", stack="50bb")

    def reach(view: Any, located: Any, action: Action, same: Any) -> Any:
        assert [located.actions[index] for index in same] == [action] * len(same)
        return [np.full(1326, 0.1 * (part + 1)) for part in range(len(same))]

    found = Locator(tree, reach=reach).locate(played(game, RaiseTo(4), CALL).view(1), own=0)
    assert [each.node for each in found] == [along(tree, 2, 1), along(tree, 3, 1), -1]
    weights = [float(weight[7]) for weight in hand_weights(found)]
    assert weights == pytest.approx([1 / 6, 2 / 6, 3 / 6])


def test_the_other_order_of_blinds(tree: BettingTree) -> None:
    """Blinds count before the flop, position after it."""
    game = load("nlhe", stack="50bb", heads_up="pypokerengine", button=1)
    locator = Locator(tree)
    # seat 0 has the small blind and is first on every street
    line: list[Action] = []
    node = 0
    for action, place, actor in (
        (RaiseTo(6), 3, 0),
        (CALL, 1, 1),
        (CHECK, 0, 0),
        (RaiseTo(6), 1, 1),
        (CALL, 1, 0),
        (CHECK, 0, 0),
        (CHECK, 0, 1),
        (RaiseTo(24), 2, 0),
    ):
        state = played(game, *line, button=1)
        assert state.actor == actor
        found = located(locator, state)
        assert (found.inside, found.node) == (True, node)
        assert found.actions[place] == action
        line.append(action)
        node = tree.children(node)[place]


def test_all_in_of_a_short_stack_is_a_bet(tree: BettingTree) -> None:
    game = load("nlhe", stack="3bb")
    locator = Locator(tree, Translation("deterministic"))
    found = located(locator, played(game, RaiseTo(6)))
    assert found.node == along(tree, 3)  # 3bb, not the tree's 50
    assert set(found.actions) == {FOLD, CALL}
    game = load("nlhe", stack="40bb")
    found = located(locator, played(game, RaiseTo(80)))
    assert found.node == along(tree, 4)


def test_all_ins_far_below_the_trees_are_priced(tree: BettingTree) -> None:
    locator = Locator(tree, Translation("deterministic"))
    for stack, line, priced in (
        (20, [RaiseTo(40)], True),
        (20, [RaiseTo(30)], True),  # read as the tree's all-in
        (20, [RaiseTo(6)], False),
        (20, [RaiseTo(4), RaiseTo(40)], True),
        (40, [RaiseTo(80)], False),  # more than half of the tree's
        (50, [RaiseTo(100)], False),
        (50, [RaiseTo(40)], False),  # at the depth of training the tree decides
        (11, [CALL, CHECK, RaiseTo(20)], True),
        (5, [CALL, CHECK, RaiseTo(4)], False),  # a bet of one pot
        (5, [RaiseTo(10)], True),  # read as a raise, but all-in before the flop
    ):
        found = located(locator, played(load("nlhe", stack=f"{stack}bb"), *line))
        assert found.priced is priced, (stack, line)
    state = played(load("nlhe", stack="20bb"), RaiseTo(30), CALL)
    assert not located(locator, state).priced
    for stack, priced in ((51, False), (50, True)):  # half of 24.5 pots: 2 + 49 chips
        assert located(locator, played(load("nlhe", stack=stack), RaiseTo(stack))).priced is priced


@pytest.mark.parametrize("rule", ["pseudo-harmonic", "deterministic", "similarity"])
def test_chips_that_nobody_can_call_are_not_counted(tree: BettingTree, rule: str) -> None:
    for before in ([], [CALL, CHECK]):
        for short in range(6, 60, 3):
            game = load("nlhe", stack=(200, short))
            state = played(game, *before)
            if state.actor:  # after the flop the short stack is first
                before = [*before, CHECK]
                state = played(game, *before)
            most = short - 2 if len(before) > 1 else short
            exact = located(Locator(tree, Translation(rule)), played(game, *before, RaiseTo(most)))
            for chips in (most + 1, most + 2, 150, state.actions.max_raise):
                again = played(game, *before, RaiseTo(chips))
                assert located(Locator(tree, Translation(rule)), again) == exact


def test_all_in_of_a_deep_stack_is_a_share_of_the_pot(tree: BettingTree) -> None:
    locator = Locator(tree)
    found = located(locator, played(load("nlhe", stack="60bb")))
    assert found.actions[-1] == RaiseTo(120)
    for stack, most in ((198, 198), (199, 100), (1000, 100)):  # twice 24.5 pots: 2 + 196 chips
        found = located(locator, played(load("nlhe", stack=stack)))
        assert found.actions[-1] == RaiseTo(most)


def test_a_call_of_the_trees_all_in_puts_the_rest_in(tree: BettingTree) -> None:
    game, locator = load("nlhe", stack="50bb"), Locator(tree, Translation("deterministic"))
    found = located(locator, played(game, RaiseTo(60)))
    assert found.node == along(tree, 4)
    assert found.actions == (FOLD, RaiseTo(100))
    for stack, answer in ((180, RaiseTo(180)), (181, CALL)):  # 60 is a third
        found = located(locator, played(load("nlhe", stack=stack), RaiseTo(60)))
        assert found.actions == (FOLD, answer)
    deep = load("nlhe", stack="500bb")
    found = located(locator, played(deep, RaiseTo(60)))
    assert found.actions == (FOLD, CALL)
    after = located(locator, played(deep, RaiseTo(60), CALL))
    assert not after.inside
    assert after.node == -1


def test_past_the_tree_the_last_decision_answers(tree: BettingTree) -> None:
    deep, locator = load("nlhe", stack="500bb"), Locator(tree)
    found = located(locator, played(deep, RaiseTo(100), RaiseTo(300)))
    assert not found.inside
    assert found.node == 0
    assert found.actions == ()


@pytest.mark.parametrize(
    ("game", "what"),
    [
        (load("nlhe", seats=3), "seats"),
        (load("short-deck", seats=2), "order of hands"),
        (load("toy-holdem"), "board cards"),
    ],
)
def test_other_cards_are_refused(tree: BettingTree, game: Any, what: str) -> None:
    state = dealt(game.start(), Random(0))
    with pytest.raises(OptionError, match=f"cannot play {game.name} .*other .*{what}"):
        Locator(tree).check(state.view(state.actor))


def test_a_tree_with_a_run_is_not_for_holdem_and_one_of_holdem_ends_at_the_river(
    tree: BettingTree,
) -> None:
    blood, holdem = load("river-of-blood"), load("nlhe", stack=400)
    with pytest.raises(OptionError, match="other suits"):
        Locator(betting_tree(blood, "a; cap 1")).check_table(holdem.name, holdem.rules)
    Locator(tree).check_table(blood.name, blood.rules)


def test_blueprints_where_boards_run_on_are_followed() -> None:
    game = load("river-of-blood", stack=40)
    tree = betting_tree(game, "a; cap 1")
    locator, rng = Locator(tree), Random(1)
    longest = 0
    for _ in range(200):
        state = dealt(game.start(), rng)
        while state.actor != TERMINAL:
            view = state.view(state.actor)
            locator.check(view)
            (found,) = locator.locate(view)
            assert found.inside
            longest = max(longest, len(view.board))
            passive = CHECK if view.actions.check else CALL
            state = dealt(state.apply(passive), rng)
    assert longest > 6
