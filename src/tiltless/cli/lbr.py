"""``tiltless lbr``: what a simple opponent wins that knows the strategy of an agent."""

import json
import math
import time
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from tiltless.agents.registry import make_agent
from tiltless.arena.intervals import Tally, per_unit
from tiltless.arena.lbr import SETTINGS, Setting, play_lbr
from tiltless.cli.parameters import read_parameters
from tiltless.errors import OptionError
from tiltless.games import load
from tiltless.games.holdem import Holdem

__all__ = ["lbr"]

_BLOCK = 25  # deals between two looks at the clock


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
    game: Annotated[str, typer.Option(help="Which to play; two players, standard hands.")] = "nlhe",
    seed: Annotated[int, typer.Option(help="Of cards and choices.", min=0)] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Play a local best response (Lisý & Bowling 2017) against an agent: how much can be won?

    What it wins is a lower bound of the agent's exploitability, on average; the largest of the four
    usual settings is the one to quote. 1: fold, call. 2: pot and all-in bets on turn and river.
    3: 56 sizes there. 4: 56 sizes on the flop.
    """
    loaded = load(game, **read_parameters(parameters or ()))
    if not isinstance(loaded, Holdem):
        raise OptionError(f"{game} is no hold'em; choose one that is, such as nlhe")
    bot = make_agent(agent)
    chosen = list(SETTINGS) if setting == "all" else [setting]
    settings = {name: Setting.parse(name) for name in chosen}
    found = {}
    with Progress(
        TextColumn("setting {task.description}"),
        BarColumn(),
        TextColumn("{task.fields[result]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True, highlight=False),
        transient=True,
    ) as bar:
        factor = per_unit("mbb/h", loaded.rules.big_blind)
        for name, each in settings.items():
            task = bar.add_task(name, total=hands // 2, result="")
            tally, begin = Tally(), time.perf_counter()
            for first in range(0, hands // 2, _BLOCK):
                deals = min(_BLOCK, hands // 2 - first)
                tally = tally.merge(play_lbr(loaded, bot, each, deals, seed=seed, first=first))
                bar.update(task, advance=deals, result=f"{tally.interval.scaled(factor)} mbb/h")
            found[name] = tally.interval.scaled(factor), time.perf_counter() - begin
    if as_json:
        results = {
            name: {
                "streets": str(settings[name]),
                "mbb_per_hand": interval.mean,
                "interval": [_finite(interval.low), _finite(interval.high)],
                "seconds": seconds,
            }
            for name, (interval, seconds) in found.items()
        }
        facts = {"agent": agent, "game": loaded.name, "hands": hands // 2 * 2, "seed": seed}
        typer.echo(json.dumps({**facts, "settings": results}, indent=2, allow_nan=False))
        return
    typer.echo(f"local best response against {agent}, {hands // 2 * 2:,} hands each, 95 %:")
    for name, (interval, seconds) in found.items():
        line = f"  {name} ({settings[name]})" if name in SETTINGS else f"  {name}"
        typer.echo(f"{line:<24} {interval} mbb/h   {hands / max(seconds, 1e-9):,.0f} hands/s")


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
