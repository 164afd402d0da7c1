"""Cells of the strength tables: who plays whom, in which game, how many hands.

A cell is played in blocks of hands, each with a seed of its own, in order: ``seed``, ``seed + 1``
and so on. A block is what one command plays, ``tiltless lbr`` or ``tiltless evaluate``, and what
is stored. So a run that was stopped continues with the next block, and every block can be had
again by itself.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tiltless.agents.agent import KnownStrategy
from tiltless.agents.registry import make_agent
from tiltless.arena.estimators.evaluation import RANGES
from tiltless.arena.estimators.lbr import SETTINGS
from tiltless.blueprint.files.file import read_about
from tiltless.blueprint.shipped import blueprint_for, find_blueprint, shipped_rules
from tiltless.blueprint.table_fit import effective_depth
from tiltless.errors import OptionError
from tiltless.experiments.thesis.agents import default_file

__all__ = [
    "FULL",
    "PROBES",
    "QUICK",
    "Cell",
    "CellBlock",
    "Sizes",
    "cells",
    "model_games",
]

PROBES = (
    "probe-min-bet",
    "probe-min-bet:pairs",
    "probe-pot",
    "probe-top-20",
    "probe-any-pair",
    "probe-tenth",
    "probe-river-shove",
)
BOTS = ("fish", "honest", "random", "rules", "monte-carlo")
TRAINED_BOTS = ("cfr-v1", "cfr-v2")
"""The bots of the thesis; the trained ones play only if their toy blueprint exists."""
SEARCH = "search:iterations=50"
"""The default number of iterations is limited by time; this one plays alike on every machine."""
_BLUEPRINT = "blueprint"
_LEAST_STACK = 100  # big blinds; smaller models are for demonstrations


@dataclass(frozen=True)
class Sizes:
    """Hands of each kind of cell; the agent with search plays the second number.

    all_sizes: LBR (3), which tries 56 sizes on two streets, against search.  roots: of the vector
    proof, by street.  block: hands per block; a fifth of the second number in LBR (3).
    """

    lbr: tuple[int, int] = (4_000, 4_000)
    all_sizes: int = 2_000
    match: int = 50_000
    bots: tuple[int, int] = (20_000, 5_000)
    roots: tuple[tuple[str, int], ...] = (("river", 100), ("turn", 20))
    block: tuple[int, int] = (2_000, 500)

    def scaled(self, factor: float) -> "Sizes":
        """So many times the hands, in even numbers; roots stay."""

        def many(hands: int) -> int:
            return max(2, 2 * round(hands * factor / 2))

        return Sizes(
            (many(self.lbr[0]), many(self.lbr[1])),
            many(self.all_sizes),
            many(self.match),
            (many(self.bots[0]), many(self.bots[1])),
            self.roots,
            self.block,
        )


FULL = Sizes()
QUICK = Sizes((200, 16), 6, 60, (400, 20), (("river", 4), ("turn", 1)))


class CellBlock(NamedTuple):
    """What one command plays.  kind: ``lbr``, ``match`` or ``proof``; see `Cell` for the rest.

    estimator: of `tiltless.arena.estimators.evaluation`; ``ranges`` where all strategies are known.
    """

    kind: str
    first: str
    second: str
    game: str
    seed: int
    hands: int
    estimator: str = RANGES

    @property
    def command(self) -> str:
        """The command that plays it."""
        if self.kind == "lbr":
            words = f"lbr '{self.second}' {self.game} --setting {self.first} --estimators ranges"
        elif self.kind == "match":
            words = f"evaluate '{self.first}' '{self.second}' {self.game}"
            words += f" --estimator {self.estimator}" if self.estimator == RANGES else ""
        else:
            return f"python -m tiltless.bench.search {self.first} {self.hands} {self.first}.jsonl"
        return f"tiltless {words} --hands {self.hands} --seed {self.seed}"


class Cell(NamedTuple):
    """One figure: what ``first`` wins against ``second``.

    table: ``lbr``, ``match``, ``probes``, ``bots`` or ``proof``.  first: an agent, a setting of
    LBR, or the street of the proof.  game: parameters of nlhe, as on the command line.  hands: or
    roots of the proof.
    """

    table: str
    first: str
    second: str
    game: str
    hands: int
    block: int

    @property
    def kind(self) -> str:
        """Of its blocks."""
        return self.table if self.table in ("lbr", "proof") else "match"

    @property
    def title(self) -> str:
        """For people, and for ``--only``."""
        if self.table == "proof":
            return f"proof: {self.hands} roots of the {self.first}"
        first = f"LBR ({self.first})" if self.table == "lbr" else self.first
        return f"{self.table}: {first} against {self.second}, {self.game}"

    def blocks(self, seed: int) -> Iterator[CellBlock]:
        """Its blocks, with consecutive seeds; the last one may be smaller."""
        for number, done in enumerate(range(0, self.hands, self.block)):
            hands = min(self.block, self.hands - done)
            about = self.kind, self.first, self.second, self.game, seed + number, hands
            yield CellBlock(*about, self.estimator)

    @property
    def estimator(self) -> str:
        """Of its blocks: ranges, if both players reveal their strategies."""
        players = (self.first, self.second) if self.kind == "match" else ()
        known = all(isinstance(make_agent(name), KnownStrategy) for name in players)
        return RANGES if known else "aivat"


def model_games() -> dict[str, str]:
    """Shipped models that the tables are about, with the parameters of their game, default first.

    Two seats, no-limit hold'em, at least 100 big blinds. In that game, agents choose that model.
    """
    found = {}
    for name, rules in shipped_rules().items():
        about = read_about(find_blueprint(name))
        deep = effective_depth(rules) >= _LEAST_STACK
        if about.game == "nlhe" and rules.seats == 2 and deep and blueprint_for(rules) == name:
            found[name] = " ".join(
                f"{key}={_word(value)}" for key, value in about.parameters.items()
            )
    return found


def _word(value: object) -> str:
    """A parameter as on the command line: ``50,100``."""
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def cells(sizes: Sizes, *, agent: str = SEARCH, only: Sequence[str] = ()) -> list[Cell]:
    """The cells of all tables, those of the blueprint before those of search.

    agent: the one with search.  only: words; a cell is kept if its title contains one of them.
    ``LBR (2) & search & 100bb`` is one word with parts that the title must all contain.
    """
    made: list[Cell] = []
    fast, slow = sizes.block
    bots = BOTS + (TRAINED_BOTS if default_file().exists() else ())
    for game in model_games().values():
        made += [Cell("lbr", each, _BLUEPRINT, game, sizes.lbr[0], fast) for each in SETTINGS]
        for each in SETTINGS:
            hands, block = (sizes.all_sizes, slow // 5) if each == "3" else (sizes.lbr[1], slow)
            made.append(Cell("lbr", each, agent, game, hands, block))
        made.append(Cell("match", agent, _BLUEPRINT, game, sizes.match, slow))
        for table, players in (("probes", PROBES), ("bots", bots)):
            for other, hands, block in ((_BLUEPRINT, 0, fast), (agent, 1, slow)):
                made += [
                    Cell(table, each, other, game, sizes.bots[hands], block) for each in players
                ]
    made += [Cell("proof", street, "search", "", roots, roots) for street, roots in sizes.roots]
    wanted = [[part.strip() for part in word.split("&")] for word in only]
    kept = [
        cell
        for cell in made
        if not only or any(all(part in cell.title for part in word) for word in wanted)
    ]
    if not kept:
        raise OptionError(
            f"no cell of the tables contains {' or '.join(map(repr, only))}; try 'lbr', 'match', "
            "'probes', 'bots', 'proof', or part of the name of an agent"
        )
    return kept
