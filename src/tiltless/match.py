"""``python -m tiltless.match AGENT AGENT``: a match with only numpy and numba installed.

The same as ``tiltless match``, with plain lines instead of tables.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tiltless.plain import plain_main, said_now_and_then

if TYPE_CHECKING:
    from tiltless.arena.stats.score import Score

__all__ = ["main"]


def _match(args: argparse.Namespace) -> int:
    from tiltless.arena.match import play_stored
    from tiltless.arena.plan import (
        HANDS,
        MATCHES,
        MatchPlan,
        deals_for,
        deals_for_matches,
        match_size,
        parted,
    )
    from tiltless.arena.record_text import record_facts, record_lines
    from tiltless.arena.stats.matches_won import matches_won, matches_won_text
    from tiltless.arena.stats.score import unit_factor
    from tiltless.arena.store import DEFAULT_FILE, MatchRecord, Store

    agents, parameters = parted(args.words)
    size = match_size(args.score, args.hands, args.matches)
    deals = deals_for(args.hands or HANDS, len(agents))
    if size:
        deals = deals_for_matches(args.matches or MATCHES, size)
    plan = MatchPlan(
        agents,
        deals,
        args.game,
        parameters,
        args.seed,
        clock=args.clock,
        match_hands=size,
        trusted=True,
    )
    factor = unit_factor(args.unit, plan.table.rules)
    plan.make_agents()  # fails before a file is created
    say = said_now_and_then()
    number: list[int] = []

    def progress(done: int, scores: "Sequence[Score]") -> None:
        if done:
            result = f"{plan.agents[0]} {scores[0].interval(factor)} {args.unit}"
            if size:
                result += f", matches won {matches_won_text(matches_won(plan, scores[0]))}"
            say(f"{done * plan.seatings:,} of {plan.hands:,} hands, {result}")

    def show(record: MatchRecord) -> None:
        if args.json:
            print(json.dumps(record_facts(record, args.unit), indent=2, allow_nan=False))
        else:
            print(*record_lines(record, args.unit), sep="\n")

    with Store(args.db or DEFAULT_FILE) as store:
        try:
            record = play_stored(
                plan,
                store,
                processes=args.processes,
                resume=args.resume,
                keep_hands=not args.no_hands,
                progress=progress,
                note=lambda line: print(line, file=sys.stderr),
                began=number.append,
            )
        except KeyboardInterrupt:
            if number:
                show(store.record(number[0]))
            raise
    show(record)
    return int(any(score.is_broken for score in record.scores))


def main(arguments: list[str]) -> int:
    """Play a match; returns the exit code."""
    parser = argparse.ArgumentParser("python -m tiltless.match", description="Play a match.")
    parser.add_argument("words", nargs="+", help="agents, and parameters such as stack=100bb")
    parser.add_argument(
        "--hands",
        type=int,
        help="number of hands, 10,000 by default; each deal is played in every seating; with "
        "--score match, hands of one match, 1,000 by default",
    )
    parser.add_argument(
        "--score", default="chips", help="chips, or match to count matches won as well"
    )
    parser.add_argument(
        "--matches",
        type=int,
        help="number of matches with --score match, 100 by default; each is played twice with the "
        "same deals and swapped seats, and both count",
    )
    parser.add_argument("--game", default="nlhe", help="game to play; nlhe by default")
    parser.add_argument(
        "--seed", type=int, default=0, help="random seed for deals and agents' choices"
    )
    parser.add_argument(
        "--processes",
        type=int,
        default=1,
        help="number of processes; the result does not depend on it",
    )
    parser.add_argument("--clock", type=float, help="time limit per decision, in seconds")
    parser.add_argument("--unit", default="mbb/h", help="unit of results; mbb/h by default")
    parser.add_argument("--db", default="", help="results file (SQLite)")
    parser.add_argument(
        "--resume",
        action="store_true",
        help="continue an interrupted match, or extend a finished one",
    )
    parser.add_argument("--no-hands", action="store_true", help="store sums only, not every hand")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return plain_main(parser, arguments, _match)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
