import errno
import os
import shutil
from dataclasses import dataclass, replace

import numpy as np
import pytest

from naive.cards import isomorphism as naive
from tiltless.abstraction.cards import tables as tables_module
from tiltless.abstraction.cards.abstraction import CardAbstraction
from tiltless.abstraction.cards.bucketing import Lossless, Suitless, rank_pairs
from tiltless.abstraction.cards.features import live_hands
from tiltless.abstraction.cards.fill import filled
from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.abstraction.cards.relabelled import relabelled
from tiltless.abstraction.cards.tables import (
    MissingTableError,
    build_tables,
    estimate_build,
    open_tables,
)
from tiltless.blueprint.simulate.playout import play
from tiltless.blueprint.tree import betting_tree
from tiltless.cards.card import COMBO_CARDS, COMBO_OF
from tiltless.cards.hand_order import permuted
from tiltless.cards.isomorphism import isomorphism
from tiltless.errors import DamagedFileError, FileError, FingerprintError, OptionError, WriteError
from tiltless.files.arrays import write_arrays
from tiltless.games import load
from tiltless.kernels.cards.bucket_tables import fill_from_table

RNG = np.random.default_rng(2)


@dataclass
class Ranks:
    """A quick rule that does not change with the names of suits, and looks at every card."""

    count: int = 251
    factor: int = 7
    text = "ranks"
    wants_table = True
    newest_counts = False
    calls: int = 0

    @property
    def definition(self):
        return "test ranks", self.count, self.factor

    def buckets(self, board):
        self.calls += 1
        low, high = COMBO_CARDS.astype(np.int64).T
        suited = (low & 3 == high & 3) + sum((low & 3) == (card & 3) for card in board)
        suited = suited + sum((high & 3) == (card & 3) for card in board)
        ranks = sum(int(card) >> 2 for card in board) * 31 + (low >> 2) * (high >> 2)
        ranks += (low >> 2) + (high >> 2)
        buckets = (self.factor * ranks + 13 * suited) % self.count
        buckets[live_hands(board) == 0] = 0
        return buckets.astype(np.uint16)


def flops_only(count=251, factor=7):
    return CardAbstraction("test", (Lossless(0), Ranks(count, factor), Suitless(4), Lossless(5)))


@pytest.mark.nojit
@pytest.mark.bounds
def test_a_board_and_its_hand_become_canonical_together():
    """The permutation of `index_board` takes a board to the canonical board of its index."""
    for suits, classes in (("all", ("cdhs",)), ("red-black", ("cs", "dh"))):
        for size in (3, 4, 5):
            boards = isomorphism((size,), suits)
            # a table that says of each row which combo was looked up
            combos = np.broadcast_to(np.arange(1326, dtype=np.uint16), (boards.size, 1326))
            for _ in range(20):
                cards = RNG.permutation(52)[: 4 + size].astype(np.uint8)[None]
                bucket = np.zeros((1, 2, 1), np.uint32)
                fill_from_table(cards, size, 1, combos, boards.tables, COMBO_OF, 0, bucket)
                row = boards.index(cards[0, 4:].tolist())
                board = boards.unindex(row)
                for player in range(2):
                    hand = cards[0, 2 * player : 2 * player + 2].tolist()
                    moved = COMBO_CARDS[bucket[0, player, 0]].tolist()
                    whole = naive.split([*hand, *cards[0, 4:]], (2, size))
                    assert naive.split([*moved, *board], (2, size)) in naive.orbit(whole, classes)


def test_tables_hold_what_is_computed_on_the_fly(tmp_path):
    abstraction = flops_only()
    tables = build_tables(abstraction, folder=tmp_path, threads=1)
    assert tables.nbytes == 1755 * 1326
    for _ in range(200):
        board = RNG.choice(52, 3, replace=False)
        assert np.array_equal(tables.buckets(board.tolist()), abstraction.buckets(board.tolist()))
    for board in ("", "Ks7d2cJh", "Ks7d2cJh3s"):
        assert np.array_equal(tables.buckets(board), abstraction.buckets(board))
    assert [path.name for path in tmp_path.iterdir()] == [tables.paths[0].name]


