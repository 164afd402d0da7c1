"""Local best responses in several settings, as one command asks for them."""

import time
from collections.abc import Callable, Mapping

from tiltless.arena.estimators.evaluation import RANGES, read_estimators
from tiltless.arena.estimators.lbr import SETTINGS, LbrSetting
from tiltless.arena.estimators.lbr_match import Responses, play_responses
from tiltless.arena.plan import MatchPlan
from tiltless.errors import OptionError
from tiltless.executor import Executor

__all__ = ["LBR_CHUNK", "LBR_ESTIMATORS", "Found", "how_estimated", "lbr_settings", "play_settings"]

LBR_CHUNK = 1
"""Deals that a process plays at once; a stop loses all of them."""

LBR_ESTIMATORS = ("raw", "aivat")

Found = dict[str, tuple[Responses, float]]
"""For each setting, the responses so far and the seconds they took."""


def how_estimated(text: str) -> dict[str, bool]:
    """``aivat`` and ``ranges`` of `play_responses`, from names of estimators.

    Of `LBR_ESTIMATORS`, of which raw is always given; or ``ranges`` alone.
    """
    names = read_estimators(text)
    if "all-in" in names or (RANGES in names and len(names) > 1):
        raise OptionError(
            f"estimators of local best responses are {','.join(LBR_ESTIMATORS)}, or {RANGES} "
            f"alone, not {text}"
        )
    return {"aivat": "aivat" in names, "ranges": RANGES in names}


def lbr_settings(name: str, sizes: int, ask: int) -> dict[str, LbrSetting]:
    """Settings by name: one of them, or ``all`` for the usual ones.

    sizes: raises they try.  ask: as in `LbrSetting`.
    """
    chosen = list(SETTINGS) if name == "all" else [name]
    return {each: LbrSetting.parse(each)._replace(bets=sizes, ask=ask) for each in chosen}


def play_settings(
    plan: MatchPlan,
    settings: Mapping[str, LbrSetting],
    how: Mapping[str, bool],
    processes: int | Executor = 1,
    progress: Callable[[str, Responses], None] | None = None,
) -> tuple[Found, bool]:
    """Play responses in each setting; what was found, and whether Ctrl-C stopped it before the end.

    how: as returned by `how_estimated`.  progress: called with a setting and its responses so far,
    first when it begins.
    """
    found: Found = {}
    for name, setting in settings.items():
        begin = time.perf_counter()

        def keep(so_far: Responses, name: str = name, begin: float = begin) -> None:
            found[name] = so_far, time.perf_counter() - begin
            if progress is not None:
                progress(name, so_far)

        if progress is not None:
            progress(name, Responses())
        try:
            play_responses(plan, setting, **how, processes=processes, progress=keep)
        except KeyboardInterrupt:
            return found, True
    return found, False
