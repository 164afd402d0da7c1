"""Chunks: a run of consecutive deals of a match, played and summed up.

A chunk depends only on the plan and its own number: its result is the same in any process, and
whatever chunks were played before it.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from tiltless.agents.agent import Agent, Clock
from tiltless.arena.dealer import PlayedHand, Seated, match_game, play_hand, shuffled_decks
from tiltless.arena.plan import MatchPlan
from tiltless.arena.rulings import Fault, tell
from tiltless.arena.stats.decision_sources import count_sources
from tiltless.arena.stats.hand_stats import HandStats, count_hand, new_sheet
from tiltless.arena.stats.matches_won import match_points
from tiltless.arena.stats.response_times import response_times
from tiltless.arena.stats.score import Faults, Score
from tiltless.errors import OptionError
from tiltless.games.holdem.record import state_line
from tiltless.intervals import Tally

__all__ = ["Chunk", "ChunkHand", "HandRow", "play_chunk", "replay"]


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


class ChunkHand(NamedTuple):
    """A hand of a chunk; agents: the number of the agent in each seat."""

    deal: int
    half: int
    agents: tuple[int, ...]
    played: PlayedHand


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
    seconds: list[list[float]] = [[] for _ in agents]
    faults = [dict.fromkeys(Faults._fields, 0) for _ in agents]
    first_faults = [""] * count
    sources: list[dict[str, int]] = [{} for _ in agents]
    units: dict[int, list[int]] = {}
    bankrolls: dict[tuple[int, int], list[int]] = {}  # by match and half
    rows: list[HandRow] = []
    hands, deals_per_unit, whole_matches = 0, plan.deals_per_unit, bool(plan.match_hands)
    for hand in _hands(plan, number, agents):
        deal, half, seated, played = hand
        hands += 1
        if look:
            look(hand)
        count_hand(played, [sheets[agent] for agent in seated])
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
        stats, times = HandStats(*sheets[agent]), response_times(seconds[agent])
        words = first_faults[agent], count_sources(sources[agent])
        points = match_points(bankrolls, agent)
        rulings = Faults(**faults[agent])
        scores.append(Score(won_tally, hands, stats, times, rulings, *words, points))
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
    for hand in _hands(plan, number, players, only=(deal, half)):
        if (hand.deal, hand.half) == (deal, half):
            return _row(*hand, len(players))
    raise AssertionError("every deal is in its chunk")


def _row(deal: int, half: int, seated: tuple[int, ...], played: PlayedHand, count: int) -> HandRow:
    payoffs = [0] * count
    for agent, payoff in zip(seated, played.payoffs, strict=True):
        payoffs[agent] = payoff
    line = state_line(played.final, played.payoffs, deal)
    button = played.final.table.button
    return HandRow(deal, half, button, seated, tuple(payoffs), played.faults, line)


def _hands(
    plan: MatchPlan,
    number: int,
    agents: Sequence[Agent],
    only: tuple[int, int] | None = None,
) -> Iterator[ChunkHand]:
    """The hands of a chunk in the order of play.

    only: stop after this hand (deal, half), and skip the others where it does not depend on them.
    """
    if plan.match_hands:
        return _matches(plan, number, agents, only)
    if plan.carry:
        return _sessions(plan, number, agents)
    if plan.mirrored:
        return _mirrored(plan, number, agents, only)
    return _in_turn(plan, number, agents)


def _mirrored(
    plan: MatchPlan, number: int, agents: Sequence[Agent], only: tuple[int, int] | None
) -> Iterator[ChunkHand]:
    """Each deal in every rotation of the seats; agents forget before each hand."""
    game, seats = plan.table, range(len(agents))
    deals = plan.deals_of(number) if only is None else range(only[0], only[0] + 1)
    decks = shuffled_decks(game, plan.seed, deals.start, len(deals)).tolist()
    rotations = [tuple(plan.agent_in(seat, half) for seat in seats) for half in seats]
    clock = Clock(plan.clock)
    tables = [[Seated(agents[agent], clock) for agent in seated] for seated in rotations]
    for deal, deck in zip(deals, decks, strict=True):
        button = deal % len(seats)
        for half, seated in enumerate(rotations):
            early = _forget(agents, seated, deal)
            played = play_hand(game, tables[half], deck, seed=plan.seed, deal=deal, button=button)
            if early:
                played = played._replace(faults=early + played.faults)
            yield ChunkHand(deal, half, seated, played)


def _matches(
    plan: MatchPlan, number: int, agents: Sequence[Agent], only: tuple[int, int] | None
) -> Iterator[ChunkHand]:
    """Whole matches with fresh stacks and a moving button, each once for every rotation.

    Agents forget before the first hand of a match only.
    """
    clock, size, deals = Clock(plan.clock), plan.match_hands, plan.deals_of(number)
    halves = range(plan.seatings)
    if only is not None:
        first = only[0] - only[0] % size
        deals, halves = range(first, first + size), range(only[1], only[1] + 1)
    for first in range(deals.start, deals.stop, size):
        game = plan.match_game(first // size)
        decks = shuffled_decks(game, plan.seed, first, size).tolist()
        for half in halves:
            seated = tuple(plan.agent_in(seat, half) for seat in range(len(agents)))
            table = [Seated(agents[agent], clock) for agent in seated]
            early = _forget(agents, seated, first)
            for hand, deck in enumerate(decks):
                deal, button = first + hand, hand % len(agents)
                played = play_hand(game, table, deck, seed=plan.seed, deal=deal, button=button)
                if early:
                    played, early = played._replace(faults=early + played.faults), ()
                yield ChunkHand(deal, half, seated, played)


def _in_turn(plan: MatchPlan, number: int, agents: Sequence[Agent]) -> Iterator[ChunkHand]:
    """One deal after another, with a moving button: a match, before which agents forget."""
    deals = plan.deals_of(number)
    game = match_game(plan.table, plan.seed, deals.start)
    decks = shuffled_decks(game, plan.seed, deals.start, len(deals)).tolist()
    table = [Seated(agent, Clock(plan.clock)) for agent in agents]
    seated = tuple(range(len(agents)))
    early = _forget(agents, seated, deals.start)
    for deal, deck in zip(deals, decks, strict=True):
        button = deal % len(agents)
        played = play_hand(game, table, deck, seed=plan.seed, deal=deal, button=button)
        if early:
            played, early = played._replace(faults=early + played.faults), ()
        yield ChunkHand(deal, 0, seated, played)


def _sessions(plan: MatchPlan, number: int, agents: Sequence[Agent]) -> Iterator[ChunkHand]:
    """The deals of a session with carried stacks, once for each rotation of the seats.

    An agent without chips gets no cards; when one agent has all chips, everybody starts again with
    full stacks.
    """
    full, deals, clock = plan.table, plan.deals_of(number), Clock(plan.clock)
    decks = shuffled_decks(full, plan.seed, deals.start, len(deals)).tolist()
    chairs = range(len(agents))
    for half in range(plan.seatings):
        sitting = [plan.agent_in(chair, half) for chair in chairs]
        stacks = list(full.rules.stacks)
        early = _forget(agents, tuple(sitting), deals.start)
        for deal, deck in zip(deals, decks, strict=True):
            left = [chair for chair in chairs if stacks[chair]]
            if len(left) < 2:
                stacks = list(full.rules.stacks)
                left = list(chairs)
            seated = tuple(sitting[chair] for chair in left)
            played = play_hand(
                plan.smaller_table(len(left)),
                [Seated(agents[agent], clock) for agent in seated],
                deck,
                seed=plan.seed,
                deal=deal,
                button=deal % len(left),
                stacks=[stacks[chair] for chair in left],
            )
            for chair, payoff in zip(left, played.payoffs, strict=True):
                stacks[chair] += payoff
            if early:
                played, early = played._replace(faults=early + played.faults), ()
            yield ChunkHand(deal, half, seated, played)


def _forget(agents: Sequence[Agent], seated: tuple[int, ...], deal: int) -> tuple[Fault, ...]:
    """Call `match_start` of the agents that override it; faults are kept with the next hand."""
    faults: list[Fault] = []
    for seat, number in enumerate(seated):
        agent = agents[number]
        if type(agent).match_start is Agent.match_start:
            continue
        problem = tell(agent, "match_start", deal=deal)
        if problem:
            faults.append(Fault(seat, "hook", problem))
    return tuple(faults)
