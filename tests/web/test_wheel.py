"""The wheel, installed in an empty environment, serves its pages."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tiltless.bench import web
from web.conftest import serving
from web.test_tables import run

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_an_installed_wheel_serves_its_pages(tmp_path):
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", tmp_path, ROOT], check=True)
    (wheel,) = tmp_path.glob("tiltless-*.whl")
    venv.create(tmp_path / "empty", with_pip=True)
    python = tmp_path / "empty" / ("Scripts" if os.name == "nt" else "bin") / "python"
    subprocess.run([python, *pip[1:], "install", f"{wheel}[web]"], check=True)

    async def visit(address):
        player = await web._entered(address)
        found = await web._weight(player)
        table = await web._table(player)
        player.close()
        return found, table

    with serving(tmp_path / "tables", python=str(python)) as (address, _):
        found, table = run(visit(address))
    assert found["requests"] > 10
    assert len(table["table"]["seats"][0]["cards"]) == 2
