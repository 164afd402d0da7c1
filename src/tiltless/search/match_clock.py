"""Match clock: a time budget for a whole match, divided among its hands.

The remaining time is divided among the expected number of remaining searches, which is estimated
from the hands so far and a prior.
"""

from math import inf

__all__ = ["MatchClock", "search_share"]

_SEARCHES, _HANDS = 5, 10  # the prior: this many searches in this many hands


def search_share(seconds: float, hands: int, played: int, searches: int) -> float:
    """The seconds that the next search may take, of those left for ``hands`` hands.

    played, searches: what happened so far, from which the number of searches to come is estimated.
    """
    rate = (searches + _SEARCHES) / (played + _HANDS)
    return max(seconds, 0.0) / max(max(hands, 1) * rate, 1.0)


class MatchClock:
    """Spreads its seconds over the searches of a match.

    total: seconds; 0 means no limit.  hands: of a match, after which the clock starts again.
    """

    def __init__(self, total: float, hands: int) -> None:
        self.total, self.hands = total, hands
        self._spent, self._played, self._searches = 0.0, 0, 0

    def next_hand(self) -> None:
        """Note that a hand begins."""
        self._played += 1
        if self._played > self.hands:
            self._spent, self._played, self._searches = 0.0, 1, 0

    def next_search(self) -> None:
        """Note that a search begins."""
        self._searches += 1

    def spend(self, seconds: float) -> None:
        """Deduct time, spent searching or not."""
        self._spent += seconds

    def share(self) -> float:
        """The seconds that the next search may take."""
        if not self.total:
            return inf
        left = self.hands - self._played + 1
        return search_share(self.total - self._spent, left, self._played, self._searches)
