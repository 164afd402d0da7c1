"""Lines of the MIT engines: byte for byte on recorded matches, and rulings on answers."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.recorded import GOLDEN
from tiltless.cards.card import parse_cards
from tiltless.errors import InputError, OptionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, LegalActions, RaiseTo
from tiltless.protocols.mit.wire import (
    CLAUSES,
    ONLY_CHECK,
    ChipDelta,
    MatchOver,
    OpponentCards,
    OwnCards,
    Position,
    RuledAnswer,
    TimeLeft,
    WholeBoard,
    answer_text,
    line_text,
    parse_clause,
    parse_line,
    ruled_answer,
)
from tiltless.protocols.mit.years import YEARS, find_year

STEMS = {2020: "mit-2020-permutation", 2023: "mit-2023-river-of-blood"}


def recorded_lines(year, player):
    text = (GOLDEN / f"{STEMS[year]}.{player}.txt").read_bytes().decode("ascii")
    return [(line[0], line[2:]) for line in text.splitlines()]


@pytest.mark.parametrize("player", "AB")
@pytest.mark.parametrize("year", YEARS)
def test_recorded_lines_are_read_and_written_byte_for_byte(year, player):
    forms = YEARS[year].clauses
    lines = [line for way, line in recorded_lines(year, player) if way == "<"]
    assert len(lines) > 900
    for line in lines:
        assert line_text(parse_line(line, forms), forms) == line


@pytest.mark.parametrize("year", YEARS)
def test_recorded_answers_are_written_byte_for_byte(year):
    """Player A's are all legal; of B's, which are not, see the rulings."""
    answers = [line for way, line in recorded_lines(year, "A") if way == ">"]
    assert {answer[0] for answer in answers} >= {"K", "R"}
    for answer in answers:
        assert answer_text(parse_clause(answer)) == answer


def test_a_line_of_every_clause():
    line = "T29.998 P1 H3h,5s C R12 K F BKh,7c,9d O8s,4s D-8 Q"
    assert parse_line(line) == (
        TimeLeft(29.998),
        Position(1),
        OwnCards(parse_cards("3h5s")),
        CALL,
        RaiseTo(12),
        CHECK,
        FOLD,
        WholeBoard(parse_cards("Kh7c9d")),
        OpponentCards(parse_cards("8s4s")),
        ChipDelta(-8),
        MatchOver(),
    )
    assert {text[0] for text in line.split()} == set(CLAUSES)


def test_boards_of_31_cards():
    reds = [rank + suit for suit in "hd" for rank in "23456789TJQKA"]
    line = "B" + ",".join(["2c", "3c", "4c", "5c", *reds, "As"])
    assert len(parse_clause(line).cards) == 31
    assert line_text([parse_clause(line)]) == line


NOT_CLAUSES = """X t1.0 T Tnan T-1.0 T1e5 T٣.0 P P2 P-1 H HAs, Has HAs,As HAsKd H1s,Kd B BAs,,Kd R
R-4 R4.0 R04 R+4 R1_0 R9999999999999 D D+4 D--4 D-0 D1.5 K1 Fold Q1 OAs;Kd \x00"""


@pytest.mark.parametrize("clause", [*NOT_CLAUSES.split(), "", " ", "K\n", "B" + "As," * 60 + "As"])
def test_what_is_not_a_clause_is_refused(clause):
    with pytest.raises(InputError):
        parse_clause(clause)


@given(st.text(alphabet="TPHFCKRBODQ0123456789.,-AKcdhs ", max_size=40))
def test_what_is_read_is_written_again(line):
    """Only a clock may be written with more or fewer decimals."""
    try:
        clauses = parse_line(line)
    except InputError:
        return
    written = line_text(clauses)
    assert parse_line(written)[1:] == clauses[1:] or "T" in line[1:]
    if "T" not in line:
        assert written == line


ANY = LegalActions(True, False, 2, 4, 200)
FREE = LegalActions(False, True, 0, 2, 200)
CALLED = LegalActions(True, False, 150, 0, 0)


@pytest.mark.parametrize(
    ("answer", "actions", "ruled"),
    [
        ("R4", ANY, RuledAnswer(RaiseTo(4))),
        ("R200\r", ANY, RuledAnswer(RaiseTo(200))),
        (" R +1_0 ", ANY, RuledAnswer(RaiseTo(10))),
        ("Call me", ANY, RuledAnswer(CALL)),
        ("F", ANY, RuledAnswer(FOLD)),
        ("R3", ANY, RuledAnswer(FOLD, "attempted illegal RaiseAction")),
        ("R201", FREE, RuledAnswer(CHECK, "attempted illegal RaiseAction")),
        ("Rubbish", CALLED, RuledAnswer(FOLD, "attempted illegal RaiseAction")),
        ("Rubbish", ANY, RuledAnswer(FOLD, "response misformatted: Rubbish")),
        ("K", ANY, RuledAnswer(FOLD, "attempted illegal CheckAction")),
        ("C", FREE, RuledAnswer(CHECK, "attempted illegal CallAction")),
        ("F", FREE, RuledAnswer(CHECK, "attempted illegal FoldAction")),
        ("", FREE, RuledAnswer(CHECK, "response misformatted: ")),
        ("X", ANY, RuledAnswer(FOLD, "response misformatted: X")),
        ("k", ANY, RuledAnswer(FOLD, "response misformatted: k")),
        ("R" + "9" * 10_000, FREE, RuledAnswer(CHECK, "response misformatted: R" + "9" * 10_000)),
        ("R4", ONLY_CHECK, RuledAnswer(CHECK, "attempted illegal RaiseAction")),
        ("K", ONLY_CHECK, RuledAnswer(CHECK)),
    ],
)
def test_answers_are_ruled_on_as_by_the_engines(answer, actions, ruled):
    assert ruled_answer(answer, actions) == ruled
    silent = re.sub("misformatted.*", "misformatted", ruled.complaint)
    assert ruled_answer(answer, actions, echo=False) == ruled._replace(complaint=silent)


def test_years_have_the_published_games():
    game = find_year(2020).game()
    assert (game.name, game.rules.stacks, game.rules.blinds) == ("permutation", (200, 200), (1, 2))
    game = find_year(2023).game()
    assert (game.name, game.rules.stacks) == ("river-of-blood", (400, 400))
    assert game.rules.eval7_flushes
    for year in YEARS.values():
        assert (year.hands, year.clock, year.reply) == (1000, 30.0, 10.0)
        assert year.game().rules.effective_raises
    with pytest.raises(OptionError, match=r"2021.*2020, 2023"):
        find_year(2021)


def test_an_engine_may_choose_the_order_of_ranks():
    assert YEARS[2020].game("3246587T9QJAK").order != YEARS[2020].game().order
    assert YEARS[2020].game("3246587T9QJAK").rules == YEARS[2020].game().rules
