"""Mutated messages: 0 crashes, 0 hangs, and the next valid message is answered as always.

1,000 of each dialect here, 100,000 in `make test-slow`; of dialects that have two sides, of each.
Lines of the ACPC and replies of Slumbot have theirs with their other tests
(`acpc/test_dialect.py`, `acpc/test_dealer.py`, `slumbot/test_slumbot.py`).
"""

import copy
import json
import random
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random

import pytest

from helpers.acpc_play import random_match
from helpers.mit_lines import EVERY, engine_lines
from helpers.mutation import mutated, no_hang, torn
from helpers.playing import random_action
from tiltless.agents.registry import make_agent
from tiltless.errors import InputError
from tiltless.games import CHANCE, TERMINAL, load
from tiltless.games.holdem.actions import CALL, CHECK, FOLD
from tiltless.games.holdem.histories.files import read_hands
from tiltless.games.holdem.histories.rooms import find_room, parse_room_hand, split_hands
from tiltless.games.holdem.phh import from_phh
from tiltless.games.holdem.record import hand_line, parse_hand, record_hand
from tiltless.protocols.acpc.gamedef import GAMES, gamedef_text, parse_gamedef
from tiltless.protocols.acpc.log import parse_log
from tiltless.protocols.adapter import Adapter
from tiltless.protocols.gtowizard.dialect import GtoWizardDialect
from tiltless.protocols.gtowizard.server import GtoWizardHost
from tiltless.protocols.gtowizard.wire import parse_hand_reply, parse_hands
from tiltless.protocols.mit.dialect import MitDialect
from tiltless.protocols.mit.engine import TimedAnswer, play_match
from tiltless.protocols.mit.years import YEARS
from tiltless.protocols.slumbot.server import SlumbotHost

ROOMS = Path(__file__).parents[1] / "data" / "rooms"


@contextmanager
def refused_in_one_line():
    """Nothing but an `InputError` of one line may come out."""
    try:
        yield
        said = ""
    except InputError as problem:
        said = str(problem)
    assert "\n" not in said


def fuzz_mit(count, seed):
    rng = Random(seed)
    letters = "0123456789TPHBODQRFCKJAcdhs,.- \t\x00\u0665"
    lines = {year: engine_lines(year, "A") + engine_lines(year, "B") for year, _ in EVERY}
    tables = {year: Adapter(MitDialect(YEARS[year]), "fish") for year in lines}
    for _ in range(count):
        year = rng.choice(list(lines))
        message = mutated(rng.choice(lines[year]), rng, letters)
        with no_hang(message):
            answer = tables[year].receive(message)
        dialect = tables[year].dialect
        if dialect.is_over:  # a Q among the clauses: nothing follows it
            tables[year] = Adapter(MitDialect(YEARS[year]), "fish")
        else:
            assert answer is not None
            assert answer[0] in "CKF"
        cards = "As,Qd" if "As,Qd" not in message else "Js,Jd"  # a first line must not be repeated
        assert tables[year].receive(f"T29.900 P0 H{cards}") == "C"
        assert tables[year].receive("T29.900 C K BKh,7c,9d K") == "K"


def gto_replies():
    """Replies of the local server while hands are played."""
    host = GtoWizardHost(lambda: make_agent("uniform"), 4, aivat=False)
    replies, rng = [], Random(1)
    while len(replies) < 60:
        status, reply = host.answer("POST", "/hands", {}, {"game_name": "HUNL 200BB"})
        replies.append(reply)
        while not reply["game_state"]["is_hand_over"]:
            legal = [each for each in reply["game_state"]["legal_actions"] if each != "b"]
            action = {"action": rng.choice([each for each in legal if each != "f"] or legal)}
            path = f"/hands/{reply['hand_id']}/act"
            status, reply = host.answer("POST", path, {}, action)
            assert status == 200
            replies.append(reply)
    return replies


def fuzz_gtowizard(count, seed):
    rng = Random(seed)
    letters = '0123456789{}[]",:kcfb_AKQJTcdhs -.eE\\nulNaN'
    replies = gto_replies()
    open_ones = [each for each in replies if not each["game_state"]["is_hand_over"]]
    adapter = Adapter(GtoWizardDialect(), "fish")
    for number in range(count):
        found = rng.choice(replies)
        if rng.random() < 0.5:
            body = mutated(json.dumps(found), rng, letters).encode()
        else:
            body = json.dumps(torn(found, rng)).encode()
        with no_hang(body), refused_in_one_line():
            parse_hands(b"[" + body + b"]")
            reply = parse_hand_reply(body)
            answer = adapter.receive(reply)
            assert (answer is None) is reply.is_over
        good = dict(rng.choice(open_ones), hand_id=10**6 + number)
        legal = good["game_state"]["legal_actions"]
        expected = {"action": "k" if "k" in legal else "c"}
        assert adapter.receive(parse_hand_reply(json.dumps(good).encode())) == expected


