"""``tiltless evaluate``: compare agents with variance reduction."""

import math
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import TaskID
from rich.table import Table

from tiltless.arena.estimators.evaluation import (
    ESTIMATORS,
    AgentEvaluation,
    evaluate_agents,
    read_estimators,
)
from tiltless.arena.lineup import lineup_tables
from tiltless.arena.match_options import parted, table_parameters
from tiltless.arena.plan import MatchPlan, deals_for, usual_chunk
from tiltless.arena.score_text import fault_lines, source_lines
from tiltless.arena.stats.score import unit_factor
from tiltless.arena.stats.sprt import Sprt
from tiltless.cli import ui
from tiltless.cli.arena.match import noted, progress_bar, tell_notes
from tiltless.cli.arena.match_text import no_verdict
from tiltless.cli.arena.options import Cluster, Lineup, Processes, Seats, Seconds, Seed, Unit
from tiltless.distributed.connect import on_cluster
from tiltless.interrupts import INTERRUPTED

__all__ = ["evaluate_command"]

_CHUNK = 50


def evaluate_command(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="AGENT AGENT... [NAME=VALUE]...",
            help="Two agents, such as blueprint and fish, or one for each seat, and game "
            "parameters, such as stack=50bb.",
        ),
    ],
    seats: Seats = None,
    lineup: Lineup = "",
    hands: Annotated[
        int, typer.Option(help="Number of hands; the maximum with --sprt.", min=2)
    ] = 10_000,
    estimator: Annotated[
        str,
        typer.Option(
            help=f"Estimators to use, of {','.join(ESTIMATORS)}; --sprt takes the last. Or "
            "ranges, for two agents that both report their strategy: all hands at once."
        ),
    ] = ",".join(ESTIMATORS),
    sprt: Annotated[
        float | None,
        typer.Option(
            metavar="MBB",
            help="Sequential test: stop once a gain of this many mbb/h is accepted or rejected.",
        ),
    ] = None,
    error: Annotated[
        float, typer.Option(help="With --sprt: probability of a wrong verdict.")
    ] = 0.05,
    game: Annotated[str, typer.Option(help="Game; see `tiltless games`.")] = "nlhe",
    seed: Seed = 0,
    processes: Processes = 1,
    cluster: Cluster = None,
    mirrored: Annotated[
        bool, typer.Option(help="Mirrored: play each deal in every rotation of the seats.")
    ] = True,
    clock: Seconds = None,
    chunk: Annotated[
        int | None,
        typer.Option(help="Deals per chunk; 50 by default, 2 with search agents.", min=1),
    ] = None,
    unit: Unit = "mbb/h",
    as_json: ui.AsJson = False,
) -> None:
    """Compare agents with variance reduction: all-in equity and AIVAT.

    tiltless evaluate blueprint fish --hands 2000 --processes 2

    tiltless evaluate blueprint blueprint:purify --sprt 20 --hands 1000000

    tiltless evaluate rules fish --seats 6 --lineup one-against-five

    Nothing is stored. AIVAT removes more variance the more agents report their strategy, as
    blueprint, fish, fold and all-in do. With two agents and more than two seats, one of the first
    plays against copies of the second, and then the other way round. Ctrl-C shows the results so
    far.
    """
    agents, given = parted(words)
    size, parameters = table_parameters(given, seats)
    names = read_estimators(estimator)
    plans = []
    for table in lineup_tables(agents, size, lineup):
        deals = deals_for(hands, len(table), mirrored=mirrored)
        each = chunk or (usual_chunk(table, _CHUNK) if mirrored else _CHUNK)
        settings = (deals, game, parameters, seed, mirrored, False, clock, each)
        plans.append(MatchPlan(table, *settings, trusted=True))
    rules = plans[0].table.rules
    factor = unit_factor(unit, rules)
    test = Sprt.of_blinds(rules.big_blind, sprt, error) if sprt is not None else None
    found: list[tuple[MatchPlan, AgentEvaluation]] = []
    console, stopped = ui.console(stderr=True), False
    tell_notes(console, *plans)
    workers = on_cluster(cluster, processes, noted(console))
    with workers as where, progress_bar(console) as bar:
        for plan in plans:
            task, latest = bar.add_task(plan.title, total=plan.hands), _Latest()

            def told(
                sofar: AgentEvaluation,
                plan: MatchPlan = plan,
                task: TaskID = task,
                latest: "_Latest" = latest,
            ) -> None:
                latest.found = sofar
                interval = sofar.estimates[names[-1]].deals.interval.scaled(factor)
                text = f"{names[-1]} {interval} {unit}"
                bar.update(task, completed=sofar.deals * plan.seatings, description=text)

            try:
                evaluate_agents(plan, names, sprt=test, processes=where, progress=told)
            except KeyboardInterrupt:
                stopped = True
            if latest.found is not None:
                found.append((plan, latest.found))
            if stopped:
                break
    for plan, each_found in found:
        if each_found.is_broken:
            for line in fault_lines(plan.agents, each_found.scores):
                typer.echo(line, err=True)
            typer.echo(no_verdict(plan.agents, each_found.scores), err=True)
            raise typer.Exit(INTERRUPTED if stopped else 1)
    if as_json and found:
        facts = [_facts(plan, each_found, unit, factor) for plan, each_found in found]
        ui.print_json(facts[0] if len(plans) == 1 else {"evaluations": facts})
    elif found:
        for plan, each_found in found:
            _show(ui.console(markup=False), plan, each_found, unit, factor)
    if stopped:
        typer.echo("stopped", err=True)
        raise typer.Exit(INTERRUPTED)


