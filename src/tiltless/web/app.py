"""The web application: routes, guard, static pages, events."""

import asyncio
import gc
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import FastAPI, HTTPException, Request, WebSocket, WebSocketDisconnect
from fastapi.responses import FileResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles

from tiltless._version import __version__
from tiltless.system import usable_cores
from tiltless.web.drills import Drills
from tiltless.web.guard import BODY_LIMIT, Guard, cookie_name, digest, new_secret
from tiltless.web.hub import Hub, Watcher
from tiltless.web.refusals import answer_errors
from tiltless.web.reviews import PLAYOUTS, Reviews
from tiltless.web.routes.drill import drill_routes
from tiltless.web.routes.play import opponents, play_routes, seats_of
from tiltless.web.routes.results import results_routes
from tiltless.web.routes.runs import run_routes
from tiltless.web.routes.study import study_routes
from tiltless.web.runs import Runs
from tiltless.web.spots import SpotFolder
from tiltless.web.table_store import TableStore
from tiltless.web.tables import OpenTables
from tiltless.web.warmup import STEPS
from tiltless.web.workers import WorkerPool

__all__ = ["make_app"]

_MOST_SOCKETS = 8
_LOCAL = frozenset(("127.0.0.1", "localhost", "::1"))
_TOPIC_LIMIT = 20
_FIRST = "the blueprint"  # of what is compiled, the part that runs in the server itself
_LONG = 16384  # bytes of an answer that is compressed: packing a table takes longer than sending it
_NICE = 10  # of the process that solves spots, so that tables go first


def make_app(
    folder: Path,
    token: str,
    allowed_hosts: frozenset[str] = frozenset(),
    rate: float = 40.0,
    warm: bool = False,
    watched: Path = Path(),
    playouts: int = PLAYOUTS,
) -> FastAPI:
    """The application.

    folder: where tables are kept.  token: the secret of the printed address.  allowed_hosts: names
    of this server beside those of the machine itself.  rate: requests a second of one session.
    warm: whether to compile in the background what pages will need.  watched: the folder below
    which training runs and results are looked for.  playouts: of each action before the turn, in
    reviews and drills; 0: none.
    """
    store, hub = TableStore(folder / "tables.sqlite"), Hub()
    workers, solvers = WorkerPool(max(2, usable_cores() - 1)), WorkerPool(1, nice=_NICE)
    tables = OpenTables(store, hub, workers)
    spots = SpotFolder(folder / "spots", hub, workers, solvers)
    preparing, runs = _Preparing(hub), Runs(watched, hub)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        if warm:
            preparing.start(workers)
        endless = [asyncio.create_task(task) for task in (runs.watch(), tables.tidy())]
        yield
        for task in endless:
            task.cancel()
        hub.close()
        workers.close()
        solvers.close()
        tables.close()
        store.close()

    app = FastAPI(
        title="tiltless",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=lifespan,
    )
    app.include_router(play_routes(tables, Reviews(workers, playouts)))
    app.include_router(study_routes(spots))
    app.include_router(drill_routes(Drills(spots, playouts)))
    app.include_router(run_routes(runs))
    app.include_router(results_routes(watched))
    answer_errors(app)
    static = Path(str(files("tiltless.web") / "static"))

    @app.get("/api/about")
    async def about() -> dict[str, Any]:
        agents = [
            {"name": entry.name, "about": entry.about, "slow": entry.slow, "seats": seats}
            for entry in opponents()
            if (seats := await tables.read(seats_of, entry.name))
        ]
        return {"version": __version__, "agents": agents, "compiling": preparing.left}

    async def present(topic: str, owner: str) -> Any:
        """The present state of a topic; None if there is none that this owner may see."""
        kind, _, name = topic.partition(":")
        if topic == "server:":
            return preparing.left
        if kind == "table" and (table := await tables.find(owner, name)) is not None:
            return {"seq": table.as_json()["seq"]}
        if kind == "spot" and (spot := await spots.find(name)) is not None:
            return spot.news
        if kind == "run" and await asyncio.to_thread(runs.begin, name):
            return {}
        return None

    @app.websocket("/api/events")
    async def events(socket: WebSocket) -> None:
        with suppress(WebSocketDisconnect):  # a tab may be gone at any moment
            await _events(socket, hub, present)

    @app.get("/", include_in_schema=False)
    @app.get("/{page}", include_in_schema=False)
    @app.get("/{page}/{rest:path}", include_in_schema=False)
    async def page(request: Request, page: str = "", rest: str = "") -> Response:
        given = request.query_params.get("token")
        if given is not None:
            return await run_in_threadpool(_enter, request, store, token, given, static)
        if page not in ("", "play", "study", "train", "arena", "drill"):
            raise HTTPException(404, "no such page; begin at /")
        return FileResponse(static / "index.html", headers={"cache-control": "no-cache"})

    app.mount("/static", GZipMiddleware(_Static(directory=static), 1000), name="static")
    _first(app, "/static")
    app.add_middleware(GZipMiddleware, minimum_size=_LONG, compresslevel=1)
    app.add_middleware(RequestBodyLimitMiddleware, max_body_size=BODY_LIMIT)
    app.add_middleware(
        Guard, hosts=_LOCAL | allowed_hosts, token=token, known=store.has_session, rate=rate
    )
    return app


