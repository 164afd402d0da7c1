"""``tiltless lbr``: what a simple opponent wins that knows the strategy of an agent."""

import json
import math
import time
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from tiltless.arena.estimators.lbr import BETS, SETTINGS, LbrSetting
from tiltless.arena.estimators.lbr_match import Responses, play_responses
from tiltless.arena.plan import MatchPlan
from tiltless.arena.stats.intervals import Interval, per_unit
from tiltless.cli.parameters import read_parameters
from tiltless.errors import OptionError
from tiltless.games import load
from tiltless.games.holdem.game import Holdem

__all__ = ["lbr"]

_CHUNK = 10  # deals that a process plays at once


def lbr(
    agent: Annotated[str, typer.Argument(help="One that tells its strategy: blueprint, fish …")],
    parameters: Annotated[
        list[str] | None, typer.Argument(help="Of the game: stack=200bb blinds=50,100")
    ] = None,
    setting: Annotated[
        str, typer.Option(help="1 to 4, all, or letters by street such as 'C|C|FCPA|FCPA'.")
    ] = "all",
    hands: Annotated[
        int,
        typer.Option(help="How many for each setting; two for each deal, seats swapped.", min=2),
    ] = 2_000,
    versus: Annotated[
        str, typer.Option(help="Another agent, on the same deals: how much less is won from it?")
    ] = "",
    sizes: Annotated[int, typer.Option(help="Raises tried in settings 3 and 4.", min=1)] = BETS,
    processes: Annotated[int, typer.Option(help="Play in so many processes.", min=1)] = 1,
    game: Annotated[str, typer.Option(help="Which to play; two players, standard hands.")] = "nlhe",
    seed: Annotated[int, typer.Option(help="Of cards and choices.", min=0)] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Play a local best response (Lisý & Bowling 2017) against an agent: how much can be won?

    What it wins is a lower bound of the agent's exploitability, on average; the largest of the four
    usual settings is the one to quote. 1: fold, call. 2: pot and all-in bets on turn and river.
    3: 56 sizes there. 4: 56 sizes on the flop.
    """
    given = read_parameters(parameters or ())
    loaded = load(game, **given)
    if not isinstance(loaded, Holdem):
        raise OptionError(f"{game} is no hold'em; choose one that is, such as nlhe")
    agents = agent, versus or agent
    plan = MatchPlan(agents, hands // 2, game, given, seed=seed, chunk=_CHUNK)
    chosen = list(SETTINGS) if setting == "all" else [setting]
    settings = {name: LbrSetting.parse(name)._replace(bets=sizes) for name in chosen}
    factor = per_unit("mbb/h", loaded.rules.big_blind)
    found: dict[str, tuple[Responses, float]] = {}
    with Progress(
        TextColumn("setting {task.description}"),
        BarColumn(),
        TextColumn("{task.fields[result]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True, highlight=False),
        transient=True,
    ) as bar:
        for name, each in settings.items():
            task = bar.add_task(name, total=plan.deals, result="")

            def progress(so_far: Responses, task: TaskID = task) -> None:
                result = f"{so_far.first.interval.scaled(factor)} mbb/h"
                bar.update(task, completed=so_far.first.count, result=result)

            begin = time.perf_counter()
            responses = play_responses(plan, each, processes=processes, progress=progress)
            found[name] = responses, time.perf_counter() - begin
    if as_json:
        results = {
            name: {
                "streets": str(settings[name]),
                **_figures(responses.first.interval.scaled(factor)),
                **_versus(responses, factor, versus),
                "seconds": seconds,
            }
            for name, (responses, seconds) in found.items()
        }
        facts = {"agent": agent, "game": loaded.name, "hands": plan.hands, "seed": seed}
        about = facts | ({"versus": versus} if versus else {}) | {"sizes": sizes}
        typer.echo(json.dumps({**about, "settings": results}, indent=2, allow_nan=False))
        return
    typer.echo(f"local best response against {agent}, {plan.hands:,} hands each, 95 %:")
    for name, (responses, seconds) in found.items():
        line = f"  {name} ({settings[name]})" if name in SETTINGS else f"  {name}"
        speed = plan.hands * (2 if versus else 1) / max(seconds, 1e-9)
        interval = responses.first.interval.scaled(factor)
        typer.echo(f"{line:<24} {interval} mbb/h   {speed:,.0f} hands/s")
        if versus:
            other, more = (each.interval.scaled(factor) for each in responses[1:])
            typer.echo(f"    against {versus}: {other} mbb/h, on the same deals")
            typer.echo(f"    from {agent} more than from {versus}: {more} mbb/h")


def _figures(interval: Interval) -> dict[str, object]:
    ends = [number if math.isfinite(number) else None for number in (interval.low, interval.high)]
    return {"mbb_per_hand": interval.mean, "interval": ends}


def _versus(responses: Responses, factor: float, versus: str) -> dict[str, object]:
    if not versus:
        return {}
    other, more = (_figures(each.interval.scaled(factor)) for each in responses[1:])
    return {"versus": other, "difference": more}
