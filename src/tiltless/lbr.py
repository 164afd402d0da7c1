"""``python -m tiltless.lbr AGENT``: local best responses, with numpy and numba alone.

The same as ``tiltless lbr``, with plain lines instead of a bar.
"""

import argparse
import json
import sys
import time
from typing import TYPE_CHECKING

from tiltless.plain import plain_main, said_now_and_then

if TYPE_CHECKING:
    from tiltless.arena.estimators.lbr_match import Responses

__all__ = ["main"]

_CHUNK = 10  # deals that a process plays at once, as for tiltless lbr


def _lbr(given: argparse.Namespace) -> None:
    from tiltless.arena.estimators.lbr import BETS
    from tiltless.arena.estimators.lbr_match import play_responses
    from tiltless.arena.lbr_text import LbrResult, lbr_settings
    from tiltless.arena.plan import MatchPlan
    from tiltless.errors import OptionError
    from tiltless.games import load
    from tiltless.games.holdem.game import Holdem
    from tiltless.games.parameter_text import read_parameters

    parameters = read_parameters(given.parameters)
    if not isinstance(load(given.game, **parameters), Holdem):
        raise OptionError(f"{given.game} is no hold'em; choose one that is, such as nlhe")
    agents = given.agent, given.versus or given.agent
    deals = given.hands // 2
    plan = MatchPlan(
        agents, deals, given.game, parameters, seed=given.seed, chunk=_CHUNK, trusted=True
    )
    sizes = BETS if given.sizes is None else given.sizes
    settings, found = lbr_settings(given.setting, sizes), {}
    say = said_now_and_then()
    for name, setting in settings.items():

        def told(so_far: "Responses", name: str = name) -> None:
            say(f"setting {name}: {2 * so_far.first.count:,} of {plan.hands:,} hands")

        begin = time.perf_counter()
        played = play_responses(plan, setting, processes=given.processes, progress=told)
        found[name] = played, time.perf_counter() - begin
    result = LbrResult(given.agent, given.versus, plan, settings, sizes, found)
    if given.json:
        print(json.dumps(result.facts(), indent=2, allow_nan=False))
    else:
        print(*result.lines(), sep="\n")


def main(arguments: list[str]) -> int:
    """Play local best responses; returns the exit code."""
    parser = argparse.ArgumentParser("python -m tiltless.lbr", description="Local best response.")
    parser.add_argument("agent", help="one that tells its strategy")
    parser.add_argument("parameters", nargs="*", help="of the game, such as stack=200bb")
    parser.add_argument("--setting", default="all", help="1 to 4, all, or letters by street")
    parser.add_argument("--hands", type=int, default=2_000, help="for each setting")
    parser.add_argument("--versus", default="", help="another agent, on the same deals")
    parser.add_argument("--sizes", type=int, help="raises tried in settings 3 and 4")
    parser.add_argument("--processes", type=int, default=1, help="play in so many processes")
    parser.add_argument("--game", default="nlhe", help="game to play; nlhe by default")
    parser.add_argument(
        "--seed", type=int, default=0, help="random seed for deals and agents' choices"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    return plain_main(parser, arguments, _lbr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
