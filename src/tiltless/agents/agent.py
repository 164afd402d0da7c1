"""The agent interface: a view in, a decision out.

::

    class Cautious(Agent):
        def act(self, view, clock, rng):
            return Decision(CHECK if view.actions.check else FOLD)

    register("cautious", Cautious, "checks and folds")

An agent sees a `tiltless.games.holdem.view.View` and nothing else: its own cards, the board, the
bets, the public rules. It must not use its own clock or random numbers: ``rng`` is seeded for each
decision from the match's seed, so that hands can be replayed.
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
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, LegalActions, RaiseTo
from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.view import View

__all__ = [
    "Agent",
    "Clock",
    "CostlyStrategy",
    "Decision",
    "KnownStrategy",
    "Policies",
    "check_or_call",
    "check_or_fold",
    "check_two_seats",
    "code_fingerprint",
    "file_fingerprint",
    "nearest_raise",
]


class Clock(NamedTuple):
    """The time limit of a decision.

    seconds: None for no limit.
    """

    seconds: float | None = None


class Decision(NamedTuple):
    """An agent's action, and optional information about it.

    policy: (action, probability) of each action that was possible, if known.
    values: (action, expected chips), if known.  source: what produced the decision, such as
    "blueprint" or "rollouts", with a reason after a comma; matches count sources, see
    `tiltless.arena.stats.decision_sources`.
    """

    action: Action
    policy: tuple[tuple[Action, float], ...] = ()
    values: tuple[tuple[Action, float], ...] = ()
    source: str = ""


class Policies(NamedTuple):
    """A player's policy for every hand at a decision.

    actions: the columns.  chances: probabilities, float32 ``[1326, actions]``; rows sum to 1, and
    are zeros for hands that the board rules out.
    """

    actions: tuple[Action, ...]
    chances: npt.NDArray[np.float32]


class Agent(ABC):
    """A player. Its hooks (all methods but `act`) are optional."""

    @abstractmethod
    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """Decide; ``view.actions`` has the legal actions."""

    def hand_start(self, view: View) -> None:
        """A hand begins; hole cards are dealt."""

    def showdown(self, view: View) -> None:
        """Hands are shown: ``view.shown``; called before `hand_end`."""

    def hand_end(self, view: View) -> None:
        """The hand is over: ``view.payoffs``."""

    def match_start(self) -> None:
        """A match begins: forget what was learned.

        In mirrored play for chips every hand is a match of its own, so that deals are independent.
        Where matches are counted, agents remember a whole match, and forget before its mirrored
        half.
        """

    def check_table(self, game: str, rules: Rules) -> str:
        """Check the game before the first hand; `OptionError` if this agent cannot play it.

        Returns a warning if the agent can play but was made for another table; otherwise "".
        """
        return ""

    def expect_match(self, hands: int) -> str:
        """Matches have ``hands`` hands, of which only who wins more chips counts.

        Called before the first match, by tables that know. Returns a warning if the agent counts on
        another number; otherwise "".
        """
        return ""

    def fingerprint(self) -> str:
        """Distinguishes this agent from other versions with the same text; by default, its code.

        A stored match is continued only by the same agents. An agent that depends on a file or on
        other code adds the `file_fingerprint` or `code_fingerprint` of it.
        """
        return code_fingerprint(type(self))


@runtime_checkable
class KnownStrategy(Protocol):
    """An agent that can reveal its policy for every hand."""

    def policies(self, view: View) -> Policies:
        """The policy for every hand; must not depend on the cards in the view."""
        ...


@runtime_checkable
class CostlyStrategy(KnownStrategy, Protocol):
    """A known strategy that takes long to tell at some decisions."""

    def takes_long(self, view: View) -> bool:
        """Whether `policies` takes tenths of a second at a decision like this one."""
        ...


def code_fingerprint(kind: type) -> str:
    """The name of a class, the version of this program and a checksum of the class's module."""
    module = "__main__" if kind.__module__ == "__mp_main__" else kind.__module__  # in a worker
    file = getattr(sys.modules.get(module), "__file__", None)
    code = file_fingerprint(file) if file and Path(file).is_file() else "no file"
    return f"{module}.{kind.__qualname__} {__version__} {code}"


def file_fingerprint(path: str | PathLike[str]) -> str:
    """A checksum of a file, cached until the file changes."""
    about = Path(path).stat()
    return _checksum(Path(path).absolute(), about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=256)
def _checksum(path: Path, _written: int, _size: int) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()[:32]


def check_or_fold(actions: LegalActions) -> Action:
    """Check if that is free, otherwise fold; also the usual ruling on a fault."""
    return CHECK if actions.check else FOLD


def check_two_seats(name: str, rules: Rules) -> None:
    """`OptionError` unless a table has two seats.  name: of the agent that needs them."""
    if rules.seats != 2:
        raise OptionError(
            f"{name} plays tables of 2 seats, not {rules.seats}; choose six for 3 to 6 seats, or "
            "rules for any number"
        )


def check_or_call(actions: LegalActions) -> Action:
    """Check if that is free, otherwise call."""
    return CHECK if actions.check else CALL


def nearest_raise(actions: LegalActions, chips: int) -> Action:
    """Raise to the legal number of chips nearest to ``chips``; check or call if raising is not."""
    if not actions.max_raise:
        return check_or_call(actions)
    return RaiseTo(min(max(chips, actions.min_raise), actions.max_raise))
