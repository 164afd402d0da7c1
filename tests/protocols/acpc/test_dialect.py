"""The client's dialect: recorded dialogues, hooks, views, fallbacks, and garbage."""

import dataclasses
from random import Random

import pytest

from helpers.acpc_play import random_match, random_move
from helpers.mutation import mutated, no_hang
from tiltless.agents.agent import Agent, Decision, check_or_call
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import CALL, FOLD, RaiseTo
from tiltless.protocols.acpc.dialect import AcpcDialect
from tiltless.protocols.acpc.gamedef import GAMES
from tiltless.protocols.acpc.hand import Move, new_hand
from tiltless.protocols.acpc.small_games import SmallTable
from tiltless.protocols.acpc.tables import HoldemTable, holdem_game
from tiltless.protocols.acpc.wire import AcpcMatchState, betting_text, parse_match_state
from tiltless.protocols.adapter import RULINGS, Adapter, FakePeer

GAME = GAMES["holdem.nolimit.2p.reverse_blinds"]
THREE = GAMES["holdem.nolimit.3p"]


class Recorder(Agent):
    """Follows a list of actions, then checks and calls; keeps what it is told."""

    def __init__(self, *actions):
        self.actions, self.told, self.views = list(actions), [], []

    def act(self, view, clock, rng):
        self.views.append(view)
        action = self.actions.pop(0) if self.actions else check_or_call(view.actions)
        if isinstance(action, Exception):
            raise action
        return Decision(action)

    def match_start(self):
        self.told.append("match_start")

    def hand_start(self, view):
        self.told.append(("hand_start", view.cards, view.button))

    def showdown(self, view):
        self.told.append(("showdown", view.shown))

    def hand_end(self, view):
        self.told.append(("hand_end", view.payoffs))


def play(lines, *actions, game=GAME):
    agent = Recorder(*actions)
    adapter = Adapter(AcpcDialect(game), agent)
    return FakePeer(lines).play(adapter), agent, adapter


RECORDED = """MATCHSTATE:0:0::4cKs|
MATCHSTATE:0:0:c:4cKs|
MATCHSTATE:0:0:cc/:4cKs|/3s2hAh
MATCHSTATE:0:0:cc/c:4cKs|/3s2hAh
MATCHSTATE:0:0:cc/cc/:4cKs|/3s2hAh/9d
MATCHSTATE:0:0:cc/cc/r200:4cKs|/3s2hAh/9d
MATCHSTATE:0:0:cc/cc/r200c/:4cKs|/3s2hAh/9d/4s
MATCHSTATE:0:0:cc/cc/r200c/c:4cKs|/3s2hAh/9d/4s
MATCHSTATE:0:0:cc/cc/r200c/cc:4cKs|KhKc/3s2hAh/9d/4s
MATCHSTATE:1:1::|4s4h""".splitlines()


def test_a_recorded_dialogue():
    """The hand of the facts: raises count the whole hand, and the next hand has other positions."""
    said, agent, adapter = play(RECORDED, CALL, CALL, RaiseTo(100), RaiseTo(777))
    assert said == [
        "MATCHSTATE:0:0:c:4cKs|:c",
        "MATCHSTATE:0:0:cc/:4cKs|/3s2hAh:c",
        "MATCHSTATE:0:0:cc/cc/:4cKs|/3s2hAh/9d:r200",
        "MATCHSTATE:0:0:cc/cc/r200c/:4cKs|/3s2hAh/9d/4s:r977",
        "MATCHSTATE:1:1::|4s4h:c",
    ]
    assert [fault.kind for fault in adapter.faults] == ["illegal", "illegal", "overruled"]
    assert adapter.faults[2].detail == "hand 0: cc/cc/r200c/r977 became cc/cc/r200c/c"
    ours, theirs = (47, 8), (46, 44)
    assert agent.told == [
        "match_start",
        ("hand_start", ours[::1], 1),
        ("showdown", ((0, (47, 8)), (1, (46, 44)))),
        ("hand_end", (-200, 200)),
        ("hand_start", (11, 10), 0),
    ]
    assert theirs == agent.told[2][1][1][1]
    assert adapter.dialect.chips == -200
    river = agent.views[3]
    assert (river.street_name, river.pot, river.min_raise, river.max_raise) == (
        "river",
        400,
        100,
        19_800,
    )


