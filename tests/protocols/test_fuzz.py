"""Mutated messages: 0 crashes, 0 hangs, and the next valid message is answered as always.

1,000 of each dialect here, 100,000 in `make test-slow`. ACPC and Slumbot have theirs with their
other tests (`acpc/test_dialect.py`, `acpc/test_dealer.py`, `slumbot/test_slumbot.py`).
"""

import copy
import json
import random
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from helpers.mit_lines import EVERY, engine_lines
from helpers.mutation import mutated, no_hang, torn
from tiltless.agents.registry import make_agent
from tiltless.errors import InputError
from tiltless.games.holdem.histories.files import read_hands
from tiltless.games.holdem.histories.rooms import find_room, parse_room_hand, split_hands
from tiltless.games.holdem.phh import from_phh
from tiltless.protocols.adapter import Adapter
from tiltless.protocols.gtowizard.dialect import GtoWizardDialect
from tiltless.protocols.gtowizard.server import GtoWizardHost
from tiltless.protocols.gtowizard.wire import parse_hand_reply, parse_hands
from tiltless.protocols.mit.dialect import MitDialect
from tiltless.protocols.mit.years import YEARS

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
        (hand, find_room(text[0]))
        for text in texts
        for hand in split_hands(text, find_room(text[0]))
    ]
    for _ in range(count):
        hand, room = rng.choice(hands)
        lines = list(hand.lines)
        for _ in range(rng.choice((1, 1, 2, 4))):
            at = rng.randrange(len(lines))
            lines[at] = mutated(lines[at], rng, letters).replace("\n", " ")
            if rng.random() < 0.3:
                del lines[rng.randrange(len(lines))]
        with no_hang(lines), refused_in_one_line():
            parse_room_hand(hand._replace(lines=tuple(lines)), room)


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


def test_mit():
    fuzz_mit(1000, 1)


def test_gtowizard():
    fuzz_gtowizard(1000, 1)


def test_phh(tmp_path):
    fuzz_phh(1000, 1, tmp_path)


def test_rooms():
    fuzz_rooms(200, 1)


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
