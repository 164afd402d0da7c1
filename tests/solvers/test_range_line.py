import pytest

from helpers.solved_spots import flop, river, turn, wide
from tiltless.cards.card import parse_card
from tiltless.errors import OptionError
from tiltless.games.actions import CALL, CHECK, RaiseTo
from tiltless.solvers.range_line import action_label, action_words, follow_line, line_text
from tiltless.solvers.range_places import find_place


def test_a_line_is_its_moves():
    place = find_place(wide(), "x b32 c Ah x b50% r50%")
    card = parse_card("Ah")
    moves = (CHECK, RaiseTo(32), CALL, card, CHECK, RaiseTo(64), RaiseTo(192))
    assert place.moves == moves
    assert place.line == line_text(moves) == "x b32 c Ah x b64 r192"
    assert find_place(wide(), moves) == place
    assert place.pot == 64 + 64 + 64 + 192


@pytest.mark.parametrize(
    ("line", "same"),
    [
        ("X B32 C 10c", "x b32 c Tc"),
        ("a c", "b320 c"),
        ("ba", "b320"),
        ("b100% ra", "b64 r320"),
        ("r32", "b32"),  # b and r are the same
        ("b50% r50%", "b32 r96"),
        ("b900%", "b320"),  # more than the stack is all-in, as menus have it
        ("", ""),
        ("  x   x  ", "x x"),
    ],
)
def test_words(line, same):
    assert find_place(wide(), line).line == same


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "x b33",
            "'b33' after 'x' in the line 'x b33': raise to 33 is not in the tree here; there",
        ),
        ("b33%", "'b33%' at the start .*: this is 21 chips, .* it has 32, 64, 320"),
        ("x x 8d", "'8d' after 'x x' .*: 8d is on QsJh2h8d; deal another"),
        ("x Ah", "'Ah' after 'x' .*: Ah cannot be dealt here; the street is not over"),
        ("x x b50%", "'b50%' after 'x x' .*: nobody can bet or raise; there is a card"),
        ("x x x", "'x' after 'x x' .*: check is not in the tree here; there is a card"),
        ("a a", "'a' after 'b320' .*: nobody can bet or raise; there is f, c"),
        ("f", "there is check, raise to 32"),
        ("b32 f Ah", "'Ah' after 'b32 f' .* cannot be dealt here"),
        ("b32 f a", "nobody can bet or raise; there is nothing"),
        ("x foo", "'foo' after 'x' in the line 'x foo': this is no move; write f, x, c"),
        ("b0", "'b0' at the start"),
        (3, "3 is not a line; write f, x, c"),
    ],
)
def test_mistakes_are_one_line(line, message):
    with pytest.raises(OptionError, match=message) as caught:
        find_place(wide(), line) if isinstance(line, str) else _follow(line)
    assert "\n" not in str(caught.value)


def _follow(line):
    follow_line(find_place(wide()), line)


def _all_places(place, deep):
    yield place
    moves = [*place.actions, *place.cards_to_come()[::17]]
    for move in moves if deep else ():
        yield from _all_places(place.after(move), deep - 1)


@pytest.mark.parametrize("solver", [river, turn, flop])
def test_every_line_leads_back(solver):
    count = 0
    for place in _all_places(find_place(solver()), 6):
        assert find_place(solver(), place.line) == place
        words = action_words(place)
        assert len(set(words)) == len(place.actions)
        for word, action in zip(words, place.actions, strict=True):
            assert find_place(solver(), f"{place.line} {word}") == place.after(action)
        count += 1
    assert count > 20


def test_labels():
    def labels(line):
        place = find_place(wide(), line)
        return [action_label(place, action) for action in place.actions]

    assert labels("") == ["Check", "Bet 32 (50%)", "Bet 64 (100%)", "All-in 320"]
    assert labels("x b64") == ["Fold", "Call 64", "Raise to 160 (50%)", "All-in 320"]
    assert labels("a") == ["Fold", "Call 320"]
