"""Compiled matches of Permutation Hold'em, and the report's bots."""

import pytest

from tiltless.agents import make_agent
from tiltless.agents.permutation.beliefs import Known, Posterior
from tiltless.arena.match import play_match
from tiltless.arena.plan import plan_match
from tiltless.blueprint.training.config import read_config
from tiltless.cards.card import RANKS, parse_cards
from tiltless.errors import OptionError
from tiltless.experiments.permutation import agents
from tiltless.experiments.permutation.agents import ChainBeliefs
from tiltless.experiments.permutation.play import (
    MatchesResult,
    PermutationTable,
    play_matches,
    play_showdowns,
)


def known(truth):
    return Known(truth)


def borda(truth):
    return Posterior("borda")


def shown(truth):
    return Known(RANKS)


def test_the_report_waits_for_showdowns():
    beliefs = ChainBeliefs(wait=3)
    for count in range(4):
        order = beliefs.belief().order
        assert (order[11] > order[12]) == (count == 3)
        kings, aces = parse_cards("KcKd"), parse_cards("AcAd")
        beliefs.observe(kings, aces, parse_cards("Qc9d7h5s3c"), 1)


@pytest.mark.parametrize("agent", ["aimbot:rollouts=50", "report-inference"])
def test_the_reports_bots_play_whole_matches(agent):
    plan = plan_match(agent, "uniform", hands=100, game="permutation", seed=1, matches=2)
    scores = play_match(plan)
    assert scores[0].hands == 200
    assert not scores[0].faults.rulings
    assert scores.mean > 0


def test_the_reports_blueprint_has_to_be_trained(tmp_path, monkeypatch):
    monkeypatch.setattr(agents, "default_file", lambda: tmp_path / "none.safetensors")
    with pytest.raises(OptionError, match="tiltless train"):
        make_agent("libratus-fan-club")
    config = read_config("libratus-fan-club")
    assert config.information == config.cards == config.bets == "libratus-fan-club"


def test_both_halves_of_a_match_have_one_order():
    plan = plan_match("fish", "fish", hands=10, game="permutation", seed=3, matches=4)
    ranks = [plan.match_game(match).hidden.drawn for match in (0, 1, 0)]
    assert ranks[0] == ranks[2] != ranks[1]
    assert play_match(plan)[0].won.total == 0


@pytest.mark.slow
def test_compiled_matches():
    table = PermutationTable()
    even = play_matches(table, known, known, 5, hands=40, seed=2)
    assert not even.chips.sum(axis=1).any()  # who believes the same acts alike, and pairs cancel
    ahead = play_matches(table, known, shown, 30, hands=60, seed=2)
    behind = play_matches(table, shown, known, 30, hands=60, seed=2)
    assert ahead.mean.low > 0
    assert (ahead.chips == -behind.chips[:, ::-1]).all()
    assert 5 < ahead.showdowns.mean() < 25
    early, late = zip(
        *(play_showdowns(table, borda, known, (0, 80), deals=2048, seed=seed) for seed in range(3)),
        strict=True,
    )
    assert sum(early) < sum(late) - 300
    both = MatchesResult.joined([ahead, behind])
    assert both.mean.mean == 0
    assert both.chips.shape == (60, 2)
