"""A player at GTO Wizard's benchmark, or at a server that speaks its interface.

Busy answers (status 502, 503, 504) and, for new hands, a full table (409) are asked again, up to 20
times, after 2, 4, 8 and then 15 seconds, as the site's own client does. An action whose reply is
lost or busy may have been applied: before it is sent again, the hand is looked up among those in
progress. If its history has not grown, the action is repeated; if it has, play goes on from there;
if the hand is gone, it is over with a result that we do not know, and it is dropped and counted.
When the table is full, hands in progress that nobody plays, such as those of an earlier session or
of a lost reply, are played to their end.

At most five hands are played at once, each by an agent of its own. AIVAT is computed by the site.
"""

import secrets
import threading
import time
from collections.abc import Callable
from typing import Any

from tiltless.agents.agent import Agent
from tiltless.agents.registry import make_agent
from tiltless.arena.rulings import Fault
from tiltless.errors import InputError, OptionError
from tiltless.protocols.adapter import Adapter, Keep
from tiltless.protocols.gtowizard.dialect import GtoWizardDialect
from tiltless.protocols.gtowizard.wire import (
    GAME_NAME,
    GtoReply,
    parse_hand_reply,
    parse_hands,
)
from tiltless.protocols.http_json import LostReplyError, checked_address, request_json
from tiltless.protocols.web_table import WebReport
from tiltless.seeding import mixed
from tiltless.validate import whole_number

__all__ = [
    "MOST_AT_ONCE",
    "SITE",
    "Transport",
    "key_transport",
    "play_gtowizard",
]

SITE = "https://researcher.gtowizard.com"
MOST_AT_ONCE = 5
"""Hands that may be played at once: the limit of the site's own client."""
_TRIES, _FIRST_PAUSE, _LONGEST_PAUSE = 20, 2.0, 15.0
_BUSY, _FULL, _KEY = (502, 503, 504), 409, (401, 403)
_MOST_ACTIONS = 400  # in a hand; more are not possible
_MOST_LOST = 20  # hands in a row
_MOST_FAULTS = 1000
_AGENT = "tiltless"  # the default name of the library is refused by the site's gateway


Transport = Callable[[str, str, dict[str, Any]], bytes]
"""Method, path and JSON of a request to the body of the reply; `LostReplyError` if none comes."""


def key_transport(key: str, url: str = SITE, seconds: float = 180.0) -> Transport:
    """A transport over HTTP; key: given by the site on request."""
    site = checked_address(url)
    if not key or not key.isascii() or not key.isprintable():
        raise OptionError("the benchmark needs a key: set GTOWIZARD_API_KEY, or pass --key")
    headers = {"X-API-KEY": key, "User-Agent": _AGENT}

    def send(method: str, path: str, body: dict[str, Any]) -> bytes:
        return request_json(f"{site}{path}", body, headers, seconds, method)

    return send


def play_gtowizard(
    transport: Transport,
    agent: str | Callable[[], Agent],
    hands: int,
    trusted: bool = False,
    *,
    at_once: int = 1,
    seed: int | None = None,
    seconds: float | None = None,
    pause: Callable[[float], None] = time.sleep,
    progress: Callable[[int, int], None] = lambda hands, chips: None,
    keep: Keep | None = None,
) -> WebReport:
    """Play hands at a server.

    agent: its text in the registry, or a function that makes it; one is made for each of the
    ``at_once`` hands.  trusted: see `tiltless.agents.registry.make_agent`.  seed: of the agents'
    random numbers; drawn if not given.  seconds: time limit of a decision.  pause: waits, for
    tests.  progress: called after each hand with the hands and chips so far.  keep: for hands that
    are over.
    """
    whole_number("hands", hands, 1, 10_000_000)
    whole_number("at_once", at_once, 1, MOST_AT_ONCE)
    seed = secrets.randbits(32) if seed is None else seed
    table = _Session(transport, hands, pause, progress)
    players = []
    for number in range(min(at_once, hands)):
        made = make_agent(agent, trusted=trusted) if isinstance(agent, str) else agent()
        own = mixed(seed, number) if number else seed
        players.append(Adapter(GtoWizardDialect(seconds), made, seed=own, keep=table.kept(keep)))
    if len(players) == 1:
        table.play(players[0])
    else:
        threads = [threading.Thread(target=table.play, args=(each,)) for each in players]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if table.failure is not None:
        raise table.failure
    faults = [fault for player in players for fault in player.faults] + table.faults
    return WebReport(
        tuple(table.winnings),
        tuple(table.aivat),
        table.lost,
        seed,
        tuple(faults[:_MOST_FAULTS]),
        table.broken,
    )


class _NoHandError(Exception):
    """No new hand can be had."""


