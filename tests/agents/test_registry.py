"""Agents by text: options in the type of their defaults, and mistakes in one line."""

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
    with pytest.raises(OptionError, match="there already"):
        register("fish", Caller, "again")
    for name in ("", "a b", "a:b", "a=b", "a|b", "a,b"):
        with pytest.raises(OptionError, match="no name"):
            register(name, Caller, "badly named")
    assert [entry.name for entry in registered()][-2:] == ["example", "needy"]


def test_every_line_of_the_table_can_be_imported_and_explained():
    names = [entry.name for entry in registered()]
    assert len(set(names)) == len(names)
    for entry in registered():
        assert callable(entry.make), entry.name
        assert entry.about, entry.name
        assert isinstance(entry.options, dict)
