"""``python -m tiltless.train CONFIG [FOLDER]``: training on a machine with numpy and numba alone.

The same run as ``tiltless train``, with plain lines instead of a live one and no pictures. If the
folder holds checkpoints of this configuration, it goes on from them.
"""

import sys
from pathlib import Path

from tiltless.errors import TiltlessError
from tiltless.solvers.litmus import litmus
from tiltless.solvers.training import Tick, Trainer, needs
from tiltless.solvers.training_config import read_config

__all__ = ["main"]

_SECONDS_BETWEEN_LINES = 10.0


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
    print(f"{config.name}: {told.infosets:,} information sets, {told.memory / 1e6:,.0f} MB")
    trainer = Trainer(config, where, resume=any(where.glob("checkpoint-*.safetensors")))
    print(*trainer.said, sep="\n", end="\n" if trainer.said else "", flush=True)
    shown = trainer.seconds

    def on_tick(tick: Tick) -> None:
        nonlocal shown
        if tick.seconds - shown >= _SECONDS_BETWEEN_LINES:
            shown = tick.seconds
            print(
                f"{tick.seconds:.0f} s, {tick.walks:,} walks, {tick.walks_per_second:,.0f}/s, "
                f"regret {tick.mean_regret:.3g} chips",
                flush=True,
            )

    reason = trainer.run(on_tick)
    print(f"{reason}; {trainer.engine.walks:,} walks")
    for check in litmus(trainer.tree, trainer.engine.buckets[0].count, trainer.engine.average):
        print(f"  {'yes' if check.holds else 'NO '}  {check.text}")
    trainer.blueprint(f"python -m tiltless.train {configuration}").save(
        where / "blueprint.safetensors"
    )
    print(f"{where / 'blueprint.safetensors'} is written")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
