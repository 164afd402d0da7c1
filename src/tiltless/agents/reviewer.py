"""Reviewer: judges hands that were really played by the shipped blueprints and by solving.

Hands that cannot be judged are said to be so, and why, and nothing of them is guessed: other games,
more than two players, unusual blinds, and stacks that are not within a tenth of a blueprint's.
"""

from dataclasses import dataclass

from tiltless.agents.blueprint import BlueprintAgent
from tiltless.agents.continuations import early_streets
from tiltless.blueprint.shipped import shipped_rules
from tiltless.blueprint.table_fit import effective_depth
from tiltless.cards.hand_order import STANDARD
from tiltless.games.holdem.view import View
from tiltless.search.early_streets import FEWEST_PLAYOUTS, EarlyStreets
from tiltless.search.review import review_hand
from tiltless.search.review_rows import HandReview, decision_row
from tiltless.seeding import mixed
from tiltless.validate import whole_number

__all__ = ["QUICK", "ReviewOptions", "Reviewer", "why_not"]

_NEAR = 0.1  # of the stacks of training


@dataclass(frozen=True)
class ReviewOptions:
    """How carefully hands are judged.

    iterations: of solving a turn; a river gets four times as many.  playouts: of each action before
    the turn, at least 100; 0: such decisions are not valued.  seed: of the playouts.  threads: of a
    hand.
    """

    iterations: int = 200
    playouts: int = 40_000
    seed: int = 0
    threads: int = 1

    def __post_init__(self) -> None:
        whole_number("iterations", self.iterations, 1, 100_000)
        fewest = FEWEST_PLAYOUTS if self.playouts else 0
        whole_number("playouts", self.playouts, fewest, 10_000_000)
        whole_number("seed", self.seed, 0, 2**64 - 1)
        whole_number("threads", self.threads, 1, 1024)


QUICK = ReviewOptions(iterations=50, playouts=20_000)
"""A first impression: at least two hands a second on two cores."""


def why_not(view: View) -> str:
    """Why a finished hand cannot be judged; empty if it can."""
    rules, seats, unit = view.rules, len(view.starting_stacks), view.rules.big_blind
    if not view.is_over:
        return "the hand is not over"
    if view.game != "nlhe" or rules.hole_cards != 2 or rules.hand_order != STANDARD:
        return f"{view.game}: only no-limit hold'em is judged"
    if seats != 2:
        return f"{seats} seats: only hands of two are judged"
    if not view.cards:
        return "the hero's cards are not known"
    posted, small = view.opening.bets, view.button
    pot = sum(view.starting_stacks) - sum(view.opening.stacks)
    if 2 * posted[small] != unit or posted[1 - small] != unit or pot != sum(posted):
        return "other blinds or antes: only a small blind of half a big blind is judged"
    depth = min(view.starting_stacks) / unit
    trained = [effective_depth(each) for each in shipped_rules().values() if each.seats == 2]
    if not any(abs(depth / each - 1) <= _NEAR for each in trained):
        near = " or ".join(f"{each:g}" for each in sorted(set(trained)))
        return f"stacks of {depth:.0f} big blinds: only about {near} are judged"
    return ""


class Reviewer:
    """Reviews hands, one after the other."""

    def __init__(self, options: ReviewOptions | None = None) -> None:
        self.options = options or ReviewOptions()
        self._agent = BlueprintAgent()
        self._early: dict[int, EarlyStreets | None] = {}

    def review(self, view: View, number: int = 0) -> HandReview:
        """The decisions of the view's player.

        view: a finished hand as the player saw it; hands that others showed are not used.
        number: of the hand, for its row and for its random numbers.
        """
        won = (view.payoffs or (0,) * len(view.starting_stacks))[view.seat] / view.rules.big_blind
        note = why_not(view)
        if note:
            return HandReview(number, (), won, note)
        decisions = review_hand(
            view._replace(shown=()),
            self._agent.policies,
            iterations=self.options.iterations,
            threads=self.options.threads,
            seats=(view.seat,),
            early=self._playouts(view),
            seed=mixed(self.options.seed, number),
        )
        return HandReview(number, tuple(decision_row(each, number) for each in decisions), won)

    def _playouts(self, view: View) -> EarlyStreets | None:
        """For the blueprint of a table; None if its bucket tables were not built."""
        found, options = self._agent.at(view.rules), self.options
        if id(found) not in self._early:
            wanted = options.playouts > 0
            early = early_streets(found, options.playouts, options.threads) if wanted else None
            self._early[id(found)] = early
        return self._early[id(found)]
