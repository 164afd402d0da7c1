"""``python -m tiltless.train CONFIG [FOLDER]``: training on a machine with numpy and numba alone.

The same run as ``tiltless train``, with plain lines instead of a live one and no pictures. If the
folder holds checkpoints of this configuration, the run continues from them. ``--walks N`` replaces
every limit of the configuration.
"""

import argparse
import sys
from pathlib import Path

from tiltless.plain import plain_main

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    """Train; returns the exit code."""
    parser = argparse.ArgumentParser("python -m tiltless.train", description="Train a blueprint.")
    parser.add_argument("config", help="a preset or a TOML file")
    parser.add_argument("folder", nargs="?", default="", help="folder; runs/NAME by default")
    parser.add_argument("--walks", type=int, help="traversals in total; replaces every limit")
    return plain_main(parser, arguments, _train)


def _train(given: argparse.Namespace) -> None:
    # imported here, so that Ctrl-C during the import also ends quietly
    from tiltless.blueprint.training.front_end import train

    folder = Path(given.folder) if given.folder else None
    train("python -m tiltless.train", given.config, folder, _say, walks=given.walks)


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
