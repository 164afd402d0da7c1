"""Match clock: a time budget for a whole match, divided among its hands.

The remaining time is divided among the expected number of remaining searches, which is estimated
from the hands so far and a prior. Where a search may be skipped, shares grow with the pot, in
proportion to the mean pot so far: a mistake costs a fraction of the pot. Searches that are skipped
leave their time to others, so the smallest pot that is searched adjusts itself to the clock.
"""

from math import inf

__all__ = ["MatchClock", "search_share"]

_SEARCHES, _HANDS = 5, 10  # the prior: this many searches in this many hands
_POTS = 10  # how many times the first pot counts in the mean
_MOST = 4.0  # times the share of a mean pot, for the largest
_SPARE = 0.9  # fraction of the dealer's clock that is used


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
        self._pots, self._asked = 0.0, 0

    def next_hand(self) -> None:
        """Note that a hand begins."""
        self._played += 1
        if self._played > self.hands:
            self._spent, self._played, self._searches = 0.0, 1, 0
            self._pots, self._asked = 0.0, 0

    def next_search(self) -> None:
        """Note that a search begins."""
        self._searches += 1

    def spend(self, seconds: float) -> None:
        """Deduct time, spent searching or not."""
        self._spent += seconds

    def share(self, pot: float = 0.0) -> float:
        """The seconds that the next search may take.

        pot: its chips, if shares are to grow with the pot; 0 if all searches are alike.
        """
        if not self.total:
            return inf
        left = self.hands - self._played + 1
        share = search_share(self.total - self._spent, left, self._played, self._searches)
        return self._weight(pot) * share

    def budget(
        self, most: float, clock: float | None, least: float, share: float | None = None
    ) -> float:
        """The seconds of a search; 0 if it should not start, as there are fewer than ``least``.

        most: of any search.  clock: the seconds of the dealer; None means no limit.  share: if it
        is another than that of `share`.
        """
        seconds = min(most, self.share() if share is None else share)
        if clock is not None:
            seconds = min(seconds, _SPARE * clock)
        return seconds if seconds >= least else 0.0

    def _weight(self, pot: float) -> float:
        """A pot in mean pots, and notes it."""
        if not pot:
            return 1.0
        times = 1 if self._asked else _POTS
        self._pots, self._asked = self._pots + times * pot, self._asked + times
        return min(pot * self._asked / self._pots, _MOST)
