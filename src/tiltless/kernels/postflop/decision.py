"""Regret matching and updates at one decision, for all hands at once.

The numbers of a decision are one row for each action, hands side by side. The weights of a strategy
(positive regrets, or averages) give the probability that a hand takes each action,
``max(w(h, a), 0) / sum over b of max(w(h, b), 0)``, uniform where none is above 0. `share_reach`
multiplies the opponent's reach into the children; `mean_value` comes back with the counterfactual
values of the traverser's hands; `add_regret` updates the regrets.

Offsets are those of first elements in flat arrays; widths are whole vectors of sixteen.

Twin: tests/naive/postflop/street.py; tested by tests/kernels/postflop/test_decision.py and
tests/postflop/test_solver.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import inline, kernel
from tiltless.kernels.base.simd import load, maximum, spread, store, where_positive

__all__ = [
    "AVERAGE_STEPS",
    "LEAST_TOTAL",
    "REGRET_STEPS",
    "PassRules",
    "add_regret",
    "add_regret_ahead",
    "best_value",
    "expand",
    "lift",
    "mean_value",
    "share_reach",
    "shrink",
    "sum_values",
]

U = np.uint64
F = np.float32
_WIDE = U(16)

LEAST_TOTAL = 1e-30
"""Weights that sum to this or less count as 0, as dividing reach by their sum might overflow."""
REGRET_STEPS, AVERAGE_STEPS = 32767, 65535
"""The largest numbers of compressed tables."""


class PassRules(NamedTuple):
    """Numbers of one iteration, all float64.

    up, down: factors of positive and negative regrets before new ones are added.
    floored: 1 if regrets fall no lower than 0.  predictive: 1 if strategies come from forecasts.
    next_up: the factor of positive regrets in the next iteration, for forecasts.
    keep: the factor of averages.
    """

    up: Any
    down: Any
    floored: Any
    predictive: Any
    next_up: Any
    keep: Any


@inline
def expand(small: Any, at: Any, size: Any, unit: Any, out: Any) -> None:
    """Expand some numbers of a compressed table: ``out[i] = unit * small[at + i]``."""
    some = small[at : at + size]
    for i in range(size):
        out[i] = unit * F(some[i])


@inline
def shrink(numbers: Any, size: Any, steps: Any, small: Any, at: Any) -> Any:
    """Compress some numbers; returns the unit. steps: the largest number of the table."""
    bits, some = numbers.view(np.int32), small[at : at + size]
    largest = np.int32(0)
    for i in range(size):
        number = bits[i] & np.int32(0x7FFFFFFF)  # as integers, floats keep their order
        largest = max(largest, number)
    bits[size] = largest
    most = numbers[size]
    if most <= F(LEAST_TOTAL):  # the quotient below might overflow
        for i in range(size):
            some[i] = 0
        return F(0)
    per = F(steps) / most
    for i in range(size):
        x = numbers[i] * per
        some[i] = np.int32(x + (F(0.5) if x >= F(0) else F(-0.5)))
    return most / F(steps)


@inline
def share_reach(
    source: Any,
    average: Any,
    at: Any,
    width: Any,
    actions: Any,
    reach: Any,
    parent: Any,
    first: Any,
    learns: Any,
    keep: Any,
) -> None:
    """Reach of the children of an opponent's node, where weights ``source`` are played.

    parent, first: offsets of the reach of the node and of its first child.
    learns: whether the reach of each child is added to the average strategy, times ``keep``.
    """
    zero, evenly, kept = spread(F(0)), spread(F(1) / F(actions)), spread(F(keep))
    least = spread(F(LEAST_TOTAL))
    for h in range(U(0), width, _WIDE):
        total = zero
        for a in range(actions):
            total = total + maximum(load(source, at + a * width + h), zero)
        here, above = load(reach, parent + h), total - least
        share = where_positive(above, here / total, zero)
        even = where_positive(above, zero, here * evenly)
        for a in range(actions):
            offset = at + a * width + h
            x = maximum(load(source, offset), zero) * share + even
            store(reach, first + a * width + h, x)
            if learns:
                store(average, offset, load(average, offset) * kept + x)


@inline
def mean_value(
    source: Any, at: Any, width: Any, actions: Any, cfv: Any, first: Any, parent: Any
) -> None:
    """The values of a node of the traverser, where weights ``source`` are played."""
    zero, evenly = spread(F(0)), spread(F(1) / F(actions))
    for h in range(U(0), width, _WIDE):
        total, mean, every = zero, zero, zero
        for a in range(actions):
            weight = maximum(load(source, at + a * width + h), zero)
            x = load(cfv, first + a * width + h)
            total, mean, every = total + weight, mean + weight * x, every + x
        store(cfv, parent + h, where_positive(total, mean / total, every * evenly))


@inline
def add_regret(
    regret: Any,
    at: Any,
    width: Any,
    actions: Any,
    cfv: Any,
    first: Any,
    parent: Any,
    rules: PassRules,
) -> None:
    """Add to the regrets how much more each action would have won than the node's value."""
    zero = spread(F(0))
    up, down = spread(F(rules.up)), spread(F(rules.down))
    for a in range(actions):
        for h in range(U(0), width, _WIDE):
            offset = at + a * width + h
            old, more = (
                load(regret, offset),
                load(cfv, first + a * width + h) - load(cfv, parent + h),
            )
            new = old * where_positive(old, up, down) + more
            if rules.floored > 0:
                new = maximum(new, zero)
            store(regret, offset, new)


