"""Recorded matches of the MIT engines, as the lines of each player."""

from typing import NamedTuple

from helpers.recorded import GOLDEN

STEMS = {2020: "mit-2020-permutation", 2023: "mit-2023-river-of-blood"}
EVERY = [(year, player) for year in STEMS for player in "AB"]


class Exchange(NamedTuple):
    """A line of the engine, the answer that was given, and the action that the engine made of it.

    counted: the text of the clause; "" after the end of a hand.
    """

    line: str
    answer: str
    counted: str


def text_lines(year, player):
    """(``<`` or ``>``, line) of a player."""
    text = (GOLDEN / f"{STEMS[year]}.{player}.txt").read_bytes().decode("ascii")
    return [(line[0], line[2:]) for line in text.splitlines()]


def engine_lines(year, player):
    return [line for way, line in text_lines(year, player) if way == "<"]


def exchanges(year, player):
    lines = text_lines(year, player)
    found = []
    for (_, line), (_, answer), (_, after) in zip(
        lines[:-1:2], lines[1::2], lines[2::2], strict=True
    ):
        counted = "" if " D" in line else after.split()[1]
        found.append(Exchange(line, answer, counted))
    return found
