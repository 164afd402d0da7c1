"""``python -m tiltless.match AGENT AGENT``: a match with only numpy and numba installed.

The same as ``tiltless match``, with plain lines instead of tables.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING

from tiltless.plain import plain_main, said_now_and_then

if TYPE_CHECKING:
    from tiltless.arena.stats.score import Score

__all__ = ["main"]


def _match(args: argparse.Namespace) -> int:
    from tiltless.arena.match import play_stored
    from tiltless.arena.match_options import MatchOptions, match_plans
    from tiltless.arena.plan import MatchPlan
    from tiltless.arena.record_text import record_facts, record_lines
    from tiltless.arena.stats.matches_won import matches_won, matches_won_text
    from tiltless.arena.stats.score import unit_factor
    from tiltless.arena.store import DEFAULT_FILE, MatchRecord, Store
    from tiltless.distributed.connect import on_cluster

    options = MatchOptions(**{each.name: getattr(args, each.name) for each in fields(MatchOptions)})
    plans = match_plans(args.words, options, args.seats, args.lineup)
    factor = unit_factor(args.unit, plans[0].table.rules)
    for note in dict.fromkeys(note for plan in plans for note in plan.notes(plan.make_agents())):
        print(note, file=sys.stderr)  # agents that cannot play fail here, before there is a file
    say = said_now_and_then()
    numbers: list[int] = []

    def progress(plan: MatchPlan, done: int, scores: "Sequence[Score]") -> None:
        if done:
            result = f"{plan.agents[0]} {scores[0].interval(factor)} {args.unit}"
            if plan.match_hands:
                result += f", matches won {matches_won_text(matches_won(plan, scores[0]))}"
            say(f"{done * plan.seatings:,} of {plan.hands:,} hands, {result}")

    def show(records: list[MatchRecord]) -> None:
        facts = [record_facts(record, args.unit) for record in records]
        if args.json and facts:
            shown = facts[0] if len(plans) == 1 else {"matches": facts}
            print(json.dumps(shown, indent=2, allow_nan=False))
            return
        for record in records:
            print(*record_lines(record, args.unit), sep="\n")

    cluster = on_cluster(args.cluster, args.processes, partial(print, file=sys.stderr))
    with cluster as workers, Store(args.db or DEFAULT_FILE) as store:
        try:
            for plan in plans:
                play_stored(
                    plan,
                    store,
                    processes=workers,
                    resume=args.resume,
                    keep_hands=not args.no_hands,
                    progress=partial(progress, plan),
                    note=lambda line: print(line, file=sys.stderr),
                    began=numbers.append,
                )
        except KeyboardInterrupt:
            show([store.record(number) for number in numbers])
            raise
        records = [store.record(number) for number in numbers]
    show(records)
    return int(any(score.is_broken for record in records for score in record.scores))


def main(arguments: list[str]) -> int:
    """Play a match; returns the exit code."""
    parser = argparse.ArgumentParser("python -m tiltless.match", description="Play a match.")
    parser.add_argument("words", nargs="+", help="agents, and parameters such as stack=100bb")
    parser.add_argument(
        "--seats",
        type=int,
        help="seats at the table; with two agents and more seats, one plays against copies of the "
        "other",
    )
    parser.add_argument(
        "--lineup",
        default="",
        help="with two agents and more seats: one-against-rest, rest-against-one, or both, which "
        "is the default",
    )
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
    parser.add_argument("--cluster", help="play on a Ray cluster: auto or HOST:PORT")
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
    parser.add_argument(
        "--no-mirrored",
        dest="mirrored",
        action="store_false",
        help="play each deal once, in the order given",
    )
    parser.add_argument(
        "--carry",
        action="store_true",
        help="carry stacks between hands, in sessions of a chunk",
    )
    parser.add_argument(
        "--game-hands",
        type=int,
        default=0,
        help="hands of a game with carried stacks; who has no chips left is out until it ends",
    )
    parser.add_argument("--chunk", type=int, help="deals per stored chunk; 100 by default")
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
