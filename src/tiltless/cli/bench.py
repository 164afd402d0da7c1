"""``tiltless bench``: how fast this machine runs us, and our peers."""

import datetime
import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from tiltless.bench import BENCHES
from tiltless.bench.text import check_name, readable
from tiltless.bench.timing import machine
from tiltless.errors import OptionError

__all__ = ["bench"]

_SIGNATURE = "signature"


def bench(
    name: Annotated[str, typer.Argument(help=f"One of: {', '.join([*BENCHES, _SIGNATURE])}.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    only: Annotated[
        str, typer.Option(help="Of signature: entries whose names begin so.", metavar="PREFIX")
    ] = "",
    update: Annotated[
        bool, typer.Option("--update", help="Of signature: rewrite the golden file of a checkout.")
    ] = False,
) -> None:
    """Measure one family of kernels, with the peers in the same run.

    The bench "signature" has no times: hashes of what fixed work gives, compared with the golden
    file of a checkout, tell whether behaviour has changed.
    """
    if name == _SIGNATURE:
        from tiltless.cli.signature import signature

        signature(only, update, as_json)
        return
    if only or update:
        raise OptionError(f"--only and --update belong to `tiltless bench {_SIGNATURE}`")
    check_name(name)
    with Console(stderr=True).status(f"measuring {name}; keep the machine quiet"):
        result = BENCHES[name]()
    where = machine()
    today = datetime.date.today().isoformat()
    if as_json:
        typer.echo(json.dumps({"bench": name, "date": today, **where, **result}))
        return
    table = Table("what", "measured", title=f"tiltless bench {name}")
    for key, value in result.items():
        table.add_row(key, readable(key, value))
    console = Console(highlight=False)
    console.print(table)
    console.print(", ".join([today, *(f"{key} {text}" for key, text in where.items())]))
