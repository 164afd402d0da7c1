"""Adapters: agents at the tables of other programs, and the table of rulings of each dialect.

::

    bytes -> Lines -> message -> Dialect.read -> View -> Agent -> Action -> Dialect.write -> answer

A protocol is a `Dialect`, which turns messages into steps of a hand and actions into answers, and a
line in `RULINGS`. `Adapter` does the rest for all protocols: it asks the agent, rules on its
failures, and answers every question with a legal action. It never trusts its input: a message that
cannot be read is refused and recorded in one line, and does not affect the next message. A
transport (socket, pipe, callback) passes messages to `Adapter.receive` and sends back what it
returns; in a test, a `FakePeer` does. docs/adding-a-protocol.md has an example.
"""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar, cast

from tiltless.agents.agent import Agent, Clock
from tiltless.agents.registry import make_agent
from tiltless.arena.rulings import ARENA, Fault, Ruling, Rulings, ask, exception_text, tell
from tiltless.arena.watchdog import NO_CLOCK, asked, watched
from tiltless.errors import InputError
from tiltless.games.holdem.actions import Action
from tiltless.games.holdem.betting import NOBODY
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.view import View
from tiltless.seeding import SeededRandom, mixed
from tiltless.validate import whole_number

__all__ = [
    "RULINGS",
    "Adapter",
    "Ask",
    "Dialect",
    "FakePeer",
    "Keep",
    "Lines",
    "MatchStart",
    "Problem",
    "Reply",
    "Step",
    "Tell",
]

RULINGS: dict[str, Rulings] = {
    "arena": ARENA,
    "pypokerengine": Rulings(
        illegal=Ruling.FOLD, garbled=Ruling.END, late=Ruling.WAIT, lost=Ruling.END
    ),
    "mit": Rulings(*[Ruling.CHECK_OR_FOLD] * 4),  # late or lost: in all hands from then on
    "acpc": Rulings(
        illegal=Ruling.NEAREST, garbled=Ruling.CHECK_OR_CALL, late=Ruling.END, lost=Ruling.END
    ),
    "gtowizard": Rulings(  # an error answer; hands that are left alone stay in progress
        illegal=Ruling.REFUSED, garbled=Ruling.REFUSED, late=Ruling.WAIT, lost=Ruling.WAIT
    ),
    "slumbot": Rulings(  # a hand that is left alone for a day is lost
        illegal=Ruling.REFUSED, garbled=Ruling.REFUSED, late=Ruling.FOLD, lost=Ruling.FOLD
    ),
    "openspiel": Rulings(illegal=Ruling.END, garbled=Ruling.END, late=Ruling.WAIT, lost=Ruling.END),
    "environments": Rulings(  # ours, for learners
        illegal=Ruling.CHECK_OR_FOLD, garbled=Ruling.REFUSED, late=Ruling.WAIT, lost=Ruling.WAIT
    ),
}
"""How each program rules on answers that are illegal, garbled or late, and on lost players.

"arena" is our own dealer, `tiltless.arena.rulings`. docs/protocols.md has the same table.
"""

In = TypeVar("In")
Out = TypeVar("Out")
_MOST_FAULTS = 1000  # recorded faults; a peer may send garbage forever
_FIRST_SEAT = 3  # random streams are numbered as by the arena's dealer


@dataclass(frozen=True, slots=True)
class MatchStart:
    """A match begins at a table with these rules."""

    game: Holdem


