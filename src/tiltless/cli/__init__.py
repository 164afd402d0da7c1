"""The command line: one file per command.

`COMMANDS` in `app` names the file and function of each command. A command's help is the docstring
of that function, an option's the ``help`` of its ``typer.Option``: in the same file, or, if several
commands share the option, in `arena.options`, `study.spot_options`, `ui` or the file of the first.
"""

from tiltless.cli.app import main

__all__ = ["main"]
