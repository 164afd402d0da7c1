"""``python -m tiltless.lbr AGENT``: local best response with only numpy and numba installed.

The same as ``tiltless lbr``, with plain lines instead of a progress bar.
"""

import argparse
import json
import sys
from functools import partial
from typing import TYPE_CHECKING

from tiltless.interrupts import INTERRUPTED
from tiltless.plain import plain_main, said_now_and_then

if TYPE_CHECKING:
    from tiltless.arena.estimators.lbr_match import Responses
    from tiltless.executor import Executor

__all__ = ["main"]


def _lbr(args: argparse.Namespace) -> int:
    from tiltless.distributed.connect import on_cluster

    with on_cluster(args.cluster, args.processes, partial(print, file=sys.stderr)) as workers:
        return _lbr_on(args, workers)


def _lbr_on(args: argparse.Namespace, workers: "int | Executor") -> int:
    from tiltless.arena.estimators.coarse_to_fine import FEW
    from tiltless.arena.estimators.lbr import BETS
    from tiltless.arena.estimators.lbr_match import lbr_plan
    from tiltless.arena.estimators.lbr_run import (
        LBR_CHUNK,
        how_estimated,
        lbr_settings,
        play_settings,
    )
    from tiltless.arena.lbr_text import LbrResult
    from tiltless.arena.match_options import table_parameters
    from tiltless.games.parameter_text import read_parameters

    seats, parameters = table_parameters(read_parameters(args.parameters), args.seats)
    if seats is not None:
        parameters["seats"] = seats
    about = args.agent, args.versus, args.hands, args.game, parameters
    plan = lbr_plan(*about, seed=args.seed, chunk=LBR_CHUNK)
    sizes = BETS if args.sizes is None else args.sizes
    ask = FEW if args.ask is None else args.ask
    settings, how = lbr_settings(args.setting, sizes, ask), how_estimated(args.estimators)
    say = said_now_and_then()

    def progress(name: str, so_far: "Responses") -> None:
        say(f"setting {name}: {plan.seatings * so_far.first.deals:,} of {plan.hands:,} hands")

    found, stopped = play_settings(plan, settings, how, workers, progress)
    result = LbrResult(args.agent, args.versus, plan, settings, found, how["ranges"])
    if args.json:
        print(json.dumps(result.facts(), indent=2, allow_nan=False))
    else:
        print(*result.lines(), sep="\n")
    return INTERRUPTED if stopped else 0


def main(arguments: list[str]) -> int:
    """Play local best responses; returns the exit code."""
    parser = argparse.ArgumentParser("python -m tiltless.lbr", description="Local best response.")
    parser.add_argument("agent", help="an agent that reveals its strategy")
    parser.add_argument("parameters", nargs="*", help="game parameters, such as stack=200bb")
    parser.add_argument("--seats", type=int, help="seats at the table; 2 by default")
    parser.add_argument("--setting", default="all", help="1 to 4, all, or letters by street")
    parser.add_argument("--hands", type=int, default=2_000, help="number of hands per setting")
    parser.add_argument("--versus", default="", help="another agent, on the same deals")
    parser.add_argument("--sizes", type=int, help="raises tried in settings 3 and 4")
    parser.add_argument(
        "--ask",
        type=int,
        help="sizes that an agent is asked about first where it takes long; 0: all",
    )
    parser.add_argument(
        "--estimators",
        default="raw,aivat",
        help="raw, or raw,aivat for less variance too, or ranges: all hands at once",
    )
    parser.add_argument("--processes", type=int, default=1, help="play in so many processes")
    parser.add_argument("--cluster", help="play on a Ray cluster: auto or HOST:PORT")
    parser.add_argument("--game", default="nlhe", help="game to play; nlhe by default")
    parser.add_argument(
        "--seed", type=int, default=0, help="random seed for deals and agents' choices"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    return plain_main(parser, arguments, _lbr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
