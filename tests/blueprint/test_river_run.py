"""Training of River of Blood: boards dealt to their end, streets that repeat, buckets of each."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from helpers.quick_tables import quick_tables
from naive.blueprint import external as naive
from naive.blueprint import run_deals
from naive.cards.river_run import red
from tiltless.abstraction.cards.buckets import ONE_BUCKET, ComboBuckets, on_board
from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.abstraction.cards.river_run_fill import RunBuckets
from tiltless.abstraction.information.grammar import read_information
from tiltless.blueprint.bucket_columns import bucket_columns
from tiltless.blueprint.engine import BlueprintEngine, BlueprintRules
from tiltless.blueprint.information import card_groups, share_rows
from tiltless.blueprint.locate import Locator
from tiltless.blueprint.sampling import TraversalSetting, heads_up_payoffs
from tiltless.blueprint.shipped import MODELS, blueprint_for
from tiltless.blueprint.simulate.match import Side, simulate_match
from tiltless.blueprint.simulate.playout import play
from tiltless.blueprint.strategy import Blueprint, buckets_of
from tiltless.blueprint.training import run as training
from tiltless.blueprint.training.config import read_config
from tiltless.blueprint.training.run import Trainer
from tiltless.blueprint.tree import betting_tree
from tiltless.cards.card import COMBO_OF
from tiltless.cards.hand_order import hand_tables
from tiltless.errors import OptionError
from tiltless.games import load
from tiltless.games.holdem.actions import CALL, CHECK
from tiltless.kernels.base.rng import fill_words
from tiltless.kernels.blueprint.external import (
    BlueprintTables,
    Deals,
    TraversalRules,
    traverse_external,
)
from tiltless.kernels.blueprint.nodes import ACTIONS, ACTOR, ROW, STREET
from tiltless.kernels.cards.evaluate import evaluate_large_hands

RNG = np.random.default_rng(11)
GAME = load("river-of-blood", stack=20)
TREE = betting_tree(GAME, "100%; cap 2")
FREE = TraversalRules(1.0, -np.inf, -np.inf, 1.0)
PAIRS = ComboBuckets(2, RNG.integers(0, 2, 1326))


def run_groups():
    """Buckets that look at the board on the river and on the run alone."""
    river, run = card_abstraction("run-small").streets[3:5]
    return [PAIRS, PAIRS, PAIRS, RunBuckets(river, 5), RunBuckets(run, 6)]


def policy_of(tree, average):
    """The strategy of each decision, by its node; a bucket for all hands."""
    rows, found = tree.rows(), {}
    for at, (actor, street, actions, _, row, *_) in enumerate(tree.nodes.node.tolist()):
        if actor >= 0:
            begin = int(rows.start[street]) + row
            mine = average[begin : begin + actions].astype(float)
            found[at] = mine / mine.sum() if mine.sum() else np.full(actions, 1 / actions)
    return found


# Traversals


@pytest.mark.nojit
@pytest.mark.parametrize("columns", [5, 12, 30])
@pytest.mark.parametrize(
    "rules", [FREE, TraversalRules(1.0, -6.0, -2.0, 0.3)], ids=["free", "pruned"]
)
def test_traversals_are_those_of_the_slow_twin(columns, rules):
    hands, rows = 60, TREE.rows([3] * TREE.streets)
    size = int(rows.start[-1])
    start = RNG.normal(0, 3, size).astype(np.float32)
    fast = BlueprintTables(start.copy(), np.zeros_like(start), heads_up_payoffs(TREE))
    slow = BlueprintTables(start.copy(), np.zeros_like(start), fast.payoff)
    last = (3 + np.minimum(RNG.geometric(0.4, hands) - 1, 26)).astype(np.uint8)
    assert last.max() > 5
    deals = Deals(
        RNG.integers(0, 3, (hands, 2, columns)).astype(np.uint32),
        RNG.integers(-1, 2, hands).astype(np.int8),
        RNG.integers(0, 2**63, hands).astype(np.uint64),
        last,
    )
    for hand in range(hands):
        words = naive.Words(deals.words[hand])
        dealt = deals.bucket[hand], int(deals.result[hand])
        naive.walk(TREE, rows, slow, dealt, hand & 1, words, rules, int(last[hand]) - 3)
    traverse_external(TREE.nodes, rows, fast, deals, 0, rules, TREE.size.depth, 8, 1)
    np.testing.assert_array_equal(fast.regret, slow.regret)
    np.testing.assert_array_equal(fast.average, slow.average)


def test_a_game_that_can_be_solved_by_hand():
    """One bucket, two raises, a coin for each street: the river is good for player 0, the run for
    player 1. Streets that repeat do not know how often, and need not."""

    def wins(gone):
        return -0.6 if gone else 0.9

    rows, block, payoff = TREE.rows(), 4096, heads_up_payoffs(TREE)
    size = int(rows.start[-1])
    tables = BlueprintTables(np.zeros(size, np.float32), np.zeros(size, np.float32), payoff)
    for step in range(1, 201):
        last = (2 + np.minimum(RNG.geometric(0.5, block), 27)).astype(np.uint8)
        share = np.where(last > 3, wins(1), wins(0))
        deals = Deals(
            np.zeros((block, 2, 5), np.uint32),
            np.where(RNG.random(block) < (1 + share) / 2, 1, -1).astype(np.int8),
            RNG.integers(0, 2**63, block).astype(np.uint64),
            last,
        )
        traverse_external(TREE.nodes, rows, tables, deals, 0, FREE, TREE.size.depth, 8, 8)
        for table in tables[:2]:
            table *= step / (step + 1)
    best = run_deals.solve(TREE, payoff, wins)
    policy = policy_of(TREE, tables.average)
    found = run_deals.value(TREE, payoff, wins, lambda at, after: policy[at] @ np.array(after))
    uniform = run_deals.value(TREE, payoff, wins, lambda at, after: np.mean(after))
    assert found == pytest.approx(best, abs=0.1)
    assert abs(uniform - best) > 0.5  # doing nothing would not pass
    for player in range(2):  # nobody gains much by any other strategy

        def reply(at, after, player=player):
            mine = int(TREE.nodes.node[at, ACTOR]) == player
            extreme = min if player else max
            return extreme(after) if mine else policy[at] @ np.array(after)

        gain = run_deals.value(TREE, payoff, wins, reply) - found
        assert -1e-9 <= (-gain if player else gain) < 0.25


# Deals


def test_deals_are_those_of_the_game():
    setting = TraversalSetting(TREE, tuple(run_groups()))
    lasts, seen = [], 0
    for _ in range(40):
        state = RNG.integers(0, 2**63, 1).astype(np.uint64)
        last = np.zeros(8192, np.uint8)
        result = np.zeros(8192, np.int8)
        cards = setting._deal_runs(state, last, result)
        lasts.append(last[::128])
        for hand in range(0, 8192, 1024):
            board = cards[hand, 4 : 4 + last[hand] + 2].tolist()
            hole = cards[hand, :4].tolist()
            assert len({*board, *hole}) == len(board) + 4
            assert [red(card) for card in board[4:]] == [True] * (len(board) - 5) + [False]
            seen += len(board) > 7
    assert seen
    every = np.concatenate(lasts)
    chance, left = Fraction(1), []
    for more in range(4):  # colours of consecutive cards of a deck
        stay = Fraction(26 - more, 52 - more)
        left.append(float(chance * (1 - stay)))
        chance *= stay
    for more, share in enumerate(left):
        error = (share * (1 - share) / len(every)) ** 0.5
        assert abs((every == 3 + more).mean() - share) < 4.5 * error


def test_showdowns_and_buckets_of_long_boards():
    groups, hands = run_groups(), 8192
    setting = TraversalSetting(TREE, tuple(groups))
    deals = setting.deal(np.array([5], np.uint64), hands)
    state, last, result = np.array([5], np.uint64), np.zeros(hands, np.uint8), deals.result.copy()
    fill_words(state, np.empty(hands, np.uint64))
    cards = setting._deal_runs(state, last, result)  # the cards that were dealt
    np.testing.assert_array_equal(last, deals.last)
    for hand in [*range(0, hands, 700), int(last.argmax())]:
        board = cards[hand, 4 : 6 + int(last[hand])]
        both = np.vstack([[*cards[hand, :2], *board], [*cards[hand, 2:4], *board]])
        values = np.zeros(2, np.uint16)
        evaluate_large_hands(both.astype(np.uint8), True, hand_tables(), values)
        assert np.sign(int(values[0]) - int(values[1])) == deals.result[hand]
        for column in range(3, int(last[hand]) + 1):
            found = groups[min(column, 4)].rule.buckets(board[: column + 2])
            for player in range(2):
                combo = COMBO_OF[cards[hand, 2 * player], cards[hand, 2 * player + 1]]
                assert deals.bucket[hand, player, column] == found[combo]


def test_columns():
    groups = run_groups()
    columns = bucket_columns(TREE, groups)
    assert len(columns) == 30
    assert [group.board_cards for group in columns[3:]] == [*range(5, 32)]
    assert bucket_columns(TREE, [ONE_BUCKET] * 5) == (ONE_BUCKET,) * 5
    assert on_board(PAIRS, 9) is PAIRS
    longer = betting_tree(GAME, "100%; cap 1", repeat_from=6)
    columns = bucket_columns(longer, [*groups, RunBuckets(groups[4].rule, 7), groups[4]])
    assert [getattr(group, "board_cards", 0) for group in columns[3:]] == [*range(5, 32)]


# The engine and what plays its strategies


def test_training_gains_and_equal_sides_win_nothing():
    groups = run_groups()
    engine = BlueprintEngine(TREE, groups, BlueprintRules(discount_every=8192 * 4), seed=1)
    engine.run(8192 * 6)
    again = BlueprintEngine(TREE, groups, BlueprintRules(discount_every=8192 * 4), seed=1)
    again.run(8192 * 6)
    np.testing.assert_array_equal(engine.average, again.average)
    mine, even = Side(engine.policy(), groups), Side(np.zeros_like(engine.average), groups)
    assert simulate_match(TREE, 300, mine, mine).mean == 0.0
    gain = simulate_match(TREE, 1500, mine, even, seed=3)
    assert gain.mean - 4 * gain.standard_error > 0
    hands = play(TREE, 600, policy=engine.policy(), buckets=groups)
    assert hands.sums.sum() == 0


def test_playouts_use_the_bucket_of_each_board():
    """On the run a hand bets in some buckets alone; which ones is looked up by hand."""
    groups, count = run_groups(), 16
    rows = TREE.rows([group.count for group in groups])
    table = np.zeros(int(rows.start[-1]), np.float32)
    for node in TREE.nodes.node.tolist():
        if node[ACTOR] >= 0:
            begin, actions = int(rows.start[node[STREET]]), node[ACTIONS]
            many = groups[node[STREET]].count
            mine = table[begin + node[ROW] * many :][: many * actions].reshape(many, actions)
            passive = 1 if actions == 3 or node[STREET] == 0 else 0
            mine[:, min(passive, actions - 1)] = 1
            if node[STREET] == 4 and passive == 0:
                mine[:], mine[::2, -1], mine[1::2, 0] = 0, 1, 1
    kept = play(TREE, 700, policy=table, buckets=groups, trace=True)
    looked = 0
    for cards, path in zip(kept.cards, kept.path, strict=True):
        run = -1
        for at, after in zip(path.tolist(), path.tolist()[1:], strict=False):
            node = TREE.nodes.node[at].tolist()
            if node[ACTOR] == -1:
                run += 1
                continue
            if after >= 0 and node[ACTOR] >= 0 and node[STREET] == 4 and node[ACTIONS] == 2:
                board = cards[4 : 4 + 6 + run]
                if TREE.nodes.label[node[3]] == -3:
                    continue  # faces a bet
                player = node[ACTOR]
                combo = COMBO_OF[cards[2 * player], cards[2 * player + 1]]
                bucket = int(groups[4].rule.buckets(board)[combo])
                assert (after - node[3] == 1) == (bucket % 2 == 0)
                looked += run > 0
    assert looked > 10
    assert count == groups[4].count


def test_schemes_that_cannot_traverse_it_say_so():
    for sampling in ("chance", "public-chance"):
        with pytest.raises(OptionError, match="external"):
            BlueprintEngine(TREE, [ONE_BUCKET] * 5, BlueprintRules(sampling=sampling))


def test_a_run_is_resumed_to_the_bit(tmp_path, monkeypatch):
    monkeypatch.setattr(training, "build_tables", quick_tables)
    config = replace(read_config("blood-minute"), bets="100%; cap 1").with_stop(3 * 8192, None)
    whole = Trainer(config, tmp_path / "whole", threads=1, match_deals=0)
    whole.run()
    part = Trainer(config.with_stop(8192, None), tmp_path / "part", threads=1, match_deals=0)
    part.run()
    rest = Trainer(config, tmp_path / "part", threads=1, resume=True, match_deals=0)
    rest.run()
    np.testing.assert_array_equal(rest.engine.regret, whole.engine.regret)
    np.testing.assert_array_equal(rest.engine.average, whole.engine.average)
    assert len(whole.checks()) == 5  # 507 starting hands, which the checks know
    made = whole.blueprint()
    made.save(tmp_path / "made.safetensors")
    made.compact().save(tmp_path / "compact.safetensors")
    for name in ("made", "compact"):
        again = Blueprint.load(tmp_path / f"{name}.safetensors")
        again.verify()
        assert again.about.buckets == (507, 8, 8, 16, 16)


@pytest.mark.parametrize(
    ("cards", "information"), [("run-small", ""), ("river-of-blood", "ep-white")]
)
def test_one_lookup_and_many_agree_on_buckets(cards, information):
    """In training, in compiled matches and at the table a hand has the same bucket."""
    product = read_information(information) if information else None
    tree = betting_tree(load("river-of-blood", stack=12), "100%; cap 1")
    tree = tree if product is None else share_rows(tree, product)
    abstraction = card_abstraction(cards)
    groups = [ComboBuckets(rule.count, PAIRS.of_combo) for rule in abstraction.streets[:3]]
    groups += [
        RunBuckets(rule, street + 2, abstraction.streets[street + 1 :])
        for street, rule in enumerate(abstraction.streets[3:5], 3)
    ]
    counts = buckets_of(tree, abstraction, product)
    average = np.ones(int(tree.rows(counts).start[-1]), np.float32)
    about = "river-of-blood", {"stack": 12}, "100%; cap 1"
    made = Blueprint.from_average(tree, *about, abstraction, average, information=product)
    columns = bucket_columns(tree, card_groups(tree, product, groups))
    reds = [card for card in range(52) if red(card)]
    for seed, size in enumerate((5, 6, 7, 9, 11)):
        rng = np.random.default_rng(seed)
        some = rng.permutation(reds)[: size + 3]
        board, hole = some[:size].astype(np.uint8), [0, 3, 4, 7]
        if seed % 2:
            board[-1] = 11  # black: the hand is over
        row = np.array([[*hole, *board]], np.uint8)
        bucket = np.zeros((1, 2, len(columns)), np.uint32)
        columns[size - 2].fill(row, size - 2, bucket)
        expected = made.buckets(board.tolist())
        for player in range(2):
            combo = COMBO_OF[hole[2 * player], hole[2 * player + 1]]
            assert bucket[0, player, size - 2] == expected[combo]


def test_hands_are_followed_along_the_run():
    """A player who checks every street comes back to the same node, and has other buckets."""
    game = load("river-of-blood", stack=20)
    locator = Locator(TREE)
    state = game.start(button=0).apply((50, 51)).apply((2, 3))
    for action in (CALL, CHECK):
        state = state.apply(action)
    nodes = []
    for street, dealt in enumerate([(0, 7, 8), (12,), (13,), (17,), (21,), (25,)], 1):
        state = state.apply(dealt)
        (reading,) = locator.locate(state.view(state.actor))
        assert reading.inside
        nodes.append(reading.tree_spot.node)
        assert reading.tree_spot.street == min(street, 4)
        state = state.apply(CHECK).apply(CHECK)
    first = TREE.nodes.node[nodes[3:], 3]
    assert (first == first[0]).all()
    assert len({*nodes[:4]}) == 4


def test_the_shipped_blueprint():
    made = Blueprint.load("river-of-blood")
    made.verify()
    assert (MODELS / "river-of-blood.safetensors").stat().st_size < 6_000_000
    assert made.game == load("river-of-blood")
    assert made.about.buckets == (507, 3600, 400, 490, 300)
    assert made.about.visited > 0.9 * made.about.infosets
    assert {result.against for result in made.results} >= {"call", "random", "raise", "fold"}
    assert all(result.interval[0] > 0 for result in made.results)
    for hole, folds in (("AsAh", 0.0), ("KhKd", 0.0), ("KsQs", 1.0), ("7s2h", 1.0)):
        for line in ("a", "c a"):  # 200 big blinds, first in
            assert dict(made.query(hole, line=line))["fold"] == pytest.approx(folds, abs=0.01)
    assert blueprint_for(load("river-of-blood").rules) == "river-of-blood"
    assert blueprint_for(load("nlhe", stack=400).rules) != "river-of-blood"
