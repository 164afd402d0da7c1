"""The command line: one file per command."""


def main() -> None:
    """Entry point of the console script."""
