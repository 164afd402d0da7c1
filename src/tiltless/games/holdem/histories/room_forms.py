"""The forms of the lines in poker rooms' hand histories.

Kinds: ``head`` (number, table, button, seats), ``post``, ``dealt`` (the reader's own cards),
``board``, ``action``, ``show``, ``muck``: these are read. ``out``: a player with a seat who
is not dealt in, unless there are actions. ``aside``: chat, who comes and goes, who wins what.
``end``: nothing below it is read. Every form must match a whole line. In actions, the group
``added`` is what the player adds to the pot, and ``to`` the player's total of the street.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

__all__ = ["NAME", "ROOMS", "Room"]

NAME = "{who}"
"""Stands in a form for a player with a seat."""
_CHIPS = r"[^\d\s]?((\d{1,3}(,\d{3})+|\d+)(\.\d+)?|\.\d+)"  # no comma before cents
_ADDED, _TO = rf"(?P<added>{_CHIPS})", rf"(?P<to>{_CHIPS})"
_CARDS = r"[0-9TJQKAcdhs ,]+"


class Room(NamedTuple):
    """How a room writes hands.

    first: the line that begins one.  opening: that begins a file, if it is another one; what is
    between both belongs to every hand.  seat: a player and a stack.  dealt: the reader's own cards.
    parser: of `pokerkit.HandHistory`.  preface: lines that the parser wants and the room lacks.
    ending: what the parser wants at the end of each line.  tidy: makes a line what forms and
    parser know.
    """

    name: str
    parser: str
    first: re.Pattern[str]
    seat: re.Pattern[str]
    seat_example: str
    dealt: re.Pattern[str]
    forms: tuple[tuple[str, str], ...]
    preface: tuple[str, ...] = ()
    ending: str = ""
    opening: re.Pattern[str] | None = None
    tidy: Callable[[str], str] = str.strip


_DEALT = re.compile(rf"Dealt to (?P<who>.+?) \[ ?(?P<cards>{_CARDS}?) ?\]")

_POKERSTARS = Room(
    "PokerStars",
    "from_pokerstars",
    re.compile(r"\ufeff?PokerStars (Zoom )?(Hand|Game) #\d+"),
    re.compile(rf"Seat \d+: (?P<who>.+) \({_CHIPS} in chips\)"),
    "Seat 1: Name ($100 in chips)",
    _DEALT,
    (
        ("head", r"\ufeff?PokerStars (Zoom )?(Hand|Game) #\d+: .*Hold'em No Limit .*"),
        ("head", r"Table '.+' .*Seat #\d+ is the button"),
        ("head", rf"Seat \d+: {NAME} \({_CHIPS} in chips\)"),
        ("out", rf"Seat \d+: {NAME} \({_CHIPS} in chips\) (is sitting out|out of hand.*)"),
        ("post", rf"{NAME}: posts (small|big) blind {_CHIPS}( and is all-in)?"),
        ("dealt", rf"Dealt to {NAME} \[{_CARDS}\]"),
        ("board", rf"\*\*\* FLOP \*\*\* \[{_CARDS}\]"),
        ("board", rf"\*\*\* (TURN|RIVER) \*\*\* \[{_CARDS}\] \[{_CARDS}\]"),
        ("action", rf"{NAME}: (folds( \[{_CARDS}\])?|checks)"),
        ("action", rf"{NAME}: (calls|bets) {_ADDED}( and is all-in)?"),
        ("action", rf"{NAME}: raises {_CHIPS} to {_TO}( and is all-in)?"),
        ("show", rf"{NAME}: shows \[{_CARDS}\] \(.*\)"),
        ("muck", rf"{NAME}: shows \[[2-9TJQKA][cdhs]\]"),  # one card, when nobody has called
        ("aside", r"\*\*\* (HOLE CARDS|SHOW DOWN) \*\*\*"),
        ("muck", rf"{NAME}: (mucks hand|doesn't show hand)"),
        ("aside", rf"Uncalled bet \({_CHIPS}\) returned to {NAME}"),
        ("aside", rf"{NAME} collected {_CHIPS} from ((main|side) )?pot(-\d+)?"),
        ("aside", rf"{NAME} (has timed out|is (dis)?connected|has returned)"),
        ("out", rf"{NAME}:? (is sitting out|sits out)"),
        ("aside", rf"{NAME} has timed out while (being disconnected|disconnected)"),
        ("aside", rf"{NAME} (finished|wins) the tournament.*"),
        ("aside", r".+ (leaves the table|joins the table at seat #\d+)"),
        ("aside", r".+ (was removed from the table|will be allowed to play after).*"),
        ("aside", r'.+ said, ".*"'),
        ("end", r"\*\*\* SUMMARY \*\*\*"),
    ),
)

_FULL_TILT = Room(
    "Full Tilt Poker",
    "from_full_tilt_poker",
    re.compile(r"Full Tilt Poker Game #\d+"),
    re.compile(rf"Seat \d+: (?P<who>.+) \({_CHIPS}\)"),
    "Seat 1: Name ($100)",
    _DEALT,
    (
        ("head", r"Full Tilt Poker Game #\d+: .* - No Limit Hold'em - .*"),
        ("head", rf"Seat \d+: {NAME} \({_CHIPS}\)"),
        ("head", r"The button is in seat #\d+"),
        ("out", rf"Seat \d+: {NAME} \({_CHIPS}\), is sitting out"),
        ("post", rf"{NAME} posts the (small|big) blind of {_CHIPS}(, and is all in)?"),
        ("dealt", rf"Dealt to {NAME} \[{_CARDS}\]"),
        ("board", rf"\*\*\* FLOP \*\*\* \[{_CARDS}\]( \(Total Pot.*\))?"),
        ("board", rf"\*\*\* (TURN|RIVER) \*\*\* \[{_CARDS}\] \[{_CARDS}\]( \(Total Pot.*\))?"),
        ("action", rf"{NAME} (folds|checks)"),
        ("action", rf"{NAME} (calls|bets) {_ADDED}(, and is all in)?"),
        ("action", rf"{NAME} raises to {_TO}(, and is all in)?"),
        ("show", rf"{NAME} shows \[{_CARDS}\].*"),
        ("aside", rf"{NAME} shows [^\[]+"),  # what was shown before the board, once more
        ("aside", r"\*\*\* (HOLE CARDS|SHOW DOWN) \*\*\*"),
        ("muck", rf"{NAME} mucks"),
        ("aside", rf"{NAME} (is sitting out|has returned|has (15|5) seconds left to act)"),
        ("aside", rf"{NAME} has (requested TIME|timed out|been disconnected|reconnected)"),
        ("aside", rf"Uncalled bet of {_CHIPS} returned to {NAME}"),
        ("aside", rf"{NAME} (wins|ties for) the( (main|side))? pot.* \({_CHIPS}\).*"),
        ("aside", rf"{NAME} adds {_CHIPS}"),
        ("aside", r".+ (sits down|stands up)"),
        ("aside", rf"{NAME}: .*"),
        ("end", r"\*\*\* SUMMARY \*\*\*"),
    ),
)

_PARTY = Room(
    "PartyPoker",
    "from_partypoker",
    re.compile(r"\*\*\*\*\* Hand History [fF]or Game \d+ \*\*\*\*\*"),
    re.compile(rf"Seat \d+: (?P<who>.+) \( {_CHIPS} \w+ \)"),
    "Seat 1: Name ( $100 USD )",
    _DEALT,
    (
        ("head", r"\*\*\*\*\* Hand History [fF]or Game \d+ \*\*\*\*\*"),
        ("head", r".* NL Texas Hold'em - .*"),
        ("head", r"Table .+"),
        ("head", r"Seat \d+ is the button"),
        ("head", rf"Seat \d+: {NAME} \( {_CHIPS} \w+ \)"),
        ("post", rf"{NAME} posts (small|big) blind \[{_CHIPS} \w+\]\."),
        ("dealt", rf"Dealt to {NAME} \[ ?{_CARDS}\]"),
        ("board", rf"\*\* Dealing (Flop|Turn|River) \*\* \[ ?{_CARDS}\]"),
        ("action", rf"{NAME} (folds|checks)"),
        ("action", rf"{NAME} (calls|bets|raises) \[{_ADDED} \w+\]"),
        ("action", rf"{NAME} is all-In  \[{_ADDED} \w+\]"),
        ("show", rf"{NAME} shows \[ ?{_CARDS}\].*"),
        ("aside", r"Total number of players : \d+(/\d+)?"),
        ("aside", r"Trny:.*|Game #\d+ starts\.|#Game No : \d+ *"),
        ("aside", r"\*\* Dealing down cards \*\*"),
        ("muck", rf"{NAME} does not show cards\."),
        ("show", rf"{NAME} doesn't show \[ ?{_CARDS}\].*"),
        ("aside", rf"{NAME} wins {_CHIPS} \w+.*"),
        ("out", rf"{NAME} (has left the table|is sitting out)\.?"),
        ("aside", rf"{NAME} has been disconnected\.?"),
        (
            "aside",
            rf"{NAME} (will be using their time bank for this hand|did not respond in time)\.?",
        ),
        ("aside", r".+ has joined the table\."),
        ("aside", rf"{NAME}: .*"),
    ),
    ("Game #0 starts.",),
)

_ABSOLUTE = Room(
    "Absolute Poker",
    "from_absolute_poker",
    re.compile(r"Stage #\d+: "),
    re.compile(rf"Seat \d+ - (?P<who>.+) \({_CHIPS} in chips\)"),
    "Seat 1 - Name ($100 in chips)",
    _DEALT,
    (
        ("head", r"Stage #\d+: Holdem( \(1 on 1\))?  No Limit .*"),
        ("head", r"Table: .+ Seat #\d+ is the( dead)? dealer"),
        ("head", rf"Seat \d+ - {NAME} \({_CHIPS} in chips\)"),
        ("post", rf"{NAME} - Posts (small|big) blind {_CHIPS}"),
        ("dealt", rf"Dealt to {NAME} \[{_CARDS}\]"),
        ("board", rf"\*\*\* FLOP \*\*\* \[{_CARDS}\]"),
        ("board", rf"\*\*\* (TURN|RIVER) \*\*\* \[{_CARDS}\] \[{_CARDS}\]"),
        ("action", rf"{NAME} - (Folds|Checks|(Calls|Bets|All-In) {_ADDED})"),
        ("action", rf"{NAME} - (Raises|All-In\(Raise\)) {_CHIPS} to {_TO}"),
        ("show", rf"{NAME} - Shows \[{_CARDS}\].*"),
        ("muck", rf"{NAME} - (Mucks|Does not show)"),
        ("aside", r"\*\*\* (POCKET CARDS|SHOW DOWN) \*\*\*"),
        ("aside", rf"{NAME} - Returned \({_CHIPS}\) : not called"),
        ("aside", rf"{NAME} Collects {_CHIPS} from (main|side) pot(-\d+)?"),
        ("out", rf"{NAME} - (sitout|Sitting out)"),
        ("aside", rf"{NAME} - (is disconnected|reconnected|Timed out)"),
        ("end", r"\*\*\* SUMMARY \*\*\*"),
    ),
)

_ONGAME = Room(
    "Ongame",
    "from_ongame_network",
    re.compile(r"\*\*\*\*\* History for hand \S+ \*\*\*\*\*"),
    re.compile(rf"Seat \d+: (?P<who>.+) \({_CHIPS}\)"),
    "Seat 1: Name ($100)",
    re.compile(rf"Dealing to (?P<who>.+?): \[(?P<cards>{_CARDS})\]"),
    (
        ("head", r"\*\*\*\*\* History for hand \S+ \*\*\*\*\*"),
        ("head", r"Start hand: .+"),
        ("head", r"Table: .+ \(NO_LIMIT TEXAS_HOLDEM .+\)"),
        ("head", r"Button: seat \d+"),
        ("head", rf"Seat \d+: {NAME} \({_CHIPS}\)"),
        ("post", rf"{NAME} posts (small|big) blind \({_CHIPS}\)( \[all in\])?"),
        ("dealt", rf"Dealing to {NAME}: \[{_CARDS}\]"),
        ("board", rf"--- Dealing (flop|turn|river) \[{_CARDS}\]"),
        ("action", rf"{NAME} (folds|checks)"),
        ("action", rf"{NAME} (calls|bets) {_ADDED}( \[all in\])?"),
        ("action", rf"{NAME} raises {_CHIPS} to {_TO}( \[all in\])?"),
        ("show", rf"Seat \d+: {NAME} \({_CHIPS}\), net: [+-]?{_CHIPS}, \[{_CARDS}\]"),
        ("muck", rf"Seat \d+: {NAME} \({_CHIPS}\), net: [+-]?{_CHIPS}"),
        ("aside", r"---|Dealing pocket cards|Summary:"),
        ("aside", r"(User: .+|Players in round: \d+( \(\d+\))?)"),
        ("aside", rf"(Main|Side) pot( \d+)?: {_CHIPS} won by .+"),
        ("aside", rf"Rake taken: {_CHIPS}"),
        ("end", r"\*\*\*\*\* End of hand \S+ \*\*\*\*\*"),
    ),
    ending=" ",
)

_TAG = re.compile(r'<(player|action|cards)((?: \w+="[^"]*")*) ?(/?>.*)')
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
_ORDER = ("no", "seat", "name", "player", "type", "sum", "chips", "dealer", "win", "bet")
_SUMS = ("sum", "chips", "win", "bet")
_ALL_IN, _RAISE_BY = "7", "6"  # of actions; the sum of both is what the player adds
_LOWER = str.maketrans("CDHS", "cdhs")
_IPOKER_CARDS = re.compile(r"\b([CDHS])([2-9TJQKA])\b")


def _ipoker_line(line: str) -> str:
    """A line with its attributes in pokerkit's order, and sums and cards in its notation."""
    found = _TAG.fullmatch(line.strip())
    if found is None:
        return line.strip()
    tag, texts, rest = found.groups()
    values = dict(_ATTRIBUTE.findall(texts))
    for name in _SUMS:
        if name in values:
            values[name] = _ipoker_sum(values[name])
    if tag == "action" and values.get("type") == _ALL_IN:
        values["type"] = _RAISE_BY
    kept = "".join(f' {name}="{values[name]}"' for name in _ORDER if values.get(name))
    order = r"\2\1" if values.get("type") == "Pocket" else r"\1\2"  # as pokerkit wants the board
    cards = _IPOKER_CARDS.sub(
        lambda card: card.expand(order).translate(_LOWER), rest.replace("10", "T")
    )
    return f"<{tag}{kept}{cards}"


