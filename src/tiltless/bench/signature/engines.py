"""Signature items that run an engine: tables after fixed work on one thread."""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from tiltless.abstraction.cards.buckets import PREFLOP_CLASSES
from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.abstraction.cards.tables import build_tables
from tiltless.agents.registry import make_agent
from tiltless.agents.search import SearchAgent
from tiltless.bench.signature.facts import holdem_tree
from tiltless.bench.signature.golden import Fact, Item, signed
from tiltless.blueprint.engine import BlueprintEngine, BlueprintRules
from tiltless.blueprint.multiway.deals import HoldemDealer
from tiltless.blueprint.multiway.engine import MultiwayEngine, VectorRules
from tiltless.blueprint.multiway.graph_layout import betting_graph
from tiltless.blueprint.multiway.model import MultiwayBlueprint
from tiltless.blueprint.sampling import SCHEMES
from tiltless.blueprint.strategy import Blueprint
from tiltless.cards.card import parse_cards
from tiltless.cfr.presets import PRESETS
from tiltless.cfr.pruning import RegretBased
from tiltless.games.holdem.actions import CALL, CHECK, Action, RaiseTo
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.view import View
from tiltless.games.registry import load
from tiltless.postflop.node import find_node
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import Spot
from tiltless.search.entry import ENTRIES
from tiltless.tabular.solver import Solver

__all__ = [
    "blueprint",
    "postflop",
    "save_seats_blueprint",
    "save_toy_blueprint",
    "search",
    "tabular",
]

_ITERATIONS = 10
_LAYOUTS = (("dcfr", "flat"), ("cfr+", "flat"), ("pcfr+", "flat"))  # besides the automatic ones
_RANGE_RULES = ("dcfr-ranges", "dcfr", "dcfr+", "cfr+", "pcfr+", "pdcfr+", "linear", "cfr")
_OOP, _IP = "QQ+,AKs,KQs:0.5,JTs,87s:0.75", "88+,AQs+,KQ:0.5,T9s"
_BETS = "50%, a / 60%, a; cap 3"
_SPOTS: Mapping[str, Spot] = {
    "river": Spot("QsJh2h8d3c", _OOP, _IP, 64, 320, _BETS),
    "river-raked": Spot("QsJh2h8d3c", _OOP, _IP, 64, 320, _BETS, rake=0.05, rake_cap=3),
    "turn": Spot("QsJh2h8d", _OOP, _IP, 64, 160, _BETS),
    "flop": Spot("QsJh2h", "QQ+,AKs", "JJ,AQs,KQs", 64, 100, "100%, a / a; cap 2"),
}
_ONE_BUCKET_TREE = ("100%, a; cap 2", "nlhe", {"stack": 20})
_SEATS: Mapping[str, Any] = {"seats": 3, "stack": "20bb"}
_SEATS_CARDS = "small"
_SEATS_RULES = VectorRules(384, average_every=384, snapshot_every=768)
_SEATS_WALKS = 3000


def tabular() -> Iterator[Item]:
    """Ten iterations of every preset on Kuhn and Leduc."""
    for name in PRESETS:
        for game in ("kuhn", "leduc"):
            yield f"tabular.{name}.{game}", partial(_tabular, name, game)
    for name, layout in _LAYOUTS:
        yield f"tabular.{name}.leduc-{layout}", partial(_tabular, name, "leduc", layout)
    yield "tabular.cfr.kuhn-3-players", partial(_tabular, "cfr", "kuhn", players=3)


def _tabular(algorithm: str, game: str, layout: str = "auto", **parameters: Any) -> Fact:
    solver = Solver(load(game, **parameters), algorithm, layout=layout, seed=1)
    solver.run(_ITERATIONS)
    engine = solver.engine
    return signed(
        solver.layout,
        solver.flat.infosets,
        floats=(engine.average(), engine.current(), solver.distance()),
    )


def blueprint() -> Iterator[Item]:
    """Blocks of every sampling scheme on a small tree, and of vector sampling for three seats."""
    for sampling, scheme in SCHEMES.items():
        yield f"blueprint.{sampling}.table", partial(_trained, BlueprintRules(sampling), 1)
        rules = BlueprintRules(sampling, discount_every=scheme.block, alpha=1.5, beta=0, gamma=2)
        yield f"blueprint.{sampling}.discounted", partial(_trained, rules, 2)
    pruned = BlueprintRules(pruning=RegretBased(-20.0, 0), floor=-200.0)
    yield "blueprint.external.pruned", partial(_trained, pruned, 2)
    yield "blueprint.chance.toy", _toy
    yield "blueprint.multiway.table", _seats


def _trained(rules: BlueprintRules, blocks: int) -> Fact:
    bets, game, parameters = _ONE_BUCKET_TREE
    tree = holdem_tree(bets, game, **parameters)
    return _tables(BlueprintEngine(tree, [PREFLOP_CLASSES] * tree.streets, rules, seed=1), blocks)


