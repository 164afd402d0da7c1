"""Agent ``six``: a blueprint of three to six seats, with off-menu bets read as a mixture.

::

    make_agent("six")                                         the shipped one
    make_agent("six:file=runs/six/blueprint.safetensors")     one of your own
    make_agent("six:search")                                  with later streets solved
    make_agent("blueprint")                                   chooses by seats: this one from three

A hand is located by what is on the table (`tiltless.blueprint.multiway.locate`): on every street
the real pot, stacks and live players choose the block, so one model plays three to six seats and
unequal stacks. Everything else is `tiltless.agents.blueprint`: readings of bets between two sizes,
post-processing, and play by hand strength where training never came. With several opponents the
strength of a hand is E[HS] to the power 1 + 0.6 (opponents - 1). Search is
`tiltless.agents.six.search`.
"""

from tiltless.agents.agent import Agent
from tiltless.agents.blueprint import BlueprintAgent
from tiltless.agents.six.search import SixSearchAgent
from tiltless.blueprint.shipped import SIX, shipped_blueprints
from tiltless.errors import OptionError

__all__ = ["six"]


def six(
    file: str = "",
    sample: bool = False,
    argmax: bool = False,
    purify: bool = False,
    threshold: float = 0.0,
    fold_threshold: float = 0.5,
    translation: str = "pseudo-harmonic",
    search: bool = False,
    seconds: float = 2.0,
    iterations: int = 0,
    total: float = 0.0,
    hands: int = 1000,
    threads: int = 1,
) -> Agent:
    """An agent for three to six seats; the options are those of `BlueprintAgent`.

    search: solve later streets in real time; the options after it are those of `SixSearchAgent`.
    """
    if not file and SIX not in shipped_blueprints():
        raise OptionError(
            "no blueprint of six seats ships with this version; train one with tiltless train six "
            "and give its file: six:file=runs/six/blueprint.safetensors"
        )
    options = (sample, argmax, purify, threshold, fold_threshold, translation)
    blueprint = BlueprintAgent(file or SIX, *options)
    if not search:
        return blueprint
    return SixSearchAgent(blueprint, seconds, iterations, total, hands, threads)
