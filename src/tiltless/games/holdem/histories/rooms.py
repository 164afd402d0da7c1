"""Hand histories of poker rooms, through pokerkit's parsers.

pokerkit's parsers search a text for what they know and pass over the rest; where a hand does not
add up they repair it. So each line is classified first, by the forms in
`tiltless.games.holdem.histories.room_forms`: the parser gets the lines that tell what happened,
others (chat, who comes and goes, summaries) are left out, and a line that has none of these forms
refuses the hand by name. Afterwards there must be as many actions as the text has, with the same
chips, so that none was repaired or misread.

A player who does not show at a showdown has lost; cards that the text does not tell are unknown.
Rake is left out: pots are paid in full. Amounts become chips of a cent if there are fractions.
"""

import contextlib
import io
import re
import warnings
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

from tiltless.cards.card import cards_text, parse_cards
from tiltless.errors import InputError, OptionError
from tiltless.games.holdem.histories.phh_fields import Amounts, chip_unit
from tiltless.games.holdem.histories.room_forms import NAME, ROOMS, Room
from tiltless.games.holdem.history import decisions
from tiltless.games.holdem.phh import from_history
from tiltless.games.holdem.record import HandRecord, plain_name
from tiltless.validate import shortened

__all__ = ["RoomHand", "find_room", "parse_room_hand", "split_hands"]

_MOST_LINES = 1000  # of a hand
_ACTION = re.compile(r"p\d+ (f|cc|cbr)\b")
_GROUPS = ("who", "added", "to")  # of forms
_UNSEEN = re.compile(r"d dh p(\d+) \?+")


class RoomHand(NamedTuple):
    """The text of one hand; line: the number of its first line in the file.

    head: the first lines of the file, in rooms where they belong to every hand.
    """

    line: int
    lines: tuple[str, ...]
    head: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The number in its first line, which may have parts."""
        found = re.search(r"\d[\d-]*", self.lines[0])
        return found[0].replace("-", "")[:20] if found else "?"


def find_room(line: str) -> Room | None:
    """The room whose files begin with such a line."""
    return next((room for room in ROOMS if (room.opening or room.first).match(line)), None)


def split_hands(lines: Iterable[str], room: Room) -> Iterator[RoomHand]:
    """The hands of a text, each from its first line to the next one's."""
    held: list[str] = []
    head: list[str] = []
    first = 0
    for number, line in enumerate(lines, start=1):
        begins = bool(room.first.match(line))
        if begins and held:
            yield RoomHand(first, tuple(held), tuple(head))
        if begins:
            held, first = [], number
        if room.opening and not first and len(head) <= _MOST_LINES:
            head.append(line.rstrip())
        if (held or begins) and len(held) <= _MOST_LINES:  # one more shows the excess
            held.append(line.rstrip())
    if held:
        yield RoomHand(first, tuple(held), tuple(head))


def parse_room_hand(hand: RoomHand, room: Room, unit: Any = None) -> HandRecord:
    """The record of a hand; `InputError` in one line if it cannot be followed.

    unit: the value of one chip; by default a cent if there are fractions of money, otherwise 1.
    """
    if max(len(hand.lines), len(hand.head)) > _MOST_LINES:
        raise InputError(f"more than {_MOST_LINES:,} lines are no hand")
    hand = hand._replace(head=_tidied(hand.head, room), lines=_tidied(hand.lines, room))
    names = {found["who"] for line in hand.lines if (found := room.seat.match(line))}
    if not names:
        raise InputError(f"no line of a seat, such as {room.seat_example!r}")
    told = _told(hand, room, names)
    posts = sum(form.kind == "post" for form in told)
    if posts != 2:
        raise InputError(f"blinds posted: {posts}; only hands with a small and a big one are read")
    history = _parsed(told, room)
    out = {form.who for form in told if form.kind == "out"}
    if silent := sorted(names - out - {*history.players}):
        raise InputError(f"{silent[0]!r} has a seat, but neither posts nor acts")
    actions = [form for form in told if form.kind == "action"]
    made = sum(_ACTION.match(line) is not None for line in history.actions)
    if made != len(actions):
        raise InputError(f"the text has {len(actions)} actions, but by the rules there are {made}")
    history.actions = _with_own_cards(history, told, room) + _mucks(history, told)
    history.finishing_stacks = None  # after rake
    history.hand = int(hand.name) if hand.name.isdecimal() else 0
    history.players = [plain_name(name) for name in history.players]
    unit = chip_unit(history) if unit is None else unit
    record = from_history(history, unit)
    _check_chips(record, actions, Amounts(unit))
    return record


