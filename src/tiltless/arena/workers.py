"""Worker processes: chunks of a match in parallel, results in order.

Other processes (`tiltless.executor`) are given the plan as text and make the agents again; only
what a chunk gives comes back.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, TypeVar

from tiltless.agents.agent import Agent
from tiltless.agents.registry import imports_code, is_slow
from tiltless.arena.chunk import play_chunk
from tiltless.arena.plan import MatchPlan
from tiltless.arena.watchdog import NoAnswer, NoAnswerError, asked, longest, watched
from tiltless.errors import OptionError
from tiltless.executor import Executor, executor_for

__all__ = ["in_order"]

T = TypeVar("T")
Play = Callable[..., T]
"""Called with a plan, the number of a chunk, the agents, and what else `in_order` was given."""

_WARM_DEALS = 4
_PATIENCE = 60.0  # seconds more than its clock that an agent has while it warms up
_REMEDY = "go on with fewer --processes, and with --resume if the match is kept"


def in_order(
    play: "Play[T]",
    plan: MatchPlan,
    numbers: Sequence[int],
    processes: int | Executor,
    *more: Any,
) -> Generator[T, None, None]:
    """What ``play`` gives for each chunk, in the order of the numbers; here if one process will do.

    play: a function of a module, so that other processes find it.
    """
    executor = executor_for(processes, len(numbers), remedy=_REMEDY)
    agents = plan.make_agents()  # refuse them before a process is started
    if executor.is_here:
        _warm_up(plan)
        yield from executor.map(partial(_watched, play, plan, agents, more), numbers)
        return
    if plan.objects:
        raise OptionError(
            "agents that are given as objects play in one process; for several, give them as "
            "text, such as module:Class with trusted=True"
        )
    task = partial(_in_worker, play, plan.to_json(), plan.trusted, more)
    yield from executor.map(task, numbers)


@lru_cache(maxsize=2)
def _ready(text: str, trusted: bool) -> tuple[MatchPlan, list[Agent]]:
    plan = replace(MatchPlan.from_json(text), trusted=trusted)
    _warm_up(plan)
    return plan, plan.make_agents()


def _warm_up(plan: MatchPlan) -> None:
    """Let agents of the registry play a little before a clock runs: the first time is slower.

    Tables are computed and files are read then. These agents are others than those of the match.
    """
    if plan.clock is None or plan.objects or any(map(imports_code, plan.agents)):
        return
    deals = 1 if any(map(is_slow, plan.agents)) else _WARM_DEALS
    trial = replace(
        plan, deals=deals, chunk=deals, carry=False, mirrored=True, clock=plan.clock + _PATIENCE
    )
    with watched():
        play_chunk(trial, 0, trial.make_agents(), keep_hands=False)


def _in_worker(play: "Play[T]", text: str, trusted: bool, more: tuple[Any, ...], number: int) -> T:
    """Plan and agents are made once; trusted: as the parent's plan was."""
    plan, agents = _ready(text, trusted)
    return _watched(play, plan, agents, more, number)


def _watched(
    play: "Play[T]", plan: MatchPlan, agents: list[Agent], more: tuple[Any, ...], number: int
) -> T:
    """Play, and give up where an agent does not answer."""
    try:
        with watched():
            return play(plan, number, agents, *more)
    except NoAnswer:
        assert asked.now is not None
        agent, _, clock, deal = asked.now
        asked.now = None
        names = [text for text, each in zip(plan.agents, agents, strict=True) if each is agent]
        raise NoAnswerError(
            f"{names[0]} did not answer for {longest(clock):g} seconds in deal {deal}; what was "
            "written before stays, and with a clock (--clock) it would be late and the match go on"
        ) from None
