"""Refusals: errors as answers, ``{"error": one line, "remedy": what to do}``, never a 5xx.

Messages of the package name the remedy after their last semicolon, so they are split there.
"""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from tiltless.errors import TiltlessError
from tiltless.executor import WorkerError

__all__ = ["answer_errors", "worded"]

_REMEDY = "see /api/openapi.json"


def worded(problem: Exception | str) -> dict[str, str]:
    """A message as error and remedy: ``"no such table; open one"``."""
    error, _, remedy = " ".join(str(problem).split()).rpartition("; ")
    return {"error": error, "remedy": remedy} if error else {"error": remedy, "remedy": _REMEDY}


def answer_errors(app: FastAPI) -> None:
    """Answer every error that a request can cause."""
    app.add_exception_handler(RequestValidationError, _unreadable)
    app.add_exception_handler(HTTPException, _failed)
    app.add_exception_handler(TiltlessError, _wrong)
    app.add_exception_handler(WorkerError, _unavailable)


async def _unreadable(_: Request, problem: Exception) -> Response:
    """422 without the input, which may not be JSON at all."""
    assert isinstance(problem, RequestValidationError)
    first = problem.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:])
    error = f"{where}: {first['msg']}" if where else str(first["msg"])
    return JSONResponse({"error": error, "remedy": _REMEDY}, 422)


async def _failed(_: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    detail: Any = problem.detail
    body = detail if isinstance(detail, Mapping) else worded(detail)
    return JSONResponse(dict(body), problem.status_code, problem.headers)


async def _unavailable(_: Request, problem: Exception) -> Response:
    """A process has died, or too much is waiting: nothing that the request did wrong."""
    return JSONResponse(worded(problem), 409)


async def _wrong(_: Request, problem: Exception) -> Response:
    return JSONResponse(worded(problem), 422)
