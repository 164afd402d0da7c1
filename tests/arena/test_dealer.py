"""One hand: cards in deck order, random numbers by seat, rulings that keep the match going."""

import time

import numpy as np
import pytest

from tiltless.agents.agent import Agent, Clock, Decision, check_or_call
from tiltless.agents.registry import make_agent
from tiltless.arena.dealer import Seated, play_hand, shuffled_decks
from tiltless.games import load, registered
from tiltless.games.game import TERMINAL
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.history import decisions
from tiltless.games.holdem.record import hand_line, parse_hand, record_hand
from tiltless.kernels.cards.shuffle import deal_hands
from tiltless.seeding import SeededRandom, deal_key, derived_word, mixed, stirred

NLHE = load("nlhe")
GAMES = [
    game
    for entry in registered()
    for example in entry.examples
    if isinstance(game := load(entry.name, **example), Holdem)
]


class Script(Agent):
    """Follows a script, then checks or calls; records its views."""

    def __init__(self, *moves):
        self.moves, self.seen, self.draws = list(moves), [], []

    def act(self, view, clock, rng):
        self.seen.append(("act", view))
        self.draws.append((rng.word, rng.random(), rng.random()))
        move = self.moves.pop(0) if self.moves else Decision(check_or_call(view.actions))
        return move() if callable(move) else move

    def hand_start(self, view):
        self.seen.append(("hand_start", view))

    def showdown(self, view):
        self.seen.append(("showdown", view))

    def hand_end(self, view):
        self.seen.append(("hand_end", view))


def hand(first, second, *, clock=None, **given):
    seats = [Seated(first, Clock(clock)), Seated(second, Clock(clock))]
    return play_hand(NLHE, seats, range(52), **given)


def test_cards_are_dealt_seat_by_seat_then_the_board():
    played = hand(Script(), Script())
    assert played.final.hole == ((1, 0), (3, 2))
    assert played.final.board == (6, 5, 4, 7, 8)
    assert played.final.actor == TERMINAL
    assert played.payoffs == played.final.payoffs
    assert [seat for _, seat, _ in played.decisions] == [0, 1, 1, 0, 1, 0, 1, 0]
    assert [len(each) for each in played.seconds] == [4, 4]
    assert all(second >= 0 for each in played.seconds for second in each)


def test_stacks_and_button():
    played = hand(Script(Decision(RaiseTo(9))), Script(Decision(FOLD)), button=0, stacks=[9, 50])
    assert played.payoffs == (2, -2)
    played = hand(Script(), Script(Decision(FOLD)), button=1)
    assert played.payoffs == (1, -1)
    assert [seat for _, seat, _ in played.decisions] == [1]


def test_luck_follows_from_seed_deal_seat_and_decision():
    first, second = Script(), Script()
    hand(first, second, seed=5, deal=8)
    for seat, agent in enumerate((first, second)):
        for number, (word, one, two) in enumerate(agent.draws):
            assert word == derived_word(deal_key(5, 8), 3 + seat, number)
            luck = SeededRandom(word)
            assert (one, two) == (luck.random(), luck.random())
    again = Script()
    hand(again, Script(), seed=5, deal=9)
    assert again.draws != first.draws


_MASK = 2**64 - 1


