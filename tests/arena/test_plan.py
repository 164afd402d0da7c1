"""Match plans as values and as lines of JSON."""

import pytest

from tiltless.agents import registry
from tiltless.agents.simple import Caller
from tiltless.arena.plan import MatchPlan, deals_for, usual_chunk
from tiltless.errors import FingerprintError, InputError, OptionError

TWO = ("fish", "uniform")


def test_defaults():
    plan = MatchPlan(TWO, 250)
    assert (plan.hands, plan.seatings, plan.hands_per_unit, plan.unit) == (500, 2, 2, "deal")
    assert plan.chunks == 3
    assert [len(plan.deals_of(number)) for number in range(3)] == [100, 100, 50]
    assert plan.deals_of(2) == range(200, 250)
    assert plan.title == "fish against uniform"
    assert [type(agent).__name__ for agent in plan.make_agents()] == ["Caller", "UniformAgent"]


def test_seats_follow_the_agents():
    plan = MatchPlan((*TWO, "fold"), 10, parameters={"stack": 50})
    assert plan.table.players == 3
    assert plan.seatings == 3
    seatings = [[plan.agent_in(seat, half) for seat in range(3)] for half in range(3)]
    assert seatings == [[0, 1, 2], [2, 0, 1], [1, 2, 0]]
    assert plan.smaller_table(2).players == 2
    assert plan.smaller_table(3) is plan.table


def test_a_smaller_table_has_no_straddle_and_the_same_blinds():
    plan = MatchPlan((*TWO, "fold"), 10, parameters={"straddle": 4, "stack": (50, 60, 70)})
    assert plan.smaller_table(2).rules.blinds == (1, 2)


def test_sessions():
    plan = MatchPlan(TWO, 200, carry=True)
    assert (plan.unit, plan.hands_per_unit) == ("session", 200)
    plan = MatchPlan(TWO, 200, carry=True, mirrored=False, chunk=50)
    assert (plan.hands, plan.hands_per_unit, plan.chunks) == (200, 50, 4)


@pytest.mark.parametrize(
    "plan",
    [
        MatchPlan(TWO, 7),
        MatchPlan(
            ("fish", "fold", "all-in"),
            100,
            "nlhe",
            {"stack": ("100bb", 50, 30), "blinds": (5, 10)},
            9,
            False,
            True,
            1.5,
            20,
        ),
    ],
)
def test_json(plan):
    text = plan.to_json()
    assert "\n" not in text
    assert MatchPlan.from_json(text) == plan
    assert MatchPlan.from_json(text).to_json() == text
    assert plan.with_deals(plan.deals) == plan


def test_parameters_in_any_form_and_order_are_one_plan():
    one = MatchPlan(TWO, 5, parameters={"stack": 50, "blinds": [1, 2]})
    two = MatchPlan(TWO, 5, parameters=(("blinds", (1, 2)), ("stack", 50)))
    assert one == two
    assert one.game_text == "nlhe stack=50"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"agents": ("fish",)}, "two agents"),
        ({"agents": "fish"}, "two agents"),
        ({"deals": 0}, "deals=0"),
        ({"seed": -1}, "seed=-1"),
        ({"chunk": 0}, "chunk=0"),
        ({"clock": 0}, "clock=0"),
        ({"clock": -2.0}, "clock=-2.0"),
        ({"mirrored": 1}, "mirrored=1"),
        ({"carry": True, "deals": 150}, "multiple of 100"),
        ({"parameters": {"seats": 3}}, "2 agents for 3 seats"),
        ({"game": "nlhee"}, "did you mean 'nlhe'"),
        ({"parameters": {"stak": 3}}, "stak"),
    ],
)
def test_mistakes(given, said):
    with pytest.raises(OptionError) as caught:
        MatchPlan(**{"agents": TWO, "deals": 5, **given})
    assert said in str(caught.value)


def test_other_games_are_refused():
    with pytest.raises(OptionError):
        MatchPlan(TWO, 5, "kuhn")


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"agents": ["fish", "fold"]}', "null"])
def test_what_is_no_plan(text):
    with pytest.raises(InputError):
        MatchPlan.from_json(text)


