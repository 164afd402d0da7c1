"""The notation of lines: one grammar for queries, spots, records, play and page addresses.

A line is a sequence of words in the order of play, ``r2.5bb c / x b50%`` or ``x b32 c Ah x``:

==========================  ===================================================================
``f``, ``x``, ``c``         fold, check, call; ``k``, the check of hand records, is read too
``b32``, ``r96``            bet or raise to a total of 32 or 96 chips on this street
``b50%``, ``r100%``         bet or raise by a percentage of the pot after calling
``r3x``                     raise to 3 times the bet that is faced
``r2.5bb``                  raise to a total of 2.5 big blinds
``a``, ``ba``, ``ra``       all-in;  ``bmin``, ``rmin``: the smallest legal bet or raise
``Ah``, ``Kh7c9d``          the board cards dealt at the end of a street
``*``                       any card, in texts that stand for several lines
``/``                       a new street, in lines without cards
==========================  ===================================================================

``b`` and ``r`` mean the same, and case does not matter; `line_text` writes ``b`` if there is no bet
to raise. Sizes are rounded to whole chips, halves up, as in menus.

>>> [parse_word(text) for text in split_line("r2.5bb c / x b6")]
[RelativeBet(unit='bb', amount=2.5), Call(), '/', Check(), RaiseTo(6)]
>>> to_address("r2.5bb c / x b50%"), from_address("r2.5bb-c_x-b50p")
('r2.5bb-c_x-b50p', 'r2.5bb c / x b50%')
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from tiltless.cards.card import cards_text, parse_cards
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, LegalActions, RaiseTo
from tiltless.games.holdem.bet_context import BetContext, spot_of
from tiltless.games.holdem.betting import Betting
from tiltless.validate import brief

__all__ = [
    "ANY_CARD",
    "LETTERS",
    "NEXT_STREET",
    "RelativeBet",
    "Word",
    "action_label",
    "action_words",
    "all_in_total",
    "asked_chips",
    "from_address",
    "line_text",
    "misfit",
    "number_text",
    "parse_word",
    "resolve",
    "split_line",
    "to_address",
    "word_text",
]

ANY_CARD = "*"
"""The word for any card that may be dealt."""
NEXT_STREET = "/"
"""The word for a new street."""
LETTERS: dict[str, Action] = {"f": FOLD, "x": CHECK, "k": CHECK, "c": CALL}
"""One-letter actions; ``k`` is the check of hand records."""


@dataclass(frozen=True, slots=True)
class RelativeBet:
    """A bet or raise whose chips depend on the spot; unit: ``%``, ``x``, ``bb``, ``a``, ``min``."""

    unit: str
    amount: float = 0


Word: TypeAlias = Action | RelativeBet | tuple[int, ...] | str
"""An action, a relative bet, board cards, `ANY_CARD` or `NEXT_STREET`."""

_WORDS: dict[Action, str] = {FOLD: "f", CHECK: "x", CALL: "c"}
_NUMBER = r"[0-9]{1,15}(?:\.[0-9]{1,15})?"
_BET = re.compile(
    rf"[br](?P<chips>[0-9]{{1,18}})|[br](?P<amount>{_NUMBER})(?P<unit>%|x|bb)"
    r"|[br](?P<bare>a|min)|a"
)
_CARDS = re.compile(r"(?:(?:10|[2-9tjqka])[cdhs])+")
_REMEDY = (
    "write f, x, c, b32 (total chips), b50%, r3x, r2.5bb, rmin, a, a card such as Ah, or / for a "
    "new street"
)
_MARKS = str.maketrans({" ": "-", "/": "_", "%": "p", "*": "~"})
_UNMARKS = str.maketrans({"-": " ", "_": "/", "p": "%", "~": "*"})


def split_line(line: Any) -> list[str]:
    """The words of a line, unparsed."""
    if not isinstance(line, str):
        raise OptionError(f"{brief(line)} is not a line; {_REMEDY}")
    return line.replace(NEXT_STREET, f" {NEXT_STREET} ").split()


def parse_word(text: str) -> Word:
    """The meaning of a word; the `OptionError` lists what can be written."""
    word = text.casefold()
    if word in LETTERS:
        return LETTERS[word]
    if word in (ANY_CARD, NEXT_STREET):
        return word
    if _CARDS.fullmatch(word):
        return parse_cards(word)
    form = _BET.fullmatch(word)
    if form is None:
        raise OptionError(f"{brief(text)} is not a move; {_REMEDY}")
    if form["chips"]:
        return RaiseTo(int(form["chips"]))
    if not form["unit"]:
        return RelativeBet(form["bare"] or "a")
    bet = RelativeBet(form["unit"], float(form["amount"]))
    if bet.amount <= (bet.unit == "x"):
        raise OptionError(f"{word} is not a size; sizes are above 0, multiples above 1x")
    return bet


def word_text(word: Word, raised: bool = False) -> str:
    """The text of a word in a line; raised: whether it raises a bet, ``r6``, or opens, ``b6``."""
    verb = "r" if raised else "b"
    if isinstance(word, RaiseTo):
        return f"{verb}{word.chips}"
    if isinstance(word, RelativeBet):
        if word.unit == "a":
            return word.unit
        return f"{verb}{number_text(word.amount) if word.amount else ''}{word.unit}"
    if isinstance(word, tuple):
        return cards_text(word)
    return word if isinstance(word, str) else _WORDS[word]


def line_text(words: Iterable[Word | int], raised: bool = False) -> str:
    """Words as a line, ``x b32 c Ah``; raised: whether it starts facing a bet, such as a blind."""
    texts = []
    for word in words:
        if isinstance(word, int):
            word = (word,)
        texts.append(word_text(word, raised))
        bets = isinstance(word, RaiseTo | RelativeBet)
        raised = bets or (raised and isinstance(word, Action))
    return " ".join(texts)


def number_text(number: float) -> str:
    """``50``, ``33.3``: the shortest text that reads back as this number."""
    return str(int(number)) if number == int(number) else repr(number)


def asked_chips(bet: RelativeBet, spot: BetContext) -> int:
    """The total that a relative bet asks for, rounded; it may not be legal."""
    unit, amount = bet.unit, bet.amount
    if unit == "a":
        return spot.top
    if unit == "min":
        return spot.low
    if unit == "%":
        return int(spot.bet + amount * spot.pot / 100 + 0.5)
    base, name = (spot.bet, "bet to multiply") if unit == "x" else (spot.big_blind, "big blind")
    if not base:
        raise OptionError(f"there is no {name} here; write chips, b32, or percent of the pot, b50%")
    return int(amount * base + 0.5)


def resolve(
    word: Word, offers: Sequence[Action], betting: Betting, pot: int, big_blind: int = 0
) -> Action:
    """The action that a word stands for; the `OptionError` lists the possible ones.

    A relative bet becomes the nearest legal raise, or all-in if nobody could call more; a number of
    chips must be legal as written.

    offers: the legal actions, or those that a tree contains.  pot: all chips paid so far, by
    everybody.  big_blind: in chips; 0: unknown.
    """
    action = word
    if isinstance(word, RaiseTo | RelativeBet):
        if not any(isinstance(offer, RaiseTo) for offer in offers):
            raise OptionError(f"nobody can bet or raise; {_there_is(offers, betting)}")
        if isinstance(word, RelativeBet):
            spot = spot_of(betting, pot, big_blind)
            action = RaiseTo(spot.legal(asked_chips(word, spot)))
    if isinstance(action, Action) and action in offers:
        return action
    chips = f" {action.chips} chips, which is" if isinstance(action, RaiseTo) else ""
    raise OptionError(f"this is{chips} not possible here; {_there_is(offers, betting)}")


def action_words(offers: Sequence[Action], betting: Betting) -> tuple[str, ...]:
    """Actions as words of a line, ``("x", "b32", "b320")``; long ranges as ``r4..r200``."""
    raised = betting.high > 0
    if isinstance(offers, LegalActions) and offers.max_raise - offers.min_raise > 3:
        low, high = RaiseTo(offers.min_raise), RaiseTo(offers.max_raise)
        plain = (word for action, word in _WORDS.items() if action in offers)
        return (*plain, f"{word_text(low, raised)}..{word_text(high, raised)}")
    return tuple(word_text(offer, raised) for offer in offers)


def _there_is(offers: Sequence[Action], betting: Betting) -> str:
    return f"there is {', '.join(action_words(offers, betting))}" if offers else "nobody acts"


def misfit(word: str, so_far: str, line: str, problem: object) -> OptionError:
    """The error for a word that is not possible at its position in a line."""
    after = f"after {so_far!r}" if so_far else "at the start"
    return OptionError(f"{brief(word)} {after} in the line {brief(line)}: {problem}")


def all_in_total(betting: Betting) -> int:
    """The total that puts the actor, or every possible caller, all-in; rules may allow less."""
    actor = betting.actor
    totals = [bet + stack for bet, stack in zip(betting.bets, betting.stacks, strict=True)]
    others = [total for p, total in enumerate(totals) if betting.able >> p & 1 and p != actor]
    return min(totals[actor], max(others, default=0))


def action_label(action: Action, betting: Betting, pot: int | None = None) -> str:
    """An action for people to read: ``call 4``, ``bet 12``, ``raise to 40 (all-in)``.

    pot: all chips paid so far, by everybody; with it, labels are capitalised and give bets in
    percent of the pot after calling: ``Call 4``, ``Bet 12 (50%)``, ``All-in 40``.
    """
    if not isinstance(action, RaiseTo):
        label = f"{action} {betting.actions.call}" if action == CALL else str(action)
        return label if pot is None else label.capitalize()
    chips, all_in = action.chips, action.chips >= all_in_total(betting)
    label = f"{'raise to' if betting.high else 'bet'} {chips}"
    if pot is None:
        return f"{label} (all-in)" if all_in else label
    if all_in:
        return f"All-in {chips}"
    return f"{label.capitalize()} ({100 * spot_of(betting, pot).share(chips):.0f}%)"


def to_address(line: str) -> str:
    """A line as part of a URL, without characters that need escaping."""
    words = [_plain_text(text) for text in split_line(line)]
    return " ".join(words).translate(_MARKS).replace("-_", "_").replace("_-", "_")


def from_address(address: str) -> str:
    """The inverse of `to_address`; `OptionError` if the address is not a line."""
    words = split_line(address.translate(_UNMARKS))
    return " ".join(map(_plain_text, words))


def _plain_text(text: str) -> str:
    """A word as written, in lower case except for cards."""
    word = parse_word(text)
    return cards_text(word) if isinstance(word, tuple) else text.casefold()
