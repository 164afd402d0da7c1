import numpy as np
import pytest

from naive.agents.push_or_fold import best_response_value, push_or_fold
from naive.blueprint import chance as blueprint_chance
from naive.blueprint import public_chance as blueprint_public
from tiltless.abstraction.cards.buckets import ComboBuckets
from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.abstraction.cards.tables import build_tables
from tiltless.blueprint.engine import BlueprintEngine, BlueprintRules
from tiltless.blueprint.sampling import (
    SCHEMES,
    ChanceTraversals,
    ExternalTraversals,
    PublicChanceTraversals,
    TraversalSetting,
    by_decision,
)
from tiltless.blueprint.street_blocks import street_blocks
from tiltless.blueprint.tree import betting_tree
from tiltless.cards.card import COMBO_CARDS, COMBO_COUNT
from tiltless.cards.evaluate import evaluate_many
from tiltless.cfr.pruning import RegretBased
from tiltless.errors import ArrayError, OptionError
from tiltless.games import load
from tiltless.kernels.blueprint.chance import traverse_chance
from tiltless.kernels.blueprint.external import BlueprintTables, TraversalRules
from tiltless.kernels.blueprint.nodes import ACTIONS, ACTOR, STREET
from tiltless.kernels.cards.shuffle import deal_hands

RNG = np.random.default_rng(11)
FREE = TraversalRules(1.0, -np.inf, -np.inf, 1.0)


def buckets(count):
    return ComboBuckets(count, RNG.integers(0, count, COMBO_COUNT))


def setting(game="nlhe", bets="100%, a; cap 2", counts=(5, 3, 4, 2), **parameters):
    tree = betting_tree(load(game, **parameters), bets)
    return TraversalSetting(tree, tuple(buckets(n) for n in counts[: tree.streets]))


def decisions(here):
    node = here.tree.nodes.node
    return [int(at) for at in np.flatnonzero(node[:, ACTOR] >= 0)]


def at_decision(table, scheme, number):
    begin, step, count, actions, apart = scheme.layout[number].tolist()
    place = begin + step * np.arange(count)[:, None] + apart * np.arange(actions)
    return table[place]


def test_places_cover_a_table_once():
    for name, scheme in SCHEMES.items():
        made = scheme(setting(stack=8))
        size = int(made.setting.rows.start[-1])
        numbers = np.arange(size)
        found = [at_decision(numbers, made, i) for i in range(len(made.setting.decisions))]
        assert sorted(np.concatenate([part.ravel() for part in found]).tolist()) == list(
            range(size)
        ), name


@pytest.mark.parametrize("name", SCHEMES)
def test_policies_lie_as_the_tree_has_it(name):
    made = SCHEMES[name](setting(stack=8))
    size = int(made.setting.rows.start[-1])
    table = RNG.random(size).astype(np.float32)
    policy = by_decision(made, table)
    node, rows = made.setting.tree.nodes.node, made.setting.rows
    for number, at in enumerate(decisions(made.setting)):
        street, count = int(node[at, STREET]), int(node[at, ACTIONS])
        begin = int(rows.start[street] + node[at, 4] * rows.buckets[street])
        wanted = at_decision(table, made, number).ravel()
        np.testing.assert_array_equal(policy[begin : begin + len(wanted)], wanted)
        assert wanted.size == rows.buckets[street] * count
    assert made.own_order == (policy is not table) == (policy != table).any()


@pytest.mark.parametrize("name", SCHEMES)
def test_a_policy_is_written_where_it_is_wanted(name):
    tree, groups = push_or_fold(8)
    engine = BlueprintEngine(tree, groups, BlueprintRules(name, discount_every=0), seed=1)
    engine.run(1)
    assert engine.average.any()
    out, older = np.full_like(engine.average, np.nan), engine.average[::-1].copy()
    for average in (None, older):
        wanted = engine.policy(average).copy()
        assert engine.policy(average, out=out) is out
        np.testing.assert_array_equal(out, wanted)
        assert not np.shares_memory(out, engine.average)
    for wrong in (out[:-1], out.astype(np.float64)):
        with pytest.raises(ArrayError, match="float32"):
            engine.policy(out=wrong)
        with pytest.raises(ArrayError, match=r"average.*float32"):
            engine.policy(wrong)