def test_dealt_hands_are_filled_with_the_buckets_of_their_boards(tmp_path):
    abstraction = flops_only()
    tables = build_tables(abstraction, folder=tmp_path)
    cards = np.array([RNG.permutation(52)[:11] for _ in range(50)], np.uint8)
    bucket = np.zeros((50, 3, 4), np.uint32)
    for street, group in enumerate(tables.groups):
        group.fill(cards, street, bucket)
    for i, row in enumerate(cards):
        for street, size in enumerate((0, 3, 4, 5)):
            wanted = abstraction.buckets(row[6 : 6 + size].tolist())
            for player in range(3):
                combo = COMBO_OF[row[2 * player], row[2 * player + 1]]
                assert bucket[i, player, street] == wanted[combo]


def test_a_table_of_one_street_serves_while_others_are_computed(tmp_path):
    turn = Ranks(factor=5)
    abstraction = CardAbstraction("test", (Lossless(0), Ranks(), turn, Lossless(5)))
    assert build_tables(abstraction, folder=tmp_path, streets=("flop",)).paths
    with pytest.raises(MissingTableError):
        open_tables(abstraction, folder=tmp_path)
    tables = open_tables(abstraction, folder=tmp_path, partial=True)
    assert [path.name[:4] for path in tables.paths] == ["flop"]
    flops, turns = abstraction.streets[1].calls, turn.calls
    board = np.array([3, 17, 30, 44], np.uint8)
    for size, rule in ((3, Ranks()), (4, Ranks(factor=5))):
        assert np.array_equal(tables.buckets(board[:size]), rule.buckets(board[:size]))
    assert (abstraction.streets[1].calls, turn.calls) == (flops, turns + 1)
    with pytest.raises(MissingTableError):
        tables.groups[2].fill(np.zeros((1, 9), np.uint8), 2, np.zeros((1, 2, 4), np.uint32))


def test_more_than_256_buckets_take_two_bytes(tmp_path):
    assert build_tables(flops_only(256), folder=tmp_path).groups[1].table.dtype == np.uint8
    tables = build_tables(flops_only(257), folder=tmp_path)
    assert tables.groups[1].table.dtype == np.uint16
    assert np.array_equal(tables.buckets("Ks7d2c"), flops_only(257).buckets("Ks7d2c"))


def test_tables_are_byte_identical_whatever_the_threads(tmp_path):
    bytes_of = []
    for threads in (1, 3):
        folder = tmp_path / str(threads)
        bytes_of.append(build_tables(flops_only(), folder=folder, threads=threads).paths[0])
    assert len({path.read_bytes() for path in bytes_of}) == 1


def test_an_interrupted_build_goes_on_where_it_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(tables_module, "_PART", 1326 * 300)
    abstraction = flops_only()
    done = []

    def stop(_street, boards, _all):
        done.append(boards)
        if len(done) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_tables(abstraction, folder=tmp_path, progress=stop)
    with pytest.raises(FileError, match="build it with `tiltless abstraction build`"):
        open_tables(abstraction, folder=tmp_path)
    assert done == [300, 600, 900]
    parts = [part.stat().st_size for part in tmp_path.glob("*.parts/*")]
    left = estimate_build(abstraction, folder=tmp_path)
    abstraction.streets[1].calls = 0
    tables = build_tables(abstraction, folder=tmp_path)
    assert abstraction.streets[1].calls < 1755 - 900 + 20
    assert left.disk == 2 * 1755 * 1326 - sum(parts)
    whole = build_tables(abstraction, folder=tmp_path / "other").paths[0]
    assert whole.read_bytes() == tables.paths[0].read_bytes()
    assert not list(tmp_path.glob("*.parts"))


def test_a_damaged_part_is_built_again(tmp_path, monkeypatch):
    monkeypatch.setattr(tables_module, "_PART", 1326 * 300)
    abstraction = flops_only()
    with pytest.raises(KeyboardInterrupt):
        build_tables(abstraction, folder=tmp_path, progress=_raise_after(2))
    part = sorted(tmp_path.glob("*.parts/*"))[0]
    data = bytearray(part.read_bytes())
    data[-5] ^= 4
    part.write_bytes(data)
    tables = build_tables(abstraction, folder=tmp_path)
    assert np.array_equal(tables.buckets("2c2d3c"), abstraction.buckets("2c2d3c"))
    open_tables(abstraction, folder=tmp_path)


