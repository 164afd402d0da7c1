"""Hands played at other programs' tables, saved and read back."""

import json
from random import Random

import pytest

from helpers.acpc_play import random_match
from helpers.mit_table import RandomTable
from tiltless.agents.registry import make_agent
from tiltless.errors import WriteError
from tiltless.games.holdem.actions import FOLD
from tiltless.games.holdem.histories.files import read_hands
from tiltless.games.holdem.variants import nlhe
from tiltless.protocols.acpc.dialect import AcpcDialect
from tiltless.protocols.acpc.gamedef import GAMES
from tiltless.protocols.adapter import Adapter, FakePeer
from tiltless.protocols.mit.dialect import MitDialect
from tiltless.protocols.mit.years import YEARS
from tiltless.protocols.saved_hands import SavedHands, player_names
from tiltless.protocols.slumbot.client import play_slumbot
from tiltless.protocols.slumbot.server import SlumbotHost


def test_a_file_that_cannot_be_written_is_refused_before_the_first_hand(tmp_path):
    with pytest.raises(WriteError, match="no folder"):
        SavedHands(tmp_path / "nowhere" / "hands.phhs")


def test_slumbot(tmp_path):
    host = SlumbotHost(lambda: make_agent("uniform"), 3)

    def post(endpoint, body):
        return json.dumps(host.answer(endpoint, body)[1]).encode()

    path = tmp_path / "hands.phhs"
    with SavedHands(path, "uniform", every=4) as saved:
        report = play_slumbot(post, "uniform", 10, seed=1, keep=saved.keep)
        assert saved.written == 8
    assert (saved.written, saved.problems) == (10, [])
    hands = list(read_hands(path))
    assert tuple(hand.payoffs[0] for hand in hands) == report.winnings
    assert all(hand.final.hole[1] for hand in hands)  # also after a fold
    assert {hand.names for hand in hands} == {("uniform", "opponent")}


@pytest.mark.parametrize("game", ["holdem.nolimit.2p.reverse_blinds", "holdem.limit.3p"])
def test_acpc(game, tmp_path):
    rules, path = GAMES[game], tmp_path / "hands.phhs"
    seats, match = random_match(rules, 12, 5)
    lines = [line.strip() for way, line in seats[0].lines if way == "S->"]
    with SavedHands(path) as saved:
        FakePeer(lines).play(Adapter(AcpcDialect(rules), "fish", keep=saved.keep))
    hands = list(read_hands(path))
    assert len(hands) == saved.written == 12
    for hand, played in zip(hands, match.log.hands, strict=True):
        assert hand.payoffs[0] == played.chips[played.names.index("Alice")]
    unseen = [hand.final.hole[1] for hand in hands if len(hand.final.live) == 1]
    assert not any(unseen) or rules.players == 3


@pytest.mark.parametrize("year", [2020, 2023])
def test_games_without_phh_are_lines(year, tmp_path):
    table, path = RandomTable(YEARS[year], 20, 4), tmp_path / "hands.txt"
    with SavedHands(path, "me") as saved:
        FakePeer(table.script()).play(Adapter(MitDialect(YEARS[year]), "fish", keep=saved.keep))
    hands = list(read_hands(path))
    assert [hand.payoffs for hand in hands] == [end.payoffs for end in table.ends]
    assert [hand.final.board for hand in hands] == [end.board for end in table.ends]
    assert {hand.names for hand in hands} == {("me", "opponent")}


def test_what_cannot_be_recorded_is_named(tmp_path):
    view = nlhe().start()
    for _ in range(2):
        view = view.apply(tuple(view.chance.sample(Random(1))))
    over = view.apply(FOLD).view(0)
    with SavedHands(tmp_path / "hands.phhs") as saved:
        saved.keep(nlhe(ante=1), over)
        saved.keep(nlhe(), over)
    assert saved.written == 1
    assert saved.problems[0].startswith("hand 1 ")
    with SavedHands(None) as nothing:
        nothing.keep(nlhe(), over)
    assert nothing.written == 0


def test_names():
    assert player_names("search:seconds=2|'", 1, 3) == (
        "opponent",
        "search seconds=2 ",
        "opponent 2",
    )
    assert player_names("", 0, 2) == ("tiltless", "opponent")