PHH = """
variant = 'NT'
antes = [0, 0, 0]
blinds_or_straddles = [0.5, 1, 0]
min_bet = 1
starting_stacks = [100, 99.25, 40]
actions = ['d dh p1 AsKd', 'd dh p2 ????', 'd dh p3 7h7d', 'p3 cbr 2.50', 'p1 cbr 8', 'p2 f', \
'p3 cc', 'd db 7c2d9h', 'p1 cc', 'p3 cbr 32', 'p1 cc', 'd db Ac', 'd db 3d', 'p1 sm AsKd', \
'p3 sm 7h7d']
players = ['Hero', 'Villain', 'Third']
seats = [2, 5, 1]
hand = 17
"""


def fuzz_phh(count, seed, folder):
    rng = Random(seed)
    letters = "0123456789[]'=,.-+_einfa#pdcbrhsmAKQJT?\n\"\\\x00é"
    path, good = folder / "hands.phhs", from_phh(PHH, unit="0.01").events
    for start in range(0, count, 100):
        texts = [mutated(PHH, rng, letters) for _ in range(min(100, count - start))]
        for text in texts:
            with no_hang(text), refused_in_one_line():
                from_phh(text, unit="0.01")
        # in one file, each before a valid hand that must come out
        hands = (f"[{2 * at}]\n{text}\n[{2 * at + 1}]\n{PHH}" for at, text in enumerate(texts))
        path.write_text("".join(hands), encoding="utf-8")
        problems = []
        records = list(read_hands(path, problems=problems.append))
        assert sum(record.events == good for record in records) >= len(texts)


def fuzz_rooms(count, seed):
    rng = Random(seed)
    letters = "0123456789[]():$.,#* 'AKQJTcdhsfold\x00é"
    texts = [path.read_text().splitlines() for path in sorted(ROOMS.glob("*.txt"))]
    hands = [
        (hand, room, parse_room_hand(hand, room).events)
        for text in texts
        for room in [find_room(text[0])]
        for hand in split_hands(text, room)
    ]
    for number in range(count):
        hand, room, _ = rng.choice(hands)
        lines = list(hand.lines)
        for _ in range(rng.choice((1, 1, 2, 4))):
            at = rng.randrange(len(lines))
            lines[at] = mutated(lines[at], rng, letters).replace("\n", " ")
            if rng.random() < 0.3:
                del lines[rng.randrange(len(lines))]
        with no_hang(lines), refused_in_one_line():
            parse_room_hand(hand._replace(lines=tuple(lines)), room)
        if number % 10 == 0:  # what follows is not affected; nothing is remembered between hands
            hand, room, expected = rng.choice(hands)
            assert parse_room_hand(hand, room).events == expected


@pytest.fixture(scope="module")
def tape():
    """Messages of a game in the real engine."""
    pytest.importorskip("pypokerengine", reason="PyPokerEngine is not installed (extra interop)")
    from examples.players.random_player import RandomPlayer
    from pypokerengine.api.game import setup_config, start_poker

    from tiltless.protocols.pypokerengine import Visitor
    from tiltless.protocols.pypokerengine.dialect import EngineMessage

    class Taped(Visitor):
        def _receive(self, what, *arguments):
            messages.append(copy.deepcopy(EngineMessage(self.uuid, what, arguments)))
            return super()._receive(what, *arguments)

    messages, before = [], random.getstate()
    random.seed(9)
    config = setup_config(max_round=12, initial_stack=2000, small_blind_amount=5)
    for number, player in enumerate([Taped("fish"), RandomPlayer(), RandomPlayer()]):
        config.register_player(f"p{number}", player)
    start_poker(config, verbose=0)
    random.setstate(before)
    return messages


