"""Tables of more than two: lineups, rotation, games with carried stacks, results by position."""

import json
import sqlite3

import pytest

from tiltless.arena.chunk import play_chunk, replay
from tiltless.arena.cross_table import pair_plans, play_cross_table
from tiltless.arena.lineup import copies, lineup_tables, table_title
from tiltless.arena.match import play_match, play_stored
from tiltless.arena.match_options import MatchOptions, match_plans
from tiltless.arena.plan import MatchPlan, plan_match
from tiltless.arena.record_text import record_facts, record_lines, record_verdict, shown_scores
from tiltless.arena.store import Store
from tiltless.errors import OptionError
from tiltless.games.holdem.positions import position_names, seat_position
from tiltless.match import main
from tiltless.viz.report import html_report


@pytest.mark.parametrize(
    ("agents", "seats", "lineup", "tables"),
    [
        ("ab", None, "", ["ab"]),
        ("ab", 2, "", ["ab"]),
        ("ab", 6, "", ["abbbbb", "baaaaa"]),
        ("ab", 3, "both", ["abb", "baa"]),
        ("ab", None, "one-against-five", ["abbbbb"]),
        ("ab", 4, "rest-against-one", ["baaa"]),
        ("ab", 4, "three-against-one", ["baaa"]),
        ("abc", None, "", ["abc"]),
        ("abcabc", 6, "", ["abcabc"]),
    ],
)
def test_lineups(agents, seats, lineup, tables):
    assert lineup_tables(tuple(agents), seats, lineup) == [tuple(table) for table in tables]


@pytest.mark.parametrize(
    ("agents", "seats", "lineup", "said"),
    [
        ("ab", 6, "one-against-four", "5 seats, not 6"),
        ("abc", 6, "", "3 agents do not fill 6 seats"),
        ("abc", None, "both", "two agents, not 3"),
        ("ab", 11, "", "2 to 10"),
        ("ab", 6, "everybody", "one-against-rest"),
    ],
)
def test_lineups_that_are_none(agents, seats, lineup, said):
    with pytest.raises(OptionError, match=said):
        lineup_tables(tuple(agents), seats, lineup)


def test_titles():
    assert [table_title(tuple(each)) for each in ("ab", "abbb", "abcb", "aaa")] == [
        "a against b",
        "a against 3 x b",
        "table of a, b, c, b",
        "a against 2 x a",
    ]
    assert [copies(each) for each in ("ab", "abbb", "abcb")] == [0, 3, 0]


def test_positions():
    assert position_names(2) == ("BTN", "BB")
    assert position_names(6) == ("BTN", "SB", "BB", "UTG", "HJ", "CO")
    for seats in range(2, 11):
        names = position_names(seats)
        assert len(set(names)) == len(names) == seats
        assert seats < 4 or names[-1] == "CO"
    assert [seat_position(seat, 4, 6) for seat in range(6)] == [
        "BB",
        "UTG",
        "HJ",
        "CO",
        "BTN",
        "SB",
    ]


@pytest.mark.parametrize("agent", ["uniform", "random", "rules:rollouts=20"])
@pytest.mark.parametrize("seats", [3, 6])
def test_the_control_in_rotation_is_exactly_nothing(agent, seats):
    """One among copies of itself has every hand of a deal once, and they sum to nothing."""
    scores = play_match(agent, agent, seats=seats, hands=20 * seats)
    assert [score.won.squares for score in scores] == [0] * seats


def test_one_against_five_by_hand():
    """Who folds pays one blind and a half in six hands to those who go all-in."""
    scores = play_match("fold", "all-in", seats=6, hands=600)
    assert (scores.mean, scores.interval.half_width) == (-250, 0)
    assert play_match("all-in", "fold", seats=6, hands=600).mean == pytest.approx(
        (4 * 1500 + 1000 + 500) / 6  # in a blind it wins the other
    )


def test_where_it_was_won():
    """Blinds are lost in the blinds."""
    plan = plan_match("fold", "all-in", seats=6, hands=600)
    score = play_chunk(plan, 0, plan.make_agents()).scores[0]
    won = {name: each.won.mean for name, each in score.positions}
    assert won == {"BTN": 0, "SB": -1, "BB": -2, "UTG": 0, "HJ": 0, "CO": 0}
    assert {each.won.count for _, each in score.positions} == {100}
    whole = sum(each.won.total for _, each in score.positions)
    assert whole == score.won.total
    assert sum(each.stats.hands for _, each in score.positions) == score.stats.hands == 600


