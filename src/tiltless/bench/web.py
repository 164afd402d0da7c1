"""Benchmark of the browser app: a real server, asked by players on plain sockets.

Each game has a session and a connection of its own. Players act once a second; the same while a
spot is being solved; then without thinking time. All checks are on and games are saved. The players
share the machine with the server, so its cores are part of the result.
"""

import asyncio
import gzip
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tiltless.bench import Result
from tiltless.errors import TiltlessError

__all__ = ["run"]

_GAMES, _SECONDS, _PEAK_SECONDS = 200, 10.0, 5.0
_PEAK_GAMES = 48  # a session has 40 requests a second, so 16 of them would be limited to 640
_WARM_SECONDS = 3.0
_SPOT = {
    "board": "QsJh2h8d",
    "oop": "22+,A2s+,K9s+,Q9s+,J9s+,T8s+,97s+,87s,76s,65s,AJo+,KQo",
    "ip": "22+,A2s+,K8s+,Q9s+,J9s+,T9s,98s,87s,ATo+,KJo+",
    "pot": 20,
    "stack": 90,
    "bets": "50%, 100%, a",
}
_LINES = ("", "x", "x b10", "x x", "x x Ah", "x x Ah x", "b10", "b10 c", "b10 c 2c", "x b20")
_FOREIGN = re.compile(r"https?://(?!www\.w3\.org/)")


class _Player:
    """A connection that keeps its session's cookie."""

    def __init__(self, host: str, port: int) -> None:
        self.host, self.port, self.cookie = host, port, ""
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def ask(self, method: str, path: str, body: Any = None) -> tuple[int, bytes]:
        """Status and body of an answer."""
        if self._writer is None:
            self._reader, self._writer = await asyncio.open_connection(self.host, self.port)
        assert self._reader is not None
        data = b"" if body is None else json.dumps(body).encode()
        head = (
            f"{method} {path} HTTP/1.1\r\nhost: {self.host}:{self.port}\r\n"
            f"origin: http://{self.host}:{self.port}\r\naccept-encoding: gzip\r\n"
            f"cookie: {self.cookie}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(data)}\r\n\r\n"
        )
        self._writer.write(head.encode() + data)
        try:
            lines = (await self._reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):  # idle for too long: a new one
            self.close()
            self._writer = None
            return await self.ask(method, path, body)
        fields = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
        cookies = [line.split(": ", 1)[1] for line in lines if line.lower().startswith("set-cook")]
        if cookies:
            self.cookie = cookies[0].partition(";")[0]
        answer = await self._reader.readexactly(int(fields.get("content-length", 0)))
        self.packed = len(answer)
        if fields.get("content-encoding") == "gzip":
            answer = gzip.decompress(answer)
        if not lines[0].startswith("HTTP/1.1 "):
            raise TiltlessError(f"{path} was answered with {lines[:3]} instead of a status")
        return int(lines[0].split()[1]), answer

    async def get(self, path: str) -> Any:
        """An answer of the interface as JSON."""
        status, answer = await self.ask("GET", path.replace(" ", "%20"))
        if status != 200:
            raise TiltlessError(f"{path} was answered with {status}: {answer[:200]!r}")
        return json.loads(answer)

    def close(self) -> None:
        """Close the connection."""
        if self._writer is not None:
            self._writer.close()


def run() -> Result:
    """Latencies, speeds and sizes.

    ready_s: from the command to the page.  page_kb_gz, requests, foreign: of the first visit.
    action_p50_ms, action_p99_ms: of an action at 200 tables; action_busy_p99_ms: while a turn is
    being solved.  lost: requests that were not answered with success.  actions_per_s: at 48 tables
    without thinking time.  node_p95_ms: of a node of a solved turn.  cancel_ms: the longest of
    three cancelled flops.
    """
    return asyncio.run(_run())


async def _run() -> Result:
    found: Result = {}
    async with _server() as (address, ready):
        found["ready_s"] = ready
        players = [await _entered(address) for _ in range(_GAMES)]
        found |= await _weight(players[0])
        while (await players[0].get("/api/about"))["compiling"]:
            await asyncio.sleep(0.5)
        tables = [await _table(player) for player in players]
        await _play(players, tables, _WARM_SECONDS)
        calm = await _play(players, tables, _SECONDS)
        found |= {
            "action_p50_ms": _part(calm.times, 0.5),
            "action_p99_ms": _part(calm.times, 0.99),
        }
        lost = calm.lost
        async with _solving(players[0], board="QsJh2h8d", until=0.01):
            busy = await _play(players, tables, _SECONDS)
        found["action_busy_p99_ms"] = _part(busy.times, 0.99)
        peak = await _play(players[:_PEAK_GAMES], tables[:_PEAK_GAMES], _PEAK_SECONDS, pace=0.0)
        found["actions_per_s"] = len(peak.times) / _PEAK_SECONDS
        found["lost"] = float(lost + busy.lost + peak.lost)
        found["node_p95_ms"] = await _nodes(players[0])
        found["cancel_ms"] = await _cancel(players[0])
        for player in players:
            player.close()
    return found


