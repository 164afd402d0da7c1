"""``tiltless reproduce six-player``: the six-player report's agent, trained and tried again."""

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress as Bar
from rich.progress import TaskID
from rich.table import Table

from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.abstraction.cards.tables import build_tables
from tiltless.cli import ui
from tiltless.cli.arena.match import noted, shown_match, stoppable_bar
from tiltless.cli.arena.options import Cluster, Seed, output_folder
from tiltless.cli.table_bar import shown_tables
from tiltless.distributed.connect import on_cluster
from tiltless.experiments.six_player.options import parse_options
from tiltless.experiments.six_player.policy import TrainingCounts
from tiltless.experiments.six_player.reproduction import (
    QUICK,
    ReportRun,
    TrialResult,
    facts,
    reproduce_report,
    verdicts,
)
from tiltless.experiments.six_player.training import ABSTRACTION, NODES, PHASE, VERSIONS
from tiltless.experiments.six_player.training import Progress as TrainingProgress
from tiltless.system import usable_cores

__all__ = ["six_player"]

_UNIT = "chips/h"


def six_player(
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help=f"Quick run: {QUICK:.0%} of all games, in seconds; wide intervals."
        ),
    ] = False,
    scale: Annotated[
        float,
        typer.Option(
            help="Factor for the numbers of games in training and trials.", min=0.0001, max=1000
        ),
    ] = 1.0,
    options: Annotated[
        str,
        typer.Option(
            help="Readings of what the report leaves open: own-regret=net,fold-value=paid,... "
            "See docs/six-player-report.md."
        ),
    ] = "",
    agent: Annotated[
        str, typer.Option(help="Options of the agent in the trials, such as ph=paper.")
    ] = "",
    only: Annotated[
        str, typer.Option(help="Play only trials whose name contains one of these words (w1,w2).")
    ] = "",
    rotated: Annotated[
        bool,
        typer.Option("--rotated", help="Play each session once for every rotation of the seats."),
    ] = False,
    nodes: Annotated[
        int,
        typer.Option(
            help="Number of nodes in the policy table; training stops when it is full.", min=1000
        ),
    ] = NODES,
    seed: Seed = 0,
    processes: Annotated[
        int, typer.Option(help="Number of processes for the trials; 0 means all cores.", min=0)
    ] = 0,
    cluster: Cluster = None,
    out: Annotated[Path | None, output_folder("six-player")] = None,
    as_json: ui.AsJson = False,
) -> None:
    """Train the six-player report's agent, V1 and V2, and play its trials again.

    Training takes about 15 seconds on one idle core, the trials a minute or two. The first run
    builds the bucket tables, in a minute. Policies and finished sessions are kept in the output
    folder: after Ctrl-C the same command continues.
    """
    console, errors = ui.console(markup=False), ui.console(stderr=True)
    reading = parse_options(options)
    abstraction = card_abstraction(ABSTRACTION)
    with shown_tables(errors, abstraction) as progress:
        build_tables(abstraction, progress=progress)
    folder = out or Path("six-player-quick" if quick else "six-player")
    factor = scale * (QUICK if quick else 1.0)
    workers = on_cluster(cluster, processes or usable_cores(), noted(errors))
    with workers as where, stoppable_bar(errors) as bar:
        run = reproduce_report(
            folder,
            reading,
            scale=factor,
            only=[word.strip() for word in only.split(",") if word.strip()],
            agent=agent,
            rotated=rotated,
            seed=seed,
            nodes=nodes,
            processes=where,
            trained=_shown_training(bar, factor),
            begin=lambda trial, plan: shown_match(bar, plan, _UNIT, trial.name),
            note=noted(errors),
        )
    if as_json:
        ui.print_json(facts(run))
        return
    _show(run)
    console.print(
        f"{folder}: V1.safetensors, V2.safetensors, results.sqlite, table.md; seed {seed}",
        soft_wrap=True,
    )


def _shown_training(bar: Bar, scale: float) -> TrainingProgress:
    """A line of the bar for self-play, which appears with the first games."""
    games = max(1, round(VERSIONS["V2"] * scale))
    tasks: list[TaskID] = []

    def show(counts: TrainingCounts, nodes: int) -> None:
        if not tasks:
            tasks.append(bar.add_task("self-play", total=games))
        phase, phases = -(-counts.games // PHASE), -(-games // PHASE)
        text = f"self-play, phase {phase} of {phases}, {nodes:,} nodes"
        hands = counts.hands / counts.games
        bar.update(tasks[0], completed=counts.hands, total=games * hands, description=text)

    return show


def _show(run: ReportRun) -> None:
    console = ui.console(markup=False)
    for result in run.trials:
        console.print(_table(result))
    for line in verdicts(run):
        console.print(line, soft_wrap=True)


def _table(result: TrialResult) -> Table:
    trial, hands = result.trial, result.plan.hands_per_unit
    table = Table(title=f"{trial.name}: {len(result.sessions):,} sessions of {hands} hands")
    table.add_column("player")
    table.add_column("played by")
    for title in ("chips a hand, ± 95 %", "published", "by policy"):
        table.add_column(title, justify="right")
    for seat, name in enumerate(trial.players):
        won = result.won([seat]).interval
        sources = dict(result.scores[seat].sources.counts)
        known, every = sources.get("policy", 0), sum(sources.values())
        table.add_row(
            name,
            "six-report" if name in VERSIONS else result.plan.agents[seat],
            f"{won.mean:+,.0f} ± {won.half_width:,.0f}",
            f"{trial.per_hand(seat):+,.0f}",
            f"{known / every:.0%}" if name in VERSIONS and every else "",
        )
    return table
