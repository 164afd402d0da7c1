"""``tiltless blueprint respond``: what a learned best response wins from a strategy of seats."""

import time
from typing import Annotated, Any

import typer

from tiltless.abstraction.cards.tables import build_tables
from tiltless.blueprint.multiway.deals import HoldemDealer
from tiltless.blueprint.multiway.model import MultiwayBlueprint
from tiltless.blueprint.multiway.response import TRUST, LearnedResponse
from tiltless.cli import ui
from tiltless.cli.table_bar import shown_tables
from tiltless.cli.training.seats_match import in_mbb
from tiltless.system import usable_cores

__all__ = ["respond"]

_MEASURED = 4  # times in a run, twice as many traversals each time


def respond(
    file: Annotated[str, typer.Argument(help="Blueprint of three to six seats.")],
    walks: Annotated[
        int, typer.Option(help="Number of traversals that train the response.", min=1)
    ] = 2_000_000,
    deals: Annotated[
        int, typer.Option(help="Number of deals per match, each played in all seats.", min=2)
    ] = 100_000,
    trust: Annotated[
        float, typer.Option(help="Trust in the strategy, as chips of regret that it starts with.")
    ] = TRUST,
    seed: Annotated[int, typer.Option(help="Random seed for deals and choices.", min=0)] = 0,
    threads: ui.Threads = 0,
    as_json: ui.AsJson = False,
) -> None:
    """Learn a response to a strategy of three to six seats: a lower bound on what a player gains.

    One seat learns, starting from the strategy itself, while copies of it play all other seats.
    """
    console = ui.console(stderr=True)
    model = MultiwayBlueprint.load(file)
    with shown_tables(console, model.abstraction) as progress:
        tables = build_tables(model.abstraction, progress=progress)
    groups = tables.groups[: model.graph.streets]
    dealer = HoldemDealer(model.game, groups)
    response = LearnedResponse(
        model.graph,
        dealer,
        model.policy(),
        trust=trust,
        seed=seed,
        threads=threads or usable_cores(),
    )
    rows: list[dict[str, Any]] = []
    begin = time.perf_counter()
    for halvings in range(_MEASURED - 1, -1, -1):
        wanted = max(walks >> halvings, 1)
        if wanted > response.walks:
            response.run(wanted - response.walks)
        found = response.wins(groups, deals, seed=seed + 1)
        facts = in_mbb(found, model.game.rules.big_blind)
        rows.append({"walks": response.walks, **facts, "seconds": time.perf_counter() - begin})
        if not as_json:
            typer.echo(
                f"{response.walks:,} traversals: {facts['mbb_per_hand']:+,.0f} ± "
                f"{facts['error_95']:,.0f} mbb/h from copies of {file} ({found.hands:,} hands)"
            )
    if as_json:
        ui.print_json({"file": file, "seed": seed, "trust": trust, "responses": rows})
