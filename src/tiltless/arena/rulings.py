"""Rulings: the action that counts if an agent crashes, acts illegally or is late.

`ARENA` has the rulings at our own tables: whatever went wrong, the agent checks if that is free,
and folds otherwise. The hand continues, and the failure is recorded with it as a `Fault`. An
exception in a hook is recorded too, and changes nothing else. Every exception is ruled on, even
`SystemExit`; only `KeyboardInterrupt` ends the match. An agent that does not answer at all is
interrupted (`tiltless.arena.watchdog`): with a clock it is ruled late, without one the match ends.

Other programs have other rulings; `tiltless.protocols.adapter` has the table of all of them, and
uses `ask` too.
"""

from enum import Enum
from random import Random
from time import perf_counter as _now
from typing import Any, NamedTuple, TypeAlias, cast

from tiltless.agents.agent import (
    Agent,
    Clock,
    Decision,
    check_or_call,
    check_or_fold,
    nearest_raise,
)
from tiltless.agents.thinking_time import compiling, thinking_time
from tiltless.arena.watchdog import NO_CLOCK, NoAnswer, asked
from tiltless.errors import InputError
from tiltless.games.holdem.actions import (
    CHECK,
    FOLD,
    Action,
    Call,
    Check,
    Fold,
    LegalActions,
    RaiseTo,
)
from tiltless.games.holdem.view import View

__all__ = ["ARENA", "Answer", "Fault", "Ruling", "Rulings", "ask", "exception_text", "tell"]

_LONGEST = 500  # characters kept of an agent's message
_INTERRUPTED = "interrupted after"  # begins the detail, which is what files and tables keep
_KINDS = frozenset((Fold, Check, Call, RaiseTo))


class Ruling(Enum):
    """What replaces an answer that does not count."""

    CHECK_OR_FOLD = "check if free, else fold"
    FOLD = "fold"
    CHECK_OR_CALL = "check or call"
    NEAREST = "the nearest legal raise for a raise, otherwise check or call"
    END = "the match ends"
    WAIT = "there is no clock"
    REFUSED = "an error message; the player may act again"

    def action(self, actions: LegalActions, wanted: Action | None = None) -> Action:
        """The action that counts; wanted: the illegal action, if the dialect passes it on.

        (The arena's dealer does not, so `NEAREST` would check or call there.)

        A fold becomes a check where folding is illegal. `InputError` if the ruling is not an
        action.
        """
        if self is Ruling.CHECK_OR_FOLD:
            return check_or_fold(actions)
        if self is Ruling.FOLD:
            return FOLD if actions.fold else CHECK
        if self is Ruling.CHECK_OR_CALL:
            return check_or_call(actions)
        if self is Ruling.NEAREST:
            if isinstance(wanted, RaiseTo):
                return nearest_raise(actions, wanted.chips)
            return check_or_call(actions)
        raise InputError(f"the ruling is not an action: {self.value}")


class Rulings(NamedTuple):
    """The rulings at one kind of table.

    illegal: an action that the rules forbid.  garbled: an answer that cannot be read.  late: no
    answer in time.  lost: the player crashed, or its connection is gone.  ours: what we send for
    one of our own agents that fails.
    """

    illegal: Ruling
    garbled: Ruling
    late: Ruling
    lost: Ruling
    ours: Ruling = Ruling.CHECK_OR_FOLD

    def on(self, fault: str) -> Ruling:
        """The ruling on a kind of `Fault`."""
        return self.lost if fault == "crashed" else cast(Ruling, getattr(self, fault))


ARENA = Rulings(
    illegal=Ruling.CHECK_OR_FOLD,
    garbled=Ruling.CHECK_OR_FOLD,
    late=Ruling.CHECK_OR_FOLD,
    lost=Ruling.CHECK_OR_FOLD,
)
"""At our own tables."""


class Fault(NamedTuple):
    """A failure of an agent: its seat, the kind of failure, and a message.

    kind: "crashed", "illegal", "late", or "hook" for an exception outside a decision; "garbled" for
    a message of another program that could not be read, "overruled" if it replaced our answer.
    """

    seat: int
    kind: str
    detail: str

    @property
    def is_interrupted(self) -> bool:
        """Whether the agent was not waited for; any other late action is included in the answer."""
        return self.kind == "late" and self.detail.startswith(_INTERRUPTED)


Answer: TypeAlias = tuple[Action | None, float, str, str, str]
"""An agent's answer: action, seconds, source, fault, detail.

action: a legal action, or None; a late action is included.  seconds: thinking time, without
compilation.  source: see `Decision`.  fault, detail: as in `Fault`; both are empty if nothing went
wrong. (A plain tuple, since millions of them are made.)
"""


def ask(agent: Agent, view: View, clock: Clock, rng: Random, deal: int) -> Answer:
    """Ask an agent to act; deal: the number of the deal, for messages."""
    begin = _now() - compiling.total  # `thinking_time` inlined: nothing is compiling now
    asked.now = agent, begin, clock, deal
    try:
        decision = agent.act(view, clock, rng)
    except NoAnswer:
        if clock.seconds is None:
            raise
        asked.now = None
        took = _now() - compiling.total - begin
        return None, took, "", "late", f"{_INTERRUPTED} {took:.3f} s of {clock.seconds:g}"
    except KeyboardInterrupt:
        raise
    except BaseException as problem:
        return None, _now() - compiling.total - begin, "", "crashed", exception_text(problem)
    took = _now() - compiling.total - begin
    action = _legal(decision, view)
    if action is None:
        wrong = "" if isinstance(decision, Decision) else ", which is not a Decision"
        return None, took, "", "illegal", f"{_shown(decision)}{wrong}; legal: {view.actions}"
    if clock.seconds is not None and took > clock.seconds:
        return action, took, "", "late", f"{took:.3f} s of {clock.seconds:g}"
    if type(decision) is Decision and type(source := decision.source) is str and source:
        return action, took, source[:_LONGEST], "", ""  # exact types, so reading them is safe
    return action, took, "", "", ""


def tell(agent: Agent, hook: str, *arguments: Any, deal: int = 0) -> str:
    """Call a hook of an agent; returns what went wrong, or ""."""
    asked.now = agent, thinking_time(), NO_CLOCK, deal
    try:
        getattr(agent, hook)(*arguments)
    except KeyboardInterrupt:
        raise
    except BaseException as problem:
        return f"{hook}: {exception_text(problem)}"
    return ""


def exception_text(problem: BaseException) -> str:
    """An exception as text, even if its own ``__str__`` fails."""
    try:
        words = str(problem)
    except KeyboardInterrupt:
        raise
    except BaseException:
        words = "(its message cannot be shown)"
    return _plain(f"{type(problem).__name__}: {words}")


def _legal(decision: Any, view: View) -> Action | None:
    """The action of an answer, or None unless it is a legal `Decision`."""
    try:
        if isinstance(decision, Decision):
            action = decision.action
            if action.__class__ in _KINDS and action in view.actions:
                return action
    except KeyboardInterrupt:
        raise
    except BaseException:  # a subclass of Decision may raise from any attribute
        return None
    return None


def _shown(decision: Any) -> str:
    try:
        text = isinstance(decision, str | bytes)
        words = f"{decision[:200] if text else decision!r:.200}"
    except KeyboardInterrupt:
        raise
    except BaseException:
        words = f"(a {type(decision).__name__} that cannot be shown)"
    return _plain(words)


def _plain(words: str) -> str:
    """Text that is short enough, and that files and terminals can encode."""
    return words[:_LONGEST].encode("utf-8", "backslashreplace").decode()
