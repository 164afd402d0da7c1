"""The bot for River of Blood: the blueprint, equity play, and search within a clock."""

from random import Random

import numpy as np
import pytest

from helpers.clock import Ticks
from helpers.playing import random_action
from helpers.toy_river_of_blood import save_toy
from tiltless.agents import make_agent, search
from tiltless.agents.agent import Clock
from tiltless.agents.blueprint import BlueprintAgent
from tiltless.agents.postprocess import PostProcess
from tiltless.agents.river_of_blood import FOLD_THRESHOLDS
from tiltless.agents.river_of_blood_equity import (
    _every,
    _one_by_one,
    final_run_boards,
    range_equities,
    run_strengths,
)
from tiltless.blueprint.strategy import Blueprint
from tiltless.cards.card import COMBO_CARDS, COMBO_OF, SUITS, parse_cards
from tiltless.cards.evaluate import evaluate
from tiltless.errors import OptionError
from tiltless.games import CHANCE, TERMINAL, load
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.kernels.blueprint.nodes import ACTOR, STREET
from tiltless.postflop.run_spot import RunSpot
from tiltless.postflop.solver import PostflopSolver
from tiltless.search.blueprint_policy import BlueprintPolicy
from tiltless.seeding import SeededRandom

GAME = load("river-of-blood")
REDS, BLACKS = ([c for c in range(52) if (SUITS[c & 3] in "dh") == red] for red in (True, False))
OPTIONS = (
    "search=no",
    "search=no,cut=run",
    "search=no,cut=red-river,folds=medium",
    "iterations=8,total=0",
)


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    return str(save_toy(tmp_path_factory.mktemp("blood") / "toy.safetensors"))


def bot(toy, options):
    return make_agent(f"river-of-blood:file={toy},{options}")


def long_deck(length, rng):
    """Hole cards, and a board that ends with that many cards."""
    reds, blacks = rng.sample(REDS, 26), rng.sample(BLACKS, 26)
    board = [*blacks[:4], *reds[: length - 5], blacks[4]]
    return [*blacks[5:9], *board]


def states(deck, choose):
    """The decisions of a hand with these cards.  choose: the action in a state."""
    state, dealt = GAME.start(0), 0
    while state.actor != TERMINAL:
        if state.actor == CHANCE:
            size = 2 if len(state.hole) < 2 else GAME.deal_size(state.street, state.board)
            state = state.apply(tuple(deck[dealt : dealt + size]))
            dealt += size
            continue
        yield state
        state = state.apply(choose(state))


def passive(state):
    return CHECK if state.actions.check else CALL


def check(agent, view, combos=()):
    """Policies are legal and sum to one; the agent draws from its own row."""
    actions, chances = agent.policies(view)
    assert all(action in view.actions for action in actions)
    free = ~np.isin(COMBO_CARDS, view.board).any(axis=1)
    assert chances[free].sum(axis=1) == pytest.approx(np.ones(free.sum()), abs=1e-4)
    assert not chances[~free].any()
    for combo in combos:
        own = view._replace(cards=tuple(COMBO_CARDS[combo].tolist()))
        decision = agent.act(own, Clock(), SeededRandom(combo))
        row = dict(zip(actions, chances[combo].tolist(), strict=True))
        drawn = dict(decision.policy)
        assert drawn == pytest.approx({action: p for action, p in row.items() if p}, abs=1e-6)
        assert decision.action in view.actions


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(each, marks=pytest.mark.slow) if each.endswith("cut=run") else each
        for each in OPTIONS
    ],
)
def test_every_length_of_the_run_up_to_the_longest(toy, options):
    """Where it searches, once for each length, and not for every one of the middle."""
    agent, seen = bot(toy, options), set()
    for state in states(long_deck(31, Random(3)), passive):
        view, size = state.view(state.actor), len(state.board)
        skipped = "iterations" in options and (size in seen or (9 < size < 30 and size % 5))
        if skipped:
            seen.add(size)
            continue
        decision = agent.act(view, Clock(), SeededRandom(size))
        assert decision.action in view.actions
        if size in (0, 5, 6, 9, 31) and size not in seen:
            combo = int(COMBO_OF[view.cards])
            check(agent, view, [combo])
        seen.add(size)
    assert seen == {0, *range(3, 32)}


@pytest.mark.parametrize("options", OPTIONS)
def test_any_line_of_play(toy, options):
    agent, rng, found = bot(toy, options), Random(8), 0
    while found < (20 if options == "search=no" else 6):
        deck = long_deck(rng.choice((5, 6, 7, 9)), rng)
        for state in states(deck, lambda state: random_action(state, rng)):
            if len(state.board) >= 5:
                view = state.view(state.actor)
                check(agent, view, [int(COMBO_OF[view.cards])])
                found += 1


