"""A player at Slumbot's API, or at a server that speaks it.

``act`` is never sent twice: if its reply is lost, the action may have been applied, so the hand is
dropped and counted, and a new one begins. ``new_hand`` is asked again, with growing pauses, because
the site answers with an error page when it is busy. A token that a reply brings is used from then
on; one that the server refuses is forgotten, and a new session begins. An account, which is not
needed, gives the first token of a session by ``login``.

Both hands are shown at the end, so AIVAT (`tiltless.arena.estimators.aivat`) can correct results
for the cards that were dealt, and for our own draws if the agent reveals its strategy.
"""

import secrets
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from tiltless.agents.agent import Agent, CostlyStrategy, KnownStrategy
from tiltless.agents.registry import make_agent
from tiltless.arena.estimators.aivat import aivat_hand
from tiltless.arena.rulings import Fault
from tiltless.errors import InputError
from tiltless.protocols.adapter import Adapter, Keep
from tiltless.protocols.http_json import LostReplyError, checked_address, request_json
from tiltless.protocols.slumbot.dialect import SlumbotDialect
from tiltless.protocols.slumbot.wire import SlumbotReply, followed, parse_reply, parse_token
from tiltless.protocols.web_table import CLIENT, WebReport
from tiltless.validate import whole_number

__all__ = ["SITE", "Account", "Transport", "play_slumbot", "web_transport"]

SITE = "https://slumbot.com"
_PAUSES = (1.0, 2.0, 5.0, 10.0, 30.0)  # seconds before new_hand is asked again
_MOST_ACTIONS = 400  # in a hand; more are not possible
_MOST_LOST = 20  # hands in a row
_REFUSED = (400, 401, 403)  # status of a token that is not known


class Account(NamedTuple):
    """An account of the site, for its list of players."""

    user: str
    password: str


Transport = Callable[[str, dict[str, Any]], bytes]
"""Posts JSON to an endpoint and returns the body; `LostReplyError` if there is none."""


def web_transport(url: str = SITE, seconds: float = 60.0) -> Transport:
    """A transport over HTTP; url: of the site, without ``/api``."""
    site = checked_address(url)

    def post(endpoint: str, body: dict[str, Any]) -> bytes:
        return request_json(f"{site}/api/{endpoint}", body, {}, seconds)

    return post


def play_slumbot(
    transport: Transport,
    agent: str | Agent,
    hands: int,
    trusted: bool = False,
    *,
    seed: int | None = None,
    seconds: float | None = None,
    pause: Callable[[float], None] = time.sleep,
    progress: Callable[[int, int], None] = lambda hands, chips: None,
    keep: Keep | None = None,
    account: Account | None = None,
) -> WebReport:
    """Play hands at a server.

    agent, trusted: see `tiltless.agents.registry.make_agent`.  seed: of the agent's random numbers;
    drawn if not given.  seconds: time limit of a decision.  pause: waits, for tests.  progress:
    called after each hand with the hands and the chips so far.  keep: for hands that are over.
    account: to log in with; without one, play is anonymous.
    """
    whole_number("hands", hands, 1, 10_000_000)
    seed = secrets.randbits(32) if seed is None else seed
    made = make_agent(agent, trusted=trusted) if isinstance(agent, str) else agent
    adapter = Adapter(SlumbotDialect(seconds), made, seed=seed, keep=keep)
    session = _Session(transport, adapter, pause, account)
    broken, in_a_row = "", 0
    while len(session.winnings) < hands and not broken:
        try:
            session.play_hand()
            in_a_row = 0
            progress(len(session.winnings), sum(session.winnings))
        except LostReplyError as problem:
            session.drop(str(problem))
            in_a_row += 1
            broken = f"{in_a_row} hands in a row: {problem}" if in_a_row >= _MOST_LOST else ""
        except _NoHandError as problem:
            broken = str(problem)
    return WebReport(
        tuple(session.winnings),
        tuple(session.aivat),
        session.lost,
        seed,
        tuple(session.adapter.faults),
        broken,
    )


def _login(account: Account) -> dict[str, Any]:
    return {"username": account.user, "password": account.password}


class _NoHandError(Exception):
    """No new hand can be had."""


class _Session:
    def __init__(
        self,
        transport: Transport,
        adapter: Adapter[SlumbotReply, str],
        pause: Callable[[float], None],
        account: Account | None,
    ) -> None:
        self.transport, self.adapter, self.pause = transport, adapter, pause
        self.account = account
        self.token: str | None = None
        self.winnings: list[int] = []
        self.aivat: list[float] = []
        self.lost = 0

    def play_hand(self) -> None:
        """Play one hand to its end; `LostReplyError` if it must be dropped."""
        dialect = self.adapter.dialect
        assert isinstance(dialect, SlumbotDialect)
        reply = self._new_hand()
        dialect.new_hand()
        for _ in range(_MOST_ACTIONS):
            answer = self.adapter.receive(reply)
            if reply.winnings is not None:
                self.winnings.append(reply.winnings)
                self.aivat.append(self._corrected(reply, reply.winnings))
                return
            if answer is None or self.token is None:
                raise LostReplyError("a reply that asks for nothing")
            try:
                reply = self._read(self.transport("act", {"token": self.token, "incr": answer}))
            except InputError as problem:  # never sent again: it may have been applied
                raise LostReplyError(f"act {answer}: {problem}") from None
        raise LostReplyError("a hand that does not end")

    def _corrected(self, reply: SlumbotReply, won: int) -> float:
        """The result by AIVAT; as it is if the hand cannot be followed or was not shown."""
        agent = self.adapter.agent
        known: dict[int, KnownStrategy] = {}
        if isinstance(agent, KnownStrategy) and not isinstance(agent, CostlyStrategy):
            known[CLIENT] = agent
        try:
            final = followed(reply)
            if not reply.bot_hole or final.payoffs[CLIENT] != won:
                return float(won)
            return aivat_hand(final, CLIENT, known, CLIENT if known else None)
        except InputError:
            return float(won)

    def drop(self, why: str) -> None:
        """Count a hand that is not finished."""
        self.lost += 1
        if len(self.adapter.faults) < 1000:
            self.adapter.faults.append(Fault(-1, "lost", why))

    def _new_hand(self) -> SlumbotReply:
        for seconds in (*_PAUSES, None):
            try:
                if self.token is None and self.account is not None:
                    self.token = parse_token(self.transport("login", _login(self.account)))
                body = {} if self.token is None else {"token": self.token}
                reply = self._read(self.transport("new_hand", body))
                if self.token is None:
                    raise InputError("the first reply has no token")
                return reply
            except InputError as problem:
                if not isinstance(problem, LostReplyError) or problem.status in _REFUSED:
                    self.token = None  # it may be the reason
                if seconds is None:
                    raise _NoHandError(f"no new hand: {problem}") from None
                self.pause(seconds)
        raise AssertionError

    def _read(self, body: bytes) -> SlumbotReply:
        reply = parse_reply(body)
        self.token = reply.token or self.token
        return reply
