"""The agent interface: a view in, a decision out.

::

    class Cautious(Agent):
        def act(self, view, clock, rng):
            return Decision(CHECK if view.actions.check else FOLD)

    register("cautious", Cautious, "checks and folds")

An agent sees a `tiltless.games.holdem.view.View` and nothing else: its own cards, the board, the
bets, the public rules. It must not keep time or luck of its own: ``rng`` is made for each decision
from the match's seed, so that hands can be played again.
"""

import sys
from abc import ABC, abstractmethod
from functools import lru_cache
from hashlib import file_digest
from os import PathLike
from pathlib import Path
from random import Random
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from tiltless._version import __version__
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, LegalActions, RaiseTo
from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.view import View

__all__ = [
    "Agent",
    "Clock",
    "Decision",
    "KnownStrategy",
    "Policies",
    "check_or_call",
    "check_or_fold",
    "code_fingerprint",
    "file_fingerprint",
    "nearest_raise",
]


class Clock(NamedTuple):
    """How long a decision may take.

    seconds: for this decision; None for no limit.
    """

    seconds: float | None = None


class Decision(NamedTuple):
    """What an agent does, and what it is willing to say about it.

    policy: (action, probability) of everything that it might have done, if it knows.
    values: (action, chips) that it expects, if it knows.  source: what decided, such as
    "blueprint" or "rollouts", with a reason after a comma; matches count them, see
    `tiltless.arena.stats.decision_sources`.
    """

    action: Action
    policy: tuple[tuple[Action, float], ...] = ()
    values: tuple[tuple[Action, float], ...] = ()
    source: str = ""


class Policies(NamedTuple):
    """What a player does with every hand at a decision.

    actions: what it may do.  chances: float32 ``[1326, actions]``; rows sum to 1, and are zeros for
    hands that the board rules out.
    """

    actions: tuple[Action, ...]
    chances: npt.NDArray[np.float32]


class Agent(ABC):
    """A player. The hooks do nothing unless an agent has a use for them."""

    @abstractmethod
    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """Decide; ``view.actions`` has what is legal."""

    def hand_start(self, view: View) -> None:
        """A hand begins; the own cards are dealt."""

    def showdown(self, view: View) -> None:
        """Hands are shown: ``view.shown``; called before `hand_end`."""

    def hand_end(self, view: View) -> None:
        """The hand is over: ``view.payoffs``."""

    def match_start(self) -> None:
        """A match begins, or the second half of a mirrored deal: forget what was learned."""

    def check_table(self, game: str, rules: Rules) -> str:
        """`OptionError` at a table where this agent cannot play; asked before the first hand.

        A line about what it was not made for, where it can play all the same; else "".
        """
        return ""

    def fingerprint(self) -> str:
        """What tells this agent from an older one of the same text: by default, its code.

        A match goes on with the same agents only. One that plays from a file, or by other code,
        adds `file_fingerprint` or `code_fingerprint` of that.
        """
        return code_fingerprint(type(self))


@runtime_checkable
class KnownStrategy(Protocol):
    """An agent that can say what it would do with every hand."""

    def policies(self, view: View) -> Policies:
        """The same whatever the own cards of the view are; they are not looked at."""
        ...


def code_fingerprint(kind: type) -> str:
    """The name of a class, the version of this program and a checksum of the class's module."""
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    code = file_fingerprint(file) if file and Path(file).is_file() else "no file"
    return f"{kind.__module__}.{kind.__qualname__} {__version__} {code}"


def file_fingerprint(path: str | PathLike[str]) -> str:
    """A checksum of a file; read once, unless it is written anew."""
    about = Path(path).stat()
    return _checksum(Path(path).absolute(), about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=256)
def _checksum(path: Path, _written: int, _size: int) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()[:32]


def check_or_fold(actions: LegalActions) -> Action:
    """Check where that is free, else fold: also what a fault of an agent is ruled to be."""
    return CHECK if actions.check else FOLD


def check_or_call(actions: LegalActions) -> Action:
    """Stay in without raising."""
    return CHECK if actions.check else CALL


def nearest_raise(actions: LegalActions, chips: int) -> Action:
    """Raise to a number of chips, or to the nearest that is legal; call where no raise is."""
    if not actions.max_raise:
        return check_or_call(actions)
    return RaiseTo(min(max(chips, actions.min_raise), actions.max_raise))
