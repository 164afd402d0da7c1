"""Drills: hands are dealt from the range, answers cost what the solved spot says."""

from collections import Counter
from random import Random

import pytest

from tiltless.abstraction.bets.grammar import parse_menu
from tiltless.cards.card import combo_index
from tiltless.postflop.solution import load_solution
from tiltless.web.blueprint_values import HandValues, menu_at
from tiltless.web.drills import _values
from tiltless.web.workers import CancelledError, Job
from web.conftest import run
from web.test_study import solved


def begun(client, **source):
    answer = client.post("/api/drills", json=source)
    assert answer.status_code == 201, answer.text
    return answer.json()


def answered(client, drill, word, seq=None):
    body = {"seq": drill["seq"] if seq is None else seq, "word": word}
    return client.post(f"/api/drills/{drill['id']}/answers", json=body)


def test_an_answer_costs_what_the_solved_spot_says(study, study_folder):
    number = solved(study, big_blind=2)["id"]
    drill = begun(study, kind="spot", name=number, line="x")
    report = load_solution(study_folder / "spots" / f"{number}.spot", threads=1).at("x").report()
    total, seen = 0.0, set()
    for count in range(1, 9):
        question = drill["question"]
        assert (question["player"], question["pot"]) == ("ip", 64)
        assert "mix" not in str(question)
        values = report.action_ev[combo_index("".join(question["cards"]))].tolist()
        at = count % len(values)
        found = answered(study, drill, question["actions"][at]["word"]).json()
        cost = (max(values) - values[at]) / 2
        assert found["answer"]["cost"] == pytest.approx(cost, abs=2e-3)
        assert found["answer"]["values"] == pytest.approx([each / 2 for each in values], abs=2e-3)
        assert (found["answer"]["grade"] == "best") == (2 * cost <= 0.005 * 64)
        total += cost
        assert found["score"]["cost"] == pytest.approx(total, abs=0.02)
        assert found["score"]["answers"] == sum(found["score"]["grades"].values()) == count
        seen.add(found["answer"]["grade"])
        drill = found
    assert len(seen) > 1


def test_an_answer_sent_twice_counts_once(study):
    drill = begun(study, kind="blueprint", name="hundred")
    first = answered(study, drill, "f").json()
    assert answered(study, drill, "f").json() == first
    assert first["score"]["answers"] == 1
    assert answered(study, drill, "c").status_code == 409
    assert answered(study, first, "f", seq=7).status_code == 409
    assert answered(study, first, "nonsense").status_code == 422
    assert study.get(f"/api/drills/{drill['id']}").json()["seq"] == 1


def test_a_blueprint_is_drilled_by_its_frequencies_on_boards_of_all_kinds(study):
    drill = begun(study, kind="blueprint", name="hundred", line="r4 c / x")
    boards, grades = set(), {}
    for _ in range(5):
        question = drill["question"]
        assert (len(question["board"]), question["player"]) == (3, "ip")
        assert not set(question["board"]) & set(question["cards"])
        boards.add(tuple(question["board"]))
        word = question["actions"][0]["word"]
        drill = answered(study, drill, word).json()
        found = drill["answer"]
        grades[found["grade"]] = found["share"]
        assert found["cost"] is None
        assert found["share"] == found["mix"][0]
        assert (found["best"] == word) == (found["share"] == max(found["mix"]))
    assert len(boards) == 5
    assert grades.get("mistake", 0) < 0.02 <= grades.get("best", 1)


def test_a_river_of_a_blueprint_is_solved_and_answers_have_costs(study):
    source = {"kind": "blueprint", "name": "hundred", "line": "r4 c / x b8 c / x x / b18"}
    drill, total = begun(study, **source), 0.0
    for _ in range(3):
        assert (len(drill["question"]["board"]), drill["question"]["player"]) == (5, "ip")
        words = [row["word"] for row in drill["question"]["actions"]]
        drill = answered(study, drill, words[0]).json()
        found = drill["answer"]
        assert len(found["values"]) == len(words) == len(found["mix"])
        assert found["values"][0] == pytest.approx(0, abs=1e-3)  # a fold
        assert found["cost"] == pytest.approx(max(found["values"]) - found["values"][0], abs=2e-3)
        assert found["values"][words.index(found["best"])] == max(found["values"])
        total += found["cost"]
    assert drill["score"]["cost"] == pytest.approx(total, abs=5e-3)


def test_a_turn_keeps_all_sizes_of_its_decision_and_fewer_elsewhere():
    text = "preflop: a; flop: a; turn: 50%, 100%, a / 50%, a; river: 33%, 75%, a / 75%, a"
    menu = parse_menu(text)
    assert menu_at(menu, 3, 1) is menu
    first, later = (menu_at(menu, 2, bets).streets for bets in (0, 1))
    assert str(first[2]) == "50%, 100%, a / a"
    assert str(later[2]) == "75% / 50%, a / a"
    assert str(first[3]) == str(later[3]) == "75%, a / a"


def test_a_question_without_values_is_graded_by_frequency():
    job = Job("blueprint-values", {}, "", print)
    job.result.set_exception(CancelledError("given up"))
    assert run(_values(job)) is run(_values(None)) is None
    job, found = Job("blueprint-values", {}, "", print), HandValues.solved([0.0, 1.0])
    job.result.set_result(found)
    assert run(_values(job)) is found


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "spot", "name": "nothing"},
        {"kind": "blueprint", "name": "nothing"},
        {"kind": "blueprint", "name": "../hundred"},
        {"kind": "blueprint", "name": "hundred", "line": "f"},
        {"kind": "blueprint", "name": "hundred", "line": "q"},
        {"kind": "file", "name": "hundred"},
    ],
)
def test_wrong_drills_are_refused(study, wrong):
    answer = study.post("/api/drills", json=wrong)
    assert answer.status_code in (404, 422)
    assert answer.json()["error"]


def test_hands_come_as_often_as_they_are_in_the_range():
    from tiltless.web.drills import dealt_hand

    rows = [
        {"hand": "AsAh", "class": "AA", "weight": 0.9, "mix": [1.0, 0.0], "evs": [5.0, 1.0]},
        {"hand": "7s2h", "class": "72o", "weight": 0.1, "mix": [0.5, 0.5], "evs": [1.0, 1.0]},
    ]
    node, random = {"combos": rows, "pot": 10}, Random(1)
    seen = Counter(dealt_hand(node, random)["class"] for _ in range(2000))
    assert seen["AA"] == pytest.approx(1800, abs=60)
    assert {dealt_hand(node, random, close=True)["class"] for _ in range(50)} == {"72o"}
