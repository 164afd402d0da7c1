"""``tiltless report flops``: one spot, solved on every flop or on a weighted subset of them."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from tiltless.cards.flop_subsets import SUBSETS, choose_flops
from tiltless.cards.flops import TEXTURES, WeightedFlop
from tiltless.cli import ui
from tiltless.cli.arena.match import noted
from tiltless.cli.arena.options import Cluster
from tiltless.cli.study import spot_options
from tiltless.cli.study.flops_text import FlopPlan, announce_flops, show_flops
from tiltless.cli.study.spot_options import BETS, given_spot, percentage
from tiltless.distributed.connect import on_cluster
from tiltless.errors import OptionError
from tiltless.executor import WorkerError
from tiltless.files.writable import check_picture, check_writable
from tiltless.interrupts import INTERRUPTED
from tiltless.postflop.device.card import check_device
from tiltless.postflop.export import FORMATS, check_format
from tiltless.postflop.flops.estimate import estimate_flops, suit_pattern
from tiltless.postflop.flops.export import export_flops, summary_facts
from tiltless.postflop.flops.run import FlopFolder, solve_flops
from tiltless.postflop.flops.settings import DEFAULT_LINES, FlopSettings
from tiltless.postflop.flops.summary import BY_FLOP, FlopSummary, read_kinds
from tiltless.system import usable_cores
from tiltless.viz.flops import MOST_DECISIONS, flops_png

__all__ = ["app"]

app = typer.Typer(
    help="Aggregate reports over many solved spots.", no_args_is_help=True, add_completion=False
)

_NEEDED = ("oop", "ip", "pot", "stack")
_SIZES = ", ".join(map(str, SUBSETS))


@app.callback()
def _report() -> None:
    """Aggregate reports over many solved spots."""


@app.command()
def flops(
    oop: spot_options.Oop = None,
    ip: spot_options.Ip = None,
    pot: spot_options.Pot = None,
    stack: spot_options.Stack = None,
    bets: spot_options.Bets = None,
    raises: spot_options.Raises = None,
    menu: spot_options.Menu = None,
    rake: spot_options.Rake = None,
    rake_cap: spot_options.RakeCap = None,
    big_blind: spot_options.BigBlind = None,
    aggressor: Annotated[
        str | None, typer.Option(help="Aggressor before the flop, oop or ip (for donk sizes).")
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            help="Decisions on the flop to report, as lines: 'x, x b50%'; start is the first one. "
            "By default OOP's first decision and IP's after a check."
        ),
    ] = None,
    which: Annotated[
        str | None,
        typer.Option(
            "--flops",
            help=f"Flops: all (1,755), a weighted subset ({_SIZES}), or a list: 'Ks7s2h, AsAh5d'.",
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            help="Target exploitability for each flop, as a percentage of the pot; 0.3% by default."
        ),
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Time limit per flop, in seconds.")] = None,
    iterations: Annotated[
        int | None, typer.Option(help="Maximum number of iterations per flop.")
    ] = None,
    compressed: spot_options.Compressed = False,
    processes: Annotated[
        int,
        typer.Option(
            help="Number of processes, one flop each; 0 means as many as cores and memory allow.",
            min=0,
        ),
    ] = 0,
    threads: Annotated[
        int, typer.Option(help="Number of threads per flop; 0 means the remaining cores.", min=0)
    ] = 0,
    cluster: Cluster = None,
    device: spot_options.Device = "cpu",
    out: Annotated[
        Path, typer.Option(help="Folder for solved flops; the same command continues there.")
    ] = Path("flops"),
    dry_run: Annotated[
        bool, typer.Option(help="Dry run: only print the time and memory it would need.")
    ] = False,
    show: Annotated[
        bool, typer.Option("--show", help="Show the flops solved so far; solve nothing.")
    ] = False,
    by: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Group by {', '.join(TEXTURES)}, several as 'suits,high', or {BY_FLOP}; may be "
            "repeated. By default every texture.",
        ),
    ] = None,
    sort: Annotated[
        str,
        typer.Option(
            help="Sort rows by a column, large to small: share, bet, b33, 'ip ev', 'oop equity'; "
            "-bet sorts from small to large."
        ),
    ] = "",
    rows: Annotated[
        int | None, typer.Option(help="Show at most this many rows of each group.", min=1)
    ] = None,
    png: Annotated[Path | None, typer.Option(help="PNG file for the picture.")] = None,
    export_to: Annotated[
        Path | None,
        typer.Option("--export", help=f"Export a row for every flop: {', '.join(FORMATS)}."),
    ] = None,
    as_json: ui.AsJson = False,
) -> None:
    """Solve a spot on every flop, and report bet sizes, EV, equity and EQR by texture.

    tiltless report flops --oop "99+,AJs+,KTs+,AQo+" --ip "55-JJ,ATs-AQs,KTs+,QTs+,AQo" --pot 165
    --stack 200 --bets "33%, 75%" --raises a --until 1% --flops 25 --out threebet --png threebet.png

    tiltless report flops --out threebet --flops all --export threebet.parquet

    Each solved flop is kept in the folder: after Ctrl-C, or for more flops, run the same command,
    or only name the folder. Other settings need another folder.
    """
    given = given_spot(locals())
    more = {
        "until": None if until is None else percentage("--until", until),
        "seconds": seconds,
        "iterations": iterations,
        "compressed": compressed or None,
        "lines": None if at is None else _lines(at),
    }
    given |= {name: value for name, value in more.items() if value is not None}
    if png is not None:
        check_picture(png)
    if export_to is not None:
        check_format(export_to)
        check_writable(export_to)
    kinds = by or list(TEXTURES)
    for kind in kinds:
        read_kinds(kind)
    if cluster is None and not show:
        check_device(device)
    folder = FlopFolder.open(out, _settings(given), which or "")
    settings = folder.settings
    if png is not None and len(settings.lines) > MOST_DECISIONS:
        raise OptionError(
            f"a picture shows at most {MOST_DECISIONS} decisions, and there are "
            f"{len(settings.lines)}; give --at one or two lines"
        )
    chosen = choose_flops(folder.asked or "all" if which is None else which, settings.alike)
    for decision in settings.decisions:
        FlopSummary(settings, (), {}).rows(decision, kinds[0], sort=sort)  # refuses a wrong column
    console, aside = ui.console(), ui.console(stderr=True)
    ended = _Ended()
    with nullcontext() if dry_run else folder:
        todo = [flop for flop in chosen if flop.text not in folder.results]
        if dry_run or (not show and any(map(settings.is_dealt, todo))):
            plan = _plan(settings, todo, processes, threads, cluster, device)
            if not as_json:
                announce_flops(console, settings, plan, len(chosen) - len(todo))
            if dry_run:
                return
            ended = _solve(aside, folder, todo, plan, cluster)
        summary = FlopSummary(settings, chosen, folder.results)
    if summary.solved:
        if as_json:
            ui.print_json(_facts(summary, kinds, sort, rows, ended.failed))
        else:
            show_flops(console, summary, kinds, sort, rows)
        _files(aside if as_json else console, summary, png, export_to)
    for line in ended.lines():
        ui.say(aside, line)
    if summary.missing and not show:
        ui.say(aside, f"{len(summary.missing):,} flops are not solved; the same command continues")
    if ended.stopped or ended.failed or ended.problem:
        raise typer.Exit(INTERRUPTED if ended.stopped else 1)
    if not summary.solved:
        raise OptionError(f"{out} has no solved flop yet; leave out --show")


def _lines(at: str) -> tuple[str, ...]:
    """Lines separated by commas; ``start`` is the first decision."""
    lines = [part.strip() for part in at.split(",")]
    if "" in lines:
        raise OptionError(f"--at {at!r} has an empty line; write start for the first decision")
    return tuple("" if line == "start" else line for line in lines)


def _settings(given: dict[str, Any]) -> FlopSettings | None:
    """The settings from the options; None if there are none, so that the folder's are taken."""
    if not given:
        return None
    for name in _NEEDED:
        if name not in given:
            raise OptionError(f"--{name} is missing; give it, or only --out to continue a report")
    return FlopSettings(**{"bets": BETS, "lines": DEFAULT_LINES, **given})


