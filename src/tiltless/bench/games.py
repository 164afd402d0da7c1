"""Benchmark of games: the Python rules engine beside pokerkit and PyPokerEngine, playouts."""

import random
from typing import Any

from tiltless.bench import Result
from tiltless.bench.measuring.timing import best_seconds, rates_in_turns
from tiltless.blueprint.simulate.playout import play
from tiltless.blueprint.tree import betting_tree
from tiltless.games import CHANCE, TERMINAL, load
from tiltless.games.holdem.actions import CALL, CHECK
from tiltless.games.holdem.game import Holdem
from tiltless.tabular.flat import flatten

__all__ = ["run"]


def run() -> Result:
    """Heads-up, both players check or call to the end, one thread."""
    players = {
        "": (_ours, 1000),
        "pokerkit_": (_pokerkit, 20),
        "pypokerengine_": (_pypokerengine, 40),
    }
    result: Result = {
        f"{name}decisions_per_s": rate for name, rate in rates_in_turns(players).items()
    }
    for peer in ("pokerkit", "pypokerengine"):
        theirs = result[f"{peer}_decisions_per_s"]
        if isinstance(theirs, float) and isinstance(result["decisions_per_s"], float):
            result[f"against_{peer}"] = result["decisions_per_s"] / theirs
    leduc = load("leduc")
    result["flatten_leduc_s"] = best_seconds(lambda: flatten(leduc))
    return result | _playouts()


def _playouts(hands: int = 2_000_000) -> Result:
    """A heads-up no-limit tree, 100 big blinds, two sizes and all-in; uniform play, one thread."""
    game, menu = load("nlhe", stack="100bb"), "50%, 100%, a"
    assert isinstance(game, Holdem)
    tree = betting_tree(game, menu)
    return {
        "betting_tree_nodes": float(tree.size.nodes),
        "betting_tree_s": best_seconds(lambda: betting_tree(game, menu), 3),
        "playouts_per_s": hands / best_seconds(lambda: play(tree, hands), 3),
    }


def _ours(hands: int) -> int:
    """Plays hands and pays them out, as the peers do: payoffs are computed only when asked for."""
    game, rng, decisions = load("nlhe", stack="100bb"), random.Random(1), 0
    for _ in range(hands):
        state = game.start()
        while state.actor != TERMINAL:
            if state.actor == CHANCE:
                state = state.apply(state.chance.sample(rng))  # type: ignore[union-attr]
            else:
                actions: Any = state.actions
                state = state.apply(CHECK if actions.check else CALL)
                decisions += 1
        assert sum(state.payoffs) == 0
    return decisions


def _pokerkit(hands: int) -> int:
    from pokerkit import Automation, NoLimitTexasHoldem

    decisions = 0
    for _ in range(hands):
        state = NoLimitTexasHoldem.create_state(tuple(Automation), True, 0, (1, 2), 2, 200, 2)
        while state.status:
            state.check_or_call()
            decisions += 1
    return decisions


def _pypokerengine(hands: int) -> int:
    from pypokerengine.api.game import setup_config, start_poker
    from pypokerengine.players import BasePokerPlayer

    decisions = 0

    class Caller(BasePokerPlayer):  # type: ignore[misc]
        def declare_action(self, valid_actions: Any, hole_card: Any, round_state: Any) -> Any:
            nonlocal decisions
            decisions += 1
            return "call", valid_actions[1]["amount"]

        def _ignore(self, *_: Any) -> None:
            pass

        receive_game_start_message = _ignore
        receive_round_start_message = _ignore
        receive_street_start_message = _ignore
        receive_game_update_message = _ignore
        receive_round_result_message = _ignore

    config = setup_config(max_round=hands, initial_stack=1_000_000, small_blind_amount=1)
    for name in "AB":
        config.register_player(name=name, algorithm=Caller())
    start_poker(config, verbose=0)
    return decisions
