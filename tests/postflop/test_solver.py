"""The ranges engine beside a naive twin, and beside what other solvers found."""

import threading
from dataclasses import replace
from math import inf, nan

import numpy as np
import pytest

from naive.postflop.street import NaiveRanges
from tiltless import system
from tiltless.bench.measuring.busy import busy_core
from tiltless.bench.ranges import SPOTS
from tiltless.cards.card import parse_card
from tiltless.cards.ranges import Range
from tiltless.cards.suits import swap_combos
from tiltless.cfr.presets import find_preset
from tiltless.cfr.pruning import RegretBased
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.kernels.postflop.street import BEST, LEARN
from tiltless.postflop import memory as range_cost
from tiltless.postflop import solver as ranges
from tiltless.postflop import threads as solver_threads
from tiltless.postflop.node import find_node
from tiltless.postflop.rules import pass_rules
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import Spot

CLOSE = 1e-5  # of the pot

# Hands that both have, ties, draws, lists of unequal length; weights that float32 holds, and that
# make nothing equal: where two actions are worth the same, rounding chooses one.
RIVER = Spot(
    "QsJh2h8d3c",
    oop="AsAd:0.953125, KhTh:0.828125, 9c9d:0.515625, 7s6s:0.765625, QcJc:0.609375, AcAh:0.984375",
    ip="KdKc, KhTh:0.640625, QcJc:0.703125, 5h4h:0.703125, AhTd, QdJd:0.390625, 9h7h, "
    "Kd4d:0.265625, QcTc:0.828125",
    pot=23,
    stack=71,
    bets="50%, a / 60%, a",
)
TURN = replace(
    RIVER,
    board="QsJh2h8d",
    oop="AsAd:0.953125, KhTh:0.828125, QcJc:0.578125, 7s6s:0.765625",
    bets="turn: 75% / a; river: a",
)
FLOP = replace(
    RIVER,
    board="QsJh2h",
    oop="AsAd:0.953125, KhTh:0.828125, QcJc:0.578125",
    ip="KhTh:0.640625, 5h4h:0.703125, AhTd:0.921875, QdJd:0.390625",
    bets="flop: 75%; turn: none; river: a; cap 1",
)
# Suits c and d may be exchanged, and after a club or diamond no more.
ALIKE = replace(
    TURN,
    board="QsJh2h8s",
    oop="AcAd:0.953125, KhTh:0.828125, QcJc:0.578125, QdJd:0.578125, 7s6s:0.765625",
    ip="KcKd:0.921875, Th9h:0.640625, 9c8c:0.703125, 9d8d:0.703125, Ts7s:0.390625",
)
ALIKE_FLOP = replace(  # c, d and h here
    FLOP,
    board="QsJs2s",
    oop="AcAd:0.953125, AcAh:0.953125, AdAh:0.953125, Ts9s:0.703125",
    ip="KcKd:0.828125, KcKh:0.828125, KdKh:0.828125, As4s:0.578125",
)