@pytest.mark.parametrize("options", OPTIONS)
def test_hidden_cards_do_not_matter(toy, options):
    rng = Random(5)
    played = states(long_deck(7, rng), passive)
    views = [state.view(state.actor) for state in played if len(state.board) >= 5]
    for view in (views[0], views[-1]):
        free = [c for c in range(52) if c not in view.board and c not in view.cards]
        other = view._replace(cards=tuple(sorted(rng.sample(free, 2), reverse=True)))
        one, two = (bot(toy, options).policies(each) for each in (view, other))
        assert one.actions == two.actions
        assert (one.chances == two.chances).all()


def test_what_decides(toy):
    for options, run, red in (
        ("search=no", "blueprint", "blueprint"),
        ("search=no,cut=run", "equity", "blueprint"),
        ("search=no,cut=red-river", "equity", "equity"),
        ("iterations=8,total=0", "search", "search"),
    ):
        agent = bot(toy, options)
        for state in states(long_deck(7, Random(9)), passive):
            size, view = len(state.board), state.view(state.actor)
            decided = agent.act(view, Clock(), SeededRandom(1)).source
            wanted = run if size > 5 else red if size == 5 else "blueprint"
            assert decided in (wanted, "strength")  # some rows were never visited


def test_a_blueprint_of_holdem_plays_by_equity_after_it():
    agent = BlueprintAgent(cut="red-river")
    agent.check_table(GAME.name, GAME.rules)
    sources = []
    for state in states(long_deck(7, Random(9)), passive):
        decision = agent.act(state.view(state.actor), Clock(), SeededRandom(1))
        assert decision.action in state.actions
        sources.append((len(state.board) >= 5, decision.source))
    assert {source for late, source in sources if late} == {"equity"}
    assert {source for late, source in sources if not late} == {"blueprint"}


def test_the_three_fold_thresholds():
    actions = (FOLD, CALL, RaiseTo(10), RaiseTo(30))
    rows = np.array([[0.3, 0.4, 0.2, 0.1], [0.4, 0.45, 0.1, 0.05], [0.2, 0.3, 0.2, 0.3]])
    played = {"loose": [1, 1, 3], "medium": [1, 0, 3], "tight": [0, 0, 3]}
    for name, wanted in played.items():
        post = PostProcess("purify", fold_threshold=FOLD_THRESHOLDS[name])
        assert post(rows, actions).argmax(axis=1).tolist() == wanted
    above = PostProcess("purify", fold_threshold=0.9)  # is no other than one half
    rows = np.random.default_rng(1).dirichlet(np.ones(4), 500)
    assert (above(rows, actions) == PostProcess("purify")(rows, actions)).all()


def test_options_that_are_refused(toy):
    for options in ("folds=never,search=no", "folds=half", "cut=run", "cut=turn,search=no"):
        with pytest.raises(OptionError):
            bot(toy, options)


def test_the_blueprint_is_played_purified_and_believed_as_it_is(toy):
    view = next(states(long_deck(5, Random(1)), passive)).view(0)
    sampled = bot(toy, "search=no,folds=none").policies(view)
    assert (sampled.chances.max(axis=1) < 1).mean() > 0.9
    post = PostProcess("purify", fold_threshold=0.25)
    wanted = post(sampled.chances.astype(float), sampled.actions)
    plain, searching = bot(toy, "search=no"), bot(toy, "iterations=8,total=0")
    assert plain.post == post
    for agent in (plain, searching):
        assert (agent.policies(view).chances == wanted).all()
        check(agent, view, [0, 700])
    assert (searching.blueprint.policies(view).chances == sampled.chances).all()
    loose = bot(toy, "folds=loose,iterations=8,total=0")
    assert loose.unsearched.post.fold_threshold == 0.5


def exact_equity(hand, board, against):
    """By listing all runs and all hands of a range, as they are dealt."""
    won = met = 0.0
    for other, weight in against.items():
        known = {*hand, *COMBO_CARDS[other].tolist(), *board}
        if len(known) < 4 + len(board):
            continue
        met += weight
        won += weight * share(hand, COMBO_CARDS[other].tolist(), board, known)
    return won / met


def share(one, two, board, known):
    if SUITS[board[-1] & 3] not in "dh":
        mine, theirs = (evaluate([*each, *board], eval7_flushes=True) for each in (one, two))
        return (mine > theirs) + (mine == theirs) / 2
    left = [card for card in range(52) if card not in known]
    return sum(share(one, two, [*board, card], known | {card}) for card in left) / len(left)


