"""``python -m tiltless.train CONFIG [FOLDER]``: training on a machine with numpy and numba alone.

The same run as ``tiltless train``, with plain lines instead of a live one and no pictures. If the
folder holds checkpoints of this configuration, the run continues from them. ``--walks N`` and
``--minutes N`` replace every limit of the configuration; both count earlier processes.
"""

import argparse
import sys
from pathlib import Path

from tiltless.plain import plain_main

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    """Train; returns the exit code."""
    parser = argparse.ArgumentParser("python -m tiltless.train", description="Train a blueprint.")
    parser.add_argument("config", help="a preset or a TOML file")
    parser.add_argument("folder", nargs="?", default="", help="folder; runs/NAME by default")
    parser.add_argument("--walks", type=int, help="traversals in total; replaces every limit")
    parser.add_argument(
        "--minutes", type=float, help="minutes of training in total; replaces every limit"
    )
    parser.add_argument("--threads", type=int, default=0, help="threads; 0 means all cores")
    parser.add_argument(
        "--copies", type=int, default=0, help="copies of the tables that are merged after rounds"
    )
    parser.add_argument(
        "--round-walks", type=int, default=0, help="traversals of each copy in a round"
    )
    parser.add_argument("--cluster", help="train on a Ray cluster: auto or HOST:PORT")
    parser.add_argument(
        "--compact", action="store_true", help="also write a compact checkpoint (3 to 6 seats)"
    )
    return plain_main(parser, arguments, _train)


def _train(given: argparse.Namespace) -> int:
    # imported here, so that Ctrl-C during the import also ends quietly
    from tiltless.blueprint.training.front_end import train
    from tiltless.distributed.connect import copies_on
    from tiltless.validate import whole_number

    folder = Path(given.folder) if given.folder else None
    whole_number("--threads", given.threads, 0, 1024)
    where = copies_on(
        given.cluster, given.copies, given.round_walks, processes=given.threads, note=_say
    )
    with where as (rounds, executor):
        return train(
            "python -m tiltless.train",
            given.config,
            folder,
            _say,
            walks=given.walks,
            minutes=given.minutes,
            threads=given.threads,
            compact=given.compact,
            rounds=rounds,
            executor=executor,
        )


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
