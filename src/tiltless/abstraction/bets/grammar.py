"""Menu grammar: a menu of bet sizes as one line of text.

::

    preflop: 2.5bb / 3x, a; flop: 33%, 75% / 3x, a; turn, river: 50%, 100%, a; cap 4; add 150%

Semicolons separate the parts; case, spaces and line breaks do not matter.

* ``street, street: sizes``: preflop, flop, turn, river; run is every street after the river in
  River of Blood. Sizes without a street are for all streets that are not named. A street without
  sizes has those of the street before.
* Sizes are those of `tiltless.abstraction.bets.size`, separated by commas; ``none`` for no raise.
  Sizes after a slash are for the first raise, after the next slash for the second, and so on; the
  last ones are for all further raises.
* Within a street, ``|`` separates: ``oop 33% / 3x | ip 50%, 100% / 3x | donk 25% | cap 3``, in any
  order. Sizes without ``oop`` and ``ip`` are for both.
* Contradictions are refused: ``20c3r, 20c``, or sizes together with ``cap 0``.
* ``cap 4``: the most bets and raises on a street (unless it has its own cap).  ``each 3``: the most
  for one player.  ``add 150%``, ``force 15%``, ``merge 10%``: see `tiltless.abstraction.bets.menu`.
"""

import re
from typing import NamedTuple

from tiltless.abstraction.bets.menu import MOST_CAP, MOST_EACH, STREETS, Menu, StreetMenu
from tiltless.abstraction.bets.size import Size, parse_size
from tiltless.errors import OptionError
from tiltless.validate import brief, whole_number

__all__ = ["KEYWORDS", "parse_menu"]

_PERCENTS = ("add", "force", "merge")
_NUMBERS = {"cap": MOST_CAP, "each": MOST_EACH}
_WHO = ("oop", "ip", "donk", "cap")
_ALL = "every street"

KEYWORDS = frozenset((*_PERCENTS, *_NUMBERS, *_WHO, *STREETS, "none"))
"""The words of a menu other than sizes."""


class _Setting(NamedTuple):
    """``cap 4`` or ``add 150%``."""

    name: str
    value: float


def parse_menu(text: str) -> Menu:
    """A menu from its text; the `OptionError` names the part that cannot be read."""
    if not isinstance(text, str):
        raise OptionError(f"{brief(text)} is not the text of a menu; write '50%, 100%, a'")
    streets: dict[str, StreetMenu] = {}  # "" for all streets that are not named
    settings: dict[str, float] = {}
    line = " ".join(text.split()).casefold()  # one line, so that messages are one line
    for part in filter(None, map(str.strip, line.split(";"))):
        before, colon, body = part.partition(":")
        setting = None if colon else _setting(part)
        if setting is not None:
            if setting.name in settings:
                raise OptionError(f"{setting.name} is given twice: {part!r}; give it once")
            settings[setting.name] = setting.value
            continue
        names = _street_names(before) if colon else [""]
        street = _street(*(body, ", ".join(names)) if colon else (part, _ALL))
        for name in names:
            if name in streets:
                raise OptionError(f"{name or _ALL} has sizes twice: {part!r}; give them once")
            if name == STREETS[0] and street.donk is not None:
                raise OptionError(
                    f"{part!r} has donk sizes, but preflop there is no aggressor to lead into; "
                    "give them to the flop"
                )
            streets[name] = street
    if not streets:
        raise OptionError(f"menu {brief(text)} has no sizes; write '50%, 100%, a', or 'none'")
    cap = settings.pop("cap", None)
    each = settings.pop("each", None)
    return Menu(_in_order(streets, cap), None if each is None else int(each), **settings)