def test_changed_rules_are_refused_when_played():
    old = MatchPlan(TWO, 5, rules_version=99)
    with pytest.raises(FingerprintError, match="version 99"):
        old.make_agents()


def test_deals_for():
    assert deals_for(100, 2) == 50
    assert deals_for(101, 2) == 51
    assert deals_for(100, 3) == 34
    assert deals_for(100, 2, mirrored=False) == 100
    assert deals_for(101, 2, session=100) == 100
    assert deals_for(201, 2, session=100) == 200


def test_fingerprints_follow_the_default_file_of_an_agent(tmp_path, monkeypatch):
    from tiltless.experiments.thesis import agents as thesis

    toy = tmp_path / "toy.csv"
    monkeypatch.setattr(thesis, "default_file", lambda: toy)
    plan, seen = MatchPlan(("cfr-v1", "fish"), 5), []
    for row in ("0.20,0.50,0.30", "0.30,0.50,0.20"):
        toy.write_text(f'info_set,strategies\nAA,"[{row}]"\n')
        seen.append(plan.fingerprints(plan.make_agents()))
    assert seen[0][0] != seen[1][0]
    assert seen[0][1] == seen[1][1]


def test_trust_and_objects_are_not_written():
    plan = MatchPlan((Caller(), "uniform"), 10, trusted=True)
    assert plan.agents == ("tiltless.agents.simple:Caller", "uniform")
    text = plan.to_json()
    assert "trusted" not in text
    assert "objects" not in text
    assert not MatchPlan.from_json(text).trusted
    forged = text.replace("{", '{"trusted": true, "objects": [1], ', 1)
    assert not MatchPlan.from_json(forged).trusted
    assert MatchPlan.from_json(forged).objects == ()
    assert plan.with_deals(5).trusted
    assert plan.with_deals(5).make_agents()[0] is plan.make_agents()[0]


def test_a_plan_that_was_read_needs_the_names_of_own_agents():
    plan = MatchPlan.from_json(MatchPlan(("tiltless.agents.simple:Caller", "fish"), 10).to_json())
    with pytest.raises(OptionError, match=r"'tiltless\.agents\.simple:Caller'.*trusted=True"):
        plan.make_agents()
    with pytest.raises(OptionError, match=r"--agent tiltless\.agents\.simple:Caller"):
        plan.trusting(["fish"])
    named = plan.trusting(["tiltless.agents.simple:Caller"])
    assert isinstance(named.make_agents()[0], Caller)
    assert MatchPlan(TWO, 10).trusting([]).trusted


def test_what_is_no_agent():
    with pytest.raises(OptionError, match=r"^3 .*Agent"):
        MatchPlan(("fish", 3), 10)


def test_slow_agents_are_written_in_small_chunks():
    assert MatchPlan(("fish", "search:seconds=1"), 10).chunk == 2
    assert MatchPlan(("fish", "search"), 100, carry=True).chunk == 100
    assert MatchPlan(("fish", "search"), 100, mirrored=False).chunk == 100
    assert MatchPlan(("fish", "search"), 10, chunk=7).chunk == 7
    assert usual_chunk(TWO, 50) == 50


def test_a_game_that_needs_whole_blinds_has_no_carried_stacks():
    plan = MatchPlan(("fish", "uniform"), 20, "permutation", carry=True, chunk=10)
    with pytest.raises(OptionError, match=r"permutation needs stacks.*--carry"):
        plan.make_agents()


@pytest.mark.parametrize("text", ["own:file={}", "own:rest,file={}", "endgame:agent=own:file={}"])
def test_fingerprints_follow_the_files_that_options_name(text, tmp_path, monkeypatch):
    class Own(Caller):
        """Plays from a file, and does not say so."""

        def __init__(self, file="", rest=False):
            pass

    monkeypatch.setattr(registry, "_AGENTS", dict(registry._AGENTS))
    registry.register("own", Own, "calls")
    file = tmp_path / "a=b.txt"
    seen = []
    for content in ("one", "two", "one"):
        file.write_text(content)
        plan = MatchPlan((text.format(file), "fish"), 10)
        seen.append(plan.fingerprints(plan.make_agents()))
    assert seen[0] == seen[2]
    assert seen[0][0] != seen[1][0]
    assert seen[0][1] == seen[1][1]
