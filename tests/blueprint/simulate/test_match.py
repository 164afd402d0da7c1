import numpy as np
import pytest

from naive.blueprint import match as naive
from tiltless.abstraction.cards.buckets import ONE_BUCKET, PREFLOP_CLASSES, ComboBuckets
from tiltless.blueprint.simulate.match import BLOCK, MatchResult, Side, simulate_match
from tiltless.blueprint.simulate.playout import play
from tiltless.blueprint.tree import betting_tree
from tiltless.errors import ArrayError, OptionError
from tiltless.games import load
from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.streets import no_limit
from tiltless.kernels.blueprint.nodes import ACTIONS, ACTOR, PARENT, ROW, STREET

TWO = "50%, 100%, a; cap 2"
TREES = {
    "heads-up": betting_tree(load("nlhe", stack=40), "50%, 100%, a"),
    "uneven, button on 1": betting_tree(load("nlhe", stack=(9, 31), ante=1, button=1), TWO),
    "big blind ante": betting_tree(load("nlhe", stack=(12, 9), big_blind_ante=2), TWO),
    "limit": betting_tree(load("limit-holdem"), TWO),
    "short deck": betting_tree(load("short-deck", seats=2, stack=20), TWO),
    "toy": betting_tree(load("toy-holdem"), "50%, 100%, a"),
    "permutation": betting_tree(load("permutation", stack=20, ranks="A23456789TJQK"), "100%, a"),
    "river of blood": betting_tree(load("river-of-blood", stack=20), "100%, a; cap 1"),
    "four hole cards": betting_tree(
        Rules((9, 12), (1, 2), no_limit((2, 2, 2, 2)), hole_cards=4), "100%, a"
    ),
    "all-in from the start": betting_tree(Rules((1, 1), (1, 2), no_limit((2, 2, 2, 2))), "a"),
}
every_tree = pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
PARITY = ComboBuckets(2, np.arange(1326) & 1)
FEATURES = {PREFLOP_CLASSES: naive.class_of, PARITY: naive.parity_of, ONE_BUCKET: naive.nothing_of}


def buckets_of(tree, *first):
    """These, and nothing on later streets."""
    if tree.game.rules.hole_cards != 2:
        first = ()
    return [*first, *[ONE_BUCKET] * tree.streets][: tree.streets]


def some_side(tree, buckets, seed, dtype=np.float32, call=120):
    """Mixed weights, most of them for checks and calls."""
    rows = tree.rows([group.count for group in buckets])
    return Side(naive.some_weights(tree, rows, seed, dtype, call), buckets)


def two_sides(tree, first_type=np.float32, second_type=np.float32):
    """One looks at its cards before the flop, the other one after it."""
    return (
        some_side(tree, buckets_of(tree, PREFLOP_CLASSES, PARITY), 1, first_type, call=90),
        some_side(tree, buckets_of(tree, PARITY, PREFLOP_CLASSES), 2, second_type, call=70),
    )


def by_action(tree, fold, more):
    """Weight 1 for checks and calls, others for folds and raises; does not look at its cards."""
    label = tree.nodes.label[tree.table_nodes()]
    weights = np.where(label == -3, fold, np.where(label >= 0, more, 1)).astype(np.float32)
    return Side(weights, [ONE_BUCKET] * tree.streets)


def for_twin(tree, side):
    rows = tree.rows([group.count for group in side.buckets])
    return side.policy, rows, [FEATURES[group] for group in side.buckets]


def check_against_twin(tree, deals, seed, types=(np.float32, np.float32)):
    first, second = two_sides(tree, *types)
    payoffs = naive.play_match(
        tree, deals, for_twin(tree, first), for_twin(tree, second), seed=seed
    )
    assert (payoffs.sum(axis=2) == 0).all()
    won = (payoffs[:, 0, 0] + payoffs[:, 1, 1]) / 2
    button = payoffs[:, :, 0].mean(axis=1)
    result = simulate_match(tree, deals, first, second, seed=seed)
    assert (result.deals, result.hands) == (deals, 2 * deals)
    for found, error, expected in (
        (result.mean, result.standard_error, won),
        (result.button, result.button_error, button),
    ):
        assert found == pytest.approx(expected.mean(), rel=1e-12, abs=1e-12)
        assert error == pytest.approx(expected.std(ddof=1) / np.sqrt(deals), rel=1e-9)
    return won


@every_tree
def test_matches_are_those_of_the_twin_in_the_readable_game(tree):
    won = check_against_twin(tree, 300, seed=3)
    if tree.size.depth > 1:
        assert np.count_nonzero(won) > 30


@pytest.mark.nojit
@pytest.mark.bounds
@pytest.mark.parametrize("name", ["uneven, button on 1", "river of blood", "four hole cards"])
def test_a_few_deals(name):
    check_against_twin(TREES[name], 15, seed=5, types=(np.uint8, np.float64))


