"""Logs of the ACPC's dealer: read, and written byte for byte as it does.

::

    # name/game/hands/seed t2 holdem.nolimit.2p.reverse_blinds.game 6 7
    #--t_response 600000
    STATE:0:cc/r2381c/cr9579r17118c/r19882r20000c:8dJd|Td4d/As9d6s/3d/6c:20000|-20000:Alice|Bob
    SCORE:-1263|1263:Alice|Bob

A ``STATE`` line has all hole cards, and chips and names by position; the ``SCORE`` line has them by
seat. `MatchLog.replayed` writes a log anew from the seed and the actions alone.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tiltless.errors import InputError
from tiltless.protocols.acpc.deal import dealt_hands
from tiltless.protocols.acpc.gamedef import GameDef
from tiltless.protocols.acpc.hand import AcpcHand
from tiltless.protocols.acpc.wire import (
    betting_text,
    cards_field,
    is_comment,
    parse_betting,
    parse_cards_field,
)
from tiltless.validate import brief

__all__ = ["LoggedHand", "MatchHeader", "MatchLog", "chips_text", "parse_log", "rotated"]

_MOST_HANDS = 10_000_000


class MatchHeader(NamedTuple):
    """What the first lines of a log say; times are in milliseconds.

    game: the name of the game definition's file.  response, hand, per_hand: a player's limits for
    one answer, for one hand, and on average for each hand of the match.
    """

    name: str
    game: str
    hands: int
    seed: int
    response: int = 600_000
    hand: int = 600_000
    per_hand: int = 7_000

    @property
    def text(self) -> str:
        """The four lines."""
        return (
            f"# name/game/hands/seed {self.name} {self.game} {self.hands} {self.seed}\n"
            f"#--t_response {self.response}\n#--t_hand {self.hand}\n"
            f"#--t_per_hand {self.per_hand}\n"
        )


class LoggedHand(NamedTuple):
    """A hand of a log; hole, chips and names are by position."""

    number: int
    betting: AcpcHand
    hole: tuple[tuple[int, ...], ...]
    board: tuple[int, ...]
    chips: tuple[float, ...]
    names: tuple[str, ...]

    @property
    def text(self) -> str:
        """The line, without its end."""
        cards = cards_field(self.betting, self.hole, self.board)
        chips, names = "|".join(map(chips_text, self.chips)), "|".join(self.names)
        return f"STATE:{self.number}:{betting_text(self.betting)}:{cards}:{chips}:{names}"


def chips_text(chips: float) -> str:
    """Up to six decimals: ``33.333333``, ``-0.5``, ``20000``."""
    return f"{chips:.6f}".rstrip("0").rstrip(".")


def rotated(seats: Sequence[str], number: int, fixed: bool = False) -> tuple[str, ...]:
    """Names by position in a hand: seat s has position (s - number) mod n, or s if fixed."""
    shift = 0 if fixed else number % len(seats)
    return (*seats[shift:], *seats[:shift])


@dataclass(slots=True)
class MatchLog:
    """A match: its header, if there is one, its hands, and the names of its seats.

    is_complete: whether the match was played to its end, so that the log has a score.
    """

    header: MatchHeader | None
    seats: tuple[str, ...]
    hands: list[LoggedHand] = field(default_factory=list)
    is_complete: bool = False

    @property
    def totals(self) -> tuple[float, ...]:
        """Chips of each seat in all hands, added up in their order."""
        totals = dict.fromkeys(self.seats, 0.0)
        for hand in self.hands:
            for name, chips in zip(hand.names, hand.chips, strict=True):
                totals[name] += chips
        return tuple(totals.values())

    @property
    def score_text(self) -> str:
        """The last line, without its end."""
        return f"SCORE:{'|'.join(map(chips_text, self.totals))}:{'|'.join(self.seats)}"

    @property
    def text(self) -> str:
        """The whole file."""
        lines = [hand.text for hand in self.hands]
        lines += [self.score_text] if self.is_complete else []
        return (self.header.text if self.header else "") + "".join(f"{line}\n" for line in lines)

    def replayed(self, game: GameDef) -> "MatchLog":
        """The same match dealt and scored again, from its seed and its actions."""
        if self.header is None:
            raise InputError("the log has no header, so its seed is not known")
        again = MatchLog(self.header, self.seats, is_complete=self.is_complete)
        for logged, (hole, board) in zip(
            self.hands, dealt_hands(game, self.header.seed), strict=False
        ):
            betting = parse_betting(betting_text(logged.betting), game)
            seen = board[: betting.board_size]
            names = rotated(self.seats, logged.number, logged.names == self.seats)
            chips = betting.payoffs(hole, seen)
            again.hands.append(LoggedHand(logged.number, betting, hole, seen, chips, names))
        return again


_HEADER = re.compile(r"# name/game/hands/seed (\S+) (\S+) (\d{1,10}) (\d{1,10})", re.A)
_LIMIT = re.compile(r"#--(t_response|t_hand|t_per_hand) (\d{1,15})", re.A)
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,6})?", re.A)
_FIELDS = {"t_response": "response", "t_hand": "hand", "t_per_hand": "per_hand"}


def parse_log(lines: Iterable[str], game: GameDef) -> MatchLog:
    """Read a log; `InputError` names the first line that is not one of a match of this game.

    Actions, cards, chips and scores are checked against the rules.
    """
    header: MatchHeader | None = None
    log: MatchLog | None = None
    for number, line in enumerate(lines, 1):
        text = line.rstrip("\r\n")
        try:
            if is_comment(text) or not text.strip():
                header = _with_comment(header, text)
            elif text.startswith("SCORE:") and log is not None:
                log.is_complete = True
                if text != log.score_text:
                    raise InputError(f"{brief(text)} is not the score; it is {log.score_text}")
            elif log is not None and log.is_complete:
                raise InputError(f"{brief(text)} comes after the score")
            else:
                hand = _hand(text, game)
                log = log or MatchLog(header, _seats(hand))
                if sorted(hand.names) != sorted(log.seats):
                    raise InputError(f"{brief(text)} has other players than the first hand")
                if len(log.hands) >= _MOST_HANDS:
                    raise InputError(f"there are more than {_MOST_HANDS:,} hands")
                log.hands.append(hand)
        except InputError as problem:
            raise InputError(f"line {number}: {problem}") from None
    return log or MatchLog(header, ())


def _with_comment(header: MatchHeader | None, text: str) -> MatchHeader | None:
    if found := _HEADER.fullmatch(text):
        return MatchHeader(found[1], found[2], int(found[3]), int(found[4]))
    if header is not None and (found := _LIMIT.fullmatch(text)):
        limits: dict[str, Any] = {_FIELDS[found[1]]: int(found[2])}
        return header._replace(**limits)
    return header


def _seats(hand: LoggedHand) -> tuple[str, ...]:
    """The names by seat; a log begins with hand 0, unless it was cut."""
    count = len(hand.names)
    shift = -hand.number % count
    return (*hand.names[shift:], *hand.names[:shift])


def _hand(text: str, game: GameDef) -> LoggedHand:
    parts = text.split(":")
    if len(parts) != 6 or parts[0] != "STATE" or not re.fullmatch(r"\d{1,10}", parts[1], re.A):
        raise InputError(f"{brief(text)} is not a line of a log; write STATE:0:...")
    betting = parse_betting(parts[2], game)
    hole, board = parse_cards_field(parts[3], betting)
    if not betting.is_over or not all(hole):
        raise InputError(f"{brief(text)} is not a whole hand with all cards")
    names = tuple(parts[5].split("|"))
    if len(names) != game.players or len(set(names)) != len(names) or not all(names):
        raise InputError(f"{brief(text)} needs {game.players} different names")
    words = parts[4].split("|")
    if len(words) != game.players or not all(map(_NUMBER.fullmatch, words)):
        raise InputError(f"{brief(text)} needs {game.players} results in chips")
    chips = betting.payoffs(hole, board)
    if [chips_text(each) for each in chips] != words:
        raise InputError(
            f"{brief(parts[4])} are not the results; they are {'|'.join(map(chips_text, chips))}"
        )
    return LoggedHand(int(parts[1]), betting, hole, board, chips, names)
