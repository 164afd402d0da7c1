"""The game clock of an MIT engine, and what of it each decision may take.

The engine counts the time from writing a line to reading the answer, acknowledgements included, and
tells what is left in every line. When nothing is left, the player checks and folds for the rest of
the match; so does one who takes more than ten seconds for one answer, whatever is left.

A decision is *long* if the engine counted a hundredth of a second or more. What is left, without
what the other answers will need, is divided among the long decisions that are still to be expected
(`tiltless.search.match_clock`): that is `offer`, the `tiltless.agents.agent.Clock` of an agent. An
agent that overruns it is waited for a little longer (`limit`), as long as a tenth of the clock has
not been used up in this way: the first call of compiled code may take half a second.
"""

import time
from collections.abc import Callable

from tiltless.search.match_clock import search_share

__all__ = ["GameClock"]

_LONG = 0.01
_QUICK, _HANDS = 0.002, 10  # the prior: seconds a hand that are not long decisions, in this many
_OVERTIME = 0.1  # of the whole clock
_LEAST_HANDS = 20  # to be expected when the match is longer than it should be
_GONE = 0.05  # seconds that are kept for check and fold


class GameClock:
    """A player's clock in one match.

    seconds: at the start.  hands: of the match.  reply: the limit of one answer.  now: for tests.
    """

    def __init__(
        self,
        seconds: float,
        hands: int,
        reply: float,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.hands, self.reply, self._now = hands, reply, now
        self._left, self._since = seconds, now()
        self._overtime = _OVERTIME * seconds
        self._played = self._long = 0
        self._quick = 0.0
        self._offered: float | None = None

    def line(self, left: float | None) -> None:
        """Note that a line has come; left: the clock that it tells, None if it does not."""
        if left is None:
            left = self.left
        spent = max(self._left - left, 0.0)
        if spent >= _LONG:
            self._long += 1
        else:
            self._quick += spent
        if self._offered is not None:
            self._overtime = max(self._overtime - max(spent - self._offered, 0.0), 0.0)
        self._left, self._since, self._offered = left, self._now(), None

    def next_hand(self) -> None:
        """Note that a hand begins."""
        self._played += 1

    @property
    def left(self) -> float:
        """Seconds that are left now; never below 0."""
        return max(self._left - (self._now() - self._since), 0.0)

    @property
    def is_nearly_gone(self) -> bool:
        """Whether there is no time to ask an agent."""
        return self.left < _GONE

    def offer(self) -> float:
        """The seconds that the next decision may take."""
        left, hands = self.left, max(self.hands - self._played + 1, _LEAST_HANDS)
        quick = hands * (self._quick + _QUICK * _HANDS) / (self._played + _HANDS)
        share = search_share(left - min(quick, left / 2), hands, self._played, self._long)
        self._offered = min(share, left / 4, self.reply / 4)
        return self._offered

    def limit(self, offered: float) -> float:
        """The seconds after which a decision with such an offer is given up."""
        longest = min(self.left - _GONE / 2, self.reply / 2)
        return max(min(1.25 * offered + 0.02 + self._overtime / 2, longest), 0.0)
