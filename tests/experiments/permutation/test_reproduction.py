import json

import numpy as np
import pytest

from naive.permutation.agreement import result
from tiltless.abstraction.cards.buckets import ONE_BUCKET
from tiltless.blueprint.tree import betting_tree
from tiltless.errors import OptionError
from tiltless.experiments.permutation import matches, reproduction, showdowns
from tiltless.experiments.permutation.matches import InferenceMatch, MatchFindings, StageFinding
from tiltless.experiments.permutation.reproduction import reproduce_permutation
from tiltless.experiments.permutation.tables import InferenceRun, facts, markdown
from tiltless.games import load


def findings(right, listed=30, kept=True):
    stage = StageFinding(100, 2.0, right, False, False, True)
    return MatchFindings((stage,), listed, kept, 0.5, 0.1, 1.0, 0.2)


def test_results_are_those_of_the_order():
    order = showdowns.hidden_order(3)
    cards = showdowns.shown_cards("random", 3, 20)
    assert cards.shape == (20, 9)
    told = showdowns.with_results(cards, order)
    for row, showdown in zip(cards.tolist(), told, strict=True):
        assert showdown.cards == tuple(row)
        assert showdown.result == result(row, order.true_ranks)
    assert {each.result for each in told} >= {-1, 1}
    assert np.array_equal(cards[:5], showdowns.shown_cards("random", 3, 5))
    assert showdowns.hidden_order(4) != order


def test_showdowns_by_play_are_hands_that_were_shown(monkeypatch):
    """Two who push or fold at random: of four hands one is shown, so more must be played."""
    tree = betting_tree(load("nlhe", stack=4), "preflop: a; none")
    policy = np.ones(int(tree.rows([1] * tree.streets).start[-1]), np.float32)
    buckets = (ONE_BUCKET,) * tree.streets
    monkeypatch.setattr(showdowns, "_self_play", lambda: (tree, policy, buckets))
    monkeypatch.setattr(showdowns, "_HANDS", 1)
    cards = showdowns.shown_cards("play", 1, 50)
    assert cards.shape == (50, 9)
    assert all(len(set(row)) == 9 for row in cards.tolist())
    assert len(np.unique(cards, axis=0)) == 50
    assert np.array_equal(cards, showdowns.shown_cards("play", 1, 50))
    assert not np.array_equal(cards, showdowns.shown_cards("play", 2, 50))


def test_a_second_run_takes_matches_from_the_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(reproduction, "_MOST", 40)
    told = []
    first = reproduce_permutation(
        "command",
        matches=2,
        sources=("random",),
        processes=1,
        out=tmp_path,
        told=lambda *now: told.append(now),
    )
    assert told == [(1, 2), (2, 2)]
    assert first.taken == 0
    assert not first.stopped
    assert "command" in (tmp_path / "tables.md").read_text()
    with (tmp_path / "matches.jsonl").open("a") as file:
        file.write('{"half a li')
    monkeypatch.setattr(matches, "_infer", None)  # must not be needed
    again = reproduce_permutation(matches=2, sources=("random",), processes=1, out=tmp_path)
    assert again.taken == 2
    assert again.found == first.found
    assert facts(again)["sources"]["random"]["matches"] == 2


def test_matches_of_other_code_are_played_again(tmp_path):
    log = matches.FindingsLog(tmp_path / "log")
    match = InferenceMatch("random", 1, 40)
    log.add(match, findings(True))
    line = json.loads((tmp_path / "log").read_text())
    assert matches.FindingsLog(tmp_path / "log").find(match) == findings(True)
    line["version"] = "older"
    (tmp_path / "log").write_text(json.dumps(line) + "\n")
    assert matches.FindingsLog(tmp_path / "log").find(match) is None


def test_ctrl_c_keeps_what_is_known(tmp_path, monkeypatch):
    monkeypatch.setattr(reproduction, "_MOST", 40)
    real, calls = matches._infer, []

    def interrupted(job):
        calls.append(job)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(job)

    monkeypatch.setattr(matches, "_infer", interrupted)
    run = reproduce_permutation(matches=3, sources=("random",), processes=1, out=tmp_path)
    assert run.stopped
    assert len(run.found) == 1
    assert "stopped" in run.summary


def test_tables_show_shares_with_intervals(tmp_path):
    found = {
        InferenceMatch("random", seed, 300): findings(seed < 3, 30 + seed) for seed in range(4)
    }
    run = InferenceRun(found, 0, tmp_path, False, 0, 1.0)
    row = next(line for line in markdown(run).splitlines() if line.startswith("| 100 "))
    assert row.split(" | ")[2] == "75 ± 33 (38)"  # Wilson's interval of 3 in 4: 30 to 95
    assert row.split(" | ")[5].startswith("100 ± 24")
    table = facts(run)["sources"]["random"]
    assert table["rows"][0]["right"]["percent"] == 75
    assert table["rows"][0]["right"]["interval"] == pytest.approx([30.1, 95.4], abs=0.1)
    assert table["inference"]["listed_median"] == 31.5
    assert table["inference"]["truth_kept"] == 4
    assert "play" not in facts(run)["sources"]


def test_unknown_sources_are_refused(tmp_path):
    with pytest.raises(OptionError, match="random, play"):
        reproduce_permutation(matches=1, sources=("dreams",), out=tmp_path)
