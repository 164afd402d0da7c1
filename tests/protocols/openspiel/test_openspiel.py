"""Our games, strategies and agents in OpenSpiel; its bots at our tables."""

import importlib
import re
import sys
from random import Random

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python.algorithms import cfr, exploitability, generate_playthrough  # noqa: E402
from open_spiel.python.algorithms.expected_game_score import policy_value  # noqa: E402
from open_spiel.python.rl_environment import Environment, ObservationType  # noqa: E402

from tiltless.agents.agent import Agent, Decision  # noqa: E402
from tiltless.agents.registry import make_agent, registered  # noqa: E402
from tiltless.arena.dealer import Seated, play_hand, shuffled_decks  # noqa: E402
from tiltless.arena.rulings import Ruling  # noqa: E402
from tiltless.errors import InputError, OptionError  # noqa: E402
from tiltless.games import CHANCE, TERMINAL, load  # noqa: E402
from tiltless.games.holdem.actions import FOLD, RaiseTo  # noqa: E402
from tiltless.protocols.adapter import RULINGS  # noqa: E402
from tiltless.protocols.openspiel import (  # noqa: E402
    AgentBot,
    AgentPolicy,
    BotAgent,
    StrategyPolicy,
    openspiel_game,
    openspiel_policy,
    spiel_game,
)
from tiltless.tabular.solver import Solver  # noqa: E402

GAMES = [
    "tiltless_kuhn(players=3)",
    "tiltless_leduc",
    "tiltless_leduc(players=3,rank_only=true,raise_sizes=1 3)",
    "tiltless_rps",
    "tiltless_bargaining(pie=3)",
    "tiltless_matrix(row=1 -1/-1 1)",
    "tiltless_nlhe",
    "tiltless_nlhe(seats=3,stack=20bb,blinds=1 2,actions=chips)",
    "tiltless_nlhe(seats=6,stack=50 40 30 20 10 9,actions=33%+75%+a)",
    "tiltless_limit_holdem",
    "tiltless_short_deck",
    "tiltless_toy_holdem",
    "tiltless_river_of_blood",
    "tiltless_permutation(ranks=42356789TJQKA)",
]


@pytest.fixture(scope="module")
def leduc():
    solver = Solver(load("leduc"), "dcfr")
    solver.run(50)
    return solver.strategy(), solver.distance()


@pytest.mark.parametrize("text", GAMES)
def test_its_own_tests_of_a_game(text):
    """Random games with clones, serialisation, legal actions, masks, tensors and returns."""
    game = pyspiel.load_game(text)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)
    assert pyspiel.load_game(str(game)).ours == game.ours


@pytest.mark.parametrize("text", ["tiltless_kuhn", "tiltless_leduc", "tiltless_nlhe"])
def test_its_playthrough(text):
    told = generate_playthrough.playthrough(text, None, seed=1)
    moves = [int(move) for move in re.findall("^action: (.*)$", told, re.MULTILINE)]
    assert generate_playthrough.playthrough(text, moves) == told.replace(", seed=1", "")
    state = pyspiel.load_game(text).new_initial_state()
    for move in moves:
        state.apply_action(move)
    *_, returns = re.findall(r"^Returns\(\) = \[(.*)\]$", told, re.MULTILINE)
    assert [float(each) for each in returns.split(",")] == list(state.ours.payoffs)


def test_every_registered_game_is_there():
    from tiltless.games.registry import registered

    names = {f"tiltless_{entry.name.replace('-', '_')}" for entry in registered()}
    assert names <= set(pyspiel.registered_names())


@pytest.mark.parametrize("text", GAMES)
def test_both_states_agree(text):
    """The same actors, actions and payoffs, and strings that tell infosets apart as ours do."""
    game, rng, numbers = pyspiel.load_game(text), Random(3), {}
    limits = game.min_utility(), game.max_utility()
    for _ in range(20):
        ours, theirs, drawn = game.ours.start(), game.new_initial_state(), ()
        while not theirs.is_terminal():
            if theirs.is_chance_node():
                assert ours.actor == CHANCE
                outcomes = theirs.chance_outcomes()
                assert sum(p for _, p in outcomes) == pytest.approx(1)
                number = rng.choice(outcomes)[0]
                theirs.apply_action(number)
                drawn = (*drawn, number)
                whole = getattr(ours.chance, "size", None)
                if whole is None or len(drawn) == whole:
                    ours = ours.apply(number if whole is None else drawn)
                    drawn = ()
                continue
            assert theirs.current_player() == ours.actor
            text_, key = theirs.information_state_string(), ours.infoset(ours.actor).key
            assert numbers.setdefault(key, text_) == text_
            number = rng.choice(theirs.legal_actions())
            words = theirs.action_to_string(number)
            action = game.ours.parse_action(words)
            assert action in ours.actions
            assert theirs.string_to_action(words) == number
            theirs.apply_action(number)
            ours = ours.apply(action)
        assert ours.actor == TERMINAL
        assert list(ours.payoffs) == theirs.returns()
        assert limits[0] <= min(theirs.returns()) <= max(theirs.returns()) <= limits[1]
    assert len(set(numbers.values())) == len(numbers)