class Compared:
    """An engine and its twin, which takes over the engine's tables before each step.

    Otherwise the smallest difference would grow: where two actions are worth the same, or nearly
    so, rounding alone decides which is played in the next iteration.
    """

    def __init__(self, spot, rules="dcfr", played=(), close=CLOSE, **how):
        self.solver = PostflopSolver(spot, rules=rules, played=played, **how)
        self.naive = NaiveRanges(spot, rules, played)
        self.naive.root(0, "average")  # to know all decisions
        self.close = close
        self.nodes = {(): find_node(self.solver)}
        for moves, (actor, offers, board) in self.naive.offered.items():
            node = self.node(moves)
            assert (node.actor, node.actions, node.board) == (actor, offers, board)

    def node(self, moves):
        if moves not in self.nodes:
            self.nodes[moves] = self.node(moves[:-1]).after(moves[-1])
        return self.nodes[moves]

    def rows(self, moves):
        """Regrets, averages, forecasts of a decision, ``[hands, actions]`` each; who is live."""
        node, tables = self.node(moves), self.solver.tables
        key = node.street_index, node.board_index, node.index
        if self.solver.compressed:
            unit = (
                int(self.solver.boards[node.street_index].arrays.unit[node.board_index])
                + node.index
            )
            found = [
                self.solver.rows(small, *key) * np.float64(units[unit])
                for small, units in (
                    (tables.small_regret, tables.regret_unit),
                    (tables.small_average, tables.average_unit),
                )
            ]
        else:
            found = [self.solver.rows(table, *key) for table in (tables.regret, tables.average)]
        ahead = self.solver.rows(tables.forecast, *key) if len(tables.forecast) else found[0]
        found.append(ahead)
        combos, hands = node.combos(node.actor), self.naive.hands[node.actor]
        whole = np.zeros((3, 1326, len(node.actions)))
        for table, numbers in zip(whole, found, strict=True):
            table[combos] = numbers.T[: len(combos)]
        return whole[:, hands], np.isin(hands, combos)

    def copy(self):
        """Make the twin as the engine is."""
        t, naive = self.solver.iterations, self.naive
        for moves in naive.offered:
            (regret, average, forecast), _ = self.rows(moves)
            naive.regret[moves] = regret
            naive.average[moves] = average * naive.averaging.weight(max(t, 1))
            naive.strategy[moves] = shares(forecast)

    def step(self):
        """One iteration, half by half."""
        solver, naive = self.solver, self.naive
        t = solver.iterations + 1
        for traverser in (1, 0):
            self.copy()
            naive.t = t
            if traverser == 0:  # the engine has scaled one player's averages already
                for moves, (actor, _, _) in naive.offered.items():
                    if actor == 0 and t > 1:
                        last, now = naive.averaging.weight(t - 1), naive.averaging.weight(t)
                        naive.average[moves] *= now / last
            solver._runner.passes((traverser, LEARN, *pass_rules(solver.rules, t)))
            naive.root(traverser, "learn")
            self.compare(traverser)
        solver.iterations = t

    def compare(self, traverser):
        naive, pot = self.naive, self.solver.spot.pot
        weight = naive.averaging.weight(naive.t)
        scale = pot * naive.weights[1 - traverser].sum()
        for moves, (actor, _, _) in naive.offered.items():
            if moves in naive.locks:
                continue
            (regret, average, forecast), live = self.rows(moves)
            found, wanted, scale_here = average, naive.average[moves] / weight, 1.0
            if actor == traverser:
                found, wanted, scale_here = regret, naive.regret[moves], scale
                if naive.predictive:
                    ahead = np.abs(forecast - naive.forecast[moves])[live].max(initial=0)
                    assert ahead < self.close * scale, (moves, traverser)
            far = np.abs(found - wanted)[live].max(initial=0)
            assert far < self.close * scale_here, (moves, traverser)

    def compare_values(self, players=(0, 1)):
        self.copy()
        close = self.close * self.solver.spot.pot
        for player in players:
            for mode, found in (
                ("average", self.solver.values()),
                ("best", self.solver.best_values()),
            ):
                assert found[player] == pytest.approx(self.naive.value(player, mode), abs=close)


def shares(numbers):
    numbers = np.maximum(numbers, 0)
    total = numbers.sum(axis=1, keepdims=True)
    return np.where(total > 0, numbers / np.where(total > 0, total, 1), 1 / numbers.shape[1])


def agree(spot, starts=(0, 7), **how):
    """Regrets, averages, values and best responses of some iterations."""
    both = Compared(spot, **how)
    for start in starts:
        both.solver.run(start - both.solver.iterations)
        both.step()
        both.compare_values()
    return both


@pytest.mark.bounds
@pytest.mark.parametrize(
    "rules", ["cfr", "cfr+", "linear", "dcfr", "dcfr-ranges", "dcfr+", "pcfr+", "pdcfr+"]
)
def test_river_as_the_naive_twin(rules):
    agree(RIVER, (0, 1, 2, 10, 100), rules=rules)


@pytest.mark.nojit
@pytest.mark.bounds
@pytest.mark.filterwarnings("ignore:.* encountered in divide:RuntimeWarning")
@pytest.mark.parametrize(
    "change",
    [
        {},
        {"rake": 0.05, "rake_cap": 2.0},
        {"rake": 0.1},
        {"bets": "33% / 2x | donk 20%, 120%, a", "aggressor": "ip", "big_blind": 2},
        {"bets": "a"},
        {"bets": "none"},
        {"bets": "oop 25%, 75% / a | ip 40% / 60%, a; cap 3"},
        {"oop": "KhTh", "ip": "QcJc"},
        {"oop": "22+", "ip": "AsKd, 5h4h, Ac2c"},
        {"board": "AsKsQsJsTs"},  # everybody ties
    ],
)
def test_river_spots(change):
    agree(replace(RIVER, **change), (0, 3))