def fuzz_pypokerengine(count, seed, tape):
    from tiltless.protocols.pypokerengine.dialect import EngineDialect

    rng, adapter = Random(seed), Adapter(EngineDialect(), "fish")
    asks = [each for each in tape if each.what == "declare_action"]
    others = [each for each in tape if each.what != "game_start"]  # whose table may be refused
    for _ in range(count):
        message = rng.choice(others)
        message = message._replace(arguments=torn(message.arguments, rng))
        with no_hang(message):
            answer = adapter.receive(message)
        assert (answer is None) is (message.what != "declare_action")
        good = rng.choice(asks)
        assert adapter.receive(good) == ("call", good.arguments[0][1]["amount"])


# The other side: what clients, players and learners send to us.


def fuzz_mit_answers(count, seed):
    """Answers of a bot to our engine: the match is played to its end, chips are conserved."""
    rng, sent = Random(seed), [0]
    letters = "0123456789RFCKr.-+_ \t\x00\u0665nai"

    class Garbles:
        is_connected = True

        def __init__(self, name):
            self.name = name

        def ask(self, line, limit):
            sent[0] += 1
            right = "K" if " D" in line or line.startswith("Q") else rng.choice("KCFR")
            return TimedAnswer(mutated(right + str(rng.randrange(300)), rng, letters), 0.0)

    while sent[0] < count:
        with no_hang(sent):  # of all answers together
            match = play_match(rng.choice([2020, 2023]), [Garbles("A"), Garbles("B")], hands=20)
        assert sum(match.bankrolls) == 0
        assert match.log.count("Round #") == 20
        assert not any(seat.faults["late"] or seat.faults["lost"] for seat in match.seats)


def _requests(rng, good, letters):
    """A request that is mutated, as text or as a value; None if it is no JSON any more."""
    if rng.random() < 0.5:
        return torn(good, rng)
    try:
        return json.loads(mutated(json.dumps(good), rng, letters))
    except (ValueError, RecursionError):
        return None


def fuzz_slumbot_server(count, seed):
    """Requests to our server: an error or a legal reply, and the session goes on."""
    rng, host = Random(seed), SlumbotHost(lambda: make_agent("fish"), 3)
    letters = '0123456789{}[]",:kcfb/ -.eE\\nulNaN'
    token, reply = "", {"winnings": 0}
    for _ in range(count):
        good = {"token": token, "incr": rng.choice(["k", "c", "b300", "f"])}
        bad = _requests(rng, good, letters)
        with no_hang(bad):
            status, found = host.answer(rng.choice(["act", "act", "login", "nothing"]), bad)
        assert status in (200, 400, 401, 404)
        assert ("error_msg" in found) or status == 200
        json.dumps(found)
        if "winnings" in found or "action" in found:  # it was legal after all
            reply = found
        if "winnings" in reply or not token:
            _, reply = host.answer("new_hand", {"token": token} if token else {})
            token = reply.get("token", token)
            continue
        facing = reply["action"].split("/")[-1][-1:].isdigit() or reply["action"] == ""
        _, reply = host.answer("act", {"token": token, "incr": "c" if facing else "k"})
        assert "error_msg" not in reply


def fuzz_gtowizard_server(count, seed):
    rng, host = Random(seed), GtoWizardHost(lambda: make_agent("fish"), 3, aivat=False)
    letters = '0123456789{}[]",:kcfb_action -.eE\\nulNaN'
    reply = None
    for _ in range(count):
        if reply is None or reply["game_state"]["is_hand_over"]:
            _, reply = host.answer("POST", "/hands", {}, {"game_name": "HUNL 200BB"})
        path = f"/hands/{reply['hand_id']}/act"
        good = {"action": rng.choice("fkcb"), "amount": rng.choice([200, 300, 20_000])}
        bad = _requests(rng, good, letters)
        where = path if rng.random() < 0.7 else mutated(path, rng, "/hands0123456789act%?")
        with no_hang(bad):
            status, found = host.answer(rng.choice(["POST", "POST", "GET"]), where, {}, bad)
        assert status in (200, 404, 405, 409, 422)
        json.dumps(found)
        if status == 200 and isinstance(found, dict) and found["hand_id"] == reply["hand_id"]:
            reply = found  # it was legal after all
        if not reply["game_state"]["is_hand_over"]:
            legal = reply["game_state"]["legal_actions"]
            path = f"/hands/{reply['hand_id']}/act"
            action = {"action": "k" if "k" in legal else "c"}
            status, reply = host.answer("POST", path, {}, action)
            assert status == 200


