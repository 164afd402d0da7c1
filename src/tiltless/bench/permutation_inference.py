"""Benchmark of the inference of Permutation Hold'em: time a match, and how often it is right.

200 matches of 232 random showdowns, which is what 1,000 hands of two blueprints have. Times are
processor time, so that other programs do not count.
"""

import time

import numpy as np

from tiltless.bench import Result
from tiltless.permutation.orders import Orders
from tiltless.permutation.random_match import hidden_order, random_cards, with_results

__all__ = ["run"]

_MATCHES, _SHOWDOWNS, _JUDGED_AT = 200, 232, 200
_SEED = 10_000


def run(matches: int = _MATCHES) -> Result:
    """Seconds of a match (mean and most) and of the slowest update; share of matches right at 200.

    ``inference_kept``: share of matches in which the truth was in the list at the end.
    """
    _infer(_SEED - 1)  # compiles
    found = [_infer(_SEED + number) for number in range(matches)]
    spent, slowest, right, kept = np.array(found).T
    return {
        "inference_s": float(spent.mean()),
        "inference_most_s": float(spent.max()),
        "inference_slowest_update_s": float(slowest.max()),
        "inference_right_200": float(right.mean()),
        "inference_kept": float(kept.mean()),
    }


def _infer(seed: int) -> tuple[float, float, float, float]:
    """Processor time of a match and of its slowest update, whether right, whether truth is kept."""
    order = hidden_order(seed)
    truth = np.array(order.true_ranks)
    begin = time.process_time()
    orders = Orders(seed)
    spent, slowest, right = time.process_time() - begin, 0.0, False
    showdowns = with_results(random_cards(seed, _SHOWDOWNS), order)
    for number, showdown in enumerate(showdowns, 1):
        begin = time.process_time()
        orders.observe(*showdown)
        update = time.process_time() - begin
        spent, slowest = spent + update, max(slowest, update)
        if number == _JUDGED_AT:
            right = np.array_equal(orders.most_likely(), truth)
    return spent, slowest, float(right), float(orders.exact and orders.probability(truth) > 0)
