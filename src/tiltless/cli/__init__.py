"""The command line: one file per command."""

from tiltless.cli.app import main

__all__ = ["main"]