def fuzz_acpc_files(count, seed):
    """Logs and game definitions: refused in one line, or read and written as they are."""
    rng = Random(seed)
    letters = "0123456789:|/fcrAKQJTcdhsSTATECORE \r\n#;.-=\x00é"
    logs = []
    for game in GAMES.values():
        _, match = random_match(game, 6, 2)
        logs.append((game, match.log.text.splitlines()))
    for number in range(count):
        game, lines = rng.choice(logs)
        if number % 2:
            text = mutated(gamedef_text(game), rng, letters + "nlimitumPyerRod")
            with no_hang(text), refused_in_one_line():
                assert parse_gamedef(gamedef_text(parse_gamedef(text))) == parse_gamedef(text)
        else:
            at = rng.randrange(len(lines))
            bad = [*lines[:at], mutated(lines[at], rng, letters), *lines[at + 1 :]]
            with no_hang(bad), refused_in_one_line():
                log = parse_log(bad, game)
                assert parse_log(log.text.splitlines(), game).text == log.text
        if number % 100 == 0:
            assert parse_log(lines, game).is_complete
            assert parse_gamedef(gamedef_text(game)) == game


_NUMBERS = (None, -1, 0, 1, 2, 3, 4, 5, 99, 10**30, 10**5000, 0.5, float("nan"), float("inf"))
_NUMBERS += (True, "ZZ", "1", b"1", [], {}, (1,), 1.0)


def fuzz_environments(count, seed):
    """Actions of learners: ruled on or refused, and the next legal one counts."""
    pytest.importorskip("pettingzoo")
    import numpy as np

    from tiltless.errors import ArrayError, OptionError
    from tiltless.protocols.environments.aec import TableEnv
    from tiltless.protocols.environments.single import OneSeatEnv
    from tiltless.protocols.environments.vector import VectorTables

    rng = Random(seed)
    envs = [
        TableEnv("nlhe", seats=3, stack="20bb"),
        TableEnv("nlhe", "chips", stack="20bb"),
        TableEnv("leduc"),
        TableEnv("kuhn", players=3),
        TableEnv("river-of-blood"),
    ]
    single = OneSeatEnv("nlhe", opponents="fish", stack="20bb")
    vector = VectorTables("nlhe", tables=4, stack="20bb", seed=1)
    for env in (*envs, single):
        env.reset(seed=1)
    over = False
    for number in range(count):
        bad = rng.choice(_NUMBERS)
        if number % 3 == 0:
            env = rng.choice(envs)
            agent = env.agent_selection
            if env.terminations[agent]:
                env.reset()
                agent = env.agent_selection
            legal = np.flatnonzero(env.observe(agent)["action_mask"]).tolist()
            with no_hang(bad):
                try:
                    env.step(bad)
                except OptionError:
                    env.step(rng.choice(legal))
                    assert env.infos[agent] == {}
                else:
                    assert env.infos[agent] == ({} if bad in legal else {"illegal": True})
        elif number % 3 == 1:
            if over:
                single.reset()
            with no_hang(bad):
                try:
                    *_, over, _, _ = single.step(bad)
                except OptionError:
                    legal = single.table.mask(0).nonzero()[0].tolist()
                    *_, over, _, info = single.step(rng.choice(legal))
                    assert "illegal" not in info
        else:
            wrong = [bad, rng.choice(_NUMBERS), 1, 1]
            with no_hang(bad), suppress(ArrayError, ValueError, OverflowError):
                vector.step(wrong)
            legal = (vector.masks - np.linspace(0, 0.9, vector.masks.shape[1])).argmax(axis=1)
            vector.step(legal)
            assert not vector.ruled.any()


def fuzz_openspiel(count, seed):
    """Answers of bots at our tables: a legal action in the end, and the next hand is played."""
    pyspiel = pytest.importorskip("pyspiel")
    from tiltless.arena.dealer import Seated, play_hand, shuffled_decks
    from tiltless.protocols.openspiel import BotAgent

    rng, sent, game = Random(seed), [0], load("nlhe", stack=40)

    class Garbles(pyspiel.Bot):
        def step(self, state):
            sent[0] += 1
            legal = state.legal_actions()
            return rng.choice(_NUMBERS) if rng.random() < 0.7 else rng.choice(legal)

        def inform_action(self, state, player, action):
            return

    agent = BotAgent("uniform_random")
    agent._maker = lambda game, player, seed: Garbles()
    seats = [Seated(agent), Seated(make_agent("fish"))]
    decks = shuffled_decks(game, seed, 0, 64).tolist()
    deal = 0
    while sent[0] < count:
        with no_hang(deal):  # of all answers of a hand together
            hand = play_hand(game, seats, decks[deal % 64], deal=deal, button=deal % 2)
        assert sum(hand.payoffs) == 0
        assert {fault.seat for fault in hand.faults} <= {0}
        assert all("\n" not in fault.detail for fault in hand.faults)
        deal += 1


