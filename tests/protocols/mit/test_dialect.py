"""Hands of the MIT engines as agents see them: recorded matches, rulings, lines that are wrong."""

import re
from collections import Counter

import pytest

from helpers.mit_lines import EVERY, STEMS, exchanges
from helpers.recorded import GOLDEN, hidden_ranks, wire_match
from tiltless.agents.agent import Agent, Decision, check_or_call
from tiltless.arena.rulings import Ruling
from tiltless.cards.card import parse_cards
from tiltless.games.holdem.actions import CHECK, RaiseTo
from tiltless.protocols.adapter import RULINGS, Adapter, FakePeer
from tiltless.protocols.mit.dialect import MitDialect
from tiltless.protocols.mit.wire import ONLY_CHECK, answer_text, parse_clause, ruled_answer
from tiltless.protocols.mit.years import YEARS


class Noting(Agent):
    """Plays what it is told, which must be legal, or checks and calls; records what it sees."""

    def __init__(self, *actions):
        self.actions, self.seen = list(actions), []

    def act(self, view, clock, rng):
        self.seen.append(("act", view))
        action = self.actions.pop(0) if self.actions else check_or_call(view.actions)
        assert action in view.actions
        assert 0 < clock.seconds < 10
        return Decision(action)

    def match_start(self):
        self.seen.append(("match_start", None))

    def hand_start(self, view):
        self.seen.append(("hand_start", view))

    def showdown(self, view):
        self.seen.append(("showdown", view))

    def hand_end(self, view):
        self.seen.append(("hand_end", view))

    def views(self, hook):
        return [view for name, view in self.seen if name == hook]

    @property
    def hooks(self):
        return [name for name, _ in self.seen if name != "act"]


@pytest.fixture(scope="module", params=EVERY, ids=lambda each: f"{each[0]} {each[1]}")
def replayed(request):
    """A recorded match, replayed by an agent that plays the actions that counted."""
    year, player = request.param
    agent, dialect = Noting(), MitDialect(YEARS[year], hands=300)
    adapter = Adapter(dialect, agent)
    answers, asked = [], []
    for line, _, counted in exchanges(year, player):
        decisions = len(agent.views("act"))
        agent.actions = [parse_clause(counted)] if counted else []
        answers.append(adapter.receive(line))
        asked.append(len(agent.views("act")) > decisions)
    assert adapter.receive("Q") is None
    return year, player, adapter, answers, asked


def test_recorded_actions_are_legal_and_come_out_as_answers(replayed):
    year, player, adapter, answers, asked = replayed
    assert answers == [each.counted or "K" for each in exchanges(year, player)]
    assert adapter.faults == []
    assert adapter.dialect.is_over
    assert sum(asked) > 500


def test_who_is_all_in_is_not_asked(replayed):
    year, player, adapter, _, asked = replayed
    for each, was_asked in zip(exchanges(year, player), asked, strict=True):
        assert was_asked or each.counted in ("", "K")
    assert not any(0 in view.stacks and view.to_call == 0 for view in adapter.agent.views("act"))


def test_every_hand_has_its_hooks_in_order(replayed):
    _, _, adapter, _, _ = replayed
    hooks = " ".join(adapter.agent.hooks)
    assert re.fullmatch("match_start( hand_start( showdown)? hand_end){300}", hooks)


def test_chips_agree_with_the_recording(replayed):
    """Payoffs, pots and stacks of every hand, against a replay by our own game."""
    year, player, adapter, _, _ = replayed
    seat = "AB".index(player)
    ranks = {"ranks": hidden_ranks("mit-2020-permutation.gamelog.txt")} if year == 2020 else {}
    match = wire_match(STEMS[year])
    ends = adapter.agent.views("hand_end")
    game = YEARS[year].game(**ranks)
    for hand, view in zip(match, ends, strict=True):
        state = game.start(hand.button if seat == 0 else 1 - hand.button)
        for cards in hand.cards if seat == 0 else hand.cards[::-1]:
            state = state.apply(cards)
        for move in hand.moves:
            if isinstance(move, tuple):
                state = state.apply(move[len(state.board) :])
            elif state.actor >= 0:
                state = state.apply(move)
        assert view.payoffs == state.payoffs
        assert (view.paid, view.board, view.button) == (state.paid, state.board, state.button)
        assert (view.cards, view.shown) == (state.hole[0], state.shown)
        assert view.moves[-1] == state.moves[-1]
    assert adapter.dialect.bankroll == sum(view.payoffs[0] for view in ends)
    assert adapter.dialect.bankroll == sum(hand.chips[seat] for hand in match)


