"""Short ways to play hands in tests."""

from functools import cache
from random import Random
from typing import Any

from tiltless.cards.card import parse_cards
from tiltless.games import CHANCE, TERMINAL
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, RaiseTo
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.state import HoldemState
from tiltless.games.holdem.variants import limit_holdem, nlhe, short_deck
from tiltless.games.holdem.view import View

LETTERS = {"f": FOLD, "k": CHECK, "c": CALL}


def deal(game: Holdem, hole: str = "", button: int | None = None, stacks=None) -> HoldemState:
    """A hand with hole cards given seat by seat (``"AsKd 7h7d"``), or any cards."""
    state = game.start(button, stacks)
    for cards in hole.split():
        state = state.apply(parse_cards(cards))
    rng = Random(1)
    while len(state.hole) < game.players:
        state = state.apply(state.chance.sample(rng))
    return state


def play(state: HoldemState, script: str, board: str = "") -> HoldemState:
    """Apply ``"c k r6 f"``; cards come from ``board`` or by chance when they are due."""
    cards, rng = list(parse_cards(board)), Random(2)
    for word in [*script.split(), None]:
        while state.actor == CHANCE:
            size = state.chance.size
            next_cards, cards = cards[:size], cards[size:]
            state = state.apply(tuple(next_cards) if next_cards else state.chance.sample(rng))
        if word is not None:
            state = state.apply(RaiseTo(int(word[1:])) if word[0] == "r" else LETTERS[word])
    return state


def dealt(state: HoldemState, rng: Random) -> HoldemState:
    """Cards by chance until somebody is to act."""
    while state.actor == CHANCE:
        state = state.apply(state.chance.sample(rng))
    return state


def played(game: Holdem, *actions: Action, seed: int = 0, button: int = 0) -> HoldemState:
    """A hand with cards by chance, after some actions."""
    rng = Random(seed)
    state = dealt(game.start(button), rng)
    for action in actions:
        state = dealt(state.apply(action), rng)
    return state


def view_after(game: Holdem, *actions: Action, seed: int = 0) -> View:
    """What the player to act sees after some actions."""
    state = played(game, *actions, seed=seed)
    return state.view(state.actor)


def random_action(state: HoldemState, rng: Random) -> Any:
    """Mostly checks and calls, some folds, raises of all sizes."""
    legal = state.actions
    kind = rng.random()
    if legal.fold and kind < 0.1:
        return FOLD
    if legal.max_raise and kind < 0.45:
        low, high = legal.min_raise, legal.max_raise
        if rng.random() < 0.5:
            high = min(high, 3 * low)
        return RaiseTo(rng.choice((low, high, rng.randint(low, high))))
    return CHECK if legal.check else CALL


@cache
def random_game(seed: int) -> Holdem:
    """Rules with some of the switches."""
    rng = Random(seed)
    seats = rng.randint(2, 10)
    small = rng.randint(1, 3)
    big = small + rng.randint(0, 4)
    options: dict[str, Any] = {"seats": seats, "ante": rng.choice((0, 0, 1, 3))}
    kind = rng.random()
    if kind < 0.15:
        return short_deck(**options, heads_up=rng.choice(("standard", "pypokerengine")))
    if kind < 0.35:
        return limit_holdem(
            **options,
            blinds=(small, big),
            free_fold=rng.random() < 0.3,
            raise_cap=rng.choice((None, 4, (3, 4, 4, 4))),
        )
    return nlhe(
        **options,
        blinds=(small, big),
        straddle=rng.choice((0, 2 * big)) if seats > 2 else 0,
        big_blind_ante=rng.choice((0, 0, big)),
        raises_per_player=rng.choice((None, None, 2)),
        minimum_raise=rng.choice(("standard", "acpc")),
        effective_raises=rng.random() < 0.3,
        free_fold=rng.random() < 0.2,
        heads_up=rng.choice(("standard", "pypokerengine")),
    )


def random_hand(seed: int) -> HoldemState:
    """A finished hand; `check_state` holds at every step."""
    rng = Random(seed)
    game = random_game(seed % 500)
    deepest = rng.choice((4, 20, 100, 1000))
    stacks = tuple(rng.randint(1, deepest) for _ in range(game.players))
    state = game.start(rng.randrange(game.players), stacks)
    while state.actor != TERMINAL:
        if len(state.hole) == game.players:
            check_state(state)
        state = state.apply(
            state.chance.sample(rng) if state.actor == CHANCE else random_action(state, rng)
        )
    check_state(state)
    return state


def check_state(state: HoldemState) -> None:
    """No chip appears or vanishes, no card twice, whoever is asked has something to decide."""
    betting = state.betting
    if state.actor >= 0:
        seat, legal = state.actor, state.actions
        assert betting.live >> seat & 1
        assert betting.stacks[seat] > 0
        assert betting.high == max(betting.bets)
        assert legal.check != (legal.call > 0)
        assert legal.call <= betting.stacks[seat]
        assert len(legal) > 1 or state.game.rules.free_fold
        if legal.max_raise:
            total = betting.bets[seat] + betting.stacks[seat]
            assert betting.high < legal.min_raise <= legal.max_raise <= total
        return
    start = state.table.stacks
    assert min(betting.stacks) >= 0
    assert min(betting.bets) >= 0
    assert all(now <= before for now, before in zip(betting.stacks, start, strict=True))
    assert all(bet <= paid for bet, paid in zip(betting.bets, state.paid, strict=True))
    assert state.pot == sum(state.paid) == sum(pot.chips for pot in state.pots)
    cards = [*state.board, *(card for hand in state.hole for card in hand)]
    assert len(set(cards)) == len(cards) == state.dealt.bit_count()
    assert sum(1 << card for card in cards) == state.dealt
    if state.actor == TERMINAL:
        assert sum(state.payoffs) == 0
        assert sum(state.winnings) == state.pot
        for won, paid in zip(state.payoffs, state.paid, strict=True):
            assert won >= -paid
