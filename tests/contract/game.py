"""What every game promises. Each check takes a `Sample`: a game and states of it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice, pairwise
from math import isfinite, sqrt
from random import Random
from typing import Any

import numpy as np
import pytest

from tiltless.errors import InputError, TiltlessError
from tiltless.games import CHANCE, TERMINAL, Chance, Game, IllegalActionError, State, load
from tiltless.tabular.estimate import estimate

SMALL = 10_000  # games with fewer histories are checked on all of them
PLAYOUTS = 25  # the others on this many
LISTED = 5_000  # chance with more outcomes than this is only sampled
MENU = 30  # of more actions than this, some are tried


NONSENSE = (None, "frobnicate", -77, 1.0, 1.5, True, [], object(), np.zeros(2), np.ones((3, 3)))


class Step:
    """A state, the moves that led there, and the moves that are tried from there."""

    def __init__(self, state: State, moves: tuple[Any, ...], rng: Random) -> None:
        self.state, self.moves = state, moves
        self.next = some_moves(state, rng)


@dataclass(frozen=True)
class Sample:
    game: Game
    seed: int = 0

    @cached_property
    def complete(self) -> bool:
        return estimate(self.game, SMALL).exact

    @cached_property
    def steps(self) -> list[Step]:
        return list(self._every_step() if self.complete else self._playouts())

    def _every_step(self) -> Iterator[Step]:
        rng = Random(self.seed)
        stack: list[tuple[State, tuple[Any, ...]]] = [(self.game.start(), ())]
        while stack:
            state, moves = stack.pop()
            yield Step(state, moves, rng)
            if state.actor == TERMINAL:
                continue
            stack += [(state.apply(move), (*moves, move)) for move in all_moves(state)]

    def _playouts(self) -> Iterator[Step]:
        for seed in range(PLAYOUTS):
            rng = Random(self.seed + seed)
            state, moves = self.game.start(), ()
            while True:
                yield Step(state, moves, rng)
                if state.actor == TERMINAL:
                    break
                move = state.chance.sample(rng) if state.chance else gentle(state, rng)
                state, moves = state.apply(move), (*moves, move)

    @cached_property
    def lines(self) -> list[tuple[Any, ...]]:
        """Moves of whole games, a few hundred at most."""
        ends = [step.moves for step in self.steps if step.state.actor == TERMINAL]
        return Random(self.seed).sample(ends, min(len(ends), 300))

    def some(self, count: int = 400) -> list[Step]:
        return Random(self.seed).sample(self.steps, min(len(self.steps), count))


def gentle(state: State, rng: Random) -> Any:
    """Any action, but small ones more often, so that a hand of poker lasts."""
    actions = state.actions
    return actions[min(rng.randrange(len(actions)), rng.randrange(6))]


def all_moves(state: State) -> list[Any]:
    if state.chance is not None:
        return [outcome for outcome, _ in state.chance.outcomes()]
    return list(state.actions)


def some_moves(state: State, rng: Random) -> list[Any]:
    """All moves, or a few dozen of very many."""
    if state.chance is not None and state.chance.count > MENU:
        return [state.chance.sample(rng) for _ in range(3)]
    if len(state.actions) > MENU:
        actions = state.actions
        return [actions[0], actions[1], actions[-1], *(rng.choice(actions) for _ in range(4))]
    return all_moves(state)


def replay(game: Game, moves: tuple[Any, ...]) -> State:
    state = game.start()
    for move in moves:
        state = state.apply(move)
    return state


def keys(state: State) -> list[Any]:
    return [state.infoset(player).key for player in range(state.game.players)]


# --- the checks ----------------------------------------------------------------------------------


def check_attributes(sample: Sample) -> None:
    game = sample.game
    assert isinstance(game, Game)
    assert game.players >= 1
    assert game.version >= 1
    assert game.start() == game.start()
    names = ("game", "actor", "actions", "chance", "payoffs")
    for step in sample.some(50):
        assert all(hasattr(type(step.state), name) for name in names)
        assert step.state.game == game
        if step.state.actor == CHANCE:
            assert isinstance(step.state.chance, Chance)


def check_states_are_immutable(sample: Sample) -> None:
    for step in sample.some(100):
        state = step.state
        before = hash(state), repr(state), keys(state), list(islice(state.actions, MENU))
        for name in ("game", "actor", "actions", "payoffs", "anything"):
            with pytest.raises(AttributeError):
                setattr(state, name, None)
        for move in step.next:
            state.apply(move)
        assert before == (
            hash(state), repr(state), keys(state), list(islice(state.actions, MENU)),
        )  # fmt: skip


def check_states_are_values(sample: Sample) -> None:
    """The same moves make equal states with equal hashes; one more move makes another state."""
    for step in sample.some():
        again = replay(sample.game, step.moves)
        assert again == step.state
        assert hash(again) == hash(step.state)
        after = [step.state.apply(move) for move in step.next]
        assert all(state != step.state for state in after)
        for one, other in combinations(range(min(len(after), 8)), 2):
            same = step.next[one] == step.next[other]
            assert (after[one] == after[other]) == same


def check_turns(sample: Sample) -> None:
    """Somebody acts, with something to do; or chance does; or the game is over and pays."""
    for step in sample.steps:
        state = step.state
        assert state.actor in (CHANCE, TERMINAL, *range(sample.game.players))
        assert (state.chance is not None) == (state.actor == CHANCE)
        assert (len(state.actions) > 0) == (state.actor >= 0)
        few = list(islice(state.actions, MENU))
        assert len(set(few)) == len(few)
        assert few == [state.actions[i] for i in range(len(few))]
        if state.actor != TERMINAL:
            with pytest.raises(TiltlessError):
                _ = state.payoffs


def check_payoffs(sample: Sample) -> None:
    for step in sample.steps:
        if step.state.actor == TERMINAL:
            payoffs = step.state.payoffs
            assert len(payoffs) == sample.game.players
            assert all(isfinite(payoff) for payoff in payoffs)
            if sample.game.zero_sum:
                assert abs(sum(payoffs)) < 1e-9


def check_chance(sample: Sample) -> None:
    """Probabilities sum to 1, outcomes differ, samples are outcomes with the right frequency."""
    rng = Random(5)
    seen: set[Any] = set()
    for step in sample.steps:
        chance = step.state.chance
        if chance is None:
            continue
        assert chance.count > 0
        assert set(chance.seen_by) <= set(range(sample.game.players))
        assert step.state.can(chance.sample(rng))
        if chance.count > LISTED or (chance.count, chance.seen_by) in seen:
            continue
        seen.add((chance.count, chance.seen_by))
        odds = dict(chance.outcomes())
        assert len(odds) == chance.count == len(list(chance.outcomes()))
        assert abs(sum(odds.values()) - 1) < 1e-12
        assert min(odds.values()) > 0
        assert all(step.state.can(outcome) for outcome in odds)
        draws = 3000
        found = dict.fromkeys(odds, 0)
        for _ in range(draws):
            found[chance.sample(rng)] += 1
        for outcome, p in odds.items():
            assert abs(found[outcome] - draws * p) < 5 * sqrt(draws * p * (1 - p)) + 1


def check_samples_repeat(sample: Sample) -> None:
    """All randomness comes from the generator that is passed in."""
    for step in sample.some(50):
        if step.state.chance is not None:
            draws = [[step.state.chance.sample(Random(s)) for s in range(5)] for _ in range(2)]
            assert draws[0] == draws[1]


def check_infosets(sample: Sample) -> None:
    """The public part is the same for all; only the actor has actions."""
    players = range(sample.game.players)
    for step in sample.some(1000):
        infosets = [step.state.infoset(player) for player in players]
        assert len({infoset.public for infoset in infosets}) == 1
        for player, infoset in enumerate(infosets):
            assert infoset.player == player
            hash(infoset.key)
            menu = step.state.actions if player == step.state.actor else ()
            assert list(islice(infoset.actions, MENU)) == list(islice(menu, MENU))
            assert len(infoset.actions) == len(menu)
    start = sample.game.start()
    assert start.infoset(np.int64(1)) == start.infoset(1)
    assert type(start.infoset(np.int64(1)).player) is int
    for stranger in (-1, sample.game.players, "a", "0", 0.5, 0.0, True, None, [], np.zeros(2)):
        with pytest.raises(InputError) as caught:
            start.infoset(stranger)
        assert "\n" not in str(caught.value)


def check_players_do_not_see_what_is_hidden(sample: Sample) -> None:
    """Put another outcome in place of one that a player has not seen: to that player all is equal.

    The moves that follow are the same as before, as long as they are legal.
    """
    rng = Random(6)
    compared = 0
    for moves in sample.lines[:100]:
        for place in range(len(moves)):
            state = replay(sample.game, moves[:place])
            if state.chance is None:
                continue
            other = state.chance.sample(rng)
            blind = [p for p in range(sample.game.players) if p not in state.chance.seen_by]
            true_state, false_state = state.apply(moves[place]), state.apply(other)
            for move in (*moves[place + 1 :], None):
                if TERMINAL in (true_state.actor, false_state.actor):
                    break
                for player in blind:
                    assert true_state.infoset(player).key == false_state.infoset(player).key
                    compared += other != moves[place]
                if not false_state.can(move) or not true_state.can(move):
                    break
                true_state, false_state = true_state.apply(move), false_state.apply(move)
    hidden = any(
        step.state.chance and len(step.state.chance.seen_by) < sample.game.players
        for step in sample.steps
    )
    assert compared or not hidden


def check_players_see_what_is_shown(sample: Sample) -> None:
    """Different outcomes make different infosets for those who see them."""
    for step in sample.some():
        chance = step.state.chance
        if chance is None:
            continue
        public = len(chance.seen_by) == sample.game.players
        for one, other in pairwise(step.next[:20]):
            if one == other:
                continue
            after = [step.state.apply(move) for move in (one, other)]
            for player in chance.seen_by:
                first, second = (state.infoset(player) for state in after)
                assert first.key != second.key
                assert (first.public != second.public) == public


def check_perfect_recall(sample: Sample) -> None:
    """An infoset fixes what its player knew and did before, and what may be done now."""
    past: dict[Any, Any] = {}
    for moves in sample.lines:
        state = sample.game.start()
        last: list[Any] = [None] * sample.game.players
        for move in moves:
            if state.actor >= 0:
                infoset = state.infoset(state.actor)
                told = (last[state.actor], tuple(islice(infoset.actions, MENU)))
                assert past.setdefault(infoset.key, told) == told
                last[state.actor] = (infoset.key, move)
            state = state.apply(move)


def check_texts(sample: Sample) -> None:
    """Actions and outcomes survive the way into text and back."""
    game = sample.game
    for step in sample.some():
        texts = [game.action_text(move) for move in step.next]
        for move, text in zip(step.next, texts, strict=True):
            assert isinstance(text, str)
            assert text.strip() == text != ""
            assert "\n" not in text
            assert game.parse_action(text) == move
        assert len(set(texts)) == len(set(step.next))
    for nonsense in ("", "frobnicate", "1 2 3 4 5 6 7 8", "raise to", "☃"):
        with pytest.raises(InputError):
            game.parse_action(nonsense)


def check_illegal_moves(sample: Sample) -> None:
    """`apply`, `verify` and `can` agree, and the message names what is legal, in one line."""
    game = sample.game
    elsewhere = {game.action_text(move): move for step in sample.some(200) for move in step.next}
    for step in sample.some(40):
        state, legal = step.state, step.next
        for move in legal:
            assert state.can(move)
            state.verify(move)
        wrong = [m for m in elsewhere.values() if not state.can(m)][:10]
        for move in (*wrong, *NONSENSE):
            assert not state.can(move)
            for way in (state.verify, state.apply):
                with pytest.raises(IllegalActionError) as caught:
                    way(move)
                message = str(caught.value)
                assert "\n" not in message
                if state.actor >= 0:
                    assert game.action_text(legal[0]) in message
                    words = [game.action_text(each).split()[0] for each in legal]
                    assert all(word in message for word in words)  # raises may be a range


def check_parameters(sample: Sample) -> None:
    """A game can be made again from its name, version and parameters, even by way of JSON."""
    game = sample.game
    again = load(game.name, version=game.version, **game.parameters)
    assert again == game
    assert hash(again) == hash(game)
    assert again.parameters == game.parameters
    assert again.start() == game.start()
    written = json.loads(json.dumps(dict(game.parameters)))
    assert load(game.name, **written) == game
    for name in ("players", "anything"):
        with pytest.raises(
            (AttributeError, TypeError)
        ):  # frozen dataclasses with slots: the second
            setattr(game, name, 2)


CHECKS = [
    check_attributes,
    check_states_are_immutable,
    check_states_are_values,
    check_turns,
    check_payoffs,
    check_chance,
    check_samples_repeat,
    check_infosets,
    check_players_do_not_see_what_is_hidden,
    check_players_see_what_is_shown,
    check_perfect_recall,
    check_texts,
    check_illegal_moves,
    check_parameters,
]
