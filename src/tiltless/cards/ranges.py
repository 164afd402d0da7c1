"""Ranges: immutable weights of the 1,326 combos that a player may hold."""

from collections.abc import Iterator, Mapping
from typing import Any, SupportsIndex, final

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import (
    CLASS_COUNT,
    CLASS_OF_COMBO,
    COMBO_CARDS,
    COMBO_COUNT,
    DECK_SIZE,
    Cards,
    combo_text,
    parse_cards,
)
from tiltless.cards.range_text import (
    COMBOS_IN_ORDER,
    fill,
    format_range,
    hand_combos,
    parse_range,
    top_percent,
)
from tiltless.errors import ArrayError, RangeError

__all__ = ["Range"]

Weights = npt.NDArray[np.float64]


@final
class Range:
    """1,326 weights from 0 (never) to 1 (always), in the order of `tiltless.cards.card`.

    >>> raiser = Range("QQ+,AKs,A5s-A2s:0.5")
    >>> raiser
    Range('QQ+,AKs,A5s-A2s:0.5')
    >>> raiser.combos, raiser["A5s"], "KK" in raiser
    (30.0, 0.5, True)

    ``a | b`` takes the larger weight of each combo, ``a & b`` the smaller, ``~a`` is 1 - a, and
    ``a - b`` is max(0, a - b); for weights 0 and 1 these are set operations. ``a * 0.5`` scales all
    weights. Equality is exact. Iteration yields (combo text, weight) of the combos above 0, along
    the rows of the grid, and ``len`` counts them. The grammar of the text is in
    `tiltless.cards.range_text`.
    """

    __slots__ = ("_weights",)
    __array_ufunc__ = None  # so that np.float64(0.5) * range calls __rmul__
    _weights: Weights

    def __init__(self, text: "str | Range") -> None:
        weights = text._weights if isinstance(text, Range) else parse_range(text)
        self._keep(weights)

    @classmethod
    def from_weights(cls, weights: npt.ArrayLike) -> "Range":
        """A range from 1,326 weights between 0 and 1."""
        return cls._wrap(_checked(weights, COMBO_COUNT, "combo"))

    @classmethod
    def from_classes(cls, weights: Mapping[str, float] | npt.ArrayLike) -> "Range":
        """A range from ``{"AKs": 0.5, "QQ": 1}``, or from 169 weights in the order of the grid.

        Keys may be any item of the grammar (``"88+"``); if they overlap the first wins.
        """
        if isinstance(weights, Mapping):
            values = _checked(list(weights.values()), len(weights), "hand")
            return cls._wrap(fill(zip(map(str, weights), values.tolist(), strict=True)))
        return cls._wrap(_checked(weights, CLASS_COUNT, "class")[CLASS_OF_COMBO])

    @classmethod
    def top(cls, percent: float) -> "Range":
        """The best ``percent`` of hands by equity against a random hand; same as ``"15%"``."""
        return cls._wrap(top_percent(percent))

    @classmethod
    def random(cls) -> "Range":
        """Every combo, with weight 1."""
        return cls._wrap(np.ones(COMBO_COUNT))

    @classmethod
    def empty(cls) -> "Range":
        """No combo, as set operations may leave it; it has no text, so no typo yields it."""
        return cls._wrap(np.zeros(COMBO_COUNT))

    @classmethod
    def _wrap(cls, weights: Weights) -> "Range":
        new = object.__new__(cls)
        new._keep(weights)
        return new

    def _keep(self, weights: Weights) -> None:
        # A view of immutable bytes, so that the array cannot be made writable again. Adding 0
        # turns -0.0 into 0.0: equal ranges have equal bytes.
        frozen = np.frombuffer((weights + 0.0).tobytes(), dtype=np.float64)
        object.__setattr__(self, "_weights", frozen)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Range cannot be changed; make a new one to set {name}")

    def __reduce__(self) -> tuple[Any, ...]:
        return Range.from_weights, (np.array(self._weights),)

    @property
    def weights(self) -> Weights:
        """All weights, float64 ``[1326]``, read-only. For kernels use `to_array`."""
        return self._weights

    def to_array(self, dtype: npt.DTypeLike = np.float64) -> npt.NDArray[Any]:
        """A writable copy of the weights ``[1326]``.

        Numba would compile a kernel again for a read-only array; a copy is 10 kB.
        """
        return np.array(self._weights, dtype=dtype)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self._weights, dtype=dtype, copy=copy)

    @property
    def combos(self) -> float:
        """The number of combos, counted by weight."""
        return float(self._weights.sum())

    @property
    def percent(self) -> float:
        """`combos` as a percentage of all 1,326."""
        return 100.0 * self.combos / COMBO_COUNT

    def class_weights(self, dead: Cards = ()) -> Weights:
        """Mean weight of each class, float64 ``[169]``, over the combos without a ``dead`` card.

        0 for classes without such a combo.
        """
        alive = ~_touching(dead)
        sums = np.bincount(CLASS_OF_COMBO, self._weights * alive, CLASS_COUNT)
        counts = np.bincount(CLASS_OF_COMBO, alive, CLASS_COUNT)
        means: Weights = sums / np.maximum(counts, 1)
        return means

    def live(self, dead: Cards = ()) -> npt.NDArray[np.int64]:
        """The combos with a weight above 0 and no ``dead`` card, ascending, int64 ``[n]``."""
        return np.flatnonzero((self._weights > 0) & ~_touching(dead))

    def without(self, dead: Cards) -> "Range":
        """This range without the combos that contain a ``dead`` card, such as the board's."""
        return self._wrap(np.where(_touching(dead), 0.0, self._weights))

    def sample(self, rng: np.random.Generator, n: int = 1) -> npt.NDArray[np.int64]:
        """Draw ``n`` combos independently, in proportion to their weights, int64 ``[n]``."""
        if not self._weights.any():
            raise RangeError("an empty range has no hand to draw; give it at least one combo")
        probs = self._weights / self._weights.max()  # tiny weights would lose digits in the sum
        return rng.choice(COMBO_COUNT, size=n, p=probs / probs.sum())

    def __getitem__(self, hand: str | SupportsIndex) -> float:
        """Mean weight of ``"AsKs"``, ``"AKs"``, ``"AK"``, ``"88+"``, or of a combo index."""
        if isinstance(hand, str):
            return float(self._weights[hand_combos(hand)].mean())
        number = _combo_number(hand)
        return float(self._weights[number])

    def __contains__(self, hand: str | SupportsIndex) -> bool:
        """Whether any combo of the hand has a weight above 0."""
        return self[hand] > 0

    def __iter__(self) -> Iterator[tuple[str, float]]:
        for combo in COMBOS_IN_ORDER[self._weights[COMBOS_IN_ORDER] > 0].tolist():
            yield combo_text(combo), float(self._weights[combo])

    def __len__(self) -> int:
        return int(np.count_nonzero(self._weights))

    def __or__(self, other: "Range") -> "Range":
        if not isinstance(other, Range):
            return NotImplemented
        return self._wrap(np.maximum(self._weights, other._weights))

    def __and__(self, other: "Range") -> "Range":
        if not isinstance(other, Range):
            return NotImplemented
        return self._wrap(np.minimum(self._weights, other._weights))

    def __sub__(self, other: "Range") -> "Range":
        if not isinstance(other, Range):
            return NotImplemented
        return self._wrap(np.maximum(self._weights - other._weights, 0.0))

    def __invert__(self) -> "Range":
        return self._wrap(1.0 - self._weights)

    def __mul__(self, factor: float) -> "Range":
        if not isinstance(factor, int | float | np.integer | np.floating):
            return NotImplemented
        largest = float(self._weights.max())
        if not (factor >= 0 and largest * float(factor) <= 1):
            raise RangeError(
                f"{factor:g} times this range has weights outside 0 to 1; use a factor of at least "
                f"0 that keeps the largest weight, {largest:g}, at 1 or below"
            )
        return self._wrap(self._weights * float(factor))

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Range):
            return NotImplemented
        return bool(np.array_equal(self._weights, other._weights))

    def __hash__(self) -> int:
        return hash(self._weights.tobytes())

    def __str__(self) -> str:
        return format_range(self._weights)

    def __repr__(self) -> str:
        text = str(self)
        return f"Range({text!r})" if text else "Range.empty()"


