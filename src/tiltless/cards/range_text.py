"""Range text: ``QQ+,AKs,A5s-A2s:0.5`` to 1,326 weights, and back.

::

    range  = item {"," item}                   if items overlap, the LEFTMOST wins
    item   = hands [":" weight]                weight 0..1, default 1
    hands  = class | class "+" | class "-" class | combo | percent "%" | "random"
    class  = QQ | AKs | AKo | AK               AK is AKs and AKo
    combo  = AsKh

Spaces are ignored, letters may be in either case, ten may be written 10.

* Plus: pairs and neighbours move both ranks up (``88+`` is 88..AA, ``98s+`` is 98s, T9s .. AKs);
  otherwise the kicker moves up (``A8o+`` is A8o..AKo, ``KTs+`` is KTs, KJs, KQs). Some other tools
  read ``98s+`` as 98s alone: a dash means the same everywhere.
* Dash: from high to low, with the same gap (``88-55``, ``KQo-JTo``) or the same first card
  (``A5s-A2s``).
* ``15%``: the top 15 % of all combos by `CLASSES_BY_EQUITY`; the last class gets a fractional
  weight, so that the weights sum to exactly 15 %.

Every mistake in a text raises `RangeError`.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import (
    CLASS_NAMES,
    CLASS_OF_COMBO,
    CLASS_SIZES,
    COMBO_COUNT,
    RANKS,
    combo_index,
    combo_text,
)
from tiltless.errors import CardError, RangeError
from tiltless.validate import brief, is_number

__all__ = [
    "CLASSES_BY_EQUITY",
    "COMBOS_IN_ORDER",
    "fill",
    "format_range",
    "hand_combos",
    "parse_range",
    "top_percent",
]

Weights = npt.NDArray[np.float64]
Combos = npt.NDArray[np.int64]

_BEST_TO_WORST = """
    AA KK QQ JJ TT 99 88 AKs 77 AQs AJs AKo ATs AQo AJo KQs 66 A9s ATo KJs A8s KTs KQo A7s A9o
    KJo 55 QJs K9s A5s A6s A8o KTo QTs A4s A7o K8s A3s QJo K9o A5o A6o Q9s K7s JTs A2s QTo 44
    A4o K6s K8o Q8s A3o K5s J9s Q9o JTo K7o A2o K4s Q7s K6o K3s T9s J8s 33 Q6s Q8o K5o J9o K2s
    Q5s T8s K4o J7s Q4s Q7o T9o J8o K3o Q6o Q3s 98s T7s J6s K2o 22 Q2s Q5o J5s T8o J7o Q4o 97s
    J4s T6s J3s Q3o 98o 87s T7o J6o 96s J2s Q2o T5s J5o T4s 97o 86s J4o T6o 95s T3s 76s J3o 87o
    T2s 85s 96o J2o T5o 94s 75s T4o 93s 86o 65s 84s 95o T3o 92s 76o 74s T2o 54s 85o 64s 83s 94o
    75o 82s 73s 93o 65o 53s 63s 84o 92o 43s 74o 72s 54o 64o 52s 62s 83o 42s 82o 73o 53o 63o 32s
    43o 72o 52o 62o 42o 32o
