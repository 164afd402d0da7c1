"""``python -m tiltless.bench NAME``: `tiltless bench` on a machine with numpy and numba alone."""

import argparse
import datetime
import json
import sys

from tiltless.bench import BENCHES
from tiltless.plain import plain_main


def _bench(given: argparse.Namespace) -> None:
    from tiltless.bench.measuring.text import check_name, readable
    from tiltless.bench.measuring.timing import machine

    check_name(given.name)
    result = BENCHES[given.name]()
    about = {"date": datetime.date.today().isoformat(), **machine()}
    if given.json:
        print(json.dumps({"bench": given.name, **about, **result}))
        return
    for key, value in result.items():
        print(f"{key:<32} {readable(key, value)}")
    print(", ".join(f"{key} {text}" for key, text in about.items()))


def main(arguments: list[str]) -> int:
    """Run a bench; returns the exit code."""
    parser = argparse.ArgumentParser("python -m tiltless.bench", description="Measure kernels.")
    parser.add_argument("name", help=f"one of {', '.join(BENCHES)}")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return plain_main(parser, arguments, _bench)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
