"""The quality report: numbers against a slow, obvious computation; pictures that are pictures."""

import doctest
import json
import math
import re
import struct
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tiltless.abstraction.cards import quality as module
from tiltless.abstraction.cards.abstraction import CardAbstraction
from tiltless.abstraction.cards.bucketing import (
    Clustered,
    ComboList,
    Lossless,
    StrengthBins,
    Suitless,
)
from tiltless.abstraction.cards.features import Histogram, OpponentClusters, Strength, live_hands
from tiltless.abstraction.cards.potential import Potential, places_of
from tiltless.abstraction.cards.quality import equities, report
from tiltless.abstraction.cards.quality_report import Report
from tiltless.cards.card import combo_index, parse_cards
from tiltless.cards.isomorphism import canonical_boards
from tiltless.errors import CardError, OptionError
from tiltless.viz.abstraction import sharing_png, sizes_png, spread_png, write_report
from tiltless.viz.canvas import Sheet
from tiltless.viz.colours import FOLD
from tiltless.viz.features import _shares, centroids_png, feature_png

CENTROIDS = np.array([[900], [1800], [2300], [3500]], np.int16)
TINY = CardAbstraction(
    "tiny", (Lossless(0), StrengthBins(5), Clustered(Strength(), CENTROIDS), StrengthBins(7))
)
NOTHING = ComboList(np.zeros(1326, np.uint16))
LOOSE = CardAbstraction("loose", (NOTHING, Lossless(3), Suitless(4), StrengthBins(1)))


@pytest.fixture(scope="module")
def tiny():
    return report(TINY, boards=3, seed=5, threads=2)


@pytest.fixture(scope="module")
def loose():
    return report(LOOSE, boards=2)


def deals(abstraction, some):
    """(weight, bucket, E[HS], E[HS^2]) of every deal of some boards."""
    found = []
    for board, weight in zip(some.cards, some.weights.tolist(), strict=True):
        buckets = abstraction.buckets(board.tolist()).tolist()
        values = equities(board).tolist()
        for hand in np.flatnonzero(live_hands(board)).tolist():
            found.append((weight, buckets[hand], *values[hand]))
    return found


def mean_and_variance(pairs):
    mass = math.fsum(weight for weight, _ in pairs)
    mean = math.fsum(weight * value for weight, value in pairs) / mass
    return mean, math.fsum(weight * (value - mean) ** 2 for weight, value in pairs) / mass


def on_one_board(board):
    """Distinct and effective buckets, and the spread of E[HS], on one board, the slow way."""
    live = np.flatnonzero(live_hands(board)).tolist()
    buckets, values = TINY.buckets(board.tolist()).tolist(), equities(board).tolist()
    inside = {}
    for hand in live:
        inside.setdefault(buckets[hand], []).append((1, values[hand][0]))
    share = [len(each) / len(live) for each in inside.values()]
    spread = [mean_and_variance(each)[1] ** 0.5 for each in inside.values()]
    entropy = -math.fsum(p * math.log(p) for p in share)
    return (
        len(inside),
        math.exp(entropy),
        math.fsum(map(math.prod, zip(share, spread, strict=True))),
    )


@pytest.mark.parametrize("street", range(4))
def test_buckets_of_one_board_are_measured_board_by_board(tiny, street):
    some = module._Boards.draw(TINY, street, 3, 5)
    wanted = np.average([*map(on_one_board, some.cards)], axis=0, weights=some.weights)
    assert tiny.streets[street].one_board == pytest.approx(tuple(wanted), abs=1e-7)


def check(found, every):
    """All numbers of a street, the slow way."""
    mass = math.fsum(weight for weight, *_ in every)
    assert found.hands == len(every)
    assert found.bucket.tolist() == sorted({bucket for _, bucket, *_ in every})
    within = [0.0, 0.0]
    spread = 0.0
    for place, bucket in enumerate(found.bucket.tolist()):
        inside = [deal for deal in every if deal[1] == bucket]
        share = math.fsum(weight for weight, *_ in inside) / mass
        assert found.share[place] == pytest.approx(share, abs=1e-12)
        mean, variance = mean_and_variance([(deal[0], deal[2]) for deal in inside])
        assert found.equity[place] == pytest.approx(mean, abs=1e-12)
        assert found.spread[place] == pytest.approx(variance**0.5, abs=1e-7)
        spread += share * variance**0.5
        within[0] += share * variance
        within[1] += share * mean_and_variance([(deal[0], deal[3]) for deal in inside])[1]
    total = [mean_and_variance([(deal[0], deal[at]) for deal in every])[1] for at in (2, 3)]
    assert found.total == pytest.approx(total[0] ** 0.5)
    assert found.mean_spread == pytest.approx(spread, abs=1e-7)
    assert found.explained == pytest.approx(1 - within[0] / total[0])
    assert found.explained_squared == pytest.approx(1 - within[1] / total[1])
    entropy = -math.fsum(p * math.log(p) for p in found.share.tolist())
    assert found.effective == pytest.approx(math.exp(entropy))


