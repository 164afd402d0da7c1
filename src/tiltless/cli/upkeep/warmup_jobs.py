"""Warm-up jobs: small real calls that together compile every kernel."""

from collections.abc import Callable
from itertools import combinations_with_replacement

__all__ = ["job_order", "job_seconds", "jobs"]

_SECONDS = {
    "turns": 13.0,
    "flops": 13.0,
    "card buckets": 12.0,
    "six-player report": 9.0,
    "blueprints": 7.0,
    "playouts": 6.0,
    "rivers": 5.0,
    "hidden orders": 5.0,
    "preflop matchups": 3.6,
    "best responses": 3.5,
    "solvers, flat": 2.9,
    "environments": 4.0,
    "boards that grow": 4.0,
    "several seats": 9.0,
    "rollouts": 2.2,
    "canonical hands": 2.0,
    "solvers, stacked": 1.8,
    "range against range": 1.7,
    "chance sampling": 1.5,
    "public chance": 1.5,
}
"""Seconds of jobs on one core with an empty cache, for those well above a second."""


_LATER = (
    "flops",
    "six-player report",
    "several seats",
    "hidden orders",
    "boards that grow",
    "environments",
)
"""Jobs that a first visit does not need."""


def job_seconds(name: str) -> float:
    """About how long a job takes on one core with an empty cache."""
    return _SECONDS.get(name, 1.0)


def job_order(name: str) -> tuple[bool, float]:
    """Sorts jobs: what many people need first, and of that the longest first."""
    return name in _LATER, -job_seconds(name)


