"""Views give agents no access to hidden cards, in any game and any hook."""

import gc
from types import FunctionType, ModuleType

import pytest

from helpers.six_report import policy_of
from helpers.small_six import random_model
from helpers.toy_river_of_blood import save_toy
from tiltless.agents.agent import Agent
from tiltless.agents.registry import make_agent, registered
from tiltless.arena.dealer import Seated, play_hand, shuffled_decks
from tiltless.cards.card import CLASS_NAMES, DECK_SIZE
from tiltless.experiments.thesis.csv_export import HEADER
from tiltless.games import load
from tiltless.games import registered as games
from tiltless.games.holdem.game import Holdem

FORBIDDEN = {"HoldemState", "Holdem", "Table", "Deal", "HandRecord", "HiddenRanks", "Seated"}
GAMES = [
    game
    for entry in games()
    for example in entry.examples
    if isinstance(game := load(entry.name, **example), Holdem)
]
FISH = "class=examples.players.fish_player:FishPlayer"
OPTIONS = {"pypokerengine": FISH, "cfr-v1": "file=TOY", "cfr-v2": "file=TOY,rollouts=200"}
OPTIONS |= {"search": "iterations=8,turn=75%+a/a,river=75%+a/a", "endgame": "agent=uniform,hands=2"}
OPTIONS["river-of-blood"] = "file=BLOOD,iterations=8,total=0"
OPTIONS["calling-station"] = "file=BLOOD"
HOME = {"river-of-blood": "river-of-blood", "calling-station": "river-of-blood"}
OPTIONS |= {"libratus-fan-club": "file=hundred", "permutation": "samples=3", "six": "file=SIX"}
OPTIONS["openspiel"] = "bot=uniform_random"
OPTIONS["six-report"] = "file=REPORT,rollouts=10"
PLAYERS = [entry.name for entry in registered()]


@pytest.fixture(scope="module")
def agent_of(tmp_path_factory):
    """A maker of agents by name; the thesis' ones get a table of three histories."""
    toy = tmp_path_factory.mktemp("toy") / "toy.csv"
    blood = save_toy(toy.with_name("blood.safetensors"))
    six = toy.with_name("six.safetensors")
    random_model().save(six)
    policy_of({(0, "p4 BIGBLIND"): (1, 0.0)}).save(toy.with_name("V2.safetensors"))
    sets = [f"{name}{told}" for name in CLASS_NAMES for told in ("", " r", " c")]
    rows = [f'{each},"[0.20,0.50,0.30]"' for each in sets]
    toy.write_text("\n".join([HEADER, *rows, ""]))

    def make(name):
        if name == "openspiel":
            pytest.importorskip("pyspiel")
        if name == "pypokerengine":
            pytest.importorskip("pypokerengine")
        text = f"{name}:{OPTIONS.get(name, '')}".rstrip(":")
        text = text.replace("TOY", str(toy)).replace("BLOOD", str(blood))
        text = text.replace("SIX", str(six)).replace("REPORT", str(toy.parent))
        return make_agent(text, trusted=True)

    return make


class Watched(Agent):
    """Lets an agent play, and keeps all that it was given."""

    def __init__(self, agent):
        self.agent, self.given = agent, []

    def act(self, view, clock, rng):
        self.given.append(("act", (view, clock, rng.word)))
        return self.agent.act(view, clock, rng)

    def hand_start(self, view):
        self.given.append(("hand_start", (view,)))
        self.agent.hand_start(view)

    def showdown(self, view):
        self.given.append(("showdown", (view,)))
        self.agent.showdown(view)

    def hand_end(self, view):
        self.given.append(("hand_end", (view,)))
        self.agent.hand_end(view)


def reachable(thing, seen):
    """Everything that attributes, items and the collector lead to, classes and modules apart."""
    stack = [thing]
    while stack:
        thing = stack.pop()
        if id(thing) in seen or isinstance(thing, type | ModuleType | FunctionType):
            continue
        seen[id(thing)] = thing
        if isinstance(thing, str | int | float | bool | None):
            continue
        names = [name for name in dir(thing) if not name.startswith("__")]
        parts = [getattr(thing, name, None) for name in names]
        stack += [part for part in [*parts, *gc.get_referents(thing)] if not callable(part)]