def test_equity_is_that_of_all_remaining_cards():
    rng = Random(4)
    deck = long_deck(31, rng)
    black, red = deck[4:], deck[4:33]  # the end of the longest run; one red card is left
    against = {int(COMBO_OF[deck[k], deck[k + 1]]): 1.0 + k for k in range(3)}
    free = [c for c in BLACKS if c not in deck]
    against |= {int(COMBO_OF[free[k], free[k + 1]]): 1.0 for k in range(6)}
    weights = np.zeros(1326)
    weights[list(against)] = list(against.values())
    hands = [(free[k], free[-1 - k]) for k in range(4)]
    combos = np.array([int(COMBO_OF[hand]) for hand in hands])
    for board, tolerance in ((black, 1e-9), (red, 0.01)):
        found = range_equities(final_run_boards(tuple(board)), weights, combos)
        wanted = [exact_equity(hand, board, against) for hand in hands]
        assert found == pytest.approx(wanted, abs=tolerance)


def test_equities_of_all_hands_are_those_of_each():
    board = parse_cards("QdJh2h8d3h6c")
    values, _ = final_run_boards(board)
    weights = np.random.default_rng(2).random(1326)
    live = np.where(values[0] > 0, weights, 0.0)
    some = np.flatnonzero(values[0])[::40]
    for fast, slow in zip(_every(values[0], live), _one_by_one(values[0], live, some), strict=True):
        assert fast[some] == pytest.approx(slow)


def test_strength_against_a_random_hand():
    board = parse_cards("QdJh2h8d3h")
    found = run_strengths(board)
    every = np.arange(1326)
    slow = range_equities(final_run_boards(board), np.ones(1326), every)
    free = ~np.isin(COMBO_CARDS, board).any(axis=1)
    assert found[free] == pytest.approx(slow[free], abs=0.1)  # of other runs
    assert abs(found[free] - slow[free]).mean() < 0.02
    assert abs(found[free].mean() - 0.5) < 0.001
    assert abs(slow[free].mean() - 0.5) < 0.001
    assert not found[~free].any()


def test_nodes_of_the_run_are_found_without_a_line(toy):
    blueprint = Blueprint.load(toy)
    tree, spots = blueprint.tree, BlueprintPolicy(blueprint)._spots
    record = tree.nodes.node
    run = np.flatnonzero((record[:, STREET] == 4) & (record[:, ACTOR] >= 0))
    for node in run.tolist():
        spot = spots.spot(node)
        assert (spot.node, spot.actor, spot.street) == (node, record[node, ACTOR], 4)
        assert len(spot.actions) == len(list(tree.children(node)))


def test_the_blueprint_in_the_tree_of_search_is_the_blueprint(toy):
    """With its own sizes, on this street and the next, nothing is translated."""
    agent = BlueprintAgent(toy)
    views = [s.view(s.actor) for s in states(long_deck(7, Random(2)), passive)]
    view = next(each for each in views if len(each.board) == 6)
    at_table = agent.at(view.rules)
    (located,) = at_table.locator.locate(view)
    spot = RunSpot(
        view.board,
        oop="random",
        ip="random",
        pot=view.pot,
        stack=min(view.stacks),
        bets="75%, a / a; river: 75%, a / a; force 15%; cap 3",
        bets_after=True,
        big_blind=2,
    )
    solver = PostflopSolver(spot)
    known = at_table.known
    policy = BlueprintPolicy(known.blueprint, known.buckets, known.strengths)
    table = policy.table(solver, located.node)
    wanted = agent.policies(view)
    combos = solver.boards[0].combos[0][1]
    rows = solver.rows(table, 0, 0, 0)[:, : len(combos)].T
    assert rows == pytest.approx(wanted.chances[combos], abs=1e-6)
    forest = solver.forests[1]
    for board in (0, 20):
        rows = solver.rows(table, 1, board, int(forest.forest.root[0]))
        cards, (_, hands) = solver.boards[1].boards[board], solver.boards[1].combos[board]
        buckets = known.buckets(cards)[hands]
        blueprint = known.blueprint.table(located.node)[buckets] / 255
        visited = blueprint.any(axis=1)
        assert rows.T[: len(hands)][visited] == pytest.approx(blueprint[visited], abs=1e-6)


def test_search_keeps_to_its_share_of_the_clock(toy, monkeypatch):
    """The seconds that a solver gets come from the match clock; without any nothing is solved."""
    given, solve = [], search.solve_subgame
    agent = make_agent(f"river-of-blood:file={toy},total=20,hands=100")
    agent.now = Ticks(0.03)

    def noted(*args, **options):
        given.append(options["seconds"])
        return solve(*args, **options)

    monkeypatch.setattr(search, "solve_subgame", noted)
    rng = Random(6)
    for _ in range(4):
        hand = list(states(long_deck(6, rng), passive))
        agent.hand_start(hand[0].view(0))
        for state in hand:
            agent.act(state.view(state.actor), Clock(), SeededRandom(1))
    assert given
    assert max(given) <= 1.0
    assert sum(given) <= 20
    agent._match.spend(20)
    before = len(given)
    for state in states(long_deck(6, rng), passive):
        decided = agent.act(state.view(state.actor), Clock(), SeededRandom(1))
        assert len(state.board) < 5 or decided.source.endswith("no time to search")
    assert len(given) == before