"""
CLASSES_BY_EQUITY = tuple(_BEST_TO_WORST.split())
"""The 169 classes from the best to the worst, by all-in equity before the flop against one random
hand: AA 85.204 %, KK 82.396 % .. 42o 33.200 %, 32o 32.303 %. Computed exactly (all 134,459
canonical boards, every hand against every other); no two classes tie, the closest pair is 0.0006 %
apart. The tests compare it with the exact table."""

COMBOS_IN_ORDER: Combos = np.lexsort((-np.arange(COMBO_COUNT), CLASS_OF_COMBO))
"""Every combo, int64 ``[1326]``, in reading order: class by class along the rows of the grid
(AA, AKs, AQs ..), spades before hearts, diamonds and clubs."""

_CLASS_STARTS = np.concatenate([[0], np.cumsum(CLASS_SIZES, dtype=np.int64)[:-1]])
_CLASS_COMBOS = np.split(COMBOS_IN_ORDER, _CLASS_STARTS[1:])
_CLASS_NUMBERS = {name: number for number, name in enumerate(CLASS_NAMES)}
_ROWS = RANKS[::-1]  # the rank of row 0 is the ace

_LONGEST_TEXT = 100_000  # every combo with its own 17-digit weight needs a third of that
_CLASS = re.compile(r"([2-9TJQKA])([2-9TJQKA])([SO]?)", re.ASCII)
_COMBO = re.compile(r"[2-9TJQKA][CDHS][2-9TJQKA][CDHS]", re.ASCII)
_NUMBER = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:E[+-]?[0-9]+)?", re.ASCII | re.IGNORECASE)
_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212"), "-")  # from web pages
_FORMS = "write QQ, AKs, AKo, AK, AsKh, 88+, A5s-A2s, 15% or random, with commas between"


def parse_range(text: str) -> Weights:
    """Weights of a range text, float64 ``[1326]``, at least one of them above 0."""
    if not isinstance(text, str):
        raise RangeError(
            f"{brief(text)} is not text; write a range such as 'QQ+,AKs', "
            "or use Range.from_weights for numbers"
        )
    if len(text) > _LONGEST_TEXT:
        raise RangeError(
            f"the range text has {len(text):,} characters and the limit is {_LONGEST_TEXT:,}; "
            "use Range.from_weights"
        )
    if not text.strip():
        raise RangeError(
            "an empty text is not a range; write hands such as QQ+,AKs, or random for every hand"
        )
    weights = fill(_split_weight(piece, text) for piece in text.split(","))
    if not weights.any():
        raise RangeError(f"{brief(text)} leaves no hand with a weight above 0; raise a weight")
    return weights


def fill(items: Iterable[tuple[str, float]]) -> Weights:
    """Weights from (hands, weight) pairs, float64 ``[1326]``; if they overlap the first wins."""
    parts = [_expand(hands, weight) for hands, weight in items]
    weights = np.zeros(COMBO_COUNT)
    for combos, values in reversed(parts):
        weights[combos] = values
    return weights


def hand_combos(hands: str) -> Combos:
    """The combos of one item without weight, int64 ``[n]``: ``AKs``, ``AsKh``, ``88+``, ``random``.

    Percentages are refused, because they include their last class only in part.
    """
    compact = _compact(hands)
    if compact.endswith("%"):
        raise RangeError(f"{brief(hands)} does not name whole hands; write a class such as AKs")
    if compact == "RANDOM":
        return COMBOS_IN_ORDER.copy()
    compact = compact.replace("10", "T")
    if _COMBO.fullmatch(compact):
        try:
            return np.array([combo_index(compact)], dtype=np.int64)
        except CardError:
            raise RangeError(
                f"{brief(hands)} names one card twice; write two different cards such as AsKh"
            ) from None
    if compact.endswith("+"):
        classes = _plus(_hand(compact[:-1], hands))
    elif "-" in compact:
        first, _, last = compact.partition("-")
        classes = _dash(_hand(first, hands), _hand(last, hands), hands)
    else:
        classes = _hand(compact, hands).classes
    return np.concatenate([_CLASS_COMBOS[number] for number in classes])


def top_percent(percent: float) -> Weights:
    """Weights of the best ``percent`` of all combos by `CLASSES_BY_EQUITY`, float64 ``[1326]``.

    The last class has the weight that makes the sum exactly ``13.26 * percent``.
    """
    if not is_number(percent) or not 0 < percent <= 100:
        raise RangeError(
            f"{brief(percent)} % of hands is impossible; write more than 0 % up to 100 %"
        )
    weights = np.zeros(COMBO_COUNT)
    left = percent * COMBO_COUNT / 100
    for name in CLASSES_BY_EQUITY:
        combos = _CLASS_COMBOS[_CLASS_NUMBERS[name]]
        if left < len(combos):
            weights[combos] = round(left / len(combos), 12)  # no rounding noise of the percentage
            break
        weights[combos] = 1.0
        left -= len(combos)
    return weights


def format_range(weights: Weights) -> str:
    """The canonical text of weights; `parse_range` returns exactly the same weights.

    Pairs come first, then suited and offsuit hands by their high card, and last the combos of
    classes with unequal weights. Equal neighbours are merged (``QQ+``, ``A5s-A2s``), and AKs with
    AKo if both are merged alike. If all weights are 0 the text is empty.
    """
    if weights[0] > 0 and (weights == weights[0]).all():
        return "random" + _weight_text(float(weights[0]))
    ordered = weights[COMBOS_IN_ORDER]
    low = np.minimum.reduceat(ordered, _CLASS_STARTS)
    high = np.maximum.reduceat(ordered, _CLASS_STARTS)
    grid = np.where(low == high, low, np.nan).reshape(13, 13)  # NaN is equal to nothing
    items = [
        _merged([rank * 2 for rank in _ROWS], start, stop) + _weight_text(weight)
        for start, stop, weight in _runs(grid.diagonal().tolist())
    ]
    for row in range(12):
        names = [_ROWS[row] + kicker for kicker in _ROWS[row + 1 :]]
        suited = _runs(grid[row, row + 1 :].tolist())
        offsuit = _runs(grid[row + 1 :, row].tolist())
        for runs, other, suffix in ((suited, offsuit, "s"), (offsuit, suited, "o")):
            for run in runs:
                if run in other and suffix == "o":
                    continue  # already written with the suited hands
                letters = "" if run in other else suffix
                start, stop, weight = run
                items.append(
                    _merged([name + letters for name in names], start, stop) + _weight_text(weight)
                )
    mixed = np.isnan(grid).ravel()
    for combo in COMBOS_IN_ORDER[mixed[CLASS_OF_COMBO[COMBOS_IN_ORDER]]].tolist():
        if weights[combo] > 0:
            items.append(combo_text(combo) + _weight_text(float(weights[combo])))
    return ",".join(items)


class _Hand(NamedTuple):
    """A class as written: ranks 12 (ace) to 0, and ``S``, ``O`` or no suffix."""

    high: int
    low: int
    suffix: str

    @property
    def name(self) -> str:
        return RANKS[self.high] + RANKS[self.low] + self.suffix.lower()

    @property
    def classes(self) -> list[int]:
        """The numbers of the one or two classes that it names."""
        if self.high == self.low or self.suffix:
            return [_CLASS_NUMBERS[self.name]]
        return [_CLASS_NUMBERS[self.name + "s"], _CLASS_NUMBERS[self.name + "o"]]

    def moved(self, high: int, low: int) -> "_Hand":
        return _Hand(self.high + high, self.low + low, self.suffix)


def _hand(compact: str, piece: str) -> _Hand:
    """Parse a class; ``piece`` is the original text, for messages."""
    match = _CLASS.fullmatch(compact)
    if match is None:
        raise RangeError(f"{brief(piece)} is not a hand of a range; {_remedy(compact, piece)}")
    low, high = sorted((RANKS.index(match[1]), RANKS.index(match[2])))
    if low == high and match[3]:
        raise RangeError(
            f"{brief(piece)}: a pair has no suit letter; write {RANKS[high] + RANKS[low]}"
        )
    return _Hand(high, low, match[3])


def _remedy(compact: str, piece: str) -> str:
    if any(bracket in piece for bracket in "[]()"):
        return "write the weight after the hand, such as AKs:0.5"
    if _COMBO.fullmatch(compact):
        return "list the combos one by one, or use classes such as AKs"
    return _FORMS


def _plus(hand: _Hand) -> list[int]:
    both = 1 if hand.high - hand.low <= 1 else 0
    steps = 12 - hand.high if both else hand.high - hand.low - 1
    return [c for step in range(steps + 1) for c in hand.moved(both * step, step).classes]


def _dash(first: _Hand, last: _Hand, piece: str) -> list[int]:
    if first.suffix != last.suffix and first.high != first.low and last.high != last.low:
        raise RangeError(
            f"{brief(piece)} mixes suited and offsuit; write the same letter on both sides, "
            f"such as {first.name}-{last._replace(suffix=first.suffix).name}"
        )
    same_gap = first.high - first.low == last.high - last.low
    if not same_gap and (first.high != last.high or first.high in (first.low, last.low)):
        raise RangeError(
            f"{brief(piece)} has neither the same gap nor the same first card on both sides; "
            "write such as 88-55, KQo-JTo or A5s-A2s"
        )
    if first.low < last.low:  # 22-QQ is QQ-22
        first, last = last, first
    both = -1 if same_gap else 0
    steps = range(first.low - last.low + 1)
    return [c for step in steps for c in first.moved(both * step, -step).classes]


def _expand(hands: str, weight: float) -> tuple[Combos, float | Weights]:
    """Combos of one item and their weights."""
    compact = _compact(hands)
    if compact.endswith("%"):
        if not _NUMBER.fullmatch(compact[:-1]):
            raise RangeError(f"{brief(hands)} is not a percentage; write such as 15% or 12.5%")
        weights = top_percent(float(compact[:-1]))
        combos = np.flatnonzero(weights)
        return combos, weight * weights[combos]
    return hand_combos(hands), weight


def _split_weight(piece: str, text: str) -> tuple[str, float]:
    """Hands and weight of one item."""
    hands, colon, number = piece.partition(":")
    if not hands.strip():
        raise RangeError(
            f"{brief(text)} has an item without hands; remove the extra comma"
            if not colon
            else f"{brief(piece)} has no hands before the colon; write such as AKs:0.5"
        )
    if not colon:
        return hands, 1.0
    compact = "".join(number.split())
    weight = float(compact) if _NUMBER.fullmatch(compact) else -1.0
    if not 0 <= weight <= 1:
        raise RangeError(
            f"{brief(piece)}: the weight {brief(number.strip())} is not a number from 0 to 1; "
            "write such as AKs:0.5"
        )
    return hands, weight


def _compact(hands: str) -> str:
    compact = "".join(hands.split()).translate(_DASHES)
    return compact.upper() if compact.isascii() else compact  # the capital of "ſ" is S


def _runs(values: Sequence[float]) -> list[tuple[int, int, float]]:
    """Maximal runs (start, stop, weight) of an equal weight above 0."""
    runs, start = [], 0
    for stop in range(1, len(values) + 1):
        if stop == len(values) or values[stop] != values[start]:
            if values[start] > 0:
                runs.append((start, stop, values[start]))
            start = stop
    return runs


def _merged(names: Sequence[str], start: int, stop: int) -> str:
    """Names ``start .. stop-1`` as one item; a run from the best name takes a plus."""
    first, last = names[start], names[stop - 1]
    if stop - start == 1:
        return first
    return f"{last}+" if start == 0 else f"{first}-{last}"


def _weight_text(weight: float) -> str:
    """The shortest text that reads back as exactly this weight; empty for 1."""
    return "" if weight == 1 else f":{weight!r}"
