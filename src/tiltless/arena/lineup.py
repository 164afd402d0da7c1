"""Lineups: how two agents fill a table of more than two seats.

**One against the rest.** One agent in one seat, copies of the other in all others. In rotation the
one sits in every seat of every deal, with the same cards; copies of one agent alone would score
exactly 0, so that the result is a duplicate match and its own control. It says what one A wins at a
table of B; what one B wins at a table of A is a question of its own, so both are played by default.

**A table.** As many agents as seats, in the order given.
"""

from collections.abc import Sequence

from tiltless.agents.registry import registered
from tiltless.errors import OptionError
from tiltless.games.holdem.rules import MOST_SEATS
from tiltless.validate import whole_number

__all__ = ["LINEUPS", "copies", "lineup_tables", "read_agents", "table_title"]

_ONE, _REST = "one-against-rest", "rest-against-one"
LINEUPS = ("both", _ONE, _REST)
"""A alone against copies of B; B alone against copies of A; or both of these matches."""
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine")


def lineup_tables(
    agents: Sequence[str], seats: int | None = None, lineup: str = ""
) -> list[tuple[str, ...]]:
    """The agents by seat of each match, the one that is asked about first.

    agents: two, or one for each seat.  seats: None for as many as agents.  lineup: one of
    `LINEUPS`, or with the number of opponents in words, such as one-against-five; "" for both where
    two agents have more than two seats.
    """
    kind, others = _read(lineup.strip().casefold())
    usual = others + 1 if others else len(agents)
    size = whole_number("seats", seats or usual, 2, MOST_SEATS)
    if others and others + 1 != size:
        raise OptionError(f"--lineup {lineup} has {others + 1} seats, not {size}; change one")
    if kind and len(agents) != 2:
        raise OptionError(f"--lineup {lineup} is for two agents, not {len(agents)}; name two")
    if size == len(agents):
        return [tuple(agents)]
    if len(agents) != 2:
        raise OptionError(
            f"{len(agents)} agents do not fill {size} seats; name two, for one against copies of "
            f"the other, or {size}"
        )
    one, other = agents
    tables = {_ONE: (one, *[other] * (size - 1)), _REST: (other, *[one] * (size - 1))}
    return [tables[kind]] if kind in tables else list(tables.values())


def _read(lineup: str) -> tuple[str, int]:
    """The kind of a lineup, and the number of opponents if it is given; 0 if not."""
    if not lineup or lineup in LINEUPS:
        return lineup, 0
    for others, word in enumerate(_NUMBERS, start=2):
        if lineup == f"one-against-{word}":
            return _ONE, others
        if lineup == f"{word}-against-one":
            return _REST, others
    raise OptionError(
        f"--lineup {lineup[:40]!r} is not known; use {', '.join(LINEUPS)}, or a number of seats "
        "such as one-against-five"
    )


def read_agents(text: str) -> list[str]:
    """Agents separated by commas: ``"six,monte-carlo:rollouts=100,pot-odds,fish"`` are three.

    Options are separated by commas too: what is no name of an agent belongs to the one before it.
    """
    names = {entry.name for entry in registered()}
    found: list[str] = []
    for part in filter(None, map(str.strip, text.split(","))):
        name, colon, _ = part.partition(":")
        begins = name in names or (colon and "=" not in name)
        if found and ":" in found[-1] and not begins:
            found[-1] += f",{part}"
        else:
            found.append(part)
    return found


def copies(agents: Sequence[str]) -> int:
    """The number of copies that the first agent plays against; 0 if it is another kind of table."""
    others = set(agents[1:])
    return len(agents) - 1 if len(agents) > 2 and len(others) == 1 else 0


def table_title(agents: Sequence[str]) -> str:
    """``"fish against uniform"``, ``"fish against 5 x uniform"``, ``"table of a, b, c"``."""
    if len(agents) == 2:
        return " against ".join(agents)
    count = copies(agents)
    return (
        f"{agents[0]} against {count} x {agents[1]}" if count else f"table of {', '.join(agents)}"
    )
