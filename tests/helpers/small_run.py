"""Training runs of a second: all-in or fold before the flop, and three seats with four chips."""

from tiltless.blueprint.sampling import SCHEMES
from tiltless.blueprint.training.config import TrainingConfig, parse_config

BLOCK = SCHEMES["external"].block
SMALL = """
name = "small"
seed = 7
[game]
name = "nlhe"
stack = 20
[abstraction]
bets = "preflop: a; none"
cards = "thesis"
[rules]
discount_every = 16384
[stop]
walks = {walks}
[checkpoint]
minutes = {minutes}
"""
THREE = """
name = "three"
seed = 3
[game]
name = "nlhe"
seats = 3
stack = 4
[abstraction]
bets = "six-small"
cards = "small"
[rules]
discount_every = 2048
average_every = 1024
snapshot_every = 2048
[stop]
walks = 9000
"""


def small(
    walks: int = 6 * BLOCK, minutes: float = 5.0, change: tuple[str, str] = ("", "")
) -> TrainingConfig:
    """minutes: between checkpoints.  change: a piece of the text, and what stands there instead."""
    text = SMALL.format(walks=walks, minutes=minutes)
    assert change[0] in text
    return parse_config(text.replace(*change, 1))