def test_views_are_those_of_our_own_hands(replayed):
    """Every view that was acted on equals one of a hand that our game deals, field by field."""
    year, _, adapter, _, _ = replayed
    game = YEARS[year].game()
    for view in adapter.agent.views("act"):
        known = {*view.cards, *view.board}
        other = tuple([card for card in range(52) if card not in known][:2])
        state = game.start(view.button).apply(view.cards).apply(other)
        for move in view.moves[2:]:
            state = state.apply(move)
        assert state.view(0) == view


def test_the_showdown_says_who_has_won(replayed):
    _, _, adapter, _, _ = replayed
    views = adapter.agent.views("showdown")
    assert len(views) > 100
    results = Counter((view.payoffs[0] > 0) - (view.payoffs[0] < 0) for view in views)
    assert set(results) == {1, 0, -1}
    for view in views:
        assert [seat for seat, _ in view.shown] == [0, 1]
        assert view.shown[0][1] == view.cards
        assert len(view.board) >= 5


@pytest.mark.parametrize(("year", "player"), EVERY)
def test_recorded_answers_counted_as_we_rule(year, player):
    """Also the many illegal and garbled ones of player B."""
    agent, dialect = Noting(), MitDialect(YEARS[year], hands=300)
    adapter = Adapter(dialect, agent)
    complaints = Counter()
    for line, answer, counted in exchanges(year, player):
        before = len(agent.seen)
        agent.actions = [parse_clause(counted)] if counted else []
        adapter.receive(line)
        asked = [view for hook, view in agent.seen[before:] if hook == "act"]
        actions = asked[-1].actions if asked else ONLY_CHECK
        ruled = ruled_answer(answer, actions, YEARS[year].repeats_misread)
        assert answer_text(ruled.action) == (counted or "K")
        complaints[ruled.complaint] += 1
    if year == 2020:
        log = (GOLDEN / "mit-2020-permutation.gamelog.txt").read_text()
        for complaint in ("attempted illegal", "response misformatted"):
            told = sum(count for words, count in complaints.items() if words.startswith(complaint))
            assert told == len(re.findall(f"^{player} {complaint}", log, re.MULTILINE))
    if player == "B":
        assert len(complaints) >= 4
        assert sum(complaints.values()) - complaints[""] > 100


def test_rulings_of_the_engines():
    assert set(RULINGS["mit"]) == {Ruling.CHECK_OR_FOLD}


def play(*lines, year=2023, agent=None):
    adapter = Adapter(MitDialect(YEARS[year]), agent or Noting())
    return adapter, FakePeer(lines).play(adapter)


def test_an_overruled_answer_is_recorded_and_the_hand_goes_on():
    agent = Noting(RaiseTo(6))
    adapter, answers = play("T30.000 P1 HAs,Kd R4", "T29.0 F D-2", agent=agent)
    assert answers == ["R6", "K"]
    assert [(each.kind, each.detail) for each in adapter.faults] == [
        ("overruled", "hand 1: R6 counted as F")
    ]
    assert agent.views("hand_end")[0].payoffs == (-2, 2)


def test_a_failing_agent_checks_or_folds():
    class Bad(Noting):
        def act(self, view, clock, rng):
            raise ZeroDivisionError

    adapter, answers = play("T30.000 P1 HAs,Kd R4", "T29.0 F D-2", "T29.0 P0 H2s,2d", agent=Bad())
    assert answers == ["F", "K", "F"]
    assert [each.kind for each in adapter.faults] == ["crashed", "crashed"]


def test_boards_of_any_length():
    """Red cards to a board of eleven, betting on each street; then black, and a showdown."""
    board = ["Kh", "7c", "9d", "5s", "2h", "3h", "4d", "8d", "Th", "6h", "Jd"]
    lines, agent = ["T30.000 P1 HAs,Ad C", "T30.000 K B" + ",".join(board[:3])], Noting(CHECK)
    for size in range(4, 12):
        agent.actions.append(RaiseTo(2))
        lines.append("T30.000 R2 C B" + ",".join(board[:size]))
    lines += ["T30.000 R2 C B" + ",".join([*board, "Ac"]), "T29.9 K K O8s,4s D-20"]
    agent.actions += [RaiseTo(2), CHECK]
    adapter, answers = play(*lines, agent=agent)
    assert adapter.faults == []
    assert answers == ["K", *["R2"] * 9, "K", "K"]
    (view,) = agent.views("showdown")
    assert len(view.board) == 12
    assert view.street_name == "run"
    assert view.shown[1] == (1, parse_cards("8s4s"))


