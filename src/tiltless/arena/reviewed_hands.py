"""The hands of a file as one of its players saw them: PHH, lines of text, and arena matches.

What a file is follows from its contents. A results file of the arena has matches, of which one is
taken; all others are read by `tiltless.games.holdem.histories`.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from tiltless.arena.export import hand_record
from tiltless.arena.store import Store
from tiltless.errors import FileError, OptionError
from tiltless.games.holdem.histories.files import read_hands
from tiltless.games.holdem.record import HandRecord, plain_name
from tiltless.games.holdem.view import View
from tiltless.validate import brief

__all__ = ["HeroHands", "hero_hands"]

_SQLITE = b"SQLite format 3\0"
_PERSON = "you"


class HeroHands(NamedTuple):
    """The finished hands of a player.

    hero: the name.  views: a function that reads them: (number of the hand in the file, view).
    """

    hero: str
    views: Callable[[], Iterator[tuple[int, View]]]


def hero_hands(
    path: str | os.PathLike[str],
    *,
    hero: str = "",
    match: int | None = None,
    unit: str | None = None,
    problems: Callable[[str], object] | None = None,
) -> HeroHands:
    """The hands of one player in a file.

    hero: a name, or in an arena match the number of an agent, from 1; by default the person of
    `tiltless play`, the only player whose cards are always known, or the first agent of a match.
    match: the number of a match, by default the last.  unit, problems: see `read_hands`.
    """
    path = Path(path)
    if _is_results(path):
        return _of_match(path, hero, match)
    if match is not None:
        raise OptionError(f"{path} is a file of hands and has no matches; leave out --match")

    said: list[str] = []

    def problem(line: str) -> None:
        said.append(line)
        if problems is not None:
            problems(line)

    def records() -> Iterator[HandRecord]:
        return read_hands(path, unit=unit, problems=None if problems is None else problem)

    if next(records(), None) is None:
        why = f"no hand can be read: {said[0]}" if said else f"{path} has no hands; choose another"
        raise FileError(why)
    name = hero or _only_one(path, records())

    called = name, plain_name(name)  # a room's names are written plainly

    def views() -> Iterator[tuple[int, View]]:
        for number, record in enumerate(records(), start=1):
            seat = next((seat for seat, each in enumerate(record.names) if each in called), None)
            if seat is not None:
                yield number, record.view(seat)

    if hero and next(views(), None) is None:
        names = sorted({each for record in records() for each in record.names})
        raise OptionError(
            f"nobody in {path} is called {brief(hero)}; there are {', '.join(names) or 'no names'}"
        )
    return HeroHands(name, views)


def _is_results(path: Path) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError as problem:
        raise FileError(f"cannot read {path}: {problem}; choose a file of hands") from problem


def _only_one(path: Path, records: Iterator[HandRecord]) -> str:
    """The player whose hands these are."""
    hands, known = 0, Counter[str]()
    for record in records:
        hands += 1
        hole = record.final.hole
        known.update(
            name for seat, name in enumerate(record.names) if hole[seat : seat + 1] != ((),)
        )
    if _PERSON in known:
        return _PERSON
    always = [name for name, count in known.items() if count == hands]
    if len(always) == 1:
        return always[0]
    names = ", ".join(sorted(known)) or "no names; add a list of players to the hands"
    raise OptionError(f"whose hands of {path} are reviewed? give --hero; there are {names}")


def _of_match(path: Path, hero: str, match: int | None) -> HeroHands:
    with Store(path, create=False) as store:
        numbers = [each.number for each in store.records()]
        if not numbers:
            raise OptionError(f"{path} has no matches; play one first")
        number = numbers[-1] if match is None else match
        plan = store.plan(number)
        if store.done(number) and next(store.hands(number), None) is None:
            raise OptionError(f"match {number} was played with --no-hands; its hands were not kept")
    texts = plan.agents
    if hero and not hero.isdecimal() and hero not in texts:
        raise OptionError(
            f"nobody in match {number} is called {brief(hero)}; there are {', '.join(texts)}"
        )
    agent = texts.index(hero) if hero in texts else int(hero or 1) - 1
    if not 0 <= agent < len(texts):
        raise OptionError(
            f"--hero {hero} is not an agent of match {number}; give 1 to {len(texts)}"
        )

    def views() -> Iterator[tuple[int, View]]:
        with Store(path, create=False) as store:
            for count, row in enumerate(store.hands(number), start=1):
                if agent in row.agents:
                    yield count, hand_record(plan, row).view(row.agents.index(agent))

    return HeroHands(texts[agent], views)
