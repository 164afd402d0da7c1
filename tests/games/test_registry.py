import subprocess
import sys

import pytest

from tiltless.errors import FingerprintError, OptionError
from tiltless.games import GameEntry, Parameter, load, register, registered, registry
from tiltless.games.kuhn import Kuhn


@pytest.fixture
def scratch(monkeypatch):
    """A registry that forgets what a test adds."""
    monkeypatch.setattr(registry, "_entries", dict(registry._entries))


def entry(name):
    return next(entry for entry in registered() if entry.name == name)


def test_load_makes_the_game_with_its_parameters():
    assert load("kuhn") == Kuhn()
    assert load("kuhn", players=3) == Kuhn(3)
    assert load("leduc", players=3).players == 3


def test_names_are_unique_and_entries_describe_themselves():
    names = [entry.name for entry in registered()]
    assert {"rps", "matrix", "bargaining", "kuhn", "leduc"} <= set(names)
    assert len(set(names)) == len(names)
    for each in registered():
        assert each.description
        assert "\n" not in each.description
        assert each.version >= 1
        assert load(each.name, **each.examples[0]).name == each.name


def test_parameters_come_with_their_defaults():
    assert entry("kuhn").parameters == (Parameter("players", 2, False),)
    assert entry("rps").parameters == ()
    assert entry("matrix").parameters[0] == Parameter("row", None, True)
    defaults = {each.name: each.default for each in entry("leduc").parameters}
    assert defaults["raise_sizes"] == (2, 4)


@pytest.mark.parametrize(
    ("name", "meant"), [("ledoc", "leduc"), ("Kuhn", "kuhn"), ("leduc_poker", "leduc")]
)
def test_unknown_game_names_the_nearest(name, meant):
    with pytest.raises(OptionError, match=f"{name}.*'{meant}'"):
        load(name)


def test_unknown_game_lists_what_there_is():
    with pytest.raises(OptionError, match=r"'zzz'.*kuhn, leduc"):
        load("zzz")


def test_unknown_parameter_names_the_nearest():
    with pytest.raises(OptionError, match=r"leduc.*'player'.*'players'"):
        load("leduc", player=3)
    with pytest.raises(OptionError, match=r"'players'.*none"):
        load("rps", players=2)


def test_missing_parameter():
    with pytest.raises(OptionError, match=r"row=\.\.\."):
        load("matrix")


@pytest.mark.parametrize("players", [1, 0, -3, 99, 2.5, "2", None, True])
@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_invalid_parameter(name, players):
    with pytest.raises(OptionError, match=r"^players="):
        load(name, players=players)


def test_other_versions_are_refused():
    assert load("kuhn", version=load("kuhn").version) == load("kuhn")
    with pytest.raises(FingerprintError, match=r"kuhn.*version 1.*7"):
        load("kuhn", version=7)


def test_register_adds_a_game(scratch):
    register(GameEntry("kuhn-for-three", lambda: Kuhn(3), "Kuhn poker for three"))
    assert load("kuhn-for-three") == Kuhn(3)
    with pytest.raises(OptionError, match="'kuhn-for-three'"):
        register(GameEntry("kuhn-for-three", Kuhn, "again"))


def test_kuhn_does_not_import_other_rules():
    program = (
        "import sys; from tiltless.games import load; load('kuhn'); "
        "print(sorted(m for m in sys.modules if m.startswith('tiltless.games.')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    expected = ["common", "game", "kuhn", "registry"]
    assert done.stdout.strip() == str([f"tiltless.games.{name}" for name in expected])
