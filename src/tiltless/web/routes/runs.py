"""Routes of the training page: runs, their curves, and first-in strategies of checkpoints."""

import asyncio
from pathlib import Path as FilePath
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path, Query

from tiltless.web.runs import Runs

__all__ = ["run_routes"]

_Name = Annotated[str, Path(min_length=1, max_length=200)]
_Walks = Annotated[int, Path(ge=0, le=10**15)]
_After = Annotated[int, Query(ge=-1, le=10**15)]


def run_routes(runs: Runs) -> APIRouter:
    """The routes under ``/api/runs``."""
    routes = APIRouter(prefix="/api/runs")

    async def folder(name: str) -> FilePath:
        found = await asyncio.to_thread(runs.find, name)
        if found is None:
            raise HTTPException(404, "no such run; GET /api/runs lists them")
        return found

    @routes.get("")
    async def list_runs() -> list[dict[str, Any]]:
        return await asyncio.to_thread(runs.all)

    @routes.get("/{name}")
    async def read_run(name: _Name, after: _After = -1) -> dict[str, Any]:
        return await asyncio.to_thread(runs.read, name, await folder(name), after)

    @routes.get("/{name}/first-in/{walks}")
    async def first_in(name: _Name, walks: _Walks) -> list[dict[str, Any]]:
        found = await asyncio.to_thread(runs.first_in, await folder(name), walks)
        if found is None:
            raise HTTPException(404, "no such checkpoint; the run lists them")
        return found

    return routes