def fuzz_pypokerengine_answers(count, seed):
    """Answers of their players at our tables: an action that is legal, or a refusal in one line."""
    pytest.importorskip("pypokerengine")
    from tiltless.protocols.pypokerengine.messages import read_answer, valid_actions

    rng, views = Random(seed), []
    for seats in (2, 3, 6):
        state = load("nlhe", seats=seats, stack=200).start()
        while state.actor >= CHANCE and len(views) < 40 * seats:
            if state.actor == CHANCE:
                state = state.apply(state.chance.sample(rng))
                continue
            views.append(state.view(state.actor))
            choices = [each for each in state.actions if each != FOLD]
            state = state.apply(rng.choice(choices[:2]))
    letters = "foldcairsex0123456789.-\x00é"
    words = ("fold", "call", "raise", "check", "", None, 7, float("nan"))
    for _ in range(count):
        view = rng.choice(views)
        word = rng.choice(words)
        if isinstance(word, str) and rng.random() < 0.5:
            word = mutated(word, rng, letters)
        amount = rng.choice((*_NUMBERS, view.min_raise, view.max_raise, view.betting.high))
        answer = (word, amount) if rng.random() < 0.9 else rng.choice(_NUMBERS)
        with no_hang(answer), refused_in_one_line():
            assert read_answer(answer, view) in view.actions
        good = valid_actions(view)[1]["amount"]
        assert read_answer(("call", good), view) in (CALL, CHECK)


def fuzz_hand_lines(count, seed):
    """Our own lines of hands, which keep those of games that PHH has no code for."""
    rng, lines = Random(seed), []
    letters = "0123456789:|/fckrxbAKQJTcdhsHAND-. \t\x00é"
    for name, parameters in (("nlhe", {"seats": 3}), ("river-of-blood", {}), ("short-deck", {})):
        game = load(name, **parameters)
        for button in range(6):
            state = game.start(button % game.players)
            while state.actor != TERMINAL:
                chance = state.chance
                state = state.apply(chance.sample(rng) if chance else random_action(state, rng))
            record = record_hand(state, tuple("ABCDEF"[: game.players]), button)
            lines.append((game, hand_line(record if button % 2 else record.as_seen_by(0))))
    for number in range(count):
        game, line = rng.choice(lines)
        text = mutated(line, rng, letters)
        with no_hang(text), refused_in_one_line():
            record = parse_hand(text, game)
            assert parse_hand(hand_line(record), game).events == record.events
        if number % 10 == 0:
            assert hand_line(parse_hand(line, game)) == line


OTHERS = {
    "hand lines": fuzz_hand_lines,
    "mit": fuzz_mit_answers,
    "slumbot": fuzz_slumbot_server,
    "gtowizard": fuzz_gtowizard_server,
    "acpc files": fuzz_acpc_files,
    "environments": fuzz_environments,
    "openspiel": fuzz_openspiel,
    "pypokerengine": fuzz_pypokerengine_answers,
}


@pytest.mark.parametrize("name", OTHERS)
def test_the_other_side(name):
    OTHERS[name](1000, 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_the_other_side_often(name):
    OTHERS[name](100_000, 2)


def test_mit():
    fuzz_mit(1000, 1)


def test_gtowizard():
    fuzz_gtowizard(1000, 1)


def test_phh(tmp_path):
    fuzz_phh(1000, 1, tmp_path)


def test_rooms():
    fuzz_rooms(1000, 1)


def test_pypokerengine(tape):
    fuzz_pypokerengine(1000, 1, tape)


@pytest.mark.slow
def test_mit_often():
    fuzz_mit(100_000, 2)


@pytest.mark.slow
def test_gtowizard_often():
    fuzz_gtowizard(100_000, 2)


@pytest.mark.slow
def test_phh_often(tmp_path):
    fuzz_phh(100_000, 2, tmp_path)


@pytest.mark.slow
def test_rooms_often():
    fuzz_rooms(100_000, 2)


@pytest.mark.slow
def test_pypokerengine_often(tape):
    fuzz_pypokerengine(100_000, 2, tape)