class _Session:
    """What the players of a session share."""

    def __init__(
        self,
        transport: Transport,
        hands: int,
        pause: Callable[[float], None],
        progress: Callable[[int, int], None],
    ) -> None:
        self.transport, self.hands, self.pause, self.progress = transport, hands, pause, progress
        self.winnings: list[int] = []
        self.aivat: list[float] = []
        self.faults: list[Fault] = []
        self.lost = self._in_a_row = self._begun = 0
        self.broken = ""
        self.failure: BaseException | None = None
        self._lock = threading.Lock()
        self._open: set[str] = set()  # hands that are being played

    def kept(self, keep: Keep | None) -> Keep | None:
        """The same, one hand at a time."""
        if keep is None:
            return None

        def locked(*hand: Any) -> None:
            with self._lock:
                keep(*hand)

        return locked

    def play(self, player: Adapter[GtoReply, dict[str, Any]]) -> None:
        """Play hands until all are begun, or the session is broken off."""
        try:
            while self._another():
                try:
                    reply = self._hand(player)
                except LostReplyError as problem:
                    self._dropped(str(problem))
                else:
                    self._counted(reply)
        except _NoHandError as problem:
            self.broken = self.broken or str(problem)
        except BaseException as problem:  # of the agent's table, or Ctrl-C: raised by the caller
            self.failure = problem
            self.broken = self.broken or "stopped"

    def _another(self) -> bool:
        with self._lock:
            more = not self.broken and self._begun < self.hands
            self._begun += more
            return more

    def _counted(self, reply: GtoReply) -> None:
        with self._lock:
            self._in_a_row = 0
            self.winnings.append(reply.winnings or 0)
            if reply.aivat is not None:
                self.aivat.append(reply.aivat)
            self.progress(len(self.winnings), sum(self.winnings))

    def _dropped(self, why: str) -> None:
        with self._lock:
            self.lost += 1
            self._begun -= 1  # another takes its place
            self._in_a_row += 1
            if len(self.faults) < _MOST_FAULTS:
                self.faults.append(Fault(-1, "lost", why))
            if self._in_a_row >= _MOST_LOST:
                self.broken = f"{self._in_a_row} hands in a row: {why}"

    def _hand(self, player: Adapter[GtoReply, dict[str, Any]]) -> GtoReply:
        """Play one hand to its end; `LostReplyError` if it must be dropped."""
        reply = self._new_hand()
        try:
            for _ in range(_MOST_ACTIONS):
                request = player.receive(reply)
                if reply.is_over:
                    if reply.winnings is None:
                        raise LostReplyError("a hand that is over without winnings")
                    return reply
                if request is None:
                    raise LostReplyError("a reply that asks for nothing")
                reply = self._act(reply, request)
            raise LostReplyError("a hand that does not end")
        finally:
            self._open.discard(reply.hand_id)

    def _new_hand(self) -> GtoReply:
        why: InputError | None = None
        for seconds in _pauses():
            try:
                reply = parse_hand_reply(self.transport("POST", "/hands", {"game_name": GAME_NAME}))
            except InputError as problem:
                why = problem
                status = problem.status if isinstance(problem, LostReplyError) else 0
                if status in _KEY:
                    raise _NoHandError(f"the key is refused: {problem}") from None
                if status not in (0, _FULL, *_BUSY):
                    break
                left = self._left_alone() if status == _FULL else None
                if left is not None:
                    return left
                self.pause(seconds)
            else:
                self._open.add(reply.hand_id)
                return reply
        raise _NoHandError(f"no new hand: {why}")

    def _left_alone(self) -> GtoReply | None:
        """A hand in progress that nobody plays."""
        try:
            hands = parse_hands(self.transport("GET", _IN_PROGRESS, {}))
        except InputError:
            return None
        with self._lock:
            for hand in hands:
                if hand.hand_id not in self._open and not hand.is_over:
                    self._open.add(hand.hand_id)
                    return hand
        return None

    def _act(self, before: GtoReply, request: dict[str, Any]) -> GtoReply:
        """Send an action, and again only if it was certainly not applied."""
        path = f"/hands/{before.hand_id}/act"
        for seconds in _pauses():
            try:
                return parse_hand_reply(self.transport("POST", path, request))
            except InputError as problem:
                if isinstance(problem, LostReplyError) and problem.status in range(400, 500):
                    raise LostReplyError(f"act {request}: {problem}", problem.status) from None
                self.pause(seconds)
                now = self._in_progress(before.hand_id)
                if len(now.history) > len(before.history):
                    return now
        raise LostReplyError(f"act {request}: the engine stayed busy")

    def _in_progress(self, hand_id: str) -> GtoReply:
        """A hand as the site has it; `LostReplyError` if it is gone or cannot be looked up."""
        why = "it is no longer in progress, so that its result is not known"
        for seconds in _pauses():
            try:
                hands = parse_hands(self.transport("GET", _IN_PROGRESS, {}))
            except InputError as problem:
                why = str(problem)
                self.pause(seconds)
                continue
            for hand in hands:
                if hand.hand_id == hand_id:
                    return hand
            break
        raise LostReplyError(f"hand {hand_id}: {why}")


_IN_PROGRESS = f"/hands/in-progress?game_name={GAME_NAME.replace(' ', '%20')}"


def _pauses() -> list[float]:
    """Seconds before each further try: 2, 4, 8, and then 15."""
    return [min(_FIRST_PAUSE * 2**number, _LONGEST_PAUSE) for number in range(_TRIES)]
