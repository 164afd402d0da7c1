"""Bots in folders: built and started by ``commands.json``, asked over a socket.

::

    {"build": ["make"], "run": ["python3", "player.py"]}

Both commands are lists of words, run with the bot's folder as working directory. The build has a
time limit and may be empty. The port of the engine is added to the run command as its last word,
and the bot has some seconds to connect to it. As in the published engines, whatever goes wrong here
only costs the bot its match: it then checks or folds in every hand, and `BotFolder.notes` says why.

Bots are programs of strangers. Each runs in a process group of its own, which is killed at the end
with everything that it has started. Output beyond `OUTPUT_LIMIT` is read and dropped; a line longer
than `LINE_LIMIT`, or not in UTF-8, counts as an empty answer; nothing waits longer than its limit.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from tiltless.errors import InputError, OptionError
from tiltless.protocols.mit.engine import LATE, LOST, TimedAnswer
from tiltless.validate import positive

__all__ = ["LINE_LIMIT", "OUTPUT_LIMIT", "BotFolder"]

OUTPUT_LIMIT = 524_288
"""Bytes that are kept of a bot's output, as in the published engines."""
LINE_LIMIT = 65_536
"""Bytes of the longest line that is read as an answer."""
_COMMANDS_LIMIT = 1 << 20  # bytes of commands.json
_POLL = 0.05


