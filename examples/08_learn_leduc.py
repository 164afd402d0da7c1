"""A learner at our tables: tabular Q-learning in Leduc, through the interface of Gymnasium.

Run it: python examples/08_learn_leduc.py (needs the extra env: pip install 'tiltless[env]')

The opponent plays every action equally often, so what a best response wins is known exactly, and
so is what the learner's greedy play wins: how much is still missing needs no samples.
"""

from collections import defaultdict
from random import Random

import numpy as np

from tiltless.games.game import CHANCE, TERMINAL
from tiltless.protocols.environments.single import LEARNER, OneSeatEnv
from tiltless.tabular.best_response import evaluate_profile
from tiltless.tabular.flat import flatten
from tiltless.tabular.strategy import Strategy

EXPLORE = 0.2


class Learner:
    """Q-learning with a table: the key of a row is the observation."""

    def __init__(self, actions, seed):
        self.values = defaultdict(lambda: np.zeros(actions))
        self.visits = defaultdict(lambda: np.zeros(actions))
        self.rng = Random(seed)

    def best(self, observation, mask):
        """The legal action with the highest value."""
        return int(np.where(mask, self.values[observation.tobytes()], -np.inf).argmax())

    def play(self, env):
        """A hand, and what is learnt from it, from its end to its start."""
        observation, info = env.reset()
        past, over = [], False
        while not over:
            mask = info["action_mask"]
            explores = self.rng.random() < EXPLORE
            action = (
                self.rng.choice(np.flatnonzero(mask).tolist())
                if explores
                else self.best(observation, mask)
            )
            past.append((observation.tobytes(), mask, action))
            observation, reward, over, _, info = env.step(action)
        target = reward
        for key, mask, action in reversed(past):
            self.visits[key][action] += 1
            change = target - self.values[key][action]
            self.values[key][action] += change / self.visits[key][action] ** 0.75
            target = self.values[key][mask > 0].max()


def exact_value(env, learner, state=None):
    """What greedy play wins a hand on average, by every history of the game."""
    state = env.game.start() if state is None else state
    if state.actor == TERMINAL:
        return state.payoffs[LEARNER]
    if state.actor == CHANCE:
        return sum(
            chance * exact_value(env, learner, state.apply(outcome))
            for outcome, chance in state.chance.outcomes()
        )
    if state.actor == LEARNER:
        env.table.state = state
        number = learner.best(env.table.observation(LEARNER), env.table.mask(LEARNER))
        return exact_value(env, learner, state.apply(env.table.numbers.action(state, number)))
    values = [exact_value(env, learner, state.apply(action)) for action in state.actions]
    return sum(values) / len(values)


def main(hands=60_000):
    """Learns, and prints what greedy play wins beside a best response."""
    env = OneSeatEnv("leduc", opponents="uniform")
    env.reset(seed=1)
    uniform = Strategy.uniform(flatten(env.game))
    before, most = (values[LEARNER] for values in evaluate_profile(uniform)[:2])
    print(f"uniform play {before:+.3f} chips a hand, best response {most:+.3f}")
    learner = Learner(env.action_space.n, seed=1)
    for hand in range(1, hands + 1):
        learner.play(env)
        if hand % (hands // 4) == 0:
            value = exact_value(env, learner)
            print(f"{hand:>7,} hands: {value:+.3f}, {len(learner.values)} observations")
    return value, most


if __name__ == "__main__":
    main()
