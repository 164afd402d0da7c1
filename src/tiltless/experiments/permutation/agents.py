"""The bots of a report of 2020 on Permutation Hold'em, as opponents.

Libratus fan club, "Solving Permutation Hold'em" (MIT Pokerbots 2020). Its inference is a
Metropolis-Hastings chain over orders, run after each showdown, of which the most visited order is
played; in its public code the identity is played until 69 showdowns have been seen.

* ``report-inference``: our blueprint with this inference, so that only inference differs from the
  agent ``permutation``; ``wait=0`` uses the guess at once.
* ``libratus-fan-club``: its blueprint too, linear external-sampling MCCFR over information sets of
  (pot, pot odds) and 169/100/100/100 buckets (`tiltless train libratus-fan-club`), with unlikely
  actions thrown away.
* ``aimbot``: its bot of the first weeks, see `tiltless.experiments.permutation.aimbot`.
"""

from functools import partial
from pathlib import Path

import numpy as np

from tiltless.agents.blueprint import BlueprintAgent
from tiltless.agents.permutation.agent import PermutationAgent
from tiltless.agents.permutation.beliefs import IDENTITY, Belief
from tiltless.blueprint.shipped import DEFAULT
from tiltless.cards.card import RANKS, Cards
from tiltless.errors import OptionError
from tiltless.experiments.permutation.report_methods import ReportChain
from tiltless.experiments.preset_file import preset_file
from tiltless.permutation.evidence import ShowdownResult
from tiltless.validate import brief, whole_number

__all__ = ["WAIT", "ChainBeliefs", "default_file", "libratus_fan_club", "report_inference"]

WAIT = 69
"""Showdowns until the report's public code plays its guess."""
_THROWN_AWAY = 0.1
_NONE = np.empty((0, len(RANKS)), np.int8)


class ChainBeliefs:
    """The report's guess, from ``wait`` showdowns on; shown ranks before."""

    def __init__(self, wait: int = WAIT, seed: int = 0) -> None:
        self.wait, self.count, self._chain = wait, 0, ReportChain(seed)

    def observe(self, cards_a: Cards, cards_b: Cards, board: Cards, result: int) -> None:
        """Run the chain."""
        self._chain.observe(ShowdownResult.checked(cards_a, cards_b, board, result))
        self.count += 1

    def belief(self) -> Belief:
        """One order; the report never says that it is sure."""
        order = self._chain.guess if self.count >= self.wait else IDENTITY
        return Belief(order, _NONE)


def report_inference(file: str = DEFAULT, wait: int = WAIT) -> PermutationAgent:
    """Our blueprint with the report's inference."""
    whole_number("wait", wait, 0, 10**6)
    return PermutationAgent(BlueprintAgent(file), partial(ChainBeliefs, wait))


def default_file() -> Path:
    """Where the report's blueprint is looked for."""
    return preset_file("libratus-fan-club")


def libratus_fan_club(
    file: str = "", wait: int = WAIT, threshold: float = _THROWN_AWAY
) -> PermutationAgent:
    """The report's whole system.

    file: its blueprint; empty for `default_file`.  threshold: actions with less are thrown away;
    the report gives no number.
    """
    path = file or str(default_file())
    if not file and not default_file().exists():
        raise OptionError(
            f"the report's bot needs its blueprint, and {brief(path)} does not exist; make it with "
            f"`tiltless train libratus-fan-club --out {default_file().parent}`"
        )
    return PermutationAgent(BlueprintAgent(path, threshold=threshold), partial(ChainBeliefs, wait))
