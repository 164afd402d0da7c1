"""Saved spots: a post-flop solver in a file, to inspect or to continue.

::

    save_solver(solver, "turn.spot")
    solver = load_solver("turn.spot", threads=2)
    solver.solve(until=0.1)

The file contains the tables as they are in memory, the locks, and as metadata the spot in TOML,
the rules, the actions played, and the number of iterations; see `tiltless.files.arrays`.
"""

from os import PathLike

import numpy as np

from tiltless.cfr.presets import PRESETS, Preset
from tiltless.errors import FingerprintError, OptionError
from tiltless.files.arrays import ArrayFile, read_arrays, write_arrays
from tiltless.files.fingerprint import fingerprint
from tiltless.files.header import damaged
from tiltless.games.holdem.actions import parse_action
from tiltless.kernels.postflop.street import ACTOR
from tiltless.postflop.device.machine import Machine
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import Spot, parse_spot
from tiltless.validate import whole_number

__all__ = ["KIND", "load_solver", "rules_name", "save_solver"]

KIND = "range-solver"
_OWN = "own"


def save_solver(solver: PostflopSolver, path: str | PathLike[str], **about: str) -> None:
    """Write a solver to a file, atomically.  about: additional metadata."""
    if type(solver.spot) is not Spot:
        raise OptionError(
            f"a {type(solver.spot).__name__} cannot be saved: files are for spots of hold'em; keep "
            "the solver in memory"
        )
    tables = solver.tables._asdict()
    arrays = {name: table for name, table in tables.items() if len(table)}
    if solver.locks:
        arrays["lock_keys"] = np.array(list(solver.locks), np.int64)
        arrays["lock_rows"] = np.concatenate([rows.ravel() for rows in solver.locks.values()])
    metadata = {
        "spot": solver.spot.toml(),
        "rules": rules_name(solver.rules),
        "compressed": str(int(solver.compressed)),
        "played": ", ".join(map(str, solver.played)),
        "iterations": str(solver.iterations),
        **about,
    }
    write_arrays(path, arrays, kind=KIND, fingerprint=_fingerprint(solver), metadata=metadata)


def load_solver(
    path: str | PathLike[str],
    *,
    rules: Preset | None = None,
    threads: int = 1,
    memory: int | None = None,
    device: str | Machine = "cpu",
) -> PostflopSolver:
    """Load a solver that `save_solver` wrote, identical to the last bit.

    rules: needed only if they are not a named preset.  threads, memory, device: see
    `PostflopSolver`; a file does not depend on them.
    """
    file = read_arrays(path, kind=KIND)
    about = file.metadata
    try:
        name, spot = about["rules"], parse_spot(about["spot"])
        iterations = whole_number("iterations", int(about["iterations"]), 0, 1 << 60)
        played = [parse_action(text) for text in about["played"].split(",") if text.strip()]
        compressed = about["compressed"] == "1"
    except (KeyError, ValueError) as problem:
        raise damaged(file.path, f"its metadata cannot be read ({problem})") from None
    if name == _OWN and rules is None:
        raise OptionError(
            f"{path} was solved with rules without a name; pass them as rules=Preset(...)"
        )
    solver = PostflopSolver(
        spot,
        rules=name if rules is None else rules,
        threads=threads,
        compressed=compressed,
        played=played,
        memory=memory,
        device=device,
    )
    if file.fingerprint != _fingerprint(solver):
        raise FingerprintError(
            f"{path} was made for another spot, or with other rules than "
            f"{rules_name(solver.rules)}; pass those rules, or choose another file"
        )
    for kind, table in solver.tables._asdict().items():
        stored = file.arrays.get(kind, np.zeros(0, table.dtype))
        if stored.shape != table.shape or stored.dtype != table.dtype:
            raise damaged(file.path, f"the size of its table {kind} does not match the spot")
        table[:] = stored
    solver.iterations = iterations
    _lock(solver, file)
    return solver


def rules_name(rules: Preset) -> str:
    """The name of a preset, or ``own``."""
    return next((name for name, preset in PRESETS.items() if preset == rules), _OWN)


def _lock(solver: PostflopSolver, file: ArrayFile) -> None:
    if "lock_keys" not in file.arrays:
        return
    rest = file.load("lock_rows") if "lock_rows" in file.arrays else np.zeros(0, np.float32)
    keys = file.arrays["lock_keys"]
    if keys.shape[1:] != (3,) or keys.dtype != np.int64:
        raise damaged(file.path, "its locks are not by street, board and node")
    for street_index, board, node in keys.tolist():
        try:
            actor = solver.forests[street_index].forest.node[node, ACTOR]
            if min(street_index, board, node, actor) < 0:
                raise IndexError
            shape = solver.average(street_index, board, node).shape
        except (IndexError, ValueError):
            raise damaged(file.path, "it locks a node that is not a decision of the spot") from None
        size = shape[0] * shape[1]
        if rest.dtype != np.float32 or len(rest) < size:
            raise damaged(file.path, "the size of its locks does not match the spot")
        solver.lock_rows((street_index, board, node), rest[:size].reshape(shape))
        rest = rest[size:]


def _fingerprint(solver: PostflopSolver) -> str:
    rules = solver.rules
    return fingerprint(
        solver.spot.fingerprint,
        [repr(rules.regret), repr(rules.averaging)],
        solver.compressed,
        [str(action) for action in solver.played],
    )
