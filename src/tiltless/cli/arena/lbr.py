"""``tiltless lbr``: local best response, a lower bound on exploitability."""

from typing import Annotated

import typer
from rich.progress import TaskID

from tiltless.arena.estimators.coarse_to_fine import FEW
from tiltless.arena.estimators.lbr import BETS
from tiltless.arena.estimators.lbr_match import Responses, lbr_plan
from tiltless.arena.estimators.lbr_run import (
    LBR_CHUNK,
    LBR_ESTIMATORS,
    how_estimated,
    lbr_settings,
    play_settings,
)
from tiltless.arena.lbr_text import LbrResult
from tiltless.arena.match_options import table_parameters
from tiltless.arena.stats.score import per_unit
from tiltless.cli import ui
from tiltless.cli.arena.match import noted, tell_notes
from tiltless.cli.arena.options import Cluster, Seed
from tiltless.distributed.connect import on_cluster
from tiltless.games.holdem.rules import MOST_SEATS
from tiltless.games.parameter_text import read_parameters
from tiltless.interrupts import INTERRUPTED

__all__ = ["lbr"]


def lbr(
    agent: Annotated[
        str, typer.Argument(help="Agent with a known strategy: blueprint, search, fish …")
    ],
    parameters: Annotated[
        list[str] | None, typer.Argument(help="Game parameters: stack=200bb blinds=50,100")
    ] = None,
    seats: Annotated[
        int | None,
        typer.Option(
            help="Seats at the table, 2 by default; the response plays against copies.",
            min=2,
            max=MOST_SEATS,
        ),
    ] = None,
    setting: Annotated[
        str,
        typer.Option(help="Setting: 1 to 4, all, or letters by street such as 'C|C|FCPA|FCPA'."),
    ] = "all",
    hands: Annotated[
        int,
        typer.Option(help="Number of hands per setting; each deal gives one in every seat.", min=2),
    ] = 2_000,
    versus: Annotated[str, typer.Option(help="Second agent, compared on the same deals.")] = "",
    sizes: Annotated[
        int, typer.Option(help="Number of raise sizes tried in settings 3 and 4.", min=1)
    ] = BETS,
    ask: Annotated[
        int,
        typer.Option(
            help="Number of sizes that search is first asked about on the turn, where answers "
            "take long; then it is asked about those that look best. 0 asks about all.",
            min=0,
        ),
    ] = FEW,
    estimators: Annotated[
        str,
        typer.Option(
            help="Estimators: raw; raw,aivat for less variance as well; or ranges, where both "
            "players hold all their hands at once, for by far the narrowest intervals."
        ),
    ] = ",".join(LBR_ESTIMATORS),
    processes: Annotated[int, typer.Option(help="Number of processes.", min=1)] = 1,
    cluster: Cluster = None,
    game: Annotated[
        str, typer.Option(help="Game to play, with the standard ranking of hands.")
    ] = "nlhe",
    seed: Seed = 0,
    as_json: ui.AsJson = False,
) -> None:
    """Play a local best response (Lisý & Bowling 2017) against an agent: how much can be won?

    Its expected winnings are a lower bound on the agent's exploitability; the largest of the four
    usual settings is the one to quote. 1: fold, call. 2: pot and all-in bets on turn and river.
    3: 56 sizes there. 4: 56 sizes on the flop. AIVAT has the same mean as the raw winnings and a
    narrower interval, since the agent's strategy is known. With more than two seats, one response
    plays against copies of the agent, in every seat of each deal; its winnings are a lower bound on
    what one player could gain, not a distance from an equilibrium.
    """
    given = read_parameters(parameters or ())
    size, given = table_parameters(given, seats)
    if size is not None:
        given["seats"] = size
    plan = lbr_plan(agent, versus, hands, game, given, seed=seed, chunk=LBR_CHUNK)
    settings = lbr_settings(setting, sizes, ask)
    how = how_estimated(estimators)
    factor = per_unit("mbb/h", plan.table.rules.big_blind)
    console = ui.console(stderr=True)
    tell_notes(console, plan)
    workers = on_cluster(cluster, processes, noted(console))
    columns = "setting {task.description}", "{task.fields[result]}"
    with workers as where, ui.bar(*columns, on=console) as bar:
        tasks: dict[str, TaskID] = {}

        def progress(name: str, so_far: Responses) -> None:
            if not so_far.first.deals:
                tasks[name] = bar.add_task(name, total=plan.deals, result="")
                return
            best = so_far.first.aivat or so_far.first.raw
            result = f"{best.interval.scaled(factor)} mbb/h"
            bar.update(tasks[name], completed=so_far.first.deals, result=result)

        found, stopped = play_settings(plan, settings, how, where, progress)
    shown = LbrResult(agent, versus, plan, settings, found, how["ranges"])
    if as_json:
        ui.print_json(shown.facts())
    else:
        typer.echo("\n".join(shown.lines()))
    if stopped:
        typer.echo("stopped", err=True)
        raise typer.Exit(INTERRUPTED)
