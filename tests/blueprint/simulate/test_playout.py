from random import Random

import numpy as np
import pytest

from naive.blueprint.playout import SplitMix, deal, replay, walk
from naive.games.betting import offered
from tiltless.abstraction.bets.grammar import parse_menu
from tiltless.abstraction.cards.buckets import ONE_BUCKET, PREFLOP_CLASSES, ComboBuckets
from tiltless.blueprint.simulate import playout
from tiltless.blueprint.simulate.playout import BLOCK, play
from tiltless.blueprint.tree import betting_tree, label_of
from tiltless.cards.card import CLASS_OF_COMBO, COMBO_OF
from tiltless.cards.hand_order import hand_tables
from tiltless.cards.scalar_evaluate import showdown
from tiltless.errors import ArrayError, OptionError
from tiltless.games import CHANCE, TERMINAL, load
from tiltless.games.holdem.pots import share_out, side_pots
from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.streets import no_limit
from tiltless.kernels.base.rng import seed_words
from tiltless.kernels.blueprint.nodes import (
    ACTIONS,
    ACTOR,
    FIRST,
    ROW,
    SHOWDOWN,
    STREET,
    UNCONTESTED,
    BettingNodes,
)
from tiltless.kernels.blueprint.playout import CardLayout, settle_hands
from tiltless.kernels.cards.shuffle import deal_hands

POT = parse_menu("100%, a")
TWO = parse_menu("50%, 100%, a; cap 2")
OPEN = parse_menu("50%, 100%, a")
ALL_IN = parse_menu("a")

CONFIGURATIONS = {
    "heads-up": (load("nlhe"), OPEN),
    "heads-up, uneven": (load("nlhe", stack=(9, 31), ante=1), TWO),
    "heads-up, button on 1": (load("nlhe", stack=(9, 31), button=1), TWO),
    "three": (load("nlhe", seats=3, stack=(7, 25, 13), ante=1, button=1), POT),
    "four, acpc": (load("nlhe", seats=4, stack=(20, 6, 11, 3), minimum_raise="acpc"), POT),
    "five, big blind ante": (
        load("nlhe", seats=5, stack=(3, 1, 5, 2, 7), big_blind_ante=2),
        ALL_IN,
    ),
    "six": (load("nlhe", seats=6, stack=(4, 4, 7, 4, 4, 5)), parse_menu("a; cap 1")),
    "limit": (load("limit-holdem"), OPEN),
    "short deck": (load("short-deck", seats=3, stack=20), POT),
    "toy": (load("toy-holdem"), OPEN),
    "permutation": (load("permutation", stack=20, ranks="A23456789TJQK"), POT),
    "river of blood": (load("river-of-blood", stack=60), TWO),
    "river of blood, all flushes": (load("river-of-blood", stack=9, eval7_flushes=False), POT),
    "four hole cards": (
        Rules((9, 12), (1, 2), no_limit((2, 2, 2, 2)), hole_cards=4),
        POT,
    ),
}
TREES = {name: betting_tree(*each) for name, each in CONFIGURATIONS.items()}
every_tree = pytest.mark.parametrize("tree", TREES.values(), ids=TREES)


def buckets_for(tree):
    """Classes before the flop, the parity of the combo on the next street, no buckets later."""
    if tree.game.rules.hole_cards != 2:
        return [ONE_BUCKET] * tree.streets
    parity = ComboBuckets(2, np.arange(1326) & 1)
    return [PREFLOP_CLASSES, parity, *[ONE_BUCKET] * (tree.streets - 2)]


def some_policy(tree, buckets, dtype=np.float32):
    """Weights, many of them zero or less; calls weigh most, so that hands become long."""
    rng = np.random.default_rng(7)
    rows = tree.rows([group.count for group in buckets])
    table = rng.normal(0.0, 1.0, rows.start[-1]).astype(dtype)
    for node in tree.nodes.node.tolist():
        actions, count = node[ACTIONS], int(rows.buckets[node[STREET]])
        if node[ACTOR] >= 0:
            begin = int(rows.start[node[STREET]]) + node[ROW] * count
            passive = 1 if tree.nodes.label[node[FIRST]] == -3 else 0
            table[begin + passive : begin + actions * count : actions] = 2.0
    return rows, table


