"""Each kernel module's docstring ends with the names of its naive twin and its tests."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "src" / "tiltless" / "kernels"
MODULES = sorted(path for path in KERNELS.rglob("*.py") if path.name != "__init__.py")
LINK = re.compile(r"(?:Twin: (tests/naive/\S+\.py); tested|Tested) by (.+)")


def last_paragraph(source):
    paragraphs = (ast.get_docstring(ast.parse(source)) or "").split("\n\n")
    return paragraphs[-1].replace("\n", " ")


def imported(source):
    """Dotted names of the modules that a source imports, also as names of a package."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(KERNELS).as_posix())
def test_links_to_twin_and_tests(module):
    text = last_paragraph(module.read_text())
    link = LINK.fullmatch(text)
    assert link, f"{module.name} ends its docstring with {text!r}"
    twin, tests = link[1], [ROOT / name for name in link[2].split(" and ")]
    assert all(test.is_file() and test.name.startswith("test_") for test in tests), tests
    if twin:
        assert (ROOT / twin).is_file()
        name = twin.removeprefix("tests/").removesuffix(".py").replace("/", ".")
        assert any(name in imported(test.read_text()) for test in tests), f"no test uses {twin}"


def test_there_are_kernels():
    assert len(MODULES) > 40