@pytest.mark.parametrize(
    ("spot", "rules", "how"),
    [
        pytest.param(TURN, "dcfr", {}, marks=pytest.mark.slow),
        pytest.param(TURN, "pdcfr+", {}, marks=pytest.mark.slow),
        (replace(TURN, rake=0.05, rake_cap=1.5), "cfr+", {"threads": 2}),
        pytest.param(
            replace(TURN, bets="50% / a | donk 30%", aggressor="ip"),
            "dcfr",
            {"threads": 2},
            marks=pytest.mark.slow,
        ),
        pytest.param(ALIKE, "dcfr-ranges", {}, marks=pytest.mark.slow),
        (ALIKE, "pcfr+", {"threads": 2}),
    ],
)
def test_turn_as_the_naive_twin(spot, rules, how):
    agree(spot, (6,), rules=rules, **how)


def test_flop_as_the_naive_twin():
    both = Compared(replace(ALIKE_FLOP, bets="flop: none; turn: none; river: a; cap 1"))
    both.solver.run(5)
    both.compare_values(players=(1,))


@pytest.mark.slow
@pytest.mark.parametrize("spot", [FLOP, ALIKE_FLOP])
@pytest.mark.parametrize(
    ("bets", "rules", "threads"),
    [("flop: 75%; turn: none; river: a; cap 1", "dcfr", 1), ("a; cap 2", "pdcfr+", 2)],
)
def test_flops_as_the_naive_twin(spot, bets, rules, threads):
    agree(replace(spot, bets=bets, rake=0.04, rake_cap=1.0), (4,), rules=rules, threads=threads)


@pytest.mark.bounds
@pytest.mark.parametrize("spot", [RIVER, ALIKE])
@pytest.mark.parametrize("how", [{}, {"rules": "pdcfr+"}, {"compressed": True}])
def test_a_run_is_passes_one_after_the_other(spot, how):
    run, passes = PostflopSolver(spot, **how), PostflopSolver(spot, **how)
    run.run(3)
    for t in (1, 2, 3):
        for traverser in (1, 0):
            passes._runner.passes((traverser, LEARN, *pass_rules(passes.rules, t)))
    for one, two in zip(run.tables, passes.tables, strict=True):
        assert np.array_equal(one, two)


@pytest.mark.parametrize(
    "played", [[RaiseTo(13)], [CHECK, RaiseTo(31), RaiseTo(62)], [RaiseTo(10), CALL]]
)
def test_bets_that_are_not_on_the_menu(played):
    both = agree(RIVER, played=played)
    assert find_node(both.solver, played)


def test_bets_that_are_not_on_the_menu_of_the_turn():
    agree(TURN, (3,), played=[CHECK, RaiseTo(31)])


@pytest.mark.parametrize(
    ("spot", "hand"),
    [(ALIKE, "QcJc"), pytest.param(ALIKE_FLOP, "AcAd", marks=pytest.mark.slow)],
)
def test_suits_are_exchanged_and_change_nothing(spot, hand):
    """A range that is not quite the same has every board; the same play is worth the same there."""
    spot = replace(
        spot, bets="100%; cap 1" if spot is ALIKE else "flop, turn: none; river: a; cap 1"
    )
    tiny = Range(hand) * 2**-22
    apart = replace(spot, oop=Range.from_weights(spot.weights[1] + tiny.weights))
    few, many = PostflopSolver(spot), PostflopSolver(apart)
    assert len(few.boards[-1]) < len(many.boards[-1])
    few.run(20)
    todo = [(find_node(few), find_node(many))]
    while todo:
        one, two = todo.pop()
        if two.actor >= 0:
            wide = many.rows(many.tables.average, two.street_index, two.board_index, two.index)
            combos = two.combos(two.actor)
            wide[:, : len(combos)] = one.strategy[combos].T
        todo += [
            (one.after(move), two.after(move)) for move in (*two.actions, *two.cards_to_come())
        ]
    close = CLOSE * spot.pot
    assert few.values() == pytest.approx(many.values(), abs=close)
    assert few.best_values() == pytest.approx(many.best_values(), abs=close)