class BotFolder:
    """A bot in a folder; also a context manager that leaves no process behind.

    build_limit, connect_limit: seconds for building, and for connecting as well as for ending after
    the match.  output: what the bot has printed.  notes: what went wrong, for the user.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        name: str,
        *,
        build_limit: float = 10.0,
        connect_limit: float = 10.0,
    ) -> None:
        self.folder, self.name = Path(folder), name
        if not self.folder.is_dir():
            raise OptionError(
                f"{os.fspath(folder)} is not a folder; name one that has a commands.json"
            )
        self.build_limit = positive("build limit", build_limit)
        self.connect_limit = positive("connect limit", connect_limit)
        self.notes: list[str] = []
        self._output = _Output()
        self._process: _Process | None = None
        self._socket: socket.socket | None = None
        self._rest = bytearray()
        self._too_long = False

    def __enter__(self) -> "BotFolder":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._disconnect()
        if self._process is not None:
            self._process.kill()

    @property
    def is_connected(self) -> bool:
        """Whether the bot has connected, so that it can be asked."""
        return self._socket is not None

    @property
    def output(self) -> bytes:
        """What the bot has printed so far, while being built and while running."""
        return bytes(self._output.kept)

    def build(self) -> bool:
        """Run the build command; False if there is none that can be run, or it fails."""
        commands = self._commands()
        if commands is None:
            return False
        if not commands["build"]:
            return True
        process = self._started("build", commands["build"])
        if process is None:
            return False
        try:
            code = process.wait(self.build_limit)
        finally:
            process.kill()
        if code is None:
            line = f"Timed out waiting for {self.name} to build"
            self._output.add(line.encode())
            self.notes.append(line)
        elif code:
            self.notes.append(f"{self.name} build ended with exit code {code}")
        return code == 0

    def start(self) -> bool:
        """Start the bot and wait until it has connected; False if it did not."""
        commands = self._commands()
        if commands is None or not commands["run"]:
            return False
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            self._process = self._started("run", [*commands["run"], str(port)])
            if self._process is None:
                return False
            self._socket = self._accepted(server, self._process)
        if self._socket is None:
            self.notes.append(f"Timed out waiting for {self.name} to connect")
            return False
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return True

    def ask(self, line: str, limit: float) -> TimedAnswer:
        """Send a line and wait for the reply."""
        begin = time.perf_counter()
        deadline, answer, problem = begin + limit, "", ""
        try:
            self._send(line, deadline)
            answer = self._line(deadline)
        except TimeoutError:
            problem = LATE
        except OSError:
            problem = LOST
        return TimedAnswer(answer, time.perf_counter() - begin, problem)

    def quit(self) -> None:
        """Tell the bot that the match is over, wait until it ends, and kill what is left of it."""
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._send("Q", time.perf_counter() + self.connect_limit)
        self._disconnect()
        if self._process is not None:
            if self._process.wait(self.connect_limit) is None:
                self.notes.append(f"Timed out waiting for {self.name} to quit")
            self._process.kill()

    def _commands(self) -> dict[str, list[str]] | None:
        """The commands, or None with a note if they cannot be read."""
        try:
            return _read_commands(self.folder / "commands.json")
        except InputError as problem:
            note = f"{self.name} {problem}"
            if note not in self.notes:
                self.notes.append(note)
            return None

    def _started(self, kind: str, words: Sequence[str]) -> "_Process | None":
        try:
            return _Process(words, self.folder, self._output)
        except (OSError, ValueError):
            self.notes.append(f'{self.name} {kind} failed - check "{kind}" in commands.json')
            return None

    def _accepted(self, server: socket.socket, process: "_Process") -> socket.socket | None:
        """The connection of the bot; None if it has failed, or the time is over."""
        deadline = time.perf_counter() + self.connect_limit
        server.settimeout(_POLL)
        while time.perf_counter() < deadline:
            with contextlib.suppress(TimeoutError):
                return server.accept()[0]
            if process.wait(0):  # one that ended well may have left a child that connects
                return None
        return None

    def _send(self, line: str, deadline: float) -> None:
        assert self._socket is not None
        self._socket.settimeout(max(deadline - time.perf_counter(), 1e-3))
        self._socket.sendall(line.encode() + b"\n")

    def _line(self, deadline: float) -> str:
        """The next line of the bot, which may have come before it was asked."""
        assert self._socket is not None
        while (end := self._rest.find(b"\n")) < 0:
            if len(self._rest) > LINE_LIMIT:
                self._rest.clear()
                self._too_long = True
            left = deadline - time.perf_counter()
            if left <= 0:
                raise TimeoutError
            self._socket.settimeout(left)
            data = self._socket.recv(LINE_LIMIT)
            if not data:
                end = len(self._rest)
                break
            self._rest += data
        text, dropped = bytes(self._rest[:end]), self._too_long or end > LINE_LIMIT
        del self._rest[: end + 1]
        self._too_long = False
        try:
            return "" if dropped else text.decode()
        except UnicodeDecodeError:
            return ""

    def _disconnect(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None


def _read_commands(path: Path) -> dict[str, list[str]]:
    """The two commands of a bot; `InputError` in the words of the published engines."""
    try:
        with path.open("rb") as file:
            found: Any = json.loads(file.read(_COMMANDS_LIMIT))
    except OSError:
        raise InputError("commands.json not found - check the folder") from None
    except (ValueError, RecursionError):
        raise InputError("commands.json misformatted") from None
    commands = {}
    for key in ("build", "run"):
        words = found.get(key) if isinstance(found, dict) else None
        if not isinstance(words, list):
            raise InputError("commands.json missing command")
        if not all(isinstance(word, str) and "\0" not in word for word in words):
            raise InputError(f"{key} command misformatted")
        commands[key] = words
    return commands


class _Output:
    """The beginning of what a bot prints."""

    def __init__(self) -> None:
        self.kept = bytearray()
        self._lock = threading.Lock()

    def add(self, data: bytes) -> None:
        with self._lock:
            self.kept += data[: max(OUTPUT_LIMIT - len(self.kept), 0)]


class _Process:
    """A program in a process group of its own, whose output is read all the time."""

    def __init__(self, words: Sequence[str], folder: Path, output: _Output) -> None:
        self._process = subprocess.Popen(
            list(words),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, args=(output,), daemon=True)
        self._reader.start()

    def _read(self, output: _Output) -> None:
        pipe = self._process.stdout
        assert pipe is not None
        with pipe, contextlib.suppress(OSError, ValueError):
            while data := os.read(pipe.fileno(), LINE_LIMIT):
                output.add(data)

    def wait(self, seconds: float) -> int | None:
        """The exit code; None if it is still running after these seconds.

        An ended program stays a zombie until `kill`, so that the number of its group is not reused.
        """
        deadline = time.perf_counter() + seconds
        while (code := self._code()) is None and (left := deadline - time.perf_counter()) > 0:
            time.sleep(min(left, _POLL))
        return code

    def _code(self) -> int | None:
        if self._process.returncode is not None or not hasattr(os, "waitid"):
            return self._process.poll()
        about = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        return None if about is None else about.si_status or int(about.si_code != os.CLD_EXITED)

    def kill(self) -> None:
        """Kill the program and everything that it has started in its group."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if hasattr(os, "killpg"):
                    os.killpg(self._process.pid, signal.SIGKILL)
                else:
                    self._process.kill()
            self._process.wait()
        self._reader.join(1.0)  # longer only if a child has left the group with our pipe
