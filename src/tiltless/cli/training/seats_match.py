"""``tiltless blueprint match`` for three to six seats: one against copies, and the other way round.

Compiled: rows that training never met are played uniformly at random, and by hand strength by the
agent ``six``.
"""

import time
from typing import Any

import typer
from rich.console import Console

from tiltless.abstraction.cards.tables import build_tables
from tiltless.blueprint.loading import load_strategy
from tiltless.blueprint.multiway.model import MultiwayBlueprint
from tiltless.blueprint.multiway.simulate import RotationResult, play_against_copies
from tiltless.cli import ui
from tiltless.cli.table_bar import shown_tables
from tiltless.errors import FingerprintError
from tiltless.intervals import half_width_95

__all__ = ["in_mbb", "match_seats", "models_of_seats"]


def models_of_seats(*names: str) -> list[MultiwayBlueprint]:
    """The strategies of these names, all of them of several seats; none if the first is not."""
    first = load_strategy(names[0])
    if not isinstance(first, MultiwayBlueprint):
        return []
    models = [first, *map(MultiwayBlueprint.load, names[1:])]
    for name, model in zip(names[1:], models[1:], strict=True):
        if model.fingerprint != first.fingerprint:
            raise FingerprintError(
                f"{names[0]} and {name} differ in game, menu or cards; a compiled match needs two "
                "strategies of one graph; play others with tiltless match six:file=… six:file=…"
            )
    return models


def match_seats(
    console: Console,
    models: list[MultiwayBlueprint],
    names: list[str],
    *,
    deals: int,
    seed: int,
    threads: int,
    as_json: bool,
) -> None:
    """One of the first against copies of the second, and one of the second against the first."""
    first = models[0]
    with shown_tables(console, first.abstraction) as progress:
        tables = build_tables(first.abstraction, progress=progress)
    groups, rows = tables.groups[: first.graph.streets], []
    policies = [model.policy() for model in models]
    for one, other in ((0, 1), (1, 0)):
        begin, sides = time.perf_counter(), (policies[one], policies[other])
        found = play_against_copies(first.graph, groups, deals, *sides, seed=seed, threads=threads)
        facts = in_mbb(found, first.game.rules.big_blind)
        spent = time.perf_counter() - begin
        rows.append({"one": names[one], "copies": names[other], **facts, "seconds": spent})
        if not as_json:
            typer.echo(
                f"one {names[one]} against {first.game.players - 1} of {names[other]}: "
                f"{facts['mbb_per_hand']:+,.1f} ± {facts['error_95']:,.1f} mbb/h in "
                f"{found.hands:,} hands"
            )
    if as_json:
        ui.print_json({"seed": seed, "matches": rows})


def in_mbb(found: RotationResult, big_blind: int) -> dict[str, Any]:
    """In mbb/h, with 95 %."""
    unit = 1000 / big_blind
    return {
        "hands": found.hands,
        "mbb_per_hand": unit * found.mean,
        "error_95": half_width_95(unit * found.standard_error),
    }