def chance_both(here, hands, start=None, floor=-np.inf):
    """The kernel and the twin on the same deals."""
    scheme = ChanceTraversals(here)
    size = int(here.rows.start[-1])
    regret = np.zeros(size, np.float32) if start is None else start(size)
    average = np.zeros(size, np.float32)
    slow, added = {}, {}
    for number, at in enumerate(decisions(here)):
        for bucket, row in enumerate(at_decision(regret, scheme, number)):
            slow[at, bucket] = row.astype(float)
    dealt = here.deal(np.array([7], np.uint64), hands)
    tables = BlueprintTables(regret, average, here.payoff)
    rules = FREE._replace(floor=floor)
    visited = traverse_chance(here.tree.nodes, scheme._rows, tables, dealt, 0, rules)
    assert visited == hands * len(here.tree.nodes.node)
    for hand in range(hands):
        held = dealt.bucket[hand], int(dealt.result[hand])
        blueprint_chance.walk(here.tree, slow, added, here.payoff, held, hand % 2, floor=floor)
    for number, at in enumerate(decisions(here)):
        for bucket, row in enumerate(at_decision(regret, scheme, number)):
            np.testing.assert_allclose(row, slow[at, bucket], rtol=2e-4, atol=2e-4)
        for bucket, row in enumerate(at_decision(average, scheme, number)):
            wanted = added.get((at, bucket), np.zeros(len(row)))
            np.testing.assert_allclose(row, wanted, rtol=2e-4, atol=2e-4)
    return regret, average


@pytest.mark.nojit
@pytest.mark.bounds
def test_chance_sampling_is_the_pseudocode():
    regret, average = chance_both(setting(stack=6, bets="a"), 6)
    assert np.count_nonzero(regret) > 20
    assert np.count_nonzero(average) > 20


def test_chance_sampling_is_the_pseudocode_in_the_toy_game():
    chance_both(setting("toy-holdem", "thesis"), 60)


def test_chance_sampling_from_any_regrets():
    def start(size):
        return RNG.normal(0, 5, size).astype(np.float32)

    chance_both(setting(stack=20, bets="50%, 100%, a; cap 2"), 20, start)
    chance_both(setting(stack=8), 40, start, floor=-3.0)


def public_both(here, start=None, floor=-np.inf, rounds=2):
    scheme = PublicChanceTraversals(here)
    size = int(here.rows.start[-1])
    regret = np.zeros(size, np.float32) if start is None else start(size)
    average = np.zeros(size, np.float32)
    found = decisions(here)
    slow = {at: at_decision(regret, scheme, n).astype(float) for n, at in enumerate(found)}
    added = {at: np.zeros_like(slow[at]) for at in found}
    visited = 0
    for turn in range(rounds):
        state = np.array([turn], np.uint64)
        boards = np.empty((2, here.tree.board), np.uint8)
        deal_hands(state.copy(), here.deck.copy(), boards.shape[1], 0, boards)
        visited += scheme.run(state, regret, average, FREE._replace(floor=floor))
        for player, board in enumerate(boards):
            dealt = scheme.hands(board)
            many = int(dealt.group[-1])
            cards = np.stack([dealt.first, dealt.second], axis=1)[:many] // 16
            values = np.searchsorted(dealt.group, np.arange(many), side="right")
            given = cards, values, dealt.bucket[:, :many].astype(int)
            blueprint_public.walk(here.tree, slow, added, here.payoff, given, player, floor)
    for number, at in enumerate(found):
        mine, wanted = at_decision(regret, scheme, number), slow[at]
        np.testing.assert_allclose(mine, wanted, rtol=3e-4, atol=3e-6 + 1e-5 * abs(wanted).max())
        np.testing.assert_allclose(
            at_decision(average, scheme, number), added[at], rtol=3e-4, atol=3e-5
        )
    return visited


@pytest.mark.nojit
@pytest.mark.bounds
def test_public_chance_sampling_is_a_sum_over_pairs_of_hands():
    assert public_both(setting(stack=3, bets="a", counts=(4, 2, 2, 3)), rounds=1) > 8