@pytest.mark.parametrize("threads", [2, 3, 60])
def test_threads_change_nothing(threads):
    """Not a bit, also if they are more than there are boards."""
    one, two = PostflopSolver(ALIKE), PostflopSolver(ALIKE, threads=threads)
    for solver in (one, two):
        solver.run(10)
    assert (one.tables.regret == two.tables.regret).all()
    assert (one.tables.average == two.tables.average).all()
    assert one.values() == two.values()
    assert one.best_values() == two.best_values()


def test_a_thread_that_may_keep_little_waits_and_changes_nothing(monkeypatch):
    monkeypatch.setattr(range_cost, "_AHEAD_BYTES", 0)
    one, four = PostflopSolver(TURN), PostflopSolver(TURN, threads=4)
    assert four._runner.shared.pending_values.shape[1] == 2
    for solver in (one, four):
        solver.run(5)
    assert (one.tables.regret == four.tables.regret).all()


def test_a_thread_that_comes_late_finds_nothing_to_do(monkeypatch):
    one, two = PostflopSolver(TURN), PostflopSolver(TURN, threads=2)
    real, over = solver_threads.two_streets, threading.Event()

    def late(thread, *given):
        if thread:
            assert over.wait(60)
        real(thread, *given)
        over.set()

    one.run(3)
    monkeypatch.setattr(solver_threads, "two_streets", late)
    two.run(3)
    assert (one.tables.regret == two.tables.regret).all()


def test_threads_beside_a_busy_process():
    one, two = PostflopSolver(TURN), PostflopSolver(TURN, threads=2)
    one.run(20)
    with busy_core() as process:
        two.run(20)
        assert process.poll() is None
    assert process.poll() is not None
    assert (one.tables.regret == two.tables.regret).all()


def test_as_many_threads_do_the_same_again():
    one, two = (PostflopSolver(TURN, threads=3) for _ in range(2))
    one.run(6)
    for some in (1, 2, 3):
        two.run(some)
    assert (one.tables.regret == two.tables.regret).all()
    assert one.exploitability() == two.exploitability()


@pytest.mark.parametrize("who", [0, 1, 2])
def test_a_thread_that_fails_does_not_keep_the_others_waiting(monkeypatch, who):
    real = solver_threads.two_streets

    def fails(thread, *given):
        if thread == who:
            raise MemoryError("no room")
        real(thread, *given)

    solver = PostflopSolver(TURN, threads=3)
    solver.run(1)
    monkeypatch.setattr(solver_threads, "two_streets", fails)
    with pytest.raises(MemoryError, match="no room"):
        solver.run(4)


def test_a_thread_that_cannot_start_does_not_keep_the_others_waiting(monkeypatch):
    solver, begun = PostflopSolver(TURN, threads=3), []
    real = solver._runner._pool.submit

    def submit(work, thread):
        if thread == 2:
            raise RuntimeError("can't start new thread")
        begun.append(real(work, thread))
        return begun[-1]

    monkeypatch.setattr(solver._runner._pool, "submit", submit)
    with pytest.raises(RuntimeError, match="new thread"):
        solver.run(1)
    assert all(each.done() for each in begun)


@pytest.mark.parametrize(
    "given",
    [
        {"iterations": 0},
        {"every": 0, "seconds": 1},
        {"until": nan},
        {"until": inf},
        {"until": -1, "seconds": 1},
        {"until": 0},
        {"seconds": nan},
        {"seconds": -1.0},
    ],
)
def test_limits_that_are_none(given):
    name, value = next(iter(given.items()))
    with pytest.raises(OptionError, match=f"{name}={value} "):
        PostflopSolver(RIVER).solve(**given)


def test_rules_that_are_not_for_ranges():
    dcfr = find_preset("dcfr")
    for rules in (replace(dcfr, alternating=False), replace(dcfr, pruning=RegretBased(-100, 1))):
        with pytest.raises(OptionError, match="alternating updates and without pruning"):
            PostflopSolver(RIVER, rules=rules)


