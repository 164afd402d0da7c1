"""``tiltless abstraction``: show, design and build card buckets."""

import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from tiltless.abstraction.cards.abstraction import CardAbstraction, street_name, street_of
from tiltless.abstraction.cards.design import Designer
from tiltless.abstraction.cards.design import design as make_design
from tiltless.abstraction.cards.design_file import ORDERS, common_to, save_design
from tiltless.abstraction.cards.features import live_hands
from tiltless.abstraction.cards.grammar import parse_streets
from tiltless.abstraction.cards.presets import CARD_PRESETS, CardPreset, card_design
from tiltless.abstraction.cards.quality import report as make_report
from tiltless.abstraction.cards.tables import (
    MissingTableError,
    build_tables,
    estimate_build,
    open_tables,
)
from tiltless.bench.tied_boards import tied_loss
from tiltless.cards.card import check_disjoint, combo_index, parse_cards
from tiltless.cards.ranges import Range
from tiltless.cli import table_bar, ui
from tiltless.errors import CardError, OptionError
from tiltless.files.atomic import make_folder
from tiltless.files.writable import check_writable
from tiltless.interrupts import INTERRUPTED
from tiltless.viz.abstraction import check_pictured, write_report

__all__ = ["app"]

app = typer.Typer(
    help="Card buckets: list, show, design, build, report.",
    no_args_is_help=True,
    add_completion=False,
)

_FEWEST_TIED = 4
_TIED = """
What forgetting the board costs: one river strategy for each bucket, the same on all boards, loses
to a best response, in % of the pot: on the {} boards it was solved on {}, on {} others {}.
"""

Name = Annotated[str, typer.Argument(help="A preset (`tiltless abstraction list`) or a file.")]
Folder = Annotated[
    Path | None, typer.Option(help="Folder of the tables; by default the cache folder.")
]


@app.command("list")
def list_presets(as_json: ui.AsJson = False) -> None:
    """List the presets with their buckets and fingerprints."""
    rows = []
    for name, preset in CARD_PRESETS.items():
        abstraction = card_design(name).abstraction()
        rows.append((name, abstraction.counts, abstraction.fingerprint, preset.about))
    if as_json:
        keys = ("name", "buckets", "fingerprint", "about")
        ui.print_json([dict(zip(keys, row, strict=True)) for row in rows], indent=None)
        return
    console = ui.console(markup=False)
    for name, counts, mark, about in rows:
        console.print(f"{name}: {about}", style="bold", soft_wrap=True)
        buckets = " / ".join(f"{count:,}" for count in counts)
        console.print(f"  {buckets} buckets, fingerprint {mark[:12]}", soft_wrap=True)


def _abstraction(name: str) -> CardAbstraction:
    return card_design(name).abstraction()


@app.command()
def show(name: Name, as_json: ui.AsJson = False) -> None:
    """Show the streets of an abstraction and whether its tables are built."""
    design = card_design(name)
    abstraction = design.abstraction()
    try:
        built = open_tables(abstraction, verify=False).nbytes
    except MissingTableError:
        built = 0
    streets = {street_name(i): rule for i, rule in enumerate(abstraction.streets)}
    if as_json:
        facts = {
            "name": abstraction.name,
            "fingerprint": abstraction.fingerprint,
            "streets": {street: rule.text for street, rule in streets.items()},
            "buckets": abstraction.counts,
            "made_by": design.made_by,
            "tables_bytes": built,
        }
        ui.print_json(facts, indent=None)
        return
    console = ui.console(markup=False)
    console.print(f"{abstraction.name}, fingerprint {abstraction.fingerprint}", soft_wrap=True)
    for street, rule in streets.items():
        console.print(f"  {street:<8} {rule.count:>12,} buckets  {rule.text}", soft_wrap=True)
    if design.made_by:
        console.print(f"centroids from {design.made_by}", soft_wrap=True)
    if built:
        console.print(f"tables are built, {built / 1e6:,.0f} MB", soft_wrap=True)
    elif any(rule.wants_table for rule in abstraction.streets):
        console.print(f"no tables yet: tiltless abstraction build {name}", soft_wrap=True)


