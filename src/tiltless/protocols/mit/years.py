"""Years of MIT Pokerbots as values: game, stacks, clocks and clauses of each engine."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tiltless.cards.card import RANKS
from tiltless.errors import OptionError
from tiltless.games import load
from tiltless.games.holdem.game import Holdem
from tiltless.protocols.mit.wire import CLAUSES, ClauseForm
from tiltless.validate import brief

__all__ = ["YEARS", "Year", "find_year"]


@dataclass(frozen=True, slots=True)
class Year:
    """One year's engine with its published configuration.

    number: the year.  variant: the game, see `tiltless.games`.  stack: chips of both players at the
    start of every hand.  hands: of a match.  clock: seconds of a player for a whole match.
    reply: seconds for one answer, of which a slower one costs the whole clock; also for connecting
    and for building.  hidden_ranks: showdowns are decided by an order of ranks that no line tells:
    cards are sent as they look, and only the result says who has won.
    repeats_misread: the log repeats an answer that cannot be read.  options: further parameters of
    the game.  bot: our agent for it; empty if there is none.  clauses: by their letters.
    """

    number: int
    variant: str
    stack: int
    blinds: tuple[int, int] = (1, 2)
    hands: int = 1000
    clock: float = 30.0
    reply: float = 10.0
    hidden_ranks: bool = False
    repeats_misread: bool = True
    options: Mapping[str, Any] = field(default_factory=dict)
    bot: str = ""
    clauses: Mapping[str, ClauseForm] = field(
        default_factory=lambda: CLAUSES, repr=False, compare=False
    )

    def game(self, ranks: str | None = RANKS) -> Holdem:
        """The game of this year.

        ranks: the order of ranks of a match, where the year has a hidden one, which only an engine
        knows; a player never evaluates a showdown, so that its own game may have any.  None: not
        known, as in records of what a player saw.
        """
        parameters: dict[str, Any] = {"stack": self.stack, "blinds": self.blinds}
        if self.hidden_ranks:
            parameters["ranks"] = ranks
        game = load(self.variant, **parameters, **self.options)
        if not isinstance(game, Holdem):
            raise OptionError(
                f"{self.variant} is not a hold'em game, as those of MIT Pokerbots are"
            )
        return game


YEARS: Mapping[int, Year] = {
    2020: Year(
        2020,
        "permutation",
        200,
        hidden_ranks=True,
        repeats_misread=False,
        bot="endgame:agent=permutation",
    ),
    2023: Year(2023, "river-of-blood", 400, bot="endgame:agent=river-of-blood"),
}
"""The years whose engines we know, by their numbers."""


def find_year(number: int) -> Year:
    """The year of a number; `OptionError` if it is not known."""
    if number not in YEARS:
        known = ", ".join(map(str, YEARS))
        raise OptionError(f"year {brief(number)} is not known; choose one of {known}")
    return YEARS[number]