def _tidied(lines: tuple[str, ...], room: Room) -> tuple[str, ...]:
    return tuple(map(room.tidy, lines))


class _Told(NamedTuple):
    """A line; added, to: of an action, see `tiltless.games.holdem.histories.room_forms`."""

    kind: str
    line: str
    who: str
    added: str
    to: str


def _told(hand: RoomHand, room: Room, names: set[str]) -> list[_Told]:
    """The lines that tell what happened; `InputError` names one that is not known."""
    who = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    forms = [(kind, re.compile(text.replace(NAME, f"(?P<who>{who})"))) for kind, text in room.forms]
    told = []
    for number, line in chain(enumerate(hand.head, 1), enumerate(hand.lines, hand.line)):
        if not line:
            continue
        matches = ((kind, form.fullmatch(line)) for kind, form in forms)
        kind, found = next(((kind, found) for kind, found in matches if found), ("", None))
        if found is None:
            raise InputError(f"line {number} is not known: {shortened(line, 80)!r}")
        if kind == "end":
            break
        if kind != "aside":
            groups = found.groupdict("")
            told.append(_Told(kind, line, *(groups.get(each, "") for each in _GROUPS)))
    playing = {form.who for form in told if form.kind in ("post", "action")}
    return [  # in tournaments who sits out is dealt in
        form._replace(kind="head") if form.kind == "out" and form.who in playing else form
        for form in told
    ]


def _parsed(told: list[_Told], room: Room) -> Any:
    """The history that pokerkit makes of a hand."""
    try:
        from pokerkit import HandHistory
    except ModuleNotFoundError:
        raise OptionError("rooms are read by pokerkit; pip install pokerkit") from None
    parse = getattr(HandHistory, room.parser)
    lines = (form.line for form in told if form.kind not in ("muck", "out", "dealt"))
    text = "\n".join([*room.preface, *(line + room.ending for line in lines), "", "", "", ""])
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            found = list(parse(text, error_status=True))
        except Exception as problem:  # of many kinds; the cause says more
            cause = problem.__context__ or problem
            raise InputError(f"pokerkit cannot follow it: {shortened(str(cause), 100)}") from None
    if len(found) != 1:
        raise InputError(f"pokerkit finds {len(found)} hands in it; its first lines may be damaged")
    return found[0]


def _check_chips(record: HandRecord, actions: list[_Told], amounts: Amounts) -> None:
    """`InputError` if an action has other chips by the rules than in the text."""
    for form, past in zip(actions, decisions(record.final), strict=False):
        told = re.sub(r"[^\d.]", "", form.added or form.to)
        chips = past.chips + (past.betting.bets[past.seat] if form.to else 0)
        if told and amounts.one(told, "amount") != chips:
            by_rules = f"by the rules it is {chips * amounts.unit}"
            raise InputError(f"{shortened(form.line, 80)!r} does not add up: {by_rules}")


def _mucks(history: Any, told: list[_Told]) -> list[str]:
    """Who does not show at the end, as PHH writes it; those who folded need not."""
    players = history.players
    unseen = (players.index(each.who) + 1 for each in told if each.kind == "muck")
    return [f"p{player} sm" for player in unseen if f"p{player} f" not in history.actions]


def _with_own_cards(history: Any, told: list[_Told], room: Room) -> list[str]:
    """The actions, with the cards that were dealt to the reader of the history."""
    own: dict[int, str] = {}
    for form in told:
        found = room.dealt.match(form.line) if form.kind == "dealt" else None
        if found and found["who"] in history.players:
            cards = parse_cards(re.sub(r"[ ,]", "", found["cards"]).replace("10", "T"))
            own[history.players.index(found["who"]) + 1] = cards_text(cards)
    lines = []
    for line in history.actions:
        unseen = _UNSEEN.match(line)
        if unseen and int(unseen[1]) in own:
            line = f"d dh p{unseen[1]} {own[int(unseen[1])]}"
        lines.append(line)
    return lines