def test_every_deal_by_itself():
    """A longer match begins with a shorter one, so differences are single deals."""
    tree = TREES["heads-up"]
    first, second = two_sides(tree)
    twin = naive.play_match(tree, 40, for_twin(tree, first), for_twin(tree, second), seed=8)
    before = before_button = 0.0
    for deals in range(1, 41):
        result = simulate_match(tree, deals, first, second, seed=8)
        total, button = result.mean * result.hands, result.button * result.hands
        expected = twin[deals - 1]
        assert total - before == pytest.approx(expected[0, 0] + expected[1, 1], abs=1e-6)
        assert button - before_button == pytest.approx(expected[:, 0].sum(), abs=1e-6)
        before, before_button = total, button


@every_tree
@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
def test_a_policy_against_itself_gets_nothing_on_every_deal(tree, dtype):
    side = some_side(tree, buckets_of(tree, PREFLOP_CLASSES, PARITY), 1, dtype, call=60)
    twin = Side(side.policy.copy(), list(side.buckets))
    result = simulate_match(tree, 20_000, side, twin, seed=2)
    assert (result.mean, result.standard_error) == (0.0, 0.0)
    assert result.button_error > 0


def test_bytes_and_floats_of_one_policy_are_equal():
    """Also against each other, though their tables have different types."""
    tree = TREES["heads-up"]
    side = some_side(tree, buckets_of(tree, PREFLOP_CLASSES), 1, np.uint8, call=60)
    same = [Side(side.policy.astype(dtype), side.buckets) for dtype in (np.float32, np.float64)]
    for other in same:
        for pair in ((side, other), (other, side)):
            result = simulate_match(tree, 2000, *pair)
            assert (result.mean, result.standard_error) == (0.0, 0.0)


@every_tree
@pytest.mark.parametrize("types", [(np.float32, np.float32), (np.float32, np.uint8)])
def test_to_change_places_is_to_change_the_sign(tree, types):
    first, second = two_sides(tree, *types)
    one = simulate_match(tree, 5000, first, second, seed=4)
    two = simulate_match(tree, 5000, second, first, seed=4)
    assert one.mean == -two.mean
    assert one.standard_error == two.standard_error
    assert (one.button, one.button_error) == (two.button, two.button_error)
    if tree.size.depth > 1:
        assert one.mean != 0


def test_results_depend_on_the_seed_alone():
    tree = TREES["heads-up"]
    first, second = two_sides(tree)
    deals = 5 * BLOCK + 1000
    one = simulate_match(tree, deals, first, second, seed=4)
    for threads in (2, 3, 9):
        assert simulate_match(tree, deals, first, second, seed=4, threads=threads) == one
    assert simulate_match(tree, deals, first, second, seed=5).mean != one.mean


def test_every_block_has_deals_of_its_own():
    tree = TREES["toy"]
    first, second = two_sides(tree)
    size = 64
    deals = BLOCK + size
    longer = simulate_match(tree, deals, first, second, seed=6)
    shorter = simulate_match(tree, BLOCK, first, second, seed=6)
    rest = longer.mean * longer.hands - shorter.mean * shorter.hands
    players = for_twin(tree, first), for_twin(tree, second)
    payoffs = naive.play_match(tree, 2 * size, *players, seed=6, block=size)[size:]
    assert rest == pytest.approx((payoffs[:, 0, 0] + payoffs[:, 1, 1]).sum(), abs=1e-6)


# Numbers that are known


def test_who_always_folds_loses_the_blinds():
    """The button gives up 1; the big blind 2 to any raise, and may look at every other flop."""
    tree = betting_tree(load("nlhe", stack=40), "100%, a")
    label = tree.nodes.label[tree.table_nodes()]
    folds = Side((label == -3).astype(np.float32), [ONE_BUCKET] * tree.streets)
    raises = Side((label >= 0).astype(np.float32), [ONE_BUCKET] * tree.streets)
    result = simulate_match(tree, 3000, folds, raises)
    assert (result.mean, result.standard_error) == (-1.5, 0.0)
    assert (result.button, result.button_error) == (0.5, 0.0)
    assert result.interval == (-1.5, -1.5, -1.5)
    assert result.mbb(tree.game.rules.big_blind) == (-750.0, 0.0)
    result = simulate_match(tree, 3000, folds, folds)
    assert (result.mean, result.button, result.button_error) == (0.0, -1.0, 0.0)


