"""``tiltless mit pack``: an agent as a zip file for a server of MIT Pokerbots."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from tiltless.cli import ui
from tiltless.files.writable import check_writable
from tiltless.protocols.mit.package import Packed, pack_bot
from tiltless.protocols.mit.servers import SERVERS
from tiltless.protocols.mit.wheels import NEEDED

__all__ = ["app"]

app = typer.Typer(
    help="MIT Pokerbots: packages for its servers.", no_args_is_help=True, add_completion=False
)


@app.callback()
def _root() -> None:
    """Keep `pack` a command of its own."""


@app.command()
def pack(
    game: Annotated[
        str, typer.Option(help="Game: permutation, river-of-blood, or a rules file (TOML).")
    ],
    agent: Annotated[
        str, typer.Option(help="Agent to pack, such as rules; by default our bot for the game.")
    ] = "",
    server: Annotated[
        str, typer.Option(help=f"Server to pack for: {', '.join(SERVERS)}.")
    ] = "local",
    out: Annotated[Path, typer.Option(help="Zip file to write.")] = Path("bot.zip"),
    wheels: Annotated[
        Path | None,
        typer.Option(
            help="Folder with the wheels of Numba, llvmlite and NumPy; by default pip finds them."
        ),
    ] = None,
    python: Annotated[str, typer.Option(help="Python version of the server, if it differs.")] = "",
    numpy: Annotated[bool, typer.Option(help="Include NumPy, or use the server's.")] = True,
    seconds: Annotated[
        float, typer.Option(help="Time limit of the rehearsal, in seconds.", min=1)
    ] = 60.0,
    as_json: ui.AsJson = False,
) -> None:
    """Pack an agent with everything that it needs to play without a network.

    tiltless mit pack --game permutation --server 2027 --out bot.zip

    The agent plays a few hands here first, which shows what it reads. Unzip the package into a
    folder to try it: tiltless mit-engine FOLDER rules --year 2020
    """
    check_writable(out)
    with ui.live_line(ui.console(stderr=True), quiet=as_json) as say:
        packed = pack_bot(
            game,
            server,
            agent,
            out,
            wheels=wheels,
            python=python,
            bring=NEEDED if numpy else NEEDED[:-1],
            seconds=seconds,
            say=say,
        )
    if as_json:
        ui.print_json(_facts(packed))
        return
    _print(packed)


def _facts(packed: Packed) -> dict[str, Any]:
    return {
        "path": str(packed.path),
        "server": packed.server.name,
        "python": packed.server.python,
        "year": packed.year,
        "agent": packed.agent,
        "zip_bytes": packed.zip_bytes,
        "unpacked_bytes": packed.unpacked_bytes,
        "files": packed.files,
        "parts": {
            part.name: {"files": part.files, "unpacked": part.unpacked, "zipped": part.zipped}
            for part in packed.parts
        },
    }


def _print(packed: Packed) -> None:
    server = packed.server
    table = Table("part", title=f"{packed.path}: {packed.agent} for {server.about}")
    for column in ("files", "unpacked", "in the zip"):
        table.add_column(column, justify="right")
    for part in sorted(packed.parts, key=lambda each: each.zipped, reverse=True):
        table.add_row(part.name, f"{part.files:,}", _size(part.unpacked), _size(part.zipped))
    table.add_section()
    sizes = _size(packed.unpacked_bytes), _size(packed.zip_bytes)
    table.add_row("all", f"{packed.files:,}", *sizes)
    limits = _size(server.unpacked_bytes), _size(server.zip_bytes)
    table.add_row("limit", f"{server.files:,}", *limits)
    ui.console(markup=False).print(table)


def _size(count: int) -> str:
    return f"{count / 1e6:,.2f} MB"
