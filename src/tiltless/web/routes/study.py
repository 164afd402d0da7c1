"""Routes of the study page: blueprints, spots, ranges."""

from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, HTTPException, Path, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool

from tiltless.blueprint.shipped import shipped_blueprints
from tiltless.cards.card import CLASS_NAMES, CLASS_OF_COMBO
from tiltless.cards.ranges import Range
from tiltless.errors import OptionError
from tiltless.viz.strategy_grid import PALETTES
from tiltless.web.answers.grid import number, numbers
from tiltless.web.spots import SpotFolder

__all__ = ["known_blueprint", "study_routes"]

_RANGE = 24_000
_Id = Annotated[str, Path(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]
_Line = Annotated[str, Query(max_length=1000)]
_Of = Annotated[Literal["", "ip", "oop"], Query()]
_Cards = Annotated[str, Query(max_length=20)]
_Chips = Annotated[int, Field(ge=1, le=10**9)]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class SpotFields(_Strict):
    """A spot, see `tiltless.postflop.spot`, and locked strategies: ``x b64: f 80%, c 20%``."""

    board: Annotated[str, Field(max_length=20)]
    oop: Annotated[str, Field(max_length=_RANGE)]
    ip: Annotated[str, Field(max_length=_RANGE)]
    pot: _Chips
    stack: _Chips
    bets: Annotated[str, Field(max_length=500)]
    big_blind: _Chips = 1
    rake: Annotated[float, Field(ge=0, le=0.5)] = 0.0
    locks: Annotated[list[Annotated[str, Field(max_length=300)]], Field(max_length=20)] = Field(
        default_factory=list
    )

    def spot(self) -> dict[str, Any]:
        """The arguments of `Spot`."""
        return {name: value for name, value in self.model_dump().items() if name in _SPOT}


_SPOT = ("board", "oop", "ip", "pot", "stack", "bets", "big_blind", "rake")


class NewSpot(SpotFields):
    """A spot to be solved.  until: percent of the pot.  seconds: at most."""

    name: Annotated[str, Field(max_length=80)] = ""
    until: Annotated[float, Field(ge=0.01, le=10)] = 0.5
    seconds: Annotated[float, Field(ge=1, le=3600)] = 600.0


class RangeText(_Strict):
    """A range to be read, and changes to it.

    paint: weights of classes to set.  top: replace it by the best hands, in percent.
    """

    text: Annotated[str, Field(max_length=_RANGE)] = ""
    paint: Annotated[dict[str, Annotated[float, Field(ge=0, le=1)]], Field(max_length=169)] = Field(
        default_factory=dict
    )
    top: Annotated[float, Field(ge=0, le=100)] | None = None


def study_routes(spots: SpotFolder) -> APIRouter:
    """The routes under ``/api/spots``, ``/api/blueprints`` and ``/api/ranges``."""
    routes = APIRouter(prefix="/api")

    @routes.get("/palettes")
    async def palettes() -> list[str]:
        return list(PALETTES)

    @routes.get("/blueprints")
    async def blueprints() -> list[str]:
        return _blueprints()

    @routes.get("/blueprints/{name}/node")
    async def blueprint_node(
        name: _Id, line: _Line = "", board: _Cards = "", of: _Of = ""
    ) -> dict[str, Any]:
        asked = {"name": known_blueprint(name), "line": line, "board": board, "of": of}
        return await spots.blueprint("blueprint-node", asked)

    @routes.get("/blueprints/{name}/spot")
    async def blueprint_spot(name: _Id, line: _Line = "", board: _Cards = "") -> dict[str, Any]:
        asked = {"name": known_blueprint(name), "line": line, "board": board}
        return await spots.blueprint("blueprint-spot", asked)

    @routes.post("/ranges")
    async def read_range(body: RangeText) -> dict[str, Any]:
        return await run_in_threadpool(_range_json, body)

    @routes.post("/spots/estimate")
    async def estimate(body: SpotFields) -> dict[str, Any]:
        return await spots.estimate(body.spot(), body.locks)

    @routes.post("/spots", status_code=202)
    async def solve(body: NewSpot) -> dict[str, Any]:
        found = await spots.solve(body.spot(), body.locks, body.name, body.until, body.seconds)
        return found.as_json()

    @routes.get("/spots")
    async def list_spots() -> list[dict[str, Any]]:
        return [{**each.as_json(), "curve": each.curve[-1:]} for each in await spots.all()]

    @routes.get("/spots/{number}")
    async def read_spot(number: _Id) -> dict[str, Any]:
        found = await spots.find(number)
        if found is None:
            raise HTTPException(404, "no such spot; GET /api/spots lists them")
        return found.as_json()

    @routes.delete("/spots/{number}", status_code=204)
    async def delete_spot(number: _Id) -> None:
        if not await spots.delete(number):
            raise HTTPException(404, "no such spot; GET /api/spots lists them")

    @routes.delete("/spots/{number}/solving", status_code=204)
    async def cancel(number: _Id, keep: bool = False) -> None:
        if not spots.cancel(number, keep):
            raise HTTPException(404, "this spot is not being solved; there is nothing to cancel")

    @routes.get("/spots/{number}/grid")
    async def grid(number: _Id) -> dict[str, Any]:
        found = await spots.find(number)
        if found is None or found.grid is None:
            raise HTTPException(404, "this spot has no grid yet; wait until it is being solved")
        return found.grid

    @routes.get("/spots/{number}/node")
    async def spot_node(number: _Id, line: _Line = "", of: _Of = "") -> dict[str, Any]:
        return await spots.node(number, line, of)

    @routes.get("/spots/{number}/cards")
    async def spot_cards(number: _Id, line: _Line = "") -> list[dict[str, Any]]:
        return await spots.cards(number, line)

    return routes


def _blueprints() -> list[str]:
    """The shipped blueprints of no-limit hold'em for two players."""
    return [name for name in shipped_blueprints() if name not in ("river-of-blood", "six")]


def known_blueprint(name: str) -> str:
    """The name, if a blueprint of two players is shipped under it; otherwise 404."""
    if name not in _blueprints():
        raise HTTPException(404, f"no such blueprint; there is {', '.join(_blueprints())}")
    return name


def _range_json(body: RangeText) -> dict[str, Any]:
    """A range as text, as weights of 169 classes, and its size."""
    if body.top is not None:
        hands = Range.top(body.top) if body.top else Range.empty()
    else:
        hands = Range(body.text) if body.text.strip() else Range.empty()
    if body.paint:
        weights = np.array(hands.weights)
        for name, weight in body.paint.items():
            if name not in CLASS_NAMES:
                raise OptionError(f"{name!r} is not a hand class; write AKs, AKo or AA")
            weights[CLASS_NAMES.index(name) == CLASS_OF_COMBO] = weight
        hands = Range.from_weights(weights)
    return {
        "text": str(hands) if len(hands) else "",
        "weight": numbers(hands.class_weights(), 3),
        "combos": number(hands.combos, 1),
        "percent": number(hands.percent, 1),
    }
