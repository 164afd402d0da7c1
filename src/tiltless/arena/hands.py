"""The hands of a chunk in the order of play: mirrored, in turn, whole matches, carried stacks.

`tiltless.arena.plan` says what each of these is.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tiltless.agents.agent import Agent, Clock
from tiltless.arena.dealer import PlayedHand, Seated, match_game, play_hand, shuffled_decks
from tiltless.arena.plan import MatchPlan
from tiltless.arena.rulings import Fault, tell

__all__ = ["ChunkHand", "hands_of"]


class ChunkHand(NamedTuple):
    """A hand of a chunk; agents: the number of the agent in each seat."""

    deal: int
    half: int
    agents: tuple[int, ...]
    played: PlayedHand


def hands_of(
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
    if plan.game_hands:
        return _games(plan, number, agents, only)
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


def _games(
    plan: MatchPlan, number: int, agents: Sequence[Agent], only: tuple[int, int] | None
) -> Iterator[ChunkHand]:
    """Games with carried stacks, each once for every rotation; agents forget before each.

    Who has no chips left is out, and a game ends when one agent has them all.
    """
    deals, size, halves = plan.deals_of(number), plan.game_hands, range(plan.seatings)
    if only is not None:
        first = only[0] - only[0] % size
        deals, halves = range(first, first + size), range(only[1], only[1] + 1)
    for first in range(deals.start, deals.stop, size):
        for half in halves:
            yield from _game(plan, first, half, agents)


def _game(plan: MatchPlan, first: int, half: int, agents: Sequence[Agent]) -> Iterator[ChunkHand]:
    """The game that begins with deal ``first``."""
    size, clock, seats = plan.game_hands, Clock(plan.clock), len(agents)
    game = match_game(plan.table, plan.seed, first)
    decks = shuffled_decks(game, plan.seed, first, size).tolist()
    sitting = [plan.agent_in(chair, half) for chair in range(seats)]
    stacks = list(game.rules.stacks)
    early = _forget(agents, tuple(sitting), first)
    button = first // size % seats
    for deal, deck in enumerate(decks, start=first):
        left = [chair for chair in range(seats) if stacks[chair]]
        if len(left) < 2:
            return
        while not stacks[button]:
            button = (button + 1) % seats
        seated = tuple(sitting[chair] for chair in left)
        played = play_hand(
            game if len(left) == seats else plan.smaller_table(len(left)),
            [Seated(agents[agent], clock) for agent in seated],
            deck,
            seed=plan.seed,
            deal=deal,
            button=left.index(button),
            stacks=[stacks[chair] for chair in left],
        )
        for chair, payoff in zip(left, played.payoffs, strict=True):
            stacks[chair] += payoff
        button = (button + 1) % seats
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
