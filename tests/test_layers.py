"""Modules that are named in strings follow the layers too: import-linter sees imports alone."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "tiltless"
NAMED = re.compile(r"tiltless\.(\w+)[\w.]*(:\w+)?")


def layers():
    """The number of each package's layer, 0 for the lowest."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    rows = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    names = [[name.strip(" ()") for name in row.split("|")] for row in rows]
    return {name: level for level, row in enumerate(reversed(names)) for name in row}


def upward(source, package, levels):
    """Strings of a source that are the name of a module, or of something in one, further up."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            match = NAMED.fullmatch(node.value)
            if match and levels.get(match[1], -1) > levels[package]:
                found.append(node.value)
    return found


def test_no_string_names_a_module_further_up():
    levels = layers()
    checked = 0
    for path in sorted(SOURCES.glob("*/**/*.py")):
        package = path.relative_to(SOURCES).parts[0]
        assert upward(path.read_text(encoding="utf-8"), package, levels) == [], path
        checked += 1
    assert checked > 200


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("tiltless.protocols.pypokerengine:Guest", True),
        ("tiltless.cli.app", True),
        ("tiltless.agents.simple:Caller", False),
        ("tiltless.games.holdem", False),
        ("see tiltless.protocols for more", False),
    ],
)
def test_what_counts_as_a_name(text, found):
    assert bool(upward(f"here = {text!r}", "agents", layers())) is found


def test_no_folder_has_more_modules_than_a_reader_takes_in():
    for folder in (SOURCES, *(path for path in SOURCES.rglob("*") if path.is_dir())):
        modules = [path.stem for path in folder.glob("*.py") if path.stem != "__init__"]
        name = folder.relative_to(SOURCES).as_posix()
        assert len(modules) <= 21, (name, len(modules))
