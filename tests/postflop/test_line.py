import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.solved_spots import flop, river, turn, wide
from tiltless.cards.card import parse_card
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.holdem.notation import (
    action_label,
    action_words,
    from_address,
    line_text,
    to_address,
)
from tiltless.postflop.line import follow_line, follow_lines, read_lock
from tiltless.postflop.node import find_node


def test_a_line_is_its_moves():
    node = find_node(wide(), "x b32 c Ah x b50% r50%")
    card = parse_card("Ah")
    moves = (CHECK, RaiseTo(32), CALL, card, CHECK, RaiseTo(64), RaiseTo(192))
    assert node.moves == moves
    assert node.line == line_text(moves) == "x b32 c Ah x b64 r192"
    assert find_node(wide(), moves) == node
    assert node.pot == 64 + 64 + 64 + 192


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
        ("k b32 c / Tc", "x b32 c Tc"),  # a slash says what the card says
        ("b32 r3x", "b32 r96"),
    ],
)
def test_words(line, same):
    assert find_node(wide(), line).line == same


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "x b33",
            "'b33'.*'x'.*'x b33'.*33",
        ),
        ("b33%", "'b33%'.*21.*x, b32, b64, b320"),
        ("x x 8d", "'8d'.*'x x'.*8d.*QsJh2h8d"),
        ("x Ah", "'Ah'.*'x'.*x, b32, b64, b320"),
        ("x x b50%", "'b50%'.*'x x'"),
        ("x x x", "'x'.*'x x'"),
        ("a a", "'a'.*'b320'.*raise.*f, c"),
        ("f", "x, b32"),
        (
            "b32 f Ah",
            "'Ah'.*'b32 f'",
        ),
        ("b32 f a", "'a' .*'b32 f'"),
        ("x foo", "'foo'.*'x'.*'x foo': 'foo'.*f, x, c"),
        ("b0", "'b0'"),
        ("b0%", "'b0%'"),
        ("bmin", "'bmin'.* 1 "),
        ("b3x", "'b3x'.*b50%"),
        ("b3bb", "'b3bb'.*b50%"),
        ("x / b32", "x, b32"),
        ("x x AhKh", "'AhKh'.*'x x'"),
        ("x x *", r"'\*'.*'x x'"),
        (3, "3.*f, x, c"),
    ],
)
def test_mistakes_are_one_line(line, message):
    with pytest.raises(OptionError, match=message) as caught:
        find_node(wide(), line) if isinstance(line, str) else _follow(line)
    assert "\n" not in str(caught.value)


def _follow(line):
    follow_line(find_node(wide()), line)


def _all_nodes(node, deep):
    yield node
    moves = [*node.actions, *node.cards_to_come()[::17]]
    for move in moves if deep else ():
        yield from _all_nodes(node.after(move), deep - 1)


@pytest.mark.parametrize("solver", [river, turn, flop])
def test_every_line_leads_back(solver):
    count = 0
    for node in _all_nodes(find_node(solver()), 6):
        assert find_node(solver(), node.line) == node
        words = action_words(node.actions, node.betting)
        assert len(set(words)) == len(node.actions)
        for word, action in zip(words, node.actions, strict=True):
            assert find_node(solver(), f"{node.line} {word}") == node.after(action)
        count += 1
    assert count > 20


@given(st.data())
def test_a_way_through_a_spot_is_its_line(data):
    start = node = find_node(data.draw(st.sampled_from([river, turn, flop, wide]))())
    while moves := [*node.actions, *node.cards_to_come()]:
        node = node.after(data.draw(st.sampled_from(moves)))
        assert follow_line(start, node.line) == node
        assert follow_line(start, from_address(to_address(node.line))) == node
    assert line_text(node.moves) == node.line


def test_labels():
    def labels(line):
        node = find_node(wide(), line)
        return [action_label(action, node.betting, node.pot) for action in node.actions]

    assert labels("") == ["Check", "Bet 32 (50%)", "Bet 64 (100%)", "All-in 320"]
    assert labels("x b64") == ["Fold", "Call 64", "Raise to 160 (50%)", "All-in 320"]
    assert labels("a") == ["Fold", "Call 320"]


def test_several_lines_and_any_card():
    start = find_node(wide())
    found = follow_lines(start, "x b50%, x x * , x x * x")
    assert list(found) == ["x b50%", "x x *", "x x * x"]
    assert [node.line for node in found["x b50%"]] == ["x b32"]
    cards = find_node(wide(), "x x").cards_to_come()
    assert [node.moves[-1] for node in found["x x *"]] == cards
    assert [node.moves[2] for node in found["x x * x"]] == cards
    assert all(node.moves[3] == CHECK for node in found["x x * x"])
    assert follow_lines(start, "") == {"": [start]}
    rivers = follow_lines(find_node(flop()), "x x * x x Ah")["x x * x x Ah"]
    assert len(rivers) == 48  # any turn but the ace
    assert {node.moves[5] for node in rivers} == {parse_card("Ah")}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("x *", r"'\*'.*'x'.*'x \*'.*x, b32"),
        ("x,,b32", "'x,,b32'"),
        ("x, b33", "'b33'.*'b33'"),
        ("x x * c", "'c'.*'x x 2c'.*x"),
        (3, "3.*b50%"),
    ],
)
def test_mistakes_in_several_lines(lines, message):
    with pytest.raises(OptionError, match=message):
        follow_lines(find_node(wide()), lines)


def test_locks_as_text():
    start = find_node(wide())
    assert read_lock(start, "x b64: f 80%, c 20%") == [
        (find_node(wide(), "x b64"), {FOLD: 0.8, CALL: 0.2})
    ]
    assert read_lock(start, ":x 50, b50% 25, a 25%") == [
        (start, {CHECK: 0.5, RaiseTo(32): 0.25, RaiseTo(320): 0.25})
    ]
    ((_, third),) = read_lock(start, "x: x 33.3%, b32 33.3%, b64 33.3%")
    assert sum(third.values()) == pytest.approx(1, abs=0.01)
    everywhere = read_lock(start, "x x *: x 100%")
    assert len(everywhere) == 48
    assert all(shares == {CHECK: 1.0} for _, shares in everywhere)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x b64", "'x b64' .*'x b64: f 80%, c 20%'"),
        ("x b64:", "'x b64:'"),
        ("x b64: f", "'f'.*'x b64: f'"),
        ("x b64: f much", "'f much'"),
        ("x b64: f -1%, c 101%", "'f -1%'"),
        ("x b64: f nan%", "'f nan%'"),
        ("x b64: f 80%", "80 %.*100 %"),
        ("x b64: f 50%, f 50%", "'x b64: f 50%, f 50%'"),
        ("x b64: x 100%", "'x'.*f, c, r160"),
        ("x b64: Ah 100%", "'Ah'.*f, c"),
        ("x x: x 100%", "'x x'"),
        ("x q: x 100%", "'q'.*'x'.*'x q'"),
    ],
)
def test_mistakes_in_locks(text, message):
    with pytest.raises(OptionError, match=message) as caught:
        read_lock(find_node(wide()), text)
    assert "\n" not in str(caught.value)
