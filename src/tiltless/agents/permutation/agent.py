"""Permutation agent: plays Permutation Hold'em with a hold'em agent and renamed cards.

::

    make_agent("permutation")                                    the shipped blueprint
    make_agent("permutation:agent=search:total=20,hands=1000")   and search, once the order is known
    make_agent("permutation:how=borda,agent=blueprint:purify")
    make_agent("permutation:ranks=4392T7JA5KQ68")                told the order, as an oracle is

Under a known order of ranks the game is hold'em with other names: the agent renames the cards of a
view and asks its inner agent. The order is learned from showdowns
(`tiltless.permutation.orders.Orders`); betting tells nothing about it, because an opponent has seen
the same showdowns. While several orders are possible, the *strength* of the hand is averaged
(`tiltless.agents.permutation.hands`), never the policy: a mixture of policies for a strong and
for a weak hand is a policy for no hand.

The inner agent is ``blueprint`` or ``search``. A search agent solves subgames only when the order
is known to within ``certain`` bits; before that its blueprint plays. What was learned is forgotten
at `match_start`. Without a table of flop buckets (``tiltless abstraction build``) 31 orders of a
flop would take a third of a second, and the Borda order is played there instead.
"""

from collections.abc import Callable
from functools import partial
from random import Random

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.fill import BoardTable
from tiltless.agents.agent import (
    Agent,
    Clock,
    Decision,
    Policies,
    check_two_seats,
    code_fingerprint,
    file_fingerprint,
)
from tiltless.agents.blueprint import BlueprintAgent
from tiltless.agents.permutation import hands
from tiltless.agents.permutation import view as renaming
from tiltless.agents.permutation.beliefs import HOWS, Belief, Beliefs, Known, Posterior
from tiltless.agents.permutation.hands import card_names, combo_names, median_orders
from tiltless.agents.permutation.view import relabelled_view, shown_hands
from tiltless.agents.search import SearchAgent
from tiltless.cards.card import COMBO_COUNT, COMBO_OF
from tiltless.cards.hand_order import permuted
from tiltless.cards.matchups import HOLDING
from tiltless.errors import OptionError
from tiltless.files.fingerprint import fingerprint
from tiltless.games.holdem.actions import Action
from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.view import View
from tiltless.permutation.orders import Orders
from tiltless.permutation.prior import Order
from tiltless.validate import brief, one_of, whole_number

__all__ = ["PermutationAgent", "permutation_agent"]

_GAME = "permutation"
_FLOP = 1
_MOST_SAMPLES, _MOST_BITS = 1000, 40.0


