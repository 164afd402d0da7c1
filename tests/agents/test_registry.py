"""Agents by text: options in the type of their defaults, and mistakes in one line."""

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tiltless.agents import registry
from tiltless.agents.agent import Agent, Decision, check_or_call
from tiltless.agents.registry import make_agent, register, registered
from tiltless.agents.simple import Caller
from tiltless.errors import OptionError


class Example(Agent):
    def __init__(self, rollouts=10, share=0.5, pot_odds=False, file="a", *, must="x"):
        self.given = (rollouts, share, pot_odds, file, must)

    def act(self, view, clock, rng):
        return Decision(check_or_call(view.actions))


def needy(path):
    return Example(file=path)


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch):
    monkeypatch.setattr(registry, "_AGENTS", dict(registry._AGENTS))
    register("example", Example, "an example")
    register("needy", needy, "needs a path")


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("example", (10, 0.5, False, "a", "x")),
        (" example:rollouts=3 ", (3, 0.5, False, "a", "x")),
        ("example:pot-odds", (10, 0.5, True, "a", "x")),
        ("example:pot_odds=no,share=1", (10, 1.0, False, "a", "x")),
        ("example:file=b=c:d,must=y", (10, 0.5, False, "b=c:d", "y")),
        ("example:", (10, 0.5, False, "a", "x")),
    ],
)
def test_options(text, given):
    made = make_agent(text)
    assert made.given == given
    assert list(map(type, made.given)) == [int, float, bool, str, str]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("exampel", "did you mean 'example'"),
        ("", "no agent is called ''"),
        ("example:depth=3", "has no option 'depth'; it has: rollouts, share, pot-odds, file, must"),
        ("example:rollouts=many", "write a whole number"),
        ("example:rollouts=1.5", "write a whole number"),
        ("example:share=half", "write a number"),
        ("example:rollouts", "needs a value"),
        ("example:pot-odds=maybe", "write yes or no"),
        ("example:rollouts=1,rollouts=2", "twice"),
        ("needy", "needs path"),
        ("fish:x=1", "it has: none"),
    ],
)
def test_mistakes(text, said):
    with pytest.raises(OptionError) as caught:
        make_agent(text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_register():
    assert isinstance(make_agent("fish"), Caller)
    with pytest.raises(OptionError, match="fish"):
        register("fish", Caller, "again")
    for name in ("", "a b", "a:b", "a=b", "a|b", "a,b"):
        with pytest.raises(OptionError, match=re.escape(repr(name))):
            register(name, Caller, "badly named")
    assert [entry.name for entry in registered()][-2:] == ["example", "needy"]


def test_every_line_of_the_table_can_be_imported_and_explained():
    names = [entry.name for entry in registered()]
    assert len(set(names)) == len(names)
    for entry in registered():
        if entry.needs:
            continue
        assert callable(entry.make), entry.name
        assert entry.about, entry.name
        assert isinstance(entry.options, dict)


BOTS = """
from tiltless.agents import Agent, Decision
from tiltless.agents.agent import check_or_call

class Station(Agent):
    def __init__(self, patience: int = 3, **more):
        self.patience = patience

    def act(self, view, clock, rng):
        return Decision(check_or_call(view.actions))

def station():
    return Station(7)

nothing = 3

class Nobody:
    pass
"""


@pytest.fixture
def own_bots(tmp_path, monkeypatch):
    (tmp_path / "own_bots.py").write_text(BOTS)
    (tmp_path / "ruled.py").write_text(BOTS)  # its name is close to that of an agent
    (tmp_path / "torn_bots.py").write_text("raise RuntimeError('torn\\nin two')\n")
    (tmp_path / "script.py").write_text("raise SystemExit(3)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    for name in ("own_bots", "ruled", "torn_bots"):
        sys.modules.pop(name, None)


def test_own_agents_by_module_and_class(own_bots):
    for text, patience in (
        ("own_bots:Station", 3),
        ("own_bots:Station:patience=5", 5),
        ("own_bots:station", 7),
        ("ruled:Station", 3),
    ):
        made = make_agent(text, trusted=True)
        assert isinstance(made, Agent)
        assert made.patience == patience
    assert isinstance(make_agent("tiltless.agents.simple:Caller", trusted=True), Caller)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("own_bots:Stat", "has no attribute 'Stat'"),
        ("no_bots:Station", "No module named 'no_bots'"),
        ("torn_bots:Station", "RuntimeError: torn"),
        ("script:Station", "SystemExit: 3; write module:Class"),
        ("own_bots:nothing", "name a class"),
        ("own_bots:Nobody", "must extend tiltless.agents.Agent"),
        ("own_bots:Station:depth=1", "has no option 'depth'; it has: patience"),
        ("own_bots:Station:patience=x", "write a whole number"),
        ("monte-carol:rollouts=3", "did you mean 'monte-carlo'"),
        ("blueprnt:argmax", "did you mean 'blueprint'"),
        ("own_bots:", "no agent is called 'own_bots'"),
        ("own_bots", "module:Class"),
    ],
)
def test_mistakes_with_own_agents(own_bots, text, said):
    with pytest.raises(OptionError) as caught:
        make_agent(text, trusted=True)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_own_agents_play_on_the_command_line_and_in_workers(own_bots):
    program = "from tiltless.cli.app import main; main()"
    words = ("match", "own_bots:Station:patience=9", "fish", "--hands=400", "--processes=2")
    said = subprocess.run(
        [sys.executable, "-c", program, *words, f"--db={own_bots / 'results.db'}"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert said.returncode == 0, said.stderr
    assert "Exactly even" in said.stdout


def test_what_is_not_installed_is_said_and_hides_nobody_else():
    """A plain install: PyPokerEngine cannot be imported."""
    program = inspect.cleandoc(
        """
        import sys
        sys.modules["pypokerengine"] = None
        from tiltless.cli.app import main
        for options in ([], ["--json"]):
            sys.argv = ["tiltless", "agents", *options]
            try:
                main()
            except SystemExit as left:
                assert not left.code
            print("AND")
        """
    )
    said = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    )
    assert said.returncode == 0, said.stderr
    for text in said.stdout.split("AND\n")[:2]:
        assert "tiltless[interop]" in text
        assert "blueprint" in text
        assert "fold-threshold" in text


@pytest.mark.parametrize(
    "text",
    [
        "os:system:command=false",
        "own_bots:Station",
        " torn_bots:Station",
        "ruled:Station",
        "pypokerengine:class=torn_bots:Station",
        "pypokerengine",
    ],
)
def test_text_that_is_not_trusted_imports_nothing(own_bots, text):
    before = set(sys.modules)
    with pytest.raises(OptionError, match="yourself") as caught:
        make_agent(text)
    assert "\n" not in str(caught.value)
    assert not {"own_bots", "torn_bots", "ruled"} & (set(sys.modules) - before)


def test_typing_errors_are_hinted_at_without_trust():
    with pytest.raises(OptionError, match="did you mean 'blueprint'"):
        make_agent("blueprnt:argmax")


def test_every_agent_and_option_is_in_the_documentation():
    page = (Path(__file__).parents[2] / "docs" / "arena.md").read_text()
    lines = [line for line in page.splitlines() if line.startswith("| `")]
    for entry in registered():
        if entry.name in ("example", "needy") or entry.name.startswith(("test-", "cfr-test")):
            continue
        found = [line for line in lines if f"`{entry.name}`" in line.split("|")[1]]
        assert len(found) == 1, entry.name
        for option in () if entry.needs else entry.options:
            word = option.rstrip("_").replace("_", "-")
            assert re.search(rf"[`,]{word}[`=,]", found[0]), (entry.name, word)