@pytest.mark.parametrize("how", [{}, {"rules": "pdcfr+"}, {"compressed": True}])
@pytest.mark.parametrize("weight", ["1e-30", "1e-38", "1e-40", "1e-44"])
def test_a_hand_that_hardly_meets_another_does_not_overflow(weight, how):
    """Its regrets are as small as the weight; 1e-40 is below the normal numbers of 32 bits."""
    spot = Spot("Jh8d4c2s2h", f"AsAh, KsKh:{weight}", "AsAd, QcQd", pot=10, stack=20, bets="a")
    solver = PostflopSolver(spot, **how)
    solver.run(20)
    assert 0 <= solver.exploitability() < 1
    assert solver.values()[1] == pytest.approx(5, abs=0.1)  # aces win the pot from queens
    assert all(np.isfinite(table).all() for table in solver.tables)


@pytest.mark.parametrize("spot", [RIVER, pytest.param(TURN, marks=pytest.mark.slow), ALIKE])
def test_compressed_tables_as_the_naive_twin(spot):
    both = agree(spot, (6,), compressed=True, close=3e-4)
    assert both.solver.table_bytes < 0.7 * PostflopSolver(spot).table_bytes
    both.solver.run(300)
    assert both.solver.exploitability() < 0.15


def test_predictive_rules_are_not_compressed():
    with pytest.raises(OptionError, match=r"pcfr\+.*dcfr"):
        PostflopSolver(RIVER, rules="pcfr+", compressed=True)
    with pytest.raises(OptionError, match=r"es-mccfr.*dcfr"):
        PostflopSolver(RIVER, rules="es-mccfr")


# Node locking.


def some_strategy(actions, seed=0):
    shares = np.random.default_rng(seed).random((1326, actions))
    return shares / shares.sum(axis=1, keepdims=True)


@pytest.mark.bounds
@pytest.mark.parametrize("rules", ["dcfr", "cfr+", "pdcfr+"])
@pytest.mark.parametrize("moves", [(), (CHECK,), (RaiseTo(12),), (CHECK, RaiseTo(12))])
def test_locked_river_as_the_naive_twin(rules, moves):
    both = Compared(RIVER, rules)
    node = both.node(moves)
    rows = some_strategy(len(node.actions))
    rows[:, 0] *= rows[:, 0] > 0.2  # some never
    both.solver.run(3)  # locked after a while
    both.solver.lock(node, 3 * rows)
    both.naive.lock(moves, rows / rows.sum(axis=1, keepdims=True))
    both.step()
    both.solver.run(7)
    both.step()
    both.compare_values()


@pytest.mark.parametrize("compressed", [pytest.param(False, marks=pytest.mark.slow), True])
def test_locked_turn_as_the_naive_twin(compressed):
    both = Compared(ALIKE, compressed=compressed, close=3e-4 if compressed else CLOSE)
    heart = (CHECK, RaiseTo(17), CALL, parse_card("4h"))
    for moves, some in [((CHECK,), (1, 2)), (heart, (3, 1))]:
        node = both.node(moves)
        both.solver.lock(node, dict(zip(node.actions, some, strict=True)))
        both.naive.lock(moves, np.tile(np.array(some) / sum(some), (1326, 1)))
    both.solver.run(3)
    both.step()
    both.solver.run(1)
    both.compare_values()


def test_locking_what_is_played_anyway_changes_nothing():
    free, fixed = PostflopSolver(RIVER), PostflopSolver(RIVER)
    free.run(2000)
    for moves in [(), (CHECK, RaiseTo(12))]:
        fixed.lock(find_node(fixed, moves), find_node(free, moves).strategy)
    fixed.run(2000)
    assert fixed.exploitability() < 0.02
    assert fixed.values() == pytest.approx(free.values(), abs=0.0005 * RIVER.pot)


