"""Messages of the ACPC protocol: match states of the dealer, and the answers of players.

::

    MATCHSTATE:<position>:<hand>:<betting>:<cards>            dealer to player
    MATCHSTATE:<position>:<hand>:<betting>:<cards>:<action>   player to dealer

A message contains the whole hand as one player sees it, so that every line stands on its own.
`parse_match_state` and `match_state_text` are inverses of each other on the lines of a dealer;
`read_reply` reads an answer as the dealer does, and `ruled_move` rules on its action.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from tiltless.cards.card import RANKS, SUITS, card_text, cards_text
from tiltless.errors import InputError
from tiltless.protocols.acpc.gamedef import GameDef
from tiltless.protocols.acpc.hand import CALL_MOVE, AcpcHand, Move, new_hand
from tiltless.validate import brief

__all__ = [
    "LONGEST_LINE",
    "VERSION",
    "AcpcMatchState",
    "RuledMove",
    "betting_text",
    "board_text",
    "cards_field",
    "is_comment",
    "match_state_text",
    "parse_betting",
    "parse_cards_field",
    "parse_match_state",
    "read_reply",
    "ruled_move",
    "version_problem",
]

VERSION = "VERSION:2.0.0"
LONGEST_LINE = 4096
"""Bytes of a line that a dealer reads."""

_MATCH_STATE = re.compile(r"MATCHSTATE:(\d{1,3}):(\d{1,10}):([fcr\d/]*):([2-9TJQKAcdhs|/]*)", re.A)
_MOVES = re.compile(r"f|c|r\d{0,10}", re.A)
_VERSION = re.compile(r"VERSION:\s*(\d{1,9})\.\s*(\d{1,9})\.\s*(\d{1,9})", re.A)
_NUMBERS = {rank + suit: 4 * r + s for r, rank in enumerate(RANKS) for s, suit in enumerate(SUITS)}
_LETTERS = {"f": "f", "c": "c", "k": "c", "r": "r", "b": "r"}


class AcpcMatchState(NamedTuple):
    """A hand as one player sees it.

    position: of that player.  number: of the hand.  hole: cards by position, empty where they are
    hidden.  board: the cards dealt so far.
    """

    position: int
    number: int
    hand: AcpcHand
    hole: tuple[tuple[int, ...], ...]
    board: tuple[int, ...]


def is_comment(line: str) -> bool:
    """Whether a line is for people, and to be passed over."""
    return line[:1] in ("#", ";")


def betting_text(hand: AcpcHand) -> str:
    """The moves of a hand: ``cr300c/cc/``."""
    return "/".join(["".join(map(str, moves)) for moves in hand.rounds])


def parse_betting(text: str, game: GameDef) -> AcpcHand:
    """The inverse of `betting_text`; `InputError` unless the rules allow every move."""
    hand = new_hand(game)
    for letters in _MOVES.findall(text):
        hand = hand.apply(Move(letters[0], int(letters[1:] or 0)))
    if betting_text(hand) != text:
        raise InputError(f"{brief(text)} is not the betting of a hand; {hand.legal_text}")
    return hand


def board_text(hand: AcpcHand, board: Sequence[int]) -> str:
    """The board as far as it is dealt, each round after a slash: ``/As9d6s/3d``."""
    rounds = [hand.game.board_of(number) for number in range(len(hand.rounds))]
    return "/".join([cards_text(board[start:end]) for start, end in rounds])


def cards_field(hand: AcpcHand, hole: Sequence[Sequence[int]], board: Sequence[int]) -> str:
    """Hole cards by position and the board as far as it is dealt: ``8dJd|/As9d6s``."""
    return "|".join(map(cards_text, hole)) + board_text(hand, board)


def match_state_text(state: AcpcMatchState) -> str:
    """The line of a match state, without its end."""
    position, number, hand, hole, board = state
    cards = cards_field(hand, hole, board)
    return f"MATCHSTATE:{position}:{number}:{betting_text(hand)}:{cards}"


def parse_match_state(line: str, game: GameDef) -> AcpcMatchState:
    """A match state from a line of the dealer, without its end.

    `InputError` in one line unless a dealer of this game could have sent it: every move is legal,
    the cards are different and of the deck, and no other hole cards are known than the rules show.
    """
    found = _MATCH_STATE.fullmatch(line)
    if found is None:
        raise InputError(f"{brief(line)} is not a match state; write MATCHSTATE:0:0::AsKd|")
    position, number = int(found[1]), int(found[2])
    if position >= game.players or number > 2**32 - 1:
        raise InputError(f"{brief(line)} has a wrong position or number of the hand")
    hand = parse_betting(found[3], game)
    hole, board = parse_cards_field(found[4], hand)
    showdown = hand.live if hand.is_over and len(hand.live) > 1 else ()
    for each, cards in enumerate(hole):
        if bool(cards) != (each == position or each in showdown):
            what = "does not show" if not cards else "shows"
            raise InputError(f"{brief(line)} {what} the cards of position {each}")
    return AcpcMatchState(position, number, hand, hole, board)


def parse_cards_field(
    text: str, hand: AcpcHand
) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """The inverse of `cards_field`: hole cards by position, empty where hidden, and the board."""
    game = hand.game
    first, *later = text.split("/")
    *holes, last = first.split("|")
    cut = len(last) - 2 * game.board_cards[0]  # a board before the first round has no slash
    holes.append(last[: max(cut, 0)])
    boards = [last[max(cut, 0) :], *later]
    if len(holes) != game.players or len(boards) != len(hand.rounds):
        raise InputError(
            f"{brief(text)} are not the cards of {game.players} players and {len(hand.rounds)} "
            "rounds"
        )
    hole, board = tuple(map(_cards, holes)), tuple(map(_cards, boards))
    dealt = [card for cards in (*hole, *board) for card in cards]
    if len(set(dealt)) != len(dealt):
        raise InputError(f"{brief(text)} has a card twice; each card exists once")
    if not {*dealt} <= {*game.deck}:
        raise InputError(f"{brief(text)} has a card that is not in the deck of this game")
    sizes = game.board_cards[: len(board)]
    if any(len(cards) not in (0, game.hole_cards) for cards in hole) or sizes != tuple(
        map(len, board)
    ):
        raise InputError(f"{brief(text)} has a wrong number of cards")
    return hole, tuple(card for cards in board for card in cards)


def _cards(text: str) -> tuple[int, ...]:
    try:
        return tuple(_NUMBERS[text[start : start + 2]] for start in range(0, len(text), 2))
    except KeyError as problem:
        raise InputError(
            f"{problem} is not a card; write rank then suit, such as {card_text(51)}"
        ) from None


def version_problem(line: str) -> str:
    """What is wrong with the first line of a player; "" if it speaks this version."""
    found = _VERSION.match(line)
    if found is None:
        return f"invalid version string {brief(line)}"
    if int(found[1]) != 2 or int(found[2]) > 0:
        return f"version {found[0].partition(':')[2]}, but this dealer uses 2.0.0"
    return ""


_REPLY = re.compile(r"(MATCHSTATE:\d{1,3}:\d{1,10}:[^:]*:[^:]*)(.*)", re.A | re.S)


def read_reply(line: str, state: AcpcMatchState) -> str | None:
    """What follows the match state in an answer: ``:c``.

    None if the state is not the current one, when the answer is ignored.
    """
    found = _REPLY.fullmatch(line)
    if found is None or found[1] != match_state_text(state):
        return None
    return found[2]


class RuledMove(NamedTuple):
    """The move that counts, and the dealer's warning about the one that was sent, or ""."""

    move: Move
    warning: str = ""