def _first(app: FastAPI, path: str) -> None:
    """Move a mounted path before the routes that match everything."""
    routes = app.router.routes
    mounted = next(route for route in routes if getattr(route, "path", "") == path)
    routes.remove(mounted)
    routes.insert(0, mounted)


class _Static(StaticFiles):
    """Files that are checked at every visit, so that an upgrade never mixes modules."""

    def file_response(self, *arguments: Any, **named: Any) -> Response:
        response = super().file_response(*arguments, **named)
        response.headers["cache-control"] = "no-cache"
        return response


def _enter(request: Request, store: TableStore, token: str, given: str, static: Path) -> Response:
    """Exchange the token of the printed address for a session's cookie.

    Who has a session is let in by an address of an earlier start too, such as a bookmark.
    """
    secret = request.cookies.get(cookie_name(request.scope), "")
    known = bool(secret) and store.has_session(digest(secret))
    if not known and not secrets.compare_digest(given.encode(), token.encode()):
        return FileResponse(static / "earlier.html", 401, headers={"cache-control": "no-store"})
    answer = RedirectResponse(request.url.path, status_code=303)
    if not known:
        secret = new_secret()
        store.add_session(digest(secret))
    answer.set_cookie(
        cookie_name(request.scope), secret, max_age=365 * 86400, httponly=True, samesite="strict"
    )
    return answer


class _Preparing:
    """What is still being compiled, told to everybody who watches ``server:``."""

    def __init__(self, hub: Hub) -> None:
        self.hub, self.left = hub, list[str]()

    def start(self, workers: WorkerPool) -> None:
        """Begin, in a worker process."""
        loop = asyncio.get_running_loop()
        self.left = list(STEPS)

        def told(left: list[str]) -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._tell, left)

        workers.submit("warm", {}, tell=told)

    def _tell(self, left: list[str]) -> None:
        if _FIRST in self.left and _FIRST not in left:  # compiled: the server loads it, too
            asyncio.get_running_loop().run_in_executor(None, _load_first)
        self.left = left
        self.hub.tell("server:", "compiling", left)


def _load_first() -> None:
    """Load what runs in the server, which the garbage collector then leaves alone.

    A full collection over the compiled functions stops every table for a fifth of a second.
    """
    STEPS[_FIRST]()
    gc.collect()
    gc.freeze()


async def _events(
    socket: WebSocket, hub: Hub, present: Callable[[str, str], Awaitable[Any]]
) -> None:
    """One tab: it says what it watches, and is told what happens.

    present: the present state of a topic for an owner, None if there is none.
    """
    owner = socket.scope["state"]["owner"]
    await socket.accept()  # before it is refused, too, so that the page can read the code
    if hub.tabs(owner) >= _MOST_SOCKETS:
        await socket.close(1013)
        return
    watcher = hub.join(owner)
    writer = asyncio.create_task(_write(socket, watcher))
    try:
        while True:
            for topic, since in _wanted(await socket.receive_text(), watcher).items():
                now = await present(topic, owner)
                if now is not None:
                    hub.watch(watcher, topic, None if topic == "server:" else since, now)
    except (WebSocketDisconnect, KeyError, ValueError, RuntimeError):
        pass  # KeyError: bytes, not text
    finally:
        hub.leave(watcher)
        writer.cancel()
        with suppress(RuntimeError, WebSocketDisconnect):
            await socket.close()


def _wanted(text: str, watcher: Watcher) -> dict[str, int | None]:
    """``{"watch": {topic: last seen event or null}}``; `ValueError` for anything else."""
    message = json.loads(text)
    if message == "ping":
        watcher.put({"kind": "pong"})
        return {}
    wanted = message.get("watch") if isinstance(message, dict) else None
    if not isinstance(wanted, dict) or len(wanted) > _TOPIC_LIMIT:
        raise ValueError("not a message of ours")
    if not all(since is None or type(since) is int for since in wanted.values()):
        raise ValueError("not a number")
    return wanted


async def _write(socket: WebSocket, watcher: Watcher) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):  # gone in the middle
        while (event := await watcher.queue.get()) is not None:
            await socket.send_text(json.dumps(event))
        await socket.close(1012)
