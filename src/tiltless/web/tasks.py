"""Tasks of worker processes: what a job may be, by name.

A task gets a `JobContext` and plain arguments, and returns what is sent to the browser, or what the
server needs to go on. Modules are imported when a task needs them, so that a process starts fast.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from tiltless.agents.agent import Agent, Decision
    from tiltless.games.holdem.rules import Rules
    from tiltless.games.holdem.view import View
    from tiltless.web.blueprint_values import HandValues

__all__ = ["TASKS", "JobContext"]


class JobContext(NamedTuple):
    """What a task is given besides its arguments.

    kept: remembered for the next job of the same key.  stopped: whether it was cancelled.
    enough: whether what was found so far is enough.  tell: sends progress.
    """

    kept: dict[str, Any]
    stopped: Callable[[], bool]
    enough: Callable[[], bool]
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


def review(
    context: JobContext, view: "View", seconds: float, playouts: int
) -> list[dict[str, Any]]:
    """A finished hand's decisions; each is told as soon as it is known.

    playouts: of each action before the turn; 0: such decisions are not valued.
    """
    from tiltless.agents.blueprint import BlueprintAgent
    from tiltless.agents.continuations import early_streets
    from tiltless.agents.reviewer import why_not
    from tiltless.errors import FileError
    from tiltless.search.review import review_hand
    from tiltless.web.answers.review import decision_json
    from tiltless.web.blueprint_values import BY_PLAYOUTS, no_tables

    agent, early, note = BlueprintAgent(), None, why_not(view)
    if playouts and not note:
        found = agent.at(view.rules)
        with suppress(FileError):  # damaged tables: building them again repairs them
            early = early_streets(found, playouts)
        note = "" if early else no_tables(found.known)
    rows = []
    for each in review_hand(
        view, agent.policies, seconds=seconds, stop=context.stopped, early=early
    ):
        missing = note if each.view.street_name in BY_PLAYOUTS else ""
        rows.append(decision_json(each, view.seat, missing or each.note))
        context.tell(rows[-1])
    return rows


def estimate(_: JobContext, spot: dict[str, Any], locks: list[str]) -> dict[str, Any]:
    """Nodes and bytes of a spot before anything is allocated; `OptionError` if it does not fit."""
    from tiltless.postflop.boards import board_sets
    from tiltless.postflop.memory import SolvingOptions, check_memory, cost_of, forests_of
    from tiltless.postflop.spot import Spot
    from tiltless.system import usable_cores

    made = Spot(**spot)
    limit, boards = _memory(), board_sets(made)
    options = SolvingOptions(threads=usable_cores())
    forests = forests_of(made, boards, options, limit)
    cost = cost_of(forests, boards, options)
    check_memory(made, boards, cost, options, limit)
    return {
        "boards": cost.boards,
        "nodes": cost.nodes,
        "decisions": cost.decisions,
        "bytes": cost.bytes(options),
        "limit": int(limit),
        "locks": len(locks),
    }


def _memory() -> int:
    """Half of what is free: the server goes on."""
    from tiltless.system import free_memory

    return int(min(free_memory() / 2, 1 << 40))


def solve(
    context: JobContext,
    spot: dict[str, Any],
    locks: list[str],
    until: float,
    seconds: float,
    path: str,
) -> dict[str, Any]:
    """Solve a spot and save it; the exploitability is told as it falls, and the first grid with it.

    A spot that was stopped early and kept is solved on.
    """
    import time
    from pathlib import Path

    from tiltless.postflop.file import load_solver, save_solver
    from tiltless.postflop.line import read_lock
    from tiltless.postflop.node import find_node
    from tiltless.postflop.solver import PostflopSolver
    from tiltless.postflop.spot import Spot
    from tiltless.system import usable_cores
    from tiltless.web.answers.study import first_grid

    if Path(path).exists():
        solver = load_solver(path, threads=usable_cores(), memory=_memory())
    else:
        solver = PostflopSolver(Spot(**spot), threads=usable_cores(), memory=_memory())
        for text in locks:
            for node, chances in read_lock(find_node(solver), text):
                solver.lock(node, chances)
    context.tell({"iterations": solver.iterations, "seconds": 0.0, "exploitability": None})
    last, next_grid = -1.0, 0.0

    def check(status: Any) -> None:
        nonlocal last, next_grid
        if status.seconds - last < 1 / _TOLD_A_SECOND:
            return
        last, news = status.seconds, status._asdict()
        begin = time.monotonic()
        if begin >= next_grid:
            news["grid"] = first_grid(solver)
            next_grid = begin + max(1.0, 20 * (time.monotonic() - begin))
        context.tell(news)

    every = {"flop": 2, "turn": 5, "river": 20}[solver.spot.street_name]  # a point soon
    status = solver.solve(
        until,
        seconds=seconds,
        every=every,
        on_check=check,
        stop=lambda: context.stopped() or context.enough(),
    )
    if not context.stopped():
        save_solver(solver, path)
    return status._asdict()


_TOLD_A_SECOND = 4


def spot_node(context: JobContext, path: str, stamp: int, line: str, of: str) -> dict[str, Any]:
    """A node of a saved spot.  stamp: when the file was written; a newer one is read again."""
    from tiltless.web.answers.study import solved_node, spot_json

    solver = _opened(context, path, stamp)
    return {**solved_node(solver, line, of), "spot": spot_json(solver.spot)}


def spot_cards(context: JobContext, path: str, stamp: int, line: str) -> list[dict[str, Any]]:
    """Every next card of a saved spot."""
    from tiltless.web.answers.study import cards_json

    return cards_json(_opened(context, path, stamp), line)


def _opened(context: JobContext, path: str, stamp: int) -> Any:
    from tiltless.postflop.file import load_solver

    if context.kept.get("stamp") != stamp:
        context.kept.clear()
        context.kept.update(stamp=stamp, solver=load_solver(path, threads=1, memory=_memory()))
    return context.kept["solver"]


def node_of_blueprint(_: JobContext, name: str, line: str, board: str, of: str) -> dict[str, Any]:
    """A node of a shipped blueprint."""
    from tiltless.agents.blueprint import load_blueprint
    from tiltless.blueprint.shipped import find_blueprint
    from tiltless.web.answers.blueprint import blueprint_node

    return blueprint_node(load_blueprint(find_blueprint(name)), line, board, of)


def spot_of_blueprint(_: JobContext, name: str, line: str, board: str) -> dict[str, Any]:
    """The spot at the start of a street, with the blueprint's ranges."""
    from tiltless.agents.blueprint import load_blueprint
    from tiltless.blueprint.shipped import find_blueprint
    from tiltless.web.answers.blueprint import blueprint_spot

    return blueprint_spot(load_blueprint(find_blueprint(name)), line, board)


def values_of_blueprint(
    context: JobContext, name: str, line: str, board: str, hand: str, playouts: int
) -> "HandValues":
    """What each action of a decision is worth with a hand, see `tiltless.web.blueprint_values`."""
    from tiltless.agents.blueprint import load_blueprint
    from tiltless.blueprint.shipped import find_blueprint
    from tiltless.web.blueprint_values import hand_values

    known = load_blueprint(find_blueprint(name))
    return hand_values(known, line, board, hand, playouts=playouts, stop=context.stopped)


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
    "blueprint-node": node_of_blueprint,
    "blueprint-spot": spot_of_blueprint,
    "blueprint-values": values_of_blueprint,
    "check-agent": check_agent,
    "estimate": estimate,
    "review": review,
    "sleep": sleep,
    "solve": solve,
    "spot-cards": spot_cards,
    "spot-node": spot_node,
    "warm": warm,
}
"""Every task by its name."""