def _tables(engine: BlueprintEngine, blocks: int) -> Fact:
    engine.run(blocks * engine.block_walks)
    return signed(engine.blocks, floats=(engine.regret, engine.average, float(engine.visited)))


def _toy() -> Fact:
    return _tables(_toy_engine(), 1)


def _toy_engine() -> BlueprintEngine:
    """The thesis' training, with buckets that are computed."""
    tree = holdem_tree("thesis", "toy-holdem")
    groups = build_tables(card_abstraction("thesis"), threads=1).groups[: tree.streets]
    return BlueprintEngine(tree, groups, BlueprintRules("chance"), seed=1)


def save_toy_blueprint(folder: Path, blocks: int = 4) -> Path:
    """Train the thesis' toy blueprint a little, and save it; returns its file."""
    engine, path = _toy_engine(), folder / "toy.safetensors"
    engine.run(blocks * engine.block_walks)
    cards = card_abstraction("thesis")
    average = engine.policy()
    Blueprint.from_average(engine.tree, "toy-holdem", {}, "thesis", cards, average).save(path)
    return path


def _seats() -> Fact:
    engine = _seats_engine()
    size = engine.graph.size.entries(engine.dealer.counts)
    return signed(size, engine.blocks, engine.visited, floats=(engine.regret, engine.average))


def _seats_engine() -> MultiwayEngine:
    """A short training of three seats."""
    game = load("nlhe", **_SEATS)
    assert isinstance(game, Holdem)
    graph = betting_graph(game, "six-small")
    groups = build_tables(card_abstraction(_SEATS_CARDS), threads=1).groups[: graph.streets]
    engine = MultiwayEngine(graph, HoldemDealer(game, groups), _SEATS_RULES, seed=1)
    engine.run(_SEATS_WALKS)
    return engine


def save_seats_blueprint(folder: Path) -> Path:
    """Train a blueprint of three seats a little, and save it; returns its file."""
    engine, path = _seats_engine(), folder / "seats.safetensors"
    cards = card_abstraction(_SEATS_CARDS)
    MultiwayBlueprint.from_average(engine.graph, "nlhe", _SEATS, cards, engine.average).save(path)
    return path


def postflop() -> Iterator[Item]:
    """Ten iterations of small spots on every street, by every rule, compressed and locked."""
    for name in _SPOTS:
        yield f"postflop.{name}", partial(_spot, name)
    for rules in _RANGE_RULES:
        yield f"postflop.river.{rules}", partial(_spot, "river", rules=rules)
    for name in ("river", "turn"):
        yield f"postflop.{name}.compressed", partial(_spot, name, compressed=True)
    yield "postflop.river.locked", _locked


def _spot(name: str, **options: Any) -> Fact:
    return _solved(PostflopSolver(_SPOTS[name], threads=1, **options))


def _locked() -> Fact:
    solver = PostflopSolver(_SPOTS["river"], threads=1)
    node = find_node(solver, "x")
    solver.lock(node, dict.fromkeys(node.actions, 1.0))
    return _solved(solver)


def _solved(solver: PostflopSolver) -> Fact:
    solver.run(_ITERATIONS)
    cost, tables = solver.cost, [table for table in solver.tables if len(table)]
    return signed(
        solver.spot.toml(),
        [cost.boards, cost.nodes, cost.decisions, solver.table_bytes],
        floats=(*tables, solver.exploitability(), *solver.values()),
    )


_BEFORE: tuple[Action | str, ...] = ("AhKs", "QcJc", RaiseTo(6), CALL, "Qs7h2d", CHECK, RaiseTo(6))
_SEARCHED: Mapping[str, tuple[Action | str, ...]] = {
    "turn": (*_BEFORE, CALL, "8d", CHECK),
    "river": (*_BEFORE, CALL, "8d", CHECK, CHECK, "3c", RaiseTo(17)),
}


def search() -> Iterator[Item]:
    """What search plays with all hands in one decision of the turn, and one of the river."""
    for entry in ENTRIES:
        yield f"search.river.{entry}", partial(_searched, "river", f"iterations=20,entry={entry}")
    yield "search.turn", partial(_searched, "turn", "iterations=8,turn=75%+a/a,river=75%+a/a")


def _searched(street: str, options: str) -> Fact:
    agent = make_agent(f"search:{options}")
    assert isinstance(agent, SearchAgent)
    found = agent.policies(_view(_SEARCHED[street]))
    return signed([str(action) for action in found.actions], floats=(found.chances,))


def _view(moves: tuple[Action | str, ...]) -> View:
    game = load("nlhe", stack="100bb")
    assert isinstance(game, Holdem)
    state = game.start()
    for move in moves:
        state = state.apply(tuple(parse_cards(move)) if isinstance(move, str) else move)
    return state.view(state.actor)