def _ipoker_sum(text: str) -> str:
    """``1.50`` of ``€1.50`` and of ``1,50€``; other texts stay as they are, and are refused."""
    plain = re.sub(r"[^\d.,]", "", text)
    if re.fullmatch(r"\d+,\d{1,2}", plain):  # a comma before cents
        return plain.replace(",", ".")
    whole = re.fullmatch(r"\d{1,3}(,\d{3})*(\.\d+)?|\d+(\.\d+)?", plain)
    return plain.replace(",", "") if whole else text


_SUM = r"\d+(\.\d+)?"
_IPOKER_PLAYER = rf'chips="{_SUM}" dealer="[01]"( win="{_SUM}")?( bet="{_SUM}")?/>'
_IPOKER = Room(
    "iPoker",
    "from_ipoker_network",
    re.compile(r'\s*<game gamecode="\d+">'),
    re.compile(r'<player seat="\d+" name="(?P<who>[^"]+)" chips="[^"]+"'),
    '<player seat="1" name="Name" chips="100" .../>',
    re.compile(r'<cards player="(?P<who>[^"]+)" type="Pocket">(?P<cards>[^<]*)</cards>'),
    (
        ("head", r'<game gamecode="\d+">'),
        ("head", rf'<player seat="\d+" name="{NAME}" {_IPOKER_PLAYER}'),
        ("post", rf'<action no="\d+" player="{NAME}" type="[12]" sum="{_SUM}"/>'),
        ("muck", rf'<cards player="{NAME}" type="Pocket">X X</cards>'),
        ("dealt", rf'<cards player="{NAME}" type="Pocket">[cdhs0-9TJQKA ]+</cards>'),
        ("board", r'<cards type="(Flop|Turn|River)">[cdhs0-9TJQKA ]+</cards>'),
        ("action", rf'<action no="\d+" player="{NAME}" type="[04]"( sum="{_SUM}")?/>'),
        ("action", rf'<action no="\d+" player="{NAME}" type="[356]" sum="(?P<added>{_SUM})"/>'),
        ("action", rf'<action no="\d+" player="{NAME}" type="23" sum="(?P<to>{_SUM})"/>'),
        ("out", rf'<action no="\d+" player="{NAME}" type="[89]"( sum="{_SUM}")?/>'),
        ("aside", r"<\?xml .*\?>|</?(session|general|games|players)( [^>]*)?>"),
        ("aside", r'<round no="\d+">|</round>|</session>'),
        ("aside", r"<gametype>Holdem NL.*</gametype>"),
        ("aside", r"<(?!gametype|ante)(\w+)>[^<]*</\w+>"),
        ("head", "</game>"),
    ),
    opening=re.compile(r"\ufeff?\s*(<\?xml |<session )"),
    tidy=_ipoker_line,
)

ROOMS = (_POKERSTARS, _FULL_TILT, _PARTY, _ABSOLUTE, _ONGAME, _IPOKER)
"""The rooms whose histories are read."""