@pytest.mark.parametrize("street", range(4))
def test_numbers_equal_a_slow_computation(tiny, street):
    check(tiny.streets[street], deals(TINY, module._Boards.draw(TINY, street, 3, 5)))


def test_boards_count_by_their_weights():
    every, weights = canonical_boards(4)
    rows = [0, 700, 4000, 9000, 16_000]
    some = module._Boards(every[rows], weights[rows].astype(float), len(every))
    assert len(set(some.weights.tolist())) > 2
    found = module._look(module._Eye(TINY, 2, None, module.STANDARD), some, 1, None)
    check(found, deals(TINY, some))
    assert found.boards == 5
    assert found.of_boards == 16_432


def test_what_must_hold(tiny, loose):
    for each in (*tiny.streets, *loose.streets):
        assert each.share.sum() == pytest.approx(1)
        assert (each.share * each.equity).sum() == pytest.approx(0.5)  # somebody wins
        assert 0 <= each.explained <= 1
        assert 1 <= each.effective <= each.used + 1e-9
        assert each.used <= each.count
    assert tiny.streets[0].explained == pytest.approx(1, abs=1e-12)
    assert tiny.streets[0].used == 169
    assert not tiny.streets[0].widest


def test_lossless_keeps_all_and_one_bucket_keeps_nothing(loose):
    one, lossless, suitless, river = loose.streets
    assert lossless.explained == pytest.approx(1, abs=1e-12)
    assert lossless.widest == ()
    for each in (one, river):
        assert each.explained == pytest.approx(0, abs=1e-12)
        assert each.mean_spread == pytest.approx(each.total)
        assert each.effective == pytest.approx(1)
    assert 0 < suitless.explained < 1  # flush draws are not seen
    assert suitless.is_thin
    assert not lossless.is_thin
    assert "understated" in loose.text()


def test_boards_are_drawn_by_weight_or_all_taken():
    every = module._Boards.draw(TINY, 1, None, 0)
    assert len(every.cards) == every.of == 1755
    assert every.weights.sum() == math.comb(52, 3)
    assert len(module._Boards.draw(TINY, 1, 1755, 0).cards) == 1755
    drawn = module._Boards.draw(TINY, 1, 1000, 0)
    assert drawn.weights.sum() == 1000
    rows = [every.cards.tolist().index(board) for board in drawn.cards.tolist()]
    mean = np.average(every.weights[rows], weights=drawn.weights)
    expected = (every.weights**2).sum() / every.weights.sum()
    assert mean == pytest.approx(expected, rel=0.05)  # a plain mean of weights is 12.6, not 16
    assert module._Boards.draw(TINY, 2, 10, 0).weights.sum() == 80
    assert module._Boards.draw(TINY, 3, 10, 0).weights.sum() == 160


def test_widest_buckets_have_examples_that_are_in_them(tiny):
    for street in tiny.streets[1:]:
        spreads = [wide.spread for wide in street.widest]
        assert spreads == sorted(street.spread.tolist(), reverse=True)[:10]
        for wide in street.widest:
            assert len(wide.examples) == 3
            equities = [example.equity for example in wide.examples]
            assert equities == sorted(equities)
            for example in wide.examples:
                assert TINY.bucket(example.hand, example.board) == wide.bucket
                board = np.array(parse_cards(example.board), np.uint8)
                assert len(board) == street.street + 2
                exact = Strength().exact(board)[combo_index(example.hand), 0]
                assert example.equity == pytest.approx(exact)


def test_threads_do_not_matter_and_seeds_do(tiny):
    again = report(TINY, boards=3, seed=5, threads=1)
    assert again.as_json() == tiny.as_json()
    other = report(TINY, boards=3, seed=6)
    assert other.streets[1].share.tolist() != tiny.streets[1].share.tolist()


