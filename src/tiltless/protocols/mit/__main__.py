"""``python -m tiltless.protocols.mit PORT``: a player with only numpy and numba installed.

The same as ``tiltless connect mit``. It connects before it loads anything large.
"""

import argparse
import sys

from tiltless.plain import plain_main
from tiltless.protocols.connection import connect
from tiltless.protocols.plain_options import add_player_options

__all__ = ["main"]


def _play(args: argparse.Namespace) -> int:
    connection = connect(args.host, args.port)
    from tiltless.protocols.mit.client import play_connected

    report = play_connected(
        connection, args.agent, args.year, trusted=True, hands=args.hands, seed=args.seed
    )
    print(*report.lines(), sep="\n", flush=True)
    return int(bool(report.broken))


def main(arguments: list[str]) -> int:
    """Play a match; returns the exit code."""
    parser = argparse.ArgumentParser(
        "python -m tiltless.protocols.mit", description="Play at an engine of MIT Pokerbots."
    )
    parser.add_argument("port", type=int, help="port of the engine")
    add_player_options(parser)
    parser.add_argument("--year", type=int, required=True, help="year of the engine: 2020 or 2023")
    parser.add_argument(
        "--host", default="localhost", help="host of the engine; this one if not given"
    )
    return plain_main(parser, arguments, _play)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
