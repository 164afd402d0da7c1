"""Opponents of the River of Blood experiment that need more than an entry of the registry.

* ``calling-station``: the report's bot, with a blueprint of its preset, which is one of hold'em
  that knows neither colours nor the run; purified, and played by equity on the run and on red
  rivers. Without its end game, to check and fold once a match is won, which any agent may have.
* ``mit-skeleton``: the bot that teams begin with (``examples/mit_skeleton``): it checks or calls,
  and every fifth time raises the minimum.

Monte-Carlo and rule bots are those of the registry, which play any game: ``monte-carlo`` rolls out
runs, too.
"""

from pathlib import Path
from random import Random

from tiltless.agents.agent import Agent, Clock, Decision, check_or_call, nearest_raise
from tiltless.agents.blueprint import BlueprintAgent
from tiltless.agents.river_of_blood import FOLD_THRESHOLDS
from tiltless.errors import OptionError
from tiltless.experiments.preset_file import preset_file
from tiltless.games.holdem.view import View
from tiltless.validate import brief

__all__ = ["Skeleton", "calling_station"]

_RAISES = 0.2


def calling_station(file: str = "", folds: str = "loose") -> Agent:
    """The report's bot.  file: a blueprint; empty for `preset_file`.  folds: its threshold."""
    path = Path(file) if file else preset_file("calling-station")
    if not path.exists():
        raise OptionError(
            f"calling-station needs a trained blueprint, and {brief(str(path))} does not exist; "
            f"make it with `tiltless train calling-station --out {path.parent}`"
        )
    if folds not in FOLD_THRESHOLDS:
        raise OptionError(
            f"folds={brief(folds)} is not known; use one of {', '.join(FOLD_THRESHOLDS)}"
        )
    return BlueprintAgent(
        str(path), purify=True, fold_threshold=FOLD_THRESHOLDS[folds], cut="red-river"
    )


class Skeleton(Agent):
    """Checks or calls, and raises the minimum one time in five.

    Deviation: with the stacks of the table; the example counts 200 chips, as in 2020.
    """

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """Draw a number, and raise or not."""
        actions = view.actions
        if rng.random() < _RAISES and actions.max_raise:
            return Decision(nearest_raise(actions, actions.min_raise))
        return Decision(check_or_call(actions))