@app.command()
def bucket(
    name: Name,
    hand: Annotated[str, typer.Argument(help="Hole cards, such as AsKd.")],
    board: Annotated[
        str, typer.Argument(help="Board in the order dealt; empty before the flop.")
    ] = "",
) -> None:
    """Show the bucket of a hand and the other hands on the board that share it."""
    abstraction = _abstraction(name)
    hole, cards = parse_cards(hand), parse_cards(board)
    if len(hole) != 2:
        raise CardError(f"{hand!r} is not a hand; write two cards such as AsKd")
    check_disjoint(hand=hole, board=cards)
    street = street_of(len(cards), len(abstraction.streets))
    rule = abstraction.streets[street]
    every = abstraction.buckets(cards)
    mine = int(every[combo_index(hole)])
    console = ui.console(markup=False)
    order = "; 0 is the weakest" if rule.wants_table else ""
    where = f"on the {street_name(street)}" if street else "before the flop"
    console.print(
        f"bucket {mine:,} of {rule.count:,} {where} ({rule.text}{order})",
        soft_wrap=True,
    )
    live = live_hands(np.array(cards, np.uint8)) > 0
    same = Range.from_weights((every == mine) & live)
    console.print(
        f"shared by {same.combos:.0f} of {int(live.sum()):,} hands: {same}", soft_wrap=True
    )


