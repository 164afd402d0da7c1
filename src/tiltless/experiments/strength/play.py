"""Play the cells of the strength tables, block by block, and store each block when it is finished.

A block is played again if an agent, its blueprint or an estimator has changed since: its record has
their fingerprints. Statistics are of mirrored deals, each the mean of its two hands. Where
all strategies are known, as LBR's always are, all hands are played at once on the board of each
deal (`tiltless.arena.estimators.range_hand`); other hands are corrected by AIVAT with the strategy
of the agent that reveals its own (`tiltless.arena.estimators.evaluation`).
"""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from tiltless.agents.agent import code_fingerprint
from tiltless.agents.registry import make_agent
from tiltless.arena.estimators.evaluation import RANGES, AgentEvaluation, evaluate_agents
from tiltless.arena.estimators.lbr import SETTINGS, LocalBestResponse
from tiltless.arena.estimators.lbr_match import Responses, play_responses
from tiltless.arena.estimators.range_hand import RangeHand
from tiltless.arena.estimators.range_response import RangeResponse
from tiltless.arena.plan import MatchPlan, usual_chunk
from tiltless.arena.stats.score import per_unit
from tiltless.errors import TiltlessError
from tiltless.executor import Executor
from tiltless.experiments.strength.cells import Cell, CellBlock
from tiltless.files.fingerprint import fingerprint
from tiltless.files.json_log import JsonLog
from tiltless.games.parameter_text import read_parameters
from tiltless.intervals import Interval, Tally

__all__ = ["LEAST_DEALS", "BlockLog", "Figure", "Prove", "play_cells"]

Prove = Callable[[str, int], Mapping[str, Any]]
"""The vector proof of a street (`tiltless.bench.search`, a layer that this one does not see), by
street and number of roots."""
Told = Callable[[int, Interval], None]
"""Called during a cell with the hands so far and the result of the block that is being played."""

_LBR_CHUNK, _CHUNK = 10, 50
LEAST_DEALS = 30
"""Fewer deals get no interval: most of them end early and alike, so it might be far too narrow."""


class Figure(NamedTuple):
    """The result of a cell so far.

    raw, aivat: tallies of deals, in chips per hand; aivat is None if nothing was corrected.
    factor: from chips per hand to mbb/h.  hands, seconds: of all blocks.  rulings: decisions that
    the dealer made for an agent.  proof: the result of the vector proof, else empty.
    """

    raw: Tally = Tally()
    aivat: Tally | None = Tally()
    factor: float = 1.0
    hands: int = 0
    seconds: float = 0.0
    rulings: int = 0
    proof: Mapping[str, Any] = MappingProxyType({})

    @property
    def interval(self) -> Interval:
        """In mbb/h, by AIVAT where it is known; infinitely wide for fewer than `LEAST_DEALS`."""
        return self._interval(self.aivat or self.raw)

    @property
    def raw_interval(self) -> Interval:
        """In mbb/h, without AIVAT; likewise."""
        return self._interval(self.raw)

    def _interval(self, deals: Tally) -> Interval:
        few = deals.count < LEAST_DEALS
        interval = Interval.around(deals.mean, math.inf) if few else deals.interval
        return interval.scaled(self.factor)

    @property
    def ratio(self) -> float | None:
        """The variance of AIVAT divided by the raw one; None if one of them is not known."""
        if self.aivat is None or self.raw.count < 2 or not self.raw.variance:
            return None
        return self.aivat.variance / self.raw.variance

    def merge(self, other: "Figure") -> "Figure":
        """Both together."""
        both = None if None in (self.aivat, other.aivat) else _sum(self.aivat, other.aivat)
        return Figure(
            self.raw.merge(other.raw),
            both,
            other.factor,
            self.hands + other.hands,
            self.seconds + other.seconds,
            self.rulings + other.rulings,
            other.proof,
        )

    def facts(self) -> dict[str, Any]:
        """As JSON; `from_facts` is the inverse."""
        return {
            "raw": list(self.raw),
            "aivat": None if self.aivat is None else list(self.aivat),
            "factor": self.factor,
            "hands": self.hands,
            "seconds": round(self.seconds, 3),
            "rulings": self.rulings,
            "proof": dict(self.proof),
        }

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> "Figure":
        """The inverse of `facts`."""
        aivat = facts["aivat"]
        tallies = Tally(*facts["raw"]), None if aivat is None else Tally(*aivat)
        rest = (facts[name] for name in ("factor", "hands", "seconds", "rulings", "proof"))
        return cls(*tallies, *rest)


def _sum(one: Tally | None, two: Tally | None) -> Tally:
    return (one or Tally()).merge(two or Tally())


