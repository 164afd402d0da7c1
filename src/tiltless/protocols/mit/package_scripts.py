"""The scripts of a packed bot, in the words of its shell and of plain Python."""

__all__ = [
    "COPY_CACHE",
    "HEAD",
    "ON_A_SERVER",
    "ON_THIS_MACHINE",
    "PLAYER",
    "REHEARSE",
    "RUN",
    "UNPACK",
]

PLAYER = '''"""A bot for MIT Pokerbots, packed by tiltless."""

import socket
import sys

YEAR = {year!r}
AGENT = {agent!r}


def main():
    if sys.argv[1:2] == ["--rehearse"]:
        from tiltless.protocols.mit.rehearsal import rehearse

        print(rehearse(YEAR, AGENT, seconds=float(sys.argv[2])), "hands rehearsed")
        return
    connection = socket.create_connection(("localhost", int(sys.argv[-1])))  # within 10 seconds
    from tiltless.protocols.mit.client import play_connected
    from tiltless.protocols.mit.year_file import load_year

    report = play_connected(connection, AGENT, load_year(YEAR), trusted=True)
    print(*report.lines(), sep="\\n", flush=True)


if __name__ == "__main__":
    main()
'''

HEAD = """#!/usr/bin/env bash
set -eu
cd "$(dirname "$0")"
"""

ON_THIS_MACHINE = """export TILTLESS_CACHE={cache} PYTHONPATH={path}
PYTHON={python}
"""

UNPACK = """if [ ! -d deps ]; then
  rm -rf deps.new && mkdir deps.new
  for wheel in wheels/*.whl; do
    if [ -e "$wheel" ]; then python3 -m zipfile -e "$wheel" deps.new; fi
  done
  mv deps.new deps
fi
unset PYTHONDONTWRITEBYTECODE
"""

ON_A_SERVER = """export TILTLESS_CACHE="$PWD/cache" PYTHONPATH="$PWD/lib:$PWD/deps"
PYTHON=python3
"""

REHEARSE = """exec "$PYTHON" player.py --rehearse {seconds}
"""

COPY_CACHE = """if [ ! -w cache ]; then  # Numba reads compiled code only where it could write it
  copy=$(mktemp -d)
  for each in code tables; do
    if [ -d "cache/$each" ]; then cp -r "cache/$each" "$copy"; fi
  done
  ln -s "$PWD/cache/buckets" "$copy/buckets"
  export TILTLESS_CACHE="$copy"
fi
"""

RUN = """exec "$PYTHON" player.py "$@"
"""