def combo_bucket(cards, player, street):
    if street > 1:
        return 0
    combo = COMBO_OF[cards[2 * player], cards[2 * player + 1]]
    return int(CLASS_OF_COMBO[combo]) if street == 0 else int(combo) & 1


def check_hands(tree, hands, seed, dtype=np.float32):
    """Play compiled hands, follow the same generators in Python, replay in the readable game."""
    buckets = buckets_for(tree)
    rows, table = some_policy(tree, buckets, dtype)
    played = play(tree, hands, seed=seed, policy=table, buckets=buckets, payoffs=True, trace=True)
    luck, choices = (SplitMix(word[0]) for word in seed_words(seed, 2))
    game = tree.game
    hole = game.rules.hole_cards
    always = hole * game.players + tree.board
    deck = [card for card in range(52) if game.deck >> card & 1]
    seats = [(game.button + player) % game.players for player in range(game.players)]
    plain = hole != 2
    shown = longest = 0
    for i in range(hands):
        cards = deal(luck, deck, always, game.rules.run_suits)
        assert played.cards[i, : len(cards)].tolist() == cards
        path = walk(
            choices,
            tree,
            table,
            rows,
            cards[hole * game.players :],
            lambda p, s, cards=cards: 0 if plain else combo_bucket(cards, p, s),
        )
        assert played.path[i, : len(path)].tolist() == path
        assert (played.path[i, len(path) :] == -1).all()
        state = replay(tree, cards, path)
        assert played.payoffs[i].tolist() == [state.payoffs[seat] for seat in seats]
        kind = tree.nodes.node[path[-1], ACTOR]
        assert kind == (SHOWDOWN if len(state.live) > 1 else UNCONTESTED)
        shown += kind == SHOWDOWN
        longest = max(longest, state.street)
    assert shown > hands // 10
    assert longest >= len(game.rules.streets) - 1 + 2 * bool(game.rules.run_suits)
    assert played.sums.tolist() == played.payoffs.sum(axis=0).tolist()
    assert played.squares.tolist() == (played.payoffs.astype(float) ** 2).sum(axis=0).tolist()


@every_tree
def test_hands_are_those_of_the_readable_game(tree):
    check_hands(tree, 400, seed=3)


@pytest.mark.nojit
@pytest.mark.bounds
@pytest.mark.parametrize("name", ["heads-up, uneven", "three", "river of blood", "toy"])
def test_a_few_hands(name):
    check_hands(TREES[name], 25, seed=5, dtype=np.float64)


@pytest.mark.bounds
@every_tree
def test_many_hands_conserve_chips(tree):
    played = play(tree, 3000, seed=1, payoffs=True)
    assert (played.payoffs.sum(axis=1) == 0).all()
    stacks = np.array(tree.game.rules.stacks)
    lost = np.roll(stacks, -tree.game.button)
    assert (played.payoffs >= -lost).all()
    assert played.sums.sum() == 0


def test_results_depend_on_the_seed_alone():
    tree = TREES["three"]
    hands = 2 * BLOCK + 1000
    first = play(tree, hands, seed=4, payoffs=True)
    threads = play(tree, hands, seed=4, threads=3, payoffs=True, trace=True)
    assert np.array_equal(first.payoffs, threads.payoffs)
    assert first.squares.tolist() == threads.squares.tolist()
    longer = play(tree, hands + 5000, seed=4, payoffs=True)
    assert np.array_equal(first.payoffs, longer.payoffs[:hands])
    other = play(tree, hands, seed=5, payoffs=True)
    assert not np.array_equal(first.payoffs, other.payoffs)
    sums_only = play(tree, hands, seed=4)
    assert sums_only.sums.tolist() == first.sums.tolist()
    assert sums_only.payoffs is None
    passive = play(tree, hands, seed=4, policy=by_action(tree, fold=0, more=0), trace=True)
    assert np.array_equal(passive.cards, threads.cards)