def test_sums_are_merged_on_the_way(tiny, monkeypatch):
    monkeypatch.setattr(module, "_PENDING", 3)
    again = report(TINY, boards=3, seed=5)
    for one, other in zip(again.streets, tiny.streets, strict=True):
        assert one.share == pytest.approx(other.share)
        assert one.spread == pytest.approx(other.spread, abs=1e-7)
        assert one.bucket.tolist() == other.bucket.tolist()


def test_tables_are_used_and_must_be_those_of_the_abstraction():
    def zeros(_board):
        return np.zeros(1326, np.uint16)

    tables = SimpleNamespace(abstraction=TINY, buckets=zeros)
    assert [street.used for street in report(TINY, boards=1, tables=tables).streets] == [1] * 4
    with pytest.raises(OptionError, match="not of loose"):
        report(LOOSE, boards=1, tables=tables)


def test_progress_text_and_json(tiny):
    told = []
    report(TINY, boards=1, progress=lambda *what: told.append(what))
    assert [what for what in told if what[1] == what[2]][-1][0] == "river"
    assert {name for name, *_ in told} == {"preflop", "flop", "turn", "river"}
    facts = json.loads(json.dumps(tiny.as_json()))
    assert facts["fingerprint"] == TINY.fingerprint
    assert facts["streets"][1]["explained"] == tiny.streets[1].explained
    assert sum(facts["streets"][2]["share_list"]) == pytest.approx(1)
    text = tiny.text()
    names = ("preflop", "flop", "turn", "river", "of 134,459 boards")
    assert all(name in " ".join(text.split()) for name in names)
    head = text.partition("Widest")[0].partition("\n\n")[2].splitlines()
    assert max(map(len, head)) == 100


def test_mistakes_are_named():
    with pytest.raises(OptionError, match="boards"):
        report(TINY, boards=0)
    with pytest.raises(OptionError, match="seed"):
        report(TINY, seed=-1)
    fine = CardAbstraction("fine", (Lossless(0), StrengthBins(1), StrengthBins(1), Lossless(5)))
    some = module._Boards.draw(fine, 3, None, 0)
    with pytest.raises(OptionError, match="too many"):
        module._look(module._Eye(fine, 3, None, module.STANDARD), some, 1, None)


def png_size(path):
    head = path.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", head[16:24])


def test_a_report_is_a_folder_of_pictures(tiny, tmp_path):
    folder = tmp_path / "new" / "folder"
    tiny = Report(TINY, 5, tiny.streets[2:])
    paths = write_report(tiny, folder)
    assert sorted(folder.iterdir()) == sorted(paths)
    page = (folder / "index.html").read_text()
    pictures = [path for path in paths if path.suffix == ".png"]
    assert len(pictures) == 2 * 3 + 1
    for path in pictures:
        assert f'src="{path.name}"' in page
        expected = (960, 1030) if path.stem.endswith("shared") else (Sheet.WIDTH, Sheet.HEIGHT)
        assert png_size(path) == expected
    assert (folder / "report.txt").read_text() == tiny.text()
    assert json.loads((folder / "report.json").read_text()) == tiny.as_json()


def test_wrong_cards_leave_no_folder_half_done(tiny, tmp_path):
    with pytest.raises(CardError, match="five cards"):
        write_report(tiny, tmp_path, board="Ks7d2c")
    with pytest.raises(CardError, match="Ks is in the hand and in the board"):
        write_report(tiny, tmp_path, hand="KsQs")
    assert not list(tmp_path.iterdir())


