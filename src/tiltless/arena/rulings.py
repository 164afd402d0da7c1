"""Rulings: what becomes of an agent that crashes, or whose answer is illegal or late.

`ARENA` has the rulings at our own tables: check if that is free, else fold, whatever went wrong.
The hand goes on, and what happened is kept with it as a `Fault`. An exception in a hook is kept
likewise and changes nothing. Exceptions of every kind are ruled on, `SystemExit` too;
`KeyboardInterrupt` alone ends the match. An agent that does not answer at all is interrupted
(`tiltless.arena.watchdog`): with a clock it was late, and without one the match is over.

Tables of other programs rule otherwise; `tiltless.protocols.adapter` has the table of all of them,
and asks its agents here too.
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

__all__ = ["ARENA", "Answer", "Fault", "Ruling", "Rulings", "ask", "said", "tell"]

_LONGEST = 500  # letters that are kept of what an agent says
_KINDS = frozenset((Fold, Check, Call, RaiseTo))


class Ruling(Enum):
    """What stands in place of an answer that does not count."""

    CHECK_OR_FOLD = "check if free, else fold"
    FOLD = "fold"
    CHECK_OR_CALL = "check or call"
    NEAREST = "the nearest legal raise; check or call for all else"
    END = "the match ends"
    WAIT = "there is no clock"

    def action(self, actions: LegalActions, wanted: Action | None = None) -> Action:
        """The action that counts; wanted: the illegal one, if it could be read.

        A fold where the rules forbid it is a check. `InputError` where no action stands for it.
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
        raise InputError(f"no action stands for such an answer: {self.value}")


class Rulings(NamedTuple):
    """The rulings at one kind of table.

    illegal: an action that the rules forbid.  garbled: an answer that cannot be read.  late: none
    in time.  lost: the player has crashed, or its connection is gone.  ours: what we answer there
    for an agent of ours that fails.
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
    """A failure of an agent: its seat, what kind, and what it said.

    kind: "crashed", "illegal", "late", or "hook" for an exception outside of a decision; "garbled"
    for a message of another program that could not be read.
    """

    seat: int
    kind: str
    detail: str


Answer: TypeAlias = tuple[Action | None, float, str, str, str]
"""What came of asking an agent: action, seconds, source, fault, detail.

action: a legal one, or None; one that was late is there too.  seconds: that it took, compiling not
counted.  source: what the agent says decided.  fault, detail: what went wrong, as in `Fault`; both
are empty where nothing did. (A plain tuple, since millions of them are made.)
"""


def ask(agent: Agent, view: View, clock: Clock, rng: Random, deal: int) -> Answer:
    """Ask an agent to act; deal: of the hand, for messages."""
    begin = _now() - compiling.total  # `thinking_time`, written out: nothing compiles now
    asked.now = agent, begin, clock, deal
    try:
        decision = agent.act(view, clock, rng)
    except NoAnswer:
        if clock.seconds is None:
            raise
        asked.now = None
        took = _now() - compiling.total - begin
        return None, took, "", "late", f"interrupted after {took:.3f} s of {clock.seconds:g}"
    except KeyboardInterrupt:
        raise
    except BaseException as problem:
        return None, _now() - compiling.total - begin, "", "crashed", said(problem)
    took = _now() - compiling.total - begin
    action = _legal(decision, view)
    if action is None:
        return None, took, "", "illegal", f"{_shown(decision)}; legal: {view.actions}"
    if clock.seconds is not None and took > clock.seconds:
        return action, took, "", "late", f"{took:.3f} s of {clock.seconds:g}"
    if type(decision) is Decision and type(source := decision.source) is str and source:
        return action, took, source[:_LONGEST], "", ""  # of exact types: to look at them is safe
    return action, took, "", "", ""


def tell(agent: Agent, hook: str, *arguments: Any, deal: int = 0) -> str:
    """Call a hook of an agent; what went wrong, else ""."""
    asked.now = agent, thinking_time(), NO_CLOCK, deal
    try:
        getattr(agent, hook)(*arguments)
    except KeyboardInterrupt:
        raise
    except BaseException as problem:
        return f"{hook}: {said(problem)}"
    return ""


def said(problem: BaseException) -> str:
    """An exception in words, whatever is wrong with it."""
    try:
        words = str(problem)
    except KeyboardInterrupt:
        raise
    except BaseException:
        words = "(what it says cannot be shown)"
    return _plain(f"{type(problem).__name__}: {words}")


def _legal(decision: Any, view: View) -> Action | None:
    """The action of an answer, if it is one and legal."""
    try:
        if isinstance(decision, Decision):
            action = decision.action
            if action.__class__ in _KINDS and action in view.actions:
                return action
    except KeyboardInterrupt:
        raise
    except BaseException:  # what looks like a decision may do anything when it is looked at
        return None
    return None


def _shown(decision: Any) -> str:
    try:
        words = f"{decision!r:.200}"
    except KeyboardInterrupt:
        raise
    except BaseException:
        words = f"(a {type(decision).__name__} that cannot be shown)"
    return _plain(words)


def _plain(words: str) -> str:
    """Not too long, and nothing that a file or a screen cannot take."""
    return words[:_LONGEST].encode("utf-8", "backslashreplace").decode()