def test_every_block_has_its_own_generators_and_deck():
    tree = TREES["limit"]
    played = play(tree, 2 * BLOCK + 9, seed=6, trace=True)
    states = seed_words(6, 6)
    for block in range(3):
        deck = list(range(52))
        luck = SplitMix(states[2 * block, 0])
        for hand in range(9):
            assert played.cards[block * BLOCK + hand].tolist() == deal(luck, deck, 9, "")


def by_action(tree, fold, more):
    """Weight 1 for checks and calls, others for folds and raises."""
    label = tree.nodes.label[tree.table_nodes()]
    return np.where(label == -3, fold, np.where(label >= 0, more, 1)).astype(np.float32)


def test_always_fold_gives_up_the_blinds():
    tree = betting_tree(load("nlhe", seats=4, stack=40), POT)
    label = tree.nodes.label[tree.table_nodes()]
    folds = (label == -3).astype(np.float64)
    played = play(tree, 5000, policy=folds, payoffs=True)
    assert (played.payoffs == [0, -1, 1, 0]).all()
    assert played.mean.tolist() == [0, -1, 1, 0]
    assert played.standard_error.tolist() == [0, 0, 0, 0]


def test_always_call_shows_every_hand():
    tree = TREES["heads-up"]
    played = play(tree, 200_000, policy=by_action(tree, fold=0, more=0), payoffs=True)
    assert set(played.payoffs[:, 0].tolist()) == {-2, 0, 2}
    assert np.mean(played.payoffs[:, 0] == 0) == pytest.approx(0.0406, abs=0.002)
    assert abs(played.mean[0]) < 4 * played.standard_error[0]


def test_always_raise_ends_all_in():
    tree = TREES["heads-up"]
    largest = np.zeros(tree.size.nodes - 1)
    label = tree.nodes.label[tree.table_nodes()]
    largest[label == 200] = 1
    largest[label == -1] = 1e-30
    played = play(tree, 20_000, policy=largest, payoffs=True)
    assert set(np.abs(played.payoffs).ravel().tolist()) == {0, 200}


def test_weights_of_zero_and_less_are_never_chosen():
    tree = TREES["heads-up"]
    table = np.full(tree.size.nodes - 1, -5.0, dtype=np.float32)
    last = tree.table_nodes()
    keep = np.random.default_rng(1).random(len(table)) < 0.4
    table[keep] = 1e-20
    played = play(tree, 50_000, policy=table, trace=True)
    visited = played.path[:, 1:]
    steps = np.stack([played.path[:, :-1].ravel(), visited.ravel()], axis=1)
    steps = steps[steps[:, 1] >= 0]
    weight = np.zeros(tree.size.nodes, dtype=bool)
    weight[last[keep]] = True
    some = {}
    for parent in np.unique(steps[:, 0]).tolist():
        some[parent] = any(weight[child] for child in tree.children(parent))
    for parent, child in np.unique(steps, axis=0).tolist():
        assert weight[child] or not some[parent]


def test_weights_whose_sum_is_infinite_stay_in_the_tree():
    tree = TREES["heads-up"]
    table = np.full(tree.size.nodes - 1, 1.7e308)
    table[::3] = -1.7e308
    assert play(tree, 1000, policy=table).sums.sum() == 0


def readable_playouts(game, menu, hands, seed):
    """Everybody chooses from the menu at random, in the readable game."""
    rng = Random(seed)
    payoffs = []
    for _ in range(hands):
        state = game.start()
        while state.actor != TERMINAL:
            if state.actor == CHANCE:
                state = state.apply(state.chance.sample(rng))
            else:
                state = state.apply(rng.choice(offered(state, menu)))
        payoffs.append(state.payoffs)
    return np.array(payoffs)


