"""The engine of MIT Pokerbots: recorded matches byte for byte, clocks and rulings."""

import gc
import weakref

import pytest

from helpers.recorded import GOLDEN, game_log, hidden_ranks
from tiltless.cards.card import parse_cards
from tiltless.errors import OptionError
from tiltless.games.holdem.permutation import draw_ranks
from tiltless.protocols.mit.engine import LATE, LOST, TimedAnswer, play_match
from tiltless.seeding import SeededRandom

STEMS = {2020: "mit-2020-permutation", 2023: "mit-2023-river-of-blood"}


class Recording:
    """A recorded player: answers what it answered, in the time that it took."""

    is_connected = True

    def __init__(self, name, file):
        lines = (GOLDEN / file).read_text().splitlines()
        self.name = name
        self.expected = [line[2:] for line in lines if line[0] == "<"]
        self.answers = [line[2:] for line in lines if line[0] == ">"]
        self.heard = []

    def ask(self, line, limit):
        self.heard.append(line)
        count = len(self.heard)
        now, after = map(_clock, (line, self.expected[count]))
        return TimedAnswer(self.answers[count - 1], 0 if after is None else round(now - after, 3))

    def decks(self, other):
        """The cards of each hand in the order dealt, as both players saw them."""
        for mine, theirs in zip(_hands(self.expected), _hands(other.expected), strict=True):
            (_, first, _), (_, second, _) = sorted([mine, theirs])
            yield [*first, *second, *max(mine[2], theirs[2], key=len)]


def _clock(line):
    return None if line == "Q" else float(line.split()[0][1:])


def _hands(lines):
    """(position, hole cards, board) of each hand."""
    hands = []
    for clause in " ".join(lines).split():
        if clause[0] == "P":
            hands.append([int(clause[1:]), (), ()])
        elif clause[0] in "HB":
            hands[-1]["HB".index(clause[0]) + 1] = parse_cards(clause[1:])
    return hands


class Scripted:
    """A player with a function for answers; ``times``: seconds of each reply, then none."""

    is_connected = True

    def __init__(self, name, answer, times=()):
        self.name, self.answer, self.times, self.heard = name, answer, iter(times), []

    def ask(self, line, limit):
        self.heard.append(line)
        answer = self.answer(line)
        seconds = next(self.times, 0.0)
        if isinstance(answer, TimedAnswer):
            return answer
        return TimedAnswer(answer, seconds, LATE if seconds > limit else "")


def check_or_call(line):
    """Legal against players who never raise: the small blind calls first."""
    return "C" if " P0 " in line else "K"


def replayed(year):
    a, b = (Recording(name, f"{STEMS[year]}.{name}.txt") for name in "AB")
    decks = list(a.decks(b))
    ranks = hidden_ranks(f"{STEMS[year]}.gamelog.txt") if year == 2020 else ""
    return a, b, play_match(year, [a, b], hands=len(decks), ranks=ranks, decks=decks)


@pytest.mark.parametrize("year", STEMS)
def test_recorded_matches_byte_for_byte(year):
    a, b, match = replayed(year)
    for player, seat in zip((a, b), match.seats, strict=True):
        assert [*player.heard, "Q"] == player.expected
        assert seat.clock == pytest.approx(_clock(player.expected[-2]))
    assert sum(match.bankrolls) == 0
    assert match.seats[0].faults.total() == 0
    assert set(match.seats[1].faults) == {"illegal", "misformatted"}


def test_the_log_of_2020_byte_for_byte():
    recorded = (GOLDEN / f"{STEMS[2020]}.gamelog.txt").read_text()
    assert replayed(2020)[2].log == recorded


def test_the_log_of_2023_with_a_slow_bot_byte_for_byte():
    """A answers once after 12 seconds of a clock of 60, and is never asked again."""
    name = f"{STEMS[2023]}.gamelog.txt"
    decks = [
        [*hand.cards[hand.button], *hand.cards[1 - hand.button], *board(hand)]
        for hand in game_log(name)
    ]
    slow = Scripted("A", check_or_call, [0.0] * 5 + [12.0])
    match = play_match(
        2023, [slow, Scripted("B", check_or_call)], hands=len(decks), clock=60, decks=decks
    )
    assert match.log == (GOLDEN / name).read_text()
    assert len(slow.heard) == 6
    assert match.seats[0].clock == 0
    assert match.seats[0].faults == {"late": 1}


def board(hand):
    boards = [move for move in hand.moves if isinstance(move, tuple)]
    return boards[-1] if boards else ()


def one_hand(year, cards, answers, **options):
    """A hand with scripted answers by player, decisions and acknowledgements in order."""
    scripts = [iter(each) for each in answers]
    players = [
        Scripted(name, lambda _, script=script: next(script))
        for name, script in zip("AB", scripts, strict=True)
    ]
    deck = parse_cards(cards)
    match = play_match(year, players, hands=1, decks=[deck], **options)
    assert all(next(script, None) is None for script in scripts)
    return match, players


def test_both_all_in_are_asked_on_every_street():
    cards = "AsAd KsKd 2c7d9h 3s 4h"
    asked = ["K", "K", "K", "K"]  # three streets and the acknowledgement
    match, (a, b) = one_hand(2020, cards, [["R200", *asked], ["C", *asked]], ranks="23456789TJQKA")
    assert match.bankrolls == (200, -200)
    assert [line.split()[1:] for line in b.heard] == [
        ["P1", "HKs,Kd", "R200"],
        ["C", "B2c,7d,9h"],
        ["K", "K", "B2c,7d,9h,3s"],
        ["K", "K", "B2c,7d,9h,3s,4h"],
        ["K", "K", "OAs,Ad", "D-200"],
    ]
    assert a.heard[1].split()[1:] == ["R200", "C", "B2c,7d,9h", "K"]


