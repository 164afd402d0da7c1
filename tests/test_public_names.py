"""The door: what `import tiltless` offers, and the page that describes it."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tiltless

API = Path(__file__).parents[1] / "docs" / "api.md"


def test_every_public_name_is_there():
    for name in tiltless.__all__:
        assert getattr(tiltless, name) is not None
    assert dir(tiltless) == sorted(tiltless.__all__)


def test_other_names_are_refused():
    with pytest.raises(AttributeError, match="'nothing'") as caught:
        tiltless.nothing  # noqa: B018
    assert (caught.value.name, caught.value.obj) == ("nothing", tiltless)  # for "did you mean"


def test_the_page_has_every_name_once():
    headings = re.findall(r"^### (.*)$", API.read_text(encoding="utf-8"), re.MULTILINE)
    named = [name for heading in headings for name in re.findall(r"`(\w+)`", heading)]
    assert sorted(named) == sorted(tiltless.__all__)


def test_every_section_has_an_example():
    for section in API.read_text(encoding="utf-8").split("\n### ")[1:]:
        assert "\n>>> " in section, section.splitlines()[0]


@pytest.mark.parametrize("name", [name for name in tiltless.__all__ if name != "__version__"])
def test_every_name_has_a_docstring(name):
    found = getattr(tiltless, name)
    assert found.__doc__
    if inspect.isclass(found):
        for member, value in vars(found).items():
            if inspect.isfunction(value) and not member.startswith("_"):
                assert inspect.getdoc(value), f"{name}.{member}"


def test_types_and_lazy_names_agree():
    """What a type checker sees is what is loaded."""
    text = Path(tiltless.__file__).read_text(encoding="utf-8")
    typed = text.partition("if TYPE_CHECKING:")[2].partition("__all__")[0]
    pairs = {
        (name.partition(" as ")[2] or name): (module, name.partition(" as ")[0])
        for module, names in re.findall(r"from (\S+) import (.*)", typed)
        for name in names.split(", ")
    }
    assert pairs == tiltless._LAZY
    assert {*pairs, "__version__"} == set(tiltless.__all__)


def test_importing_compiles_and_draws_nothing():
    code = (
        "import sys, tiltless; dir(tiltless); "
        "print([name for name in ('numpy', 'numba', 'matplotlib') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
