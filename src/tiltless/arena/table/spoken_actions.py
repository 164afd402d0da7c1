"""Spoken actions: what a person types at the table, such as ``half``, ``r 12`` or ``all in``.

`read_action` reads the notation of `tiltless.games.holdem.notation`, and also whole words instead
of letters, blanks, and ``half`` for ``50%``. A size relative to the pot, the big blind or the bet
becomes the nearest legal raise; a number of chips must be legal as given. `read_word` reads
commands, which are not actions: help, hint, why, quit.
"""

import re
from fractions import Fraction

from tiltless.errors import InputError, OptionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, RaiseTo
from tiltless.games.holdem.bet_context import spot_of
from tiltless.games.holdem.notation import RelativeBet, asked_chips, parse_word
from tiltless.games.holdem.view import View
from tiltless.validate import brief

__all__ = ["HELP", "nearest_raise", "read_action", "read_word"]

HELP = """\
fold, f           give up the hand
check, k, x       check, if there is nothing to call
call, c           call the bet
12, r 12, bet 12  bet or raise to a total of 12 chips on this street
+12               raise by 12 chips on top of the call
3bb, 3x           raise to three big blinds, or to three times the bet
half, third, pot, 2/3, 75%, 1.5 pot
                  bet or raise by a fraction of the pot
min, all in       make the smallest or the largest bet
hint              show what the opponent would do in your place
why               show what it was thinking in the previous hand
result            show how much you have won
q                 leave; so do Ctrl-C and Ctrl-D"""

_WORDS = {
    "?": "help",
    "h": "help",
    "help": "help",
    "hint": "hint",
    "why": "why",
    "result": "result",
    "score": "result",
    "q": "quit",
    "quit": "quit",
    "exit": "quit",
    "leave": "quit",
    "bye": "quit",
}
_PLAIN = {f"{action}{end}": action for action in (FOLD, CHECK, CALL) for end in ("", "s")}
_ALL_IN = {"a", "all", "all in", "all-in", "allin", "shove", "jam", "push", "max"}
_MIN = {"min", "minimum", "least"}
_PARTS = {"quarter": 25.0, "third": 100 / 3, "half": 50.0, "two thirds": 200 / 3, "pot": 100.0}
_RAISE = re.compile(r"(?:raise|bet|r|b)(?![a-z])\s*(?:to\s+)?|to\s+")
_NUMBER = r"[0-9]{1,15}(?:\.[0-9]{1,6})?"
_SIZE = re.compile(
    rf"(?P<by>by\s+|\+\s*)?(?P<number>{_NUMBER})(?:\s*/\s*(?P<below>[0-9]{{1,6}}))?"
    r"\s*(?P<unit>%|bb|x|pots?|chips)?(?:\s+(?:of\s+)?(?:the\s+)?(?P<pot>pot))?"
)


def read_word(text: str) -> str | None:
    """``"help"``, ``"hint"``, ``"why"``, ``"result"`` or ``"quit"``; None: it may be an action."""
    return _WORDS.get(text.strip().casefold())


def read_action(text: str, view: View) -> Action:
    """The legal action that the text means; `OptionError` says what is wrong, and what to write."""
    words = " ".join(text.casefold().split())
    actions = view.actions
    if not words:
        raise OptionError(f"type your action: {actions}; ? explains")
    try:
        word = parse_word(words)
    except InputError:
        word = _PLAIN.get(words, words)
    if isinstance(word, tuple | str):
        word = _spoken_bet(words, view)
    if isinstance(word, RelativeBet) and word.unit == "a":
        return _all_in(view)
    if not isinstance(word, RaiseTo | RelativeBet):
        return _plain(word, view)
    if not actions.max_raise:
        raise OptionError(f"you cannot raise here; legal: {actions}")
    return _exactly(view, word) if isinstance(word, RaiseTo) else nearest_raise(view, word)


def nearest_raise(view: View, bet: RelativeBet) -> RaiseTo:
    """The legal raise nearest to a size that is relative to the pot, the big blind or the bet."""
    chips = asked_chips(bet, spot_of(view.betting, view.pot, view.rules.big_blind))
    return RaiseTo(min(max(chips, view.min_raise), view.max_raise))


def _plain(action: Action, view: View) -> Action:
    actions = view.actions
    if action == CALL and actions.check:
        return CHECK
    if action == FOLD and not actions.fold:
        raise OptionError("folding is not legal here, since checking is free; write k to check")
    if action == CHECK and not actions.check:
        raise OptionError(f"it costs {actions.call} to stay in; write c to call or f to fold")
    return action


def _spoken_bet(words: str, view: View) -> RaiseTo | RelativeBet:
    """The bet of the notation for spoken words: ``bet half the pot`` is ``b50%``."""
    verb = _RAISE.match(words)
    size = words[verb.end() :].strip() if verb else words
    if size in _ALL_IN:
        return RelativeBet("a")
    actions = view.actions
    if size in _MIN or (verb and not size and actions.min_raise == actions.max_raise):
        return RelativeBet("min")
    if verb and not size:
        raise OptionError(f"to how much? write r {actions.min_raise}, half, pot or all in")
    percent = _PARTS.get(size.removesuffix(" pot").removesuffix(" the").removesuffix(" of"))
    if percent:
        return RelativeBet("%", percent)
    match = _SIZE.fullmatch(size)
    if not (match or verb):
        raise OptionError(f"{brief(words)} is not understood; legal: {actions}; ? explains")
    if not match or (match["below"] is not None and not int(match["below"])):
        raise OptionError(f"{brief(words)} is not a size; write r 12, half, 75%, 3bb or all in")
    number, unit = Fraction(match["number"]) / int(match["below"] or 1), match["unit"] or ""
    if unit == "%":
        return RelativeBet("%", float(number))
    if unit.startswith("pot") or match["pot"] or (match["below"] and not unit):
        return RelativeBet("%", float(100 * number))
    high = view.betting.high if match["by"] else 0
    if unit == "bb":
        return RelativeBet("bb", float(number + Fraction(high, view.rules.big_blind)))
    if unit == "x":
        return RelativeBet("x", float(number))
    if number.denominator != 1:
        raise OptionError(f"{match['number']} is not a whole number of chips; write 12, or 2.5bb")
    return RaiseTo(int(number) + high)


def _exactly(view: View, bet: RaiseTo) -> Action:
    """Raise to a number of chips, if that is legal."""
    actions, chips = view.actions, bet.chips
    if bet in actions:
        return bet
    if actions.call and chips == view.bets[view.seat] + actions.call:
        raise OptionError(f"{chips} is a call; write c")
    if actions.min_raise == actions.max_raise:
        raise OptionError(f"the only raise here is to {actions.max_raise}; write r")
    if chips > actions.max_raise:
        raise OptionError(f"{chips} is too much; the maximum is {actions.max_raise}, write all in")
    raise OptionError(f"{chips} is too little; the minimum is {actions.min_raise}, write min")


def _all_in(view: View) -> Action:
    """The action that puts in as much as possible."""
    actions = view.actions
    if actions.max_raise and view.betting.rules.fixed:
        if actions.max_raise < view.bets[view.seat] + view.stack:
            raise OptionError(f"raises are fixed here; write r to raise to {actions.max_raise}")
    if actions.max_raise:
        return RaiseTo(actions.max_raise)
    if actions.call == view.stack:
        return CALL
    if actions.call:
        raise OptionError("nobody can call a raise here; write c to call or f to fold")
    raise OptionError("nobody can call a bet here; write k to check")
