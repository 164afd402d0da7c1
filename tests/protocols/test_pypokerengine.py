"""Our agents in PyPokerEngine, its players in our arena; messages and views say the same."""

import copy
import random

import pytest

pytest.importorskip("pypokerengine", reason="PyPokerEngine is not installed (extra interop)")

from examples.players.fish_player import FishPlayer
from examples.players.random_player import RandomPlayer
from pypokerengine.api.game import setup_config, start_poker
from pypokerengine.utils.card_utils import estimate_hole_card_win_rate, gen_cards

from helpers.mutation import torn
from protocols.fork_players import ForkBase
from tiltless.agents import Agent, Clock, Decision, make_agent
from tiltless.arena import Seated, play_hand, shuffled_decks
from tiltless.arena.rulings import Ruling
from tiltless.errors import InputError, OptionError
from tiltless.games import load
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.holdem.events import Acted, Won
from tiltless.protocols.adapter import RULINGS, Adapter, FakePeer
from tiltless.protocols.pypokerengine import Guest, Visitor, visitor_class
from tiltless.protocols.pypokerengine.dialect import EngineDialect, EngineMessage
from tiltless.protocols.pypokerengine.messages import (
    read_answer,
    round_state,
    their_card,
    valid_actions,
)
from tiltless.protocols.pypokerengine.view import engine_game, view_of_round
from tiltless.seeding import SeededRandom

FISH = "pypokerengine:class=examples.players.fish_player:FishPlayer"
RANDOM = "pypokerengine:class=examples.players.random_player:RandomPlayer"
THESIS = {"stack": 1000, "blinds": (5, 10), "free_fold": True, "heads_up": "pypokerengine"}


class Recorder(RandomPlayer):
    """Calls or plays at random, and records its questions."""

    def __init__(self, seen):
        super().__init__()
        self.seen = seen

    def declare_action(self, valid_actions, hole_card, round_state):
        self.seen.append((self.uuid, valid_actions, hole_card, round_state))
        if random.random() < 0.5:
            return "call", valid_actions[1]["amount"]
        return super().declare_action(valid_actions, hole_card, round_state)


def play_there(players, rounds, stack=200, ante=0):
    config = setup_config(max_round=rounds, initial_stack=stack, small_blind_amount=5, ante=ante)
    for number, player in enumerate(players):
        config.register_player(f"p{number}", player)
    return [seat["stack"] for seat in start_poker(config, verbose=0)["players"]]


@pytest.fixture(scope="module")
def asked():
    """Positions of their engine: two, three and five players, stacks that carry over."""
    before = random.getstate()
    random.seed(1)
    seen = []
    for players in (2, 3, 5):
        for _ in range(10):
            play_there([Recorder(seen) for _ in range(players)], rounds=8)
    random.setstate(before)
    return seen


def dealt_in(state):
    acted = {line["uuid"] for lines in state["action_histories"].values() for line in lines}
    return [seat for seat in state["seats"] if seat["state"] != "folded" or seat["uuid"] in acted]


def renamed(thing, names):
    """A message with our names for players, and without theirs."""
    if isinstance(thing, dict):
        return {key: renamed(each, names) for key, each in thing.items() if key != "name"}
    if isinstance(thing, list):
        return [renamed(each, names) for each in thing]
    return names.get(thing, thing) if isinstance(thing, str) else thing


def test_messages_survive_the_way_to_a_view_and_back(asked):
    compared = 0
    for uuid, actions, cards, state in asked:
        view = view_of_round(state, uuid, cards, actions)
        dealt = dealt_in(state)
        if 0 in view.opening.stacks:
            continue  # all-in by a blind: theirs asks that player, and only then says so
        names = {seat["uuid"]: f"seat-{place}" for place, seat in enumerate(dealt)}
        theirs = renamed({**state, "seats": dealt}, names)
        ours = renamed(round_state(view, state["round_count"]), names)
        if len(dealt) < len(state["seats"]):  # seats are counted without those who are out
            for place in ("dealer_btn", "next_player", "small_blind_pos", "big_blind_pos"):
                theirs.pop(place), ours.pop(place)
        assert ours == theirs
        assert valid_actions(view) == actions
        compared += 1
    assert compared > 500
    assert {state["street"] for *_, state in asked} == {"preflop", "flop", "turn", "river"}


