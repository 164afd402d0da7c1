"""Evaluation of an agent by several estimators on the same hands: plain, all-in equity, AIVAT.

Hands are those of a `MatchPlan` with fresh stacks; what is estimated is what its first agent wins,
against another one or at a table of several. The unit of statistics is the
deal, and its value is the **mean** of its hands, in chips per hand, as `Sprt.of_blinds` expects.
(`Score.won` has sums, which must not be used there.) Every estimator has the same expectation.

AIVAT uses the strategies of the agents that reveal them. If both do, it averages over the cards of
seat 0 in both hands of a deal, so that what mirroring cancels stays cancelled, and two equal
players get 0. If one does, it averages over that agent's cards; if neither does, only the luck of
the cards is removed. With more than two players it averages over cards only if all agents reveal
their strategies, over those of seat 0 in all rotations: an average over the cards of the first
agent, who sits elsewhere in every rotation, would undo what rotation cancels.

Where both of two agents reveal their strategies, ``ranges`` needs no cards at all: all hands of
both are played at once on the board of each deal (`tiltless.arena.estimators.range_hand`).
"""

from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import chain
from typing import NamedTuple

from tiltless.agents.agent import Agent, KnownStrategy
from tiltless.arena.chunk import play_chunk
from tiltless.arena.estimators.aivat import aivat_hand, check_game
from tiltless.arena.estimators.all_in import all_in_payoffs
from tiltless.arena.estimators.range_hand import (
    KnownPlayer,
    check_ranges,
    mean_of_seats,
    usual_rare,
)
from tiltless.arena.hands import ChunkHand
from tiltless.arena.plan import MatchPlan
from tiltless.arena.stats.score import Score
from tiltless.arena.stats.sprt import Sprt, Verdict
from tiltless.arena.workers import in_order
from tiltless.errors import OptionError
from tiltless.executor import Executor
from tiltless.games.holdem.state import HoldemState
from tiltless.intervals import Tally, tally
from tiltless.validate import unknown_name

__all__ = [
    "ESTIMATORS",
    "RANGES",
    "AgentEvaluation",
    "StrengthEstimate",
    "evaluate_agents",
    "read_estimators",
]

ESTIMATORS = ("raw", "all-in", "aivat")
"""Of hands that are dealt, from the highest variance to the lowest, as a rule."""
RANGES = "ranges"
"""The estimator for two agents that both reveal their strategies; of the lowest variance."""
_EVERY = (*ESTIMATORS, RANGES)


class StrengthEstimate(NamedTuple):
    """What the first agent wins by one estimator, in chips.

    deals: tally of the mean of each deal's hands.  hands: tally of single hands, as if no deal were
    mirrored.
    """

    deals: Tally = Tally()
    hands: Tally = Tally()

    def merge(self, other: "StrengthEstimate") -> "StrengthEstimate":
        """The sum of two parts."""
        return StrengthEstimate(self.deals.merge(other.deals), self.hands.merge(other.hands))


class AgentEvaluation(NamedTuple):
    """The result of the deals so far.

    estimates: by name, of `ESTIMATORS` or `RANGES`.  scores: of the agents, as in a match; AIVAT
    treats the dealer's rulings as the agent's choices.  verdict: of the sequential test, if there
    is one.
    """

    estimates: dict[str, StrengthEstimate]
    scores: tuple[Score, ...] = (Score(), Score())
    verdict: Verdict | None = None

    @property
    def is_broken(self) -> bool:
        """Whether the dealer ruled on most decisions of an agent; then estimates mean nothing."""
        return any(score.is_broken for score in self.scores)

    @property
    def deals(self) -> int:
        """Deals played so far."""
        return next(iter(self.estimates.values())).deals.count

    def ratio(self, name: str, *, mirrored: bool = True) -> float | None:
        """The variance of an estimator divided by the raw one; None if that is 0 or unknown.

        mirrored: variance of deals; otherwise of single hands.
        """
        if "raw" not in self.estimates or self.deals < 2:
            return None
        one, raw = (self.estimates[each] for each in (name, "raw"))
        pair = (one.deals, raw.deals) if mirrored else (one.hands, raw.hands)
        return pair[0].variance / pair[1].variance if pair[1].variance else None


def read_estimators(text: str) -> tuple[str, ...]:
    """Read names separated by commas; returns each once, from the highest variance down."""
    names = [word.strip() for word in text.split(",") if word.strip()]
    for name in names:
        if name not in _EVERY:
            raise unknown_name("estimator", name, _EVERY)
    if not names:
        raise OptionError(f"no estimator is given; name one or more of {', '.join(_EVERY)}")
    return tuple(name for name in _EVERY if name in names)


