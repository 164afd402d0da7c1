import numpy as np
import pytest

from tiltless.errors import OptionError
from tiltless.validate import (
    brief,
    is_number,
    one_of,
    positive,
    shortened,
    unknown_name,
    whole_number,
)


def test_echoes_are_one_short_line():
    assert brief("a\n b") == r"'a\n b'"
    assert shortened("a\n  b") == "a b"
    assert len(brief("x" * 1000)) == len(shortened("x" * 1000)) == 60
    assert len(shortened("x" * 60)) == 60
    assert brief(10**5000) == "(a int that is too long to show)"  # which has no text
    assert brief("\ud800\x1b").isascii()  # of a hostile file: nothing that a terminal acts on


def test_whole_numbers():
    assert whole_number("n", np.int8(3), 3) == 3
    assert type(whole_number("n", np.int8(3), 0, 3)) is int
    for value, low, high in ((4, 0, 3), (-1, 0, 3), (0, 1, None), (True, 0, None), (1.0, 0, None)):
        with pytest.raises(OptionError, match=f"n={value!r} .* {low} "):
            whole_number("n", value, low, high)


def test_numbers():
    assert all(map(is_number, (0, -1.5, np.float32(2), np.int64(3))))
    assert not any(map(is_number, (True, "1", None, float("nan"), float("inf"), 1j, 10**400)))
    assert positive("--minutes", 0.5) == 0.5
    for value in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(OptionError, match=f"--minutes {value:g} .* 0$"):
            positive("--minutes", value)
    with pytest.raises(OptionError, match=r"walks 1000\S+\.\.\. is not possible"):
        positive("walks", 10**400)  # beyond all floats
    assert positive("walks", 8, 8) == 8
    with pytest.raises(OptionError, match=r"walks 9 .* 8$"):
        positive("walks", 9, 8)


def test_words_and_names():
    assert one_of("safe", "max", ("max", "none")) == "max"
    for value in ("may", None, ["max"]):
        with pytest.raises(OptionError, match="max, none"):
            one_of("safe", value, ("max", "none"))
    near = str(unknown_name("game", "Ledoc", ["kuhn", "leduc"], "a file"))
    assert (
        near
        == "no game is called 'Ledoc'; did you mean 'leduc'? known: kuhn, leduc; or give a file"
    )
    assert str(unknown_name("game", "zzz", [])) == "no game is called 'zzz'; known: none"
