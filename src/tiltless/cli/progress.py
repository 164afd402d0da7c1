"""A progress bar that is an occasional line where there is no terminal, as in a pipe or a file."""

import time
from typing import Any

from rich.progress import Progress, ProgressColumn, Task, TaskID, TextColumn

from tiltless.amounts import time_text
from tiltless.cli import ui

__all__ = ["PipedProgress"]

_SPEED_SECONDS = 600.0
"""The time left is estimated from the last ten minutes: a step may take one of them."""


class PipedProgress(Progress):
    """A bar on a terminal; elsewhere the text of its columns, and the time left."""

    def __init__(self, *columns: ProgressColumn, **options: Any) -> None:
        super().__init__(*columns, speed_estimate_period=_SPEED_SECONDS, **options)
        self._next = time.monotonic() + ui.EVERY

    def update(self, task_id: TaskID, **changes: Any) -> None:
        """As of rich; in a pipe, also print how far the task is, now and then."""
        super().update(task_id, **changes)
        if not self.console.is_terminal and time.monotonic() >= self._next:
            self._next = time.monotonic() + ui.EVERY
            ui.say(self.console, self._line(self._tasks[task_id]))

    def _line(self, task: Task) -> str:
        columns = [each for each in self.columns if isinstance(each, TextColumn)]
        texts = [each.render(task).plain.strip() for each in columns]
        left = task.time_remaining
        if left:
            texts.append(f"({time_text(left)} left)")
        return " ".join(filter(None, texts))
