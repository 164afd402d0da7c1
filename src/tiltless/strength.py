"""``python -m tiltless.strength``: the strength tables with only numpy and numba installed.

The same as ``tiltless reproduce strength``, with plain lines instead of tables and bars.
"""

import argparse
import datetime
import json
import shlex
import sys
from typing import TYPE_CHECKING, Any

from tiltless.interrupts import INTERRUPTED
from tiltless.plain import plain_main, said_now_and_then

if TYPE_CHECKING:
    from tiltless.experiments.strength.cells import Cell
    from tiltless.experiments.strength.play import Told
    from tiltless.intervals import Interval

__all__ = ["context", "heading", "main", "prove"]


def prove(street: str, roots: int) -> dict[str, Any]:
    """The vector proof of a street; `tiltless.bench.search` has its seed and its limits."""
    from tiltless.bench.search import run

    return run({street: roots})


def context() -> dict[str, str]:
    """Date, machine and versions."""
    from tiltless.bench.measuring.timing import machine

    return {"date": datetime.date.today().isoformat(), **machine()}


def heading(words: list[str]) -> str:
    """The line above the tables: the command, when, and where.  words: of the command."""
    about = context()
    machine = f"{about['processor']}, {about['cores']} cores"
    return f"`{shlex.join(words)}`, {about['date']}, tiltless {about['tiltless']}, {machine}."


def _strength(args: argparse.Namespace) -> int:
    from tiltless.experiments.strength.reproduction import reproduce_strength
    from tiltless.experiments.strength.tables import facts, markdown

    say = said_now_and_then()

    def begin(cell: "Cell") -> "Told":
        def tell(hands: int, result: "Interval") -> None:
            say(f"{cell.title}: {hands:,} of {cell.hands:,} hands, {result} mbb/h")

        return tell

    given = {name: value for name, value in vars(args).items() if value is not None}
    as_json = given.pop("json")
    line = heading(["python", "-m", "tiltless.strength", *given.pop("words")])
    given["only"] = [word.strip() for word in args.only.split(",") if word.strip()]
    run = reproduce_strength(prove, line, begin=begin, **given)
    if as_json:
        found = context() | facts(run.figures, run.seed)
        print(json.dumps(found, indent=2, allow_nan=False))
    else:
        print(markdown(run.figures, run.seed, line), end="")
    print(run.summary, file=sys.stderr)
    return INTERRUPTED if run.stopped else 0


def main(arguments: list[str]) -> int:
    """Play the tables; returns the exit code."""
    parser = argparse.ArgumentParser(
        "python -m tiltless.strength", description="The strength of what ships, measured."
    )
    parser.add_argument("--quick", action="store_true", help="a few hands of everything")
    parser.add_argument("--scale", type=float, help="multiply the numbers of hands by this")
    parser.add_argument("--agent", help="the agent with search; search:iterations=50 by default")
    parser.add_argument(
        "--only",
        default="",
        help="words, such as lbr,probes: cells whose title has one of them; 'lbr & 100bb': both",
    )
    parser.add_argument("--seed", type=int, help="first random seed")
    parser.add_argument("--processes", type=int, help="number of processes; all cores by default")
    parser.add_argument("--out", help="folder for the tables and the finished blocks")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(words=arguments)
    return plain_main(parser, arguments, _strength)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
