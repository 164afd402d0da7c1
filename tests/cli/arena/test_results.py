"""``tiltless results`` as a user runs it."""

import json

import pytest
from typer.testing import CliRunner

from tiltless.agents import registry
from tiltless.agents.simple import AllIn, Caller
from tiltless.arena.plan import MatchPlan
from tiltless.arena.store import Store
from tiltless.cli.app import app
from tiltless.errors import FileError, OptionError, WriteError
from tiltless.intervals import tally


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made)
        for words in (
            ("fish", "uniform", "--hands", "60", "--seed", "1"),
            ("fold", "all-in", "--hands", "80"),
            ("fish", "fish", "uniform", "--hands", "60", "--no-hands"),
            ("all-in", "uniform", "--hands", "80", "--seed", "1"),
        ):
            assert CliRunner().invoke(app, ["match", *words]).exit_code == 0
    return made


@pytest.fixture(autouse=True)
def _in_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)


def run(*arguments):
    words = ["results", *map(str, arguments)]
    return CliRunner().invoke(app, words, env={"COLUMNS": "120"})


def output(*arguments):
    done = run(*arguments)
    assert done.exit_code == 0, (done.output, done.exception)
    return done.stdout


def refused(*arguments, error=OptionError):
    done = run(*arguments)
    assert isinstance(done.exception, error), (done.output, done.exception)
    return str(done.exception)


def test_list():
    for text in (output(), output("list")):
        assert "fish against uniform" in text
        assert "-750.0 ± 0.0" in text
    assert "-75.0 ± 0.0" in output("--unit", "bb/100")


def test_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "play a match first" in refused(error=FileError)
    assert not list(tmp_path.iterdir())


def test_show():
    assert "fold loses" in output("show", 2)
    facts = json.loads(output("show", 2, "--json"))
    assert facts["agents"][0]["mean"] == -750
    assert facts["agents"][0]["vpip"] == 0
    assert "no match 7; it has 1 to 4" in refused("show", 7)


def test_compare():
    text = output("compare", 2, 2)
    assert "difference: +0.0 ± 0.0" in text
    text = output("compare", 1, 2)
    assert "fish against uniform" in text
    assert "fold against all-in" in text
    assert "independent matches" in text
    text = output("compare", 3, 2, "--unit", "sb/h")
    assert "may be too wide or too narrow" in text


def test_compare_deal_by_deal():
    text = output("compare", 1, 4, "--unit", "chips/h")
    assert "deal by deal, 30 deals that both have" in text
    with Store("tiltless-results.sqlite") as store:
        won = []
        for match in (1, 4):
            by_deal = [0.0] * 40
            for row in store.hands(match):
                by_deal[row.deal] += row.payoffs[0] / 2
            won.append(by_deal[:30])
    expected = tally(one - other for one, other in zip(*won, strict=True)).interval
    assert f"difference: {expected} chips/h" in text


def test_remove_and_what_cannot_be_read(tmp_path):
    path = tmp_path / "own.sqlite"
    with Store(path) as store:
        for _ in range(2):
            store.begin(MatchPlan(("fish", "uniform"), 10))
        store._db.execute("UPDATE matches SET plan = '{}' WHERE number = 1")
    text = output("list", "--db", path)
    assert "fish against uniform" in text
    assert "match 1 cannot be read" in text
    assert "results remove 1" in text
    assert "removed: match 1" in output("remove", 1, "--db", path)
    assert "cannot be read" not in output("list", "--db", path)
    assert "no match 1" in refused("remove", 1, "--db", path)


def test_plot(tmp_path):
    path = tmp_path / "x.png"
    assert f"written: {path}" in output("plot", 1, "--out", path).replace("\n", "")
    assert path.read_bytes()[:4] == b"\x89PNG"


def test_export(tmp_path):
    path = tmp_path / "x.csv"
    assert "60 hands" in output("export", 1, path)
    assert len(path.read_text().splitlines()) == 61
    assert "--no-hands" in refused("export", 3, path)


def test_replay():
    text = output("replay", 1, 7, 1)
    assert text.startswith("HAND:7:nlhe:1:200|200:")
    assert "the same as" in text
    assert "seat 0: uniform" in text
    assert "not stored" in output("replay", 3, 7)
    assert "variant = 'NT'" in output("replay", 1, 7, "--phh")
    assert "30/0" in refused("replay", 1, 30)


def test_a_replay_that_differs_says_so(monkeypatch):
    changed = {**registry._AGENTS}
    changed["fish"] = registry.AgentEntry("fish", AllIn, "another one")
    assert changed["fish"].maker is not Caller
    monkeypatch.setattr(registry, "_AGENTS", changed)
    done = run("replay", 1, 7, 1)
    assert done.exit_code == 1
    assert "not the same" in done.stdout


def foreign(path, *agents):
    """A file of results by somebody else, whose plan names these agents."""
    with Store(path) as store:
        plan = MatchPlan(agents, 10)
        store.begin(plan)
    return path


def test_a_foreign_file_runs_no_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bomb.py").write_text(
        "open('ran', 'w').close()\nfrom tiltless.agents.simple import Caller\n"
    )
    for number, text in enumerate(
        ("os:system:command=touch ran", "bomb:Caller", "pypokerengine:class=bomb:Caller")
    ):
        path = foreign(tmp_path / f"{number}.sqlite", text, "fish")
        said = refused("replay", 1, 0, "--db", path)
        assert f"--agent {text}" in said
        assert "fish" not in said
        assert text in output("show", 1, "--db", path)
        assert text in output("list", "--db", path)
        assert not (tmp_path / "ran").exists()
    refused("replay", 1, 0, "--db", tmp_path / "1.sqlite", "--agent", "bomb:Other")
    assert not (tmp_path / "ran").exists()


def test_own_agents_are_replayed_when_they_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["match", "tiltless.agents.simple:Caller", "uniform", "--hands", "20"]
    assert CliRunner().invoke(app, words).exit_code == 0
    refused("replay", 1, 3)
    text = output("replay", 1, 3, "--agent", "tiltless.agents.simple:Caller")
    assert "the same as" in text


def test_options_before_the_command_are_refused_and_not_ignored():
    for option in (("--unit", "bb/100"), ("--db", "other.sqlite")):
        done = run(*option, "show", 1)
        assert isinstance(done.exception, OptionError)
        assert "belong after show" in str(done.exception)


def test_a_folder_that_does_not_exist_is_named():
    with pytest.raises(WriteError, match="there is no folder /no/such"):
        Store("/no/such/results.sqlite")
