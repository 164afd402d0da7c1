"""One notation of lines: what words mean, and that lines, moves and addresses lead back."""

import doctest
from pathlib import Path
from random import Random
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.playing import deal, play, random_hand
from tiltless.cards.card import parse_cards
from tiltless.errors import InputError, OptionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.holdem.bet_context import BetContext
from tiltless.games.holdem.notation import (
    ANY_CARD,
    NEXT_STREET,
    RelativeBet,
    action_label,
    action_words,
    asked_chips,
    from_address,
    line_text,
    misfit,
    parse_word,
    resolve,
    split_line,
    to_address,
    word_text,
)
from tiltless.games.holdem.variants import limit_holdem, nlhe

OPEN = deal(nlhe(), "AsKd 7h7d", button=0)  # 1 to call, pot 3
FLOP = play(OPEN, "c k", "Kh7c9d")  # pot 4, nothing to call
FACING = play(OPEN, "c k r4", "Kh7c9d")  # a bet of the pot
ALL_IN = play(OPEN, "r200")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("f", FOLD),
        ("x", CHECK),
        ("k", CHECK),
        ("C", CALL),
        ("b32", RaiseTo(32)),
        ("R96", RaiseTo(96)),
        ("b50%", RelativeBet("%", 50)),
        ("r33.3%", RelativeBet("%", 33.3)),
        ("r3x", RelativeBet("x", 3)),
        ("r2.5BB", RelativeBet("bb", 2.5)),
        ("rmin", RelativeBet("min")),
        ("a", RelativeBet("a")),
        ("ba", RelativeBet("a")),
        ("ra", RelativeBet("a")),
        ("Ah", parse_cards("Ah")),
        ("ac", parse_cards("Ac")),
        ("10c", parse_cards("Tc")),
        ("Kh7c10d", parse_cards("Kh7cTd")),
        ("*", ANY_CARD),
        ("/", NEXT_STREET),
    ],
)
def test_words(text, word):
    assert parse_word(text) == word
    again = word_text(word, raised=text[0] in "rR")
    assert parse_word(again) == word


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "f, x, c"),
        ("call", "f, x, c"),
        ("r", "f, x, c"),
        ("r2.5", "f, x, c"),
        ("12", "f, x, c"),
        ("r٣", "f, x, c"),
        ("r" + "9" * 400, "f, x, c"),
        ("b0%", "above 0"),
        ("r0.0bb", "above 0"),
        ("r1x", "1x"),
        ("AhAh", "Ah.*'ahah'"),
    ],
)
def test_words_that_are_none(text, reason):
    with pytest.raises(InputError, match=reason) as caught:
        parse_word(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("line", [None, 5, ["c"]])
def test_a_line_is_text(line):
    with pytest.raises(OptionError, match="f, x, c"):
        split_line(line)


def meant(text, state):
    return resolve(
        parse_word(text), state.actions, state.betting, state.pot, state.game.rules.big_blind
    )


@pytest.mark.parametrize(
    ("state", "text", "action"),
    [
        (OPEN, "f", FOLD),
        (OPEN, "c", CALL),
        (OPEN, "r12", RaiseTo(12)),
        (OPEN, "b12", RaiseTo(12)),
        (OPEN, "r2.5bb", RaiseTo(5)),
        (OPEN, "r3x", RaiseTo(6)),
        (OPEN, "r100%", RaiseTo(6)),  # 2 + (3 + 1)
        (OPEN, "r1%", RaiseTo(4)),  # no less than the least
        (OPEN, "rmin", RaiseTo(4)),
        (OPEN, "a", RaiseTo(200)),
        (OPEN, "r9999bb", RaiseTo(200)),
        (FLOP, "x", CHECK),
        (FLOP, "b75%", RaiseTo(3)),
        (FLOP, "b62.5%", RaiseTo(3)),  # 2.5: halves up
        (FLOP, "b62.4%", RaiseTo(2)),
        (FACING, "r100%", RaiseTo(16)),  # 4 + (8 + 4)
        (FACING, "r3x", RaiseTo(12)),
    ],
)
def test_a_word_is_a_legal_action(state, text, action):
    assert meant(text, state) == action


@pytest.mark.parametrize(
    ("state", "text", "reason"),
    [
        (OPEN, "x", "f, c, r4..r200"),
        (FLOP, "f", "x, b2..b198"),
        (OPEN, "r3", " 3 .*f, c, r4..r200"),
        (OPEN, "r201", "201"),
        (ALL_IN, "a", "f, c"),
        (FLOP, "b3x", "b32.*b50%"),
        (OPEN, "Ah", r"r4\.\.r200"),
        (OPEN, "/", r"r4\.\.r200"),
        (OPEN, "*", r"r4\.\.r200"),
        (play(OPEN, "f"), "x", "nobody acts"),
        (deal(limit_holdem(), "AsKd 7h7d"), "r5", "f, c, r4"),
    ],
)
def test_what_is_not_possible_is_told_with_what_is(state, text, reason):
    with pytest.raises(OptionError, match=reason) as caught:
        meant(text, state)
    assert "\n" not in str(caught.value)


def test_sizes_without_a_big_blind():
    with pytest.raises(OptionError, match=r"b32.*b50%"):
        asked_chips(RelativeBet("bb", 3), BetContext(0, 64, 2, 320, 320, big_blind=0))


def test_more_than_can_be_called_is_all_in():
    state = deal(nlhe(stack=(200, 20)), "AsKd 7h7d", button=0)
    assert meant("r1000%", state) == RaiseTo(200)
    assert action_label(RaiseTo(20), state.betting) == "raise to 20 (all-in)"
    assert action_label(RaiseTo(19), state.betting) == "raise to 19"


def test_labels():
    assert [
        action_label(action, state.betting, pot)
        for state, action in ((OPEN, CALL), (OPEN, RaiseTo(6)), (FLOP, CHECK), (FLOP, RaiseTo(2)))
        for pot in (None, state.pot)
    ] == [
        *("call 1", "Call 1", "raise to 6", "Raise to 6 (100%)"),
        *("check", "Check", "bet 2", "Bet 2 (50%)"),
    ]
    assert action_label(RaiseTo(200), OPEN.betting) == "raise to 200 (all-in)"
    assert action_label(RaiseTo(200), OPEN.betting, OPEN.pot) == "All-in 200"


def test_a_misfit_names_word_place_and_line():
    assert str(misfit("x", "", "x c", "no")) == "'x' at the start in the line 'x c': no"
    assert str(misfit("c", "x", "x c", "no")) == "'c' after 'x' in the line 'x c': no"


def test_the_page_about_it_is_true():
    page = Path(__file__).parents[3] / "docs" / "notation.md"
    found = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert found.attempted > 8
    assert not found.failed


# --- lines, moves and addresses lead back -----------------------------------------------------


def told(state):
    """What everybody has seen, as words."""
    return [move for move in state.moves if move and not isinstance(move, str)]


@given(st.integers(0, 10**6), st.booleans())
def test_a_hand_is_its_line(seed, in_capitals):
    """Random hands of many rules: hand -> line -> hand, with real actions and cards."""
    final = random_hand(seed)
    table = final.table
    line = line_text(told(final), raised=table.betting.high > 0)
    state = table.game.start(table.button, table.stacks)
    hole = iter(final.hole)
    for text in split_line(line.upper() if in_capitals else line):
        while len(state.hole) < table.game.players:
            state = state.apply(next(hole))
        word = parse_word(text)
        if isinstance(word, tuple):
            state = state.apply(word)
        else:
            state = state.apply(resolve(word, state.actions, state.betting, state.pot))
    assert told(state) == told(final)
    assert line_text(told(state), raised=table.betting.high > 0) == line
    assert from_address(to_address(line)) == line


@given(st.integers(0, 10**6))
def test_bets_are_raises_where_there_is_a_bet(seed):
    rng, state = Random(seed), random_hand(seed)
    raised = state.table.betting.high > 0
    for word, text in zip(told(state), line_text(told(state), raised).split(), strict=True):
        assert word_text(word, raised) == text
        raised = not isinstance(word, tuple) and (raised or isinstance(word, RaiseTo))
    offers = state.table.betting.actions
    if offers.max_raise:
        chips = rng.randint(offers.min_raise, offers.max_raise)
        assert parse_word(f"r{chips}") in offers
        assert len(action_words(offers, state.table.betting)) <= 6


AMOUNTS = st.floats(0.01, 1000, allow_nan=False).map(lambda number: round(number, 3))
WORDS = st.one_of(
    st.sampled_from([FOLD, CHECK, CALL, RelativeBet("a"), RelativeBet("min")]),
    st.sampled_from([ANY_CARD, NEXT_STREET]),
    st.integers(1, 10**9).map(RaiseTo),
    st.builds(RelativeBet, st.sampled_from(["%", "bb"]), AMOUNTS),
    AMOUNTS.map(lambda number: RelativeBet("x", 1 + number)),
    st.lists(st.integers(0, 51), min_size=1, max_size=3, unique=True).map(tuple),
)


@given(st.lists(WORDS, max_size=12), st.booleans())
def test_words_are_their_text_and_address(words, raised):
    line = line_text(words, raised)
    assert [parse_word(text) for text in split_line(line)] == words
    address = to_address(line)
    assert quote(address, safe="") == address
    assert from_address(address) == line


@pytest.mark.parametrize(
    ("line", "address"),
    [
        ("", ""),
        ("r2.5bb c / x b50%", "r2.5bb-c_x-b50p"),
        ("x b32 c Ah x", "x-b32-c-Ah-x"),
        ("x x * b50%", "x-x-~-b50p"),
        ("c x /", "c-x_"),
    ],
)
def test_addresses(line, address):
    assert to_address(line) == address
    assert from_address(address) == line
    assert to_address(f"  {line.upper()} ".replace(" / ", "/")) == address


@pytest.mark.parametrize("address", ["x-q", "x,b32", "b50%25", "../x", "x--p"])
def test_addresses_that_are_none(address):
    with pytest.raises(OptionError, match="f, x, c"):
        from_address(address)
    with pytest.raises(OptionError, match="f, x, c"):
        to_address("call")