def test_comments_are_passed_over_and_other_turns_are_not_answered():
    lines = ["# hello", "; gui", *RECORDED[:1], "# bye"]
    assert play(lines)[0] == []
    assert play(lines)[2].faults == []


def test_three_players_keep_their_seats():
    """Position 1 in one hand and 0 in the next: the player before us stays in seat 2."""
    _, agent, adapter = play(
        [
            "MATCHSTATE:1:0:r300f:|8dJd|",
            "MATCHSTATE:1:0:r300fc/:|8dJd|/6s3d6c",
            "MATCHSTATE:1:0:r300fc/cr20000f:|8dJd|/6s3d6c",
            "MATCHSTATE:0:1:c:8dJd||",
        ],
        game=THREE,
    )
    assert agent.told[-2:] == [("hand_end", (-300, 350, -50)), ("hand_start", (37, 25), 2)]
    assert agent.views[0].button == 1  # position 2 sits after us
    assert agent.views[0].actions.call == 200
    assert adapter.faults == []


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("MATCHSTATE:0:0:c:4cKx|", ":c"),
        ("MATCHSTATE:0:0:r300:4cKx|", ":f"),
        ("MATCHSTATE:1:0::|4cKx", ":f"),
        ("MATCHSTATE:0:0:cc/:4cKs|/3s2h", ":c"),
        ("MATCHSTATE:0:0:cr300c/r301:4cKs|/3s2hAh", ":f"),
        ("MATCHSTATE:2:0:c:4cKs|", None),
        ("MATCHSTATE:0:0:c:4cKs| x", None),
        ("rubbish", None),
        ("", None),
    ],
)
def test_lines_that_cannot_be_followed_are_checked_or_folded(line, answer):
    said, _, adapter = play([line, RECORDED[1]])
    expected = [] if answer is None else [line + answer]
    assert said == [*expected, "MATCHSTATE:0:0:c:4cKs|:c"]
    assert [fault.kind for fault in adapter.faults] == ["garbled"]


def test_an_agent_that_fails_checks_or_folds():
    lines = ["MATCHSTATE:0:0:r300:4cKs|", "MATCHSTATE:0:1:c:4cKs|"]
    said, _, adapter = play(lines, ZeroDivisionError(), FOLD)
    assert said == [f"{lines[0]}:f", f"{lines[1]}:c"]
    assert [fault.kind for fault in adapter.faults][:3] == ["crashed", "garbled", "illegal"]
    assert adapter.faults[1].detail == "hand 0 has no end"


def test_the_rulings_of_the_dealer():
    rulings = RULINGS["acpc"]
    assert rulings.illegal.action(_legal("c"), RaiseTo(7)) == RaiseTo(200)
    assert rulings.garbled.action(_legal("r300")) == CALL
    assert rulings.ours.action(_legal("r300")) == FOLD
    assert {rulings.late.name, rulings.lost.name} == {"END"}


def _legal(betting):
    state = parse_match_state(f"MATCHSTATE:{int(not betting)}:0:{betting}:4cKs|", GAME)
    return HoldemTable(GAME).view(state).actions


VIEWED = {name: game for name, game in GAMES.items() if "holdem" in name} | {
    "not reversed": dataclasses.replace(GAME, blinds=(50, 100), first=(0, 0, 0, 0)),
    "uneven": dataclasses.replace(GAME, stacks=(900, 2500)),
    "capped": dataclasses.replace(THREE, stacks=(900,) * 3, max_raises=(2, 2, 2, 2)),
}


