"""Chunks: a run of consecutive deals of a match, played and summed up.

A chunk depends only on the plan and its own number: its result is the same in any process, and
whatever chunks were played before it.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tiltless.agents.agent import Agent
from tiltless.arena.dealer import PlayedHand
from tiltless.arena.hands import ChunkHand, hands_of
from tiltless.arena.plan import MatchPlan
from tiltless.arena.rulings import Fault
from tiltless.arena.stats.by_position import PositionCounts
from tiltless.arena.stats.decision_sources import count_sources
from tiltless.arena.stats.hand_stats import HandStats, count_hand, new_sheet
from tiltless.arena.stats.matches_won import match_points
from tiltless.arena.stats.response_times import response_times
from tiltless.arena.stats.score import Faults, Score
from tiltless.errors import OptionError
from tiltless.games.holdem.record import state_line
from tiltless.intervals import Tally

__all__ = ["Chunk", "HandRow", "play_chunk", "replay"]


class HandRow(NamedTuple):
    """A hand as it is stored.

    agents: the number of the agent in each seat.  payoffs: net chips by agent; 0 for an agent that
    had left the table.  faults: by seat.  line: see `tiltless.games.holdem.record`.
    """

    deal: int
    half: int
    button: int
    agents: tuple[int, ...]
    payoffs: tuple[int, ...]
    faults: tuple[Fault, ...]
    line: str


class Chunk(NamedTuple):
    """The result of a chunk: scores by agent, and the hands if they are kept."""

    number: int
    deals: int
    scores: tuple[Score, ...]
    hands: tuple[HandRow, ...]


def play_chunk(
    plan: MatchPlan,
    number: int,
    agents: Sequence[Agent],
    *,
    keep_hands: bool = True,
    look: Callable[[ChunkHand], None] | None = None,
) -> Chunk:
    """Play chunk ``number`` of a match with agents from `MatchPlan.make_agents`.

    look: called with every hand when it is over.
    """
    count = len(agents)
    sheets = [new_sheet() for _ in agents]
    by_position = PositionCounts(count) if count > 2 else None
    seconds: list[list[float]] = [[] for _ in agents]
    faults = [dict.fromkeys(Faults._fields, 0) for _ in agents]
    first_faults = [""] * count
    sources: list[dict[str, int]] = [{} for _ in agents]
    units: dict[int, list[int]] = {}
    bankrolls: dict[tuple[int, int], list[int]] = {}  # by match and half
    rows: list[HandRow] = []
    hands, deals_per_unit, whole_matches = 0, plan.deals_per_unit, bool(plan.match_hands)
    for hand in hands_of(plan, number, agents):
        deal, half, seated, played = hand
        hands += 1
        if look:
            look(hand)
        if by_position is None:
            count_hand(played, [sheets[agent] for agent in seated])
        else:
            by_position.add(played, seated)
        unit = deal // deals_per_unit
        won = units.setdefault(unit, [0] * count)
        for agent, payoff, spent in zip(seated, played.payoffs, played.seconds, strict=True):
            won[agent] += payoff
            seconds[agent] += spent
        for fault in played.faults:
            agent = seated[fault.seat]
            faults[agent][fault.kind] += 1
            if not first_faults[agent]:
                first_faults[agent] = f"deal {deal}, half {half}: {fault.kind}: {fault.detail}"
        for seat, source in played.sources:
            counts = sources[seated[seat]]
            counts[source] = counts.get(source, 0) + 1
        if whole_matches:
            bankroll = bankrolls.setdefault((unit, half), [0] * count)
            for agent, payoff in zip(seated, played.payoffs, strict=True):
                bankroll[agent] += payoff
        if keep_hands:
            rows.append(_row(deal, half, seated, played, count))
    scores = []
    for agent in range(count):
        won_by_unit = [won[agent] for won in units.values()]
        won_tally = Tally(
            len(won_by_unit), sum(won_by_unit), sum(chips * chips for chips in won_by_unit)
        )
        positions = by_position.positions(agent) if by_position else ()
        stats, times = HandStats(*sheets[agent]), response_times(seconds[agent])
        for _, score in positions:
            stats = stats.merge(score.stats)
        words = first_faults[agent], count_sources(sources[agent])
        points = match_points(bankrolls, agent)
        rulings = Faults(**faults[agent])
        scores.append(Score(won_tally, hands, stats, times, rulings, *words, points, positions))
    return Chunk(number, len(plan.deals_of(number)), tuple(scores), tuple(rows))


def replay(plan: MatchPlan, deal: int, half: int, agents: Sequence[Agent] | None = None) -> HandRow:
    """Play one hand of a match again, with the same result unless there is a clock.

    A hand of a mirrored match with fresh stacks is played by itself; any other hand after the
    earlier hands of its chunk, or of its match where matches are counted, since agents may remember
    them.
    """
    if not (0 <= deal < plan.deals and 0 <= half < plan.seatings):
        raise OptionError(
            f"the match has no hand {deal}/{half}; deals are 0 to {plan.deals - 1}, "
            f"halves 0 to {plan.seatings - 1}"
        )
    players = plan.make_agents() if agents is None else agents
    number = deal // plan.chunk
    for hand in hands_of(plan, number, players, only=(deal, half)):
        if (hand.deal, hand.half) == (deal, half):
            return _row(*hand, len(players))
    raise OptionError(f"hand {deal}/{half} was not played: its game was over; name an earlier one")


def _row(deal: int, half: int, seated: tuple[int, ...], played: PlayedHand, count: int) -> HandRow:
    payoffs = [0] * count
    for agent, payoff in zip(seated, played.payoffs, strict=True):
        payoffs[agent] = payoff
    line = state_line(played.final, played.payoffs, deal)
    button = played.final.table.button
    return HandRow(deal, half, button, seated, tuple(payoffs), played.faults, line)
