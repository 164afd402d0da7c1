"""Match clock: a time budget for a whole match, divided among its hands.

What is left is shared among the searches that are still to come. How many those are is judged by
the hands so far, with a first guess counted in.
"""

from math import inf

__all__ = ["MatchClock"]

_SEARCHES, _HANDS = 5, 10  # that it believes to have seen before the first


class MatchClock:
    """Spreads its seconds over the searches of a match.

    total: seconds, 0 for as many as you like.  hands: of a match; after them the next one begins.
    """

    def __init__(self, total: float, hands: int) -> None:
        self.total, self.hands = total, hands
        self._spent, self._played, self._searches = 0.0, 0, 0

    def next_hand(self) -> None:
        """A hand begins."""
        self._played += 1
        if self._played > self.hands:
            self._spent, self._played, self._searches = 0.0, 1, 0

    def next_search(self) -> None:
        """A search begins."""
        self._searches += 1

    def spend(self, seconds: float) -> None:
        """Time has gone by, with a search or without."""
        self._spent += seconds

    def share(self) -> float:
        """Seconds that the next search may take."""
        if not self.total:
            return inf
        rate = (self._searches + _SEARCHES) / (self._played + _HANDS)
        left = max(self.hands - self._played + 1, 1)
        return max(self.total - self._spent, 0.0) / max(left * rate, 1.0)
