"""The program ``tiltless``: its commands, and how errors are reported."""

import inspect
import io
import os
import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from rich.text import Text
from typer.core import TyperGroup

from tiltless._version import __version__
from tiltless.cli import ui
from tiltless.cli.compiling import announce_compiling
from tiltless.errors import TiltlessError
from tiltless.interrupts import INTERRUPTED
from tiltless.validate import brief, unknown_name

__all__ = ["app", "main"]

_PANELS = {
    "Cards, games and spots": {
        "hand": "study.hand:hand",
        "equity": "study.equity:equity",
        "range": "study.show_range:range_",
        "hands": "study.hands:app",
        "games": "study.games:app",
        "tree": "study.tree_size:tree",
        "menus": "study.menus:menus",
        "abstraction": "study.abstraction:app",
        "solve": "study.solve:solve_command",
        "solve-spot": "study.solve_spot:solve_spot",
        "report": "study.flops_report:app",
        "review": "study.review:review",
    },
    "Blueprints": {
        "train": "training.train:train",
        "blueprint": "training.blueprint:app",
    },
    "Play and matches": {
        "play": "arena.play:play",
        "web": "arena.web:web",
        "agents": "arena.agents:agents",
        "match": "arena.match:match",
        "cross-table": "arena.match:cross_table",
        "evaluate": "arena.evaluate:evaluate_command",
        "lbr": "arena.lbr:lbr",
        "results": "arena.results:app",
        "reproduce": "arena.reproduce:app",
    },
    "Other programs": {
        "connect": "arena.connect:app",
        "acpc-dealer": "competition.acpc:acpc_dealer",
        "slumbot-server": "competition.slumbot:slumbot_server",
        "gtowizard-server": "competition.gtowizard:gtowizard_server",
        "mit-engine": "competition.engine:mit_engine",
        "mit": "competition.pack:app",
    },
    "This machine": {
        "bench": "upkeep.bench:bench",
        "warmup": "upkeep.warmup:warmup",
        "cache": "upkeep.cache:app",
        "cluster": "upkeep.cluster:app",
    },
}
COMMANDS = {
    name: (module, panel) for panel, names in _PANELS.items() for name, module in names.items()
}
"""Module and panel of each command; the module is imported when the command is run."""


def _join_lines(command: Any) -> None:
    """Make each paragraph of a command's help one line, which Typer would break where we did."""
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    command.help = "\n\n".join(" ".join(each.split("\n")) for each in paragraphs)
    for below in getattr(command, "commands", {}).values():
        _join_lines(below)


class _Commands(TyperGroup):
    """The commands of the table, loaded one by one."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:  # of which Typer would make an exit without a word
            raise typer.Abort from None

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            raise unknown_name("command", cmd_name, COMMANDS)
        path, panel = COMMANDS[cmd_name]
        module, _, name = path.partition(":")
        thing = getattr(import_module(f"tiltless.cli.{module}"), name)
        if not isinstance(thing, typer.Typer):
            single = typer.Typer(add_completion=False)
            single.command(cmd_name)(thing)
            thing = single
        command: Any = typer.main.get_command(thing)
        command.name, command.rich_help_panel = cmd_name, panel
        _join_lines(command)
        return command


app = typer.Typer(
    cls=_Commands,
    name="tiltless",
    help="Poker AI: train, play, study, extend.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


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


# Typer brings its own copy of click, older ones the real one: this is the same class in both.
_UsageError: Any = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)


def _usage(error: Any) -> str:
    """What is wrong with the command line.

    A newer Typer says "Invalid value for '--threads': Input should be ..." and leaves the value to
    the error of Pydantic behind it.
    """
    text: str = error.format_message()
    behind = getattr(error.__cause__, "errors", None)
    if behind is None:
        return text
    return text.replace("Invalid value", f"Invalid value {brief(behind()[0]['input'])}", 1)


def _say(problem: str) -> None:
    line = Text.assemble(("error: ", "bold red"), " ".join(problem.split()))
    ui.console(stderr=True).print(line, soft_wrap=True)


def _open_output() -> None:
    """Write to any standard output: one without letters such as ± or ý, and one that is closed."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _close_output() -> None:
    """Discard the remaining output, so that flushing it does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main() -> None:
    """Run a command; a mistake of the user ends in one line and exit code 2."""
    _open_output()
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()  # a full disk is found out here, not when Python ends
        sys.exit(code)
    except TiltlessError as error:
        _say(str(error))
        sys.exit(2)
    except _UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            error.show()
        else:
            _say(_usage(error))
        sys.exit(2)
    except BrokenPipeError:  # the reader of our output, such as head, has gone
        _close_output()
        sys.exit(1)
    except OSError as error:
        if error.filename is not None:  # a file of ours, which should have been a FileError
            raise
        _close_output()
        _say(f"cannot write the output: {error.strerror or error}; choose another destination")
        sys.exit(1)
    except (KeyboardInterrupt, typer.Abort):
        ui.console(stderr=True).print("stopped")
        sys.exit(INTERRUPTED)