def test_a_view_from_messages_is_sound(asked):
    for uuid, actions, cards, state in asked:
        view = view_of_round(state, uuid, cards, actions)
        assert view.actor == view.seat
        assert len(view.cards) == 2
        assert view.pot == state["pot"]["main"]["amount"] + sum(
            side["amount"] for side in state["pot"]["side"]
        )
        assert sum(view.starting_stacks) == view.pot + sum(view.stacks)
        lines = [line for lines in state["action_histories"].values() for line in lines]
        acted = [line for line in lines if "BLIND" not in line["action"]]
        told = [event for event in view.events if isinstance(event, Acted)]
        states = {seat["state"] for seat in state["seats"]}
        if 0 not in view.opening.stacks and "allin" not in states:
            assert len(told) == len(acted)
            assert [event.chips for event in told] == [line.get("paid", 0) for line in acted]


def test_with_antes_a_skipped_big_blind_does_no_harm():
    seen = []
    random.seed(2)
    play_there([Recorder(seen) for _ in range(3)], rounds=20, stack=2000, ante=2)
    views = [view_of_round(state, uuid, cards, actions) for uuid, actions, cards, state in seen]
    assert all(view.rules.ante == 2 and view.events for view in views)
    assert any(view.street for view in views)


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6, 10])
def test_our_agents_play_in_their_engine(players):
    random.seed(players)
    texts = ("uniform", "fish", "rules:rollouts=20", "monte-carlo:rollouts=20", "heuristic-1")
    visitors = [Visitor(text, seed=7) for text in texts[: max(2, players // 2)]]
    others = [RandomPlayer() for _ in range(players - len(visitors))]
    stacks = play_there([*visitors, *others], 30, 5000)
    assert sum(stacks) <= 5000 * players  # their engine loses odd chips and short stacks
    assert sum(stacks) > 4900 * players
    assert not any(visitor.faults for visitor in visitors)


class Witness(Agent):
    """Checks the order and the views of hooks."""

    def __init__(self):
        self.calls, self.won = [], 0

    def match_start(self):
        self.calls.append("match")

    def hand_start(self, view):
        assert view.cards
        assert not view.is_over
        self.calls.append("start")

    def hand_end(self, view):
        assert view.is_over
        self.won += view.payoffs[view.seat]
        winners = [event.seat for event in view.events if isinstance(event, Won)]
        assert winners
        self.calls.append("end")

    def act(self, view, clock, rng):
        assert self.calls[-1] == "start"
        raises = view.actions.max_raise and rng.random() < 0.3
        return Decision(RaiseTo(view.actions.min_raise) if raises else view.actions[1])


def test_hooks_of_an_agent_in_their_engine():
    random.seed(3)
    witness = Witness()
    visitor = Visitor(witness)
    stacks = play_there([visitor, Recorder([])], rounds=12, stack=3000)
    assert not visitor.faults
    assert witness.calls[0] == "match"
    assert witness.calls[1:] == ["start", "end"] * (len(witness.calls) // 2)
    assert witness.won == stacks[0] - 3000


class Broken(Agent):
    def act(self, view, clock, rng):
        if view.street:
            raise RuntimeError("lost")
        return Decision(RaiseTo(10**6))


def test_a_broken_agent_is_ruled_on_in_their_engine():
    random.seed(3)
    visitor = Visitor(Broken())
    play_there([visitor, FishPlayer()], rounds=4)
    assert {fault.kind for fault in visitor.faults} == {"crashed", "illegal"}


class Taped(Visitor):
    """Records every message and every answer."""

    def __init__(self, agent, seed=0):
        super().__init__(agent, seed)
        self.messages, self.answers = [], []

    def _receive(self, what, *arguments):
        self.messages.append(copy.deepcopy(EngineMessage(self.uuid, what, arguments)))
        answer = super()._receive(what, *arguments)
        self.answers += [] if answer is None else [answer]
        return answer


@pytest.fixture(scope="module")
def tape():
    """Messages of a game in the real engine, and the answers of ``uniform`` with seed 7."""
    before = random.getstate()
    random.seed(9)
    taped = Taped("uniform", seed=7)
    play_there([taped, FishPlayer(), RandomPlayer()], rounds=12, stack=2000)
    random.setstate(before)
    assert taped.faults == []
    assert len(taped.answers) > 10
    return taped


def test_a_fake_peer_replays_a_game_of_the_engine(tape):
    adapter = Adapter(EngineDialect(), "uniform", seed=7)
    assert FakePeer(tape.messages).play(adapter) == tape.answers
    assert adapter.faults == []


def test_torn_messages_are_refused_and_answered(tape):
    rng = random.Random(6)
    adapter = Adapter(EngineDialect(), "fish")
    asks = 0
    for _ in range(3):
        for message in tape.messages[1:]:  # an agent may refuse a table; that is no rubbish
            if message.what != "game_start":
                answer = adapter.receive(message._replace(arguments=torn(message.arguments, rng)))
                asks += message.what == "declare_action"
                assert (answer is None) is (message.what != "declare_action")
    assert asks > 30
    assert {fault.kind for fault in adapter.faults} >= {"garbled"}
    assert "\n" not in "".join(fault.detail for fault in adapter.faults)
    plain = Adapter(EngineDialect(), "fish")
    again = [FakePeer(tape.messages).play(each) for each in (adapter, plain)]
    assert again[0] == again[1]


def test_a_guest_asks_a_fake_player():
    peer = FakePeer([("raise", 30), ("call", 0), ("nonsense", 0), ("raise", 5)])

    class Fake(FishPlayer):
        def declare_action(self, *message):
            return peer.answer(message)

    game = engine_game(5, 2, 1000)
    deck = shuffled_decks(game, 0, 0, 1)[0].tolist()
    hand = play_hand(game, [Seated(Guest(Fake)), Seated(make_agent("fish"))], deck)
    acted = [event for event in hand.final.view(0).events if isinstance(event, Acted)]
    ours = [event.action for event in acted if event.seat == 0]
    assert ours == [RaiseTo(30), CHECK, CHECK, FOLD]  # the third by our dealer, the last by theirs
    assert [fault.kind for fault in hand.faults] == ["crashed"]
    assert [len(message[2]["community_card"]) for message in peer.heard] == [0, 3, 4, 5]


def test_their_line_in_the_table_decides(monkeypatch):
    assert read_answer(("raise", 3), facing()) == FOLD
    row = RULINGS["pypokerengine"]._replace(illegal=Ruling.CHECK_OR_CALL)
    monkeypatch.setitem(RULINGS, "pypokerengine", row)
    assert read_answer(("raise", 3), facing()) == CALL
    assert read_answer(("fold", 0), facing()) == FOLD


def play_here(texts, deals, seed=0, **rules):
    """Hands in our arena, with a moving button; all results and faults."""
    game = load("nlhe", **{**THESIS, "seats": len(texts), **rules})
    agents = [Seated(make_agent(text, trusted=True)) for text in texts]
    hands = []
    for deal, deck in enumerate(shuffled_decks(game, seed, 0, deals).tolist()):
        button = deal % len(texts)
        hands.append(play_hand(game, agents, deck, seed=seed, deal=deal, button=button))
    assert all(sum(hand.payoffs) == 0 for hand in hands)
    return hands


@pytest.mark.parametrize("rules", [{}, {"free_fold": False, "heads_up": "standard"}])
def test_their_players_play_in_our_arena(rules):
    tables = (FISH, RANDOM), (RANDOM, "uniform"), (RANDOM, FISH, "all-in")
    for texts in (*tables, (FISH, RANDOM, "uniform") * 2, (FISH, RANDOM) * 5):
        deals = 15 if len(texts) < 4 else 3
        hands = play_here(texts, deals, **rules)
        assert [fault for hand in hands for fault in hand.faults] == []
        again = play_here(texts, deals, **rules)
        assert [hand.final.moves for hand in hands] == [hand.final.moves for hand in again]


def test_their_fish_is_ours():
    theirs, ours = (play_here((text, "uniform"), 100) for text in (FISH, "fish"))
    assert [hand.final.moves for hand in theirs] == [hand.final.moves for hand in ours]


class Moody(FishPlayer):
    """Uses the module ``random`` outside of decisions: when made, and when a hand begins."""

    def __init__(self):
        super().__init__()
        self.temper = random.random()

    def receive_round_start_message(self, round_count, hole_card, seats):
        self.mood = random.random()

    def declare_action(self, valid_actions, hole_card, round_state):
        raises = self.mood + self.temper > 1 and valid_actions[2]["amount"]["min"] > 0
        return ("raise", valid_actions[2]["amount"]["min"]) if raises else ("fold", 0)


def test_luck_outside_of_decisions_is_replayed_too():
    game = engine_game(5, 2, 1000)
    decks = shuffled_decks(game, 0, 0, 30).tolist()
    random.seed(1)
    guest = Guest(Moody)
    temper, moods, hands = guest.player.temper, [], []
    for deal, deck in enumerate(decks):
        hand = play_hand(game, [Seated(guest), Seated(make_agent("fish"))], deck, deal=deal)
        hands.append(hand.final.moves)
        moods.append(guest.player.mood)
    assert len(set(moods)) == len(moods)
    state = random.getstate()
    for deal in (17, 3, 29):  # by themselves, in another order
        alone = Guest(Moody)
        assert alone.player.temper == temper
        again = play_hand(game, [Seated(alone), Seated(make_agent("fish"))], decks[deal], deal=deal)
        assert again.final.moves == hands[deal]
        assert alone.player.mood == moods[deal]
    assert random.getstate() == state


class Listener(FishPlayer):
    """Records every message."""

    heard = None

    def receive_game_start_message(self, game_info):
        type(self).heard.append(("game", game_info))

    def receive_round_start_message(self, round_count, hole_card, seats):
        type(self).heard.append(("round", round_count, hole_card, seats))

    def receive_street_start_message(self, street, round_state):
        type(self).heard.append(("street", street, round_state))

    def receive_game_update_message(self, action, round_state):
        type(self).heard.append(("update", action, round_state))

    def receive_round_result_message(self, winners, hand_info, round_state):
        type(self).heard.append(("result", winners, hand_info, round_state))


def test_a_guest_hears_what_their_engine_would_tell_it():
    Listener.heard = []
    random.seed(5)
    play_there([Listener(), FishPlayer()], rounds=1, stack=1000)
    theirs, Listener.heard = Listener.heard, []
    game = engine_game(5, 2, 1000)
    deck = shuffled_decks(game, 0, 0, 1)[0].tolist()
    hand = play_hand(game, [Seated(Guest(Listener)), Seated(make_agent("fish"))], deck)
    assert not hand.faults
    ours = Listener.heard
    assert [message[0] for message in ours] == [message[0] for message in theirs]
    for one, other in zip(ours, theirs, strict=True):
        if one[0] == "update":
            assert one[1].keys() == other[1].keys()
            assert (one[1]["action"], one[1]["amount"]) == (other[1]["action"], other[1]["amount"])
        if one[0] in ("street", "update"):
            assert one[-1].keys() == other[-1].keys()
            lines = [
                [
                    (line["action"], line.get("amount"))
                    for line in message["action_histories"][street]
                ]
                for message in (one[-1], other[-1])
                for street in message["action_histories"]
            ]
            assert lines[: len(lines) // 2] == lines[len(lines) // 2 :]
            assert len(one[-1]["community_card"]) == len(other[-1]["community_card"])
    (_, winners, info, state), (_, _, their_info, _) = ours[-1], theirs[-1]
    assert state["street"] == "showdown"
    assert winners
    assert sum(seat["stack"] for seat in state["seats"]) == 2000
    assert [each["hand"].keys() for each in info] == [each["hand"].keys() for each in their_info]


def facing(*moves, **rules):
    """The view of the player to act after some moves before the flop."""
    state = load("nlhe", **{**THESIS, **rules}).start(0)
    for cards in ((51, 50), (0, 1)):
        state = state.apply(cards)
    for move in moves:
        state = state.apply(move)
    return state.view(state.actor)


@pytest.mark.parametrize(
    ("answer", "action"),
    [
        (("fold", 0), FOLD),
        (("call", 10), CALL),
        (("call", 0), FOLD),  # a wrong amount
        (("call", 1000), RaiseTo(1000)),
        (("raise", 20), RaiseTo(20)),
        (("raise", 20.0), RaiseTo(20)),
        (("raise", 19), FOLD),
        (("raise", 1001), FOLD),
        (("raise", -1), FOLD),
        (("raise", 1000), RaiseTo(1000)),
    ],
)
def test_answers_are_read_as_their_engine_reads_them(answer, action):
    assert read_answer(answer, facing()) == action


def test_answers_where_checking_is_free():
    assert read_answer(("call", 10), facing(CALL)) == CHECK
    assert read_answer(("fold", 0), facing(CALL)) == FOLD
    assert read_answer(("fold", 0), facing(CALL, free_fold=False)) == CHECK


def test_a_raise_that_nobody_can_call_is_a_call():
    view = facing(RaiseTo(500), stack=(1000, 500))
    assert valid_actions(view)[2]["amount"] == {"min": 990, "max": 1000}
    assert read_answer(("raise", 1000), view) == CALL
    assert read_answer(("raise", 600), view) == FOLD


@pytest.mark.parametrize(
    "answer", [None, "call", ("check", 0), ("raise", None), ("raise", float("inf")), 3, ("call",)]
)
def test_answers_that_end_their_game_are_faults_here(answer):
    with pytest.raises(InputError):
        read_answer(answer, facing())


@pytest.mark.parametrize("text", ["nowhere:Nobody", "random:Random", "random", "random:nobody"])
def test_classes_that_are_no_players(text):
    with pytest.raises(OptionError, match=r"module:Class|BasePokerPlayer"):
        make_agent(f"pypokerengine:class={text}", trusted=True)
    with pytest.raises(OptionError, match="pypokerengine:class=…"):
        make_agent("pypokerengine", trusted=True)


# Ours play as theirs do, on positions of their engine.


def decisions(agent, views, times):
    """The kind of an agent's action: fold, call or raise."""
    found = []
    for number in range(times):
        for place, view in enumerate(views):
            agent.hand_start(view)
            action = agent.act(view, Clock(), SeededRandom(number * 10**6 + place)).action
            kind = "raise" if isinstance(action, RaiseTo) else "fold" if action == FOLD else "call"
            found.append(kind)
    return found


def compare(name, theirs, asked, positions, times):
    """Shares of folds, calls and raises within 4 standard errors; the views where they differ."""
    views = [
        view_of_round(state, uuid, cards, actions)
        for uuid, actions, cards, state in asked
        if len(state["seats"]) == 2
    ]
    views = views[:: len(views) // positions][:positions]
    assert len(views) == positions
    here, there = (
        decisions(make_agent(text, trusted=True), views, times) for text in (name, theirs)
    )
    total = positions * times
    for kind in ("fold", "call", "raise"):
        share, other = here.count(kind) / total, there.count(kind) / total
        spread = ((share * (1 - share) + other * (1 - other)) / total) ** 0.5
        assert abs(share - other) <= 4 * spread, (kind, share, other)
    pairs = zip(here, there, views * times, strict=True)
    return [view for one, other, view in pairs if one != other]


def test_fish_plays_as_theirs(asked):
    assert compare("fish", FISH, asked, 100, 1) == []


def test_random_plays_as_theirs(asked):
    compare("random", RANDOM, asked, 60, 30)


@pytest.mark.slow
def test_honest_plays_as_theirs(asked):
    honest = "pypokerengine:class=examples.players.honest_player:HonestPlayer"
    for view in compare("honest", honest, asked, 100, 1):
        cards, board = (gen_cards(list(map(their_card, each))) for each in (view.cards, view.board))
        rate = estimate_hole_card_win_rate(1000, 2, cards, board)
        assert abs(rate - 0.5) < 0.1  # close: rollouts (sd 0.016) and their evaluator decide


@pytest.mark.slow
def test_a_thousand_hands_each_way():
    random.seed(11)
    rounds, faults, stacks = 0, [], [0, 0]
    while rounds < 1000:
        visitor = Visitor("uniform", seed=rounds)
        witness = Witness()
        counter = Visitor(witness)
        stacks = play_there([visitor, counter], rounds=100, stack=10_000)
        assert 20_000 - 50 <= sum(stacks) <= 20_000 or 0 in stacks
        rounds += witness.calls.count("end")
        faults += visitor.faults + counter.faults
    assert faults == []
    for texts in ((RANDOM, "uniform"), (FISH, RANDOM)):
        hands = play_here(texts, 1000)
        assert not any(hand.faults for hand in hands)


# Forks of the engine with their own copy of the base class, and tables that do not fit.


def test_players_of_a_fork_sit_at_our_table():
    fork = "pypokerengine:class=protocols.fork_players:ForkFish"
    hands = play_here((fork, "uniform"), 30)
    assert not any(hand.faults for hand in hands)
    theirs = play_here((FISH, "uniform"), 30)
    assert [hand.final for hand in hands] == [hand.final for hand in theirs]


def test_our_agents_sit_at_the_table_of_a_fork(asked):
    made, plain = visitor_class(ForkBase)("uniform", seed=7), Visitor("uniform", seed=7)
    assert isinstance(made, ForkBase)
    for uuid, actions, cards, state in asked[:200]:
        for each in (made, plain):
            each.set_uuid(uuid)
        answers = {each.declare_action(actions, cards, state) for each in (made, plain)}
        assert len(answers) == 1


@pytest.mark.parametrize("players", [3, 6])
def test_a_blueprint_is_refused_when_their_game_begins(players):
    visitor = Visitor("blueprint:file=hundred")
    others = [FishPlayer() for _ in range(players - 1)]
    with pytest.raises(OptionError, match=f"2 seats.*nlhe.* {players}"):
        play_there([visitor, *others], rounds=2)
    assert not visitor.faults


def test_other_stacks_are_told_in_their_game():
    visitor = Visitor("blueprint")
    with pytest.warns(UserWarning, match="made for stacks of 100 big blinds; with 20"):
        play_there([visitor, FishPlayer()], rounds=2, stack=200)
    assert not visitor.faults


def test_a_visitor_imports_no_code():
    with pytest.raises(OptionError, match=r"'os:system:command=false'.*trusted=True"):
        Visitor("os:system:command=false")
