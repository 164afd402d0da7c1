"""Matches as the unit: who wins how many, with agents that remember a whole match."""

import pytest

from tiltless.arena.chunk import play_chunk, replay
from tiltless.arena.cross_table import cross_table
from tiltless.arena.match import play_match, play_stored
from tiltless.arena.match_options import match_size
from tiltless.arena.plan import MatchPlan, deals_for_matches, plan_match
from tiltless.arena.record_text import units_text
from tiltless.arena.stats.matches_won import match_points, matches_won, matches_won_text
from tiltless.arena.stats.score import Score
from tiltless.arena.store import MatchRecord, Store
from tiltless.errors import OptionError
from tiltless.intervals import Tally

TWO = "endgame:agent=uniform", "uniform"


def plan_of(matches=20, hands=10, agents=TWO, **given):
    return MatchPlan(agents, deals_for_matches(matches, hands), seed=5, match_hands=hands, **given)


def test_the_unit_is_both_halves_of_a_match():
    plan = plan_of(matches=7, hands=30)
    assert (plan.deals, plan.hands, plan.matches) == (120, 240, 8)
    assert (plan.unit, plan.deals_per_unit, plan.hands_per_unit) == ("mirrored match", 30, 60)
    assert (plan.chunk, plan.chunks) == (90, 2)  # whole matches, about as many deals as usual
    alone = MatchPlan(TWO, 120, match_hands=30, mirrored=False)
    assert (alone.matches, alone.unit, alone.hands_per_unit) == (4, "match", 30)
    assert MatchPlan.from_json(plan.to_json()) == plan
    assert plan_match(*TWO, hands=30, matches=7).matches == 8


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"carry": True, "chunk": 10}, "fresh stacks"),
        ({"agents": (*TWO, "fish")}, "two"),
        ({"deals": 25}, "25"),
        ({"chunk": 15}, "15"),
    ],
)
def test_what_cannot_be_matches_is_refused(given, named):
    with pytest.raises(OptionError, match=named):
        MatchPlan(**{"agents": TWO, "deals": 20, "match_hands": 10, **given})


def test_options_of_the_command_line():
    assert [match_size("chips", hands, None) for hands in (None, 50)] == [0, 0]
    assert [match_size("match", hands, 3) for hands in (None, 50)] == [1000, 50]
    with pytest.raises(OptionError, match="--score match"):
        match_size("chips", None, 3)
    with pytest.raises(OptionError, match="points"):
        match_size("points", None, None)


def test_points_are_those_of_the_kept_hands():
    plan = plan_of()
    chunks = [play_chunk(plan, number, plan.make_agents()) for number in range(plan.chunks)]
    rows = [row for chunk in chunks for row in chunk.hands]
    assert len(rows) == plan.hands
    wins = [0, 0]
    for match in range(10):
        for half in (0, 1):
            hands = [row for row in rows if (row.deal // 10, row.half) == (match, half)]
            assert [row.button for row in hands] == [0, 1] * 5
            for agent in (0, 1):
                won = sum(row.payoffs[agent] for row in hands)
                wins[agent] += (won > 0) + (won == 0) / 2
    scores = [Score(), Score()]
    for chunk in chunks:
        scores = [one.merge(two) for one, two in zip(scores, chunk.scores, strict=True)]
    shares = [matches_won(plan, score).mean for score in scores]
    assert shares == [pytest.approx(each / 20) for each in wins]
    assert sum(shares) == pytest.approx(1)
    assert scores[0].matches.count == scores[0].won.count == 10


def test_equal_agents_win_one_half_each_exactly():
    result = play_match("uniform", "uniform", hands=10, matches=20, seed=3)
    assert result.matches_won() == (0.5, 0.5, 0.5)


def test_unanimous_results_have_an_interval():
    plan = plan_of()
    score = Score(matches=Tally(30, 120, 480))
    share = matches_won(plan, score)
    assert (share.mean, share.high) == (1, 1)
    assert share.low**30 == pytest.approx(0.025)
    assert matches_won(plan, Score(matches=Tally(30, 0, 0))).high == pytest.approx(1 - share.low)
    assert matches_won_text(share) == f"1.000 ± {1 - share.low:.3f}"


def test_a_cross_table_of_unanimous_results_has_no_narrower_mean():
    names = "fish", "fold"
    scores = tuple(Score(matches=Tally(30, 60 * won, 120 * won)) for won in (2, 0))
    record = MatchRecord(1, plan_of(agents=names), "", 0, scores)
    table = cross_table(names, [record])
    low = 100 * (matches_won(record.plan, scores[0]).low - 0.5)
    assert table.cell(0, 1).mean == 50
    assert table.cell(0, 1).low == pytest.approx(low)
    assert table.standing(0).mean == table.cell(0, 1)


def test_ties_are_half_wins():
    points = match_points({(0, 0): [5, -5], (0, 1): [0, 0], (1, 0): [-2, 2]}, 0)
    assert points == (2, 3, 9)


def test_processes_resuming_and_replaying_change_nothing(tmp_path, two_processes):
    plan = plan_of(matches=16)
    whole = play_match(plan)
    assert play_match(plan, processes=two_processes)[0][:2] == whole[0][:2]
    with Store(tmp_path / "results.sqlite") as store:
        play_stored(plan_of(matches=6), store)
        record = play_stored(plan, store, resume=True)
        assert record.number == 1
        assert record.matches == 16
        assert [score.matches for score in record.scores] == [score.matches for score in whole]
        row = store.hand(1, 57, 1)
        assert replay(plan, 57, 1) == row  # after the earlier hands of its match and half


def test_the_game_of_a_match_is_made_once(monkeypatch):
    asked = []

    def game_of(self, match):
        asked.append(match)
        return self.table

    monkeypatch.setattr(MatchPlan, "match_game", game_of)
    play_match(plan_of(matches=8))
    assert asked == [0, 1, 2, 3]


def test_units_in_the_plural():
    assert units_text(30, "deal") == "30 deals"
    assert units_text(2000, plan_of().unit) == "2,000 mirrored matches"
