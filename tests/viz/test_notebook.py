"""Pictures in notebooks, without IPython: a stand-in for its formatter asks for them."""

import subprocess
import sys
from importlib import import_module
from types import SimpleNamespace

import pytest

import tiltless
from tiltless.viz.notebook import PICTURES, show_pictures

PNG = b"\x89PNG\r\n\x1a\n"


class Formatter:
    """Like IPython's: knows functions by the module and name of a class, and its bases."""

    def __init__(self):
        self.known = {}

    def for_type_by_name(self, module, name, function):
        self.known[module, name] = function

    def __call__(self, shown):
        for kind in type(shown).__mro__:
            if (kind.__module__, kind.__qualname__) in self.known:
                return self.known[kind.__module__, kind.__qualname__](shown)
        return None


@pytest.fixture
def formatter():
    formatter = Formatter()
    formatters = {"image/png": formatter}
    shell = SimpleNamespace(display_formatter=SimpleNamespace(formatters=formatters))
    assert show_pictures(shell)
    return formatter


def test_every_name_is_that_of_a_class():
    for module, name in PICTURES:
        assert isinstance(getattr(import_module(module), name), type)


def test_a_range_shows_itself(formatter):
    assert formatter(tiltless.Range("QQ+,AKs")).startswith(PNG)
    assert formatter("QQ+") is None


def test_a_decision_shows_itself(formatter):
    spot = tiltless.Spot("QsJh2h8d3c", oop="QQ+", ip="TT-88", pot=64, stack=128, bets="100%")
    solution = tiltless.solve_spot(spot, until=0, iterations=10)
    assert formatter(solution.at("x")).startswith(PNG)
    assert formatter(solution.at("x").node).startswith(PNG)
    assert formatter(solution.at("x x")) is None  # nobody acts: the text is shown


def test_a_cross_table_shows_itself(formatter, tmp_path):
    plan = tiltless.MatchPlan(("fish", "fold"), deals=4)
    with tiltless.Store(tmp_path / "results.sqlite") as store:
        table = tiltless.play_cross_table(plan, ["fish", "fold", "all-in"], store)
    assert formatter(table).startswith(PNG)


def test_without_a_shell_nothing_happens():
    assert show_pictures() is False


def test_the_import_registers_them_where_ipython_runs():
    """And draws or compiles nothing for it."""
    code = """
import sys, types
known = []
formatter = types.SimpleNamespace(for_type_by_name=lambda *names: known.append(names[1]))
display = types.SimpleNamespace(formatters={"image/png": formatter})
shell = types.SimpleNamespace(display_formatter=display)
sys.modules["IPython"] = types.SimpleNamespace(get_ipython=lambda: shell)
import tiltless
print(sorted(known), "numba" in sys.modules, "matplotlib" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['CrossTable', 'Node', 'Range', 'SolvedNode'] False False"
