"""Published results of local best responses, for comparison."""

from typing import NamedTuple

__all__ = ["PUBLISHED", "PublishedRow"]


class PublishedRow(NamedTuple):
    """What a local best response won against a bot, in mbb/h.

    stack: in big blinds.  won: (mean, half-width of the 95 % interval) for settings 1 to 4.
    """

    bot: str
    stack: int
    won: tuple[tuple[int, int], ...]


PUBLISHED = (
    PublishedRow("DeepStack", 200, ((-428, 87), (-383, 219), (-775, 255), (-602, 214))),
    PublishedRow("full cards", 100, ((-424, 37), (-536, 87), (2403, 87), (1008, 68))),
    PublishedRow("Act1 2016", 200, ((407, 47), (2597, 140), (3302, 122), (847, 78))),
    PublishedRow("Slumbot 2016", 200, ((522, 50), (4020, 115), (3763, 104), (1227, 79))),
    PublishedRow("Hyperborean 2014", 200, ((721, 56), (3852, 141), (4675, 152), (983, 95))),
    PublishedRow("always fold", 200, ((250, 0), (750, 0), (750, 0), (750, 0))),
)
"""The supplement of Moravčík et al. (2017), "DeepStack", arXiv 1701.01724; the bots other than
DeepStack are those of Lisý & Bowling (2017), arXiv 1612.07547. "Full cards" has no card
abstraction, and loses to bets that its betting abstraction lacks."""
