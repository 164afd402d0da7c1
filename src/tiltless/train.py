"""``python -m tiltless.train CONFIG [FOLDER]``: training on a machine with numpy and numba alone.

The same run as ``tiltless train``, with plain lines instead of a live one and no pictures. If the
folder holds checkpoints of this configuration, it goes on from them.
"""

import sys
from pathlib import Path

from tiltless.errors import TiltlessError
from tiltless.solvers.training import Trainer
from tiltless.solvers.training_config import read_config
from tiltless.solvers.training_cost import check_room, needs
from tiltless.solvers.training_text import (
    estimate_text,
    match_text,
    needs_text,
    now_and_then,
    tick_text,
)

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    """Train; returns the exit code."""
    if not 1 <= len(arguments) <= 2:
        print("usage: python -m tiltless.train CONFIG [FOLDER]", file=sys.stderr)
        return 2
    try:
        _train(*arguments)
    except TiltlessError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _train(configuration: str, folder: str = "") -> None:
    config = read_config(configuration)
    where = Path(folder or Path("runs") / config.name)
    told = needs(config)
    _say(needs_text(config, told))
    check_room(config, told, where)
    trainer = Trainer(config, where, resume=any(where.glob("checkpoint-*.safetensors")))
    said = len(trainer.said)
    _say(*trainer.said)
    reason = trainer.run(
        now_and_then(lambda tick: _say(tick_text(config, tick, trainer.infosets))),
        on_estimate=lambda estimate: _say(estimate_text(estimate)),
        on_match=lambda match: _say(match_text(match)),
    )
    _say(*trainer.said[said:], f"{reason}; {trainer.engine.walks:,} walks")
    for check in trainer.checks():
        _say(f"  {'yes' if check.holds else 'NO '}  {check.text}")
    trainer.blueprint(f"python -m tiltless.train {configuration}").save(
        where / "blueprint.safetensors"
    )
    _say(f"{where}: blueprint.safetensors, metrics.csv, matches.csv")


def _say(*lines: str) -> None:
    for line in lines:
        print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
