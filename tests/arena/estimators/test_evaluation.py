import pytest

from tiltless.agents import Agent, Decision, register, registered
from tiltless.agents.simple import Caller
from tiltless.arena.estimators.evaluation import evaluate_agents, read_estimators
from tiltless.arena.estimators.lbr import SETTINGS
from tiltless.arena.estimators.lbr_match import play_lbr, play_responses
from tiltless.arena.match import play_match
from tiltless.arena.plan import MatchPlan
from tiltless.arena.stats.sprt import Sprt
from tiltless.errors import OptionError
from tiltless.games import load
from tiltless.games.holdem.actions import CALL, CHECK


def plan(*agents, deals=60, **options):
    return MatchPlan(agents, deals, parameters={"stack": 50}, chunk=20, **options)


@pytest.mark.parametrize("mirrored", [True, False])
def test_raw_is_the_result_of_the_match(mirrored):
    """Chips a hand: `Score.won` has the sums of both hands of a deal."""
    match = plan("uniform", "fish", seed=4, mirrored=mirrored)
    found = evaluate_agents(match, ["raw"])
    score = play_match(match)[0]
    assert found.deals == 60
    assert found.estimates["raw"].hands.count == score.hands == 60 * match.seatings
    assert found.estimates["raw"].deals.mean == pytest.approx(score.won.total / score.hands)
    assert found.estimates["raw"].deals.interval == pytest.approx(score.interval())


def test_equal_players_are_exactly_even_by_all_estimators():
    found = evaluate_agents(plan("fish", "fish"))
    for estimate in found.estimates.values():
        assert estimate.deals.mean == 0
        assert estimate.deals.variance == pytest.approx(0, abs=1e-20)
        assert estimate.hands.variance > 0
    assert found.ratio("aivat") is None  # raw has no variance
    assert found.ratio("aivat", mirrored=False) < 0.5


def test_estimators_agree_and_luck_goes():
    """All in against a caller: nothing but cards, which both estimators average over."""
    found = evaluate_agents(plan("all-in", "fish", deals=200, mirrored=False))
    raw, all_in, aivat = (found.estimates[name].deals for name in ("raw", "all-in", "aivat"))
    for less in (all_in, aivat):
        assert abs(less.mean - raw.mean) < 4 * raw.standard_error
    assert found.ratio("raw") == 1
    assert found.ratio("aivat") < found.ratio("all-in") < 0.5


def test_processes_do_not_matter(two_processes):
    match = plan("uniform", "fish", deals=70, seed=2)
    one, two = evaluate_agents(match), evaluate_agents(match, processes=two_processes)
    assert two.estimates == one.estimates
    assert [score.stats for score in two.scores] == [score.stats for score in one.scores]


def test_a_test_stops_when_it_is_decided():
    """all-in always wins 0.75 big blinds per hand, 1.5 chips, from an agent that folds."""
    match = plan("all-in", "fold", deals=1000)
    told = []
    found = evaluate_agents(
        match, ["raw"], sprt=Sprt(0.0, 1.0, fewest=50), progress=lambda now: told.append(now.deals)
    )
    assert found.verdict.decision == "better"
    assert found.deals == 60  # the first chunk with 50 deals
    assert told == [20, 40, 60]
    other = evaluate_agents(match, ["raw"], sprt=Sprt(0.0, 4.0, fewest=50))
    assert (
        other.verdict.decision == "not better"
    )  # 1.5 is nearer to 0; the sum of a deal, 3, is not


def test_the_sharpest_estimator_decides():
    found = evaluate_agents(plan("all-in", "fish", deals=60), sprt=Sprt(-1.0, 1.0, fewest=20))
    assert found.verdict.llr == Sprt(-1.0, 1.0).llr(found.estimates["aivat"].deals)
    assert read_estimators("aivat, raw,aivat") == ("raw", "aivat")


class Faulty(Agent):
    """Crashes on some streets."""

    def __init__(self, first: int = 1, last: int = 3) -> None:
        self.bad = range(first, last + 1)

    def act(self, view, clock, rng):
        if view.street in self.bad:
            raise RuntimeError
        return Decision(CHECK if view.actions.check else CALL)


@pytest.fixture
def faulty():
    """Its name; other tests ask all agents that are registered before they begin."""
    if "test-faulty" not in {entry.name for entry in registered()}:
        register("test-faulty", Faulty, "for tests")
    return "test-faulty"


def test_rulings_are_counted(faulty):
    found = evaluate_agents(plan("fish", faulty, deals=5))
    assert [score.faults.rulings for score in found.scores] == [0, 5 * 2 * 3]
    assert found.is_broken
    half = evaluate_agents(plan(f"{faulty}:first=3", "fish", deals=5))
    assert half.scores[0].faults.rulings == 5 * 2
    assert not half.is_broken


def test_where_the_dealer_plays_nothing_is_decided_and_the_end_comes_early(faulty):
    match, test = plan("all-in", f"{faulty}:first=0", deals=200), Sprt(0.0, 1.0, fewest=20)
    found = evaluate_agents(match, ["raw"], sprt=test)
    assert found.verdict is None
    assert found.deals == 40  # the first chunk with 30 deals
    sound = evaluate_agents(plan("all-in", "fold", deals=200), ["raw"], sprt=test)
    assert sound.verdict.decision == "better"


def test_mistakes():
    for text in ("raw,luck", ""):
        with pytest.raises(OptionError, match="raw, all-in, aivat"):
            read_estimators(text)
    with pytest.raises(OptionError, match="carry=True"):
        evaluate_agents(plan("fish", "fish", carry=True))
    with pytest.raises(OptionError, match="short-deck"):
        evaluate_agents(MatchPlan(("fish", "fish"), 5, "short-deck"))
    assert (
        evaluate_agents(MatchPlan(("fish", "fish"), 5, "short-deck"), ["raw", "all-in"]).deals == 5
    )


class Counting(Caller):
    """Calls, and counts how often it had to forget."""

    def __init__(self):
        self.forgot = 0

    def match_start(self):
        self.forgot += 1


def test_agents_forget_before_every_hand_of_every_estimator():
    bots = Counting(), Counting()
    evaluate_agents(MatchPlan(bots, 1), ("ranges",))
    assert [bot.forgot for bot in bots] == [1, 1]
    evaluate_agents(MatchPlan(bots, 1), ("raw",))
    assert [bot.forgot for bot in bots] == [1 + 2, 1 + 2]
    for ranges, times in ((False, 2), (True, 1)):
        bot = Counting()
        play_lbr(load("nlhe"), bot, SETTINGS["1"], 1, ranges=ranges, aivat=False)
        assert bot.forgot == times
    table = [Counting() for _ in range(3)]
    play_responses(MatchPlan(tuple(table), 1), SETTINGS["1"], aivat=False)
    assert [bot.forgot for bot in table] == [3, 3, 3]
