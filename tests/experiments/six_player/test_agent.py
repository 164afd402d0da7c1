"""The report's agent at our tables: its path, its choice, translation, rollouts, other tables."""

from random import Random

import numpy as np
import pytest

from helpers.playing import deal, play
from helpers.six_report import made_up_flops, made_up_step, policy_of
from naive.six_player.self_play import NaiveSelfPlay
from tiltless.agents.agent import Clock
from tiltless.agents.registry import make_agent
from tiltless.arena.match import play_match
from tiltless.arena.plan import MatchPlan
from tiltless.errors import DamagedFileError, OptionError
from tiltless.experiments.six_player import agent as agent_module
from tiltless.experiments.six_player.agent import _Path
from tiltless.experiments.six_player.options import ReportOptions
from tiltless.experiments.six_player.policy import hand_class, load_policy
from tiltless.experiments.six_player.training import SelfPlay
from tiltless.files.arrays import write_arrays
from tiltless.games import load
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo

GAME = ReportOptions().game
HANDS = "KsKh 2c3c 4c5c 6c7c 8c9c QdJd"


@pytest.fixture(autouse=True)
def _no_tables(monkeypatch):
    monkeypatch.setattr(agent_module, "_step_of", made_up_step)


def saved(tmp_path, paths, **options):
    policy_of(paths).save(tmp_path / "V2.safetensors")
    text = "".join(f",{name}={value}" for name, value in options.items())
    return make_agent(f"six-report:file={tmp_path}{text}")


def answer(agent, state, seed=1):
    return agent.act(state.view(state.actor), Clock(), Random(seed))


def table(script="", board="", **changes):
    """Button at seat 5: p1 (seat 0) posts the small blind, seat 1 the big one; seat 2 begins."""
    game = load("nlhe", seats=6, **{**GAME, **changes})
    return play(deal(game, HANDS, button=5), script, board)


KINGS = (hand_class((44, 45)) * 6 + 0, "p2 BIGBLIND")  # small blind
FOLDED = (*KINGS, "p3 FOLD", "p4 FOLD", "p5 FOLD", "p6 FOLD")


def test_it_picks_the_largest_regret_of_tried_and_legal_actions(tmp_path):
    actions = {"p1 FOLD": (9, -5.0), "p1 RAISE 250": (2, 40.0), "p1 RAISE 20000": (1, 90.0)}
    agent = saved(tmp_path, {(*FOLDED, name): value for name, value in actions.items()})
    told = answer(agent, table("f f f f"))
    assert (told.action, told.source) == (RaiseTo(250), "policy")
    more = {**actions, "p1 ALL-IN": (3, 41.0)}
    agent = saved(tmp_path, {(*FOLDED, name): value for name, value in more.items()})
    assert answer(agent, table("f f f f")).action == RaiseTo(10_000)
    ties = {"p1 CALL": (2, 7.0), "p1 RAISE 250": (2, 7.0)}
    agent = saved(tmp_path, {(*FOLDED, name): value for name, value in ties.items()})
    taken = {answer(agent, table("f f f f"), seed).action for seed in range(20)}
    assert taken == {CALL, RaiseTo(250)}
    rarer = {"p1 CALL": (2, 7.0), "p1 RAISE 250": (1, 7.0)}
    agent = saved(tmp_path, {FOLDED: (3, 0.0)} | {(*FOLDED, k): v for k, v in rarer.items()})
    assert {answer(agent, table("f f f f"), seed).action for seed in range(20)} == {RaiseTo(250)}