def test_public_chance_sampling_of_a_whole_tree():
    here = setting(stack=8)
    visited = public_both(here, rounds=1)
    nodes = len(here.tree.nodes.node)
    assert nodes < visited < 2 * nodes  # all while play is uniform, less in the second walk


@pytest.mark.parametrize(
    ("here", "floor"),
    [
        pytest.param({"bets": "50%, a; cap 2", "stack": 5}, -np.inf, marks=pytest.mark.slow),
        ({"bets": "a", "stack": 5}, -0.1),
        ({"game": "toy-holdem", "bets": "min; cap 1", "counts": (6, 4)}, -np.inf),
        ({"game": "short-deck", "bets": "a", "stack": 4}, -np.inf),
    ],
    ids=["sizes", "floor", "toy", "short deck"],
)
def test_public_chance_sampling_from_any_regrets(here, floor):
    def start(size):
        return np.maximum(RNG.normal(0, 1, size).astype(np.float32), np.float32(floor))

    public_both(setting(**here), start, floor=floor, rounds=1)


def test_where_the_opponent_never_comes_nothing_is_visited():
    here = setting(stack=8, counts=(1, 1, 1, 1))
    scheme = PublicChanceTraversals(here)
    size = int(here.rows.start[-1])
    regret = np.zeros(size, np.float32)
    for number in range(len(here.decisions)):
        begin, _, _, _, _ = scheme.layout[number].tolist()
        regret[begin] = 1e6  # everybody takes the first action: the button folds
    visited = scheme.run(np.zeros(1, np.uint64), regret, np.zeros(size, np.float32), FREE)
    nodes = len(here.tree.nodes.node)
    assert visited < 0.75 * 2 * nodes


def test_hands_of_a_board_are_sorted_and_complete():
    here = setting(stack=8)
    board = np.array([0, 5, 10, 15, 51], np.uint8)
    dealt = PublicChanceTraversals(here).hands(board)
    many = int(dealt.group[-1])
    assert many == 1081
    assert len(dealt.first) % 16 == 0
    cards = np.stack([dealt.first, dealt.second], axis=1)[:many] // 16
    seven = np.hstack([cards, np.tile(board, (many, 1))])
    values = evaluate_many(seven.astype(np.uint8)).astype(int)
    assert (np.diff(values) >= 0).all()
    assert (np.flatnonzero(np.diff(values)) + 1).tolist() == dealt.group[1:-1].tolist()
    assert len({tuple(sorted(hand)) for hand in cards.tolist()}) == 1081
    combos = {tuple(sorted(hand)): i for i, hand in enumerate(cards.tolist())}
    for street, group in enumerate(here.buckets):
        for combo, hand in enumerate(COMBO_CARDS.tolist()):
            if tuple(sorted(hand)) in combos:
                found = dealt.bucket[street, combos[tuple(sorted(hand))]]
                assert found == group.of_combo[combo]


def test_blocks_hold_every_node_once():
    tree = setting(stack=20, bets="50%, a; cap 2").tree
    blocks, node = street_blocks(tree), tree.nodes.node
    assert sorted(blocks.member.tolist()) == list(range(1, len(node)))
    for at in decisions(setting(stack=20, bets="50%, a; cap 2")):
        first, count = int(node[at, 3]), int(node[at, 2])
        places = blocks.position[first : first + count]
        assert places.tolist() == list(range(places[0], places[0] + count))
        parent = int(node[at, 6])
        if parent < 0 or node[parent, STREET] != node[at, STREET]:
            begin, size = int(blocks.begin[at]), int(blocks.count[at])
            assert size
            mine = blocks.member[begin : begin + size]
            assert set(range(first, first + count)) <= set(mine.tolist())
            assert size < blocks.largest[node[at, STREET]]
        else:
            assert blocks.count[at] == 0


