"""Tasks of worker processes: what a job may be, by name.

A task gets a `JobContext` and plain arguments, and returns what is sent to the browser, or what the
server needs to go on. Modules are imported when a task needs them, so that a process starts fast.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from tiltless.agents.agent import Agent, Decision
    from tiltless.games.holdem.rules import Rules
    from tiltless.games.holdem.view import View

__all__ = ["TASKS", "JobContext"]


class JobContext(NamedTuple):
    """What a task is given besides its arguments.

    kept: remembered for the next job of the same key.  stopped: whether it was cancelled.
    tell: sends progress.
    """

    kept: dict[str, Any]
    stopped: Callable[[], bool]
    tell: Callable[[Any], None]


def _agent(context: JobContext, text: str) -> "Agent":
    from tiltless.agents.registry import make_agent

    if "agent" not in context.kept:
        agent = context.kept["agent"] = make_agent(text)
        agent.match_start()
    return context.kept["agent"]  # type: ignore[no-any-return]


def check_agent(context: JobContext, text: str, game: str, rules: "Rules") -> str:
    """The note of an agent on a table; `OptionError` if it cannot play there."""
    return _agent(context, text).check_table(game, rules)


def act(
    context: JobContext,
    text: str,
    hooks: Sequence[tuple[str, tuple[Any, ...]]],
    view: "View",
    seconds: float | None,
    seed: int,
) -> "Decision":
    """The decision of an agent.  hooks: what happened at its table since its last one."""
    from tiltless.agents.agent import Clock

    agent = _agent(context, text)
    for name, arguments in hooks:
        getattr(agent, name)(*arguments)
    return agent.act(view, Clock(seconds), Random(seed))


def review(context: JobContext, view: "View", seconds: float) -> list[dict[str, Any]]:
    """A finished hand's decisions; each is told as soon as it is known."""
    from tiltless.agents.blueprint import BlueprintAgent
    from tiltless.search.review import review_hand
    from tiltless.web.review_json import decision_json

    rows = []
    known = BlueprintAgent().policies
    for decision in review_hand(view, known, seconds=seconds, stop=context.stopped):
        rows.append(decision_json(decision, view.seat))
        context.tell(rows[-1])
    return rows


def sleep(context: JobContext, seconds: float, deaf: bool = False) -> str:
    """Waits, for tests; deaf: does not listen when it is cancelled."""
    import time

    end = time.monotonic() + seconds
    while time.monotonic() < end and (deaf or not context.stopped()):
        context.tell(end - time.monotonic())
        time.sleep(0.01)
    return "slept"


def warm(context: JobContext) -> None:
    """Compile what pages need, see `tiltless.web.warmup`."""
    from tiltless.web.warmup import warm_up

    warm_up(context)


TASKS: dict[str, Callable[..., Any]] = {
    "act": act,
    "check-agent": check_agent,
    "review": review,
    "sleep": sleep,
    "warm": warm,
}
"""Every task by its name."""