def test_copies_are_shown_together(tmp_path):
    plan = plan_match("uniform", "random", seats=4, hands=200, seed=3)
    with Store(tmp_path / "r.sqlite") as store:
        record = play_stored(plan, store)
        (one, alone), (others, together) = shown_scores(record)
        assert (one, others) == ("uniform", "3 x random")
        assert alone.mean == pytest.approx(-3 * together.mean)
        assert alone.interval().half_width == pytest.approx(3 * together.interval().half_width)
        for (name, each), (_, merged) in zip(alone.positions, together.positions, strict=True):
            hands = [s.positions for s in record.scores[1:]]
            assert merged.won.count == each.won.count == 50
            means = [dict(positions)[name].won.mean for positions in hands]
            assert merged.won.mean == pytest.approx(sum(means) / 3)
        assert "uniform" in record_verdict(record, "mbb/h") or "close" in record_verdict(
            record, "mbb/h"
        )
        text = "\n".join(record_lines(record, "mbb/h"))
        assert "3 x random" in text
        assert "BTN" in text
        facts = json.loads(json.dumps(record_facts(record, "mbb/h")))
        assert set(facts["agents"][0]["positions"]) == {"BTN", "SB", "BB", "CO"}


def test_hands_of_copies_count_each_where_every_deal_is_one_hand(tmp_path):
    plan = MatchPlan(("uniform", *["random"] * 3), 100, seed=3, mirrored=False)
    with Store(tmp_path / "r.sqlite") as store:
        _, (_, together) = shown_scores(play_stored(plan, store))
    for name, position in together.positions:
        assert position.won.count == position.stats.hands == 75, name


def test_positions_are_kept_and_resumed(tmp_path):
    path, whole = tmp_path / "r.sqlite", MatchPlan(("uniform", "fish", "fold"), 40, chunk=10)
    with Store(path) as store:
        play_stored(whole.with_deals(25), store)
        record = play_stored(whole, store, resume=True)
        assert record.number == 1
        again = play_match(whole)
        for kept, played in zip(record.scores, again, strict=True):
            assert (kept.won, kept.stats, kept.positions) == (
                played.won,
                played.stats,
                played.positions,
            )
        store.remove(1)
        assert not store._db.rows("SELECT * FROM positions")


def test_files_of_two_players_stay_as_they_were(tmp_path):
    path = tmp_path / "r.sqlite"
    with Store(path) as store:
        record = play_stored(MatchPlan(("uniform", "fish"), 20), store)
        assert record.scores[0].positions == ()
    with sqlite3.connect(path) as db:
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
        (plan,) = db.execute("SELECT plan FROM matches").fetchone()
    assert "positions" not in tables
    assert "game_hands" not in plan


GAMES = MatchPlan(
    ("all-in", "fish", "uniform", "random"), 60, seed=5, carry=True, game_hands=20, chunk=20
)


