"""The report's trials, played again: V2 against V1, three crowds, five seats; theirs beside ours.

Trials run in the arena with carried stacks, like every match: one session is a game of the report,
10 hands from $10,000, and the unit of statistics, since its hands depend on each other. Where one
player has all chips before a session is over, all start again. Intervals are 95 %.

The report describes some players by name only. Ours:

* caller: ``fish``;
* MCTS 1 and 2: ``simple-1400`` and ``simple-3000``, rollouts with the report's own thresholds;
* genetic 1 and 2: ``heuristic-1`` and ``heuristic-2``, rules that genetic search has tuned;
* the other team's: ``rules`` and ``monte-carlo:rollouts=1000,pot-odds``.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tiltless.arena.match import Progress, play_stored
from tiltless.arena.plan import MatchPlan
from tiltless.arena.stats.score import Score
from tiltless.arena.store import Store
from tiltless.errors import OptionError
from tiltless.executor import Executor
from tiltless.experiments.six_player.options import ReportOptions, parse_options
from tiltless.experiments.six_player.published import TRIALS, PublishedTrial, published_interval
from tiltless.experiments.six_player.training import NODES, VERSIONS, train_versions
from tiltless.experiments.six_player.training import Progress as TrainingProgress
from tiltless.files.atomic import make_folder, write_text
from tiltless.intervals import Interval, Tally, tally
from tiltless.plain import plain_main, said_now_and_then
from tiltless.system import usable_cores
from tiltless.validate import brief

__all__ = [
    "OPPONENTS",
    "QUICK",
    "ReportRun",
    "TrialResult",
    "facts",
    "markdown",
    "play_trials",
    "reproduce_report",
    "trial_plan",
    "verdicts",
    "wanted_trials",
]

OPPONENTS = {
    "caller": "fish",
    "MCTS 1": "simple-1400",
    "MCTS 2": "simple-3000",
    "genetic 1": "heuristic-1",
    "genetic 2": "heuristic-2",
    "other 1": "rules",
    "other 2": "monte-carlo:rollouts=1000,pot-odds",
}
"""Our agents for the players of the report."""
QUICK = 0.05
"""Part of the games of training and trials in a quick run."""


@dataclass(frozen=True)
class TrialResult:
    """A trial that was played.

    plan: the match.  scores: by player of the trial.  sessions: chips of each player in each
    session, all rotations together.
    """

    trial: PublishedTrial
    plan: MatchPlan
    scores: tuple[Score, ...]
    sessions: tuple[tuple[int, ...], ...]

    def won(self, players: Sequence[int]) -> Tally:
        """Chips a hand of some players, their mean; a number for each session."""
        share = 1 / (len(players) * self.plan.hands_per_unit)
        return tally(share * sum(row[player] for player in players) for row in self.sessions)

    def chips(self, player: int) -> int:
        """What a player won in all sessions."""
        return sum(row[player] for row in self.sessions)

    def seats_of(self, player: str) -> list[int]:
        """The seats of a player, ``"V2"``."""
        return [seat for seat, name in enumerate(self.trial.players) if name == player]


class ReportRun(NamedTuple):
    """Everything that was played."""

    options: ReportOptions
    versions: dict[str, int]
    seed: int
    trials: list[TrialResult]


def wanted_trials(only: Sequence[str] = ()) -> list[PublishedTrial]:
    """The trials whose name contains one of some words; all without words."""
    kept = [trial for trial in TRIALS if not only or any(word in trial.name for word in only)]
    if not kept:
        names = ", ".join(trial.name for trial in TRIALS)
        raise OptionError(f"no trial contains {' or '.join(map(repr, only))}; there are {names}")
    return kept


def trial_plan(
    trial: PublishedTrial,
    folder: Path,
    options: ReportOptions,
    *,
    games: int,
    seed: int = 0,
    rotated: bool = False,
    agent: str = "",
) -> MatchPlan:
    """The match of a trial.

    folder: of the policies.  rotated: play every session once for each rotation of the seats.
    agent: options of the report's agent, ``ph=paper``.
    """
    more = f",{agent}" if agent else ""
    texts = tuple(
        OPPONENTS.get(player) or f"six-report:file={folder},version={player}{more}"
        for player in trial.players
    )
    return MatchPlan(
        texts,
        deals=games * trial.hands,
        parameters=options.game,
        seed=seed,
        mirrored=rotated,
        carry=True,
        chunk=trial.hands,
    )


def play_trials(
    store: Store,
    plans: Sequence[tuple[PublishedTrial, MatchPlan]],
    *,
    processes: int | Executor = 1,
    begin: Callable[[PublishedTrial, MatchPlan], Progress | None] | None = None,
    note: Callable[[str], None] | None = None,
) -> list[TrialResult]:
    """Play what is not yet in the store.

    begin: called before each trial; returns its progress callback.  note: see `play_stored`.
    """
    out = []
    for trial, plan in plans:
        record = play_stored(
            plan,
            store,
            processes=processes,
            resume=True,
            keep_hands=False,
            progress=begin(trial, plan) if begin else None,
            note=note,
        )
        sessions = tuple(
            tuple(int(score.won.total) for score in scores)
            for _, scores in store.by_chunk(record.number)
        )
        out.append(TrialResult(trial, plan, record.scores, sessions))
    return out


def reproduce_report(
    folder: Path,
    options: ReportOptions | None = None,
    *,
    scale: float = 1.0,
    only: Sequence[str] = (),
    agent: str = "",
    rotated: bool = False,
    seed: int = 0,
    nodes: int = NODES,
    processes: int | Executor = 1,
    trained: TrainingProgress | None = None,
    begin: Callable[[PublishedTrial, MatchPlan], Progress | None] | None = None,
    note: Callable[[str], None] | None = None,
) -> ReportRun:
    """Train V1 and V2 if they are not in the folder, and play the trials.

    scale: multiplies the games of training and of trials; below 1 for a quick look.
    trained: progress of training.  The tables of the card abstraction must have been built.
    """
    options, trials = options or ReportOptions(), wanted_trials(only)
    if not 0 < scale <= 1000:
        raise OptionError(f"scale={brief(scale)} is not possible; give a number above 0, to 1000")
    if "," in str(folder):  # it is part of the agents' texts, where commas part options
        raise OptionError(f"{brief(str(folder))} has a comma; choose a folder without one")
    make_folder(folder)
    versions = {name: max(1, round(games * scale)) for name, games in VERSIONS.items()}
    train_versions(folder, options, versions, seed=seed, nodes=nodes, progress=trained)
    plans = []
    for trial in trials:
        games = max(2, round(trial.games * scale))
        plan = trial_plan(
            trial, folder, options, games=games, seed=seed, rotated=rotated, agent=agent
        )
        plans.append((trial, plan))
    with Store(folder / "results.sqlite") as store:
        played = play_trials(store, plans, processes=processes, begin=begin, note=note)
    run = ReportRun(options, versions, seed, played)
    write_text(folder / "table.md", markdown(run))
    return run


def _crowd(run: ReportRun) -> Interval | None:
    """What V2 won in a hand of trials 1 to 3, all sessions together."""
    won = Tally()
    for result in run.trials:
        if "caller" in result.trial.players:
            won = won.merge(result.won(result.seats_of("V2")))
    return won.interval if won.count else None


def verdicts(run: ReportRun) -> list[str]:
    """What the tables say, a line each."""
    theirs, ours, lines = published_interval(), _crowd(run), []
    if ours:
        lines.append(
            f"V2 in the three crowds: {_spread(ours)} chips a hand. Published: {theirs.mean:+.0f}, "
            f"from {theirs.low:+.0f} to {theirs.high:+.0f} (three trials, Student), which touches "
            "zero."
        )
    for result in run.trials:
        seats = result.seats_of("V2")
        if len(seats) > 1:
            published = sum(map(result.trial.per_hand, seats)) / len(seats)
            lines.append(
                f"A seat of V2, {result.trial.name}: {_spread(result.won(seats).interval)} chips a "
                f"hand. Published: {published:+.1f}, without an interval."
            )
    return lines


def _spread(won: Interval) -> str:
    return f"{won.mean:+.0f} ± {won.half_width:.0f} ({won.low:+.0f} to {won.high:+.0f})"


def facts(run: ReportRun) -> dict[str, Any]:
    """The results as JSON."""
    trials = []
    for result in run.trials:
        trial, players = result.trial, []
        for seat, name in enumerate(trial.players):
            won = result.won([seat]).interval
            players.append(
                {
                    "player": name,
                    "agent": result.plan.agents[seat],
                    "chips": result.chips(seat),
                    "per_hand": list(won),
                    "published_chips": trial.chips[seat],
                    "published_per_hand": trial.per_hand(seat),
                    "sources": dict(result.scores[seat].sources.counts),
                    "rulings": result.scores[seat].faults.rulings,
                }
            )
        hands = len(result.sessions) * result.plan.hands_per_unit
        trials.append(
            {"trial": trial.name, "games": len(result.sessions), "hands": hands, "players": players}
        )
    ours = _crowd(run)
    return {
        "seed": run.seed,
        "options": run.options.text,
        "training_games": run.versions,
        "unit": "chips/h",
        "trials": trials,
        "crowd": list(ours) if ours else None,
        "published_crowd": list(published_interval()),
    }


def markdown(run: ReportRun) -> str:
    """The tables as Markdown."""
    games = ", ".join(f"{name} {games:,} games" for name, games in run.versions.items())
    lines = [
        f"Training: {games}; options: {run.options.text or 'the defaults'}; seed {run.seed}.\n"
    ]
    for result in run.trials:
        trial, hands = result.trial, result.plan.hands_per_unit
        lines += [
            f"**{trial.name}**: {len(result.sessions):,} sessions of {hands} hands "
            f"(published: {trial.games:,} of {trial.hands})\n",
            "| player | played by | chips | published | chips a hand | published |",
            "|---|---|---|---|---|---|",
        ]
        for seat, name in enumerate(trial.players):
            won = result.won([seat]).interval
            agent = OPPONENTS.get(name, f"six-report {name}")
            lines.append(
                f"| {name} | `{agent}` | {result.chips(seat):+,} | {trial.chips[seat]:+,} | "
                f"{won.mean:+,.0f} ± {won.half_width:,.0f} | {trial.per_hand(seat):+,.0f} |"
            )
        lines.append("")
    return "\n".join([*lines, *verdicts(run)]) + "\n"


def _work(args: argparse.Namespace) -> None:
    say = said_now_and_then()

    def begin(trial: PublishedTrial, plan: MatchPlan) -> Progress:
        return lambda deals, scores: say(f"{trial.name}: {deals:,} of {plan.deals:,} deals")

    run = reproduce_report(
        Path(args.out),
        parse_options(args.options),
        scale=args.scale,
        rotated=args.rotated,
        seed=args.seed,
        processes=args.processes or usable_cores(),
        trained=lambda counts, nodes: say(f"{counts.games:,} games, {nodes:,} nodes"),
        begin=begin,
    )
    print(markdown(run))


def main(arguments: list[str]) -> int:
    """``python -m tiltless.experiments.six_player.reproduction``: with numpy and numba alone."""
    parser = argparse.ArgumentParser(description="Train the report's agent and play its trials.")
    parser.add_argument("--options", default="", help="readings of open points, name=value,...")
    parser.add_argument("--scale", type=float, default=1.0, help="multiply all numbers of games")
    parser.add_argument("--rotated", action="store_true", help="play every rotation of the seats")
    parser.add_argument("--seed", type=int, default=0, help="random seed")
    parser.add_argument("--processes", type=int, default=0, help="processes; 0 means all cores")
    parser.add_argument("--out", default="six-player", help="output folder")
    return plain_main(parser, arguments, _work)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