def test_what_a_killed_process_left_beside_a_table_is_removed(tmp_path):
    path = build_tables(flops_only(), folder=tmp_path).paths[0]
    path.with_suffix(".lock").write_text("1")
    path.with_suffix(".parts").mkdir()
    (path.with_suffix(".parts") / "00000000.safetensors").touch()
    build_tables(flops_only(), folder=tmp_path)
    assert list(tmp_path.iterdir()) == [path]


def _raise_after(calls):
    seen = []

    def progress(*_):
        seen.append(1)
        if len(seen) == calls:
            raise KeyboardInterrupt

    return progress


def test_a_table_of_something_else_is_refused(tmp_path):
    ours, theirs = flops_only(), flops_only(factor=11)
    path = build_tables(ours, folder=tmp_path).paths[0]
    other = build_tables(theirs, folder=tmp_path).paths[0]
    assert path != other
    shutil.copy(other, path)
    with pytest.raises(FingerprintError):
        open_tables(ours, folder=tmp_path)


def test_a_truncated_or_flipped_table_is_refused(tmp_path):
    abstraction = flops_only()
    path = build_tables(abstraction, folder=tmp_path).paths[0]
    whole = path.read_bytes()
    path.write_bytes(whole[:-100])
    with pytest.raises(DamagedFileError):
        open_tables(abstraction, folder=tmp_path)
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 16
    path.write_bytes(flipped)
    with pytest.raises(DamagedFileError):
        open_tables(abstraction, folder=tmp_path)
    path.write_bytes(whole)
    open_tables(abstraction, folder=tmp_path)


def test_a_damaged_table_is_built_again(tmp_path):
    abstraction = flops_only()
    path = build_tables(abstraction, folder=tmp_path).paths[0]
    whole = path.read_bytes()
    path.write_bytes(whole[:-100])
    build_tables(abstraction, folder=tmp_path)
    assert path.read_bytes() == whole


def test_a_full_disk_is_told_before_and_while_building(tmp_path, monkeypatch):
    abstraction = flops_only()
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(
        tables_module.shutil, "disk_usage", lambda _: usage._replace(free=1_000_000)
    )
    with pytest.raises(WriteError, match=r"need 5 MB and .* has 1 MB left"):
        build_tables(abstraction, folder=tmp_path)
    monkeypatch.undo()

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WriteError, match="No space left"):
        build_tables(abstraction, folder=tmp_path)
    monkeypatch.undo()
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    build_tables(abstraction, folder=tmp_path)


