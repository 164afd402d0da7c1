"""Worker processes: chunks of a match in parallel, results in order.

Worker processes (`tiltless.executor`) receive the plan as text and make their own agents; they send
back only the result of a chunk. A worker on another machine may have another version of a model or
of an agent; it compares fingerprints with those of the driver, and does not play if they differ.
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
from tiltless.executor import Executor, WorkerRefusedError, executor_for

__all__ = ["in_order"]

T = TypeVar("T")
Play = Callable[..., T]
"""Called with a plan, the number of a chunk, the agents, and the extra arguments of `in_order`."""

_WARM_DEALS = 4
_PATIENCE = 60.0  # seconds on top of the clock while an agent warms up
_REMEDY = "continue with fewer --processes, and with --resume if the match is stored"


def in_order(
    play: "Play[T]",
    plan: MatchPlan,
    numbers: Sequence[int],
    processes: int | Executor,
    *more: Any,
) -> Generator[T, None, None]:
    """The result of ``play`` for each chunk, in the order of ``numbers``.

    play: a module-level function, so that worker processes find it.  processes: 1 plays in this
    process.  more: further arguments of ``play``.
    """
    executor = executor_for(processes, len(numbers), remedy=_REMEDY)
    agents = plan.make_agents()  # errors come before any process starts
    if executor.is_here:
        _warm_up(plan)
        yield from executor.map(partial(_watched, play, plan, agents, more), numbers)
        return
    if plan.objects:
        raise OptionError(
            "agents given as objects play in one process only; for several processes, give them "
            "as text, such as module:Class with trusted=True"
        )
    given = plan.to_json(), plan.trusted, plan.fingerprints(agents)
    task = partial(_in_worker, play, given, more)
    yield from executor.map(task, numbers)


@lru_cache(maxsize=2)
def _ready(
    text: str, trusted: bool, fingerprints: tuple[str, ...]
) -> tuple[MatchPlan, list[Agent]]:
    plan = replace(MatchPlan.from_json(text), trusted=trusted)
    agents = plan.make_agents()
    triples = zip(plan.agents, plan.fingerprints(agents), fingerprints, strict=True)
    other = dict.fromkeys(name for name, own, given in triples if own != given)
    if other:
        raise WorkerRefusedError(
            f"it has another version of {', '.join(other)}; install the same models and agents"
        )
    _warm_up(plan)
    return plan, agents


def _warm_up(plan: MatchPlan) -> None:
    """Play a few hands before the clock runs, since tables are computed and files read then.

    For agents of the registry; the match itself is played by new ones.
    """
    if plan.clock is None or plan.objects or any(map(imports_code, plan.agents)):
        return
    deals = 1 if any(map(is_slow, plan.agents)) else _WARM_DEALS
    trial = replace(
        plan,
        deals=deals,
        chunk=deals,
        carry=False,
        mirrored=True,
        match_hands=0,
        game_hands=0,
        clock=plan.clock + _PATIENCE,
    )
    with watched():
        play_chunk(trial, 0, trial.make_agents(), keep_hands=False)


def _in_worker(
    play: "Play[T]", given: tuple[str, bool, tuple[str, ...]], more: tuple[Any, ...], number: int
) -> T:
    """Play a chunk with a plan and agents that are made once per process.

    given: the plan, whether the parent's was trusted, and the fingerprints of its agents.
    """
    plan, agents = _ready(*given)
    return _watched(play, plan, agents, more, number)


def _watched(
    play: "Play[T]", plan: MatchPlan, agents: list[Agent], more: tuple[Any, ...], number: int
) -> T:
    """Play a chunk; `NoAnswerError` if an agent without a clock does not answer."""
    try:
        with watched():
            return play(plan, number, agents, *more)
    except NoAnswer:
        assert asked.now is not None
        agent, _, clock, deal = asked.now
        asked.now = None
        names = (text for text, each in zip(plan.agents, agents, strict=True) if each is agent)
        name = next(names, "")
        if not name:  # a local best response is none of the plan's agents
            name = f"{type(agent).__name__}, or the agent whose strategy it asks for,"
        with_clock = "; with a clock (--clock) it is ruled late and the match continues"
        raise NoAnswerError(
            f"{name} did not answer for {longest(clock):g} seconds in deal {deal}; hands "
            f"stored before are kept{with_clock if agent in agents else ''}"
        ) from None
