"""Settings of a report over flops: everything that the result of a flop depends on.

::

    settings = FlopSettings(oop="22+,A2s+", ip="88+,AQs+", pot=60, stack=970, bets="33%, 75%")
    settings.spot("Ks7s2h")             the spot on that flop
    settings.decisions                  what is reported of each: OOP's first action, IP's after 'x'

They are written into the folder of a report (`plain`, `from_plain`), which refuses any others.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tiltless.abstraction.bets.menu import Menu
from tiltless.cards.card import Cards
from tiltless.cards.equity_input import Hand, as_range
from tiltless.cards.flops import WeightedFlop, all_flops, canonical_flop
from tiltless.cards.matchups import HOLDING
from tiltless.cards.ranges import Range
from tiltless.cards.suits import suit_classes
from tiltless.errors import OptionError, RangeError
from tiltless.games.holdem.notation import action_label, action_words
from tiltless.postflop.node import find_node
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import IP, OOP, PLAYERS, Spot, unblocked
from tiltless.validate import brief, is_number, positive, true_or_false, whole_number

__all__ = ["DEFAULT_LINES", "FlopDecision", "FlopSettings"]

DEFAULT_LINES = ("", "x")
"""OOP's first decision, and IP's after a check."""
_OF_THE_SPOT = ("pot", "stack", "bets", "rake", "rake_cap", "big_blind", "aggressor")
_EXAMPLE = Range("AsAh"), Range("KsKh")  # the tree does not depend on ranges
_EXAMPLE_FLOP = "4c3d2h"


class FlopDecision(NamedTuple):
    """A decision of the flop that is reported.

    line: how it is reached, in chips: ``x b20``.  player: who acts, ``oop`` or ``ip``.
    pot: in chips.  actions: the label of each action by its word: ``{"b20": "Bet 20 (33%)"}``.
    """

    line: str
    player: str
    pot: int
    actions: dict[str, str]

    @property
    def bets(self) -> tuple[str, ...]:
        """The words of bets and raises, small to large."""
        return tuple(word for word in self.actions if word not in ("f", "x", "c"))

    @property
    def title(self) -> str:
        """``IP after x``."""
        return f"{self.player.upper()} {f'after {self.line}' if self.line else 'first to act'}"


@dataclass(frozen=True)
class FlopSettings:
    """What is solved on every flop.

    oop, ip, pot, stack, bets, rake, rake_cap, big_blind, aggressor: as of a `Spot`.
    until: the exploitability to stop at, in percent of the pot.
    iterations, seconds: the most for one flop; with seconds, results depend on the machine.
    compressed: 16 bits for each number instead of 32.
    lines: decisions on the flop that are reported, such as ``x`` and ``x b50%``.
    """

    oop: Hand
    ip: Hand
    pot: int
    stack: int
    bets: Menu | str
    rake: float = 0.0
    rake_cap: float = math.inf
    big_blind: int = 1
    aggressor: str | None = None
    until: float = 0.3
    iterations: int | None = None
    seconds: float | None = None
    compressed: bool = False
    lines: tuple[str, ...] = DEFAULT_LINES

    def __post_init__(self) -> None:
        for name in PLAYERS:
            whole = as_range(getattr(self, name))
            if not len(whole):
                raise RangeError(f"the range of {name.upper()} is empty; give it a hand")
            self._set(name, whole)
        example = Spot(_EXAMPLE_FLOP, *_EXAMPLE, **self._chips)  # checks all that it has
        for name in _OF_THE_SPOT:
            self._set(name, getattr(example, name))
        if not is_number(self.until) or not 0 <= self.until <= 100:
            raise OptionError(
                f"until={brief(self.until)} is not a percentage of the pot; write 0.3"
            )
        if self.iterations is not None:
            self._set("iterations", whole_number("iterations", self.iterations, 1, 1 << 40))
        if self.seconds is not None:
            self._set("seconds", positive("seconds", float(self.seconds)))
        if not self.until and self.iterations is None and self.seconds is None:
            raise OptionError(
                "until=0 is never reached; give more than 0 %, or iterations or seconds too"
            )
        true_or_false("compressed", self.compressed)
        self._set("lines", tuple(each.line for each in _decisions(example, self.lines)))
        if not any(map(self.is_dealt, all_flops(self.alike))):
            raise RangeError("no flop leaves both ranges a hand; widen one of them")

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @property
    def _chips(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _OF_THE_SPOT}

    @cached_property
    def decisions(self) -> tuple[FlopDecision, ...]:
        """The decisions of `lines`."""
        return _decisions(Spot(_EXAMPLE_FLOP, *_EXAMPLE, **self._chips), self.lines)

    @property
    def ranges(self) -> tuple[Range, Range]:
        """The ranges by player index, on no flop yet."""
        return as_range(self.ip), as_range(self.oop)

    @cached_property
    def alike(self) -> tuple[int, int, int, int]:
        """The class of each suit; suits that the ranges do not tell apart are in one."""
        return suit_classes([each.weights for each in self.ranges])

    def spot(self, flop: Cards) -> Spot:
        """The spot on a flop; `RangeError` if it leaves a range without a hand."""
        return Spot(flop, self.oop, self.ip, **self._chips)

    def canonical(self, flop: Cards) -> WeightedFlop:
        """The flop that stands for all that these ranges do not tell from this one."""
        return canonical_flop(flop, self.alike)

    def is_dealt(self, flop: WeightedFlop) -> bool:
        """Whether both players can have a hand on a flop."""
        gone = np.logical_or.reduce([HOLDING[card] for card in flop.cards])
        ip, oop = (np.where(gone, 0.0, each.weights) for each in self.ranges)
        return float(ip @ unblocked(oop)) > 1e-9

    def plain(self) -> dict[str, Any]:
        """As JSON; `from_plain` is the inverse."""
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        found |= {name: str(found[name]) for name in ("oop", "ip", "bets")}
        found["rake_cap"] = None if math.isinf(self.rake_cap) else self.rake_cap
        return found | {"lines": list(self.lines)}

    @classmethod
    def from_plain(cls, found: Mapping[str, Any]) -> "FlopSettings":
        """The inverse of `plain`; `OptionError` or another `InputError` for what is not right."""
        names = {each.name for each in fields(cls)}
        if set(found) != names:
            wrong = sorted(names.symmetric_difference(found))
            raise OptionError(f"the settings have another {wrong[0]}; they are of another version")
        cap = math.inf if found["rake_cap"] is None else found["rake_cap"]
        lines = found["lines"]
        if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
            raise OptionError(f"lines={brief(lines)} are not a list of lines; write ['', 'x']")
        return cls(**{**found, "rake_cap": cap, "lines": tuple(lines)})


def _decisions(example: Spot, lines: tuple[str, ...]) -> tuple[FlopDecision, ...]:
    """The decisions of lines, in the tree of a spot with the same chips and bets."""
    solver = PostflopSolver(example)
    found: dict[str, FlopDecision] = {}
    for line in lines:
        node = find_node(solver, line)
        if node.street_index or node.actor not in (IP, OOP):
            raise OptionError(
                f"{line!r} does not lead to a decision on the flop; give lines without cards, such "
                "as 'x' or 'x b50%'"
            )
        words = action_words(node.actions, node.betting)
        labels = (action_label(action, node.betting, node.pot) for action in node.actions)
        named = dict(zip(words, labels, strict=True))
        found[node.line] = FlopDecision(node.line, PLAYERS[node.actor], node.pot, named)
    if not found:
        raise OptionError("no line is to be reported; give at least one, such as 'x'")
    if all(len(each.actions) < 2 for each in found.values()):
        raise OptionError(f"the bets {example.bets} leave no decision there; give a size")
    return tuple(found.values())