def test_all_in_streets_are_checked_without_the_agent():
    agent = Noting(RaiseTo(200))
    lines = ["T30.000 P0 HAs,Ad", "T30.000 R200 C B2h,7c,9d K", "T30.000 K B2h,7c,9d,5s K"]
    lines += ["T30.000 K B2h,7c,9d,5s,2c K", "T30.000 K OKs,Kd D200", "T30.000 P1 HTs,Td R200"]
    adapter, answers = play(*lines, year=2020, agent=agent)
    assert answers[:5] == ["R200", "K", "K", "K", "K"]
    assert len(agent.views("act")) == 2
    assert agent.views("hand_end")[0].payoffs == (200, -200)
    assert answers[5] == "C"
    assert adapter.faults == []


FIRST = "T30.000 P0 HAs,Ad"
CALLED = "T29.999 R4 C B2h,7c,9d K"
BETS = {
    "a clause that cannot be read": ("T29.999 R4 Cx B2h,7c,9d K", "K"),
    "a letter of another year": ("T29.999 R4 Y1 C B2h,7c,9d R4", "F"),
    "a missing action": ("T29.999 R4 B2h,7c,9d R4", "F"),
    "our own action missing": ("T29.999", "K"),
    "a missing board": ("T29.999 R4 C R4", "F"),
    "a repeated action": ("T29.999 R4 C C B2h,7c,9d K", "K"),
    "a raise below the minimum": ("T29.999 R4 R5", "F"),
    "a raise above the stack": ("T29.999 R4 R401", "F"),
    "a check instead of a call": ("T29.999 R4 K B2h,7c,9d K", "K"),
    "a board of four cards": ("T29.999 R4 C B2h,7c,9d,5s K", "K"),
    "a board with our card": ("T29.999 R4 C B2h,As,9d K", "K"),
    "a board with a card twice": ("T29.999 R4 C B2h,2h,9d K", "K"),
    "cards shown too early": ("T29.999 R4 C B2h,7c,9d O8s,4s", "K"),
    "an empty line": ("", "K"),
    "spaces": ("   ", "K"),
    "a line of ten thousand clauses": ("T1.0 " + "K " * 10_000, "K"),
    "bytes": ("\x00\x7f\u2028 \u0665", "K"),
    "nobody to act": ("T29.999 R4 C", "K"),
    "the opponent to act": ("T29.999 R4 C B2h,7c,9d", "K"),
}


@pytest.mark.parametrize("name", BETS)
def test_a_lost_hand_is_checked_or_folded_to_its_end(name):
    """Until the result, which counts, and the next hand is played as usual."""
    line, blind = BETS[name]
    agent = Noting(RaiseTo(4))
    lines = [FIRST, line, "T29.9 K B2h,7c,9d,5s K", "T29.9 R3", "T29.9 F D-4"]
    adapter, answers = play(*lines, "T29.9 P1 HKs,Kd C", agent=agent)
    assert answers == ["R4", blind, "K", "F", "K", "K"]
    assert {each.kind for each in adapter.faults} == {"garbled"}
    assert all(each.detail.startswith("hand 1: ") for each in adapter.faults)
    assert all(len(each.detail) < 200 for each in adapter.faults)
    assert agent.hooks == ["match_start", "hand_start", "hand_end", "hand_start"]
    assert agent.views("hand_end")[0].payoffs == (-4, 4)
    assert len(agent.views("act")) == 2


SURVIVED = (
    "Tx R4 C B2h,7c,9d K",
    "R4 C B2h,7c,9d K",
    "T29.9 P7 R4 C B2h,7c,9d K",
    "T29.9 R4 C B2h,7c,9d B2h,7c,9d K",
    "T29.9 T29.9 R4 C B2h,7c,9d K",
    "T29.9  R4   C B2h,7c,9d K\t",
    "T999999999.0 R4 C B9d,2h,7c K",
)


@pytest.mark.parametrize("line", SURVIVED)
def test_a_hand_survives_what_can_be_known_otherwise(line):
    agent = Noting(RaiseTo(4), RaiseTo(10))
    assert play(FIRST, line, agent=agent)[1] == ["R4", "R10"]


@pytest.mark.parametrize("last", ["O8s,4s D0", "O8s,4s D-4", "O8s,4s D4"])
def test_showdowns_end_with_one_of_three_results(last):
    agent = Noting(RaiseTo(4))
    board = "2h,7c,9d,5s,Jc"
    lines = [FIRST, CALLED, "T29 K B2h,7c,9d,5s K", f"T29 K B{board} K", f"T29 K {last}"]
    adapter, answers = play(*lines, agent=agent)
    assert (answers[-1], adapter.faults) == ("K", [])
    assert agent.views("showdown")[0].payoffs[0] == int(last.split("D")[1])


