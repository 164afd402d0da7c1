"""Two agents compared by several estimators of the same hands: plain, all-in equity, AIVAT.

Hands are those of a `MatchPlan` of two players with fresh stacks. The unit of statistics is the
deal, and its number is the **mean** of its hands, in chips a hand: what `Sprt.of_blinds` wants.
(`Score.won` has sums; do not hand these to it.) Every estimator has the same expectation.

AIVAT knows the strategies of the agents that tell them. Where both do, the cards of seat 0 are
imagined, in both hands of a deal: so what mirroring cancels stays cancelled, and two equal players
get 0. Where one does, its cards are; where none does, only the cards' luck is taken out.
"""

from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from typing import NamedTuple

from tiltless.agents.agent import Agent, KnownStrategy
from tiltless.arena.aivat import aivat_hand
from tiltless.arena.all_in import all_in_payoffs
from tiltless.arena.dealer import Seated, play_hand, shuffled_decks
from tiltless.arena.intervals import Tally
from tiltless.arena.plan import MatchPlan
from tiltless.arena.sprt import Sprt, Verdict
from tiltless.arena.workers import in_order
from tiltless.errors import OptionError
from tiltless.games.hand import HoldemState

__all__ = ["ESTIMATORS", "Estimate", "Evaluation", "evaluate", "read_estimators"]

ESTIMATORS = ("raw", "all-in", "aivat")
"""From the plainest to the sharpest."""


class Estimate(NamedTuple):
    """What the first agent wins by one estimator, in chips.

    deals: of the mean of each deal's hands.  hands: of each hand, as if no deal were mirrored.
    """

    deals: Tally = Tally()
    hands: Tally = Tally()

    def merge(self, other: "Estimate") -> "Estimate":
        """Both together."""
        return Estimate(self.deals.merge(other.deals), self.hands.merge(other.hands))


class Evaluation(NamedTuple):
    """What came of the deals so far.

    estimates: by name, of `ESTIMATORS`.  rulings: how often the dealer had to rule; AIVAT knows
    nothing of them.  verdict: of the sequential test, if there is one.
    """

    estimates: dict[str, Estimate]
    rulings: int = 0
    verdict: Verdict | None = None

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
            raise OptionError(f"no estimator is called {name!r}; known: {', '.join(ESTIMATORS)}")
    if not names:
        raise OptionError(f"name an estimator or more: {', '.join(ESTIMATORS)}")
    return tuple(name for name in ESTIMATORS if name in names)


def evaluate(
    plan: MatchPlan,
    estimators: Sequence[str] = ESTIMATORS,
    *,
    sprt: Sprt | None = None,
    processes: int = 1,
    progress: Callable[[Evaluation], None] | None = None,
) -> Evaluation:
    """Play the deals of a plan, or fewer where a sequential test decides before.

    sprt: in chips a hand; asked after each chunk about the last, sharpest of the estimators.
    progress: told what is known, after each chunk; what it was told last is the result after an
    interrupt. The result does not depend on the number of processes.
    """
    names = read_estimators(",".join(estimators))
    _check(plan, names)
    sofar = Evaluation({name: Estimate() for name in names})
    numbers = range(plan.chunks)
    with closing(in_order(_play_part, plan, numbers, processes, tuple(names))) as parts:
        for part in parts:
            estimates = {name: sofar.estimates[name].merge(part.estimates[name]) for name in names}
            verdict = sprt.verdict(estimates[names[-1]].deals) if sprt else None
            sofar = Evaluation(estimates, sofar.rulings + part.rulings, verdict)
            if progress:
                progress(sofar)
            if verdict and verdict.decision != "open":
                break
    return sofar


def _check(plan: MatchPlan, names: Sequence[str]) -> None:
    """Refuse what cannot be estimated before anything is played."""
    if len(plan.agents) != 2:
        raise OptionError(f"two agents are compared; {len(plan.agents)} are named")
    if plan.carry:
        raise OptionError("stacks are fresh in every hand here; carry=True is for matches")
    if "aivat" in names:
        fish = [Seated(_Idle()), Seated(_Idle())]
        deck = shuffled_decks(plan.table, 0, 0, 1)[0].tolist()
        aivat_hand(play_hand(plan.table, fish, deck).final, 0, {})


class _Idle(Agent):
    """Crashes, and so checks and folds."""

    def act(self, view: object, clock: object, rng: object) -> object:  # type: ignore[override]
        raise NotImplementedError


def _play_part(
    plan: MatchPlan, number: int, agents: Sequence[Agent], names: Sequence[str]
) -> Evaluation:
    """Chunk ``number`` of a plan."""
    deals = plan.deals_of(number)
    decks = shuffled_decks(plan.table, plan.seed, deals.start, len(deals)).tolist()
    kept: dict[str, list[list[float]]] = {name: [] for name in names}
    rulings = 0
    for deal, deck in zip(deals, decks, strict=True):
        for name in names:
            kept[name].append([])
        for half in range(plan.halves):
            seated = [agents[plan.agent_in(seat, half)] for seat in (0, 1)]
            for agent in seated:
                with suppress(Exception):  # as in a match, where such a fault changes nothing
                    agent.match_start()
            played = play_hand(
                plan.table,
                [Seated(agent) for agent in seated],
                deck,
                seed=plan.seed,
                deal=deal,
                button=deal % 2,
            )
            rulings += sum(fault.kind != "hook" for fault in played.faults)
            seat = [plan.agent_in(each, half) for each in (0, 1)].index(0)
            for name in names:
                kept[name][-1].append(_result(name, played.final, seat, seated))
    estimates = {}
    for name, results in kept.items():
        means, hands = Tally(), Tally()
        for each in results:
            means = means.add(sum(each) / len(each))
            for result in each:
                hands = hands.add(result)
        estimates[name] = Estimate(means, hands)
    return Evaluation(estimates, rulings)


def _result(name: str, final: HoldemState, seat: int, seated: Sequence[Agent]) -> float:
    """What a seat won, by an estimator."""
    if name == "raw":
        return float(final.payoffs[seat])
    if name == "all-in":
        return all_in_payoffs(final)[seat]
    known = {place: agent for place, agent in enumerate(seated) if isinstance(agent, KnownStrategy)}
    return aivat_hand(final, seat, known, min(known, default=None))