def test_hands_without_choices_cancel_out():
    """Both check and call to the end: cards decide, and both sides have had them."""
    tree = TREES["heads-up"]
    calls = by_action(tree, fold=0, more=0)
    same = Side(calls.policy * 3, calls.buckets)
    result = simulate_match(tree, 100_000, calls, same)
    assert (result.mean, result.standard_error) == (0.0, 0.0)
    assert abs(result.button) < 4 * result.button_error
    tied = 0.0406
    assert result.button_error == pytest.approx(2 * np.sqrt((1 - tied) / 100_000), rel=0.01)


def test_who_moves_all_in_wins_what_others_fold():
    """Against a coin that folds or calls: half of the blinds, and nothing when called."""
    tree = betting_tree(load("nlhe", stack=40), "a")
    label = tree.nodes.label[tree.table_nodes()]
    shoves = Side((label >= 0).astype(np.float64), [ONE_BUCKET] * tree.streets)
    coin = Side((label < 0) * (label != -2) * 1.0, [ONE_BUCKET] * tree.streets)
    result = simulate_match(tree, 400_000, shoves, coin)
    # as the button: folds give 2. as the big blind: the coin folds (1), or calls and may fold (2).
    expected = (0.5 * 2 + 0.5 * 1 + 0.5 * 0.5 * 2) / 2
    assert abs(result.mean - expected) < 4 * result.standard_error
    assert 0 < result.standard_error < 0.05


# Against playouts with one table for both seats


def seated(tree, button, other):
    """One table in which player 0 follows one policy and player 1 the other; the same buckets."""
    rows = tree.rows([group.count for group in button.buckets])
    table = button.policy.copy()
    for node in tree.nodes.node[tree.nodes.node[:, ACTOR] == 1].tolist():
        count = int(rows.buckets[node[STREET]])
        begin = int(rows.start[node[STREET]]) + node[ROW] * count
        place = slice(begin, begin + count * node[ACTIONS])
        table[place] = other.policy[place]
    return table


@pytest.mark.parametrize("name", ["heads-up", "uneven, button on 1", "short deck", "limit"])
def test_the_mean_is_that_of_playouts(name):
    tree = TREES[name]
    buckets = buckets_of(tree, PREFLOP_CLASSES, PARITY)
    first = some_side(tree, buckets, 1, call=1)
    second = some_side(tree, buckets, 2, call=1000)
    result = simulate_match(tree, 150_000, first, second, seed=1)
    means, errors = [], []
    for button, other in ((first, second), (second, first)):
        table = seated(tree, button, other)
        played = play(tree, 300_000, policy=table, buckets=buckets, seed=9)
        means.append(played.mean[0])
        errors.append(played.standard_error[0])
    spread = np.hypot(*errors) / 2
    mean, button = (means[0] - means[1]) / 2, (means[0] + means[1]) / 2
    assert abs(result.mean - mean) < 4 * np.hypot(spread, result.standard_error)
    assert abs(result.button - button) < 4 * np.hypot(spread, result.button_error)
    assert abs(result.mean) > 8 * result.standard_error  # so that a wrong sign would be seen


def test_errors_are_those_of_many_matches():
    tree = TREES["heads-up"]
    first, second = two_sides(tree)
    results = [simulate_match(tree, 1000, first, second, seed=seed) for seed in range(300)]
    for mean, error in (("mean", "standard_error"), ("button", "button_error")):
        spread = np.std([getattr(result, mean) for result in results])
        usual = np.sqrt(np.mean([getattr(result, error) ** 2 for result in results]))
        assert spread == pytest.approx(usual, rel=0.17)


# Sides


class Counted:
    """Buckets that know how often they were asked."""

    def __init__(self, count=2, wrong=False):
        self.count, self.wrong, self.asked = count, wrong, 0

    def fill(self, cards, street, bucket):
        self.asked += 1
        bucket[:, :, street] = cards[:, [0, 2]] & 1
        if self.wrong:
            bucket[3, 1, street] = self.count


def test_buckets_that_both_sides_have_are_filled_once():
    tree = TREES["toy"]
    shared, own = Counted(), Counted()
    groups = [shared] * tree.streets
    first = some_side(tree, groups, 1)
    simulate_match(tree, 100, first, some_side(tree, groups, 2))
    assert shared.asked == tree.streets
    others = some_side(tree, [own, *groups[1:]], 2)
    different = simulate_match(tree, 100, first, others)
    assert (shared.asked, own.asked) == (2 * tree.streets, 1)
    assert different == simulate_match(tree, 100, first, some_side(tree, groups, 2))


def test_tables_are_used_where_they_lie(tmp_path):
    tree = TREES["heads-up"]
    first, second = two_sides(tree)
    path = tmp_path / "policy"
    first.policy.tofile(path)
    mapped = np.memmap(path, np.float32, "r")
    one = simulate_match(tree, 500, Side(mapped, first.buckets), second)
    assert one == simulate_match(tree, 500, first, second)
    assert first.policy.flags.writeable
    assert not mapped.flags.writeable