@pytest.mark.parametrize("name", ["heads-up, uneven", "three", "limit", "river of blood"])
def test_random_play_has_the_same_mean_as_in_the_readable_game(name):
    game, menu = CONFIGURATIONS[name]
    slow = readable_playouts(game, menu, 1500, seed=2)
    slow = np.roll(slow, -game.button, axis=1)
    fast = play(TREES[name], 200_000, seed=2)
    error = np.sqrt(slow.var(axis=0) / len(slow) + fast.standard_error**2)
    assert (np.abs(slow.mean(axis=0) - fast.mean) < 4 * error).all()
    spread = np.sqrt(fast.squares / fast.hands - fast.mean**2)
    assert np.allclose(spread, slow.std(axis=0), rtol=0.25)


# The kernels by themselves


@pytest.mark.nojit
@pytest.mark.bounds
def test_pots_are_shared_out_as_in_the_readable_game():
    """Any payments, also such as no betting leads to, and boards on which many hands tie."""
    rng = np.random.default_rng(11)
    boards = ["AsKsQsJsTs", "AcAdAhAsKc", "2c2d3h3s4c", "QcTd8h6s3c"]
    hands = 60
    for players in range(2, 11):
        paid = rng.integers(0, 12, (hands, players))
        dead = np.zeros(players, dtype=np.int64)
        dead[players - 1] = rng.integers(0, 2)
        paid[:, players - 1] += dead[players - 1]
        live = rng.integers(1, 1 << players, hands)
        kind = np.where(live & (live - 1) == 0, UNCONTESTED, SHOWDOWN)
        node = np.zeros((hands, 8), dtype=np.int32)
        node[:, 0], node[:, 4], node[:, 5] = kind, np.arange(hands), live
        cards = np.zeros((hands, 2 * players + 5), dtype=np.uint8)
        for i in range(hands):
            board = [parse(boards[i % 4][k : k + 2]) for k in range(0, 10, 2)]
            deck = rng.permutation([card for card in range(52) if card not in board])
            cards[i] = [*deck[: 2 * players], *board]
        payoffs = np.zeros((hands, players), dtype=np.int64)
        sums, squares = np.zeros(players, dtype=np.int64), np.zeros(players)
        nodes = BettingNodes(node, np.zeros(hands, dtype=np.int64), paid, dead)
        end = np.arange(hands, dtype=np.int32)
        settle_hands(
            nodes, end, CardLayout(2, 5, 0, False), cards, hand_tables(), payoffs, sums, squares
        )
        order = [*range(1, players), 0]
        for i in range(hands):
            expected = settled(paid[i], dead, int(live[i]), cards[i], order)
            assert payoffs[i].tolist() == expected
        assert sums.tolist() == payoffs.sum(axis=0).tolist()


@pytest.mark.nojit
@pytest.mark.bounds
@pytest.mark.parametrize("first_suit_only", [False, True])
def test_long_boards_with_several_flushes(first_suit_only):
    """Two players on boards that go on while the newest card is red."""
    rng = np.random.default_rng(5)
    hands = 100
    cards = np.zeros((hands, 35), dtype=np.uint8)
    boards = []
    for i in range(hands):
        deck = rng.permutation(52)
        hole, rest = deck[:4], deck[4:]
        red = [card for card in rest if card & 3 in (1, 2)]
        black = [card for card in rest if card & 3 in (0, 3)]
        board = [*black[:4], *red[: i % 20], black[4]]
        cards[i, : 4 + len(board)] = [*hole, *board]
        boards.append(board)
    node = np.zeros((1, 8), dtype=np.int32)
    node[0, [0, 5]] = SHOWDOWN, 3
    nodes = BettingNodes(node, np.zeros(1, int), np.array([[3, 3]]), np.zeros(2, int))
    payoffs, sums, squares = np.zeros((hands, 2), int), np.zeros(2, int), np.zeros(2)
    layout = CardLayout(2, 5, 0b0110, first_suit_only)
    end = np.zeros(hands, dtype=np.int32)
    settle_hands(nodes, end, layout, cards, hand_tables(), payoffs, sums, squares)
    several = 0
    for i, board in enumerate(boards):
        hole = cards[i, :4].tolist()
        one, other = showdown(eval7_flushes=first_suit_only).values(board, [hole[:2], hole[2:]])
        assert payoffs[i].tolist() == [3 * ((one > other) - (one < other)), -payoffs[i, 0]]
        a, b = showdown(eval7_flushes=not first_suit_only).values(board, [hole[:2], hole[2:]])
        several += (a > b) - (a < b) != (one > other) - (one < other)
    assert several > 0


