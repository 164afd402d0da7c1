"""Spoken actions: what a person types at the table."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltless.arena.table.spoken_actions import HELP, nearest_raise, read_action, read_word
from tiltless.errors import InputError
from tiltless.games import load
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.holdem.notation import RelativeBet


def view(*moves, game="nlhe", **rules):
    """The view of the player to act; cards are dealt as needed."""
    state, deck = load(game, **rules).start(), iter(range(52))
    for move in (None, *moves):
        while state.actor == -1:
            state = state.apply(tuple(next(deck) for _ in range(state.chance.size)))
        if move is not None:
            state = state.apply(move)
    while state.actor == -1:
        state = state.apply(tuple(next(deck) for _ in range(state.chance.size)))
    return state.view(state.actor)


OPEN = ()  # the button, 1 to call, pot 3
FLOP = (CALL, CHECK)  # pot 4, nothing to call
FACING = (CALL, CHECK, RaiseTo(4))  # a pot-sized bet


@pytest.mark.parametrize(
    ("moves", "text", "action"),
    [
        (OPEN, "f", FOLD),
        (OPEN, " FOLD ", FOLD),
        (OPEN, "c", CALL),
        (OPEN, "r 12", RaiseTo(12)),
        (OPEN, "r12", RaiseTo(12)),
        (OPEN, "raise to 12", RaiseTo(12)),
        (OPEN, "raise 12", RaiseTo(12)),
        (OPEN, "bet 12", RaiseTo(12)),
        (OPEN, "b 12", RaiseTo(12)),
        (OPEN, "to 12", RaiseTo(12)),
        (OPEN, "12", RaiseTo(12)),
        (OPEN, "12 chips", RaiseTo(12)),
        (OPEN, "+10", RaiseTo(12)),
        (OPEN, "raise by 10", RaiseTo(12)),
        (OPEN, "3bb", RaiseTo(6)),
        (OPEN, "2.5 bb", RaiseTo(5)),
        (OPEN, "+2.5bb", RaiseTo(7)),
        (OPEN, "r2.5bb", RaiseTo(5)),  # as in a line
        (OPEN, "rmin", RaiseTo(4)),
        (OPEN, "ra", RaiseTo(200)),
        (FLOP, "b75%", RaiseTo(3)),
        (OPEN, "3x", RaiseTo(6)),
        (OPEN, "min", RaiseTo(4)),
        (OPEN, "all in", RaiseTo(200)),
        (OPEN, "r all in", RaiseTo(200)),
        (OPEN, "ALLIN", RaiseTo(200)),
        (OPEN, "pot", RaiseTo(6)),  # 2 + (3 + 1)
        (OPEN, "half", RaiseTo(4)),
        (OPEN, "half pot", RaiseTo(4)),
        (OPEN, "bet half the pot", RaiseTo(4)),
        (OPEN, "third of the pot", RaiseTo(4)),
        (FLOP, "k", CHECK),
        (FLOP, "x", CHECK),
        (FLOP, "call", CHECK),  # nothing to call
        (FLOP, "half", RaiseTo(2)),
        (FLOP, "third", RaiseTo(2)),  # less than the least
        (FLOP, "75%", RaiseTo(3)),
        (FLOP, "bet 75 % of the pot", RaiseTo(3)),
        (FLOP, "pot", RaiseTo(4)),
        (FLOP, "1.5 pot", RaiseTo(6)),
        (FLOP, "3/2", RaiseTo(6)),
        (FLOP, "1000%", RaiseTo(40)),
        (FLOP, "99999%", RaiseTo(198)),
        (FACING, "pot", RaiseTo(16)),  # 4 + (8 + 4)
        (FACING, "half", RaiseTo(10)),
        (FACING, "2/3", RaiseTo(12)),
        (FACING, "two thirds", RaiseTo(12)),
        (FACING, "3x", RaiseTo(12)),
    ],
)
def test_words(moves, text, action):
    assert read_action(text, view(*moves)) == action


@pytest.mark.parametrize(
    ("moves", "text", "message"),
    [
        (FLOP, "f", "write k"),
        (OPEN, "k", "costs 1 "),
        (OPEN, "2", "2 is a call; write c"),
        (OPEN, "3", "is 4, write min"),
        (OPEN, "201", "is 200, write all in"),
        (OPEN, "r", "write r 4,"),
        (OPEN, "r twelve", "'r twelve' is not a size"),
        (OPEN, "2.5", "2.5bb"),
        (OPEN, "2/0", "'2/0' is not a size"),
        (FLOP, "3x", "no bet to multiply"),
        (OPEN, "", "fold, call 1, raise to 4..200"),
        (OPEN, "hello", "'hello' is not understood"),
        (OPEN, "-5", "'-5' is not understood"),
        ((RaiseTo(200),), "pot", "fold, call 198"),
    ],
)
def test_what_is_wrong_is_said(moves, text, message):
    with pytest.raises(InputError) as problem:
        read_action(text, view(*moves))
    assert message in str(problem.value)
    assert "\n" not in str(problem.value)


def test_all_in_where_no_raise_is_possible():
    assert read_action("all in", view(RaiseTo(200))) == CALL
    deeper = view(RaiseTo(100), stack=(100, 200))
    with pytest.raises(InputError, match="write c"):
        read_action("all in", deeper)


def test_fixed_limit():
    limit = view(game="limit-holdem")
    assert read_action("r", limit) == RaiseTo(4)
    assert read_action("pot", limit) == RaiseTo(4)
    with pytest.raises(InputError, match=r"4; .*\br\b"):
        read_action("12", limit)
    with pytest.raises(InputError, match=r"\br\b.* 4"):
        read_action("all in", limit)


def test_folding_for_free_where_the_rules_allow_it():
    assert read_action("f", view(*FLOP, free_fold=True)) == FOLD


def test_words_that_are_no_actions():
    assert [read_word(text) for text in ("?", "Hint ", "why", "q", "fold", "")] == [
        *("help", "hint", "why", "quit"),
        *(None, None),
    ]
    assert "all in" in HELP


VIEWS = [view(*moves) for moves in (OPEN, FLOP, FACING, (RaiseTo(200),))]
VIEWS.append(view(game="limit-holdem"))
PIECES = st.sampled_from(
    ["r ", "bet ", "+", "by ", "12", "0", "9" * 15, ".", "/", "%", "bb", "x", "pot", "half", " "]
)


@given(st.sampled_from(VIEWS), st.text() | st.lists(PIECES, max_size=6).map("".join))
def test_anything_is_a_legal_action_or_a_message(seen, text):
    try:
        action = read_action(text, seen)
    except InputError as problem:
        message = str(problem)
    else:
        assert action in seen.actions
        return
    assert 0 < len(message) < 200


@given(st.sampled_from(VIEWS[:3]), st.floats(min_value=0, max_value=10_000))
def test_larger_parts_of_the_pot_are_larger_raises(seen, percent):
    part, more = (nearest_raise(seen, RelativeBet("%", percent + add)) for add in (0, 50))
    assert part in seen.actions
    assert part.chips <= more.chips