def _unshifted(word, shift):
    """The inverse of ``word ^ (word >> shift)``."""
    found = word
    for _ in range(64 // shift):
        found = word ^ (found >> shift)
    return found


def _unstirred(word, number):
    """The inverse of `stirred`: what the word was before."""
    word = _unshifted(word, 31)
    word = _unshifted(word * pow(0x94D049BB133111EB, -1, 2**64) & _MASK, 27)
    word = _unshifted(word * pow(0xBF58476D1CE4E5B9, -1, 2**64) & _MASK, 30)
    return (word - 0x9E3779B97F4A7C15 - number) & _MASK


def test_luck_leads_to_no_cards():
    """An agent goes back from its word to the deal, and deals: that must be other cards."""
    assert all(_unstirred(stirred(word, 7), 7) == word for word in (0, 1, 2**63 + 5))
    spies = Script(), Script()
    deck = shuffled_decks(NLHE, 5, 8, 1)[0].tolist()
    play_hand(NLHE, [Seated(spy) for spy in spies], deck, seed=5, deal=8)
    for seat, spy in enumerate(spies):
        for number, (word, _, _) in enumerate(spy.draws):
            deal = _unstirred(_unstirred(word, number), 3 + seat)
            assert deal != mixed(5, 8)
            for start in (stirred(deal, 1), deal, word):
                dealt = np.empty((1, 52), np.uint8)
                deck_in_order = np.arange(52, dtype=np.uint8)
                deal_hands(np.array([start], np.uint64), deck_in_order, 52, 0, dealt)
                assert dealt[0].tolist() != deck


def test_luck_that_was_kept_shows_nothing_of_others():
    class Keeper(Script):
        def act(self, view, clock, rng):
            self.rng = rng
            return super().act(view, clock, rng)

        def hand_end(self, view):
            self.word_at_end = self.rng.word

    keeper, other = Keeper(), Script()
    hand(keeper, other, seed=5, deal=8)
    assert keeper.word_at_end == 0


def test_hooks_are_called_in_order():
    agent = Script()
    hand(agent, Script())
    assert [what for what, _ in agent.seen] == [
        "hand_start",
        *["act"] * 4,
        "showdown",
        "hand_end",
    ]
    assert agent.seen[0][1].cards == (1, 0)
    assert agent.seen[0][1].payoffs is None
    assert [seat for seat, _ in agent.seen[-2][1].shown] == [0, 1]
    assert sum(agent.seen[-1][1].payoffs) == 0


def test_nobody_shows_after_a_fold():
    agent = Script()
    hand(agent, Script(Decision(FOLD)), button=1)
    assert [what for what, _ in agent.seen] == ["hand_start", "hand_end"]


def crash():
    raise ZeroDivisionError("no")


@pytest.mark.parametrize(
    ("move", "kind", "said"),
    [
        (crash, "crashed", "ZeroDivisionError: no"),
        (Decision(CHECK), "illegal", "Check()"),
        (Decision(RaiseTo(3)), "illegal", "RaiseTo(3)"),
        (Decision(RaiseTo(201)), "illegal", "legal: fold, call 1, raise to 4..200"),
        (CALL, "illegal", "Call(), which is not a Decision"),
        (None, "illegal", "None, which is not a Decision"),
        (Decision("call"), "illegal", "'call'"),
        (Decision(None), "illegal", "None"),
    ],
)
def test_a_failure_is_a_fold_where_that_costs(move, kind, said):
    played = hand(Script(lambda: crash() if move is crash else move), Script())
    assert played.payoffs == (-1, 1)
    (fault,) = played.faults
    assert (fault.seat, fault.kind) == (0, kind)
    assert said in fault.detail


def test_a_failure_is_a_check_where_that_is_free():
    played = hand(Script(), Script(crash, crash, crash, crash))
    assert [fault.kind for fault in played.faults] == ["crashed"] * 4
    assert played.final.shown
    assert played.final.moves.count(CHECK) == 7


def test_late_is_ruled_on_and_in_time_is_not():
    slow = Script(lambda: time.sleep(0.05) or Decision(CALL))
    played = hand(slow, Script(), clock=0.02)
    assert played.payoffs == (-1, 1)
    assert played.faults[0].kind == "late"
    assert "of 0.02" in played.faults[0].detail
    slow = Script(lambda: time.sleep(0.05) or Decision(CALL))
    assert hand(slow, Script(), clock=30).faults == ()
    assert slow.seen[1][0] == "act"


def test_a_bad_hook_changes_nothing_but_is_kept():
    class Bad(Script):
        def hand_start(self, view):
            raise ValueError("start")

        def showdown(self, view):
            raise ValueError("show")

        def hand_end(self, view):
            raise ValueError("end")

    good, bad = hand(Script(), Script()), hand(Script(), Bad())
    assert bad.payoffs == good.payoffs
    assert [(f.seat, f.kind, f.detail) for f in bad.faults] == [
        (1, "hook", f"{hook}: ValueError: {word}")
        for hook, word in (("hand_start", "start"), ("showdown", "show"), ("hand_end", "end"))
    ]


class _NoWordsError(Exception):
    def __str__(self):
        raise RuntimeError("no words")


class _Unseen:
    def __repr__(self):
        raise RuntimeError("do not look")


class _NoAction(Decision):
    @property
    def action(self):
        raise SystemExit(3)


def _raiser(problem):
    def move():
        raise problem

    return move


@pytest.mark.parametrize(
    ("move", "kind", "said"),
    [
        (_raiser(SystemExit(2)), "crashed", "SystemExit: 2"),
        (_raiser(GeneratorExit()), "crashed", "GeneratorExit"),
        (_raiser(_NoWordsError()), "crashed", "_NoWordsError: ("),
        (_raiser(ValueError("x" * 10_000)), "crashed", "ValueError: xxx"),
        (_raiser(ValueError("\ud800")), "crashed", "ValueError: \\ud800"),
        (lambda: _Unseen(), "illegal", "(a _Unseen that cannot be shown)"),
        (lambda: Decision(_Unseen()), "illegal", "(a Decision that cannot be shown)"),
        (lambda: _NoAction(CALL), "illegal", "legal: "),
    ],
)
def test_failures_of_every_kind_are_ruled_on(move, kind, said):
    played = hand(Script(move), Script())
    (fault,) = played.faults
    assert (fault.seat, fault.kind) == (0, kind)
    assert said in fault.detail
    assert len(fault.detail) < 700
    fault.detail.encode()
    assert played.payoffs == (-1, 1)


def test_a_hook_may_fail_in_every_way():
    class Bad(Script):
        def hand_start(self, view):
            raise SystemExit

        def hand_end(self, view):
            raise _NoWordsError

    assert [fault.kind for fault in hand(Bad(), Script()).faults] == ["hook", "hook"]


def test_an_interrupt_is_no_fault():
    def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        hand(Script(stop), Script())


def test_decks_depend_on_their_number_alone():
    decks = shuffled_decks(NLHE, 3, 10, 6)
    assert decks.shape == (6, 52)
    assert decks.dtype == np.uint8
    for row in range(6):
        assert sorted(decks[row].tolist()) == list(range(52))
        assert (shuffled_decks(NLHE, 3, 10 + row, 1)[0] == decks[row]).all()
    assert (shuffled_decks(NLHE, 4, 10, 6) != decks).any(axis=1).all()
    assert set(shuffled_decks(load("short-deck"), 3, 0, 2)[0].tolist()) == set(range(16, 52))


def test_shuffles_are_even():
    """Each card on each of the first nine places: 52 cells of 1/52, by chi-square."""
    decks = shuffled_decks(NLHE, 1, 0, 26_000)[:, :9]
    for place in range(9):
        counts = np.bincount(decks[:, place], minlength=52)
        assert ((counts - 500) ** 2 / 500).sum() < 110  # 51 degrees of freedom: p = 3e-6


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.name}-{game.players}")
def test_every_game_is_played_to_its_end(game):
    seats = [Seated(make_agent("uniform")) for _ in range(game.players)]
    for deal, deck in enumerate(shuffled_decks(game, 1, 0, 30).tolist()):
        button = deal % game.players
        played = play_hand(game, seats, deck, seed=1, deal=deal, button=button)
        assert not played.faults
        assert sum(played.payoffs) == 0
        record = record_hand(played.final, number=deal)
        assert record.payoffs == played.payoffs
        past = decisions(played.final)
        assert played.decisions == tuple((one.street, one.seat, one.action) for one in past)
        line = hand_line(record)
        assert hand_line(parse_hand(line, game)) == line
        again = play_hand(game, seats, deck, seed=1, deal=deal, button=button)
        assert again.final == played.final


def test_a_hand_without_decisions_starts_before_its_board():
    game = load("nlhe", seats=3, stack=(3, 1, 2), ante=1, short_stacks=True)
    agents = [Script() for _ in range(3)]
    played = play_hand(game, [Seated(agent) for agent in agents], range(52), button=1)
    assert played.decisions == ()
    for agent in agents:
        assert [what for what, _ in agent.seen] == ["hand_start", "showdown", "hand_end"]
        start = agent.seen[0][1]
        assert (start.board, start.shown, start.payoffs) == ((), (), None)
