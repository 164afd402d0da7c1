"""Routes of the drill page: begin a drill, answer its questions."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Path, Request
from pydantic import BaseModel, ConfigDict, Field

from tiltless.web.drills import Drill, Drills, DrillSource
from tiltless.web.refusals import worded
from tiltless.web.routes.study import known_blueprint
from tiltless.web.table import ConflictError

__all__ = ["drill_routes"]

_Id = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$")]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class NewDrill(_Strict):
    """A node to drill: a solved spot by its id, or a blueprint by its name, and a line."""

    kind: Literal["spot", "blueprint"]
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]
    line: Annotated[str, Field(max_length=1000)] = ""
    board: Annotated[str, Field(max_length=20)] = ""
    close: bool = False


class Answer(_Strict):
    """An answer.  seq: the number of answers before it.  word: one of the question's actions."""

    seq: Annotated[int, Field(ge=0, le=10**9)]
    word: Annotated[str, Field(max_length=40)]


def drill_routes(drills: Drills) -> APIRouter:
    """The routes under ``/api/drills``."""
    routes = APIRouter(prefix="/api/drills")

    def found(request: Request, number: str) -> Drill:
        drill = drills.find(request.state.owner, number)
        if drill is None:
            raise HTTPException(404, "no such drill; begin a new one")
        return drill

    @routes.post("", status_code=201)
    async def begin(body: NewDrill, request: Request) -> dict[str, Any]:
        if body.kind == "blueprint":
            known_blueprint(body.name)
        source = DrillSource(body.kind, body.name, body.line, body.board, body.close)
        return (await drills.begin(request.state.owner, source)).as_json()

    @routes.get("/{number}")
    async def read(number: _Id, request: Request) -> dict[str, Any]:
        return found(request, number).as_json()

    @routes.post("/{number}/answers")
    async def answer(number: _Id, body: Answer, request: Request) -> dict[str, Any]:
        drill = found(request, number)
        try:
            return await drills.answer(drill, body.seq, body.word)
        except ConflictError as problem:
            raise HTTPException(409, {**worded(problem), "drill": drill.as_json()}) from problem

    return routes
