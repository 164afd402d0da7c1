import numpy as np
import pytest

from helpers.scripted import End, Luck, Scripted, Turn
from naive.tabular.trees import expected_payoffs, flat_payoffs, public_payoffs, random_strategy
from tiltless.errors import OptionError
from tiltless.games import CHANCE, TERMINAL, load
from tiltless.tabular import public
from tiltless.tabular.flat import flatten
from tiltless.tabular.public import public_form


def end(value):
    return End((float(value), -float(value)))


def coin_nobody_sees():
    """A hidden coin decides what player 0's guess is worth; then player 1 may leave."""

    def guess(coin):
        def leave(mine):
            return Turn(1, f"after {mine}", {"stay": end(mine == coin), "leave": end(-0.25)})

        return Turn(0, "guess", {side: leave(side) for side in "ht"})

    return Scripted(Luck((), {"h": guess("h"), "t": guess("t")}, (0.3, 0.7)))


GAMES = {
    "rps": load("rps"),
    "bargaining": load("bargaining", pie=4),
    "kuhn": load("kuhn"),
    "kuhn3": load("kuhn", players=3),
    "kuhn4": load("kuhn", players=4),
    "leduc": load("leduc"),
    "leduc-ranks": load("leduc", rank_only=True),
    "leduc-52": load("leduc", ranks=3, suits=3, raises=1),
    "hidden": coin_nobody_sees(),
}
FLAT = {name: flatten(game) for name, game in GAMES.items()}
FORMS = {name: public_form(game) for name, game in GAMES.items()}
every_game = pytest.mark.parametrize("name", GAMES)


@pytest.mark.parametrize("lane", [1, 8])
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))]
)
@every_game
def test_public_flat_and_readable_worlds_agree(name, seed, lane):
    flat, form = FLAT[name], FORMS[name] if lane == 1 else public_form(GAMES[name], lane=lane)
    strategy, table = random_strategy(flat, seed)
    places = form.flat_indices(flat)
    naive = expected_payoffs(flat.game.start(), strategy)
    assert flat_payoffs(flat, table) == pytest.approx(naive, abs=1e-12, rel=0)
    rows = np.where(places >= 0, table[places], 1.0)  # what is in the padding must not matter
    assert public_payoffs(form, rows) == pytest.approx(naive, abs=1e-12, rel=0)


@every_game
def test_every_infoset_has_its_place(name):
    flat, form = FLAT[name], FORMS[name]
    places = form.flat_indices(flat)
    used = places[places >= 0]
    assert sorted(used) == list(range(flat.entries))
    assert form.infosets == flat.infosets
    assert places.shape == (form.rows, form.width)
    for block in form.blocks:
        assert len(block.keys) == len(form.hands[block.player])
        assert all(key is None or key[0] == block.player for key in block.keys)


@every_game
def test_nodes_are_in_level_order(name):
    tree = FORMS[name].tree
    nodes, first = len(tree.actor), tree.first.astype(np.int64)
    assert first[0] == 1
    assert first[-1] == nodes
    assert np.all(first[:-1] > np.arange(nodes))
    depth = np.zeros(nodes, dtype=int)
    for node in range(nodes):
        depth[first[node] : first[node + 1]] = depth[node] + 1
    assert np.all(np.diff(depth) >= 0)
    assert tree.level.tolist() == [*np.searchsorted(depth, range(depth[-1] + 1)), nodes]
    assert np.array_equal(np.diff(first) == 0, tree.actor == TERMINAL)


@every_game
def test_terminals_are_numbered_by_matrix(name):
    tree = FORMS[name].tree
    ends = tree.row[tree.actor == TERMINAL]
    assert sorted(ends) == list(range(len(tree.matrix)))
    assert np.all(np.diff(tree.matrix[:, 0].astype(int)) >= 0)
    assert np.abs(tree.matrices).max() <= 1
    assert len({matrix.tobytes() for matrix in tree.matrices}) == len(tree.matrices)
    assert all(part.flags.c_contiguous and part.flags.writeable for part in tree)
    assert [part.dtype.name for part in tree] == [
        "int8", "uint32", "uint32", "int64", "uint32", "float64", "float64",
    ]  # fmt: skip


def test_sizes():
    kuhn, leduc = FORMS["kuhn"], FORMS["leduc"]
    assert len(kuhn.tree.actor) == 9
    assert (len(leduc.tree.actor), leduc.rows, leduc.width) == (465, 434, 6)
    assert leduc.hands == (("Jh", "Js", "Qh", "Qs", "Kh", "Ks"),) * 2
    assert len(leduc.tree.matrix) == 274
    assert len(leduc.tree.matrices) == 13  # folds and showdowns on 6 boards, folds before
    assert leduc.nbytes < 20_000
    assert public_form(GAMES["leduc"], lane=8).tree.matrices.shape == (13, 8, 8)


