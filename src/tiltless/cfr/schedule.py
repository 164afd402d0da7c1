"""Iteration schedules: regret and averaging rules as the numbers that kernels read."""

import numpy as np
import numpy.typing as npt

from tiltless.cfr.averaging import AveragingRule
from tiltless.cfr.regret import Predictive, RegretRule

__all__ = ["schedule"]


def schedule(
    regret: RegretRule, averaging: AveragingRule, first: int, count: int
) -> npt.NDArray[np.float64]:
    """Iterations ``first`` … ``first + count - 1``, counted from 1, float64 ``[count, 7]``.

    Columns: the factors of positive and of negative regrets before this iteration is added; 1 if
    regrets are floored at 0; the same factors one iteration later, and 1 if the rule is predictive;
    the weight of this iteration in the average strategy.
    """
    predictive = isinstance(regret, Predictive)
    rule = regret.rule if isinstance(regret, Predictive) else regret
    rows = [
        (*rule.discounts(t), rule.floored, *rule.discounts(t + 1), predictive, averaging.weight(t))
        for t in range(first, first + count)
    ]
    return np.array(rows, dtype=np.float64).reshape(count, 7)
