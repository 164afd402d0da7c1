"""``python -m tiltless.protocols.acpc HOST PORT``: a player with only numpy and numba installed.

The same as ``tiltless connect acpc``. It connects before it loads anything large.
"""

import argparse
import sys

from tiltless.plain import plain_main
from tiltless.protocols.acpc.gamedef import GAMES, load_gamedef
from tiltless.protocols.connection import STARTING, connect
from tiltless.protocols.plain_options import add_player_options

__all__ = ["main"]


def _play(args: argparse.Namespace) -> int:
    game = load_gamedef(args.game)
    connection = connect(args.host, args.port, starting=STARTING)
    from tiltless.protocols.acpc.client import play_at_dealer
    from tiltless.protocols.acpc.pace import Pace

    report = play_at_dealer(
        connection,
        args.agent,
        game,
        trusted=True,
        hands=args.hands,
        seed=args.seed,
        pace=Pace(args.per_hand, args.response),
    )
    print(*report.lines(), sep="\n", flush=True)
    return int(bool(report.broken))


def main(arguments: list[str]) -> int:
    """Play a match; returns the exit code."""
    parser = argparse.ArgumentParser(
        "python -m tiltless.protocols.acpc", description="Play at a dealer of the ACPC."
    )
    parser.add_argument("host", help="host of the dealer")
    parser.add_argument("port", type=int, help="port of the seat")
    add_player_options(parser)
    parser.add_argument("--game", default=next(iter(GAMES)), help="game definition")
    parser.add_argument(
        "--per-hand", type=float, default=7.0, help="seconds for each hand on average"
    )
    parser.add_argument("--response", type=float, default=600.0, help="seconds for one answer")
    return plain_main(parser, arguments, _play)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
