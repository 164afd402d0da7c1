"""Benchmark of reviews: hands of blueprint self-play that reached the turn, at the quick setting.

``review_hands_per_s``: `HANDS` such hands of seed 1, both seats by turns, 50 iterations and the
agent's menus, on all cores of the machine but at most two. Everything is reviewed: the turn and the
river by solving, and the decisions before by playouts. ``review_solved_hands_per_s`` leaves those
out, with a quarter of the hands. The blueprint is loaded, its bucket tables are built and all is
compiled before. Part of ``tiltless bench protocols``.
"""

import time
from collections.abc import Iterator
from dataclasses import replace

from tiltless.abstraction.cards.tables import build_tables
from tiltless.agents.registry import make_agent
from tiltless.agents.reviewer import QUICK, Reviewer
from tiltless.arena.dealer import Seated, play_hand, shuffled_decks
from tiltless.bench import Result
from tiltless.blueprint.shipped import find_blueprint
from tiltless.blueprint.strategy import load_blueprint
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.history import streets
from tiltless.games.holdem.view import View
from tiltless.games.registry import load
from tiltless.system import usable_cores

__all__ = ["HANDS", "hands_that_reached", "review_speed"]

HANDS = 200
_SEED = 1
_TURN = 2
_WARM = 6


def hands_that_reached(street: int, count: int, seed: int = _SEED) -> Iterator[View]:
    """Hands of the blueprint against itself with a decision on a street, seen by turns."""
    game = load("nlhe", seats=2, stack="100bb")
    assert isinstance(game, Holdem)
    agents = [Seated(make_agent("blueprint")) for _ in range(2)]
    found = deal = 0
    while found < count:
        deck = shuffled_decks(game, seed, deal, 1)[0].tolist()
        played = play_hand(game, agents, deck, seed=seed, deal=deal, button=deal % 2)
        deal += 1
        view = played.final.view(found % 2)
        past = streets(view)
        if len(past) > street and past[street].decisions:
            found += 1
            yield view


def review_speed(hands: int = HANDS) -> Result:
    """Reviews per second of wall time, with and without playouts."""
    build_tables(load_blueprint(find_blueprint()).abstraction)  # without them, no playouts
    views = list(hands_that_reached(_TURN, hands))
    threads = min(2, usable_cores())
    figures: Result = {}
    for name, playouts, some in (
        ("review", QUICK.playouts, views),
        ("review_solved", 0, views[: max(hands // 4, 1)]),
    ):
        reviewer = Reviewer(replace(QUICK, threads=threads, playouts=playouts))
        for number, view in enumerate(some[:_WARM]):
            reviewer.review(view, number)
        start = time.perf_counter()
        for number, view in enumerate(some):
            reviewer.review(view, number)
        figures[f"{name}_hands_per_s"] = len(some) / (time.perf_counter() - start)
    return figures
