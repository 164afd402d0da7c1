"""Reviews of finished hands: made in worker processes, read while they grow, kept for a while."""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from tiltless.agents.reviewer import ReviewOptions
from tiltless.errors import OptionError
from tiltless.games.holdem.view import View
from tiltless.search.review import reviewable
from tiltless.web.answers.review import totals_json
from tiltless.web.workers import Job, WorkerPool

__all__ = ["PLAYOUTS", "Reviews"]

PLAYOUTS = ReviewOptions.playouts
"""Of each action before the turn, as many as in ``tiltless review``: a decision takes 0.1 s."""

_KEPT = 200
_SECONDS = 5.0
"""For solving a turn and a river."""


@dataclass(slots=True)
class _Review:
    job: Job | None = None
    rows: list[dict[str, Any]] = field(default_factory=list)


class Reviews:
    """The reviews that were asked for last.

    playouts: of each action before the turn; 0: such decisions are not valued.
    """

    def __init__(self, workers: WorkerPool, playouts: int) -> None:
        self.workers, self.playouts = workers, playouts
        self._kept: OrderedDict[tuple[str, int], _Review] = OrderedDict()

    def look(self, table: str, hand: int, view: View) -> dict[str, Any]:
        """The decisions so far, what they cost, and whether that is all; the first look begins.

        view: the finished hand as the person saw it. A review that failed begins again.
        """
        if not reviewable(view):
            raise OptionError("only heads-up hands are reviewed so far; play one opponent")
        key = table, hand
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = _Review()
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            asked = {"view": view, "seconds": _SECONDS, "playouts": self.playouts}
            found.job = self.workers.submit("review", asked, tell=found.rows.append)
        self._kept.move_to_end(key)
        assert found.job is not None
        done = found.job.result.done()
        if done and (problem := found.job.result.exception()) is not None:
            del self._kept[key]
            raise OptionError(f"the review failed: {problem}")
        rows = list(found.rows)
        return {"hand": hand, "rows": rows, "cost": totals_json(rows), "done": done}