@dataclass(frozen=True, slots=True)
class Tell:
    """A call of an agent's hook: "hand_start", "showdown" or "hand_end".

    cards: hole cards by seat that a message told although the agent may not see them, for the
    record of the hand.
    """

    hook: str
    view: View
    cards: tuple[tuple[int, tuple[int, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """The agent must act.

    hand: number of the hand, which seeds the random numbers.  clock: for this decision; None for
    that of the adapter.
    """

    view: View
    hand: int
    clock: Clock | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer that is nobody's decision, such as an acknowledgement."""

    answer: Any


@dataclass(frozen=True, slots=True)
class Problem:
    """A part of a message that could not be used; kind, detail: of the `Fault` that is recorded."""

    kind: str
    detail: str


Step: TypeAlias = MatchStart | Tell | Ask | Reply | Problem
Keep: TypeAlias = Callable[[Holdem, View, Mapping[int, tuple[int, ...]]], None]
"""Keeps a hand that is over, as `tiltless.protocols.saved_hands.SavedHands.keep` does."""


class Dialect(ABC, Generic[In, Out]):
    """The messages of one program to its players, and their answers.

    It remembers earlier messages of a hand, and does not know the agent.
    """

    name: str
    """The key in `RULINGS`."""

    @abstractmethod
    def read(self, message: In) -> Sequence[Step]:
        """The steps that a message stands for; only the last may be an `Ask` or a `Reply`.

        Any exception refuses the message: `InputError` with one line if the message is at fault.
        What is remembered of earlier messages must then be unchanged, or valid again with the next
        hand.
        """

    @abstractmethod
    def write(self, action: Action, view: View) -> Out:
        """The answer for a legal action."""

    def blind_answer(self, message: In) -> Out | None:
        """The answer to a message that could not be read; None for no answer."""
        return None


class Adapter(Generic[In, Out]):
    """An agent at the table of another program: messages in, answers out.

    agent: an agent, or its text in the registry.  seed: seed of the agent's random numbers.  clock:
    for each decision; an agent that does not answer at all is interrupted a few seconds later.
    keep: called with the game, the view and further known cards of each hand that is over.
    faults: failures of the agent, on which `Adapter` rules, and messages that were refused.
    """

    def __init__(
        self,
        dialect: Dialect[In, Out],
        agent: Agent | str,
        *,
        seed: int = 0,
        clock: Clock = NO_CLOCK,
        keep: Keep | None = None,
    ) -> None:
        self.dialect, self.clock, self.seed, self.keep = dialect, clock, seed, keep
        self.agent = make_agent(agent) if isinstance(agent, str) else agent
        self.faults: list[Fault] = []
        self._decisions = 0
        self._game: Holdem | None = None

    def receive(self, message: In) -> Out | None:
        """The answer to a message; None if it needs no answer.

        `OptionError` if the agent cannot play at a table that a message announces.
        """
        try:
            steps = list(self.dialect.read(message))
        except Exception as problem:
            line = str(problem) if isinstance(problem, InputError) else exception_text(problem)
            self._keep(NOBODY, "garbled", line)
            return self.dialect.blind_answer(message)
        for step in steps:
            if isinstance(step, Ask):
                return self.dialect.write(self._decide(step), step.view)
            if isinstance(step, Reply):
                return cast(Out, step.answer)
            if isinstance(step, Problem):
                self._keep(NOBODY, step.kind, step.detail)
            else:
                self._tell(step)
        return None

    def _decide(self, step: Ask) -> Action:
        view, clock = step.view, self.clock if step.clock is None else step.clock
        rng = SeededRandom(mixed(self.seed, step.hand, _FIRST_SEAT + view.seat, self._decisions))
        self._decisions += 1
        with nullcontext() if clock.seconds is None else watched():
            action, _, _, fault, detail = ask(self.agent, view, clock, rng, step.hand)
            asked.now = None
        if fault:
            self._keep(view.seat, fault, detail)
        if action is None:  # a late action is sent: the table decides whether it counts
            action = RULINGS[self.dialect.name].ours.action(view.actions)
        return action

    def _tell(self, step: MatchStart | Tell) -> None:
        if isinstance(step, MatchStart):
            note = self.agent.check_table(step.game.name, step.game.rules)
            if note:
                warnings.warn(f"{type(self.agent).__name__}: {note}", stacklevel=3)
            self._game = step.game
            seat, problem = NOBODY, tell(self.agent, "match_start")
        else:
            if step.hook == "hand_start":
                self._decisions = 0
            if step.hook == "hand_end" and self.keep and self._game:
                self.keep(self._game, step.view, dict(step.cards))
            seat, problem = step.view.seat, tell(self.agent, step.hook, step.view)
        asked.now = None
        if problem:
            self._keep(seat, "hook", problem)

    def _keep(self, seat: int, kind: str, detail: str) -> None:
        if len(self.faults) < _MOST_FAULTS:
            self.faults.append(Fault(seat, kind, detail))


class Lines:
    """Splits bytes into lines of bounded length.

    longest: bytes in a line. A line that is longer, or not UTF-8, comes out empty, which is not a
    message in any dialect: so it is refused in its turn, and answered if necessary.
    """

    def __init__(self, longest: int = 65_536) -> None:
        self.longest = whole_number("longest", longest, 1, 2**30)
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[str]:
        """The lines that are complete now, without their ends (LF or CR LF)."""
        first, *more = data.split(b"\n")
        lines = []
        self._take(first)
        for part in more:
            lines.append(self._line())
            self._rest.clear()
            self._take(part)
        return lines

    def _take(self, part: bytes) -> None:
        room = self.longest + 2 - len(self._rest)  # a CR, and one byte that shows the excess
        self._rest += part[:room]

    def _line(self) -> str:
        text = self._rest.removesuffix(b"\r")
        try:
            return text.decode() if len(text) <= self.longest else ""
        except UnicodeDecodeError:
            return ""


class FakePeer(Generic[In, Out]):
    """The other side in a test, without a socket: it sends a script and records the answers.

    script: its messages; or a generator that yields them and is sent the answers in between.
    heard: everything that it received.

    With `play` it acts as a table for an adapter, with `answer` as a player at our table.
    """

    def __init__(self, script: Iterable[In] | Generator[In, Out | None, None]) -> None:
        self._script = iter(script)
        self._has_begun = False
        self.heard: list[Out] = []

    def play(self, adapter: Adapter[In, Out]) -> list[Out]:
        """Send the whole script to an adapter and return its answers."""
        heard: Out | None = None
        while True:
            try:
                message = self._next(heard)
            except StopIteration:
                return self.heard
            heard = adapter.receive(message)
            if heard is not None:
                self.heard.append(heard)

    def answer(self, message: Out) -> In:
        """Record a message and return the next one of the script."""
        self.heard.append(message)
        try:
            return self._next(message)
        except StopIteration:
            raise InputError(f"the script ends before message {len(self.heard)}") from None

    def _next(self, heard: Out | None) -> In:
        begun, self._has_begun = self._has_begun, True
        if begun and isinstance(self._script, Generator):
            return cast(In, self._script.send(heard))
        return next(self._script)