@pytest.mark.parametrize(
    ("spot", "steps"), [(RIVER, 4000), pytest.param(TURN, 400, marks=pytest.mark.slow)]
)
def test_a_bad_locked_strategy_is_exploited_and_the_rest_solved(spot, steps):
    solver = PostflopSolver(spot)
    solver.run(steps)
    before = solver.values()
    assert solver.exploitability() < 0.1
    bet = find_node(solver, (CHECK,)).actions[1]
    facing = find_node(solver, (CHECK, bet))
    solver.lock(facing, {FOLD: 1})  # OOP gives up to that bet
    solver.run(2 * steps)
    assert solver.values()[0] > before[0] + 0.003 * spot.pot
    assert solver.exploitability() < 0.1
    there = find_node(solver, (CHECK, bet))
    mine = there.combos(there.actor)
    assert (there.strategy[mine, 0] == 1).all()
    solver.unlock(facing)
    assert not solver.locks
    assert solver.exploitability() > 0.3
    solver.run(6 * steps)
    assert solver.exploitability() < 0.3
    assert solver.values() == pytest.approx(before, abs=0.003 * spot.pot)


def test_a_lock_holds_for_hands_that_never_come():
    """Best responses play a locked decision as told, also with hands that the average lost."""
    for compressed in (False, True):
        solver = PostflopSolver(RIVER, compressed=compressed)
        solver.lock(find_node(solver), {CHECK: 1})
        facing = find_node(solver, (RaiseTo(12), RaiseTo(40)))
        solver.lock(facing, {FOLD: 1, CALL: 3})
        solver.run(5)
        node = find_node(solver, (RaiseTo(12), RaiseTo(40)))
        wanted = np.array([0.25, 0.75, 0.0][: len(node.actions)])
        assert np.abs(node.strategy[node.combos(1)] - wanted).max() < 1e-4


@pytest.mark.parametrize("compressed", [False, True])
def test_what_is_unlocked_learns_from_scratch(compressed):
    solver = PostflopSolver(RIVER, compressed=compressed)
    node = find_node(solver)
    solver.lock(node, {CHECK: 1})
    solver.run(3)
    solver.unlock(node)
    for name in ("average", "regret"):
        rows = solver.read_rows("small_" * compressed + name, 0, 0, node.index)
        assert not rows.any()
    solver.run(1)
    assert find_node(solver).strategy[:, 1:].any()


@pytest.mark.parametrize(
    ("strategy", "says"),
    [
        ({FOLD: 1}, "fold .*check, raise to 17"),
        ({CHECK: -1, RaiseTo(17): 2}, "6s7s"),
        ({CHECK: float("nan")}, "6s7s"),
        ({CHECK: "x"}, "'x'.*check"),
        ({}, "6s7s"),
        (np.ones((1326, 5)), r"\(1326, 5\).*\(1326, 2\)"),
        ("check", "'check'"),
    ],
)
def test_impossible_locks(strategy, says):
    solver = PostflopSolver(ALIKE)
    with pytest.raises(OptionError, match=says):
        solver.lock(find_node(solver), strategy)


def test_locks_must_not_part_hands_that_are_the_same():
    solver = PostflopSolver(ALIKE)
    with pytest.raises(OptionError, match="QsJh2h8s"):
        solver.lock(find_node(solver), some_strategy(2))
    spade = find_node(solver, (CHECK, CHECK, parse_card("4s")))
    solver.lock(spade, some_strategy(2))  # nothing comes after the river
    with pytest.raises(OptionError, match="'x x 4s'"):
        PostflopSolver(ALIKE).lock(spade, {CHECK: 1})
    end = find_node(solver, (CHECK, CHECK))
    with pytest.raises(OptionError, match="'x x'"):
        solver.lock(end, {CHECK: 1})
    with pytest.raises(OptionError, match=r"''.*locks"):
        solver.unlock(find_node(solver))


def test_a_card_parts_the_suits_that_the_flop_left_alike():
    solver = PostflopSolver(replace(ALIKE_FLOP, bets="flop: none; turn: 100%; river: none; cap 1"))
    node = find_node(solver, (CHECK, CHECK, parse_card("4h")))
    rows = some_strategy(2)
    with pytest.raises(OptionError, match="QsJs2s4h"):
        solver.lock(node, rows)
    rows = (rows + rows[swap_combos(0, 1)]) / 2  # clubs like diamonds, hearts otherwise
    solver.lock(node, rows)
    mine = node.combos(1)
    assert node.strategy[mine] == pytest.approx(rows[mine], abs=1e-6)


