"""``tiltless tree``: the size of a betting tree and its tables, without building them."""

import re
from typing import Annotated, Any

import typer
from rich.table import Table

from tiltless.abstraction.bets.presets import find_menu
from tiltless.abstraction.information.grammar import read_information
from tiltless.blueprint.information import bucket_counts, share_rows
from tiltless.blueprint.tree import betting_tree, tree_bytes, tree_size
from tiltless.cli import ui
from tiltless.cli.study.graph_sizes import graph_sizes, is_multiway, show_sizes
from tiltless.errors import OptionError
from tiltless.games import load
from tiltless.games.holdem.game import Holdem
from tiltless.games.parameter_text import read_parameters
from tiltless.validate import brief, whole_number

__all__ = ["tree"]

_DEFAULT_BUCKETS = (169, 200)
_BYTES_PER_ROW = 8  # a regret and an average, 32 bits each, as `tiltless train` keeps them


def tree(
    name: Annotated[str, typer.Argument(help="A hold'em game; `tiltless games` lists them.")],
    parameters: Annotated[
        list[str] | None, typer.Argument(help="Game parameters as name=value, such as stack=100bb.")
    ] = None,
    bets: Annotated[
        str,
        typer.Option(help="Menu: a name from `tiltless menus`, or sizes such as '50%, 100%, a'."),
    ] = "standard",
    buckets: Annotated[
        str | None,
        typer.Option(
            help="Number of buckets on each street; the last number is repeated.",
            show_default="169,200,200,...",
        ),
    ] = None,
    information: Annotated[
        str | None,
        typer.Option(
            help="Information product by which decisions share rows, such as 'street * seat * "
            "pot(20) * cards', or a preset; this builds the tree.",
        ),
    ] = None,
    limit: Annotated[int, typer.Option(help="Maximum number of nodes to count.")] = 10**8,
    as_json: ui.AsJson = False,
) -> None:
    """Count the nodes of a betting tree and the memory of its tables, without building it.

    With a menu for three to six seats, such as --bets six, also shows what exact histories need.
    """
    numbers = [] if buckets is None else _read_buckets(buckets)
    game: Any = load(name, **read_parameters(parameters or []))
    if is_multiway(bets) and isinstance(game, Holdem):
        sizes = graph_sizes(game, bets, numbers or list(_DEFAULT_BUCKETS))
        ui.print_json(sizes) if as_json else show_sizes(sizes)
        return
    menu = find_menu(bets)
    size = tree_size(game, menu, limit=limit)
    assert isinstance(game, Holdem)
    streets = len(size.decisions)
    if len(numbers) > streets:
        raise OptionError(
            f"--buckets has {len(numbers)} numbers for {streets} streets; give at most one for each"
        )
    numbers = numbers or list(_DEFAULT_BUCKETS[:streets])
    numbers += numbers[-1:] * (streets - len(numbers))
    product = None if information is None else read_information(information)
    classes = size
    if product is not None:
        full = betting_tree(game, menu)
        classes = share_rows(full, product).size
        numbers = list(bucket_counts(full, product, numbers))
    lines: list[dict[str, Any]] = [
        {
            "street": game.rules.street_name(street),
            "decisions": decisions,
            "actions": actions,
            "buckets": number,
            "infosets": decisions * number,
            "rows": actions * number,
        }
        for street, (decisions, actions, number) in enumerate(
            zip(classes.decisions, classes.actions, numbers, strict=True)
        )
    ]
    rows = sum(line["rows"] for line in lines)
    facts = {
        "game": game.name,
        "players": game.players,
        "bets": str(menu),
        **({} if product is None else {"information": str(product)}),
        "nodes": size.nodes,
        "decisions": sum(size.decisions),
        "infosets": sum(line["infosets"] for line in lines),
        "rows": rows,
        "ends": size.ends,
        "depth": size.depth,
        "tree_bytes": tree_bytes(size, game.players),
        "table_bytes": rows * _BYTES_PER_ROW,
        "streets": lines,
    }
    if as_json:
        ui.print_json(facts)
    else:
        _show(facts)


def _show(facts: dict[str, Any]) -> None:
    console = ui.console()
    console.print(f"{facts['game']}, {facts['players']} players", markup=False)
    ui.say(console, f"bets: {facts['bets']}")
    decisions = "decisions"
    if "information" in facts:
        ui.say(console, f"information: {facts['information']}")
        decisions = "classes"  # of decisions that share rows
    table = Table("street")
    for heading in (decisions, "actions", "buckets", "infosets", "rows"):
        table.add_column(heading, justify="right")
    for line in facts["streets"]:
        table.add_row(line["street"], *(f"{value:,}" for value in list(line.values())[1:]))
    console.print(table)
    console.print(
        f"{facts['nodes']:,} nodes: {facts['decisions']:,} decisions, {facts['ends']:,} terminals; "
        f"hands of up to {facts['depth']} nodes"
    )
    console.print(f"{facts['infosets']:,} information sets, {facts['rows']:,} rows of tables")
    console.print(
        f"memory: tree {_bytes(facts['tree_bytes'])}, "
        f"regrets and averages {_bytes(facts['table_bytes'])} (32 bits each)"
    )


def _read_buckets(text: str) -> list[int]:
    words = [word.strip() for word in text.split(",")]
    if not all(re.fullmatch("[0-9]{1,10}", word) for word in words):
        raise OptionError(
            f"--buckets {brief(text)} are not numbers of up to 10 digits; write 169,200,200,200"
        )
    return [whole_number("--buckets", int(word), 1, 2**32) for word in words]


def _bytes(count: float) -> str:
    """``5.5 MB``."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:,.3g} TB"
