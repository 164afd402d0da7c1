"""Mistakes at the door: one line that says what was given and what to do; results show briefly."""

from dataclasses import dataclass

import pytest

import tiltless as tl
from tiltless.cfr.presets import PRESETS
from tiltless.games import GameEntry, registry
from tiltless.games.kuhn import Kuhn

RIVER = tl.Spot("QsJh2h8d3c", oop="AA,KK", ip="QQ,JJ", pot=64, stack=64, bets="100%")
PLAN = tl.MatchPlan(("fish", "fold"), deals=2)


class NoAct(tl.Agent):
    pass


@dataclass(frozen=True)
class Unfinished(Kuhn):
    @property
    def zero_sum(self):
        raise AttributeError


@pytest.fixture(scope="module")
def solver():
    made = tl.Solver(tl.load_game("kuhn"))
    made.run(10)
    return made


@pytest.fixture(scope="module")
def solution():
    return tl.solve_spot(RIVER, iterations=10)


MISTAKES = [
    (lambda: tl.Solver("kuhn"), r"^'kuhn' is not a game; make one with load_game"),
    (lambda: tl.Solver(Kuhn), "is not a game"),
    (lambda: tl.Solver(Unfinished()), "has no zero_sum"),
    (lambda: tl.Solver(Kuhn(), 5), r"^no algorithm is called 5; .*or give a Preset"),
    (lambda: tl.Solver(Kuhn(), "es-mccfr", seed=-1), "^seed=-1"),
    (lambda: tl.Solver(Kuhn(), "es-mccfr", seed=None), "^seed=None"),
    (lambda: tl.Solver(Kuhn(), threads="4"), "^threads='4'"),
    (lambda: tl.exploitability(Kuhn()), r"^strategy=Kuhn.* is not a Strategy; .*strategy\(\)"),
    (lambda: tl.nash_conv(None), "^strategy=None"),
    (lambda: tl.best_response("kuhn"), "^strategy='kuhn'"),
    (lambda: tl.load_game(["kuhn"]), r"^no game is called \['kuhn'\]"),
    (lambda: tl.register_game("kuhn"), "^entry='kuhn' is not a GameEntry"),
    (lambda: tl.hand_vs_ranges("AhKh", "QQ+"), r"^ranges='QQ\+' is not a list"),
    (lambda: tl.hand_vs_ranges("AhKh", 5), "^ranges=5 is not a list"),
    (lambda: tl.solve_spot("QsJh2h8d3c"), "^spot='QsJh2h8d3c' is not a Spot"),
    (lambda: tl.solve_spot(RIVER, seconds="x"), "^seconds='x'"),
    (lambda: tl.solve_spot(RIVER, seconds=-1), "^seconds=-1"),
    (lambda: tl.solve_spot(RIVER, compressed="no"), "^compressed='no'"),
    (lambda: tl.make_agent(5), "^5 is not text"),
    (lambda: tl.make_agent(f"{__name__}:NoAct", trusted=True), "NoAct has no act"),
    (lambda: tl.register_agent(5, NoAct, ""), "^5 cannot name an agent"),
    (lambda: tl.register_agent("mine", 5, ""), "^5 cannot make an agent"),
    (lambda: tl.play_match("fish", "fold", clock="x"), "^clock='x'"),
    (lambda: tl.play_cross_table(5, ["fish", "fold"], None), "^plan=5 is not a MatchPlan"),
    (lambda: tl.play_cross_table(PLAN, ["fish", "fold"], "a.db"), "^store='a.db' is not a Store"),
]


@pytest.mark.parametrize(("mistake", "said"), MISTAKES, ids=[said for _, said in MISTAKES])
def test_a_wrong_argument_is_refused_in_one_line(mistake, said):
    with pytest.raises(tl.InputError, match=said) as caught:
        mistake()
    assert "\n" not in str(caught.value)


def test_mistakes_with_objects(solver, solution, tmp_path):
    for mistake, said in (
        (lambda: solver.run(1.5), "^iterations=1.5"),
        (lambda: tl.exploitability(solver), "^strategy=<Solver of Kuhn"),
        (lambda: solution.at(5), "^line=5 .*; write"),
        (lambda: solution.lock(5), "^5 is not a lock"),
    ):
        with pytest.raises(tl.InputError, match=said):
            mistake()
    with (
        tl.Store(tmp_path / "a.sqlite") as store,
        pytest.raises(tl.InputError, match=r"^agents='fish' is one text"),
    ):
        tl.play_cross_table(PLAN, "fish", store)


def test_rules_that_cannot_be_imported_are_named(monkeypatch):
    monkeypatch.setattr(registry, "_entries", dict(registry._entries))
    for name, rules in (("a", "no_such_module:Game"), ("b", "tiltless.games.kuhn:Nothing")):
        tl.register_game(GameEntry(name, rules, "not there"))
        with pytest.raises(tl.InputError, match=f"rules of {name}, '{rules}'.*module:callable"):
            tl.load_game(name)


def test_results_show_in_one_short_line(solver, solution, tmp_path):
    strategy = solver.strategy()
    with tl.Store(tmp_path / "a.sqlite") as store:
        table = tl.play_cross_table(PLAN, ["fish", "fold"], store)
    for thing, words in (
        (solver, "Solver of Kuhn(players=2): dcfr, 10 iterations"),
        (strategy, "12 information sets, algorithm dcfr, iterations 10"),
        (strategy.flat, "58 nodes, 12 infosets"),
        (solution, "Solution of QsJh2h8d3c"),
        (tl.load_blueprint(), "Blueprint of nlhe stack=100bb: cards board-aware"),
        (table, "CrossTable of fish, fold: 4 hands, mbb/h"),
    ):
        assert words in repr(thing)
        assert len(repr(thing)) < 200


def test_a_preset_of_ones_own_is_an_algorithm(solver):
    own = tl.Solver(tl.load_game("kuhn"), PRESETS["dcfr"])
    own.run(10)
    assert own.exploitability() == solver.exploitability()


def test_a_match_takes_a_game():
    game = tl.load_game("nlhe", stack=20, ante=1)
    by_name = tl.play_match("fish", "all-in", hands=20, stack=20, ante=1)
    assert tl.play_match("fish", "all-in", hands=20, game=game).mean == by_name.mean