def jobs() -> dict[str, Callable[[], object]]:
    """Small real calls that together need every kernel, named by what they are for."""
    import numpy as np

    from tiltless.abstraction.cards.buckets import PREFLOP_CLASSES
    from tiltless.abstraction.cards.design import Designer, design
    from tiltless.abstraction.cards.features import Histogram, Strength
    from tiltless.abstraction.cards.fill import BoardTable
    from tiltless.abstraction.cards.presets import card_abstraction
    from tiltless.abstraction.cards.river_run import RunHistogram
    from tiltless.abstraction.cards.river_run_fill import RunBuckets
    from tiltless.agents.agent import Clock
    from tiltless.agents.monte_carlo import MonteCarlo
    from tiltless.agents.registry import make_agent
    from tiltless.arena.dealer import Seated, play_hand
    from tiltless.arena.estimators.all_in import all_in_payoffs
    from tiltless.blueprint.engine import BlueprintEngine, BlueprintRules
    from tiltless.blueprint.information import situations
    from tiltless.blueprint.multiway.deals import HoldemDealer
    from tiltless.blueprint.multiway.engine import MultiwayEngine
    from tiltless.blueprint.multiway.graph_layout import betting_graph
    from tiltless.blueprint.multiway.menu import MultiwayMenu
    from tiltless.blueprint.multiway.simulate import play_against_copies
    from tiltless.blueprint.sampling import SCHEMES
    from tiltless.blueprint.simulate.match import Side, simulate_match
    from tiltless.blueprint.simulate.playout import play
    from tiltless.blueprint.strategy import Blueprint
    from tiltless.blueprint.tree import betting_tree
    from tiltless.cards import evaluate, hand_equity, isomorphism, matchups, runouts
    from tiltless.cards.equity import equity
    from tiltless.cards.hand_order import hand_tables
    from tiltless.experiments.six_player.options import ReportOptions
    from tiltless.experiments.six_player.training import SelfPlay, blank_buckets
    from tiltless.games import load
    from tiltless.games.holdem.actions import CALL
    from tiltless.games.holdem.game import Holdem
    from tiltless.kernels.cards.evaluate import count_all_seven
    from tiltless.kernels.permutation.chain import HARD, MIXED_MOVES, run_chains
    from tiltless.kernels.permutation.listing import list_agreeing
    from tiltless.permutation.evidence import EvidenceRows
    from tiltless.permutation.orders import Orders
    from tiltless.postflop.solver import PostflopSolver
    from tiltless.postflop.spot import Spot
    from tiltless.protocols.environments.vector import VectorTables
    from tiltless.search.playouts import Continuation
    from tiltless.search.subgame import Tremble
    from tiltless.seeding import SeededRandom
    from tiltless.tabular.best_response import Evaluator
    from tiltless.tabular.flat import flatten
    from tiltless.tabular.solver import Solver

    seven = isomorphism.isomorphism((2, 5))

    def solve(algorithm: str, layout: str = "auto", threads: int = 1) -> None:
        solver = Solver(load("kuhn"), algorithm, layout=layout, threads=threads)
        solver.run(1)
        solver.distance()

    def respond() -> None:
        evaluator = Evaluator(flatten(load("kuhn")))
        evaluator.best_response(np.full(evaluator.flat.entries, 0.5))

    def all_in() -> None:
        game = load("nlhe", seats=3, stack=4)
        assert isinstance(game, Holdem)
        seats = [Seated(make_agent(name)) for name in ("all-in", "fish", "fish")]
        all_in_payoffs(play_hand(game, seats, range(52)).final)

    def play_hands() -> None:
        game = load("nlhe", stack=4)
        assert isinstance(game, Holdem)
        tree = betting_tree(game, "50%, 100%, a")
        buckets = [PREFLOP_CLASSES] * tree.streets
        play(tree, 10, buckets=buckets)
        situations(tree)
        size = int(tree.rows(PREFLOP_CLASSES.count).start[-1])
        sides = [Side(np.ones(size, kind), buckets) for kind in (np.float32, np.uint8)]
        for pair in combinations_with_replacement(sides, 2):
            simulate_match(tree, 10, *pair)
        shipped = np.ones(size, np.uint8)
        shipped.flags.writeable = False  # as one from a file is
        Continuation(tree, shipped, buckets).payoffs([1], 0, (51, 50), (), np.ones(1326), 4, 1)

    def round_strategy() -> None:
        game = load("nlhe", stack=4)
        assert isinstance(game, Holdem)
        tree, cards = betting_tree(game, "a"), card_abstraction("tiny")
        entries = int(tree.rows(cards.counts).start[-1])
        average = np.ones(entries, np.float32)
        Blueprint.from_average(tree, "nlhe", {"stack": 4}, "a", cards, average).verify()

    def train_blueprint() -> None:
        game = load("nlhe", stack=4)
        assert isinstance(game, Holdem)
        tree = betting_tree(game, "preflop: a; none")
        for sampling, scheme in SCHEMES.items():
            rules = BlueprintRules(sampling, discount_every=scheme.block)
            engine = BlueprintEngine(tree, [PREFLOP_CLASSES] * tree.streets, rules)
            engine.run(1)
            engine.mean_positive_regret()
            engine.infosets_touched()
            older = engine.average.view()
            older.flags.writeable = False  # as one from a file is
            for average in (None, older):
                engine.policy(average)

    def train_several() -> None:
        game = load("nlhe", seats=3, stack=4)
        assert isinstance(game, Holdem)
        graph = betting_graph(game, MultiwayMenu.parse("a; cap 1", "none"))
        buckets = [PREFLOP_CLASSES] * graph.streets
        engine = MultiwayEngine(graph, HoldemDealer(game, buckets))
        engine.run(1)
        engine.add_first_street(1.0)
        engine.add_snapshot(1.0)
        play_against_copies(graph, buckets, 2, engine.average, engine.average)

    def train_run() -> None:
        game = load("river-of-blood", stack=4)
        assert isinstance(game, Holdem)
        tree, cards = betting_tree(game, "preflop: a; none"), card_abstraction("run-small")
        grows = [RunBuckets(rule, size) for size, rule in enumerate(cards.streets[3:5], 5)]
        BlueprintEngine(tree, [*[PREFLOP_CLASSES] * 3, *grows]).run(1)

    def play_report() -> None:
        buckets = blank_buckets(ReportOptions())
        first = SelfPlay(nodes=10_000, buckets=buckets)
        first.run(1)
        SelfPlay(nodes=10_000, policy=first.policy, buckets=buckets).run(2)

    def step_tables() -> None:
        tables = VectorTables("nlhe", tables=1, actions="50%, a", seed=1)
        tables.step(tables.masks.argmax(axis=1))
        tables.observe(0, 0)

    def solve_ranges(board: str) -> None:
        solver = PostflopSolver(Spot(board, "AA", "KK", 10, 20, "a; cap 1"))
        solver.run(1)
        solver.exploitability()
        solver.cfv(len(solver.boards) - 1, 0, 0)
        Tremble(solver, 0, 0.01)()

    def roll_out_hands() -> None:
        for name in ("nlhe", "river-of-blood"):
            game = load(name)
            assert isinstance(game, Holdem)
            state = game.start().apply((0, 1)).apply((2, 3)).apply(CALL)
            for narrowed in (False, True):
                MonteCarlo(1, range=narrowed).act(state.view(state.actor), Clock(), SeededRandom())

    def infer_orders() -> None:
        Orders().observe("AsKs", "QdQc", "2c7d9hJs3c", -1)
        rows, orders = EvidenceRows(), np.arange(13, dtype=np.int8)[None].copy()
        words = np.ones(1, np.uint64)
        run_chains(words, MIXED_MOVES, 1, HARD, orders, *rows.arrays(), orders[:0])
        list_agreeing(rows.plans(), 1, orders, np.zeros(1, np.uint8))

    def make_buckets() -> None:
        river = np.arange(5, dtype=np.uint8) * np.uint8(10)
        for feature in (Strength(), Histogram(), RunHistogram()):
            feature.whole(river)
        feature.whole(river[:3])
        made = design(
            "lossless, lossless, potential 2, ochs(2) 3", designer=Designer(32, 1, 1, threads=1)
        ).abstraction()
        table = np.zeros((isomorphism.isomorphism((5,)).size, 1326), np.uint8)
        for each in (table, table.astype(np.uint16)):
            each.setflags(write=False)
            group = BoardTable(3, 5, "all", each)
            group.fill(np.arange(9, dtype=np.uint8)[None], 0, np.zeros((1, 2, 1), np.uint32))
            group.buckets(river)
        for cards in (made, card_abstraction("standard"), card_abstraction("strong")):
            for size in (3, 4, 5):
                cards.buckets(river[:size])

    return {
        "hand tables": hand_tables,
        "hand evaluation": lambda: evaluate.evaluate_many([range(7)]),
        "large hands": lambda: evaluate.evaluate_many([range(8)]),
        "boards": lambda: evaluate.rank_all_hands("AsKsQsJsTs"),
        "runouts": lambda: runouts.runouts((0, 1, 2, 3)),
        "hand against hand": lambda: equity("AsAh", "KdKc", board="QsJh2h"),
        "hand against range": lambda: equity("AsAh", "random", board="QsJh2h"),
        "range against range": lambda: hand_equity.hand_equities("22+", "AK", board="QsJh2h8d"),
        "three players": lambda: equity("AA", "KK", "QQ", board="QsJh2h8d"),
        "sampling": lambda: equity("AA", "KK", method="monte carlo", samples=10),
        "canonical hands": lambda: (seven.unindex(0), seven.index("AsKs2c3c4c5d6d")),
        "orbits": lambda: seven.orbit_size(0),
        "preflop matchups": matchups.preflop_matchups,
        "hand against all": lambda: matchups.edges_against_all(700, (0, 5, 10)),
        "all-in equity": all_in,
        "playouts": play_hands,
        "rollouts": roll_out_hands,
        "strategy files": round_strategy,
        "card buckets": make_buckets,
        "solvers, flat": lambda: solve("cfr", "flat"),
        "solvers, stacked": lambda: solve("cfr", "stacked"),
        "chance sampling": lambda: solve("cs-mccfr"),
        "external sampling": lambda: solve("es-mccfr", threads=2),
        "outcome sampling": lambda: solve("os-mccfr"),
        "public chance": lambda: solve("pcs"),
        "hidden orders": infer_orders,
        "blueprints": train_blueprint,
        "several seats": train_several,
        "boards that grow": train_run,
        "six-player report": play_report,
        "best responses": respond,
        "environments": step_tables,
        "turns": lambda: solve_ranges("QsJh2h8d"),
        "rivers": lambda: solve_ranges("QsJh2h8d3c"),
        "flops": lambda: solve_ranges("QsJh2h"),
        "enumeration": lambda: count_all_seven(hand_tables(), np.zeros(7463, np.uint64)),
    }