def evaluate_agents(
    plan: MatchPlan,
    estimators: Sequence[str] = ESTIMATORS,
    *,
    sprt: Sprt | None = None,
    processes: int | Executor = 1,
    progress: Callable[[AgentEvaluation], None] | None = None,
) -> AgentEvaluation:
    """Play the deals of a plan, or fewer if a sequential test decides earlier.

    It also stops early, without a verdict, if most decisions of an agent are ruled on.

    sprt: in chips per hand; applied after each chunk to the last of the estimators, which has the
    lowest variance.  progress: called after each chunk with the result so far; its last argument is
    the result if an interrupt follows. The result does not depend on the number of processes.
    """
    names = read_estimators(",".join(estimators))
    _check(plan, names)
    none = (Score(),) * len(plan.agents)
    sofar = AgentEvaluation({name: StrengthEstimate() for name in names}, none)
    numbers = range(plan.chunks)
    with closing(in_order(_play_part, plan, numbers, processes, tuple(names))) as parts:
        for part in parts:
            estimates = {name: sofar.estimates[name].merge(part.estimates[name]) for name in names}
            scores = tuple(map(Score.merge, sofar.scores, part.scores))
            sofar = AgentEvaluation(estimates, scores)
            if sprt and not sofar.is_broken:
                sofar = sofar._replace(verdict=sprt.verdict(estimates[names[-1]].deals))
            if progress:
                progress(sofar)
            if sofar.verdict and sofar.verdict.decision != "open":
                break
            if sofar.is_broken and scores[0].is_enough:
                break
    return sofar


def _check(plan: MatchPlan, names: Sequence[str]) -> None:
    """Refuse a plan that cannot be evaluated."""
    if plan.carry:
        raise OptionError("carry=True is for matches; an evaluation needs fresh stacks")
    if "aivat" in names:
        check_game(plan.table)
    if RANGES in names:
        check_ranges(plan.table)
        if not plan.mirrored:
            raise OptionError("ranges are played in both seats; leave --no-mirrored out")
        for text, agent in zip(plan.agents, plan.make_agents(), strict=True):
            if not isinstance(agent, KnownStrategy):
                raise OptionError(
                    f"{text} does not reveal its strategy for every hand, which ranges need; "
                    "use aivat"
                )


def _play_part(
    plan: MatchPlan, number: int, agents: Sequence[Agent], names: Sequence[str]
) -> AgentEvaluation:
    """Chunk ``number`` of a plan."""
    dealt = tuple(name for name in names if name != RANGES)
    found = _dealt_part(plan, number, agents, dealt) if dealt else AgentEvaluation({})
    if RANGES in names:
        found.estimates[RANGES] = _ranges_part(plan, number, agents)
    return found


def _ranges_part(plan: MatchPlan, number: int, agents: Sequence[Agent]) -> StrengthEstimate:
    one, two = (KnownPlayer(agent) for agent in agents if isinstance(agent, KnownStrategy))
    results = []
    for deal in plan.deals_of(number):
        for agent in agents:
            agent.match_start()
        results.append(mean_of_seats(plan.table, one, two, plan.seed, deal, usual_rare(*agents)))
    return StrengthEstimate(tally(results), tally(results))


def _dealt_part(
    plan: MatchPlan, number: int, agents: Sequence[Agent], names: Sequence[str]
) -> AgentEvaluation:
    kept: dict[str, dict[int, list[float]]] = {name: {} for name in names}

    def look(hand: ChunkHand) -> None:
        seated = [agents[each] for each in hand.agents]
        for name in names:
            result = _result(name, hand.played.final, hand.agents.index(0), seated)
            kept[name].setdefault(hand.deal, []).append(result)

    chunk = play_chunk(plan, number, agents, keep_hands=False, look=look)
    estimates = {}
    for name, results in kept.items():
        deals = tally(sum(each) / len(each) for each in results.values())
        estimates[name] = StrengthEstimate(deals, tally(chain.from_iterable(results.values())))
    return AgentEvaluation(estimates, chunk.scores)


def _result(name: str, final: HoldemState, seat: int, seated: Sequence[Agent]) -> float:
    """The winnings of a seat according to an estimator."""
    if name == "raw":
        return float(final.payoffs[seat])
    if name == "all-in":
        return all_in_payoffs(final)[seat]
    known = {each: agent for each, agent in enumerate(seated) if isinstance(agent, KnownStrategy)}
    imagined = min(known, default=None)
    if len(seated) > 2 and len(known) < len(seated):
        imagined = None
    return aivat_hand(final, seat, known, imagined)
