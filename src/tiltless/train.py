"""``python -m tiltless.train CONFIG [FOLDER]``: training on a machine with numpy and numba alone.

The same run as ``tiltless train``, with plain lines instead of a live one and no pictures. If the
folder holds checkpoints of this configuration, it goes on from them. ``--walks N`` replaces every
limit of the configuration.
"""

import argparse
import shlex
import sys
from pathlib import Path

from tiltless.errors import TiltlessError

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    """Train; returns the exit code."""
    parser = argparse.ArgumentParser("python -m tiltless.train", description="Train a blueprint.")
    parser.add_argument("config", help="a preset or a TOML file")
    parser.add_argument("folder", nargs="?", default="", help="of the run; runs/NAME if not given")
    parser.add_argument("--walks", type=int, help="stop after so many in all, and nowhere else")
    given = parser.parse_args(arguments)
    try:
        _train(given.config, given.folder, given.walks)
    except TiltlessError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:  # before the run or after it; a run saves, and ends as it should
        return 130
    return 0


def _train(configuration: str, folder: str, walks: int | None) -> None:
    # here and not above, so that Ctrl-C while they are loaded ends quietly as well
    from tiltless.blueprint.training.config import check_limit, read_config
    from tiltless.blueprint.training.cost import check_room, needs
    from tiltless.blueprint.training.run import Trainer
    from tiltless.blueprint.training.text import (
        estimate_text,
        match_text,
        needs_text,
        nothing_averaged_text,
        now_and_then,
        tick_text,
    )

    config = read_config(configuration)
    if walks is not None:
        check_limit("--walks", walks)
        config = config.with_stop(walks, None)
    where = Path(folder or Path("runs") / config.name)
    told = needs(config)
    _say(needs_text(config, told))
    check_room(config, told, where)
    trainer = Trainer(config, where, resume=any(where.glob("checkpoint-*.safetensors")))
    _say(*trainer.said)
    reason = trainer.run(
        now_and_then(lambda tick: _say(tick_text(config, tick, trainer.infosets))),
        on_estimate=lambda estimate: _say(estimate_text(estimate)),
        on_match=lambda match: _say(match_text(match)),
        on_note=_say,
    )
    walked = trainer.engine.walks
    _say(f"{reason}; {walked:,} walks")
    if trainer.averaged:
        _say(*(f"  {'yes' if check.holds else 'NO '}  {check.text}" for check in trainer.checks()))
    else:
        _say(nothing_averaged_text(config, walked))
    command = f"python -m tiltless.train {shlex.quote(configuration)} --walks {walked}"
    trainer.blueprint(command).save(where / "blueprint.safetensors")
    _say(f"{where}: blueprint.safetensors, metrics.csv, matches.csv")


def _say(*lines: str) -> None:
    for line in lines:
        print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
