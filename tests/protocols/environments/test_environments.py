"""The environments pass the tests of PettingZoo and Gymnasium, and pay what was won."""

import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
pettingzoo = pytest.importorskip("pettingzoo")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from pettingzoo.test import api_test, seed_test  # noqa: E402

from tiltless.errors import OptionError  # noqa: E402
from tiltless.games import load  # noqa: E402
from tiltless.games.registry import registered  # noqa: E402
from tiltless.protocols.environments.aec import TableEnv  # noqa: E402
from tiltless.protocols.environments.single import OneSeatEnv  # noqa: E402
from tiltless.tabular.flat import flatten  # noqa: E402
from tiltless.tabular.strategy import Strategy  # noqa: E402

HOLDEM = ("limit-holdem", "short-deck", "toy-holdem", "river-of-blood", "permutation")
GAMES = [
    *({"game": "nlhe", "seats": seats, "stack": "20bb"} for seats in range(2, 7)),
    *({"game": game, "seats": seats} for game in HOLDEM for seats in range(2, 7)),
    *({"game": game, "players": n} for game in ("kuhn", "leduc") for n in range(2, 7)),
    *({"game": "nlhe", "actions": "chips", "stack": "20bb", "seats": n} for n in (2, 6)),
    {"game": "rps"},
    {"game": "bargaining", "pie": 4},
    {"game": "matrix", "row": ((1, -1), (-1, 1))},
]


def test_every_game_of_the_registry_is_tried():
    assert {each["game"] for each in GAMES} == {entry.name for entry in registered()}


@pytest.mark.parametrize("options", GAMES, ids=str)
def test_pettingzoo_accepts_it(options, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it would rather have no dict
        api_test(TableEnv(**options), num_cycles=20)
        seed_test(lambda: TableEnv(**options), num_cycles=10)


@pytest.mark.parametrize("actions", ["", "chips"])
def test_hands_pay_what_was_won(actions):
    """Everybody calls: the same payoffs as the readable hand, and the button moves."""
    env, buttons = TableEnv("nlhe", actions, seats=3, stack=50, render_mode="ansi"), []
    for _ in range(6):
        env.reset(seed=None if buttons else 7)
        won = {}
        for agent in env.agent_iter():
            _, reward, done, _, _ = env.last()
            if done:
                won[agent] = reward
            env.step(None if done else 1)
        assert [won[f"seat_{seat}"] for seat in range(3)] == list(env.table.state.payoffs)
        assert len(env.render().splitlines()) == 3
        buttons.append(env.table.state.button)
    assert buttons == [0, 1, 2, 0, 1, 2]


def test_illegal_actions_are_ruled_on():
    env = TableEnv("nlhe", "100%, a", stack=3, short_stacks=True)
    env.reset(seed=1)
    env.step(3)  # all-in
    agent = env.agent_selection
    assert env.last()[0]["action_mask"].tolist() == [1, 1, 0, 0]
    env.step(2)
    assert env.infos[agent] == {"illegal": True}
    assert env.rewards[agent] == -2  # folded the big blind
    with pytest.raises(OptionError, match="0 to 3"):
        TableEnv("nlhe", "100%, a").table.act(4)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"seats": 4, "opponents": ["rules", "fish"]},
        *({"seats": seats, "opponents": "fish"} for seats in (3, 5, 6)),
        {"game": "river-of-blood", "opponents": "fish"},
        {"game": "leduc", "opponents": "uniform"},
        {"actions": "chips", "opponents": "all-in"},
    ],
    ids=str,
)
def test_gymnasium_accepts_it(options):
    env = OneSeatEnv(**options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # chips have no upper limit
        check_env(env, skip_render_check=True)
    assert not env.faults


def test_one_seat_against_agents():
    env = gymnasium.make(
        "tiltless.protocols.environments.single:tiltless/OneSeat-v0",
        opponents="fish",
        disable_env_checker=True,
    )
    won = []
    for hand in range(200):
        env.reset(seed=None if hand else 1)
        _, reward, done, _, info = env.step(4)  # all-in, and the fish calls
        assert done
        assert not info["action_mask"].any()
        won.append(reward)
    assert set(won) <= {-200.0, 0.0, 200.0}
    assert len(set(won)) >= 2


def test_hands_without_a_decision_are_counted():
    """Before the flop the folder gives up its small blind, which nobody has to decide."""
    env = OneSeatEnv("nlhe", opponents="fold")
    _, info = env.reset(seed=1)
    assert "undecided" not in info  # the learner has the button
    env.step(0)
    _, info = env.reset()
    assert info["undecided"] == 1.0


def test_one_seat_against_a_strategy():
    strategy = Strategy.uniform(flatten(load("kuhn")))
    env = OneSeatEnv("kuhn", opponents=[strategy])
    rewards = []
    for hand in range(400):
        _, _ = env.reset(seed=None if hand else 1)
        done = False
        while not done:
            _, reward, done, _, _ = env.step(1)  # bets and calls
        rewards.append(reward)
    assert np.mean(rewards) == pytest.approx(0.5, abs=0.3)  # half of the bets are folded to


def test_what_does_not_fit_is_refused():
    for make in (
        lambda: TableEnv("nlhe", seats=7),
        lambda: TableEnv(load("nlhe"), seats=2),
        lambda: TableEnv("kuhn", "chips"),
        lambda: TableEnv("nlhe", render_mode="human"),
        lambda: OneSeatEnv("kuhn", opponents="rules"),
        lambda: OneSeatEnv("nlhe", opponents=["fish", "fish"]),
        lambda: OneSeatEnv("leduc", opponents=[Strategy.uniform(flatten(load("kuhn")))]),
    ):
        with pytest.raises(OptionError):
            make()
