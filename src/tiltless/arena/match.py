"""Matches: played chunk by chunk, in one process or several, and stored as they finish.

Worker processes send back scores and hands (`tiltless.arena.workers`); only the parent process
writes. Chunks arrive in order, so a match that was stopped is a prefix of the whole match, and
every intermediate result is that of a shorter match.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import Any, cast, overload

from tiltless.agents.agent import Agent
from tiltless.arena.chunk import Chunk, play_chunk
from tiltless.arena.plan import MatchPlan, plan_match
from tiltless.arena.stats.matches_won import matches_won
from tiltless.arena.stats.score import Score, unit_factor
from tiltless.arena.store import MatchRecord, Store
from tiltless.arena.workers import in_order
from tiltless.errors import OptionError
from tiltless.executor import Executor
from tiltless.games.holdem.game import Holdem
from tiltless.intervals import Interval

__all__ = ["MatchScores", "Progress", "play_match", "play_stored"]

Progress = Callable[[int, Sequence[Score]], None]
"""Called after each chunk with the number of deals and the scores so far."""


class MatchScores(tuple[Score, ...]):
    """The scores of a match by agent, and the first agent's winnings in mbb/h.

    plan: the match.
    """

    plan: MatchPlan

    def __new__(cls, plan: MatchPlan, scores: Sequence[Score]) -> "MatchScores":
        """Scores by agent, for the agents of a plan."""
        self = super().__new__(cls, scores)
        self.plan = plan
        return self

    def __getnewargs__(self) -> tuple[MatchPlan, tuple[Score, ...]]:
        return self.plan, tuple(self)  # to copy and pickle

    @property
    def interval(self) -> Interval:
        """What the first agent won, in mbb/h, with its 95 % confidence interval."""
        return self.of(0)

    @property
    def mean(self) -> float:
        """What the first agent won, in mbb/h."""
        return self.interval.mean

    def of(self, agent: int, unit: str = "mbb/h") -> Interval:
        """What agent number ``agent`` of the plan won; unit: one of `UNITS`."""
        return self[agent].interval(unit_factor(unit, self.plan.table.rules))

    def matches_won(self, agent: int = 0) -> Interval:
        """The share of matches that an agent won; see `tiltless.arena.stats.matches_won`."""
        return matches_won(self.plan, self[agent])

    def __str__(self) -> str:
        """``"fish -120.0 ± 80.0, uniform +120.0 ± 80.0 mbb/h in 1,000 hands"``."""
        won = [f"{text} {self.of(number)}" for number, text in enumerate(self.plan.agents)]
        return f"{', '.join(won)} mbb/h in {self[0].hands:,} hands"

    def __repr__(self) -> str:
        return f"<MatchScores: {self}>"


@overload
def play_match(
    plan: MatchPlan, /, *, processes: int | Executor = 1, progress: Progress | None = None
) -> MatchScores: ...
@overload
def play_match(
    *agents: str | Agent,
    hands: int = 10_000,
    game: str | Holdem = "nlhe",
    seed: int = 0,
    clock: float | None = None,
    trusted: bool = False,
    matches: int = 0,
    processes: int | Executor = 1,
    progress: Progress | None = None,
    **parameters: Any,
) -> MatchScores: ...
def play_match(
    *agents: MatchPlan | str | Agent,
    processes: int | Executor = 1,
    progress: Progress | None = None,
    **options: Any,
) -> MatchScores:
    """Play a match and return its scores by agent; hands are not kept.

    ``play_match("blueprint", "rules", hands=200)``; or a `MatchPlan` instead of agents.
    agents: texts for `make_agent`, or `Agent` objects, which play in one process.
    options: ``hands``, ``game``, ``seed``, ``clock``, ``trusted``, ``matches``, and parameters of
    the game such as ``stack="100bb"``; see `plan_match`. The result does not depend on the number
    of processes.
    """
    first, *others = agents or ("",)
    if isinstance(first, MatchPlan):
        if others or options:
            raise OptionError("a MatchPlan already has agents and options; give nothing else")
        plan = first
    else:
        plan = plan_match(*cast(tuple[str | Agent, ...], agents), **options)
    scores: tuple[Score, ...] = (Score(),) * len(plan.agents)
    deals = 0
    with closing(_chunks(plan, range(plan.chunks), processes, keep_hands=False)) as chunks:
        for chunk in chunks:
            scores, deals = _added(scores, chunk), deals + chunk.deals
            if progress:
                progress(deals, scores)
    return MatchScores(plan, scores)


def play_stored(
    plan: MatchPlan,
    store: Store,
    *,
    processes: int | Executor = 1,
    resume: bool = False,
    keep_hands: bool = True,
    progress: Progress | None = None,
    note: Callable[[str], None] | None = None,
    began: Callable[[int], None] | None = None,
) -> MatchRecord:
    """Play a match and store it, chunk by chunk.

    resume: continue the newest match with the same plan and the same agents
    (`MatchPlan.fingerprints`), if there is one, up to the number of deals of this plan, which may
    be larger or smaller than before.
    note: called with a line of text if a new match starts because agents have changed.  began:
    called with the number of the match.
    Chunks that were written stay, however this call ends: by an interrupt, an error or kill -9.
    """
    agents = plan.make_agents()  # refuse them before anything is written
    fingerprints = plan.fingerprints(agents)
    match = store.find(plan, fingerprints) if resume else None
    if match is None:
        older = store.find(plan) if resume else None
        match = store.begin(plan, fingerprints)
        if older is not None and note:
            note(_changed(plan, older, match, store.fingerprints(older), fingerprints))
    if began:
        began(match)
    store.lengthen(match, plan.deals)
    done = store.done(match)
    wanted = [n for n in range(plan.chunks) if done.get(n, 0) < len(plan.deals_of(n))]
    again = set(wanted) & set(done)  # a short last chunk is played again as a whole
    deals = sum(count for number, count in done.items() if number not in again)
    scores: tuple[Score, ...] = (Score(),) * len(plan.agents)
    for number, parts in store.by_chunk(match):
        if number not in again:
            scores = tuple(score.merge(part) for score, part in zip(scores, parts, strict=True))
    if progress:
        progress(deals, scores)
    with closing(_chunks(plan, wanted, processes, keep_hands=keep_hands)) as chunks:
        for chunk in chunks:
            store.add(match, chunk)
            scores, deals = _added(scores, chunk), deals + chunk.deals
            if progress:
                progress(deals, scores)
    return store.record(match)


def _changed(
    plan: MatchPlan, older: int, match: int, before: Sequence[str], now: Sequence[str]
) -> str:
    """Why a match was not continued."""
    if not before:
        why = "does not say which versions of its agents played"
    else:
        pairs = zip(plan.agents, before, now, strict=True)
        names = list(dict.fromkeys(text for text, old, new in pairs if old != new))
        why = f"was played by other versions of {', '.join(names)}"
    return f"match {older} {why}, so this is a new one: match {match}"


def _added(scores: Sequence[Score], chunk: Chunk) -> tuple[Score, ...]:
    return tuple(score.merge(new) for score, new in zip(scores, chunk.scores, strict=True))


def _chunks(
    plan: MatchPlan, numbers: Sequence[int], processes: int | Executor, *, keep_hands: bool
) -> Generator[Chunk, None, None]:
    """The chunks, in order."""
    return in_order(_play, plan, numbers, processes, keep_hands)


def _play(plan: MatchPlan, number: int, agents: Sequence[Agent], keep_hands: bool) -> Chunk:
    return play_chunk(plan, number, agents, keep_hands=keep_hands)
