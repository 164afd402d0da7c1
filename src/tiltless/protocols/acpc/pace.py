"""How long an agent may think at an ACPC dealer, which does not tell its limits.

The dealer's defaults are 600 seconds for one answer and 7 seconds for each hand of the match on
average; what is over ends the match. How many hands there will be is not known, so no more is spent
than the hands so far have brought: a decision is offered half of what is left of that, and is given
up when all of it is gone.
"""

import time
from collections.abc import Callable

from tiltless.validate import positive

__all__ = ["Pace"]

_REPLY = 0.8  # of the limit for one answer
_LEAST = 0.005  # seconds for a decision when nothing is left


class Pace:
    """A player's time in one match.

    per_hand: seconds for each hand on average.  response: the limit of one answer.  now: for tests.
    """

    def __init__(
        self,
        per_hand: float = 7.0,
        response: float = 600.0,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.per_hand = positive("per_hand", per_hand, 1e9)
        self.response = positive("response", response, 1e9)
        self._now = now
        self._saved = 0.0
        self._since: float | None = None

    def next_hand(self) -> None:
        """Note that a hand begins."""
        self._saved += self.per_hand

    def asked(self) -> float:
        """Note that we are to act; returns the seconds that a decision is offered."""
        self._since = self._now()
        return max(min(self._saved / 2, self.response / 2), _LEAST)

    def answered(self) -> None:
        """Note that the answer is sent."""
        if self._since is not None:
            self._saved = max(self._saved - (self._now() - self._since), 0.0)
            self._since = None

    def limit(self, offered: float) -> float:
        """When to give up waiting for a decision, in seconds."""
        return max(min(self._saved, _REPLY * self.response), offered)
