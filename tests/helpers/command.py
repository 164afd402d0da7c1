"""The program ``tiltless``, in this process or in one of its own."""

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from unittest.mock import patch

from tiltless.cli import main

__all__ = ["PROGRAM", "output", "run", "run_here"]

PROGRAM = [sys.executable, "-c", "from tiltless.cli import main; main()"]


def run(*arguments, **environment):
    """As a user runs it: a process of its own, which takes a second to start."""
    return subprocess.run(
        [*PROGRAM, *arguments],
        env={**os.environ, "COLUMNS": "100", **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


def run_here(*arguments, **environment):
    """The same `main` in this process, where modules and kernels are loaded once."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with (
        patch.dict(os.environ, {"COLUMNS": "100", **environment}),
        patch.object(sys, "argv", ["tiltless", *arguments]),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
            code = 0
        except SystemExit as left:
            code = left.code or 0
    texts = []
    for each in (out, err):
        each.flush()
        texts.append(each.buffer.getvalue().decode())
    return subprocess.CompletedProcess(["tiltless", *arguments], code, *texts)


def output(*arguments, **environment):
    """What a command that succeeds says on standard output; in this process."""
    done = run_here(*arguments, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout
