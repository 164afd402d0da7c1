"""``tiltless web``: the browser app."""

import webbrowser
from pathlib import Path
from threading import Thread
from typing import Annotated

import typer

from tiltless.cli import ui
from tiltless.errors import OptionError

__all__ = ["web"]


def web(
    port: Annotated[
        int, typer.Option(help="Port to listen on; 0 for any free one.", min=0, max=65535)
    ] = 8432,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    allow_host: Annotated[
        str, typer.Option(help="Name under which other machines reach this one.")
    ] = "",
    folder: Annotated[Path, typer.Option(help="Folder in which your tables are kept.")] = Path(
        "tiltless-web"
    ),
    watch: Annotated[
        Path, typer.Option(help="Folder whose training runs and results are shown.")
    ] = Path(),
    browser: Annotated[bool, typer.Option(help="Open the page in your browser.")] = True,
    warm_up: Annotated[
        bool, typer.Option(help="Compile in the background what the pages will need.")
    ] = True,
) -> None:
    """Play, study and watch training in the browser."""
    try:
        from tiltless.web.server import serve
    except ImportError as problem:
        raise OptionError(
            f"the browser app needs {problem.name}; install it with: pip install 'tiltless[web]'"
        ) from problem

    def ready(address: str) -> None:
        ui.console().print(f"tiltless is at {address}", soft_wrap=True)
        ui.console().print("[dim]Ctrl-C stops it; tables are kept.[/]")
        if browser:
            # a browser of the terminal returns only when it is left, so it must not be waited for
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    serve(folder, host, port, allow_host, ready, warm_up, watch)