@app.command()
def design(
    streets: Annotated[
        str,
        typer.Argument(
            help="A preset, or four streets: 'lossless, histogram 200, histogram 200, ochs 200'."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Output file, ending in .safetensors.")],
    points: Annotated[str, typer.Option(help="Hands to sample per street, or 'all'.")] = "",
    order: Annotated[str, typer.Option(help=f"Hand order: {' or '.join(ORDERS)}.")] = "",
    rounds: Annotated[
        int, typer.Option(help="Maximum number of k-means rounds; 50 by default.")
    ] = 0,
    tries: Annotated[
        int, typer.Option(help="Number of k-means restarts; the best one is kept.")
    ] = 3,
    seed: Annotated[int, typer.Option(help="Random seed for the sample and for k-means.")] = 0,
    threads: ui.Threads = 0,
    name: Annotated[str, typer.Option(help="Name of the abstraction.")] = "",
) -> None:
    """Find the centroids of a new abstraction (takes minutes; the file has a few kilobytes)."""
    if out.suffix != ".safetensors":
        raise OptionError(f"--out {out} does not end in .safetensors; add that")
    check_writable(out)
    preset = CARD_PRESETS.get(streets)
    plan = preset or CardPreset(streets, "", order or "standard")
    if order and order != plan.order:
        raise OptionError(f"--order {order} for {streets}, which has {plan.order}; leave it out")
    common_to(parse_streets(plan.text), plan.order)
    drawn = points or str(plan.points)
    count = None if drawn == "all" else _number("--points", drawn)
    designer = Designer(count, rounds or plan.rounds, tries, seed, threads)
    title = name or (streets if preset else out.stem)
    if not title.isprintable():
        raise OptionError(f"--name {title!r} has characters that cannot be printed; leave them out")
    with table_bar.bar() as bar:
        task = bar.add_task("designing", total=1.0)

        def tell(what: str, done: int, steps: int) -> None:
            bar.update(task, description=what, completed=done / max(steps, 1))

        made = make_design(
            plan.text, name=title, designer=designer, order=plan.order, progress=tell
        )
    save_design(out, made)
    size = out.stat().st_size / 1000
    ui.console(markup=False).print(
        f"{out}: {made.text}, {size:,.0f} kB, fingerprint {made.abstraction().fingerprint}",
        soft_wrap=True,
    )


@app.command()
def build(
    name: Name,
    threads: ui.Threads = 0,
    folder: Folder = None,
    dry_run: Annotated[
        bool, typer.Option(help="Dry run: only print the time, memory and disk it would need.")
    ] = False,
) -> None:
    """Build the tables of an abstraction; after Ctrl-C the same command continues."""
    abstraction = _abstraction(name)
    console = ui.console(markup=False)
    if not any(rule.wants_table for rule in abstraction.streets):
        console.print(f"{abstraction.name} needs no tables")
        return
    if folder is not None and not dry_run:
        make_folder(folder)
    with console.status("timing a few boards"):
        guess = estimate_build(abstraction, threads=threads, folder=folder)
    if guess.by_street:
        each = ", ".join(f"{street} {seconds:.0f} s" for street, seconds in guess.by_street.items())
        console.print(
            f"{abstraction.name}: about {guess.seconds:.0f} s ({each}), "
            f"{guess.memory / 1e6:,.0f} MB of memory, {guess.disk / 1e6:,.0f} MB of disk while "
            "building",
            soft_wrap=True,
        )
    else:
        console.print("its tables have already been built")
    if dry_run or not guess.by_street:
        return
    start = time.perf_counter()
    try:
        with table_bar.shown_steps(guess.by_street) as tell:
            tables = build_tables(abstraction, threads=threads, folder=folder, progress=tell)
    except KeyboardInterrupt:
        console.print("stopped; finished parts are kept, and the same command continues")
        raise typer.Exit(INTERRUPTED) from None
    console.print(
        f"{tables.nbytes / 1e6:,.0f} MB of tables in {tables.paths[0].parent}, "
        f"{time.perf_counter() - start:.0f} s",
        soft_wrap=True,
    )


@app.command()
def report(
    name: Name,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the report, its pictures and an HTML page.")
    ] = None,
    boards: Annotated[
        str, typer.Option(help="Number of flops to sample (8 times as many turns), or 'all'.")
    ] = "200",
    hand: Annotated[
        str, typer.Option(help="Example hand for the pictures of shared buckets.")
    ] = "AsQs",
    board: Annotated[str, typer.Option(help="Example board, up to the river.")] = "Ks7d2c9hJs",
    seed: Annotated[int, typer.Option(help="Random seed for the sample of boards.")] = 0,
    tied: Annotated[
        int,
        typer.Option(
            help="Number of rivers for measuring the cost of forgetting the board, such as 60 "
            "(half a minute); 0 for none.",
            min=0,
        ),
    ] = 0,
    folder: Folder = None,
    as_json: ui.AsJson = False,
) -> None:
    """Report the quality of buckets: their sizes, the spread of equity in them, and pictures."""
    abstraction = _abstraction(name)
    if tied and tied < _FEWEST_TIED:
        raise OptionError(f"--tied {tied} is too few rivers; take 0, or {_FEWEST_TIED} and more")
    count = None if boards == "all" else _number("--boards", boards)
    check_pictured(hand, board)
    if out is not None:
        make_folder(out)
    tables = None
    with suppress(MissingTableError):
        tables = open_tables(abstraction, folder=folder)
    with table_bar.shown_steps() as tell:
        found = make_report(abstraction, boards=count, seed=seed, tables=tables, progress=tell)
    facts, text = found.as_json(), found.text()
    if tied:
        loss = tied_loss(abstraction.streets[3], boards=tied, unseen=tied // 2, seed=seed)
        facts["tied"] = {key: each._asdict() for key, each in loss._asdict().items()}
        text += _TIED.format(tied, loss.tied, tied // 2, loss.unseen)
    if as_json:
        ui.print_json(facts, indent=None)
    else:
        print(text)
    if out is not None:
        paths = write_report(found, out, hand=hand, board=board)
        ui.console(stderr=as_json, markup=False).print(
            f"{len(paths)} files; open {out / 'index.html'}", soft_wrap=True
        )


def _number(option: str, text: str) -> int:
    try:
        return int(text.replace(",", "").replace("_", ""))
    except ValueError:
        raise OptionError(f"{option} {text!r} is not a number; write digits or all") from None


@app.command()
def verify(name: Name, folder: Folder = None) -> None:
    """Check every byte of the tables of an abstraction."""
    tables = open_tables(_abstraction(name), folder=folder)
    for path in tables.paths:
        ui.console(markup=False).print(f"{path}: sound", soft_wrap=True)