class PermutationAgent(Agent):
    """Plays a hold'em agent by its belief about the order of ranks.

    inner: asked with renamed cards.  make_beliefs: called at the start of a match.
    """

    def __init__(
        self, inner: BlueprintAgent | SearchAgent, make_beliefs: Callable[[], Beliefs]
    ) -> None:
        self.inner, self._make_beliefs = inner, make_beliefs
        self.blueprint = inner.blueprint if isinstance(inner, SearchAgent) else inner
        self._beliefs: Beliefs | None = None
        self._medians: dict[tuple[tuple[int, ...], ...], Order] = {}

    def fingerprint(self) -> str:
        """Fingerprint of this code, of the inference and of the inner agent."""
        code = map(code_fingerprint, (Belief, Orders, type(self.beliefs)))
        files = fingerprint(*(file_fingerprint(str(each.__file__)) for each in (hands, renaming)))
        return " ".join([super().fingerprint(), *code, files, self.inner.fingerprint()])

    def check_table(self, game: str, rules: Rules) -> str:
        """Whether the inner agent fits the table; a warning in games without a hidden order."""
        check_two_seats("permutation", rules)
        note = self.inner.check_table(game, rules)
        if game == _GAME:
            return note
        return f"made for Permutation Hold'em; in {game} it first has to learn that ranks are usual"

    def expect_match(self, hands: int) -> str:
        """Passed on."""
        return self.inner.expect_match(hands)

    @property
    def beliefs(self) -> Beliefs:
        """What was learned in this match."""
        if self._beliefs is None:
            self._beliefs = self._make_beliefs()
        return self._beliefs

    def match_start(self) -> None:
        """Forget the order."""
        self._beliefs = None
        self._medians.clear()
        self.inner.match_start()

    def hand_start(self, view: View) -> None:
        """Tell the inner agent, whose clock may count hands."""
        self._medians.clear()
        self.inner.hand_start(self._renamed(view, self.beliefs.belief().order))

    def showdown(self, view: View) -> None:
        """Learn from two hands that were shown."""
        shown = shown_hands(view)
        if shown is not None:
            self.beliefs.observe(*shown)
            self._medians.clear()

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """The inner agent's decision in the renamed hand."""
        belief, order = self.beliefs.belief(), self._order_of(view)
        agent = self.inner if belief.known else self.blueprint
        return agent.act(self._renamed(view, order), clock, rng)

    def policies(self, view: View) -> Policies:
        """The policy of every hand, each by its own order."""
        belief = self.beliefs.belief()
        agent = self.inner if belief.known else self.blueprint
        if not self._by_median(view):
            told = agent.policies(self._renamed(view, belief.order))
            return Policies(told.actions, told.chances[combo_names(belief.order)])
        live = np.flatnonzero(~HOLDING[list(view.board)].any(axis=0))
        chosen = self._median_orders(view, live)
        actions: list[Action] = []
        columns: list[npt.NDArray[np.float32]] = []
        for number in np.unique(chosen):
            order, those = belief.samples[number], live[chosen == number]
            told = agent.policies(self._renamed(view, order))
            names = combo_names(order)[those]
            for column, action in enumerate(told.actions):
                if action not in actions:
                    actions.append(action)
                    columns.append(np.zeros(COMBO_COUNT, np.float32))
                columns[actions.index(action)][those] = told.chances[names, column]
        return Policies(tuple(actions), np.stack(columns, axis=1))

    def takes_long(self, view: View) -> bool:
        """If search takes long there, and may be used."""
        belief = self.beliefs.belief()
        if not (belief.known and isinstance(self.inner, SearchAgent)):
            return False
        return self.inner.takes_long(self._renamed(view, belief.order))

    def _by_median(self, view: View) -> bool:
        """Whether each hand has its own order: after the flop, while there are samples."""
        belief = self.beliefs.belief()
        if belief.known or not len(belief.samples):
            return False
        return view.street > _FLOP or (view.street == _FLOP and self._has_flop_table(view))

    def _has_flop_table(self, view: View) -> bool:
        """Whether flop buckets need not be computed."""
        tables = self.blueprint.at(view.rules).known.tables
        return tables is not None and isinstance(tables.groups[_FLOP], BoardTable)

    def _order_of(self, view: View) -> Order:
        """The order that the hand of a view is played by."""
        belief, key = self.beliefs.belief(), (view.cards, view.board)
        if not self._by_median(view):
            return belief.order
        if key not in self._medians:
            combo = np.array([COMBO_OF[view.cards]], np.int64)
            self._medians[key] = belief.samples[self._median_orders(view, combo)[0]]
        return self._medians[key]

    def _median_orders(self, view: View, combos: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        samples, known = self.beliefs.belief().samples, self.blueprint.at(view.rules).known
        return median_orders(known.buckets, view.board, samples, combos)

    @staticmethod
    def _renamed(view: View, order: Order) -> View:
        return relabelled_view(view, card_names(order).tolist())


def permutation_agent(
    agent: Agent | None = None,
    how: str = "median",
    samples: int = 31,
    certain: float = 1.0,
    ranks: str = "",
) -> PermutationAgent:
    """The agent of a text.

    agent: a blueprint or search agent; None for the shipped blueprint.  how: one of
    `tiltless.agents.permutation.beliefs.HOWS`.  samples: of the posterior, for the median.
    certain: the entropy in bits from which search is used.  ranks: the order, if it is known;
    shown ranks from the lowest to the highest true rank.
    """
    one_of("how", how, HOWS)
    whole_number("samples", samples, 1, _MOST_SAMPLES)
    if not 0 <= certain <= _MOST_BITS:
        raise OptionError(f"certain={brief(certain)} is not possible; choose 0 to {_MOST_BITS}")
    inner = BlueprintAgent() if agent is None else agent
    if not isinstance(inner, BlueprintAgent | SearchAgent):
        raise OptionError(
            f"a {type(inner).__name__} has no blueprint to play by; choose agent=blueprint or "
            "agent=search"
        )
    if ranks:
        permuted(ranks)
        return PermutationAgent(inner, partial(Known, ranks))
    return PermutationAgent(inner, partial(Posterior, how, samples, certain))