_SIZE = re.compile(r"\s*([+-]?\d+)", re.A)


def ruled_move(action: str, hand: AcpcHand) -> RuledMove:
    """Read what follows the match state as the dealer does, and rule on it.

    A raise that is too small or too large becomes the nearest legal one; everything else that is
    not legal becomes a call. Only the first letter counts, in either case, with ``k`` for a check
    and ``b`` for a bet, and the number that follows it in a no-limit raise.
    """
    letter = _LETTERS.get(action[1:2].lower(), "")
    size = _SIZE.match(action, 2) if letter == "r" and hand.game.no_limit else None
    if action[:1] != ":" or (letter == "r" and hand.game.no_limit and size is None):
        return RuledMove(CALL_MOVE, "bad action format in response, changed to call")
    wanted = Move(letter, _bounded(size[1]) if size else 0)
    move = hand.fixed(wanted)
    if move is None:
        return RuledMove(CALL_MOVE, "invalid action, changed to call")
    if move.size != wanted.size:
        how = "increased" if move.size > wanted.size else "decreased"
        return RuledMove(move, f"raise of {wanted.size} {how} to {move.size}")
    return RuledMove(move)


def _bounded(digits: str) -> int:
    """A number of any length; larger ones than any stack are as good as the largest."""
    return max(min(int(digits[:12]), 2**31 - 1), -(2**31))
