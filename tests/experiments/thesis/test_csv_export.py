"""The thesis' CSV: every information set that can occur, once, with its numbers; and back again."""

import csv
import random
from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest

from tiltless.abstraction.cards.bucketing import Suitless
from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.blueprint.files.export import decision_nodes
from tiltless.blueprint.strategy import Blueprint, buckets_of
from tiltless.blueprint.tree import betting_tree
from tiltless.cards.card import CLASS_COUNT, CLASS_NAMES, COMBO_CARDS, RANKS
from tiltless.errors import CardError, FileError, OptionError
from tiltless.experiments.thesis import csv_table as thesis_table
from tiltless.experiments.thesis.csv_export import (
    HEADER,
    ThesisCounts,
    possible_buckets,
    write_thesis_csv,
)
from tiltless.experiments.thesis.csv_table import read_thesis_csv
from tiltless.games import load
from tiltless.games.holdem.actions import FOLD, RaiseTo

MENU = "preflop: none; flop: min; cap 1"  # six decisions
CARDS = card_abstraction("thesis")


def blueprint(change=None, game="toy-holdem", menu=MENU, cards=CARDS, **parameters):
    tree = betting_tree(load(game, **parameters), menu)
    average = np.zeros(int(tree.rows(buckets_of(tree, cards)).start[-1]), np.float32)
    if change:
        change(average)
    return Blueprint.from_average(tree, game, parameters, menu, cards, average)


def after(made, history):
    """The node that letters lead to."""
    tree, node = made.tree, 0
    for letter in history:
        child = {"fcr"[kind(tree.action(child))]: child for child in tree.children(node)}
        node = child[letter]
    return node


def kind(action):
    return 2 if isinstance(action, RaiseTo) else int(action != FOLD)