def games(plan):
    """The hands of each game, by (game, rotation)."""
    found = {}
    for number in range(plan.chunks):
        for row in play_chunk(plan, number, plan.make_agents()).hands:
            found.setdefault((row.deal // plan.game_hands, row.half), []).append(row)
    return found


@pytest.mark.parametrize("mirrored", [True, False])
def test_games_with_carried_stacks(mirrored):
    plan = MatchPlan(
        GAMES.agents, 60, seed=5, mirrored=mirrored, carry=True, game_hands=20, chunk=20
    )
    played = games(plan)
    assert set(played) == {(game, half) for game in range(3) for half in range(plan.seatings)}
    ended = out = 0
    for (game, half), hands in played.items():
        stacks = [200] * 4
        chairs = [plan.agent_in(seat, half) for seat in range(4)]
        button = game % 4
        for row in hands:
            left = tuple(agent for agent in chairs if stacks[agent])
            assert row.agents == left
            while not stacks[chairs[button % 4]]:
                button += 1
            assert row.agents[row.button] == chairs[button % 4]
            button += 1
            assert sum(row.payoffs) == 0
            stacks = [stack + won for stack, won in zip(stacks, row.payoffs, strict=True)]
            assert min(stacks) >= 0
        out += stacks.count(0)
        if len(hands) < 20:
            ended += 1
            assert sorted(stacks) == [0, 0, 0, 800]
    assert out
    assert ended


def test_games_are_units_and_hands_are_counted_as_played(tmp_path):
    hands = sum(map(len, games(GAMES).values()))
    assert hands < GAMES.hands
    with Store(tmp_path / "r.sqlite") as store:
        record = play_stored(GAMES, store)
        assert record.hands == record.scores[0].hands == hands
        assert (record.scores[0].won.count, GAMES.unit) == (3, "game")
        row = list(store.hands(1))[-1]
    assert replay(GAMES, row.deal, row.half) == row
    late = next(row for rows in games(GAMES).values() if len(rows) < 20 for row in rows[-1:])
    with pytest.raises(OptionError, match="over"):
        replay(GAMES, late.deal + 1, late.half)
    assert MatchPlan.from_json(GAMES.to_json()) == GAMES
    with pytest.raises(OptionError, match="multiple of 20"):
        MatchPlan(GAMES.agents, 50, carry=True, game_hands=20, chunk=20)
    with pytest.raises(OptionError, match="carry"):
        MatchPlan(GAMES.agents, 60, game_hands=20)


def test_plans_of_a_command():
    one, other = match_plans(["fish", "fold", "stack=50bb"], MatchOptions(hands=100), seats=6)
    assert one.agents == ("fish", *["fold"] * 5)
    assert other.agents == ("fold", *["fish"] * 5)
    assert one.deals == 17
    options = MatchOptions(hands=95, mirrored=False, game_hands=10)
    (crowd,) = match_plans(["a", "b", "c", "seats=3"], options)
    assert (crowd.deals, crowd.carry, crowd.chunk, crowd.game_hands) == (100, True, 100, 10)
    with pytest.raises(OptionError, match="differ"):
        match_plans(["fish", "fold", "seats=3"], MatchOptions(), seats=6)
    with pytest.raises(OptionError, match="2 seats"):
        match_plans(["search", "fish"], MatchOptions(), seats=6)[0].make_agents()


def test_cross_table_of_three_seats(tmp_path):
    """One all-in against two who fold wins both blinds; a folder among them pays its own."""
    model = MatchPlan(("fold", "all-in", "all-in"), 30, seed=2)
    agents = ("fold", "all-in", "fish")
    assert len(pair_plans(model, agents)) == 6
    with Store(tmp_path / "r.sqlite") as store:
        table = play_cross_table(model, agents, store)
    assert table.seats == 3
    assert table.cell(1, 0).mean == pytest.approx((1500 + 1000 + 500) / 3)
    assert table.cell(0, 1).mean == pytest.approx(-500)
    assert table.cell(0, 1).mean != -table.cell(1, 0).mean
    assert table.cell(1, 2).mean == table.cell(2, 1).mean == 0
    seen = {match.plan.seed for match in table.matches.values()}
    assert len(seen) == 6
    best = table.sorted()
    for row, agent in enumerate(best.agents):
        for column, other in enumerate(best.agents):
            old = agents.index(agent), agents.index(other)
            assert best.cell(row, column) == table.cell(*old)
    assert table.score(0).stats.hands == 2 * 90 + 2 * 2 * 90
    page = html_report(table, title="three", picture=b"")
    assert "By position" in page
    assert "one of the row against 2 of the column" in page


@pytest.mark.parametrize("arguments", [["--seats", "4"], ["--lineup", "one-against-three"]])
def test_without_the_terminal(arguments, tmp_path, capsys):
    """``python -m tiltless.match`` plays the same matches, with JSON for one or for both."""
    db, both = tmp_path / "r.sqlite", "--seats" in arguments
    options = ["--hands", "80", "--seed", "3", "--json", "--db", str(db)]
    assert main(["uniform", "random", *arguments, *options]) == 0
    facts = json.loads(capsys.readouterr().out)
    matches = facts["matches"] if both else [facts]
    assert [each["agents"][0]["agent"] for each in matches] == ["uniform", "random"][: 1 + both]
    played = play_match("uniform", "random", seats=4, hands=80, seed=3)
    assert matches[0]["agents"][0]["mean"] == played.mean
    assert main(["uniform", "random", *arguments, *options, "--resume", "--hands", "120"]) == 0
    with Store(db) as store:
        assert [record.hands for record in store.records()] == [120] * len(matches)


def test_processes_do_not_matter(two_processes):
    plan = MatchPlan(GAMES.agents, 60, seed=5, carry=True, game_hands=20, chunk=20)
    one, two = (play_match(plan, processes=where) for where in (1, two_processes))
    assert [(each.won, each.positions) for each in one] == [
        (each.won, each.positions) for each in two
    ]