@dataclass
class _Ended:
    """How solving ended.  failed: why, by flop.  problem: of workers that were lost."""

    failed: dict[str, str] = field(default_factory=dict)
    problem: str = ""
    stopped: bool = False

    def lines(self) -> list[str]:
        """For people."""
        lines = [f"{name} failed: {why}" for name, why in self.failed.items()]
        return [*lines, *([self.problem] if self.problem else [])]


def _plan(
    settings: FlopSettings,
    todo: Sequence[WeightedFlop],
    processes: int,
    threads: int,
    cluster: str | None,
    device: str,
) -> FlopPlan:
    """What solving takes, and by how many processes and threads."""
    estimate = estimate_flops(settings, todo, here=cluster is None, device=device)
    cores = usable_cores()
    some = processes or estimate.processes(cores)
    each = threads or (max(cores // some, 1) if cluster is None else 1)
    return FlopPlan(estimate, some, each, cluster, device)


def _solve(
    aside: Console,
    folder: FlopFolder,
    todo: Sequence[WeightedFlop],
    plan: FlopPlan,
    cluster: str | None,
) -> _Ended:
    """Solve flops with a bar; the time left is that of the flops left, by their sizes."""
    ended = _Ended()
    patterns = {flop.text: suit_pattern(flop) for flop in todo}
    columns = "{task.description}", "{task.fields[last]}"
    cost = plan.estimate
    workers = on_cluster(cluster, plan.processes, noted(aside))
    how: dict[str, Any] = {"threads": plan.threads, "device": plan.device}
    done, spent = 0, 0.0
    try:
        with workers as where, ui.bar(*columns, on=aside) as bar:
            task = bar.add_task("solving flops", total=cost.seconds, last="")
            for result in solve_flops(folder, todo, processes=where, **how):
                if result.failed:
                    ended.failed[result.flop] = result.failed
                done, spent = done + 1, spent + cost.seconds_each[patterns[result.flop]]
                bar.update(task, completed=spent, last=f"{done:,} of {cost.flops:,} {result.flop}")
    except KeyboardInterrupt:
        ended.stopped = True
    except WorkerError as error:
        ended.problem = str(error)
    return ended


def _facts(
    summary: FlopSummary,
    kinds: Sequence[str],
    sort: str,
    rows: int | None,
    failed: dict[str, str],
) -> dict[str, Any]:
    """The report as JSON."""
    settings = summary.settings
    return {
        "settings": settings.plain(),
        "flops": len(summary.solved),
        "weight": sum(each.flop.weight for each in summary.solved),
        "not_solved": summary.missing,
        "failed": failed,
        "decisions": [
            summary_facts(
                summary,
                decision,
                [
                    row
                    for kind in kinds
                    for row in summary.rows(decision, kind, sort=sort, most=rows)
                ],
            )
            for decision in settings.decisions
        ],
    }


def _files(
    console: Console, summary: FlopSummary, png: Path | None, export_to: Path | None
) -> None:
    """Write the picture and the export, as the options ask."""
    if png is not None:
        flops_png(summary, png)
        ui.say(console, f"drawn in {png}")
    if export_to is not None:
        export_flops(export_to, summary)
        ui.say(console, f"written to {export_to}")
