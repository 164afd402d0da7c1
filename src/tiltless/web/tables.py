"""Tables in memory: found by name and owner, one request at a time, agents in threads.

The event loop never waits for an agent or for the store. Quick agents think in a few threads of the
server; slow ones in worker processes, whose tables only wait in threads of their own, so that they
hold up nobody else. Tables that nobody has used for an hour are dropped from memory; the store has
them, and the next request continues them from there.
"""

import asyncio
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from tiltless.agents.agent import Decision
from tiltless.agents.registry import is_slow
from tiltless.errors import OptionError
from tiltless.games.holdem.view import View
from tiltless.web.hub import Hub
from tiltless.web.remote_agent import agent_maker
from tiltless.web.table import NEXT, ConflictError, TableChoice, WebTable
from tiltless.web.table_store import TableStore
from tiltless.web.workers import WorkerPool

__all__ = ["OpenTables"]

R = TypeVar("R")
_MOST = 500
"""Tables in memory, and tables of one owner."""
_WAITING = 32
"""Tables that may wait for slow agents at the same time."""
_IDLE = 3600.0
"""Seconds after which a table that nobody uses is dropped from memory."""
_LOOK_SECONDS = 60.0


@dataclass(slots=True)
class _Open:
    """A table in memory, the lock of its requests, and when it was used last."""

    table: WebTable
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    used: float = field(default_factory=time.monotonic)


class OpenTables:
    """All tables of this server.

    workers: the processes of slow agents.  threads: how many quick agents think at the same time.
    """

    def __init__(self, store: TableStore, hub: Hub, workers: WorkerPool, threads: int = 2) -> None:
        self.store, self.hub, self.workers = store, hub, workers
        self._open: OrderedDict[tuple[str, str], _Open] = OrderedDict()
        self._pool = ThreadPoolExecutor(threads, "agent")
        self._patient = ThreadPoolExecutor(_WAITING, "slow")

    def close(self) -> None:
        """End the threads."""
        for pool in (self._pool, self._patient):
            pool.shutdown(wait=False, cancel_futures=True)

    async def open(self, owner: str, choice: TableChoice) -> WebTable:
        """A new table with its first hand dealt."""
        if await self._think(self.store.count, owner) >= _MOST:
            raise OptionError(f"you have {_MOST} tables; delete some to open another")
        number = secrets.token_hex(8)
        make, slow = agent_maker(self.workers, number), any(map(is_slow, choice.opponents))
        table = await self._think(WebTable.open, owner, choice, number, make, slow=slow)
        await self._think(self._apply, table, 0, NEXT, slow=slow)
        self._keep(_Open(table))
        return table

    async def find(self, owner: str, number: str) -> WebTable | None:
        """A table of this owner; None if there is none."""
        found = await self._find(owner, number)
        return None if found is None else found.table

    async def apply(self, owner: str, number: str, seq: int, request: str) -> WebTable | None:
        """Apply a request to a table, see `WebTable.apply`; None if there is no such table.

        After a failure in the middle the table is read again from the store, as it was before.
        """
        topic = f"table:{number}"
        async with self._locked(owner, number) as table:
            if table is None:
                return None
            slow = _is_slow(table)
            self.hub.tell(topic, "thinking", {"slow": slow})
            try:
                await self._think(self._apply, table, seq, request, slow=slow)
            except (ConflictError, OptionError):  # nothing was changed
                raise
            except BaseException:
                self._open.pop((owner, number), None)
                raise
            finally:
                self.hub.tell(topic, "table", {"seq": table.seq})
        return table

    def _apply(self, table: WebTable, seq: int, request: str) -> None:
        if table.apply(seq, request):
            self.store.save(table)

    async def hint(self, owner: str, number: str) -> tuple[View, Decision] | None:
        """What the person sees, and what the first opponent would do; None if no such table."""
        async with self._locked(owner, number) as table:
            if table is None:
                return None
            view = table.view
            if view.actor != view.seat:
                raise OptionError("it is not your turn; a hint is for a decision")
            try:
                return view, await self._think(table.session.hint, view, slow=_is_slow(table))
            except OptionError as problem:  # an agent's own words stay on this machine
                raise OptionError("your opponent has no hint here; decide yourself") from problem

    async def delete(self, owner: str, number: str) -> bool:
        """Forget a table; False if there is none.  A request that is being applied ends first."""
        found = self._open.get((owner, number))
        async with asyncio.Lock() if found is None else found.lock:
            self._open.pop((owner, number), None)
            done = await self._think(self.store.delete, number, owner)
        if done:
            self.hub.forget(f"table:{number}")
        return done

    @asynccontextmanager
    async def _locked(self, owner: str, number: str) -> AsyncIterator[WebTable | None]:
        """A table for one request at a time; None if there is none."""
        while (found := await self._find(owner, number)) is not None:
            async with found.lock:
                if self._open.get((owner, number)) is found:  # not deleted or dropped meanwhile
                    yield found.table
                    return
        yield None

    async def _find(self, owner: str, number: str) -> _Open | None:
        key = owner, number
        if key not in self._open:
            make = agent_maker(self.workers, number)
            table = await self._think(self.store.load, number, owner, make, slow=True)
            if table is None:
                return None
            if key not in self._open:  # another request may have loaded it meanwhile
                self._keep(_Open(table))
        self._open.move_to_end(key)
        self._open[key].used = time.monotonic()
        return self._open[key]

    def _keep(self, found: _Open) -> None:
        self._open[found.table.owner, found.table.number] = found
        idle = [key for key, each in self._open.items() if not each.lock.locked()]
        self._drop(idle[: max(len(self._open) - _MOST, 0)])

    async def tidy(self) -> None:
        """Drop tables that nobody uses from memory, every minute; never ends."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            self.drop_idle()

    def drop_idle(self, seconds: float = _IDLE) -> int:
        """Drop tables that were not used for so long from memory; how many those were."""
        until = time.monotonic() - seconds
        keys = [
            key for key, each in self._open.items() if each.used <= until and not each.lock.locked()
        ]
        self._drop(keys)
        return len(keys)

    def _drop(self, keys: list[tuple[str, str]]) -> None:
        for key in keys:
            del self._open[key]
            self.hub.forget(f"table:{key[1]}")

    async def read(self, task: Callable[..., R], *arguments: Any) -> R:
        """Ask the store, in a thread."""
        return await self._think(task, *arguments)

    async def _think(self, task: Callable[..., R], *arguments: Any, slow: bool = False) -> R:
        """Run something that takes its time in a thread.  slow: it waits for a process."""
        pool, work = self._patient if slow else self._pool, partial(task, *arguments)
        return await asyncio.get_running_loop().run_in_executor(pool, work)


def _is_slow(table: WebTable) -> bool:
    return any(map(is_slow, table.session.texts))