def parse(text):
    return 4 * "23456789TJQKA".index(text[0]) + "cdhs".index(text[1])


def settled(paid, dead, live, cards, order):
    players = len(paid)
    if live & (live - 1) == 0:
        taken = [int(paid.sum()) if live >> p & 1 else 0 for p in range(players)]
    else:
        board, row = cards[2 * players :].tolist(), cards.tolist()
        values = showdown().values(board, [row[2 * p : 2 * p + 2] for p in range(players)])
        pots = side_pots((paid - dead).tolist(), live, int(dead.sum()))
        taken = share_out(pots, values, order)
    return [won - int(each) for won, each in zip(taken, paid, strict=True)]


@pytest.mark.bounds
@pytest.mark.parametrize("run_suits", [0, 0b0110])
def test_every_card_is_dealt_equally_often(run_suits):
    hands = 40_000
    deck = np.arange(16, 52, dtype=np.uint8)  # a short deck
    cards = np.full((hands, 28), 255, dtype=np.uint8)
    deal_hands(seed_words(1, 1)[0], deck, 9, run_suits, cards)
    assert sorted(deck.tolist()) == list(range(16, 52))
    for place in (0, 1, 4, 8):
        counts = np.bincount(cards[:, place], minlength=52)
        assert not counts[:16].any()
        assert np.abs(counts[16:] - hands / 36).max() < 5 * np.sqrt(hands / 36)
    pairs = np.bincount(36 * (cards[:, 0].astype(int) - 16) + cards[:, 8] - 16, minlength=36 * 36)
    assert not pairs[:: 36 + 1].any()
    assert pairs[pairs > 0].size == 36 * 35
    for row in cards[:2000].tolist():
        dealt = [card for card in row if card < 52]
        assert len(set(dealt)) == len(dealt)
        runs = [run_suits >> (card & 3) & 1 for card in dealt[8:]]
        assert runs[-1] == 0
        assert all(runs[:-1])


# What is refused


def test_policies_must_fit_the_tree():
    tree = TREES["limit"]
    with pytest.raises(ArrayError, match=r"16,583.*float32.*float64"):
        play(tree, 10, policy=np.zeros(5))
    with pytest.raises(ArrayError, match="dtype int64"):
        play(tree, 10, policy=np.zeros(16_583, dtype=np.int64))
    with pytest.raises(ArrayError, match="20,111"):
        play(tree, 10, policy=np.zeros(16_583), buckets=[PREFLOP_CLASSES, *[ONE_BUCKET] * 3])
    with pytest.raises(OptionError, match=r"2 numbers.*4 streets"):
        play(tree, 10, buckets=[ONE_BUCKET] * 2)


def test_other_arguments():
    tree = TREES["limit"]
    for wrong in ({"hands": 0}, {"hands": 10, "threads": 0}):
        with pytest.raises(OptionError, match=r"=.*1 to "):
            play(tree, **wrong)
    with pytest.raises(OptionError, match=r"ranks='\.\.\.'"):
        play(betting_tree(load("permutation", stack=8), POT), 10)
    with pytest.raises(OptionError, match=r" 4; .*ONE_BUCKET"):
        play(TREES["four hole cards"], 10, buckets=[PREFLOP_CLASSES] * 4)
    for wrong in (np.zeros(5, dtype=int), np.full(1326, 3), np.full(1326, -1)):
        with pytest.raises(ArrayError, match=r"1326.*0 to 2"):
            ComboBuckets(3, wrong)


def test_seeds_and_buckets_that_are_none():
    tree = TREES["limit"]
    for seed in (-1, 0.5, 2**64):
        with pytest.raises(OptionError, match=f"seed={seed} "):
            play(tree, 10, seed=seed)
    with pytest.raises(OptionError, match=r"_OneBucket.*\[ONE_BUCKET\] \* 4$"):
        play(tree, 10, buckets=ONE_BUCKET)
    with pytest.raises(OptionError, match=r"int .*ONE_BUCKET"):
        play(tree, 10, buckets=[1, 1, 1, 1])