@pytest.mark.parametrize("name", VIEWED)
def test_views_agree_with_the_rules_of_the_dealer(name):
    """Every decision of random hands: actor, pot, fold, call, and the bounds of raises."""
    game, rng = VIEWED[name], Random(name)
    table = HoldemTable(game)
    for number in range(40):
        rng.shuffle(deck := list(game.deck))
        hole = tuple(tuple(deck[2 * p : 2 * p + 2]) for p in range(game.players))
        hand = new_hand(game)
        while not hand.is_over:
            actor, board = hand.actor, tuple(deck[40 : 40 + hand.board_size])
            seen = tuple(cards if p == actor else () for p, cards in enumerate(hole))
            state = AcpcMatchState(actor, number, hand, seen, board)
            view = table.view(state)
            assert view.pot == sum(hand.spent)
            assert view.actions.fold == hand.can_fold
            owed = min(hand.high, game.stacks[actor]) - hand.spent[actor]
            assert view.actions.call == owed
            low, top = hand.raise_bounds
            before = view.paid[0] - view.bets[0]
            assert (view.min_raise, view.max_raise) == (
                (low - before, top - before) if top else (0, 0)
            )
            move = random_move(hand, rng)
            if move.letter == "r":
                assert table.move(RaiseTo((move.size or top) - before), view) == move
            hand = hand.apply(move)
        board = tuple(deck[40 : 40 + hand.board_size])
        live = hand.live if len(hand.live) > 1 else ()
        seen = tuple(cards if p == 0 or p in live else () for p, cards in enumerate(hole))
        end = table.ending(AcpcMatchState(0, number, hand, seen, board))
        chips = hand.payoffs(hole, board)
        assert all(abs(one - two) < 1 for one, two in zip(end.payoffs, chips, strict=True))
        assert sum(end.payoffs) == 0


def test_games_that_agents_cannot_play():
    for changes, said in (
        ({"first": (0, 1, 1, 1)}, "first players"),
        ({"hole_cards": 3}, "hole_cards=3"),
        ({"ranks": 12}, "ranks=12"),
    ):
        with pytest.raises(OptionError, match=said):
            AcpcDialect(dataclasses.replace(GAME, **changes))
    limit = GAMES["holdem.limit.3p"]
    with pytest.raises(OptionError, match="uneven"):
        holdem_game(dataclasses.replace(THREE, stacks=(100, 200, 300)))
    with pytest.raises(OptionError, match="limit"):
        holdem_game(dataclasses.replace(limit, stacks=(50,) * 3))
    with pytest.raises(OptionError, match="raiseSize"):
        holdem_game(dataclasses.replace(limit, raise_sizes=(10, 20, 30, 40)))
    with pytest.raises(OptionError, match="neither"):
        SmallTable(GAME)


def test_no_raise_is_offered_when_a_round_has_no_room_for_it():
    game = dataclasses.replace(GAME, stacks=(10**9, 10**9), blinds=(2, 1))
    hand = new_hand(game)
    while hand.raise_bounds[1]:
        hand = hand.apply(Move("r", hand.raise_bounds[0]))
    cards = "|4cKs" if hand.actor else "4cKs|"
    line = f"MATCHSTATE:{hand.actor}:0:{betting_text(hand)}:{cards}"
    said, agent, _ = play([line], game=game)
    assert said == [f"{line}:c"]
    assert agent.views[0].max_raise == 0


def fuzz(count, seed):
    """Mutated lines of every game; after each, a valid line is answered as always."""
    rng = Random(seed)
    letters = "0123456789:|/fcrAKQJT98765432cdhsMATCHSTATE \r\n#;.-\x00é"
    tables = {}
    for name, game in GAMES.items():
        seats, _ = random_match(game, 12, 2)
        lines = [line.strip() for seat in seats for side, line in seat.lines if side == "S->"]
        asked = [
            line
            for line in lines
            for state in [parse_match_state(line, game)]
            if state.hand.actor == state.position
        ]
        tables[name] = Adapter(AcpcDialect(game), "fish"), lines, asked
    names = list(GAMES)
    for _ in range(count):
        adapter, lines, asked = tables[rng.choice(names)]
        message = mutated(rng.choice(lines), rng, letters)
        with no_hang(message):
            answer = adapter.receive(message)
        if answer is not None:
            assert answer.startswith(message.rstrip() + ":")
            assert answer[-1] in "cf"  # it never raises
        valid = rng.choice(asked)
        assert adapter.receive(valid) == f"{valid}:c"


def test_a_thousand_mutated_messages():
    fuzz(1000, 1)


@pytest.mark.slow
def test_many_mutated_messages():
    fuzz(100_000, 2)