def test_the_colour_of_the_newest_card_has_a_row_of_its_own():
    """`fill_from_table` with two colours: odd rows are red."""
    boards = isomorphism((5,), "red-black")
    parity = np.broadcast_to((np.arange(2 * boards.size) % 2)[:, None], (2 * boards.size, 1326))
    row_of = np.broadcast_to(np.arange(2 * boards.size)[:, None], (2 * boards.size, 1326))
    cards = np.array([RNG.permutation(52)[:9] for _ in range(100)], np.uint8)
    bucket = np.zeros((100, 2, 2), np.uint32)
    fill_from_table(cards, 5, 2, parity, boards.tables, COMBO_OF, 0, bucket)
    fill_from_table(cards, 5, 2, row_of, boards.tables, COMBO_OF, 1, bucket)
    suits = cards[:, 8] & 3
    assert (bucket[:, 0, 0] == ((suits == 1) | (suits == 2))).all()
    assert (bucket[:, 0, 1] // 2 == boards.index_many(cards[:, 4:].copy())).all()


@dataclass
class NewestRanks(Ranks):
    """Looks at the newest card's colour and at all other cards as a set."""

    newest_counts = True

    @property
    def definition(self):
        return "test newest ranks", self.count

    def buckets(self, board):
        red = int(board[-1]) & 3 in (1, 2)
        buckets = (super().buckets(board) + 100 * red) % self.count
        buckets[live_hands(board) == 0] = 0
        return buckets


def test_a_table_knows_the_colour_of_the_newest_card(tmp_path, monkeypatch):
    # flops instead of rivers: the same code, fewer boards
    streets = (Lossless(0, "red-black"), NewestRanks(), Suitless(4), Lossless(5, "red-black"))
    abstraction = CardAbstraction("newest", streets, "red-black")
    tables = build_tables(abstraction, folder=tmp_path)
    assert len(tables.groups[1].table) == 2 * isomorphism((3,), "red-black").size
    for _ in range(300):
        board = RNG.choice(52, 3, replace=False).tolist()
        assert np.array_equal(tables.buckets(board), abstraction.buckets(board))


def test_under_a_known_permutation_the_standard_table_serves(tmp_path):
    standard = flops_only()
    built = build_tables(standard, folder=tmp_path)
    shown = relabelled(standard, permuted("A23456789TJQK"))
    tables = open_tables(shown, folder=tmp_path)
    assert tables.paths == built.paths
    assert tables.nbytes == built.nbytes
    cards = np.array([RNG.permutation(52)[:9] for _ in range(50)], np.uint8)
    bucket = np.zeros((50, 2, 4), np.uint32)
    for street, group in enumerate(tables.groups):
        group.fill(cards, street, bucket)
    for i, row in enumerate(cards):
        for street, size in enumerate((0, 3, 4, 5)):
            board = row[4 : 4 + size].tolist()
            wanted = shown.buckets(board)
            assert np.array_equal(tables.buckets(board), wanted)
            assert bucket[i, 1, street] == wanted[COMBO_OF[row[2], row[3]]]


def test_a_street_without_its_table_says_how_to_build_it():
    with pytest.raises(OptionError, match="build it with `tiltless abstraction build`"):
        filled(card_abstraction("standard"), 1)


def test_playouts_take_the_buckets_of_an_abstraction(tmp_path):
    abstraction = CardAbstraction("test", (rank_pairs(), Ranks(9), Suitless(4), Suitless(5)))
    tables = build_tables(abstraction, folder=tmp_path)
    tree = betting_tree(load("nlhe", stack=6), "100%, a")
    one = play(tree, 2000, seed=4, buckets=tables.groups)
    two = play(tree, 2000, seed=4)
    assert (one.sums == two.sums).all()  # a policy of zeros is the same in all buckets
    rows = tree.rows([group.count for group in tables.groups])
    policy = np.zeros(int(rows.start[-1]))
    policy[::3] = 1.0
    three = play(tree, 2000, seed=4, buckets=tables.groups, policy=policy, trace=True)
    assert (three.sums != two.sums).any()
    assert three.cards is not None
    bucket = np.zeros((2000, 2, 4), np.uint32)
    tables.groups[1].fill(three.cards, 1, bucket)
    wanted = [abstraction.buckets(row[4:7].tolist()) for row in three.cards[:50]]
    combos = COMBO_OF[three.cards[:50, 0], three.cards[:50, 1]]
    assert bucket[:50, 0, 1].tolist() == [row[c] for row, c in zip(wanted, combos, strict=True)]


@pytest.mark.slow
def test_the_tiny_preset_is_byte_identical_with_one_thread_and_two(tmp_path):
    abstraction = card_abstraction("tiny")
    one = build_tables(abstraction, folder=tmp_path / "1", threads=1)
    two = build_tables(abstraction, folder=tmp_path / "2", threads=2)
    for first, second in zip(one.paths, two.paths, strict=True):
        assert first.read_bytes() == second.read_bytes()


def test_tables_with_other_suits_or_of_other_shapes_are_others(tmp_path):
    cards = card_abstraction("tiny")
    (plan, *_), (other, *_) = (
        tables_module._plans(each, tmp_path) for each in (cards, replace(cards, suits=("cs", "dh")))
    )
    assert plan.path != other.path
    path, rows = next(plan.parts())
    path.parent.mkdir()
    about = {"kind": tables_module.KIND, "fingerprint": plan.fingerprint}
    for shape, dtype, sound in (((3, 1326), plan.dtype, False), ((790, 1326), np.uint16, False),
                                ((790, 1326), plan.dtype, True)):  # fmt: skip
        write_arrays(path, {"buckets": np.ones(shape, dtype)}, **about)
        out = np.zeros((rows.stop, 1326), plan.dtype)
        assert tables_module._read_part(plan, path, out) == out.all() == sound