@pytest.mark.parametrize(("name", "walks"), [("chance", 400_000), ("public-chance", 400)])
def test_push_or_fold_comes_close_to_equilibrium(name, walks):
    """Ten big blinds: exploitability by exact best responses, in chips."""
    tree, groups = push_or_fold(20)
    engine = BlueprintEngine(tree, groups, BlueprintRules(name), seed=1)

    def exploitability():
        table = engine.policy()
        return sum(best_response_value(tree, engine.rows, table, p) for p in (0, 1)) / 2

    engine.run(walks // 8)
    early = exploitability()
    engine.run(walks)
    late = exploitability()
    assert late < early < 0.5
    assert late < 0.1  # measured: 0.072 and 0.062, and 0.007 after ten times as many
    first_in = engine.average_at(0)
    assert first_in[0, 0] < 0.01 * first_in[0].sum()  # aces never fold first in
    assert engine.infosets_touched() > 300


@pytest.mark.parametrize("name", ["chance", "public-chance"])
def test_a_run_in_pieces_is_the_same_run(name):
    tree, groups = push_or_fold()
    block = SCHEMES[name].block
    rules = BlueprintRules(name, discount_every=2 * block)
    whole = BlueprintEngine(tree, groups, rules, seed=5)
    whole.run(7 * block)
    first = BlueprintEngine(tree, groups, rules, seed=5)
    first.run(3 * block)
    second = BlueprintEngine(tree, groups, rules, seed=5)
    second.restore({key: array.copy() for key, array in first.state().items()})
    second.run(4 * block)
    np.testing.assert_array_equal(whole.regret, second.regret)
    np.testing.assert_array_equal(whole.average, second.average)
    threads = BlueprintEngine(tree, groups, rules, seed=5, threads=2)
    threads.run(7 * block)
    assert threads.visited == pytest.approx(whole.visited, rel=0.2)
    assert threads.average.sum(dtype=float) == pytest.approx(
        whole.average.sum(dtype=float), rel=0.2
    )


class TwoExternal(ExternalTraversals):
    block = 2


class TwoChance(ChanceTraversals):
    block = 2


def test_a_walk_counts_as_much_in_every_scheme():
    """Mean regrets of the first decision while all play at random: the same in all three."""
    tree, groups = push_or_fold(20)
    here = TraversalSetting(tree, tuple(groups))
    size, means, errors = int(here.rows.start[-1]), [], []
    for scheme, rounds in (
        (TwoExternal(here), 12_000),
        (TwoChance(here), 5_000),
        (PublicChanceTraversals(here), 60),
    ):
        found = []
        for state in np.random.SeedSequence(1).generate_state(rounds, np.uint64):
            regret, average = np.zeros((2, size), np.float32)
            scheme.run(np.array([state]), regret, average, FREE)
            found.append(at_decision(regret, scheme, 0).sum(axis=0))
        means.append(np.mean(found, axis=0))
        errors.append(np.std(found, axis=0) / np.sqrt(rounds))
    assert means[2][0] == pytest.approx(-means[2][1] - means[2][2], abs=0.01)
    assert abs(means[2]).max() > 0.3
    for mean, error in zip(means[:2], errors[:2], strict=True):
        assert (abs(mean - means[2]) < 4 * np.hypot(error, errors[2])).all()
        assert error.max() < 0.15


def test_what_does_not_fit_is_refused():
    with pytest.raises(OptionError, match="sampling='outcome'"):
        BlueprintRules("outcome")
    with pytest.raises(OptionError, match="prune_below"):
        BlueprintRules("chance", pruning=RegretBased(-5.0))
    with pytest.raises(OptionError, match="2,048"):
        BlueprintRules("chance", discount_every=1000)
    assert BlueprintRules("public-chance").every == 64
    assert BlueprintRules("public-chance", discount_every=0).every == 0


def test_the_thesis_game_has_its_information_sets():
    tree = betting_tree(load("toy-holdem"), "thesis")
    groups = build_tables(card_abstraction("thesis")).groups[: tree.streets]
    engine = BlueprintEngine(tree, groups, BlueprintRules("chance"), seed=3)
    engine.run(2048)
    assert engine.rows.buckets.tolist() == [169, 169 * 455]
    # every decision of a hand's bucket has been met, of both players in turn
    assert engine.infosets_touched() > 2048 // 2 * 91
    assert np.isfinite(engine.regret).all()
    assert (engine.average_at(0) > 0).any()
