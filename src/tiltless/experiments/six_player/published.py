"""What the six-player report published: five tables of chips, and what they can tell.

"Poker agent using enhanced self-play techniques": PyPokerEngine, six players with $10,000, V1
trained with 300,000 and V2 with 500,000 games of self-play. Blinds are not stated, so nothing here
can be expressed in big blinds.
"""

from dataclasses import dataclass
from math import comb

from tiltless.intervals import Interval, tally

__all__ = [
    "CARD_PAIRS",
    "HAND_CLASSES",
    "POLICY_COUNTS",
    "TRIALS",
    "PublishedTrial",
    "published_interval",
]

CARD_PAIRS = comb(52, 2)
HAND_CLASSES = comb(13, 2) + 13
"""Pairs of ranks, suits ignored."""
POLICY_COUNTS = (CARD_PAIRS * 6 * 6, CARD_PAIRS * 6, HAND_CLASSES * 6)
"""Policies for every player, hand and small blind; for p1 alone; and with hand classes."""


@dataclass(frozen=True)
class PublishedTrial:
    """A table of the report.

    players: by seat, V1 and V2 are the report's agents.  chips: what each won in all hands.
    games, hands: how many games, and hands of each.
    """

    name: str
    players: tuple[str, ...]
    chips: tuple[int, ...]
    games: int = 1000
    hands: int = 10

    def per_hand(self, seat: int) -> float:
        """Chips that a seat won in a hand."""
        return self.chips[seat] / (self.games * self.hands)


_CROWD = ("caller", "MCTS 1", "genetic 1", "genetic 2", "V2", "MCTS 2")
TRIALS = (
    PublishedTrial(
        "V2 v V1",
        ("V1", "V1", "V2", "V2", "V1", "V2"),
        (-184_302, -397_265, 694_680, 196_737, -608_800, 298_950),
    ),
    PublishedTrial("trial 1", _CROWD, (7_597, -65_000, -1_513_383, -2_252_414, 3_781_385, 41_815)),
    PublishedTrial(
        "trial 2",
        ("V2", "MCTS 1", "genetic 1", "genetic 2", "caller", "MCTS 2"),
        (2_022_660, -149_800, -824_240, -513_680, -482_475, -52_465),
    ),
    PublishedTrial(
        "trial 3",
        ("MCTS 2", "MCTS 1", "genetic 1", "genetic 2", "caller", "V2"),
        (-43_700, -146_200, -310_880, 194_800, -1_588_365, 1_894_345),
    ),
    PublishedTrial(
        "five seats",
        ("V2", "V2", "V2", "other 1", "other 2"),
        (105_800, 105_670, 85_850, -363_860, 66_540),
        500,
        5,
    ),
)
"""Tables 3 to 7."""


def published_interval() -> Interval:
    """What V2 won in a hand of trials 1 to 3: the mean of three numbers, by Student's distribution.

    257 chips, -5 to +519: it touches zero.
    """
    crowd = [trial for trial in TRIALS if "caller" in trial.players]
    return tally(trial.per_hand(trial.players.index("V2")) for trial in crowd).interval