def test_weights_are_those_of_the_deals():
    """At the first fold of Leduc each of the 30 deals weighs 1/30; on a board, 20 weigh 1/120."""
    tree = FORMS["leduc"].tree
    weights = {round(float(np.abs(m).sum()), 12) for m in tree.matrices}
    assert {1.0, round(20 / 120, 12)} <= weights
    assert all(np.all(np.diag(matrix) == 0) for matrix in tree.matrices)


def test_blocks_read_like_the_game():
    form = FORMS["leduc"]
    block = form.blocks[0]
    assert block.keys[3] == (0, ("", ""), "Qs")
    assert block.actions == ("check", "raise")
    later = next(block for block in form.blocks if block.keys[0][1] == ("check check /", "Kh"))
    assert later.keys[4] is None  # that card is on the board


def test_nodes_that_a_player_cannot_tell_apart_share_rows():
    form = FORMS["rps"]
    assert form.rows == 6
    rows = form.tree.row[form.tree.actor == 1]
    assert len(rows) == 3
    assert set(rows.tolist()) == {3}


def test_both_players_are_paid_in_games_that_are_not_zero_sum():
    assert FORMS["bargaining"].tree.matrix.shape == (25, 2)
    assert FORMS["kuhn3"].tree.matrix.shape[1] == 3
    assert FORMS["kuhn"].tree.matrix.shape[1] == 1


def turn(**moves):
    return Turn(0, "", moves)


REFUSED = {
    "private chance follows": Scripted(
        turn(a=Luck((1,), {"h": end(1), "t": end(0)}), b=end(0))
    ),
    "what is legal depends on private cards": Scripted(
        Luck((1,), {
            "h": Turn(1, "x", {"a": end(1)}),
            "t": Turn(1, "x", {"a": end(1), "b": end(2)}),
        })
    ),
    "who acts depends on private cards": Scripted(
        Luck((1,), {"h": Turn(1, "x", {"a": end(1)}), "t": end(0)})
    ),
    "player 0 knows more": Scripted(
        Luck((1,), {"h": Turn(0, "h", {"a": end(1)}), "t": Turn(0, "t", {"a": end(1)})})
    ),
    "infosets overlap": Scripted(
        Luck((0, 1), {
            "h": Turn(0, "", {"a": Turn(0, "x", {"c": end(1)}), "b": Turn(0, "x", {"d": end(1)})}),
        })
    ),
}  # fmt: skip


@pytest.mark.parametrize("reason", REFUSED)
def test_games_without_a_public_form_are_refused(reason):
    with pytest.raises(OptionError, match=f"scripted.*{reason}.*flat"):
        public_form(REFUSED[reason])


def test_public_chance_may_come_first():
    board = {
        colour: Luck((0,), {
            "h": Turn(0, colour, {"a": end(1), "b": end(0)}),
            "t": Turn(0, colour, {"a": end(-1), "b": end(0)}),
        })
        for colour in ("red", "black")
    }  # fmt: skip
    with pytest.raises(OptionError, match=r"\(player 0, red\)"):
        public_form(Scripted(Luck((0, 1), board)))
    only = Scripted(Luck((0, 1), {c: Turn(0, c, {"a": end(1)}) for c in ("red", "black")}))
    assert (public_form(only).tree.actor == CHANCE).sum() == 1


def test_large_games_are_refused():
    with pytest.raises(OptionError, match=r"^nlhe.*5e\+07; raise"):
        public_form(load("nlhe", stack="100bb"))


def test_matrices_that_do_not_fit_into_memory_are_refused():
    game, need = GAMES["leduc"], 2 * FORMS["leduc"].tree.matrices.nbytes
    assert public_form(game, memory_limit=need).infosets == FORMS["leduc"].infosets
    with pytest.raises(OptionError, match=r"^leduc.*13.*6 hands.*GB"):
        public_form(game, memory_limit=need - 1)
    with pytest.raises(OptionError, match="memory_limit=-1"):
        public_form(game, memory_limit=-1)


def test_no_matrix_is_made_that_does_not_fit(monkeypatch):
    monkeypatch.setattr(public._Layout, "_pay", None)
    with pytest.raises(OptionError, match=r"^kuhn.*1.*0.268 GB"):
        public_form(GAMES["kuhn3"], lane=256, memory_limit=10**6)
    with pytest.raises(OptionError, match="lane=0"):
        public_form(GAMES["kuhn"], lane=0)