def mixed(average):
    """A quarter never visited, a quarter uniform, the rest random; rows of 2 or 3 are mixed up."""
    rng = np.random.default_rng(11)
    average[:] = rng.random(len(average), dtype=np.float32) ** 3
    for low in range(0, len(average), 6):  # six entries are whole rows of two or of three
        part = average[low : low + 6]
        part[:] = (part, part, 0, 1)[low // 6 % 4]


@pytest.fixture(scope="module")
def made():
    return blueprint(mixed)


@pytest.fixture(scope="module")
def files(made, tmp_path_factory):
    """Counts and path of each kind of export."""
    folder = tmp_path_factory.mktemp("thesis")
    ways = {"all": {}, "visited": {"visited": True}, "clean": {"clean": True}}
    paths = {name: folder / f"{name}.csv" for name in ways}
    return {name: (write_thesis_csv(paths[name], made, **ways[name]), paths[name]) for name in ways}


@pytest.fixture(scope="module")
def plain(files):
    """Each file as the standard library reads it."""
    return {name: read_plainly(path) for name, (_, path) in files.items()}


def read_plainly(path):
    """By the standard library; names to texts, in order."""
    with open(path, newline="", encoding="ascii") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["info_set", "strategies"]
    found = dict(rows[1:])
    assert len(found) == len(rows) - 1
    return found


def deal(name):
    """Cards that a text such as ``K7s 555`` may stand for."""
    hand, _, board = name.partition(" ")
    suits = (0, 0) if hand.endswith("s") else (0, 1)
    hole = [4 * RANKS.index(rank) + suit for rank, suit in zip(hand[:2], suits, strict=True)]
    cards = []
    for rank in board:
        free = (4 * RANKS.index(rank) + suit for suit in range(4))
        cards.append(next(card for card in free if card not in hole + cards))
    return hole, cards


def test_every_row_is_that_of_the_table(made, files, plain):
    found = plain["all"]
    counts = files["all"][0]
    decisions = [len(decision_nodes(made.tree, street)) for street in (0, 1)]
    assert decisions == [2, 4]
    assert counts.infosets == len(found) == 2 * 169 + 4 * 76_882
    tree, seen = made.tree, set()
    for info_set in list(found)[:400] + list(found)[400::331]:
        name, _, history = info_set.rpartition(" ")
        name, history = (name, history) if name else (history, "")
        node, (hole, board) = after(made, history), deal(name)
        bucket = made.bucket(node, hole, board)
        expected = [0.0, 0.0, 0.0]
        for child, chance in zip(tree.children(node), made.row(node, bucket), strict=True):
            expected[kind(tree.action(child))] = chance
        if not made.is_visited(node, bucket):
            expected = [1 / 3] * 3
        assert found[info_set] == f"[{','.join(f'{chance:.2f}' for chance in expected)}]"
        seen.add((node, bucket))
    assert len(seen) > 1300


def test_cleaning_takes_what_was_never_met_and_what_is_still_uniform(made, files, plain):
    tables = [
        made.table(node)[possible_buckets(3 * street)].astype(int)
        for street in (0, 1)
        for node in decision_nodes(made.tree, street)
    ]
    visited = sum(int((table.sum(axis=1) > 0).sum()) for table in tables)
    # the table's bytes are 1 apart at most where they are equal shares of 255
    uneven = sum(int((np.ptp(table, axis=1) > 1).sum()) for table in tables)
    counts = files["all"][0]
    assert counts == ThesisCounts(2 * 169 + 4 * 76_882, visited, uneven)
    assert f"{visited:,} visited" in counts.text()
    assert f"{uneven:,} after cleaning" in counts.text()
    assert 0 < counts.cleaned < counts.visited < counts.infosets
    assert all(each == counts for each, _ in files.values())
    for name, rows in (("visited", visited), ("clean", uneven)):
        assert len(plain[name]) == rows
        assert plain[name].items() <= plain["all"].items()
    assert "[0.33,0.33,0.33]" not in plain["clean"].values()
    assert "[0.33,0.33,0.33]" in plain["visited"].values()
    no_raise = {text for name, text in plain["clean"].items() if name.endswith("r")}
    assert "[0.50,0.50,0.00]" not in no_raise
    assert "[0.49,0.51,0.00]" in no_raise


def test_the_text_is_the_thesis(tmp_path):
    def change(average):
        average[:2] = 15, 85  # AA, first to act: fold or call

    made = blueprint(change)
    path = tmp_path / "out.csv"
    write_thesis_csv(path, made)
    lines = path.read_bytes().decode("ascii").split("\n")
    assert lines[:4] == [
        HEADER,
        'AA,"[0.15,0.85,0.00]"',
        'AKs,"[0.33,0.33,0.33]"',
        'AQs,"[0.33,0.33,0.33]"',
    ]
    assert lines[-1] == ""
    # raising is no longer allowed, but nobody has been there: the thesis' row all the same
    assert 'K7s 555 ccr,"[0.33,0.33,0.33]"' in lines
    assert 'AA c,"[0.33,0.33,0.33]"' in lines
    assert 'T2o KQ9 ccc,"[0.33,0.33,0.33]"' in lines  # the board from the highest rank down
    assert not any(line.startswith(("AA AAA", "22 222")) for line in lines)
    assert sum(line.startswith("AKs AAA ") for line in lines) == 4
    write_thesis_csv(path, made, clean=True)
    assert path.read_text() == f'{HEADER}\nAA,"[0.15,0.85,0.00]"\n'


def test_what_can_be_dealt_is_what_boards_and_hands_give():
    found = np.zeros(76_895, bool)
    rule = Suitless(3)
    for board in combinations(range(52), 3):
        if board[0] % 4 == 0 or board[0] // 4 == board[1] // 4:  # suits are equal in rank
            live = ~np.isin(COMBO_CARDS, board).any(axis=1)
            found[rule.buckets(np.array(board, np.uint8))[live]] = True
    assert (found == possible_buckets(3)).all()
    assert found.sum() == 76_895 - 13
    assert possible_buckets(0).all()


def test_four_cards_of_a_rank_are_all_there_are():
    boards = [
        ranks
        for ranks in combinations_with_replacement(RANKS, 4)
        if all(ranks.count(rank) <= 4 for rank in ranks)
    ]
    naive = sum(
        all((name + "".join(ranks)).count(rank) <= 4 for rank in ranks)
        for ranks in boards
        for name in CLASS_NAMES
    )
    assert possible_buckets(4).sum() == naive < len(possible_buckets(4)) == 307_580


def test_short_decks_have_no_deuces():
    deck = load("short-deck").deck
    assert possible_buckets(0, deck).sum() == 81
    names = [CLASS_NAMES[i] for i in np.flatnonzero(~possible_buckets(0, deck))]
    assert all(set(name) & set("2345") for name in names)


def test_the_whole_game_of_the_thesis():
    tree = betting_tree(load("toy-holdem"), "thesis")
    sets = [int(possible_buckets(cards).sum()) for cards in (0, 3)]
    assert np.dot(tree.size.decisions, sets) == 13_994_890
    assert buckets_of(tree, CARDS) == (169, 76_895)


def test_three_players_have_folds_in_their_histories(tmp_path):
    made = blueprint(menu="none", seats=3)
    path = tmp_path / "out.csv"
    counts = write_thesis_csv(path, made)
    assert 'AA f,"[0.33,0.33,0.33]"' in path.read_text()
    table = read_thesis_csv(path)
    assert len(table) == counts.infosets
    assert (3, "fcc") in table.rows


@pytest.mark.slow
def test_four_streets_and_no_free_fold(tmp_path):
    """Where a check is free there is no fold: its column is 0."""
    path = tmp_path / "out.csv"
    made = blueprint(lambda average: average.fill(1), "nlhe", "preflop: min; none; cap 1", stack=4)
    counts = write_thesis_csv(path, made, visited=True)
    assert counts.visited == counts.infosets
    assert counts.cleaned == 0
    lines = set(path.read_text().splitlines())
    assert 'AA c,"[0.00,0.50,0.50]"' in lines
    assert 'K7s 555 cc,"[0.00,1.00,0.00]"' in lines
    streets = {board_cards for board_cards, _ in read_thesis_csv(path).rows}
    assert streets == {0, 3, 4, 5}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cards": card_abstraction("tiny")}, "'thesis'.*'tiny'"),
        (
            {"game": "nlhe", "stack": 8, "menu": "preflop: min, a; none"},
            " 2;",
        ),
        (
            {"game": "nlhe", "stack": 8, "menu": "preflop: none; flop: 50%, a; cap 1"},
            "'c x /'.*2",
        ),
        (
            {"game": "river-of-blood", "stack": 4, "menu": "none"},
            "0, 3, 4.*5.*river-of-blood",
        ),
    ],
)
def test_other_blueprints_are_refused(tmp_path, options, message):
    made = blueprint(**options)
    with pytest.raises(OptionError, match=message) as caught:
        write_thesis_csv(tmp_path / "out.csv", made)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_progress_and_a_writer_that_dies(made, tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("old")
    calls = []
    write_thesis_csv(tmp_path / "other.csv", made, clean=True, progress=lambda *n: calls.append(n))
    assert calls == [(done, 6) for done in range(1, 7)]

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_thesis_csv(path, made, progress=stop)
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 2


def test_reading_gives_back_what_was_written(files, plain):
    counts, path = files["clean"]
    table = read_thesis_csv(path)
    assert len(table) == counts.cleaned
    for info_set in list(plain["clean"])[::499]:
        hundredths = [float(text) for text in plain["clean"][info_set].strip("[]").split(",")]
        name, _, history = info_set.rpartition(" ")
        expected = pytest.approx([number / sum(hundredths) for number in hundredths])
        assert table.get(info_set) == expected
        if name:
            assert table.find(*deal(name), history) == expected
    everything = read_thesis_csv(files["all"][1])
    assert len(everything) == counts.infosets
    for where, rows in everything.rows.items():
        buckets = np.flatnonzero(possible_buckets(where[0]))
        assert rows.buckets.dtype == np.uint32
        assert (rows.buckets == buckets).all()
        # cleaning has left out rows, and none is another
        kept = table.rows[where]
        assert (rows.hundredths[np.searchsorted(buckets, kept.buckets)] == kept.hundredths).all()
    dropped = next(name for name in plain["all"] if name not in plain["clean"])
    assert table.get(dropped) is None


APPENDIX = """info_set,strategies
AA ,"[0.00,0.00,1.00]"
T2o 222 rc,"[0.17,0.39,0.45]"
T2o 222 rccr, "[0.14, 0.48, 0.38]"
AJo JJJ rrcrr,"[0.12,0.40,0.48]"
53s 964 ccc,"[0.57,0.27,0.17]"
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_lines_of_the_appendix(tmp_path, end):
    path = tmp_path / "thesis.csv"
    path.write_bytes(APPENDIX.replace("\n", end).encode())
    table = read_thesis_csv(path)
    assert len(table) == 5
    assert table.find("AsAh") == table.get("AA") == (0, 0, 1)
    assert table.find("Tc2d", "2c2h2s", "rc") == pytest.approx(
        (0.17 / 1.01, 0.39 / 1.01, 0.45 / 1.01)
    )
    assert table.get("T2o 222 rccr") == pytest.approx((0.14, 0.48, 0.38))
    assert table.find("5s3s", "4d9h6c", "ccc") == table.get("53s 496 ccc") is not None
    assert table.find("5s3h", "4d9h6c", "ccc") is None
    assert table.find("5s3s", "4d9h6c", "cccr") is None
    assert table.find("AsAh", (), "ccc") is None
    assert table.find("2s2h", "3s3h3d", "rc") is None
    with pytest.raises(CardError, match=r"0, 3, 4.*5 cards.*2"):
        table.find("5s3s", "4d9h", "ccc")
    with pytest.raises(CardError):
        table.find("5s3s", "5s4d9h", "ccc")
    with pytest.raises(OptionError, match="'K7 555'"):
        table.get("K7 555 rc")
    with pytest.raises(OptionError, match="'xy'"):
        table.get("K7s 555 xy")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "''"),
        ("AA c", "''"),
        ("AA c,0.33 0.33 0.33", "0.33 0.33 0.33"),
        ('AA c,"[0.33,0.33]"', r"\[0.33,0.33\]"),
        ('AA c,"[0.333,0.333,0.333]"', r"\[0.333,0.333,0.333\]"),
        ('AA c,"[-0.33,0.33,1.00]"', r"\[-0.33,0.33,1.00\]"),
        ('AA c,"[0.33,0.33,0.33]",1', r"\[0.33,0.33,0.33\].*,1"),
        ('AA c,"[0.33,0.33,0.30]"', r"\[0.33,0.33,0.30\].* 1"),
        ('AA c,"[1.00,1.00,1.00]"', r"\[1.00,1.00,1.00\].* 1"),
        ('AK c,"[0.33,0.33,0.33]"', "'AK'"),
        ('AAs c,"[0.33,0.33,0.33]"', "'AAs'"),
        ('KAs c,"[0.33,0.33,0.33]"', "'KAs'"),
        ('AA 22 cc,"[0.33,0.33,0.33]"', "'AA 22'"),
        ('AA 222222 cc,"[0.33,0.33,0.33]"', "'AA 222222'"),
        ('AA  222 cc,"[0.33,0.33,0.33]"', "'AA 222'"),
        ('AA AAA cc,"[0.33,0.33,0.33]"', "'AA AAA'"),
        ('AKo 22222 cc,"[0.33,0.33,0.33]"', "'AKo 22222'"),
        ('AA 222 cx,"[0.33,0.33,0.33]"', "'cx'"),
        ('T2o 222 rc,"[0.33,0.33,0.33]"', " line 3;"),
        ('53s 469 ccc,"[0.33,0.33,0.33]"', " line 6;"),
    ],
)
def test_what_is_no_row_is_refused_by_its_line(tmp_path, line, reason):
    path = tmp_path / "thesis.csv"
    path.write_text(f'{APPENDIX}{line}\nQQ,"[0.33,0.33,0.33]"\n')
    with pytest.raises(FileError, match=f"^line 7 .*{reason}") as caught:
        read_thesis_csv(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "line 1.*''.*'info_set,strategies'"),
        (b"street,player\n", "line 1.*'street,player'"),
        (b"\xff\xfe\x00", "line 1.*'info_set,strategies'"),
        (f"{HEADER}\n".encode() + b"A\xc3\x84 c\n", "line 2.*ASCII"),
    ],
)
def test_other_files_are_refused(tmp_path, content, reason):
    path = tmp_path / "thesis.csv"
    path.write_bytes(content)
    with pytest.raises(FileError, match=reason):
        read_thesis_csv(path)


def columns_of(lines):
    """Lines as the quick way reads them, and whether it does."""
    ends = np.cumsum([len(line) + 1 for line in lines]) - 1
    starts = np.concatenate([[0], ends[:-1] + 1])
    block = np.frombuffer("".join(f"{line}\n" for line in lines).encode("latin-1"), np.uint8)
    return thesis_table._read_columns(block, starts, ends)


def test_the_quick_way_reads_as_the_plain_one(plain):
    """Lines of all forms, and the same with a few bytes changed: never more, never otherwise."""
    rng = random.Random(3)
    lines = [f'{name},"{text}"' for name, text in list(plain["clean"].items())[::97]]
    lines += ['AA 2345 cfcr,"[1.00,0.00,0.00]"', f'72o AKQJT {"r" * 31},"[0.99,0.02,0.00]"']
    lines += ['T9s AAAA c,"[0.33,0.33,0.33]"', '22,"[0.34,0.33,0.33]"']
    assert len(lines) > 500
    assert columns_of(lines).good.all()
    wrong = [f'72o AKQJT {"r" * 32},"[0.33,0.33,0.33]"', 'AA c\0r,"[0.33,0.33,0.33]"']
    wrong += ['T9s ,"[0.33,0.33,0.33]"', 'T9s 234,"[0.33,0.33,0.33]"', 'T9s,"[1.99,0.00,0.00]"']
    for line in lines * 20:
        letters = list(line)
        for _ in range(rng.randint(1, 3)):
            place = rng.randrange(len(letters))
            letters[place] = rng.choice(["", *'AT7so crf019.,"[]\0x\xe9'])
        wrong.append("".join(letters))
    found = columns_of(lines + wrong)
    taken = 0
    for place, line in enumerate(lines + wrong):
        if found.good[place]:
            said = thesis_table._read_line(line)
            assert found.board_cards[place] == said.board_cards
            assert found.buckets[place] == said.bucket
            assert found.histories[place] == said.history
            assert tuple(found.hundredths[place].tolist()) == said.hundredths
            taken += place >= len(lines)
    assert 100 < taken < len(wrong) / 2


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_blocks_end_anywhere(tmp_path, monkeypatch, plain, size):
    monkeypatch.setattr(thesis_table, "_BLOCK", size)
    rows = list(plain["clean"].items())[::1999]
    random.Random(5).shuffle(rows)
    lines = [
        f'{name}, "{text}"\r' if i % 3 else f'{name},"{text}"'
        for i, (name, text) in enumerate(rows)
    ]
    path = tmp_path / "thesis.csv"
    path.write_bytes("\n".join([HEADER, *lines]).encode())  # the last line has no end
    table = read_thesis_csv(path)
    assert len(table) == len(rows)
    for name, text in rows:
        hundredths = [float(number) for number in text.strip("[]").split(",")]
        assert table.get(name) == pytest.approx([n / sum(hundredths) for n in hundredths])
    lines[-2] = "no row"
    path.write_bytes("\n".join([HEADER, *lines]).encode())
    with pytest.raises(FileError, match=f"^line {len(lines)} "):
        read_thesis_csv(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileError, match=r"none\.csv: No such file"):
        read_thesis_csv(tmp_path / "none.csv")


def test_a_file_of_no_rows(tmp_path):
    path = tmp_path / "empty.csv"
    write_thesis_csv(path, blueprint(menu="none"), clean=True)
    assert path.read_text() == f"{HEADER}\n"
    assert len(read_thesis_csv(path)) == 0


def test_classes_are_numbered_first():
    """A bucket is the class plus 169 times the number of the board's ranks, for the reader too."""
    board = np.array([[0, 5, 10]], np.uint8)
    number = int(Suitless(3).rank_numbers(board)[0])
    assert Suitless(3).buckets(board[0])[1325] == CLASS_COUNT * number