def test_actions_that_were_never_tried_may_come_first(tmp_path):
    paths = {(*FOLDED, "p1 CALL"): (2, 7.0)}
    agent = saved(tmp_path, paths, untried="first")
    taken = {answer(agent, table("f f f f"), seed).action for seed in range(200)}
    sizes = {RaiseTo(100 + quarters * 150 // 4) for quarters in range(3, 9)}
    assert taken == {FOLD, RaiseTo(10_000)} | sizes
    assert {answer(saved(tmp_path, paths), table("f f f f"), s).action for s in range(20)} == {CALL}


def test_others_raises_are_translated_and_own_ones_found_again(tmp_path):
    """Seat 2 raises to 450; the policy has 400 and 500."""
    folds = ("p4 FOLD", "p5 FOLD", "p6 FOLD")
    paths = {
        (*KINGS, "p3 RAISE 400", *folds, "p1 CALL"): (1, 0.0),
        (*KINGS, "p3 RAISE 500", *folds, "p1 RAISE 1500"): (1, 0.0),
        (*KINGS, "p3 ALL-IN", *folds, "p1 FOLD"): (1, 0.0),
    }
    assert answer(saved(tmp_path, paths), table("r450 f f f")).action == CALL
    assert answer(saved(tmp_path, paths, ph="paper"), table("r450 f f f")).action == RaiseTo(1500)
    assert answer(saved(tmp_path, paths), table("r10000 f f f")).action == FOLD
    assert answer(saved(tmp_path, paths), table("r200 f f f")).action == CALL
    # f is 0.006 at 9,000 between 500 and all-in: the report reads 500, where 1,500 was tried
    assert answer(saved(tmp_path, paths), table("r9000 f f f")).source != "policy"
    assert answer(saved(tmp_path, paths, ph="paper"), table("r9000 f f f")).source == "policy"
    small = {"stack": 200, "blinds": (1, 2)}  # the same table in other chips
    assert answer(saved(tmp_path, paths), table("r9 f f f", **small)).action == CALL
    again = ("p1 RAISE 1480", "p2 FOLD", "p3 CALL", "bucket 0", "p1 CALL")
    board = "2h7d9s"
    step = made_up_step(table().hole[0], play(deal(load("nlhe")), "c k", board).board)
    again = tuple(f"bucket {step}" if each == "bucket 0" else each for each in again)
    paths[(*KINGS, "p3 RAISE 400", *folds, *again)] = (1, 0.0)
    agent = saved(tmp_path, paths)
    told = answer(agent, table("r8 f f f r30 f c", board, **small))
    assert (told.action, told.source) == (CHECK, "policy")


def test_rollouts_where_the_policy_has_never_been(tmp_path):
    agent = saved(tmp_path, {(*FOLDED, "p1 CALL"): (1, 0.0)})
    told = answer(agent, table("c c c c"))
    assert told.action == FOLD  # KK wins 42.9 % against five
    assert told.source.startswith("rollouts")
    one = saved(tmp_path, {(*FOLDED, "p1 CALL"): (1, 0.0)}, against="one")
    assert answer(one, table("c c c c")).action == RaiseTo(200)  # and 82.4 % against one
    river = table("f f f f c k k k k k", "KdKcQh2h3d")
    assert answer(agent, river).action == RaiseTo(9_900)


def test_the_path_is_that_of_training():
    """Every decision of self-play is found again, with the visits of the nested dictionaries."""
    options = ReportOptions(empty_seats="closed", hands=12)
    play_self = SelfPlay(options, seed=0, nodes=200_000, buckets=made_up_flops())
    state = play_self.counts.state
    play_self.run(40)
    policy = play_self.policy
    naive = NaiveSelfPlay(options, state, made_up_step)
    met = []
    naive.look = lambda view, node: met.append((view, node))
    naive.play(40)
    seats = set()
    for view, node in met:
        at = _Path(policy, view, "report").node
        assert policy.visits[at] == node.visits
        tried = [record.visits for record in policy.actions(at, 0)]
        own = [child.visits for (who, _), child in node.below.items() if who == "p1"]
        assert sorted(tried) == sorted(own)
        seats.add(view.rules.seats)
    assert seats == {2, 3, 4, 5, 6}
    assert len(met) > 500


def test_it_plays_at_tables_of_two_to_six(tmp_path):
    options = ReportOptions(empty_seats="closed")
    training = SelfPlay(options, seed=1, nodes=500_000, buckets=made_up_flops())
    training.run(2000)
    training.policy.save(tmp_path / "V2.safetensors")
    text = f"six-report:file={tmp_path},rollouts=10"
    for seats in (2, 3, 6):
        plan = MatchPlan((text,) * seats, 20, parameters={"stack": 200}, seed=2)
        scores = play_match(plan)
        assert sum(score.won.total for score in scores) == 0
        assert all(score.faults.rulings == 0 for score in scores)
        assert all(dict(score.sources.counts)["policy"] > 0 for score in scores)
    agent = make_agent(text)
    assert not agent.check_table("nlhe", load("nlhe", seats=6, stack="100bb").rules)
    assert "100" in agent.check_table("nlhe", load("nlhe", seats=6, stack="50bb").rules)
    for game in (load("nlhe", seats=7), load("short-deck"), load("river-of-blood")):
        with pytest.raises(OptionError, match="six-report"):
            agent.check_table(game.name, game.rules)


def test_what_is_wrong_is_said_in_one_line(tmp_path):
    with pytest.raises(OptionError, match="reproduce six-player"):
        make_agent(f"six-report:file={tmp_path}")
    saved(tmp_path, {(*FOLDED, "p1 CALL"): (1, 0.0)})
    for option in ("ph=other", "against=two", "untried=never", "rollouts=0"):
        with pytest.raises(OptionError):
            make_agent(f"six-report:file={tmp_path},{option}")


@pytest.mark.parametrize(
    "change",
    [
        {"first": np.array([1, 2, 2, 9], np.int32)},
        {"first": np.array([1, 1, 2], np.int32)},
        {"first": np.array([2, 1, 3, 3], np.int32)},
        {"token": np.array([0, 1, 2], np.int64)},
        {"visits": np.zeros(2, np.int32)},
    ],
    ids=str,
)
def test_damaged_policies_are_refused(tmp_path, change):
    good = {
        "first": np.array([1, 2, 3, 3], np.int32),
        "token": np.array([0, 1, 2], np.int32),
        "visits": np.zeros(3, np.int32),
        "regret": np.zeros(3, np.float32),
    }
    card = dict.fromkeys(("games", "hands", "decisions", "seed", "state"), "0")
    card["options"] = ReportOptions().to_json()
    path = tmp_path / "V2.safetensors"
    write_arrays(path, good, kind="six-player-policy", metadata=card)
    assert load_policy(path).size == 3
    write_arrays(path, good | change, kind="six-player-policy", metadata=card)
    with pytest.raises(DamagedFileError):
        load_policy(path)
    write_arrays(path, good, kind="six-player-policy", metadata=card | {"options": '{"pot": 1}'})
    with pytest.raises(DamagedFileError):
        load_policy(path)
