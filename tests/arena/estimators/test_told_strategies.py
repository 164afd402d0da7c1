"""AIVAT is told what was played: policies after a hand are those that were drawn from in it.

A correction has a mean of 0 only under the strategy that was drawn from. Where a clock decides
whether a street is searched, and for how long, nothing but memory can tell it afterwards. Every
decision is compared to the last bit.
"""

import pytest

from helpers.clock import Ticks
from helpers.small_six import random_model
from helpers.told import Anyhow, compare
from helpers.toy_river_of_blood import save_toy
from tiltless.agents.registry import make_agent
from tiltless.agents.six import search as six_search
from tiltless.games.registry import load

LATE = "no time to search"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("told")
    save_toy(folder / "blood.safetensors")
    save_toy(folder / "station.safetensors", unvisited=0.15, seed=2)
    random_model().compact().save(folder / "six.safetensors")
    return folder


def searching(text, step):
    """An agent whose clock goes on by the same step whenever it looks."""
    agent = make_agent(text)
    agent.now = Ticks(step)
    return agent


def check(game, agents, deals, *, least, late=LATE, **given):
    """No difference, with at least so many decisions that were searched, and that were late."""
    sources, differ = compare(game, agents, deals, **given)
    assert differ == []
    assert sources["search"] >= least
    assert sum(count for source, count in sources.items() if source.endswith(late)) >= least
    return sources


@pytest.mark.parametrize(
    ("opponent", "share", "deals"),
    [
        ("anyhow", 0.5, 8),
        ("station", 0.4, 8),
        pytest.param("anyhow", 0.5, 150, marks=pytest.mark.slow),
        pytest.param("station", 0.15, 150, marks=pytest.mark.slow),
    ],
)
def test_river_of_blood_with_a_clock_that_runs_out(folder, opponent, share, deals):
    """Against bets that its tree lacks, and against equity play, which tells its strategy too."""
    text = f"river-of-blood:file={folder / 'blood.safetensors'},iterations=4"
    toy = searching(f"{text},total={share * deals},hands={2 * deals}", 0.01)
    station = f"calling-station:file={folder / 'station.safetensors'}"
    other = Anyhow() if opponent == "anyhow" else make_agent(station)
    sources = check(load("river-of-blood"), [toy, other], deals, least=deals / 6)
    assert opponent == "anyhow" or sources["equity"] >= deals / 2


@pytest.mark.parametrize("deals", [4, pytest.param(60, marks=pytest.mark.slow)])
def test_search_with_a_match_clock(deals):
    """Turns and rivers, solved again after bets that their trees lack."""
    text = f"search:total={0.75 * deals},hands={2 * deals},iterations=4,turn=75%+a/a"
    check(load("nlhe"), [searching(text, 0.01), Anyhow()], deals, least=deals / 4)


@pytest.mark.parametrize("deals", [2, pytest.param(30, marks=pytest.mark.slow)])
def test_search_with_a_dealer_s_clock(deals):
    """Of two agents that search, each has its own memory."""
    agents = [searching(f"search:iterations={count},turn=75%+a/a", 0.01) for count in (4, 6)]
    check(load("nlhe"), agents, deals, least=1, clock=0.2)


@pytest.mark.parametrize("clock", [None, 0.3], ids=["match-clock", "dealer-s-clock"])
@pytest.mark.parametrize("deals", [3, pytest.param(25, marks=pytest.mark.slow)])
def test_search_at_a_table_of_four(folder, monkeypatch, deals, clock):
    """Two that search and two that do not. The dealer's clock has time for rivers only."""
    monkeypatch.setattr(six_search, "warm_up", lambda *_: None)
    text = f"six:file={folder / 'six.safetensors'},search"
    text += "" if clock else f",total={2 * deals},hands={4 * deals}"
    agents = [searching(text, 0.1 if clock is None else 0.02) for _ in range(2)]
    game = load("nlhe", seats=4, stack="60bb")
    table = [agents[0], Anyhow(), agents[1], Anyhow()]
    sources, differ = compare(game, table, deals, clock=clock)
    assert differ == []
    assert sources["search"] >= deals / 2
    assert sum(agent.counts["late"] for agent in agents) >= deals
