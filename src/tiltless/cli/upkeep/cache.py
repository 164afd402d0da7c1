"""``tiltless cache``: show and clear the cache folder."""

import shutil
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from tiltless.cache import cache_folder
from tiltless.cli import ui
from tiltless.kernels.base.jit import code_folder

__all__ = ["app"]

app = typer.Typer(
    help="Show and clear the cache folder.", no_args_is_help=True, add_completion=False
)


def _entries() -> list[Path]:
    folder = cache_folder()
    return sorted(
        path for kind in ("code", "tables", "buckets") for path in (folder / kind).glob("*")
    )


def _size(path: Path) -> int:
    if path.is_file():
        return path.stat().st_size
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"


def _note(path: Path) -> str:
    if path.parent.name != "code":
        return "table, rebuilt when needed"
    return "compiled code, in use" if path == code_folder() else "compiled code, of other sources"


@app.command("list")
def list_() -> None:
    """List compiled code and tables in the cache folder."""
    console = ui.console()
    table = Table("what", "size", "file")
    for path in _entries():
        table.add_row(_note(path), _megabytes(_size(path)), path.name)
    if table.row_count:
        console.print(table)
    total = sum(map(_size, _entries()))
    ui.say(console, f"{_megabytes(total)} in {cache_folder()}")


@app.command()
def clean(
    everything: Annotated[
        bool, typer.Option("--all", help="Also delete the compiled code in use and the tables.")
    ] = False,
) -> None:
    """Delete compiled code of other versions; with --all, all code and tables (they come again)."""
    freed = 0
    for path in _entries():
        if everything or (path.parent.name == "code" and path != code_folder()):
            freed += _size(path)
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
    typer.echo(f"freed {_megabytes(freed)}")