def test_rows_that_are_never_met_are_never_read():
    tree = TREES["heads-up"]
    calls = by_action(tree, fold=0, more=0)
    label = tree.nodes.label[tree.table_nodes()]
    parents = tree.nodes.node[tree.table_nodes(), PARENT]
    bets = np.isin(parents, np.flatnonzero(tree.nodes.label >= 0))
    calls.policy[bets] = np.nan
    assert simulate_match(tree, 500, calls, calls).mean == 0
    raises = Side((label >= 0).astype(np.float32), calls.buckets)
    with pytest.raises(ArrayError, match=r"second.*2,637"):
        simulate_match(tree, 500, raises, calls)
    with pytest.raises(ArrayError, match=r"first.*2,637"):
        simulate_match(tree, 500, calls, Side((label >= 0).astype(np.uint8), calls.buckets))
    with pytest.raises(ArrayError, match=r"second.*2,637"):
        simulate_match(tree, 500, Side((label >= 0).astype(np.uint8), calls.buckets), calls)


def test_progress_is_told():
    tree = TREES["toy"]
    side = by_action(tree, fold=1, more=1)
    told = []
    deals = 3 * BLOCK + 5
    simulate_match(tree, deals, side, side, threads=2, progress=lambda *step: told.append(step))
    assert told == [(n, deals) for n in (BLOCK, 2 * BLOCK, 3 * BLOCK, deals)]


def test_results_in_words():
    result = MatchResult(1_000_000, 0.05, 0.01, -0.1, 0.02)
    assert result.hands == 2_000_000
    assert result.interval[1:] == pytest.approx((0.0304, 0.0696), abs=1e-5)
    assert result.mbb(2) == (25.0, 5.0)
    words = "+25.0 mbb/h, 95 % between +15.2 and +34.8, in 2,000,000 hands"
    assert result.describe(2) == words
    with pytest.raises(OptionError, match="big_blind=0"):
        result.mbb(0)


def test_one_deal_says_nothing_about_the_error():
    result = simulate_match(TREES["heads-up"], 1, *two_sides(TREES["heads-up"]), seed=8)
    assert result.standard_error == result.button_error == np.inf
    assert result.interval[1:] == result.button_interval[1:] == (-np.inf, np.inf)
    assert result.describe(2).endswith("mbb/h, 95 % unknown after one deal, in 2 hands")
    two = simulate_match(TREES["heads-up"], 2, *two_sides(TREES["heads-up"]), seed=8)
    assert np.isfinite(two.standard_error)


def test_what_does_not_fit_is_refused():
    tree = TREES["heads-up"]
    side = by_action(tree, fold=1, more=1)
    size = len(side.policy)

    def refused(error, text, first=side, second=side, tree=tree, **options):
        with pytest.raises(error, match=text) as caught:
            simulate_match(tree, options.pop("deals", 10), first, second, **options)
        assert "\n" not in str(caught.value)

    short = Side(side.policy[:-1], side.buckets)
    refused(ArrayError, rf"first.*\({size - 1},\)", first=short)
    refused(ArrayError, r"second.*\(10416,\)", second=short)
    whole = Side(side.policy.astype(np.int32), side.buckets)
    refused(ArrayError, f"int32; .* needs {size:,} numbers of float32, float64 or", second=whole)
    refused(ArrayError, r"second.*\(1, 10417\)", second=Side(side.policy[None], side.buckets))
    refused(ArrayError, "cannot be read as an array", first=Side([[1], [1, 2]], side.buckets))
    refused(OptionError, "4 streets", first=Side(side.policy, side.buckets[:-1]))
    refused(OptionError, "ComboBuckets", first=Side(side.policy, PREFLOP_CLASSES))
    refused(OptionError, "int .*ONE_BUCKET", first=Side(side.policy, [3] * 4))
    refused(OptionError, "deals=0", deals=0)
    refused(OptionError, "threads=0", threads=0)
    refused(OptionError, "seed=-1", seed=-1)
    wrong = some_side(tree, [Counted(), Counted(wrong=True), ONE_BUCKET, ONE_BUCKET], 1)
    refused(OptionError, "street 1.*bucket 2", first=wrong)
    refused(OptionError, "street 1.*bucket 2", second=wrong)
    three = betting_tree(load("nlhe", seats=3, stack=4), "a")
    refused(OptionError, "nlhe.*3 seats.*2", tree=three)
    hidden = betting_tree(load("permutation", stack=20), "a")
    refused(OptionError, r"ranks='\.\.\.'", tree=hidden)
    four = TREES["four hole cards"]
    looks = some_side(four, [PREFLOP_CLASSES] * four.streets, 1)
    refused(OptionError, " 4; .*ONE_BUCKET", looks, looks, tree=four)