def test_policies_may_be_lists():
    tree = TREES["limit"]
    table = by_action(tree, fold=0, more=2).astype(float)
    listed, given = (play(tree, 100, policy=each) for each in (table.tolist(), table))
    assert listed.sums.tolist() == given.sums.tolist()
    with pytest.raises(ArrayError, match=r"\(2,\).*dtype float64"):
        play(tree, 10, policy=[0.5, 0.5])
    with pytest.raises(ArrayError, match="the policy cannot be read as an array"):
        play(tree, 10, policy=[[0.5], [0.5, 0.5]])


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_policies_are_finite(wrong, dtype):
    table = np.ones(16_583, dtype=dtype)
    table[12_345] = wrong
    with pytest.raises(ArrayError, match=f"12,345 .*{wrong}"):
        play(TREES["limit"], 10, policy=table)


def test_buckets_of_combos_are_whole_numbers():
    with pytest.raises(ArrayError, match=r"dtype float64.*1326"):
        ComboBuckets(2, np.zeros(1326))
    with pytest.raises(ArrayError, match="dtype bool"):
        ComboBuckets(2, np.zeros(1326, dtype=bool))
    with pytest.raises(OptionError, match=r"count=1\.5"):
        ComboBuckets(1.5, np.zeros(1326, dtype=int))
    parity = ComboBuckets(2, [combo & 1 for combo in range(1326)])
    assert play(TREES["limit"], 10, buckets=[parity] * 4).sums.sum() == 0


class Careless:
    """Two buckets by its count; writes other numbers, perhaps to a street that is not its own."""

    count = 2

    def __init__(self, number, street=None):
        self.number, self.street = number, street

    def fill(self, cards, street, bucket):
        bucket[:, :, street] = 1
        bucket[-1, -1, street if self.street is None else self.street] = self.number


@pytest.mark.parametrize("threads", [1, 2])
def test_buckets_outside_the_table_are_refused(threads):
    tree = TREES["limit"]
    says = "street {} .*bucket {} .* {};"
    for last, street, number, count in [
        (Careless(2), 3, 2, 2),
        (Careless(2**32 - 1), 3, 2**32 - 1, 2),
        (Careless(1, street=0), 0, 1, 1),
    ]:
        with pytest.raises(OptionError, match=says.format(street, number, count)):
            play(tree, 10, buckets=[*[ONE_BUCKET] * 3, last], threads=threads)
    play(tree, 10, buckets=[*[ONE_BUCKET] * 3, Careless(1)], threads=threads)


def test_what_would_not_fit_into_memory_is_refused_before_anything_is_made(monkeypatch):
    tree = TREES["limit"]
    monkeypatch.setattr(playout, "seed_words", None)
    with pytest.raises(OptionError, match=r"^100,000,000,000.*1.6e\+03 GB"):
        play(tree, 10**11, payoffs=True)
    with pytest.raises(OptionError, match=r"^1,000,000.*GB"):
        play(tree, 10**6, trace=True, memory_limit=10**6)
    with pytest.raises(OptionError, match="memory_limit=0"):
        play(tree, 10, memory_limit=0)


def test_memory_of_what_is_kept():
    tree = TREES["limit"]
    played = play(tree, 1000, payoffs=True, trace=True)
    needed = played.payoffs.nbytes + played.cards.nbytes + played.path.nbytes
    needed += 16 + played.sums.nbytes + played.squares.nbytes
    play(tree, 1000, payoffs=True, trace=True, memory_limit=needed)
    with pytest.raises(OptionError, match="1,000"):
        play(tree, 1000, payoffs=True, trace=True, memory_limit=needed - 1)


def test_labels_name_actions():
    tree = TREES["heads-up"]
    for node in tree.children(0):
        assert label_of(tree.action(node)) == tree.nodes.label[node]
