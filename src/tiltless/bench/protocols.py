"""Benchmark of protocols: environments beside RLCard's in the same run, and reviews of hands.

No-limit hold'em for two with 50 big blinds, half the pot, the pot and all-in: the game and the
actions of RLCard's ``no-limit-holdem``. Everybody plays uniformly among the legal actions; each
decision has an observation and its legal actions, each hand its payoffs.
"""

import random
from functools import cache
from typing import Any

import numpy as np

from tiltless.bench import Result
from tiltless.bench.measuring.timing import rates_in_turns
from tiltless.bench.review import review_speed
from tiltless.errors import OptionError
from tiltless.protocols.environments.vector import VectorTables

__all__ = ["TABLES", "environment_speed", "run"]

TABLES = 1024
_GAME: dict[str, Any] = {"game": "nlhe", "actions": "50%, 100%, a", "seats": 2, "stack": "50bb"}


def run() -> Result:
    """All figures."""
    return environment_speed() | review_speed()


def environment_speed(rounds: int = 12) -> Result:
    """Decisions per second of one environment, of many tables and of RLCard, one thread each."""
    players = {
        "env": (_pettingzoo, 1000),
        "rlcard": (_rlcard, 100),
        "vector_env": (_vector, 1000),
    }
    rates = rates_in_turns(players, rounds)
    result: Result = {f"{name}_decisions_per_s": rate for name, rate in rates.items()}
    theirs = rates["rlcard"]
    for name in ("env", "vector_env"):
        ours = rates[name]
        if ours is not None and theirs is not None:
            result[f"{name}_against_rlcard"] = ours / theirs
    return result


@cache
def _table_env() -> Any:
    try:
        from tiltless.protocols.environments.aec import TableEnv
    except OptionError as missing:
        raise ImportError(str(missing)) from None
    return TableEnv(**_GAME)


def _pettingzoo(hands: int) -> int:
    """PettingZoo's usual loop, with a last step of each agent after its hand."""
    env, rng, decisions = _table_env(), random.Random(1), 0
    for hand in range(hands):
        env.reset(seed=None if hand else 1)
        won = 0.0
        for _ in env.agent_iter():
            observation, reward, over, _, _ = env.last()
            if over:
                won += reward
                env.step(None)
            else:
                env.step(rng.choice(np.flatnonzero(observation["action_mask"])))
                decisions += 1
        assert won == 0
    return decisions


def _rlcard(hands: int) -> int:
    import rlcard

    env, rng, decisions = rlcard.make("no-limit-holdem", {"seed": 1}), random.Random(1), 0
    for _ in range(hands):
        state, _ = env.reset()
        while not env.is_over():
            state, _ = env.step(rng.choice(list(state["legal_actions"])))
            decisions += 1
        assert sum(env.get_payoffs()) == 0
    return decisions


@cache
def _tables() -> VectorTables:
    return VectorTables(**_GAME, tables=TABLES)


def _vector(steps: int) -> int:
    """Every table takes a step at once."""
    tables, rng, won = _tables(), np.random.default_rng(1), 0
    tables.reset(1)
    for _ in range(steps):
        tickets = tables.masks - rng.random(tables.masks.shape, np.float32)  # legal: above 0
        _, payoffs = tables.step(tickets.argmax(axis=1))
        won += int(payoffs.sum())
    assert won == 0
    return steps * TABLES
