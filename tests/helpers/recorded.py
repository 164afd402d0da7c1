"""Readers of recorded matches, for tests: MIT game logs, MIT players' wire logs, ACPC logs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tiltless.cards.card import RANKS, parse_cards
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo

GOLDEN = Path(__file__).parent.parent / "golden"


@dataclass
class Recorded:
    """A hand: A sits in seat 0, B in seat 1 (ACPC: by position). Boards are whole, by street."""

    number: int
    button: int
    cards: list[tuple[int, ...]]
    moves: list[Any] = field(default_factory=list)  # actions, and boards as tuples
    chips: list[int] = field(default_factory=list)


_LETTERS = {"F": FOLD, "K": CHECK, "C": CALL}


def wire_log(name: str) -> Iterator[tuple[int, Recorded]]:
    """One player's lines: (whether that player has the button, the hand as it saw it)."""
    hand: Recorded | None = None
    for line in (GOLDEN / name).read_text().splitlines():
        if not line.startswith("< T"):
            continue
        for clause in line[2:].split()[1:]:
            kind, rest = clause[0], clause[1:]
            if kind == "P":
                place = int(rest)
            elif kind == "H":
                hand = Recorded(0, place, [parse_cards(rest)])
            elif kind in _LETTERS:
                hand.moves.append(_LETTERS[kind])
            elif kind == "R":
                hand.moves.append(RaiseTo(int(rest)))
            elif kind == "B":
                hand.moves.append(parse_cards(rest))
            elif kind == "O":
                hand.cards.append(parse_cards(rest))
            elif kind == "D":
                hand.chips.append(int(rest))
                yield place, hand


def wire_match(stem: str) -> list[Recorded]:
    """A match from both players' lines, which must tell the same story."""
    match = []
    both = zip(wire_log(f"{stem}.A.txt"), wire_log(f"{stem}.B.txt"), strict=True)
    for number, ((place, a), (other, b)) in enumerate(both, 1):
        assert {place, other} == {0, 1}
        assert a.moves == b.moves
        assert a.cards[1:] in ([], [b.cards[0]])
        cards = [a.cards[0], b.cards[0]]
        match.append(Recorded(number, place, cards, a.moves, [*a.chips, *b.chips]))
    return match


_ROUND = re.compile(r"Round #(\d+), (\w)")
_WORDS = {"folds": FOLD, "checks": CHECK, "calls": CALL}


def game_log(name: str) -> list[Recorded]:
    """A match from the engine's log; of cards written twice, the shown ones are read."""
    match: list[Recorded] = []
    for line in (GOLDEN / name).read_text().splitlines():
        words = line.split()
        start = _ROUND.match(line)
        if start:
            match.append(Recorded(int(start[1]), "AB".index(start[2]), [(), ()], [], [0, 0]))
        elif len(words) < 2 or not match:
            continue
        elif words[1] == "dealt":
            match[-1].cards["AB".index(words[0])] = parse_cards("".join(_shown(line)))
        elif words[0] in ("Flop", "Turn", "River", "Run") and words[1] != "reached":
            match[-1].moves.append(parse_cards("".join(_shown(line))))
        elif words[1] in _WORDS:
            match[-1].moves.append(_WORDS[words[1]])
        elif words[1] in ("bets", "raises"):
            match[-1].moves.append(RaiseTo(int(words[-1])))
        elif words[1] == "awarded":
            match[-1].chips["AB".index(words[0])] = int(words[2])
    return match


def _shown(line: str) -> list[str]:
    """``A dealt 7h Jh [5h 6h]`` gives 7h Jh; ``A dealt [7h Jh]`` gives them too."""
    before, _, inside = line.partition("[")
    cards = re.findall(r"\b[2-9TJQKA][cdhs]\b", before)
    return cards or re.findall(r"\b[2-9TJQKA][cdhs]\b", inside)


def hidden_ranks(name: str) -> str:
    """The order of ranks of a 2020 match: the shown ranks from the lowest true rank up."""
    lines = (GOLDEN / name).read_text().splitlines()
    true = re.search(r"\[(.*)\]", lines[3])[1].split()
    shown_by_true = dict(zip(true, RANKS, strict=True))
    return "".join(shown_by_true[rank] for rank in RANKS)


def acpc_log(name: str) -> list[Recorded]:
    """Hands by position: position 0 is the first after the button, so the button comes last."""
    match = []
    for line in (GOLDEN / name).read_text().splitlines():
        if not line.startswith("STATE:"):
            continue
        _, number, betting, cards, chips, _ = line.split(":")
        holes, *boards = cards.split("/")
        hand = Recorded(int(number), 0, [parse_cards(hole) for hole in holes.split("|")])
        hand.chips = [int(each) for each in chips.split("|")]
        hand.button = len(hand.cards) - 1
        board = ""
        for place, letters in enumerate(betting.split("/")):
            if place:
                board += boards[place - 1]
                hand.moves.append(parse_cards(board))
            for letter, amount in re.findall(r"([fcr])(\d*)", letters):
                hand.moves.append((letter, int(amount or 0)))
        match.append(hand)
    return match