def hands_in(seen, size):
    """Tuples that could be hole cards."""
    return {
        each
        for each in seen.values()
        if type(each) is tuple
        and len(each) == size
        and all(type(card) is int and 0 <= card < DECK_SIZE for card in each)
    }


def play(game, agents, deal, ranks_from=0):
    watched = [Watched(agent) for agent in agents]
    deck = shuffled_decks(game, 5, deal, 1)[0].tolist()
    seats = [Seated(each) for each in watched]
    return watched, play_hand(game, seats, deck, seed=5, deal=deal, button=deal % game.players)


def check(watched, played, *, walk):
    final = played.final
    shown = {seat for seat, _ in final.shown}
    for seat, agent in enumerate(watched):
        hidden = {
            final.hole[other]
            for other in range(len(watched))
            if other != seat and other not in shown
        }
        before_the_end = {final.hole[other] for other in range(len(watched)) if other != seat}
        for what, given in agent.given:
            view = given[0]
            assert view.seat == seat
            assert view.cards == final.hole[seat]
            over = what in ("showdown", "hand_end")
            secret = hidden if over else before_the_end
            assert view.board == final.board[: len(view.board)]
            if not over:
                assert view.payoffs is None
                assert view.shown == ()
                assert len(view.moves) < len(final.moves) or final.moves == view.moves
            text = repr((view, view.events))
            assert not any(repr(cards) in text for cards in secret)
            if final.ranks:
                assert final.ranks not in text
            if not walk:
                continue
            seen = {}
            for part in given:
                reachable(part, seen)
            assert not {type(each).__name__ for each in seen.values()} & FORBIDDEN
            assert not any(each == final.ranks for each in seen.values() if final.ranks)
            # a bet of 33 and a stack of 12 look like two cards: those of the chips are no leak
            public = hands_in({0: view.stacks, 1: view.bets, 2: view.paid}, 2)
            assert not (hands_in(seen, len(final.hole[0])) & secret) - public


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.name}-{game.players}")
def test_in_every_game(game):
    for deal in range(6):
        agents = [make_agent("uniform") for _ in range(game.players)]
        check(*play(game, agents, deal), walk=deal < 2)


@pytest.mark.parametrize("name", PLAYERS)
def test_to_every_agent_in_every_game(name, agent_of):
    """Also where it does not know the game, and fails; in its own game, all that is reachable."""
    for game in GAMES:
        seats = (3, 4) if name == "six" else (2,)
        at_home = game.name == HOME.get(name, "nlhe") and game.players in seats
        for deal in range(3 if at_home else 1):
            others = [make_agent("uniform") for _ in range(game.players - 1)]
            watched, played = play(game, [agent_of(name), *others], deal)
            check(watched, played, walk=at_home and deal < 1)
            if at_home:
                assert not played.faults


def test_a_leak_would_be_found():
    game = load("nlhe")
    watched, played = play(game, [make_agent("fish"), make_agent("fish")], 0)
    watched[0].given[1] = ("act", (played.final.view(0), played.final))
    with pytest.raises(AssertionError):
        check(watched, played, walk=True)


@pytest.mark.parametrize("name", PLAYERS)
def test_decisions_do_not_depend_on_hidden_cards(name, agent_of):
    """With the same public history and hole cards, the opponent's cards do not change the move."""
    for game, deal in [(GAMES[0], deal) for deal in range(3)] + [(game, 6) for game in GAMES[1:]]:
        deck = shuffled_decks(game, 9, deal, 1)[0].tolist()
        other = deck[:2] + deck[-2:] + deck[4:-2] + deck[2:4]
        moves = []
        for cards in (deck, other):
            fish = [make_agent("fish") for _ in range(game.players - 1)]
            seats = [Seated(agent) for agent in (agent_of(name), *fish)]
            final = play_hand(game, seats, cards, seed=9, deal=deal, button=0).final
            assert final.hole[0] == tuple(sorted(deck[:2], reverse=True))
            assert final.hole[1] == tuple(sorted(cards[2:4], reverse=True))
            moves.append(final.moves)
        assert moves[0] == moves[1]