def _checked(weights: npt.ArrayLike, count: int, what: str) -> Weights:
    """Numbers from 0 to 1, float64 ``[count]``."""
    try:
        array = np.asarray(weights)
        if array.dtype.kind not in "biuf":
            raise TypeError
    except (TypeError, ValueError):
        raise ArrayError(f"weights of a range must be {count:,} numbers, one per {what}") from None
    if array.shape != (count,):
        raise ArrayError(
            f"weights of a range have shape {array.shape}; give one per {what}, shape ({count},)"
        )
    values = array.astype(np.float64)
    bad = ~((values >= 0) & (values <= 1))  # NaN is bad too
    if bad.any():
        first = int(np.argmax(bad))
        raise RangeError(
            f"the weight {values[first]:g} of {what} {first} is not from 0 to 1; "
            "scale the weights first, for example by their largest"
        )
    return values


def _touching(cards: Cards) -> npt.NDArray[np.bool_]:
    """Which combos contain one of the cards, bool ``[1326]``."""
    held = np.zeros(DECK_SIZE, dtype=np.bool_)
    held[list(parse_cards(cards))] = True
    return held[COMBO_CARDS[:, 0]] | held[COMBO_CARDS[:, 1]]


def _combo_number(value: Any) -> int:
    try:
        number = int(value.__index__())
    except AttributeError:
        raise RangeError(f"{value!r} is not a hand; write one such as 'AsKs' or 'AKs'") from None
    if not 0 <= number < COMBO_COUNT:
        raise RangeError(f"{number} is not a combo; combos are 0 (2d2c) to 1325 (AsAh)")
    return number
