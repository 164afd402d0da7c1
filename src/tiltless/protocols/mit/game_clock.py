"""The game clock of an MIT engine, and what of it each decision may take.

The engine counts the time from writing a line to reading the answer, acknowledgements included, and
tells what is left in every line. When nothing is left, the player checks and folds for the rest of
the match; so does one who takes more than ten seconds for one answer, whatever is left.

What is left is divided like this. Some of it is kept for the acknowledgements to come, and for a
check or fold in every hand: when no more than that is left, agents are not asked (`is_kept`). A
decision is *long* if it took half of what it was offered or more; what the other decisions will
need is kept too, and the rest is divided among the long ones that are to be expected
(`tiltless.search.match_clock`). That is the `offer`, the `tiltless.agents.agent.Clock` of an agent.
One that overruns it is waited for (`limit`) as long as an eighth of what is spare at that moment:
compiled code may be called for the first time, or a showdown be learned from. To go on without it
would save little: in half a second of checks and folds an engine deals a hundred hands.
"""

import time
from collections.abc import Callable

from tiltless.search.match_clock import search_share

__all__ = ["GameClock"]

_PRIOR = 10  # weight of the two priors below, in lines and in hands
_LINE = 0.0005  # seconds for a line that the agent does not answer
_LONGEST_LINE = 0.005  # a longer one is an exception, such as loading
_SHORT = 0.002  # seconds a hand for decisions that are not long
_REPLY = 0.8  # of the limit for one answer
_PATIENCE = 0.125  # of what is spare, for a decision that overruns its offer
_LEAST_HANDS = 20  # expected when the match is longer than it should be
_LAST = 0.05  # seconds that are always kept
_FOLDED = 3  # lines of a hand that is checked or folded


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
        self._played = self._long = self._lines = 0
        self._line_seconds = self._short_seconds = 0.0
        self._offer: tuple[float, float] | None = None  # for the last line, and what was left then

    def line(self, left: float | None) -> None:
        """Note that a line has come; left: the clock that it tells, None if it does not.

        Without it, time since the last line is taken off the clock, though it may have been the
        engine's own. The next clock tells.
        """
        if left is None:
            self._left, self._since = self.left, self._now()
            return
        if self._offer is None:
            self._lines += 1
            self._line_seconds += min(max(self._left - left, 0.0), _LONGEST_LINE)
        else:
            offered, before = self._offer
            took = max(before - left, 0.0)
            if took < offered / 2:
                self._short_seconds += took
            else:
                self._long += 1
        self._left, self._since, self._offer = left, self._now(), None

    def next_hand(self) -> None:
        """Note that a hand begins."""
        self._played += 1

    @property
    def left(self) -> float:
        """Seconds that are left now; never below 0."""
        return max(self._left - (self._now() - self._since), 0.0)

    @property
    def is_kept(self) -> bool:
        """Whether what is left is kept for check and fold."""
        return self.left <= self._kept

    def offer(self) -> float:
        """The seconds that the next decision may take."""
        left, spare = self.left, self._spare
        share = search_share(spare, self._hands_left, self._played, self._long)
        seconds = min(share, spare / 4, self.reply / 4)
        self._offer = seconds, left
        return seconds

    def limit(self, offered: float) -> float:
        """Begin to wait for a decision with such an offer; returns when to give it up, in seconds.

        What was spent between the offer and now, such as for loading, is not the decision's.
        """
        self._offer = offered, self.left
        reply = _REPLY * self.reply - (self._now() - self._since)  # loading may have come first
        longest = min(self.left - self._kept, reply)
        return max(min(offered + _PATIENCE * self._spare, longest), 0.0)

    @property
    def _hands_left(self) -> int:
        return max(self.hands - self._played + 1, _LEAST_HANDS)

    @property
    def _spare(self) -> float:
        """What is left for decisions that are long."""
        free = max(self.left - self._kept, 0.0)
        short = (self._short_seconds + _SHORT * _PRIOR) / (self._played + _PRIOR)
        return free - min(self._hands_left * short, free / 2)

    @property
    def _kept(self) -> float:
        line = (self._line_seconds + _LINE * _PRIOR) / (self._lines + _PRIOR)
        return _LAST + _FOLDED * line * self._hands_left
