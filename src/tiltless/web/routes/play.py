"""Routes of the play page: open a table, act, deal, look back."""

import json
from contextlib import suppress
from functools import cache
from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Path, Request, Response
from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from starlette.concurrency import run_in_threadpool

from tiltless.agents.registry import AgentEntry, make_agent, registered
from tiltless.arena.table.session import PERSON
from tiltless.cards.card import cards_text
from tiltless.errors import InputError, OptionError, TiltlessError
from tiltless.games import load
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.notation import action_label
from tiltless.games.holdem.phh import to_phh
from tiltless.games.holdem.record import HandRecord, parse_hand
from tiltless.games.holdem.view import View
from tiltless.web.answers.grid import actions_json
from tiltless.web.answers.table import table_json
from tiltless.web.refusals import worded
from tiltless.web.reviews import Reviews
from tiltless.web.table import NEXT, ConflictError, TableChoice, WebTable
from tiltless.web.tables import OpenTables

__all__ = ["opponents", "play_routes", "seats_of"]

_Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{1,64}$")]
_Id = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$")]
_MOST_SEATS = 6
_OTHER_GAMES = ("tiltless.experiments.permutation", "tiltless.protocols")
_KNOWN_SEATS = {
    "blueprint": (2, 3, 4, 5, 6),
    "search": (2,),
    "six": (3, 4, 5, 6),
    "river-of-blood": (),
}
"""Seats of agents that take seconds to load."""
_Hand = Annotated[int, Path(ge=1, le=10**6)]
_Blind = Annotated[int, Field(ge=1, le=10**6)]
_Seq = Annotated[int, Field(ge=0, le=10**9)]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class NewTable(_Strict):
    """What to play: stacks in big blinds, blinds in chips, opponents from the list of agents."""

    game: Literal["nlhe"] = "nlhe"
    stack: Annotated[int, Field(ge=1, le=1000)] = 100
    blinds: Annotated[list[_Blind], Field(min_length=2, max_length=2)] = Field(
        default_factory=lambda: [1, 2]
    )
    opponents: Annotated[list[_Name], Field(min_length=1, max_length=5)]
    position: Annotated[int, Field(ge=0, le=5)] | None = None


class Act(_Strict):
    """An action: ``to`` is the total on this street, for a bet or a raise."""

    seq: _Seq
    action: Literal["fold", "check", "call", "raise"]
    to: Annotated[int, Field(ge=1, le=10**9)] | None = None


class Next(_Strict):
    """Deal the next hand."""

    seq: _Seq


def opponents() -> list[AgentEntry]:
    """The agents that a name is enough for: installed, no code to import, no agent to wrap.

    Without those that were made to repeat matches of other games.
    """
    return [
        entry
        for entry in registered()
        if not (entry.imports or entry.needs or entry.wraps)
        and not str(entry.maker).startswith(_OTHER_GAMES)
    ]


@cache
def seats_of(name: str) -> tuple[int, ...]:
    """The numbers of seats at which an agent plays no-limit hold'em here; perhaps none.

    None for bots of other games, and for agents whose files have not been made.
    """
    if name in _KNOWN_SEATS:
        return _KNOWN_SEATS[name]
    try:
        seats, agent = [], make_agent(name)
    except TiltlessError:
        return ()
    for count in range(2, _MOST_SEATS + 1):
        game = load("nlhe", seats=count, stack="100bb")
        assert isinstance(game, Holdem)
        with suppress(TiltlessError):
            agent.check_table(game.name, game.rules)
            seats.append(count)
    return tuple(seats)