# Memory.


def test_a_spot_that_is_too_large_is_refused_with_what_would_fit():
    spot = replace(FLOP, bets="33%, 50%, 75%, a / 50%, a")
    with pytest.raises(OptionError) as caught:
        PostflopSolver(spot, memory=4_000_000)
    says = str(caught.value)
    assert "\n" not in says
    assert "4.0 MB are allowed" in says
    assert "compressed tables" in says
    fits = says.split("the bets '")[1].split("'")[0]
    assert PostflopSolver(replace(spot, bets=fits), memory=4_000_000).cost.tables < 4_000_000
    with pytest.raises(OptionError, match=r"\d MB.*0\.0 MB"):
        PostflopSolver(spot, memory=1000)
    needed = PostflopSolver(spot).cost
    with pytest.raises(OptionError, match=r"\([0-9.,]+ MB\)"):
        PostflopSolver(spot, memory=needed.compressed + needed.rest)
    assert PostflopSolver(spot, memory=needed.compressed + needed.rest, compressed=True)


@pytest.mark.parametrize("how", [{"rules": "pcfr+"}, {"threads": 16}, {"compressed": True}])
def test_what_would_fit_fits_in_the_same_way(how):
    spot = replace(FLOP, bets="33%, 50%, 75%, a / 50%, a")
    with pytest.raises(OptionError) as caught:
        PostflopSolver(spot, memory=8_000_000, **how)
    says = str(caught.value)
    fits = says.split("the bets '")[1].split("'")[0]
    assert PostflopSolver(replace(spot, bets=fits), memory=8_000_000, **how)
    assert ("compressed tables" in says) == ("threads" in how)


def test_too_many_lines_are_refused_with_what_would_fit_or_that_nothing_does(monkeypatch):
    monkeypatch.setattr(range_cost, "MOST_LINES", 1000)
    spot = replace(FLOP, bets="33%, 50%, 75%, a / 50%, a")
    with pytest.raises(OptionError, match=r"1,000.*4\.0 MB") as caught:
        PostflopSolver(spot, memory=4_000_000)
    fits = str(caught.value).split("such as '")[1].split("'")[0]
    assert PostflopSolver(replace(spot, bets=fits), memory=4_000_000)
    with pytest.raises(OptionError, match=r"0\.1 MB") as caught:
        PostflopSolver(spot, memory=100_000)
    assert "such as" not in str(caught.value)
    assert "give fewer sizes" not in str(caught.value)


def test_what_is_told_is_what_is_allocated():
    for spot, how in [(TURN, {}), (TURN, {"compressed": True}), (RIVER, {"rules": "pcfr+"})]:
        solver = PostflopSolver(spot, **how)
        held = sum(table.nbytes for table in solver.tables)
        assert held == solver.table_bytes


@pytest.mark.parametrize("threads", [1, 8])
def test_buffers_of_threads_are_counted(threads):
    solver = PostflopSolver(SPOTS["turn_bench"], threads=threads)
    runner, shared = solver._runner, solver._runner.shared
    parts = [runner._spaces, shared.above, shared.link, shared.pending_values]
    held = sum(leaf.nbytes for leaf in _leaves(parts))
    assert 0.95 * held < solver.cost.rest < 1.35 * held  # boards and lines are counted, too


def _leaves(part):
    return [part] if isinstance(part, np.ndarray) else [each for p in part for each in _leaves(p)]


def test_free_memory_is_the_default_limit(monkeypatch):
    monkeypatch.setattr(system, "usable_memory", lambda: 20e6)
    with pytest.raises(OptionError, match=r"30 MB.*18 MB"):
        PostflopSolver(SPOTS["turn_bench"])
    assert PostflopSolver(SPOTS["turn_bench"], compressed=True)
    monkeypatch.setattr(system, "usable_memory", lambda: 0.0)
    assert PostflopSolver(TURN)  # so little is always there


# Known values: other solvers', on the same trees.


def check_known(spot, until, value, **how):
    """Values within the exploitabilities of both solvers, theirs being at most as large."""
    solver = PostflopSolver(spot, **how)
    done = solver.solve(until, iterations=1000)
    assert done.exploitability <= until
    within = 2 * until / 100 * spot.pot
    assert solver.values()[1] == pytest.approx(value, abs=within)
    assert sum(solver.values()) == pytest.approx(0, abs=1e-3)
    low, high = -solver.best_values()[0], solver.best_values()[1]
    assert low <= value + within
    assert high >= value - within


