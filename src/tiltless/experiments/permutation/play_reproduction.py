"""Play under an uncertain order, measured: ours against the report's ways and against knowing.

Three parts. Beliefs that share our blueprint play compiled matches of 1,000 hands
(`tiltless.experiments.permutation.play`); ways to play by the posterior after some numbers of
showdowns play one that knows the order; and our agent plays the report's bots in the arena.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from tiltless.agents.permutation.beliefs import Beliefs, Known, Posterior
from tiltless.arena.match import play_match
from tiltless.arena.plan import plan_match
from tiltless.cards.card import RANKS
from tiltless.executor import Executor, executor_for
from tiltless.experiments.permutation.agents import WAIT, ChainBeliefs, default_file
from tiltless.experiments.permutation.play import (
    HANDS,
    Bot,
    MatchesResult,
    PermutationTable,
    play_matches,
    play_showdowns,
)
from tiltless.intervals import Interval, tally
from tiltless.plain import plain_main
from tiltless.seeding import mixed

__all__ = ["BOTS", "SEED", "MatchRow", "PlayRun", "markdown", "reproduce_play"]

SEED = 17
OURS = "permutation"
SHOWDOWNS = (0, 12, 20, 40, 60, 80, 120)
PAIRS, ARENA, ORDERS, DEALS = 400, 200, 48, 8192
"""Sizes of the whole measurement; see `reproduce_play`."""
BLOCK = 25
"""Pairs of matches that are played in step."""


def _posterior(how: str, truth: str) -> Beliefs:
    return Posterior(how)


def _guess(wait: int, truth: str) -> Beliefs:
    return ChainBeliefs(wait)


def _told(truth: str) -> Beliefs:
    return Known(truth)


def _shown(truth: str) -> Beliefs:
    return Known(RANKS)


BOTS: dict[str, Bot] = {
    "median order": partial(_posterior, "median"),
    "Borda order": partial(_posterior, "borda"),
    "likeliest order": partial(_posterior, "likeliest"),
    "the report's guess, at once": partial(_guess, 0),
    f"shown ranks to showdown {WAIT}, then the report's guess": partial(_guess, WAIT),
    "shown ranks": _shown,
    "the order is known": _told,
}
"""Ways to play our blueprint."""
_MEDIAN, _BORDA, _LIKELIEST, _AT_ONCE, _LATER, _SHOWN, _KNOWN = BOTS

MATCHES = (
    (_MEDIAN, _AT_ONCE),
    (_MEDIAN, _LATER),
    (_MEDIAN, _SHOWN),
    (_MEDIAN, _KNOWN),
    (_BORDA, _AT_ONCE),
    (_BORDA, _KNOWN),
    (_AT_ONCE, _KNOWN),
    (_LATER, _KNOWN),
)
"""Whole matches that are played."""
_WAYS = (_MEDIAN, _BORDA, _LIKELIEST, _AT_ONCE, _SHOWN)


class MatchRow(NamedTuple):
    """The result of matches of 1,000 hands, for the first of two bots.

    chips: per match.  won: the fraction of matches, ties half.  early: chips in the first 500
    hands, if they were counted.
    """

    first: str
    second: str
    matches: int
    chips: Interval
    won: Interval
    early: Interval | None = None


class PlayRun(NamedTuple):
    """Everything that was measured.

    beliefs: matches between ways to play our blueprint.  agents: our agent against others.
    by_showdowns: what each way wins from one that knows the order, in mbb/h, after some showdowns.
    """

    beliefs: list[MatchRow]
    agents: list[MatchRow]
    by_showdowns: dict[str, dict[int, Interval]]


class _MatchesJob(NamedTuple):
    """A block of mirrored pairs of matches between two of `BOTS`."""

    first: str
    second: str
    pairs: int
    seed: int


class _ShowdownsJob(NamedTuple):
    """An order, one of `BOTS` and how many deals it plays one that knows the order."""

    way: str
    deals: int
    seed: int


@lru_cache(maxsize=1)
def _table() -> PermutationTable:
    return PermutationTable()


def _play_block(job: _MatchesJob) -> MatchesResult:
    return play_matches(_table(), BOTS[job.first], BOTS[job.second], job.pairs, seed=job.seed)


def _play_order(job: _ShowdownsJob) -> list[float]:
    bots = BOTS[job.way], BOTS[_KNOWN]
    return play_showdowns(_table(), *bots, SHOWDOWNS, deals=job.deals, seed=job.seed)


def reproduce_play(
    *,
    pairs: int,
    arena_matches: int,
    orders: int,
    deals: int = DEALS,
    seed: int = SEED,
    opponents: Sequence[str] = (),
    processes: int | Executor = 1,
    say: Callable[[str], None] = lambda _: None,
) -> PlayRun:
    """Measure.

    pairs: of mirrored matches, for each row of `MATCHES`.  arena_matches: against each opponent.
    orders, deals: for each number of showdowns.  opponents: texts of agents; by default Aimbot and,
    if it has been trained, the report's blueprint.  say: called with each result.
    """
    sizes = [min(BLOCK, pairs - done) for done in range(0, pairs, BLOCK)]
    executor = executor_for(processes, max(len(sizes), orders, 1))
    beliefs = []
    if pairs:
        say(f"playing {2 * pairs:,} matches between each of {len(MATCHES)} pairs of beliefs")
    for first, second in MATCHES if pairs else ():
        blocks = [
            _MatchesJob(first, second, size, mixed(seed, number) >> 1)
            for number, size in enumerate(sizes)
        ]
        played = MatchesResult.joined(executor.map(_play_block, blocks))
        results = played.mean, played.won, played.mean_early
        beliefs.append(MatchRow(first, second, 2 * pairs, *results))
        say(_match_line(beliefs[-1]))
    by_showdowns = {}
    for way in _WAYS if orders else ():
        each = [_ShowdownsJob(way, deals, mixed(seed, number) >> 1) for number in range(orders)]
        columns = zip(*executor.map(_play_order, each), strict=True)
        won = [tally(column).interval for column in columns]
        by_showdowns[way] = dict(zip(SHOWDOWNS, won, strict=True))
        say(f"| {way} | {' | '.join(map(_signed, won))} |")
    trained = ("libratus-fan-club",) if default_file().exists() else ()
    agents = []
    for opponent in opponents or ("aimbot", *trained) if arena_matches else ():
        agents.append(_arena_row(opponent, arena_matches, seed, processes))
        say(_match_line(agents[-1]))
    return PlayRun(beliefs, agents, by_showdowns)


def _arena_row(opponent: str, matches: int, seed: int, processes: int | Executor) -> MatchRow:
    plan = plan_match(OURS, opponent, hands=HANDS, game="permutation", seed=seed, matches=matches)
    played = play_match(plan, processes=processes)
    chips = played.of(0, "chips/h").scaled(HANDS)
    return MatchRow(OURS, opponent, plan.matches, chips, played.matches_won())


def markdown(run: PlayRun) -> str:
    """The tables as Markdown."""
    lines = []
    if run.beliefs or run.agents:
        lines += [
            "| first | second | matches | chips a match | of these in 500 hands | matches won |",
            "|---|---|---|---|---|---|",
            *map(_match_line, (*run.beliefs, *run.agents)),
        ]
    if run.by_showdowns:
        lines += ["", "| played by | " + " | ".join(f"k = {k}" for k in SHOWDOWNS) + " |"]
        lines.append("|---" * (len(SHOWDOWNS) + 1) + "|")
        for way, row_by_k in run.by_showdowns.items():
            cells = " | ".join(_signed(row_by_k[count]) for count in SHOWDOWNS)
            lines.append(f"| {way} | {cells} |")
    return "\n".join(lines) + "\n"


def _match_line(row: MatchRow) -> str:
    early = "" if row.early is None else _signed(row.early)
    won = f"{100 * row.won.mean:.1f} ± {100 * row.won.half_width:.1f} %"
    names = f"| {row.first} | {row.second} | {row.matches:,} "
    return f"{names}| {_signed(row.chips)} | {early} | {won} |"


def _signed(value: Interval) -> str:
    return f"{value.mean:+.0f} ± {value.half_width:.0f}"


def _measure(args: argparse.Namespace) -> None:
    reproduce_play(
        pairs=args.pairs,
        arena_matches=args.matches,
        orders=args.orders,
        deals=args.deals,
        seed=args.seed,
        processes=args.processes,
        say=partial(print, flush=True),
    )


def main(arguments: list[str]) -> int:
    """``python -m tiltless.experiments.permutation.play_reproduction``: with numpy and numba."""
    parser = argparse.ArgumentParser(description="Measure play under an uncertain order of ranks.")
    parser.add_argument("--pairs", type=int, default=PAIRS, help="mirrored pairs for each row")
    parser.add_argument("--matches", type=int, default=ARENA, help="matches against each bot")
    parser.add_argument("--orders", type=int, default=ORDERS, help="orders by showdowns")
    parser.add_argument("--deals", type=int, default=DEALS, help="deals for each of these orders")
    parser.add_argument("--seed", type=int, default=SEED, help="random seed")
    parser.add_argument("--processes", type=int, default=1, help="number of processes")
    return plain_main(parser, arguments, _measure)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