def test_centroids_of_every_feature(tmp_path):
    rng = np.random.default_rng(0)
    rows = np.sort(rng.integers(0, 4097, (12, 19)), axis=1).astype(np.int16)
    turn = Clustered(Histogram(20), rows)
    clusters = OpponentClusters((np.arange(169) * 5 // 169)[::-1].astype(np.uint8))
    rules = {
        "histogram": turn,
        "ochs": Clustered(clusters, rng.integers(0, 4097, (12, 8)).astype(np.int16)),
        "strength": Clustered(Strength(), CENTROIDS),
        "potential": Clustered(Potential(turn, places_of(turn)), places_of(turn)),
    }
    for name, rule in rules.items():
        centroids_png(rule, tmp_path / f"{name}.png", street="turn")
        assert png_size(tmp_path / f"{name}.png") == (Sheet.WIDTH, Sheet.HEIGHT)
        feature_png(rule.feature, ["AsKs", "9c8c"], "Qs7c2c3d", tmp_path / f"{name}-feature.png")
        assert png_size(tmp_path / f"{name}-feature.png") == (Sheet.WIDTH, Sheet.HEIGHT)
    assert len({path.read_bytes() for path in tmp_path.iterdir()}) == 8
    with pytest.raises(OptionError, match="no centroids"):
        centroids_png(Lossless(3), tmp_path / "x.png")
    with pytest.raises(OptionError, match="7 hands"):
        feature_png(Strength(), ["AsKs"] * 7, "Qs7c2c3d", tmp_path / "x.png")
    with pytest.raises(CardError, match="shares a card"):
        feature_png(Strength(), ["AsQs"], "Qs7c2c3d", tmp_path / "x.png")


def test_cumulative_centroids_become_histograms():
    board = np.array([3, 17, 29, 44], np.uint8)
    live = live_hands(board) > 0
    shares = _shares(Histogram(20).whole(board)[live])
    assert shares.sum(axis=1) == pytest.approx(1)
    assert np.abs(shares - Histogram(20).exact(board)[live]).max() < 2 / 4096


def test_shared_hands_are_blue(tmp_path):
    from matplotlib.image import imread

    def share_of_blue(row, column):
        cell = image[82 + 72 * row + 36, 12 + 72 * column : 12 + 72 * column + 70, :3]
        blue = np.array([int(FOLD[at : at + 2], 16) for at in (1, 3, 5)]) / 255
        return np.isclose(cell, blue, atol=0.01).all(axis=1).mean()

    board = "Ks7d2c9hJs"
    sharing_png(TINY, "AsQs", board, tmp_path / "a.png")
    image = imread(tmp_path / "a.png")
    mine = TINY.bucket("AsQs", board)
    assert share_of_blue(0, 2) == pytest.approx(1, abs=0.02)  # AQs: the four of them are alike
    assert TINY.bucket("3d3h", board) != mine
    assert share_of_blue(11, 11) == 0
    # hearts and spades of 9 and J are gone: T8 is a straight whatever its suits
    assert TINY.bucket("Tc8d", board) != mine
    assert share_of_blue(6, 4) == 0
    with pytest.raises(CardError, match="Ks is in the hand and in the board"):
        sharing_png(TINY, "KsQs", board, tmp_path / "b.png")
    with pytest.raises(CardError, match="not a hand"):
        sharing_png(TINY, "As", board, tmp_path / "b.png")


def test_a_cell_is_divided_among_its_buckets(tmp_path):
    from matplotlib.image import imread

    board = "Qs8s3s2d"  # one spade is a flush draw
    place = Strength().whole(np.array(parse_cards(board), np.uint8))[:, 0]
    low, high = place[combo_index("7d5h")], place[combo_index("7s5h")]
    rule = Clustered(Strength(), np.array([[low], [high]], np.int16))
    split = CardAbstraction("split", (Lossless(0), StrengthBins(5), rule, StrengthBins(7)))
    of = split.buckets(board)
    hands = [f"7{a}5{b}" for a in "cdhs" for b in "cdhs" if a != b]
    mine = split.bucket("7s5h", board)
    blue = sum(of[combo_index(hand)] == mine for hand in hands)
    assert 0 < blue < 12
    sharing_png(split, "7s5h", board, tmp_path / "a.png")
    image = imread(tmp_path / "a.png")
    row, column = 9, 7  # 75o
    cell = image[82 + 72 * row + 36, 12 + 72 * column : 12 + 72 * column + 71, :3]
    colour = np.array([int(FOLD[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    seen = np.isclose(cell, colour, atol=0.01).all(axis=1)
    assert seen.mean() == pytest.approx(blue / 12, abs=0.03)
    assert not seen[0]  # weak ones are on the left
    assert seen[-1]


def test_pictures_are_the_same_every_time(tiny, tmp_path):
    for draw in (sizes_png, spread_png):
        for name in ("a.png", "b.png"):
            draw(tiny.streets[1], tmp_path / name)
        assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_the_page_runs():
    page = (Path(__file__).parents[3] / "docs" / "abstraction.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```pycon\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    session = doctest.DocTestParser().get_doctest("".join(blocks), {}, "page", None, 0)
    assert len(session.examples) > 20
    assert doctest.DocTestRunner().run(session).failed == 0
    for name in re.findall(r"\]\((pictures/[^)]*)\)", page):
        picture = Path(__file__).parents[3] / "docs" / name
        assert png_size(picture)
        assert picture.stat().st_size < 150_000
