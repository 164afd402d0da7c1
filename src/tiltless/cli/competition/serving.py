"""Local servers of other programs' web interfaces, run until they are stopped."""

import sys
from collections.abc import Callable
from typing import Any

import typer

from tiltless.cli.competition.engine import terminated_politely
from tiltless.errors import OptionError

__all__ = ["serve"]


def serve(make: Callable[[], Any], host: str, port: int) -> None:
    """Print the address of an HTTP server and run it; `OptionError` if it cannot listen."""
    try:
        server = make()
    except OSError as problem:
        raise OptionError(
            f"cannot listen on {host} port {port}: {problem.strerror or problem}; choose another"
        ) from None
    with terminated_politely(), server:
        typer.echo(f"http://{host}:{server.server_address[1]}")
        sys.stdout.flush()
        server.serve_forever()
