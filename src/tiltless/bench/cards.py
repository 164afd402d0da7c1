"""Benchmark of hand evaluation and equity, beside eval7 and phevaluator."""

import numpy as np

from tiltless.bench import Result
from tiltless.bench.measuring.timing import best_seconds, start_cost
from tiltless.cards.card import card_text
from tiltless.cards.equity import equity
from tiltless.cards.evaluate import evaluate_many
from tiltless.cards.hand_order import hand_tables
from tiltless.kernels.cards.evaluate import count_all_seven, evaluate_large_hands, rank_boards

__all__ = ["run"]


def _deals(count: int, cards: int) -> "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]":
    rng = np.random.default_rng(1)
    return np.argsort(rng.random((count, 52)), axis=1)[:, :cards].astype(np.uint8)


def run() -> Result:
    """Measure everything in one process, on one thread."""
    tables = hand_tables()
    seven = np.tile(_deals(100_000, 7), (10, 1))
    twelve = _deals(50_000, 12)
    boards = _deals(500, 5)
    ranked = np.empty((len(boards), 1326), dtype=np.uint16)
    values = np.empty(len(twelve), dtype=np.uint16)
    counts = np.zeros(7463, dtype=np.uint64)
    result: Result = {
        "evaluate_random_per_s": len(seven) / best_seconds(lambda: evaluate_many(seven), 9),
        "evaluate_enumeration_per_s": 133_784_560
        / best_seconds(lambda: count_all_seven(tables, counts), 3),
        "evaluate_12_cards_per_s": len(twelve)
        / best_seconds(lambda: evaluate_large_hands(twelve, False, tables, values)),
        "rank_board_us": 1e6 * best_seconds(lambda: rank_boards(boards, tables, ranked), 9) / 500,
        "equity_aa_kk_s": best_seconds(lambda: equity("AA", "KK"), 9),
        "equity_aks_random_s": best_seconds(lambda: equity("AKs", "random"), 3),
        "equity_random_flop_s": best_seconds(lambda: equity("random", "random", board="QsJh2h"), 9),
        "equity_random_preflop_s": best_seconds(lambda: equity("random", "random"), 2),
    }
    result["start_s"], result["start_mb"] = start_cost("hand", "AsKsQsJsTs2d3c")
    some = seven[:20_000]
    result["eval7_per_s"] = _eval7(some)
    result["phevaluator_per_s"] = _phevaluator(some)
    if isinstance(result["eval7_per_s"], float):
        ours = result["evaluate_random_per_s"]
        assert isinstance(ours, float)
        result["evaluate_random_against_eval7"] = ours / result["eval7_per_s"]
    return result


def _eval7(hands: "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]") -> float | None:
    """Hands per second of eval7, called from Python with prepared cards; None if not installed."""
    try:
        import eval7
    except ImportError:
        return None
    ready = [[eval7.Card(card_text(int(card))) for card in hand] for hand in hands]

    def work() -> None:
        evaluate = eval7.evaluate
        for hand in ready:
            evaluate(hand)

    return len(ready) / best_seconds(work, 7)


def _phevaluator(hands: "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]") -> float | None:
    """Hands per second of phevaluator, called from Python with integer cards."""
    try:
        from phevaluator import evaluate_cards
    except ImportError:
        return None
    ready = [tuple(int(card) for card in hand) for hand in hands]

    def work() -> None:
        for hand in ready:
            evaluate_cards(*hand)

    return len(ready) / best_seconds(work, 5)
