"""Model cards: how a blueprint was made, and its match results.

::

    result = CardResult("always-call", 512.0, (498.0, 526.0), 1_000_000, 7, "…")
    blueprint.with_card({"results": [result]})

A card maps names to texts. The entry ``results`` may be machine-readable: a JSON list of matches,
each with its interval, hands and seed. It may also be a sentence.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from tiltless.errors import OptionError
from tiltless.validate import brief, is_number, whole_number

__all__ = ["RESULTS", "CardResult", "card_texts", "is_list", "read_results"]

RESULTS = "results"
"""The entry of a card that contains matches."""
_MOST = 2**63 - 1


class CardResult(NamedTuple):
    """The result of a match that a blueprint played.

    against: the opponent.  mbb_per_hand: won, in thousandths of a big blind a hand.
    interval: 95 %, low and high, in the same unit.  hands, seed: of the match.
    command: the command that repeats it.
    """

    against: str
    mbb_per_hand: float
    interval: tuple[float, float]
    hands: int
    seed: int
    command: str


def card_texts(card: Mapping[str, object]) -> dict[str, str]:
    """A card as texts.  ``results``: `CardResult`s, mappings, their JSON, or a sentence."""
    texts = {str(name): str(value) for name, value in card.items()}
    results = card.get(RESULTS)
    if isinstance(results, list | tuple):
        listed = [_checked(each)._asdict() for each in results]
        texts[RESULTS] = json.dumps(listed, ensure_ascii=False)
    read_results(texts)
    return texts


def is_list(text: str) -> bool:
    """Whether ``results`` is a list of matches, not a sentence."""
    return text.lstrip().startswith("[")


def read_results(card: Mapping[str, str]) -> tuple[CardResult, ...]:
    """The matches of a card; empty if it has none. `OptionError` says what is wrong."""
    text = card.get(RESULTS, "")
    if not is_list(text):
        return ()
    try:
        listed = json.loads(text)
    except (ValueError, RecursionError):
        raise OptionError(
            f"the results of a model card are {brief(text)}, which is not JSON; give a list of "
            f"{', '.join(CardResult._fields)}"
        ) from None
    return tuple(_checked(each) for each in listed)


def _checked(result: Any) -> CardResult:
    """A result, after checking the type and limits of every field."""
    fields = result._asdict() if isinstance(result, CardResult) else result
    if not isinstance(fields, Mapping) or set(fields) != set(CardResult._fields):
        raise OptionError(
            f"the result {brief(fields)} of a model card is not one; give "
            f"{', '.join(CardResult._fields)}, and nothing else"
        )
    low, high = _pair(fields["interval"])
    won = _number("mbb_per_hand", fields["mbb_per_hand"])
    if not low <= won <= high:
        raise OptionError(f"a result of {won:g} is not within its interval, {low:g} to {high:g}")
    return CardResult(
        _text("against", fields["against"]),
        won,
        (low, high),
        whole_number("hands of a result", fields["hands"], 1, _MOST),
        whole_number("seed of a result", fields["seed"], 0, _MOST),
        _text("command", fields["command"]),
    )


def _pair(value: Any) -> tuple[float, float]:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise OptionError(f"interval={brief(value)} of a result is not two numbers, low and high")
    return _number("interval", value[0]), _number("interval", value[1])


def _number(name: str, value: Any) -> float:
    if not is_number(value):
        raise OptionError(f"{name}={brief(value)} of a result is not a number; give mbb per hand")
    return float(value)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise OptionError(f"{name}={brief(value)} of a result is not a line of text; write one")
    return value