@pytest.mark.parametrize(
    ("name", "nodes", "decisions", "hands"),
    [
        ("river_full", 69, 24, [1081, 1081]),
        ("river_bench", 69, 24, [292, 213]),
        ("turn_full", 15_189, 5_400, [1128, 1128]),
        ("turn_bench", 15_189, 5_400, [299, 216]),
        ("flop_bench", 307_974, 109_912, [310, 225]),
    ],
)
def test_trees_are_those_of_other_solvers(name, nodes, decisions, hands):
    solver = PostflopSolver(SPOTS[name])
    assert (solver.cost.nodes, solver.cost.decisions) == (nodes, decisions)
    assert [len(each) for each in solver.boards[0].combos[0]] == hands


@pytest.mark.parametrize(("full", "value"), [(False, 2.757), (True, -1.985)])
def test_known_rivers(full, value):
    check_known(SPOTS["river_full" if full else "river_bench"], 0.05, value)


def test_known_turn():
    check_known(SPOTS["turn_bench"], 0.5, 2.761)


@pytest.mark.slow
@pytest.mark.parametrize("how", [{"threads": 2}, {"compressed": True}])
def test_known_turn_closely(how):
    check_known(SPOTS["turn_bench"], 0.2, 2.761, **how)


@pytest.mark.slow
def test_known_full_turn():
    check_known(SPOTS["turn_full"], 0.5, -2.44, threads=2)


@pytest.mark.slow
@pytest.mark.parametrize("compressed", [False, True])
def test_known_flop(compressed):
    check_known(SPOTS["flop_bench"], 0.5, 3.10, threads=2, compressed=compressed)


# How far, how long.


def test_stopping(monkeypatch):
    monkeypatch.setattr(ranges, "_CALL_SECONDS", 0)
    solver = PostflopSolver(RIVER)
    seen = []
    done = solver.solve(0, iterations=25, every=10, on_check=seen.append)
    assert [check.iterations for check in seen] == [10, 20, 25]
    assert done == seen[-1]
    assert solver.iterations == 25
    assert solver.solve(100).iterations == 25  # good enough already
    assert solver.solve(0, seconds=0).iterations == 25
    assert PostflopSolver(RIVER).solve(0, seconds=0).iterations == 10
    assert solver.solve(0.5).exploitability <= 0.5
    before = solver.iterations
    assert solver.solve(0, iterations=5).iterations == before  # done long ago
    solver = PostflopSolver(TURN)
    asked = iter([False, False, True, True])
    assert solver.solve(0, stop=lambda: next(asked)).iterations == 3
    assert PostflopSolver(TURN).solve(0, seconds=1e-9).iterations == 1


def test_it_ends_when_the_exploitability_no_longer_falls():
    """32 bits do not reach 1e-12 %; what ends it is the count of iterations, each time the same."""
    ended = [PostflopSolver(RIVER).solve(1e-12, stop=lambda: False) for _ in range(2)]
    assert ended[0].exploitability == ended[1].exploitability < 0.1
    assert 500 < ended[0].iterations == ended[1].iterations < 100_000
    limited = PostflopSolver(RIVER).solve(1e-12, iterations=ended[0].iterations + 10)
    assert limited.iterations == ended[0].iterations + 10  # who gives a number gets it


def test_exploitability_counts_rake_once():
    solver = PostflopSolver(replace(RIVER, rake=0.05, rake_cap=3.0))
    solver.run(3000)
    assert 0 <= solver.exploitability() < 0.02
    assert sum(solver.values()) < -0.5  # the house


def test_values_of_nodes_add_up():
    solver = PostflopSolver(ALIKE)
    solver.run(20)
    for mode, wanted in ((2, solver.values()), (BEST, solver.best_values())):
        root = find_node(solver)
        for player in (0, 1):
            mine = ALIKE.weights[player] @ root.cfv(player, mode) / ALIKE.pairs
            assert mine == pytest.approx(wanted[player], abs=1e-4)
