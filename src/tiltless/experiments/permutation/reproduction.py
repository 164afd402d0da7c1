"""A run of the experiment: matches into a folder, and the tables beside them."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tiltless.executor import Executor
from tiltless.experiments.permutation.matches import (
    STAGES,
    FindingsLog,
    InferenceMatch,
    MatchFindings,
    infer_matches,
)
from tiltless.experiments.permutation.showdowns import SOURCES
from tiltless.experiments.permutation.tables import InferenceRun, markdown
from tiltless.files.atomic import make_folder, write_text
from tiltless.system import usable_cores
from tiltless.validate import one_of

__all__ = ["SEED", "reproduce_permutation"]

SEED = 0
_FULL, _QUICK = 200, 10
_MOST = max(STAGES)

Told = Callable[[int, int], None]
"""Called with the number of matches that are finished, and of all."""


def reproduce_permutation(
    heading: str = "",
    *,
    quick: bool = False,
    matches: int = 0,
    sources: Sequence[str] = SOURCES,
    seed: int = SEED,
    processes: int | Executor = 0,
    out: str | Path | None = None,
    told: Told | None = None,
) -> InferenceRun:
    """Watch everything that is not yet in the folder, and write the tables there.

    heading: a line above the tables.  matches: of each source; 0 for the usual number.
    processes: 0 for all cores. Ctrl-C ends the run with what is known by then.
    """
    start = time.perf_counter()
    for source in sources:
        one_of("showdowns", source, SOURCES)
    many = matches or (_QUICK if quick else _FULL)
    wanted = [InferenceMatch(source, seed + i, _MOST) for source in sources for i in range(many)]
    folder = Path(make_folder(out or ("permutation-quick" if quick else "permutation")))
    log = FindingsLog(folder / "matches.jsonl")
    taken = sum(log.find(match) is not None for match in wanted)
    found: dict[InferenceMatch, MatchFindings] = {}
    stopped = False
    try:
        for match, findings in infer_matches(wanted, log, processes=processes or usable_cores()):
            found[match] = findings
            if told:
                told(len(found), len(wanted))
    except KeyboardInterrupt:
        stopped = True
    minutes = (time.perf_counter() - start) / 60
    run = InferenceRun(found, seed, folder, stopped, taken, minutes)
    write_text(folder / "tables.md", markdown(run, heading))
    return run
