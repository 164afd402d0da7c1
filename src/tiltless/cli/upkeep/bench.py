"""``tiltless bench``: speed on this machine, compared with other programs."""

import datetime
from typing import Annotated

import typer
from rich.table import Table

from tiltless.bench import BENCHES
from tiltless.bench.measuring.text import check_name, readable
from tiltless.bench.measuring.timing import machine
from tiltless.cli import ui
from tiltless.errors import OptionError

__all__ = ["bench"]

_SIGNATURE = "signature"


def bench(
    name: Annotated[
        str, typer.Argument(help=f"Part to measure, one of: {', '.join([*BENCHES, _SIGNATURE])}.")
    ],
    as_json: ui.AsJson = False,
    only: Annotated[
        str,
        typer.Option(
            help="Prefix of the names of entries to check; signature only.", metavar="PREFIX"
        ),
    ] = "",
    update: Annotated[
        bool,
        typer.Option("--update", help="Rewrite the golden file of the checkout; signature only."),
    ] = False,
) -> None:
    """Measure one part of tiltless, and other programs in the same run.

    The bench "signature" measures no times: it compares hashes of fixed work with the golden file
    of a checkout, and so tells whether behaviour has changed.
    """
    if name == _SIGNATURE:
        from tiltless.cli.upkeep.signature import signature

        signature(only, update, as_json)
        return
    if only or update:
        raise OptionError(f"--only and --update belong to `tiltless bench {_SIGNATURE}`")
    check_name(name)
    with ui.console(stderr=True).status(f"measuring {name}; keep the machine quiet"):
        result = BENCHES[name]()
    where = machine()
    today = datetime.date.today().isoformat()
    if as_json:
        ui.print_json({"bench": name, "date": today, **where, **result}, indent=None)
        return
    table = Table("what", "measured", title=f"tiltless bench {name}")
    for key, value in result.items():
        table.add_row(key, readable(key, value))
    console = ui.console()
    console.print(table)
    console.print(", ".join([today, *(f"{key} {text}" for key, text in where.items())]))