@asynccontextmanager
async def _server() -> AsyncIterator[tuple[str, float]]:
    """A server of its own; its address, and the seconds until its page was there."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tiltless", "web", "--no-browser", "--port", "0"]
        begin = time.perf_counter()
        with subprocess.Popen(
            [*command, "--folder", folder], stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdout is not None
            try:
                found = (re.search(r"http://\S+", line) for line in server.stdout)
                address = next((match[0] for match in found if match), "")
                if not address:
                    raise TiltlessError("the server did not start; try tiltless web")
                player = await _entered(address)
                await player.ask("GET", "/play")
                yield address, time.perf_counter() - begin
                player.close()
            finally:
                server.terminate()
                server.wait(10)


async def _entered(address: str) -> _Player:
    host, port, token = re.fullmatch(r"http://([^:]+):(\d+)/\?token=(\S+)", address).groups()  # type: ignore[union-attr]
    player = _Player(host, int(port))
    await player.ask("GET", f"/?token={token}")
    return player


async def _weight(player: _Player) -> Result:
    """What the first visit loads: compressed kilobytes, requests, and names of other hosts."""
    todo, done, size, foreign = ["/play", "/static/play.js"], [], 0, 0  # the page and its module
    while todo:
        path = todo.pop()
        done.append(path)
        _, text = await player.ask("GET", path)
        size += player.packed
        words = text.decode()
        foreign += len(_FOREIGN.findall(words))
        for name in re.findall(r'(?:src|href|from)=?\s*"((?:/static|\.)/[^"]+)"', words):
            whole = name.replace("./", "/static/", 1) if name.startswith("./") else name
            if whole not in done and whole not in todo:
                todo.append(whole)
    return {"page_kb_gz": size / 1e3, "requests": float(len(done)), "foreign": float(foreign)}


async def _table(player: _Player) -> dict[str, Any]:
    _, answer = await player.ask("POST", "/api/tables", {"opponents": ["blueprint"]})
    return json.loads(answer)  # type: ignore[no-any-return]


class _Times:
    def __init__(self) -> None:
        self.times: list[float] = []
        self.lost = 0


async def _play(
    players: list[_Player], tables: list[dict[str, Any]], seconds: float, pace: float = 1.0
) -> _Times:
    """All players act, one after another action has its answer, every ``pace`` seconds."""
    times, end = _Times(), time.perf_counter() + seconds

    async def one(n: int) -> None:
        rng = random.Random(n)
        await asyncio.sleep(pace * rng.random())
        while time.perf_counter() < end:
            data = tables[n]
            path, body = f"/api/tables/{data['id']}", {"seq": data["seq"]}
            if data["table"]["over"]:
                path += "/next"
            else:
                path += "/actions"
                body["action"] = "check" if data["table"]["actions"]["check"] else "call"
            begin = time.perf_counter()
            status, answer = await players[n].ask("POST", path, body)
            times.times.append(time.perf_counter() - begin)
            if status == 200:
                tables[n] = json.loads(answer)
            else:
                times.lost += 1
            await asyncio.sleep(max(pace - (time.perf_counter() - begin), 0.0))

    await asyncio.gather(*(one(n) for n in range(len(players))))
    return times


def _part(times: list[float], share: float) -> float:
    """Milliseconds that this share of all requests stayed below."""
    return 1e3 * sorted(times)[min(int(share * len(times)), len(times) - 1)]


@asynccontextmanager
async def _solving(player: _Player, **changes: Any) -> AsyncIterator[str]:
    """A spot is being solved meanwhile."""
    _, answer = await player.ask("POST", "/api/spots", {**_SPOT, **changes})
    number = json.loads(answer)["id"]
    while (await player.get(f"/api/spots/{number}"))["state"] == "waiting":
        await asyncio.sleep(0.05)
    yield number
    await player.ask("DELETE", f"/api/spots/{number}/solving")


async def _nodes(player: _Player) -> float:
    """Milliseconds until 95 % of nodes of a solved turn are there, as the browser asks."""
    _, answer = await player.ask("POST", "/api/spots", {**_SPOT, "until": 1.0})
    number = json.loads(answer)["id"]
    while (await player.get(f"/api/spots/{number}"))["state"] != "done":
        await asyncio.sleep(0.1)
    times = []
    for repeat in range(8):
        for line in _LINES:
            begin = time.perf_counter()
            await player.get(f"/api/spots/{number}/node?line={line}")
            if repeat:
                times.append(time.perf_counter() - begin)
            await asyncio.sleep(0.05)
    return _part(times, 0.95)


async def _cancel(player: _Player) -> float:
    """Milliseconds from the request to the end of a solve."""
    worst = 0.0
    for until in (0.011, 0.012, 0.013):
        async with _solving(player, board="QsJh2h", until=until) as number:
            await asyncio.sleep(1)
            begin = time.perf_counter()
            await player.ask("DELETE", f"/api/spots/{number}/solving")
            while (await player.get(f"/api/spots/{number}"))["state"] == "solving":
                await asyncio.sleep(0.01)
            worst = max(worst, 1e3 * (time.perf_counter() - begin))
    return worst
