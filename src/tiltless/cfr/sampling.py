"""Sampling schemes: which part of the game one iteration traverses. Plain data, not subclasses.

An iteration makes one traversal for each player in turn. Where a traversal follows only some
branches, its results are weighted so that their expectation equals that of a full traversal. In all
schemes an action or an outcome is drawn again at every visit, even where two branches of one
traversal meet the same infoset.
"""

from dataclasses import dataclass

from tiltless.errors import OptionError

__all__ = ["ChanceSampling", "External", "Full", "Outcome", "PublicChance", "SamplingScheme"]


@dataclass(frozen=True, slots=True)
class Full:
    """Everything: all actions of all players, all outcomes of chance.

    Paper: Zinkevich, Johanson, Bowling & Piccione (2007), "Regret minimization in games with
    incomplete information".
    """


@dataclass(frozen=True, slots=True)
class ChanceSampling:
    """One outcome of chance, all actions of all players.

    Papers: Zinkevich et al. (2007), section 4; Lanctot, Waugh, Zinkevich & Bowling (2009), "Monte
    Carlo sampling for regret minimization in extensive games", where it is chance-sampled CFR.
    Deviations: players alternate. The paper deals all cards at once; here each line of betting
    draws its own board, and every player's traversal its own cards.
    """


@dataclass(frozen=True, slots=True)
class External:
    """All actions of the traverser, one action of every other player, one outcome of chance.

    Paper: Lanctot et al. (2009), section 3.2 (external sampling).
    The average strategy is updated at the opponent's nodes, which the traversal visits in
    proportion to the opponent's own reach, so no weights are needed (stochastically weighted
    averaging). With more than two players only the next player's nodes count, as in OpenSpiel's
    external sampling ("simple" averaging). There the weights depend on the other players'
    strategies and there is no proof of convergence; on Kuhn poker and a small three-player Leduc
    game it measured no worse than averaging during the player's own traversal, with or without
    importance weights.
    """


@dataclass(frozen=True, slots=True)
class Outcome:
    """One history from the root to a terminal, weighted by how likely it was to be drawn.

    The traverser tries a random action with probability ``epsilon`` and follows the current
    strategy otherwise; everybody else follows the strategy.
    Paper: Lanctot et al. (2009), section 3.1 (outcome sampling), with their epsilon of 0.6.
    Deviation: the paper updates the average at the traverser's nodes, with weights that grow
    without bound as the others' reach shrinks. Here, as in `External`, the next player's nodes are
    used; the only weight left is the inverse of the traverser's own sampling probability, which is
    bounded.
    """

    epsilon: float = 0.6

    def __post_init__(self) -> None:
        if not 0 < self.epsilon <= 1:
            raise OptionError(
                f"epsilon={self.epsilon} leaves actions untried; choose above 0, up to 1"
            )


@dataclass(frozen=True, slots=True)
class PublicChance:
    """One outcome of public chance; all actions and all private hands, as vectors.

    Needs a public form (`tiltless.tabular.public`) and two players.
    Paper: Johanson, Bard, Lanctot, Gibson & Bowling (2012), "Efficient Nash equilibrium
    approximation through Monte Carlo counterfactual regret minimization" (PCS).
    Deviations: players alternate, and each line of betting draws its own board. All outcomes are
    drawn alike, whatever their odds, which are part of the payoffs and so keep their weight.
    """


SamplingScheme = Full | ChanceSampling | External | Outcome | PublicChance