@pytest.mark.parametrize(
    "text", ["(rank_only=true,raises=1)", pytest.param("", marks=pytest.mark.slow)]
)
def test_exploitability_is_ours(text):
    """Of a game of ours, which OpenSpiel traverses in Python: the smaller one has the same code."""
    game = pyspiel.load_game(f"tiltless_leduc{text}")
    solver = Solver(game.ours, "dcfr")
    solver.run(50)
    theirs = pyspiel.exploitability(game, openspiel_policy(solver.strategy(), game))
    assert theirs == pytest.approx(solver.distance(), abs=1e-9)


def test_exploitability_of_its_own_game_is_ours(leduc):
    strategy, ours = leduc
    assert len(openspiel_policy(strategy)) == 936
    own = pyspiel.exploitability(openspiel_game(strategy.game), openspiel_policy(strategy))
    assert own == pytest.approx(ours, abs=1e-9)


def test_strategies_are_policies():
    solver = Solver(load("kuhn"), "cfr+")
    solver.run(100)
    policy = StrategyPolicy(solver.strategy())
    value = policy_value(policy.game.new_initial_state(), [policy, policy])
    assert value == pytest.approx([-1 / 18, 1 / 18], abs=2e-3)
    nash = exploitability.nash_conv(policy.game, policy)
    assert nash / 2 == pytest.approx(solver.distance(), abs=1e-9)


def test_strategies_of_other_games_are_refused(leduc):
    strategy, _ = leduc
    with pytest.raises(OptionError, match="leduc"):
        openspiel_policy(strategy, pyspiel.load_game("tiltless_leduc(players=3)"))
    state = pyspiel.load_game("tiltless_kuhn").new_initial_state()
    with pytest.raises(OptionError, match="leduc"):
        StrategyPolicy(strategy).action_probabilities(state)
    with pytest.raises(OptionError, match="rps"):
        openspiel_game(load("rps"))


def test_its_algorithms_run_on_our_games():
    """CFR+ of OpenSpiel finds the value of Kuhn; its learning environment plays hold'em."""
    game = pyspiel.load_game("tiltless_kuhn")
    solver = cfr.CFRPlusSolver(game)
    for _ in range(50):
        solver.evaluate_and_update_policy()
    assert exploitability.exploitability(game, solver.average_policy()) < 0.02
    environment = Environment(
        pyspiel.load_game("tiltless_nlhe"), observation_type=ObservationType.OBSERVATION
    )
    step = environment.reset()
    while not step.last():
        player = step.observations["current_player"]
        step = environment.step([step.observations["legal_actions"][player][0]])
    assert sum(step.rewards) == 0


def test_hidden_ranks_are_refused():
    with pytest.raises(OptionError, match="ranks="):
        spiel_game(load("permutation"))


# Agents and bots.


def test_agents_are_bots():
    game = pyspiel.load_game("tiltless_nlhe(actions=chips)")
    bots = [AgentBot("all-in", 0), AgentBot("fish", 1)]
    for seed in range(5):
        won = pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)
        assert sum(won) == 0
        assert abs(won[0]) in (0, 200)
    assert not bots[0].faults
    assert not bots[1].faults


def test_openspiel_ends_a_game_with_an_illegal_or_failing_bot():
    """As the table of rulings says; so ours send nothing illegal, and fail by themselves."""

    class Bad(pyspiel.Bot):
        def __init__(self, answer):
            super().__init__()
            self.answer = answer

        def step(self, state):
            return self.answer() if callable(self.answer) else self.answer

    rulings = RULINGS["openspiel"]
    assert {rulings.illegal, rulings.garbled, rulings.lost} == {Ruling.END}
    game = pyspiel.load_game("tiltless_nlhe")
    for answer in (10**6, "all", lambda: 1 / 0):
        bots = [Bad(answer), AgentBot("fish", 1)]
        with pytest.raises((InputError, RuntimeError, ZeroDivisionError)):
            pyspiel.evaluate_bots(game.new_initial_state(), bots, 1)


class Odd(Agent):
    """Raises to 7, which no menu has; then crashes."""

    def __init__(self):
        self.hands = 0

    def hand_start(self, view):
        assert view.cards
        assert not view.board
        self.hands += 1

    def act(self, view, clock, rng):
        if view.street:
            raise RuntimeError("no idea")
        return Decision(RaiseTo(7) if view.min_raise and view.min_raise <= 7 else FOLD)


