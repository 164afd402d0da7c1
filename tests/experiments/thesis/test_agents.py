"""CFRv1 and CFRv2."""

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from helpers.playing import dealt, view_after
from tiltless.agents import make_agent
from tiltless.agents.agent import Clock
from tiltless.arena.dealer import Seated, play_hand, shuffled_decks
from tiltless.blueprint.strategy import Blueprint
from tiltless.blueprint.training.config import read_config
from tiltless.blueprint.training.run import Trainer
from tiltless.cards.card import COMBO_CARDS
from tiltless.errors import OptionError
from tiltless.experiments.thesis.agents import (
    ThesisAgent,
    default_file,
    find_toy_table,
    history_letters,
)
from tiltless.experiments.thesis.csv_export import write_thesis_csv
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.holdem.history import decisions
from tiltless.games.registry import load
from tiltless.seeding import SeededRandom

GAME = load("nlhe", stack=1000, blinds=(5, 10), heads_up="pypokerengine", free_fold=True)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A toy blueprint of a second, with one raise a player."""
    folder = tmp_path_factory.mktemp("toy")
    game = {"name": "toy-holdem", "raises_per_player": 1}
    config = replace(read_config("thesis"), game=game, bets="min; each 1", stop_walks=200_000)
    trainer = Trainer(config, folder)
    trainer.run()
    path = folder / "blueprint.safetensors"
    trainer.blueprint("a test").save(path)
    return path


def test_letters_leave_sizes_and_cards_out() -> None:
    view = view_after(GAME, RaiseTo(20), RaiseTo(555), CALL, CHECK, RaiseTo(100))
    assert history_letters(past.action for past in decisions(view)) == "rrccr"
    assert history_letters(()) == ""


def test_rows_are_those_of_the_blueprint(trained: Path) -> None:
    blueprint, agent = Blueprint.load(trained), ThesisAgent(str(trained), 10)
    view = view_after(GAME, RaiseTo(20), CALL, CHECK)
    node = blueprint.locate("r20 c / x")
    hands = blueprint.hands(node, view.board)
    kinds = [blueprint.tree.action(child) for child in blueprint.tree.children(node)]
    assert [type(kind).__name__ for kind in kinds] == ["Fold", "Check", "RaiseTo"]
    sources = set()
    for combo in np.flatnonzero(hands.any(axis=1))[::5].tolist():
        own = view._replace(cards=tuple(COMBO_CARDS[combo].tolist()))
        decision = agent.act(own, Clock(), SeededRandom(combo))
        sources.add(decision.source.split(" ")[0])
        if decision.source == "toy blueprint":
            said = dict(decision.policy)
            row = [said[FOLD], said[CHECK], said[RaiseTo(view.min_raise)]]
            assert row == pytest.approx(hands[combo])
            assert said[decision.action] > 0
        else:  # never visited, or still uniform
            assert np.ptp(hands[combo]) <= 1.001 / 255
    assert sources == {"toy", "win"}


def test_a_csv_says_the_same(trained: Path, tmp_path: Path) -> None:
    blueprint = Blueprint.load(trained)
    tables = [find_toy_table(str(trained))]
    for name, clean in (("visited.csv", False), ("clean.csv", True)):
        write_thesis_csv(tmp_path / name, blueprint, visited=True, clean=clean)
        tables.append(find_toy_table(str(tmp_path / name)))
    rng, found = Random(1), 0
    for _ in range(3000):
        cards = rng.sample(range(52), 5)
        board = cards[2:] if rng.random() < 0.5 else []
        history = rng.choice(["", "c", "r", "rr"]) if not board else rng.choice(["cc", "rc", "rcc"])
        rows = [table.find(cards[:2], board, history) for table in tables]
        if rows[0] is None:
            assert rows[2] is None
            continue
        found += 1
        if rows[2] is None:
            assert rows[0] == pytest.approx((1 / 3,) * 3, abs=0.006)  # rounded to 0.33 each
        else:
            assert rows[2] == pytest.approx(rows[0], abs=0.012)
        assert rows[1] == rows[2]
    assert found > 500


def test_streets_and_histories_without_rows_are_rolled_out(trained: Path) -> None:
    agent = ThesisAgent(str(trained), 10)
    turn = view_after(GAME, CALL, CHECK, CHECK, CHECK)
    many = view_after(GAME, *(RaiseTo(20 + 10 * raised) for raised in range(7)))
    assert agent.act(view_after(GAME), Clock(), SeededRandom()).source == "toy blueprint"
    for view in (turn, many):
        assert agent.act(view, Clock(), SeededRandom()).source.startswith("win rate")
    three = dealt(load("nlhe", seats=3).start(), Random(0))
    seen = agent.act(three.view(three.actor), Clock(), SeededRandom())
    assert seen.source.startswith("win rate")


def test_a_raise_is_the_smallest_and_a_call_where_there_is_none(trained: Path) -> None:
    agent = ThesisAgent(str(trained), 10)
    agent.table = _Always((0.0, 0.0, 1.0))
    assert agent.act(view_after(GAME), Clock(), SeededRandom()).action == RaiseTo(20)
    all_in = view_after(GAME, RaiseTo(1000))
    assert agent.act(all_in, Clock(), SeededRandom()).action == CALL
    agent.table = _Always((1.0, 0.0, 0.0))
    assert (
        agent.act(view_after(GAME, CALL), Clock(), SeededRandom()).action == FOLD
    )  # although a check is free
    assert agent.act(view_after(load("nlhe"), CALL), Clock(), SeededRandom()).action == CHECK


class _Always:
    def __init__(self, row: tuple[float, float, float]) -> None:
        self.row = row

    def find(self, *_: Any) -> tuple[float, float, float]:
        return self.row


@pytest.mark.parametrize("name", ["cfr-v1", "cfr-v2"])
def test_hands_are_played_without_faults(trained: Path, name: str) -> None:
    agent, other = make_agent(f"{name}:file={trained}"), make_agent("uniform")
    for game in (GAME, load("nlhe", stack=(30, 90)), load("limit-holdem")):
        for deal, deck in enumerate(shuffled_decks(game, 1, 0, 30).tolist()):
            hand = play_hand(game, [Seated(agent), Seated(other)], deck, deal=deal, button=deal % 2)
            assert hand.faults == ()


def test_rollouts_are_the_only_difference(trained: Path) -> None:
    first, second = make_agent(f"cfr-v1:file={trained}"), make_agent(f"cfr-v2:file={trained}")
    assert isinstance(first, ThesisAgent)
    assert isinstance(second, ThesisAgent)
    assert (first.elsewhere.rollouts, second.elsewhere.rollouts) == (50, 10_000)
    assert first.table is second.table


def test_a_missing_blueprint_is_told_with_its_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TILTLESS_CACHE", str(tmp_path))
    assert default_file() == tmp_path / "thesis" / "blueprint.safetensors"
    with pytest.raises(OptionError, match=f"tiltless train thesis --out {tmp_path / 'thesis'}"):
        make_agent("cfr-v1")


def test_other_blueprints_are_refused() -> None:
    from tiltless.blueprint.shipped import find_blueprint

    with pytest.raises(OptionError, match="tiltless train thesis"):
        make_agent(f"cfr-v1:file={find_blueprint()}")
