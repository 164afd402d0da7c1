"""A folder with a training run that can grow and a file of results, for tests of both pages."""

import numpy as np

from tiltless.arena.cross_table import play_cross_table
from tiltless.arena.plan import MatchPlan
from tiltless.arena.store import Store
from tiltless.blueprint.line_text import Choice
from tiltless.blueprint.opening import Opening
from tiltless.blueprint.training import convergence
from tiltless.blueprint.training.config import read_config
from tiltless.blueprint.training.litmus import LitmusCheck
from tiltless.blueprint.training.run import METRICS
from tiltless.blueprint.training.status import RunStatus
from tiltless.files.csv_log import Log
from tiltless.games.holdem.actions import CALL, FOLD, RaiseTo

AGENTS = ("fish", "all-in", "uniform")
STOP_WALKS = 10_000


class SampleRun:
    """Files as the trainer writes them, without training."""

    def __init__(self, folder):
        folder.mkdir(parents=True)
        self.folder = folder
        config = read_config("minute").with_stop(STOP_WALKS, None)
        self.status = RunStatus(folder, config, 1000, 0)
        self.metrics = Log(folder / "metrics.csv", METRICS, 0)
        self.matches = Log(folder / "matches.csv", convergence.COLUMNS, 0)
        self.walks = 0

    def grow(self, holds=True, checkpoint=True):
        """A tick of 1,000 traversals, a second each, and a checkpoint."""
        self.walks += 1000
        seconds = self.walks / 1000
        self.metrics.add([self.walks, seconds, 1000, 5000, 100 / seconds, 0.05 * seconds, 1])
        checks = [LitmusCheck("AA never folds first in", True), LitmusCheck("72o folds", holds)]
        self.status.look(checks)
        if checkpoint:
            raises = min(0.1 * seconds, 1.0)
            choices = [Choice("fold", FOLD, None), Choice("call", CALL, None)]
            choices.append(Choice("raise 2.5 bb", RaiseTo(5), 0.75))
            chances = np.tile([0.9 - 0.9 * raises, 0.1 - 0.1 * raises, raises], (169, 1))
            opening = Opening("BTN", "the button", choices, chances)
            self.status.checkpoint(self.walks, seconds, [opening])
            match = convergence.Match(
                self.walks, self.walks - 1000, 2000, 0.2 / seconds, 0.02, 0.1, 0.03, 2
            )
            self.matches.add(match.row())


def play_results(path):
    """Three agents, each against each, 60 mirrored hands a match."""
    plan = MatchPlan(agents=AGENTS[:2], deals=30, chunk=10, seed=7)
    with Store(path) as store:
        return play_cross_table(plan, AGENTS, store, unit="bb/100")