class BlockLog:
    """Finished blocks, a record each in a file (`tiltless.files.json_log`).

    taken: how many blocks that were asked for were in the file.
    """

    def __init__(self, path: Path) -> None:
        self._log, self.taken = JsonLog(path), 0
        self._found: dict[tuple[CellBlock, str], Figure] = {}
        for record in self._log.records():
            try:
                key = CellBlock(*record["block"]), str(record["version"])
                self._found[key] = Figure.from_facts(record["figure"])
            except (ValueError, TypeError, KeyError):
                continue

    def find(self, block: CellBlock, version: str) -> Figure | None:
        """The result of a block as it was played by the same version of everything."""
        found = self._found.get((block, version))
        self.taken += found is not None
        return found

    def add(self, block: CellBlock, version: str, figure: Figure) -> None:
        """Keep a result; it is on disk when this returns."""
        self._found[block, version] = figure
        self._log.append({"block": block, "version": version, "figure": figure.facts()})


def play_cells(
    cells: Sequence[Cell],
    log: BlockLog,
    *,
    seed: int,
    processes: int | Executor = 1,
    prove: Prove | None = None,
    begin: Callable[[Cell], Told] | None = None,
) -> Iterator[tuple[Cell, Figure]]:
    """Each cell with its result so far, after every block of it.

    begin: called before a cell; returns what is to be called during it.  An interrupt loses the
    block that is being played, and no other. Results do not depend on the number of processes.
    """
    for cell in cells:
        told = begin(cell) if begin else None
        figure, version = Figure(), _version(next(cell.blocks(seed)))
        for block in cell.blocks(seed):
            found = log.find(block, version)
            if found is None:
                start = time.perf_counter()
                found = _play(block, processes, prove, told, figure.hands)
                found = found._replace(seconds=time.perf_counter() - start)
                log.add(block, version, found)
            figure = figure.merge(found)
            yield cell, figure


def _plan(block: CellBlock) -> MatchPlan:
    agents = (block.second, block.second) if block.kind == "lbr" else (block.first, block.second)
    chunk = usual_chunk(agents, _LBR_CHUNK if block.kind == "lbr" else _CHUNK)
    parameters = read_parameters(block.game.split())
    settings = ("nlhe", parameters, block.seed)
    return MatchPlan(agents, block.hands // 2, *settings, chunk=chunk, trusted=True)


def _version(block: CellBlock) -> str:
    """A fingerprint of what a result depends on besides the block; equal for a cell's blocks."""
    if block.kind == "proof":
        return fingerprint("proof", make_agent(block.second).fingerprint())
    plan = _plan(block)
    kinds = (LocalBestResponse, Responses, AgentEvaluation, RangeHand, RangeResponse)
    judges = map(code_fingerprint, kinds)
    return fingerprint(*plan.fingerprints(plan.make_agents()), *judges)


def _play(
    block: CellBlock, processes: int | Executor, prove: Prove | None, told: Told | None, before: int
) -> Figure:
    """Play a block.  before: hands of the cell's earlier blocks."""
    if block.kind == "proof":
        if prove is None:
            raise TiltlessError("the vector proof is not available here; leave it out with --only")
        return Figure(hands=block.hands, proof=dict(prove(block.first, block.hands)))
    plan = _plan(block)
    factor = per_unit("mbb/h", plan.table.rules.big_blind)

    def tell(figure: Figure) -> None:
        if told:
            told(before + figure.hands, figure.interval)

    if block.kind == "lbr":

        def responses(found: Responses) -> Figure:
            won = found.first
            return Figure(won.raw, won.aivat, factor, 2 * won.deals, rulings=won.rulings)

        return responses(
            play_responses(
                plan,
                SETTINGS[block.first],
                ranges=True,
                processes=processes,
                progress=lambda so_far: tell(responses(so_far)),
            )
        )

    names = (RANGES,) if block.estimator == RANGES else ("raw", "aivat")

    def evaluation(found: AgentEvaluation) -> Figure:
        raw = found.estimates[names[0]].deals
        aivat = found.estimates[names[-1]].deals if len(names) > 1 else None
        rulings = sum(score.faults.rulings for score in found.scores)
        return Figure(raw, aivat, factor, 2 * found.deals, rulings=rulings)

    found = evaluate_agents(
        plan,
        names,
        processes=processes,
        progress=lambda so_far: tell(evaluation(so_far)),
    )
    if found.is_broken:
        first = next(score.first_fault for score in found.scores if score.is_broken)
        raise TiltlessError(f"{plan.title}: most decisions were ruled on; the first: {first}")
    return evaluation(found)