def test_the_run_is_told_from_the_hand():
    """Each had paid 2 when the run began; the small blind won 10 more on it."""
    cards = "AsAd KsKd 2c7d9h 3s 4h 5c"
    checks = ["K"] * 3
    match, _ = one_hand(2023, cards, [["C", *checks, "C", "K"], ["K", *checks, "R10", "K"]])
    assert match.log.splitlines()[-7:] == [
        "A awarded 12",
        "B awarded -12",
        "Run reached",
        "A won 10",
        "B won -10",
        "",
        "Final, B (-12), A (12)",
    ]


def test_no_run_is_told_where_all_chips_were_in_before():
    cards = "AsAd KsKd 2c7d9h 3s 4h 5c"
    asked = ["K"] * 5
    match, _ = one_hand(2023, cards, [["R400", *asked], ["C", *asked]])
    assert "Run [" in match.log
    assert "Run reached" not in match.log


@pytest.mark.parametrize(
    ("answer", "told", "line"),
    [
        ("R3", "F", "A attempted illegal RaiseAction"),
        ("R201", "F", "A attempted illegal RaiseAction"),
        ("K", "F", "A attempted illegal CheckAction"),
        ("", "F", "A response misformatted"),
        ("Rx", "F", "A response misformatted"),
        ("call", "F", "A response misformatted"),
        (" Call ", "C", None),
        ("R0_4", "R4", None),
    ],
)
def test_rulings_on_answers(answer, told, line):
    """As the published engines read them: by the first character, and raises by Python's int."""
    a = Scripted("A", lambda text: answer if "P0" in text else "K")
    b = Scripted("B", lambda text: "K" if "D" in text or "R" not in text else "F")
    match = play_match(2020, [a, b], hands=1)
    assert a.heard[1].split()[1] == told
    assert (line is None) == (match.seats[0].faults.total() == 0)
    assert line is None or line in match.log.splitlines()


@pytest.mark.parametrize("problem", [LATE, LOST])
def test_a_player_without_clock_checks_and_folds_to_the_end(problem):
    gone = Scripted("A", lambda line: TimedAnswer("", 0.1, problem))
    match = play_match(2020, [gone, Scripted("B", check_or_call)], hands=10)
    assert len(gone.heard) == 1
    assert match.log.count(f"A {problem}") == 1
    assert match.seats[0].clock == 0
    # A folds the small blind, and checks the big blind down: B never bets
    assert match.log.count("A folds") == 5
    assert match.log.count("B folds") == 0


def test_the_clock_counts_acknowledgements_and_decisions():
    times = [0.25] * 100
    a = Scripted("A", check_or_call, times)
    match = play_match(2020, [a, Scripted("B", check_or_call)], hands=1)
    assert match.seats[0].clock == pytest.approx(30 - 0.25 * len(a.heard))
    assert len(match.seats[0].seconds) == len(a.heard) - 1
    late = Scripted("A", check_or_call, times)
    match = play_match(2020, [late, Scripted("B", check_or_call)], hands=50, clock=1)
    assert len(late.heard) == 4  # the fourth reply comes when 0 seconds are left
    assert match.seats[0].faults == {"late": 1}


def test_a_player_that_never_connected_is_not_asked_and_not_mentioned():
    absent = Scripted("A", check_or_call)
    absent.is_connected = False
    match = play_match(2020, [absent, Scripted("B", check_or_call)], hands=4)
    assert absent.heard == []
    assert match.seats[0].faults == {"absent": 1}
    assert match.log.count("A folds") == 2


def test_seeds_decide_cards_and_order_of_ranks():
    def log(seed, year=2020):
        players = [Scripted(name, check_or_call) for name in "AB"]
        return play_match(year, players, hands=3, seed=seed).log

    assert log(1) == log(1)
    assert log(1) != log(2)
    assert log(1, 2023) != log(2, 2023)
    orders = {tuple(log(seed).splitlines()[3]) for seed in range(20)}
    assert len(orders) == 20
    assert len(draw_ranks(SeededRandom(1))) == 13


def test_what_is_refused():
    players = [Scripted(name, check_or_call) for name in "AB"]
    for options in (
        {"year": 2021},
        {"year": 2023, "ranks": "23456789TJQKA"},
        {"year": 2020, "ranks": "A"},
        {"year": 2020, "stack": 3},
        {"year": 2020, "hands": -1},
        {"year": 2020, "clock": float("nan")},
    ):
        with pytest.raises(OptionError):
            play_match(players=players, **options)


def test_progress_and_bankrolls():
    told = []
    players = [Scripted(name, check_or_call) for name in "AB"]
    match = play_match(2023, players, hands=20, progress=lambda *now: told.append(now))
    assert [number for number, _ in told] == list(range(1, 21))
    assert told[-1][1] == match.bankrolls[0]
    assert sum(match.bankrolls) == 0


def test_a_match_that_is_over_does_not_keep_its_players():
    """An agent may have hundreds of megabytes of solutions, and a command plays many matches."""

    class Checks:
        name, is_connected = "A", True

        def ask(self, line, limit):
            return TimedAnswer("K", 0.0)

    players = [Checks(), Checks()]
    known = [weakref.ref(player) for player in players]
    match = play_match(2023, players, hands=2)
    del players
    gc.collect()
    assert match.seats[0].name == "A"
    assert not any(player() for player in known)
