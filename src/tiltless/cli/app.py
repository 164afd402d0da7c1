"""The program ``tiltless``: its commands, and what happens to mistakes."""

import os
import sys
from typing import Annotated

import click
import typer
from rich.console import Console
from rich.text import Text

from tiltless._version import __version__
from tiltless.cli import bench, cache, equity, games, hand, range_, solve, warmup
from tiltless.cli.compiling import announce_compiling
from tiltless.errors import TiltlessError

__all__ = ["app", "main"]

app = typer.Typer(
    name="tiltless",
    help="Poker AI: train, play, study, extend.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("hand")(hand.hand)
app.command("equity")(equity.equity)
app.command("range")(range_.range_)
app.command("solve")(solve.solve_command)
app.command("bench")(bench.bench)
app.command("warmup")(warmup.warmup)
app.add_typer(games.app, name="games")
app.add_typer(cache.app, name="cache")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tiltless {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    if context.invoked_subcommand != "warmup":  # which has its own progress bar
        announce_compiling()


def main() -> None:
    """Run a command; a mistake of the user ends in one line and exit code 2."""
    try:
        sys.exit(app(standalone_mode=False))
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(2)
    except (TiltlessError, click.ClickException) as error:
        said = error.format_message() if isinstance(error, click.ClickException) else str(error)
        line = Text.assemble(("error: ", "bold red"), " ".join(said.split()))
        Console(stderr=True, highlight=False).print(line, soft_wrap=True)
        sys.exit(2)
    except click.Abort:
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output, such as head, has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:
        Console(stderr=True).print("stopped")
        sys.exit(130)