def _in_order(streets: dict[str, StreetMenu], cap: float | None) -> tuple[StreetMenu, ...]:
    """The entry of each street, with the common cap unless it has its own."""
    ordered: list[StreetMenu] = []
    for name in STREETS:
        street = streets.get(name) or (streets.get("") if name != "run" else None)
        if street is None:
            if not ordered:
                raise OptionError(
                    f"the menu has no sizes for the {name}; name it, or write sizes without a "
                    "street for all others"
                )
            street = ordered[-1]
        if street.cap is None and cap is not None:
            street = StreetMenu(street.oop, street.ip, street.donk, int(cap))
        ordered.append(street)
    return tuple(ordered)


def _setting(part: str) -> _Setting | None:
    """``cap 4``; None if the part is not a setting."""
    name, _, value = part.partition(" ")
    if name in _NUMBERS:
        return _Setting(name, _whole(name, value.strip()))
    if name not in _PERCENTS:
        return None
    number = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*%", value.strip())
    if number is None:
        raise OptionError(f"{part!r} needs a percentage; write {name} 10%")
    return _Setting(name, float(number[1]))


def _whole(name: str, value: str) -> int:
    if not re.fullmatch("[0-9]+", value):
        raise OptionError(f"{name} {value!r} is not a whole number; write {name} 3")
    return whole_number(name, int(value) if len(value) < 10 else value, 0, _NUMBERS[name])


def _street_names(text: str) -> list[str]:
    names = _words(text)
    for index, name in enumerate(names):
        if name not in STREETS:
            raise OptionError(f"{name!r} is not a street; use {', '.join(STREETS)}")
        if name in names[:index]:
            raise OptionError(f"the {name} is named twice in {text!r}; name it once")
    if not names:
        raise OptionError("there is a colon without a street before it; write flop: 50%, a")
    return names


def _street(body: str, where: str) -> StreetMenu:
    """The sizes of one street, after its colon."""
    pieces: dict[str, str] = {}
    for piece in map(str.strip, body.split("|")):
        who, _, rest = piece.partition(" ")
        if who not in _WHO:
            who, rest = "", piece
        if who in pieces:
            subject = f"{who} is" if who else "sizes for both positions are"
            raise OptionError(f"{subject} given twice for {where}: {piece!r}; give them once")
        pieces[who] = rest.strip()
    donk = pieces.pop("donk", None)
    cap = pieces.pop("cap", None)
    if set(pieces) == {""}:
        oop = ip = _lines(pieces[""], where)
    elif set(pieces) == {"oop", "ip"}:
        oop, ip = _lines(pieces["oop"], where), _lines(pieces["ip"], where)
    elif "" in pieces:
        raise OptionError(
            f"{pieces['']!r} for {where} is mixed with {' and '.join(filter(None, pieces))}; "
            "write sizes for both positions, or oop and ip"
        )
    else:
        missing = " and ".join(who for who in ("oop", "ip") if who not in pieces)
        raise OptionError(f"sizes for {where} are not given for {missing}; write oop 33% | ip 50%")
    if donk is not None and "/" in donk:
        raise OptionError(
            f"'donk {donk}' for {where} has a slash, but a donk bet is a first bet; remove the "
            "slash and what follows"
        )
    leads = None if donk is None else _sizes(donk, where)
    most = None if cap is None else _whole("cap", cap)
    try:
        return StreetMenu(oop, ip, leads, most)
    except OptionError as error:
        raise _at(where, error) from None


def _lines(text: str, where: str) -> tuple[tuple[Size, ...], ...]:
    return tuple(_sizes(entry, where) for entry in text.split("/"))


def _sizes(text: str, where: str) -> tuple[Size, ...]:
    words = _words(text)
    if not words:
        raise OptionError(f"the list of sizes for {where} is empty; write none for no raise")
    if words == ["none"]:
        return ()
    if "none" in words:
        raise OptionError(f"none is mixed with sizes in {text.strip()!r}; write it alone")
    try:
        return tuple(map(parse_size, words))
    except OptionError as error:
        raise _at(where, error) from None


def _at(where: str, error: OptionError) -> OptionError:
    """The error prefixed with the street, if one was named."""
    return error if where == _ALL else OptionError(f"{where}: {error}")


def _words(text: str) -> list[str]:
    return text.replace(",", " ").split()
