"""Playouts of the blueprints that agents play, where their bucket tables have been built."""

from functools import lru_cache

from tiltless.abstraction.cards.tables import missing_tables, open_tables
from tiltless.agents.blueprint import KnownHands, TableBlueprint
from tiltless.search.early_streets import EarlyStreets
from tiltless.search.playouts import Continuation

__all__ = ["continuation_of", "early_streets"]


def continuation_of(known: KnownHands, threads: int = 1) -> Continuation | None:
    """How both players go on like a blueprint of two; None if its bucket tables were not built.

    Nothing is built here, and tables that were built after the blueprint was loaded are found.
    """
    if missing_tables(known.blueprint.abstraction):
        return None
    return _opened(known, threads)


@lru_cache(maxsize=4)
def _opened(known: KnownHands, threads: int) -> Continuation:
    blueprint = known.blueprint
    tables = open_tables(blueprint.abstraction, verify=False)
    groups = blueprint.groups(tables)
    return Continuation(blueprint.tree, blueprint.probabilities, groups, threads)


def early_streets(found: TableBlueprint, playouts: int, threads: int = 1) -> EarlyStreets | None:
    """Values of decisions before the turn at a table; None if bucket tables were not built."""
    continuation = continuation_of(found.known, threads)
    if continuation is None:
        return None
    return EarlyStreets(continuation, found.locator.locate, playouts)