def play_routes(tables: OpenTables, reviews: Reviews) -> APIRouter:
    """The routes under ``/api/tables``."""
    routes = APIRouter(prefix="/api/tables")

    @routes.post("", status_code=201)
    async def open_table(body: NewTable, request: Request) -> dict[str, Any]:
        known, count = {entry.name for entry in opponents()}, len(body.opponents) + 1
        for name in body.opponents:
            if name not in known:
                raise OptionError(f"there is no agent {name!r}; GET /api/about lists them")
            if count not in await tables.read(seats_of, name):
                raise OptionError(f"{name} does not play with {count} seats; choose another agent")
        if body.blinds[0] > body.blinds[1]:
            raise OptionError("the small blind is above the big blind; exchange them")
        parameters = {
            "seats": len(body.opponents) + 1,
            "stack": f"{body.stack}bb",
            "blinds": tuple(body.blinds),
        }
        choice = TableChoice(body.game, parameters, tuple(body.opponents), body.position)
        table = await tables.open(request.state.owner, choice)
        return table.as_json()

    @routes.get("")
    async def list_tables(request: Request) -> list[dict[str, Any]]:
        rows = await tables.read(tables.store.tables, request.state.owner)
        return [
            {
                "id": number,
                "changed": changed,
                "opponents": (words := json.loads(choice))["opponents"],
                "stack": words["parameters"]["stack"],
                "blinds": words["parameters"].get("blinds", [1, 2]),
            }
            for number, choice, changed in rows
        ]

    @routes.get("/{number}")
    async def read_table(number: _Id, request: Request) -> dict[str, Any]:
        return _there(await tables.find(request.state.owner, number)).as_json()

    @routes.delete("/{number}", status_code=204)
    async def delete_table(number: _Id, request: Request) -> None:
        if not await tables.delete(request.state.owner, number):
            raise _no_table()

    @routes.post("/{number}/actions")
    async def act(number: _Id, body: Act, request: Request) -> dict[str, Any]:
        if (body.action == "raise") != (body.to is not None):
            raise OptionError("only a raise has a total; send to with raise, and with nothing else")
        text = f"raise to {body.to}" if body.to is not None else body.action
        return await _apply(tables, request.state.owner, number, body.seq, text)

    @routes.post("/{number}/next")
    async def next_hand(number: _Id, body: Next, request: Request) -> dict[str, Any]:
        return await _apply(tables, request.state.owner, number, body.seq, NEXT)

    @routes.get("/{number}/hint")
    async def hint(number: _Id, request: Request) -> dict[str, Any]:
        found = await tables.hint(request.state.owner, number)
        if found is None:
            raise _no_table()
        view, decision = found
        betting, pot, unit = view.betting, view.pot, view.rules.big_blind
        values = {str(action): chips / unit for action, chips in decision.values}
        rows = actions_json([action for action, _ in decision.policy], betting, pot, unit)
        return {
            "action": action_label(decision.action, betting, pot),
            "source": decision.source,
            "policy": [
                row | {"probability": probability, "value": values.get(str(action))}
                for row, (action, probability) in zip(rows, decision.policy, strict=True)
            ],
        }

    @routes.get("/{number}/hands")
    async def hands(number: _Id, request: Request) -> list[dict[str, Any]]:
        table = _there(await tables.find(request.state.owner, number))
        unit = table.session.game.rules.big_blind
        won = table.session.won
        return [{"number": at, "won": chips / unit} for at, chips in enumerate(won, start=1)]

    @routes.get("/{number}/hands/{hand}")
    async def read_hand(number: _Id, hand: _Hand, request: Request) -> dict[str, Any]:
        table = _there(await tables.find(request.state.owner, number))
        view = await _finished(tables, table, hand)
        return table_json(view, table.session.names)

    @routes.get("/{number}/hands/{hand}/review")
    async def review_hand(number: _Id, hand: _Hand, request: Request) -> dict[str, Any]:
        table = _there(await tables.find(request.state.owner, number))
        return reviews.look(number, hand, await _finished(tables, table, hand))

    @routes.get("/{number}/hands.phh")
    async def export(number: _Id, request: Request) -> Response:
        table = _there(await tables.find(request.state.owner, number))
        game = table.session.game

        def write() -> str:
            lines = tables.store.lines(number)
            hands = (_phh_as_seen(parse_hand(line, game)) for line in lines)
            return "\n".join(f"[{at}]\n{hand}" for at, hand in enumerate(hands, start=1))

        text = await run_in_threadpool(write)  # milliseconds a hand
        name = f'attachment; filename="tiltless-{number}.phhs"'
        return Response(text, media_type="text/plain", headers={"content-disposition": name})

    return routes


def _phh_as_seen(record: HandRecord) -> str:
    """A hand as PHH, with ``????`` for the cards that the person never saw."""
    text, shown = to_phh(record), {PERSON, *(seat for seat, _ in record.final.shown)}
    for number, seat in enumerate(record.game.rules.clockwise(record.button), start=1):
        if seat not in shown:
            cards = cards_text(record.final.hole[seat])
            text = text.replace(f"d dh p{number} {cards}", f"d dh p{number} {'?' * len(cards)}")
    return text


def _no_table() -> HTTPException:
    return HTTPException(404, "no such table; GET /api/tables lists yours")


def _there(table: WebTable | None) -> WebTable:
    if table is None:
        raise _no_table()
    return table


async def _finished(tables: OpenTables, table: WebTable, hand: int) -> View:
    """A finished hand as the person saw it."""

    def read() -> View | None:
        line = tables.store.line(table.number, hand)
        return None if line is None else parse_hand(line, table.session.game).view(PERSON)

    view = await tables.read(read)
    if view is None:
        raise HTTPException(
            404, f"no such finished hand; GET /api/tables/{table.number}/hands lists them"
        )
    return view


async def _apply(
    tables: OpenTables, owner: str, number: str, seq: int, request: str
) -> dict[str, Any]:
    """Apply a request; a conflict is answered with the present table."""
    try:
        table = _there(await tables.apply(owner, number, seq, request))
    except ConflictError as problem:
        table = _there(await tables.find(owner, number))
        raise HTTPException(409, {**worded(problem), "table": table.as_json()}) from problem
    except InputError as problem:
        raise HTTPException(422, worded(problem)) from problem
    return table.as_json()