def test_raises_off_the_menu_and_faults():
    game = pyspiel.load_game("tiltless_nlhe(actions=100%+a)")
    odd, state = Odd(), game.new_initial_state()
    bot = AgentBot(odd, 0)
    for card in (0, 1, 2, 3):
        state.apply_action(card)
    number = bot.step(state)
    assert state.action_to_string(number) == "raise to 6"  # the pot, nearer than all-in
    for move in (number, 1, 8, 9, 10):
        state.apply_action(move)
    assert state.current_player() == 1
    state.apply_action(1)
    assert bot.step(state) == 1  # a check
    assert [fault.kind for fault in bot.faults] == ["crashed"]
    assert odd.hands == 1
    bot.restart()
    bot.step(game.new_initial_state().child(0).child(1).child(2).child(3))
    assert odd.hands == 2
    with pytest.raises(OptionError, match="hold'em"):
        bot.step(pyspiel.load_game("kuhn_poker").new_initial_state())


def test_a_known_strategy_is_a_policy():
    game = pyspiel.load_game("tiltless_nlhe(actions=hundred)")
    policy = AgentPolicy("blueprint", game)
    state = game.new_initial_state()
    for card in (51, 50, 0, 21):  # aces against a bad hand
        state.apply_action(card)
    found = policy.action_probabilities(state)
    assert sorted(found) == state.legal_actions()
    assert sum(found.values()) == pytest.approx(1)
    assert found[0] == 0
    assert sum(found[number] for number in found if number > 1) > 0.5
    ours = policy.agent.policies(state.ours.view(0))
    assert found[1] == pytest.approx(float(ours.chances[-1, 1]), abs=1e-6)
    with pytest.raises(OptionError, match="AgentBot"):
        AgentPolicy("rules", game)


def play(text, hands=20, seats=2):
    game = load("nlhe", seats=seats)
    agent = make_agent(text, trusted=True)
    others = [Seated(make_agent("rules")) for _ in range(seats - 1)]
    played = []
    for deal in range(hands):
        deck = shuffled_decks(game, 1, deal, 1)[0].tolist()
        played.append(
            play_hand(game, [Seated(agent), *others], deck, deal=deal, button=deal % seats)
        )
    assert not any(hand.faults for hand in played)
    return [hand.payoffs for hand in played]


def test_bots_play_in_our_arena():
    found = play("openspiel:bot=uniform_random")
    assert found == play("openspiel:bot=uniform_random")
    assert len({won for won, _ in found}) > 3
    assert len(play("openspiel:bot=uniform_random", 4, seats=4)) == 4


class Peeker(pyspiel.Bot):
    """Remembers the cards it was shown, and calls."""

    seen = []  # noqa: RUF012
    told = []  # noqa: RUF012

    def step(self, state):
        self.seen.append(state.ours.hole)
        return 1

    def inform_action(self, state, player, action):
        self.told.append((player, state.action_to_string(action)))


def test_bots_see_no_hidden_cards(monkeypatch):
    made = []

    def maker(game, player, seed):
        made.append(Peeker())
        return made[-1]

    agent = BotAgent("uniform_random")
    monkeypatch.setattr(agent, "_maker", maker)
    game = load("nlhe")
    deck = shuffled_decks(game, 1, 0, 1)[0].tolist()
    seats = [Seated(agent), Seated(make_agent("probe-pot"))]
    hand = play_hand(game, seats, deck)
    own, other = hand.final.hole
    shown = [hole[1] for hole in Peeker.seen]
    assert {hole[0] for hole in Peeker.seen} == {own}
    assert len(shown) >= 3
    assert len(set(shown)) > 1  # drawn anew
    assert other not in shown
    taken = [action for _, seat, action in hand.decisions if seat == 1]
    assert Peeker.told == [(1, str(action)) for action in taken[: len(Peeker.told)]]
    assert len(Peeker.told) >= 3


def test_bots_that_do_not_exist():
    with pytest.raises(OptionError, match="uniform_random"):
        BotAgent("uniform_randm")
    for wrong in ({}, {"bot": "uniform_random", "class_": "x:y"}):
        with pytest.raises(OptionError, match="one bot"):
            BotAgent(**wrong)
    assert "openspiel" in {entry.name for entry in registered()}


def test_without_openspiel_one_line_says_so(monkeypatch):
    for name in list(sys.modules):
        if name.startswith("tiltless.protocols.openspiel"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(OptionError, match="interop"):
        importlib.import_module("tiltless.protocols.openspiel")


def test_tensors_are_what_the_player_knows():
    """Of small games tensors tell all infosets apart; of hold'em they are observations."""
    rng, tensors = np.random.default_rng(1), {}
    game = pyspiel.load_game("tiltless_leduc")
    for _ in range(100):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(int(rng.choice([a for a, _ in state.chance_outcomes()])))
                continue
            tensor = tuple(state.information_state_tensor())
            key = state.information_state_string()
            assert tensors.setdefault(tensor, key) == key
            state.apply_action(int(rng.choice(state.legal_actions())))
    assert len(tensors) == len(set(tensors.values()))
    holdem = pyspiel.load_game("tiltless_nlhe")
    assert not holdem.get_type().provides_information_state_tensor
    assert len(holdem.new_initial_state().observation_tensor(0)) == 138