@inline
def add_regret_ahead(
    regret: Any,
    forecast: Any,
    at: Any,
    width: Any,
    actions: Any,
    cfv: Any,
    first: Any,
    parent: Any,
    rules: PassRules,
) -> None:
    """The same for predictive rules: floored, with forecasts of the next regrets."""
    zero = spread(F(0))
    up, next_up = spread(F(rules.up)), spread(F(rules.next_up))
    for a in range(actions):
        for h in range(U(0), width, _WIDE):
            offset = at + a * width + h
            more = load(cfv, first + a * width + h) - load(cfv, parent + h)
            new = maximum(load(regret, offset) * up + more, zero)
            store(regret, offset, new)
            store(forecast, offset, maximum(new * next_up + more, zero))


@inline
def best_value(width: Any, actions: Any, cfv: Any, first: Any, parent: Any) -> None:
    """The value of the best action of each hand."""
    for h in range(U(0), width, _WIDE):
        best = load(cfv, first + h)
        for a in range(U(1), actions):
            best = maximum(best, load(cfv, first + a * width + h))
        store(cfv, parent + h, best)


@inline
def sum_values(width: Any, actions: Any, cfv: Any, first: Any, parent: Any) -> None:
    """The values of a node of the opponent: the sum, as the children's include the reach."""
    for h in range(U(0), width, _WIDE):
        total = load(cfv, first + h)
        for a in range(U(1), actions):
            total = total + load(cfv, first + a * width + h)
        store(cfv, parent + h, total)


@kernel
def lift(regret: Any, rows: Any, width: Any, share: Any) -> None:
    """Tremble: raise regrets to at least ``share / n`` of the sum of those above 0.

    regret: float32, flat.  rows: uint64 ``[decisions, 2]``: where the rows of a decision begin, and
    its number of actions n.
    """
    zero, wide = spread(F(0)), U(width)
    for d in range(len(rows)):
        at, actions = rows[d, 0], rows[d, 1]
        part = spread(F(share) / F(actions))
        for h in range(U(0), wide, _WIDE):
            total = zero
            for a in range(actions):
                total = total + maximum(load(regret, at + a * wide + h), zero)
            for a in range(actions):
                offset = at + a * wide + h
                store(regret, offset, maximum(load(regret, offset), total * part))
