"""Event hub: news about tables and jobs, for every tab that watches them.

A topic such as ``table:1f3a…`` numbers its events and keeps the last ones. A tab that was away says
which number it saw last, and gets what it missed, or ``resync`` if that is gone.
"""

import asyncio
import time
from collections import defaultdict, deque
from typing import Any

__all__ = ["Hub", "Watcher"]

_KEPT = 200
_WAITING = 500


class Watcher:
    """A tab's queue of events; one that does not read is dropped."""

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.queue: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue(_WAITING)
        self.topics: set[str] = set()

    def put(self, event: dict[str, Any] | None) -> None:
        """Queue an event; when full, everything is replaced by the end of the connection."""
        try:
            self.queue.put_nowait(event)
        except asyncio.QueueFull:
            while not self.queue.empty():
                self.queue.get_nowait()
            self.queue.put_nowait(None)


class Hub:
    """All topics and watchers, in one event loop."""

    def __init__(self) -> None:
        first = time.time_ns() // 10**6  # above the numbers of an earlier start
        self._numbers: dict[str, int] = defaultdict(lambda: first)
        self._kept: dict[str, deque[dict[str, Any]]] = {}
        self._watchers: set[Watcher] = set()

    def tabs(self, owner: str) -> int:
        """How many tabs an owner has open."""
        return sum(watcher.owner == owner for watcher in self._watchers)

    def join(self, owner: str) -> Watcher:
        """A new tab."""
        watcher = Watcher(owner)
        self._watchers.add(watcher)
        return watcher

    def leave(self, watcher: Watcher) -> None:
        """A tab is gone."""
        self._watchers.discard(watcher)

    def watch(self, watcher: Watcher, topic: str, since: int | None, now: Any) -> None:
        """Subscribe a tab.

        since: the number of the last event it saw; None: it is told ``now``, the present state.
        """
        watcher.topics.add(topic)
        number, kind = self._numbers[topic], topic.partition(":")[0]
        if since is None:
            watcher.put({"topic": topic, "seq": number, "kind": kind, "data": now})
        if since is None or since == number:
            return
        kept = self._kept.get(topic, ())
        missed = [event for event in kept if event["seq"] > since]
        if len(missed) != number - since:
            watcher.put({"topic": topic, "seq": number, "kind": "resync"})
            return
        for event in missed:
            watcher.put(event)

    def watched(self, prefix: str) -> set[str]:
        """The topics of this kind that some tab watches."""
        topics = set().union(*(watcher.topics for watcher in self._watchers))
        return {topic for topic in topics if topic.startswith(prefix)}

    def tell(self, topic: str, kind: str, data: Any = None) -> None:
        """Send an event to everybody who watches its topic."""
        self._numbers[topic] += 1
        event = {"topic": topic, "seq": self._numbers[topic], "kind": kind, "data": data}
        self._kept.setdefault(topic, deque(maxlen=_KEPT)).append(event)
        for watcher in self._watchers:
            if topic in watcher.topics:
                watcher.put(event)

    def forget(self, topic: str) -> None:
        """Drop the events of a topic; its numbers go on, since tabs may still watch it."""
        self._kept.pop(topic, None)

    def close(self) -> None:
        """End every connection."""
        for watcher in self._watchers:
            watcher.put(None)
