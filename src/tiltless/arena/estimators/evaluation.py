"""Evaluation of two agents by several estimators on the same hands: plain, all-in equity, AIVAT.

Hands are those of a `MatchPlan` of two players with fresh stacks. The unit of statistics is the
deal, and its number is the **mean** of its hands, in chips a hand: what `Sprt.of_blinds` wants.
(`Score.won` has sums; do not hand these to it.) Every estimator has the same expectation.

AIVAT knows the strategies of the agents that tell them. Where both do, the cards of seat 0 are
imagined, in both hands of a deal: so what mirroring cancels stays cancelled, and two equal players
get 0. Where one does, its cards are; where none does, only the cards' luck is taken out.
"""

from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import chain
from typing import NamedTuple

from tiltless.agents.agent import Agent, KnownStrategy
from tiltless.arena.chunk import ChunkHand, play_chunk
from tiltless.arena.estimators.aivat import aivat_hand, check_game
from tiltless.arena.estimators.all_in import all_in_payoffs
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
    "AgentEvaluation",
    "StrengthEstimate",
    "evaluate_agents",
    "read_estimators",
]

ESTIMATORS = ("raw", "all-in", "aivat")
"""From the plainest to the sharpest."""


class StrengthEstimate(NamedTuple):
    """What the first agent wins by one estimator, in chips.

    deals: of the mean of each deal's hands.  hands: of each hand, as if no deal were mirrored.
    """

    deals: Tally = Tally()
    hands: Tally = Tally()

    def merge(self, other: "StrengthEstimate") -> "StrengthEstimate":
        """Both together."""
        return StrengthEstimate(self.deals.merge(other.deals), self.hands.merge(other.hands))


class AgentEvaluation(NamedTuple):
    """What came of the deals so far.

    estimates: by name, of `ESTIMATORS`.  scores: of the two agents, as a match has them; AIVAT
    takes rulings of the dealer for choices.  verdict: of the sequential test, if there is one.
    """

    estimates: dict[str, StrengthEstimate]
    scores: tuple[Score, ...] = (Score(), Score())
    verdict: Verdict | None = None

    @property
    def is_broken(self) -> bool:
        """Whether the dealer played for an agent, not it; the estimates say nothing then."""
        return any(score.is_broken for score in self.scores)

    @property
    def deals(self) -> int:
        """How many were played."""
        return next(iter(self.estimates.values())).deals.count

    def ratio(self, name: str, *, mirrored: bool = True) -> float | None:
        """The variance of an estimator as a share of the raw one; None where that is 0 or unknown.

        mirrored: of deals; else of single hands.
        """
        if "raw" not in self.estimates or self.deals < 2:
            return None
        one, raw = (self.estimates[each] for each in (name, "raw"))
        pair = (one.deals, raw.deals) if mirrored else (one.hands, raw.hands)
        return pair[0].variance / pair[1].variance if pair[1].variance else None


def read_estimators(text: str) -> tuple[str, ...]:
    """Names with commas between, each once, in the order of `ESTIMATORS`."""
    names = [word.strip() for word in text.split(",") if word.strip()]
    for name in names:
        if name not in ESTIMATORS:
            raise unknown_name("estimator", name, ESTIMATORS)
    if not names:
        raise OptionError(f"name an estimator or more: {', '.join(ESTIMATORS)}")
    return tuple(name for name in ESTIMATORS if name in names)


def evaluate_agents(
    plan: MatchPlan,
    estimators: Sequence[str] = ESTIMATORS,
    *,
    sprt: Sprt | None = None,
    processes: int | Executor = 1,
    progress: Callable[[AgentEvaluation], None] | None = None,
) -> AgentEvaluation:
    """Play the deals of a plan, or fewer where a sequential test decides before.

    Where most decisions of an agent are ruled on, the end comes early too, without a verdict.

    sprt: in chips a hand; asked after each chunk about the last, sharpest of the estimators.
    progress: told what is known, after each chunk; what it was told last is the result after an
    interrupt. The result does not depend on the number of processes.
    """
    names = read_estimators(",".join(estimators))
    _check(plan, names)
    sofar = AgentEvaluation({name: StrengthEstimate() for name in names})
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
    """Refuse what cannot be estimated before anything is played."""
    if len(plan.agents) != 2:
        raise OptionError(f"two agents are compared; {len(plan.agents)} are named")
    if plan.carry:
        raise OptionError("stacks are fresh in every hand here; carry=True is for matches")
    if "aivat" in names:
        check_game(plan.table)


def _play_part(
    plan: MatchPlan, number: int, agents: Sequence[Agent], names: Sequence[str]
) -> AgentEvaluation:
    """Chunk ``number`` of a plan."""
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
    """What a seat won, by an estimator."""
    if name == "raw":
        return float(final.payoffs[seat])
    if name == "all-in":
        return all_in_payoffs(final)[seat]
    known = {place: agent for place, agent in enumerate(seated) if isinstance(agent, KnownStrategy)}
    return aivat_hand(final, seat, known, min(known, default=None))
