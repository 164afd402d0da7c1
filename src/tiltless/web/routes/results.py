"""Routes of the arena page: results files, their matches, replays of deals."""

import asyncio
from collections.abc import Callable
from pathlib import Path as FilePath
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path

from tiltless.arena.store import Store
from tiltless.errors import TiltlessError
from tiltless.web.results import match_json, matches_json, replay_json, results_files

__all__ = ["results_routes"]

_Name = Annotated[str, Path(min_length=1, max_length=200)]
_Number = Annotated[int, Path(ge=0, le=10**9)]


def results_routes(root: FilePath) -> APIRouter:
    """The routes under ``/api/results``.  root: the folder below which files are looked for."""
    routes = APIRouter(prefix="/api/results")

    def read(name: str, how: Callable[..., Any], *arguments: Any) -> Any:
        path = results_files(root).get(name)
        if path is None:
            raise HTTPException(404, "no such file of results; GET /api/results lists them")
        try:
            with Store(path, create=False) as store:
                return how(store, *arguments)
        except TiltlessError as problem:  # it names the file by its whole path
            words = str(problem).replace(str(path), name.replace("~", "/"))
            raise HTTPException(422, words) from problem

    @routes.get("")
    async def list_files() -> list[dict[str, Any]]:
        found = await asyncio.to_thread(results_files, root)
        return [{"id": name, "name": name.replace("~", "/")} for name in found]

    @routes.get("/{name}")
    async def matches(name: _Name) -> dict[str, Any]:
        found: dict[str, Any] = await asyncio.to_thread(read, name, matches_json)
        return found

    @routes.get("/{name}/{match}")
    async def match(name: _Name, match: _Number) -> dict[str, Any]:
        found: dict[str, Any] = await asyncio.to_thread(read, name, match_json, match)
        return found

    @routes.get("/{name}/{match}/{deal}")
    async def replay(name: _Name, match: _Number, deal: _Number) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = await asyncio.to_thread(read, name, replay_json, match, deal)
        if not found:
            raise HTTPException(404, "this deal was not stored; the match lists some")
        return found

    return routes