DOUBTFUL = {
    "D4": 4,
    "O8s,4s D5": 5,
    "O8s,4s D-400": -400,
    "OAs,4s D4": 4,
    "O8s D4": 4,
    "O8s,4s,2c D4": 4,
    "O2h,3h D-4": -4,
    "O8s,4s O8s,5s D4": 4,
    "F O8s,4s D4": 4,
}


@pytest.mark.parametrize(("last", "delta"), DOUBTFUL.items())
def test_doubtful_showdowns_are_not_shown(last, delta):
    """A hand without its cards, cards that cannot be, contradictory results: the result counts."""
    agent = Noting(RaiseTo(4))
    board = "2h,7c,9d,5s,Jc"
    lines = [FIRST, CALLED, "T29 K B2h,7c,9d,5s K", f"T29 K B{board} K", f"T29 K {last}"]
    adapter, answers = play(*lines, agent=agent)
    assert answers[-1] == "K"
    assert agent.hooks == ["match_start", "hand_start", "hand_end"]
    assert agent.views("hand_end")[0].payoffs == (delta, -delta)
    assert adapter.dialect.bankroll == delta
    assert "garbled" in {each.kind for each in adapter.faults}


@pytest.mark.parametrize("first", ["T30.000 P1 HAs,As C", "T30.000 P1 HAs C", "T30.000 P1 C", ""])
def test_a_hand_without_its_cards_is_counted(first):
    agent = Noting()
    lines = [first, "T29.9 K B2h,7c,9d R4", "T29.9 F D-2", "T29.9 P0 HKs,Kd"]
    adapter, answers = play(*lines, agent=agent)
    assert answers == ["K", "F", "K", "C"]
    assert agent.hooks == ["match_start", "hand_start", "hand_end", "hand_start"]
    assert agent.views("hand_end")[0].payoffs == (-2, 2)
    assert (adapter.dialect.hands_begun, adapter.dialect.bankroll) == (2, -2)


@pytest.mark.parametrize("first", ["T30.000 P0 HAs,As", "T30.000 P0 HAs", "T30.000 P0 Hx"])
def test_a_small_blind_without_its_cards_folds(first):
    """A check would not be legal."""
    assert play(first)[1] == ["F"]


def test_an_all_in_is_followed_by_two_checks_a_street():
    lines = ["T30.000 P0 HAs,Ad", "T30.000 R400 C B2h,7c,9d K", "T30.000 K K K B2h,7c,9d,5s K"]
    adapter, answers = play(*lines, agent=Noting(RaiseTo(400)))
    assert answers == ["R400", "K", "K"]
    assert [each.kind for each in adapter.faults] == ["garbled"]


def test_repeated_results_count_once():
    agent = Noting()
    lines = ["T30.000 P1 HAs,Kd F D1", "T30.000 D1", "T30.000 P0 H2s,2d", "T29.9 C R8"]
    adapter, answers = play(*lines, "T29.9 C D4", "T30.0 F D-8 D-8", agent=agent)
    assert answers[:4] == ["K", "K", "C", "C"]
    assert adapter.dialect.hands_begun == 2
    assert adapter.dialect.bankroll == 5
    assert agent.hooks[1:] == ["hand_start", "hand_end"] * 2


def test_a_missing_result_is_a_fold_if_it_was_one():
    agent = Noting(RaiseTo(6))
    lines = ["T30.000 P1 HAs,Kd C", "T30.000 R6 F", "T30.000 P0 H2s,2d", "T30.000 P1 H3s,3d C"]
    adapter, answers = play(*lines, agent=agent)
    assert answers == ["R6", "K", "C", "K"]
    assert [view.payoffs for view in agent.views("hand_end")] == [(2, -2), (0, 0)]
    assert adapter.dialect.hands_begun == 3


def test_positions_alternate_when_they_are_not_told():
    agent = Noting()
    play("T30 P1 HAs,Kd F D1", "T30 H2s,2d", "T30 F D-1", "T30 Px H3s,3d C", agent=agent)
    assert [view.button for view in agent.views("hand_start")] == [1, 0, 1]


def test_nothing_follows_the_end_of_the_match():
    adapter, answers = play("T30 P1 HAs,Kd F D1", "Q")
    assert answers == ["K"]
    assert adapter.dialect.is_over
    adapter, answers = play("Q")
    assert answers == []