class _Latest:
    """The latest result of an evaluation, which is what is left of it after Ctrl-C."""

    found: AgentEvaluation | None = None


def _facts(plan: MatchPlan, found: AgentEvaluation, unit: str, factor: float) -> dict[str, Any]:
    estimates = {}
    for name, estimate in found.estimates.items():
        interval = estimate.deals.interval.scaled(factor)
        estimates[name] = {
            "mean": interval.mean,
            "interval": [_finite(interval.low), _finite(interval.high)],
            "variance_ratio": _finite(found.ratio(name)),
            "variance_ratio_of_hands": _finite(found.ratio(name, mirrored=False)),
        }
    verdict = found.verdict
    return {
        "agents": list(plan.agents),
        "game": plan.game,
        "parameters": dict(plan.parameters),
        "seed": plan.seed,
        "mirrored": plan.mirrored,
        "deals": found.deals,
        "hands": found.deals * plan.seatings,
        "unit": unit,
        "estimates": estimates,
        "sources": [dict(score.sources.counts) for score in found.scores],
        "rulings": sum(score.faults.rulings for score in found.scores),
        "sprt": None
        if verdict is None
        else {
            "decision": verdict.decision,
            "llr": _finite(verdict.llr),
            "bound": verdict.bound,
        },
    }


def _finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None


def _show(
    console: Console, plan: MatchPlan, found: AgentEvaluation, unit: str, factor: float
) -> None:
    kind = "mirrored" if len(plan.agents) == 2 else "in every rotation"
    kind = kind if plan.mirrored else "not mirrored"
    console.print(
        f"{plan.title}, {plan.game_text}, {found.deals * plan.seatings:,} hands "
        f"({found.deals:,} deals, {kind}), seed {plan.seed}",
        soft_wrap=True,
    )
    table = Table("estimator", f"{plan.agents[0]} won, {unit}", "variance to raw, of deals")
    if plan.mirrored:
        table.add_column("of hands")
    for name, estimate in found.estimates.items():
        ratios = [found.ratio(name)]
        if plan.mirrored:
            ratios.append(found.ratio(name, mirrored=False))
        told = ["?" if ratio is None else f"{ratio:.3f}" for ratio in ratios]
        table.add_row(name, str(estimate.deals.interval.scaled(factor)), *told)
    console.print(table)
    for text, score in zip(plan.agents, found.scores, strict=True):
        if score.faults.rulings:
            console.print(
                f"{text}: {score.faults.rulings:,} of {score.stats.decisions:,} decisions were "
                f"ruled on, and are taken for its choices; the first: {score.first_fault}",
                soft_wrap=True,
            )
    for line in source_lines(plan.agents, found.scores):
        console.print(line, soft_wrap=True)
    if found.verdict is not None:
        last = next(reversed(found.estimates))
        said = f"{plan.agents[0]} is {found.verdict}"
        if found.verdict.decision == "open":
            said = f"undecided whether {plan.agents[0]} is better {found.verdict.evidence}"
        console.print(f"{said}, by {last}")
