"""Spoken actions: what a person types at the table, such as ``half``, ``r 12`` or ``all in``.

`read_action` reads words; a size by the pot, by big blinds or by the bet is brought to the nearest
legal raise, a number of chips must be legal as it stands. `read_word` reads everything that is no
action: help, hint, why, quit.
"""

import re
from fractions import Fraction

from tiltless.errors import OptionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, RaiseTo
from tiltless.games.holdem.view import View
from tiltless.validate import brief

__all__ = ["HELP", "pot_raise", "read_action", "read_word"]

HELP = """\
fold, f           give up the hand
check, k, x       stay in where that is free
call, c           pay what it costs
12, r 12, bet 12  bet or raise to 12 chips in all on this street
+12               raise by 12 more than the call
3bb, 3x           to three big blinds, to three times the bet
half, third, pot, 2/3, 75%, 1.5 pot
                  bet or raise by a part of the pot
min, all in       the least and the most
hint              what the other player would do in your place
why               what it was thinking in the hand before
result            how you stand
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
_FOLD = {"f", "fold", "folds"}
_CHECK = {"k", "x", "check", "checks"}
_CALL = {"c", "call", "calls"}
_ALL_IN = {"a", "all", "all in", "all-in", "allin", "shove", "jam", "push", "max"}
_MIN = {"min", "minimum", "least"}
_PARTS = {
    "quarter": Fraction(1, 4),
    "third": Fraction(1, 3),
    "half": Fraction(1, 2),
    "two thirds": Fraction(2, 3),
    "pot": Fraction(1),
}
_RAISE = re.compile(r"(?:raise|bet|r|b)(?![a-z])\s*(?:to\s+)?|to\s+")
_NUMBER = r"[0-9]{1,15}(?:\.[0-9]{1,6})?"
_SIZE = re.compile(
    rf"(?P<by>by\s+|\+\s*)?(?P<number>{_NUMBER})(?:\s*/\s*(?P<below>[0-9]{{1,6}}))?"
    r"\s*(?P<unit>%|bb|x|pots?|chips)?(?:\s+(?:of\s+)?(?:the\s+)?(?P<pot>pot))?"
)


def read_word(text: str) -> str | None:
    """``"help"``, ``"hint"``, ``"why"``, ``"result"`` or ``"quit"``; None: it may be an action."""
    return _WORDS.get(text.strip().casefold())


def pot_raise(view: View, part: Fraction) -> Action:
    """Bet or raise by a part of the pot, as it is once the player to act has called.

    To ``high + part * (pot + call)``, rounded, and brought to the nearest legal raise.
    """
    betting = view.betting
    return _nearest(view, betting.high + part * (view.pot + betting.to_call))


def read_action(text: str, view: View) -> Action:
    """The legal action that a person means; `OptionError` says what is wrong, and what to write."""
    words = " ".join(text.casefold().split())
    actions = view.actions
    if not words:
        raise OptionError(f"write what you do: {actions}; ? explains")
    if words in _FOLD:
        if not actions.fold:
            raise OptionError("checking is free, no need to fold; write k")
        return FOLD
    if words in _CHECK:
        if not actions.check:
            raise OptionError(f"it costs {actions.call} to stay in; write c to call or f to fold")
        return CHECK
    if words in _CALL:
        return CHECK if actions.check else CALL
    if words in _ALL_IN:
        return _all_in(view)
    size = words
    found = _RAISE.match(words)
    if found:
        size = words[found.end() :].strip()
    if size in _ALL_IN:
        return _all_in(view)
    if not (found or size in _MIN or _part(size) or _SIZE.fullmatch(size)):
        raise OptionError(f"{brief(text.strip())} is not understood; {actions}; ? explains")
    _check_may_raise(view)
    if not size:
        if actions.min_raise < actions.max_raise:
            raise OptionError(f"to how much? write r {actions.min_raise}, half, pot or all in")
        return RaiseTo(actions.min_raise)
    return _read_size(size, text, view)


def _read_size(size: str, text: str, view: View) -> Action:
    """A raise of a size in words."""
    if size in _MIN:
        return RaiseTo(view.actions.min_raise)
    part = _part(size)
    if part:
        return pot_raise(view, part)
    found = _SIZE.fullmatch(size)
    if not found or (found["below"] is not None and not int(found["below"])):
        raise OptionError(f"{brief(text.strip())} is no size; write r 12, half, 75%, 3bb or all in")
    number = Fraction(found["number"]) / int(found["below"] or 1)
    by, unit, high = found["by"], found["unit"] or "", view.betting.high
    if unit == "%":
        return pot_raise(view, number / 100)
    if unit.startswith("pot") or found["pot"] or (found["below"] and not unit):
        return pot_raise(view, number)
    if unit == "bb":
        return _nearest(view, number * view.rules.big_blind + (high if by else 0))
    if unit == "x":
        if not high:
            raise OptionError("there is no bet to multiply; write r 12, half or pot")
        return _nearest(view, number * high)
    if number.denominator != 1:
        raise OptionError(f"{found['number']} is no whole number of chips; write 12, or 2.5bb")
    return _exactly(view, int(number) + (high if by else 0))


def _part(size: str) -> Fraction | None:
    """``"half"`` or ``"half the pot"`` as a number."""
    return _PARTS.get(size.removesuffix(" pot").removesuffix(" the").removesuffix(" of"))


def _exactly(view: View, chips: int) -> Action:
    """Raise to a number of chips, if that is legal."""
    actions = view.actions
    if RaiseTo(chips) in actions:
        return RaiseTo(chips)
    if actions.call and chips == view.bets[view.seat] + actions.call:
        raise OptionError(f"{chips} is a call; write c")
    if actions.min_raise == actions.max_raise:
        raise OptionError(f"the only raise here is to {actions.max_raise}; write r")
    if chips > actions.max_raise:
        raise OptionError(f"{chips} is too much; the most is {actions.max_raise}, write all in")
    raise OptionError(f"{chips} is too little; the least is {actions.min_raise}, write min")


def _nearest(view: View, chips: Fraction) -> Action:
    """Raise to the legal number of chips that is nearest."""
    actions = view.actions
    _check_may_raise(view)
    whole = int(chips + Fraction(1, 2))
    return RaiseTo(min(max(whole, actions.min_raise), actions.max_raise))


def _check_may_raise(view: View) -> None:
    if not view.actions.max_raise:
        raise OptionError(f"no raise is possible here; {view.actions}")


def _all_in(view: View) -> Action:
    """As much as can be put in."""
    actions = view.actions
    if actions.max_raise and view.betting.rules.fixed:
        if actions.max_raise < view.bets[view.seat] + view.stack:
            raise OptionError(f"raises are fixed here; write r to raise to {actions.max_raise}")
    if actions.max_raise:
        return RaiseTo(actions.max_raise)
    if actions.call == view.stack:
        return CALL
    if actions.call:
        raise OptionError("nobody can call more; write c to call or f to fold")
    raise OptionError("nobody can call a bet here; write k to check")
