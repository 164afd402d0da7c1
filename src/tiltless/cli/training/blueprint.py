"""``tiltless blueprint``: describe, verify, query and export trained strategies."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tiltless.amounts import size_text
from tiltless.blueprint.files.export import export as write_rows
from tiltless.blueprint.files.file import About, Described, describe
from tiltless.blueprint.files.model_card import RESULTS, CardResult, is_list
from tiltless.blueprint.line_text import ReadLine
from tiltless.blueprint.loading import load_strategy
from tiltless.blueprint.multiway.model import MultiwayBlueprint
from tiltless.blueprint.opening import hand_classes
from tiltless.blueprint.shipped import DEFAULT, find_blueprint, shipped_blueprints
from tiltless.blueprint.strategy import Blueprint
from tiltless.cards.card import CLASS_COUNT, CLASS_OF_COMBO, cards_text, parse_cards
from tiltless.cli import ui
from tiltless.cli.training.blueprint_match import match
from tiltless.cli.training.blueprint_respond import respond
from tiltless.cli.training.seats_query import query_seats
from tiltless.cli.training.strategy_text import action_table, print_grids
from tiltless.errors import CardError, OptionError
from tiltless.experiments.thesis.csv_export import ThesisCounts, write_thesis_csv
from tiltless.files.tables import TABLES
from tiltless.files.writable import check_picture, check_writable
from tiltless.validate import brief
from tiltless.viz.terminal import cards_markup
from tiltless.viz.training import strategy_png

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Trained strategies: list, info, verify, query, export, compact, match, respond.",
)
app.command()(match)
app.command()(respond)

File = Annotated[
    str,
    typer.Argument(
        help="A shipped blueprint (`tiltless blueprint list`) or a file; for one in parts, the "
        "index file."
    ),
]
CardsFile = Annotated[
    Path | None, typer.Option(help="File of its card abstraction, if it is not a preset.")
]


@app.command("list")
def list_shipped(as_json: ui.AsJson = False) -> None:
    """List the blueprints that ship with tiltless."""
    files = {name: find_blueprint(name) for name in shipped_blueprints()}
    if as_json:
        ui.print_json(
            [
                {"name": name, "file": str(file), **_facts(describe(file))}
                for name, file in files.items()
            ]
        )
        return
    console = ui.console()
    if not files:
        ui.say(console, "no blueprint ships with this version; tiltless train makes one")
    for name, file in files.items():
        found = describe(file)
        about = found.about
        mark = " (the default)" if name == DEFAULT else ""
        ui.say(console, f"{name}: {_game(about)}, cards {about.cards}{mark}")
        ui.say(console, f"  {_size(found)}")
        if about.results:
            count = _results_count(about.results)
            ui.say(console, f"  {count}: tiltless blueprint info {name}")


@app.command()
def info(file: File = DEFAULT, as_json: ui.AsJson = False) -> None:
    """Show game, menu, buckets, fingerprints and the model card, without building the tree."""
    found = describe(find_blueprint(file))
    about = found.about
    if as_json:
        ui.print_json(_facts(found))
        return
    console = ui.console()
    ui.say(console, f"game:     {_game(about)}")
    ui.say(console, f"bets:     {about.menu}")
    buckets = " / ".join(f"{count:,}" for count in about.buckets)
    ui.say(console, f"cards:    {about.cards}, {buckets} buckets")
    if about.information:
        ui.say(console, f"information: {about.information}")
    if about.layout:
        ui.say(console, f"layout:   {about.layout}")
    ui.say(console, f"table:    {_size(found)}")
    marks = (about.fingerprint, about.tree, about.cards_fingerprint)
    names = ("blueprint", "tree", "cards")
    words = ", ".join(f"{name} {mark[:12]}" for name, mark in zip(names, marks, strict=True))
    ui.say(console, f"made for: {words}")
    for name, value in _words(about).items():
        ui.say(console, f"  {name}: {value}")
    _results(console, about.results)


def _facts(found: Described) -> dict[str, Any]:
    """What ``info --json`` prints."""
    about = found.about
    return {
        "game": about.game,
        "rules": about.rules,
        "parameters": dict(about.parameters),
        "bets": about.menu,
        "cards": about.cards,
        "cards_fingerprint": about.cards_fingerprint,
        "buckets": about.buckets,
        **({"information": about.information} if about.information else {}),
        **({"layout": about.layout} if about.layout else {}),
        "tree_fingerprint": about.tree,
        "fingerprint": about.fingerprint,
        "infosets": about.infosets,
        "visited": about.visited,
        "entries": found.entries,
        "parts": found.parts,
        "card": _words(about),
        "results": [result._asdict() for result in about.results],
    }


def _words(about: About) -> dict[str, str]:
    """The model card without its results."""
    return {k: text for k, text in about.card.items() if k != RESULTS or not is_list(text)}


def _game(about: About) -> str:
    given = " ".join(f"{name}={_value(value)}" for name, value in about.parameters.items())
    return f"{about.game} {given}".rstrip()


def _size(found: Described) -> str:
    about, entries, parts = found
    share = about.visited / max(about.infosets, 1)
    return (
        f"{about.infosets:,} information sets, {about.visited:,} visited ({share:.1%}); "
        f"{size_text(entries)} in {parts} {'file' if parts == 1 else 'parts'}"
    )


def _results_count(results: Sequence[CardResult]) -> str:
    return f"{len(results)} {'result' if len(results) == 1 else 'results'}"


def _results(console: Console, results: Sequence[CardResult]) -> None:
    """Matches as a table, followed by the commands that repeat them."""
    if not results:
        return
    table = Table("against")
    for heading in ("mbb/hand", "95 % interval", "hands", "seed"):
        table.add_column(heading, justify="right")
    for result in results:
        low, high = result.interval
        numbers = f"{result.mbb_per_hand:+,.1f}", f"{low:+,.1f} to {high:+,.1f}"
        table.add_row(escape(result.against), *numbers, f"{result.hands:,}", str(result.seed))
    console.print(table)
    for result in results:
        ui.say(console, f"  {result.against}: {result.command}")


def _value(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


@app.command()
def verify(file: File = DEFAULT, cards: CardsFile = None) -> None:
    """Check every byte and row, and that game, tree and cards are those of training."""
    blueprint = load_strategy(file, cards=cards)
    blueprint.verify()
    about = blueprint.about
    ui.say(
        ui.console(),
        f"{file} is intact: {len(blueprint):,} entries, {about.infosets:,} information sets, "
        f"{about.visited:,} visited",
    )


@app.command()
def compact(
    file: Annotated[str, typer.Argument(help="A shipped blueprint, or a file of any format.")],
    out: Annotated[Path, typer.Argument(help="Output file, ending in .safetensors.")],
    cards: CardsFile = None,
) -> None:
    """Write a blueprint with four bits per action, compressed to about a quarter of a byte each.

    Probabilities become multiples of 1/15 (largest remainder); the most likely action stays.
    """
    if out.suffix != ".safetensors":
        raise OptionError(f"{out} does not end in .safetensors; add that")
    check_writable(out)
    with ui.live_line(ui.console(stderr=True)) as show:
        show("compressing")
        made = load_strategy(file, cards=cards).compact()
        made.save(out)
    files = [out, *out.parent.glob(f"{out.stem}.*of*{out.suffix}")]
    size = sum(path.stat().st_size for path in files)
    ui.say(
        ui.console(),
        f"{out}: {len(made):,} actions in {size / 1e6:,.1f} MB, {size / len(made):.3f} bytes each",
    )


@app.command()
def query(
    file: File = DEFAULT,
    hole: Annotated[str, typer.Option(help="Hole cards of the player to act, such as AsKd.")] = "",
    board: Annotated[str, typer.Option(help="Board in the order dealt, such as Ks7d2c.")] = "",
    line: Annotated[
        str,
        typer.Option(
            help="Line of play so far, such as 'r2.5bb c / x b50%'; empty means first to act."
        ),
    ] = "",
    png: Annotated[
        Path | None, typer.Option(help="Without --hole: PNG file for the grid of all hands.")
    ] = None,
    seats: Annotated[
        int,
        typer.Option(
            help="Number of seats, for blueprints of three to six seats; 0 means all.", min=0
        ),
    ] = 0,
    cards: CardsFile = None,
    as_json: ui.AsJson = False,
) -> None:
    """Show the strategy of the player to act, with one hand or, before the flop, with all hands.

    For a blueprint of three to six seats, shows what each position does first in or, after a --line
    of all seats, the answer of the player to act; bets that it lacks are read as a mixture.

    A line has f (fold), x (check), c (call) and bets or raises: b6 or r6 (total chips on the
    street), r2.5bb, b50% (of the pot after calling), r3x, rmin, a (all-in); / starts a street.
    """
    if png is not None:
        check_picture(png)
        if hole:
            raise OptionError("--png draws all hands; leave --hole out")
    found = load_strategy(file, cards=cards)
    if isinstance(found, MultiwayBlueprint):
        query_seats(
            ui.console(),
            found,
            file,
            hole=hole,
            board=board,
            line=line,
            seats=seats,
            png=png,
            as_json=as_json,
        )
        return
    blueprint = found
    decision = blueprint.decision_after(line)
    choices = decision.choices(blueprint.tree)
    if board and not decision.street:
        raise OptionError(
            f"--board {brief(board)} needs --line, the actions so far; for example "
            '--line "r2.5bb c"'
        )
    if hole:
        bucket = blueprint.bucket(decision.node, hole, board)
        probs = blueprint.row(decision.node, bucket)
        facts: dict[str, Any] = {
            "hole": cards_text(parse_cards(hole)),
            "bucket": bucket,
            "visited": blueprint.is_visited(decision.node, bucket),
        }
        hands = None
    else:
        if decision.street:
            street = blueprint.tree.street_name(decision.street)
            raise CardError(f"a query on the {street} needs a hand; give --hole AsKd")
        hands = hand_classes(blueprint.hands(decision.node, board))
        weights = np.bincount(CLASS_OF_COMBO, minlength=CLASS_COUNT)
        probs = np.asarray(weights @ hands / weights.sum())
        facts = {}
    if as_json:
        labels = [choice.label for choice in choices]
        facts |= {
            "street": blueprint.tree.street_name(decision.street),
            "player": decision.actor,
            "pot": decision.pot,
            "line": decision.text,
            "notes": decision.notes,
            "actions": dict(zip(labels, probs.tolist(), strict=True)),
        }
        ui.print_json(facts)
        return
    console = ui.console()
    _head(console, blueprint, decision, hole, board)
    if hole and not facts["visited"]:
        ui.say(console, "training never visited this decision: all actions are equally likely")
    console.print(action_table(choices, probs, blueprint.game.rules.big_blind))
    if hands is not None:
        print_grids(console, choices, hands)
        if png is not None:
            after = f" after {decision.text}" if decision.text else ", first in"
            title = f"{_who(blueprint, decision)}{after}"
            title = title[0].upper() + title[1:]
            strategy_png(png, choices, hands, title=title, subtitle=f"pot {decision.pot} chips")
            ui.say(console, f"picture: {png}")


def _who(blueprint: Blueprint, decision: ReadLine) -> str:
    """The player to act, in words."""
    names = ("the button", "the big blind" if blueprint.game.players == 2 else "player 1")
    return names[decision.actor] if decision.actor < len(names) else f"player {decision.actor}"


def _head(
    console: Console, blueprint: Blueprint, decision: ReadLine, hole: str, board: str
) -> None:
    for note in decision.notes:
        ui.say(console, f"note: {note}")
    who, street = _who(blueprint, decision), blueprint.tree.street_name(decision.street)
    after = f" after {decision.text}" if decision.text else ", first to act"
    ui.say(console, f"{street}, {who}{after}; pot {decision.pot}")
    shown = [cards_markup(each) for each in (hole, board) if each]
    if shown:
        console.print(" on ".join(shown) if hole else shown[0])


@app.command()
def export(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A blueprint, as for info; if only OUT is given, the shipped one.",
        ),
    ],
    out: Annotated[
        str,
        typer.Argument(
            metavar="OUT",
            help="Output file, ending in .csv, .jsonl or .parquet.",
            show_default=False,
        ),
    ] = "",
    visited: Annotated[
        bool, typer.Option("--visited", help="Leave out rows that training never visited.")
    ] = False,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            help='Format: rows, or thesis for the CSV of CFRv1, K7s 555 rccr,"[0.02,0.13,0.85]".',
        ),
    ] = "rows",
    clean: Annotated[
        bool,
        typer.Option(
            "--clean", help="With --format thesis: also leave out rows that are still uniform."
        ),
    ] = False,
    cards: CardsFile = None,
) -> None:
    """Write one row per information set: street, player, line, bucket, actions, probabilities."""
    if not out:
        file, out = DEFAULT, file
    ending = Path(out).suffix.casefold()
    if form not in ("rows", "thesis"):
        raise OptionError(f"--format {brief(form)} is not known; choose rows or thesis")
    if form == "thesis":
        if ending != ".csv":
            raise OptionError(f"{out} does not end in .csv, and --format thesis writes CSV")
    elif clean:
        raise OptionError("--clean needs --format thesis; otherwise use --visited")
    elif ending not in TABLES:
        known = f"{', '.join(TABLES[:-1])} or {TABLES[-1]}"
        raise OptionError(f"{out} does not end in {known}; name the output file, [FILE] OUT.csv")
    check_writable(out)
    blueprint = Blueprint.load(file, cards=cards)
    with ui.bar("{task.completed:,.0f} decisions") as bar:
        task = bar.add_task("", total=None)

        def report(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        if form == "thesis":
            counts = write_thesis_csv(out, blueprint, visited=visited, clean=clean, progress=report)
            summary = _thesis_line(counts, visited, clean)
        else:
            rows = write_rows(out, blueprint, visited=visited, progress=report)
            about = blueprint.about
            summary = (
                f"{rows:,} rows of {about.infosets:,} information sets, "
                f"{about.visited:,} of them visited"
            )
    ui.say(ui.console(), f"{out}: {summary}")


def _thesis_line(counts: ThesisCounts, visited: bool, clean: bool) -> str:
    """All counts, including rows that were not written."""
    infosets, been, kept = counts
    rows = kept if clean else been if visited else infosets
    return f"{rows:,} rows; {counts.text()}"
