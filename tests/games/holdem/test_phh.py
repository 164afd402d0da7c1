"""PHH in and out; pokerkit replays what we write to the same chips."""

import builtins
import re
from random import Random

import pytest

from helpers.playing import deal, play, random_action
from tiltless.errors import InputError, OptionError
from tiltless.games import CHANCE, TERMINAL, load
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.phh import from_phh, to_phh
from tiltless.games.holdem.record import hand_line, record_hand
from tiltless.games.holdem.state import HoldemState
from tiltless.games.holdem.variants import limit_holdem, nlhe, short_deck

pokerkit = pytest.importorskip("pokerkit")

WRITTEN_BY_POKERKIT = """
variant = 'NT'
ante_trimming_status = false
antes = [0, 0]
blinds_or_straddles = [50, 100]
min_bet = 100
starting_stacks = [20000, 20000]
actions = ['d dh p1 AsKd', 'd dh p2 7h7d', 'p2 cbr 250', 'p1 cbr 900', 'p2 cc', 'd db 7c2d9h', \
'p1 cc', 'p2 cbr 1200', 'p1 cc', 'd db Kc', 'p1 cc', 'p2 cc', 'd db 2s', 'p1 cbr 17900', \
'p2 cc', 'p1 sm AsKd', 'p2 sm 7h7d']
players = ['BotA', 'BotB']
"""


def random_hand(game: Holdem, seed: int) -> HoldemState:
    rng = Random(seed)
    stacks = tuple(rng.randint(1, 120) for _ in range(game.players))
    state = game.start(rng.randrange(game.players), stacks)
    while state.actor != TERMINAL:
        chance = state.chance
        state = state.apply(chance.sample(rng) if chance else random_action(state, rng))
    return state


GAMES = [
    nlhe(),
    nlhe(seats=3, straddle=4),
    nlhe(seats=6, ante=1),
    nlhe(seats=4, big_blind_ante=2),
    nlhe(big_blind_ante=2),
    limit_holdem(seats=4),
    short_deck(seats=5),
    short_deck(seats=2),
    short_deck(seats=3, blinds=(1, 2)),
]


def check_round_trip(game: Holdem, seed: int) -> None:
    """Our reader gives the same record, with and without unseen cards; pokerkit the same chips."""
    names = tuple(f"Player {seat}" for seat in range(game.players))
    record = record_hand(random_hand(game, seed), names, seed)
    if seed % 3 == 0:
        record = record.as_seen_by(seed % game.players)
    text = to_phh(record)
    assert from_phh(text, game=game) == record
    again = from_phh(text)
    assert again.events == record.events
    assert (again.button, again.stacks, again.names) == (
        record.button,
        record.stacks,
        record.names,
    )
    assert to_phh(again) == text
    *_, end = pokerkit.HandHistory.loads(text)
    assert not end.status
    odd = len(record.final.pots) > 1  # pokerkit may find the odd chips elsewhere
    order = game.rules.clockwise(record.button)
    for place, seat in enumerate(order):
        difference = end.payoffs[place] - record.payoffs[seat]
        assert abs(difference) <= (len(order) if odd else 0)


FEW = {"nlhe": 20, "limit-holdem": 100, "short-deck": 34}  # for each game: 100 of each variant


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.name}-{game.players}")
def test_hands_round_trip_and_pokerkit_replays_them(game):
    for seed in range(FEW[game.name]):
        check_round_trip(game, seed)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.name}-{game.players}")
def test_ten_thousand_hands_of_each_variant_round_trip(game):
    for seed in range(FEW[game.name], 101 * FEW[game.name]):
        check_round_trip(game, seed)


def test_short_deck_heads_up_with_a_big_blind_alone():
    """Heads-up blinds are reversed in the file, so the last one is not the button's."""
    text = """
    variant = 'NS'
    antes = [0, 0]
    blinds_or_straddles = [0, 2]
    min_bet = 2
    starting_stacks = [200, 200]
    actions = ['d dh p1 AhAd', 'd dh p2 KhKd', 'p2 cbr 10', 'p1 f']
    """
    *_, end = pokerkit.HandHistory.loads(text)
    record = from_phh(text)
    assert list(record.payoffs) == list(end.payoffs) == [-2, 2]
    assert record.game.rules.blinds == (0, 2)


def test_a_hand_written_by_pokerkit():
    record = from_phh(WRITTEN_BY_POKERKIT)
    assert hand_line(record) == (
        "HAND:0:nlhe:1:20000|20000:r250r900c/kr1200c/kk/r17900c:"
        "AsKd|7h7d/9h7c2d/Kc/2s:-20000|20000:BotA|BotB"
    )


def test_chairs_are_kept():
    text = WRITTEN_BY_POKERKIT + "seats = [6, 2]\nhand = 41\n"
    record = from_phh(text)
    assert (record.button, record.number, record.names) == (0, 41, ("BotB", "BotA"))
    assert record.payoffs == (20000, -20000)


def test_money_is_counted_in_chips_of_a_unit():
    money = lambda found: f"{int(found[0]) / 100:.2f}"  # noqa: E731
    text = re.sub(r"\b\d{2,}\b", money, WRITTEN_BY_POKERKIT)
    with pytest.raises(InputError, match=r"0.50?"):
        from_phh(text)
    assert from_phh(text, unit="0.01").events == from_phh(WRITTEN_BY_POKERKIT).events
    for unit in (0, -1, "coin", "inf", float("nan"), "nan", None):
        with pytest.raises(OptionError, match=r"unit=.*'0\.01'"):
            from_phh(text, unit=unit)


def test_a_check_that_we_do_not_ask_for_is_skipped():
    """The button folds to a small blind who is all-in: pokerkit asks the big blind."""
    text = """
variant = 'NT'
antes = [0, 0, 0]
blinds_or_straddles = [1, 2, 0]
min_bet = 2
starting_stacks = [1, 100, 100]
actions = ['d dh p1 AsKd', 'd dh p2 7h7d', 'd dh p3 2c3c', 'p3 f', 'p2 cc', 'd db 7c2d9h', \
'd db Kc', 'd db 2s']
"""
    record = from_phh(text)
    assert record.payoffs == (-1, 1, 0)
    for wrong in ("'p2 cc', 'p2 cc'", "'p1 cc'", "'p3 cc'"):
        with pytest.raises(InputError, match="nobody"):
            from_phh(text.replace("'p2 cc'", wrong))
    with pytest.raises(InputError, match="nobody"):
        from_phh(
            text.replace("'d db Kc'", "'p2 cc', 'd db Kc'").replace("'p2 cc', 'd db 7", "'d db 7")
        )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("'NT'", "'PO'", "PO.*hold'em"),
        ("antes = [0, 0]", "antes = [3, 0]", r"\[3, 0\]"),
        ("p2 cbr 250", "p2 cbr 150", "raise to 150"),
        ("p2 cbr 250", "p1 cbr 250", "p2$"),
        ("p2 cbr 250", "p9 cbr 250", "action 2"),
        ("p2 cbr 250", "q2 cbr 250", "'q2'"),
        ("p2 cbr 250", "p2 pb", "f, cc, or cbr"),
        ("p2 cbr 250", "p2 cbr many", "raise 'many'"),
        ("AsKd", "As??", r"'\?\?' in 'As\?\?'"),
        ("variant", "$", "PHH"),
        ("[20000, 20000]", "[inf, 20000]", "Infinity is not known"),
        ("[20000, 20000]", "[nan, 20000]", "NaN is not known"),
        ("p2 sm 7h7d", "p2 sm", "p2 mucked"),  # three sevens: pokerkit pays the other
        ("[20000, 20000]", "[20000]", "1 starting_stacks.*2"),
        ("[20000, 20000]", "20000", "starting_stacks"),
        ("antes = [0, 0]", "antes = []", r"antes = \[\].*2"),
        ("[50, 100]", "[50]", r"blinds_or_straddles = \[50\].*2 entries"),
        ("[50, 100]", "[]", "2 entries"),
        ("['BotA', 'BotB']", "['BotA']", "2 entries"),
        ("['BotA', 'BotB']", "['BotA', 7]", r"\['BotA', 7\]"),
        ("players =", "seats = [7, 7]\nplayers =", r"\[7, 7\]"),
        ("players =", "seats = [1, 2, 3]\nplayers =", "2 entries"),
        ("players =", "finishing_stacks = [0, 40000, 0]\nplayers =", "2 entries"),
        ("players =", "finishing_stacks = [1, 39999]\nplayers =", r"\[0, 40"),
        ("'NT'", "'F7S'", "F7S.*seven-card stud"),
        ("'p1 sm AsKd'", "'p1 cc'", "nobody"),
        ("'d db Kc'", "'p1 cc', 'd db Kc'", "'p1 cc'"),
        ("'d dh p2 7h7d'", "'p2 cc', 'd dh p2 7h7d'", "nobody"),
        ("'d dh p2 7h7d'", "'d dh p1 7h7d'", r"\bp1\b"),
        ("'d dh p2 7h7d'", "'d dh p2'", "'d dh p1 AsKd'"),
        ("'d db Kc'", "'d db'", "'d db 2c3d4h'"),
        ("'d db Kc'", "7", "actions .*strings|this is not PHH"),
        ("p2 cbr 250", "p9 cc", "'p9'.*p1 to p2"),
        ("p2 cbr 250", "p0 cc", "'p0'"),
        ("p2 cbr 250", "p2 cbr 1e5000", "raise 1e5000 is not a whole number"),
        ("p2 cbr 250", "p2 cbr 1e9999999", "raise 1e9999999 is not a whole number"),
        ("p2 cbr 250", f"p{'9' * 5000} cc", r"'p999\S+\.\.\. is not a player"),
        ("players =", "seats = [[1], [2]]\nplayers =", r"\[\[1\], \[2\]\] are not 2 different"),
        ("'NT'", "['NT']", r"\['NT'\].*hold'em"),
    ],
)
def test_files_that_cannot_be_read(old, new, message):
    with pytest.raises(InputError, match=message):
        from_phh(WRITTEN_BY_POKERKIT.replace(old, new, 1))
    assert old in WRITTEN_BY_POKERKIT


def test_a_fold_where_a_check_is_free():
    text = WRITTEN_BY_POKERKIT.replace("'p1 cc', 'p2 cbr 1200'", "'p1 f'")
    text = text[: text.index(", 'p1 cc', 'd db Kc'")] + "]\n"
    record = from_phh(text)
    assert record.game.rules.free_fold
    assert record.payoffs == (-900, 900)
    with pytest.raises(OptionError, match="check is free"):
        to_phh(record)
    with pytest.raises(InputError, match="check is free"):
        from_phh(text, game=nlhe(stack=20_000, blinds=(50, 100)))
    assert not from_phh(WRITTEN_BY_POKERKIT).game.rules.free_fold


def test_unknown_cards():
    """They are shown, or mucked, or the result says who won; otherwise nobody guesses."""
    text = WRITTEN_BY_POKERKIT.replace("d dh p1 AsKd", "d dh p1 ????")
    assert from_phh(text).events == from_phh(WRITTEN_BY_POKERKIT).events
    mucked = text.replace("p1 sm AsKd", "p1 sm")
    assert from_phh(mucked).payoffs == (-20_000, 20_000)
    assert from_phh(mucked).final.hole[0] == ()
    assert from_phh(to_phh(from_phh(mucked))).events == from_phh(mucked).events
    *_, end = pokerkit.HandHistory.loads(to_phh(from_phh(mucked)))
    assert list(end.payoffs) == [-20_000, 20_000]
    lost = WRITTEN_BY_POKERKIT.replace("p1 sm AsKd", "p1 sm")
    assert from_phh(lost).payoffs == (-20_000, 20_000)  # known, and not the best
    silent = text.replace(", 'p1 sm AsKd'", "")
    with pytest.raises(InputError, match=r"p1.*finishing_stacks"):
        from_phh(silent)
    won = from_phh(silent + "finishing_stacks = [40000, 0]\n")
    assert won.payoffs == (20_000, -20_000)
    assert from_phh(to_phh(won)).events == won.events
    both = mucked.replace("d dh p2 7h7d", "d dh p2 ????").replace("p2 sm 7h7d", "p2 sm")
    with pytest.raises(InputError, match="p1, p2"):
        from_phh(both)
    with pytest.raises(InputError, match="AsKd"):
        from_phh(WRITTEN_BY_POKERKIT.replace("d dh p1 AsKd", "d dh p1 AsKc"))


def test_rake_is_left_out():
    raked = WRITTEN_BY_POKERKIT + "finishing_stacks = [0, 39990]\n"
    assert from_phh(raked).payoffs == (-20_000, 20_000)
    with pytest.raises(InputError, match=r"\[0, 40000\]"):
        from_phh(raked.replace("39990", "40010"))


def test_what_a_file_repeats_must_be_true():
    text = WRITTEN_BY_POKERKIT + "seats = [6, 2]\nfinishing_stacks = [0, 40000]\n"
    assert from_phh(text).payoffs == (20000, -20000)
    with pytest.raises(InputError, match="finishing_stacks"):
        from_phh(text.replace(", 'p1 cbr 17900', 'p2 cc', 'p1 sm AsKd', 'p2 sm 7h7d'", ""))
    three = to_phh(record_hand(play(deal(nlhe(seats=3)), "r6 f f")))
    assert "seats = [2, 3, 1]" in three
    with pytest.raises(InputError, match=r"\[3, 2, 1\]"):
        from_phh(three.replace("seats = [2, 3, 1]", "seats = [3, 2, 1]"))


def test_what_phh_has_no_words_for_is_refused():
    for game in (load("river-of-blood"), load("toy-holdem"), nlhe(heads_up="pypokerengine")):
        with pytest.raises(OptionError, match=f"{game.name}.*`hand_line`"):
            to_phh(record_hand(play(deal(game), "f")))
    with pytest.raises(OptionError, match="hand 0 "):
        to_phh(record_hand(deal(nlhe())))
    with pytest.raises(OptionError, match="names with quotes"):
        to_phh(record_hand(play(deal(nlhe()), "f"), ("O'Hara", "Bob")))
    with pytest.raises(OptionError, match="big blind ante"):
        to_phh(record_hand(play(deal(nlhe(ante=1, big_blind_ante=2)), "f")))


OTHER_RULES = [
    nlhe(seats=4, minimum_raise="acpc"),
    nlhe(seats=4, raise_cap=2),
    nlhe(seats=3, raises_per_player=1),
    nlhe(seats=3, effective_raises=True),
    nlhe(seats=3, min_bet=5),
    limit_holdem(raise_cap=None),
    limit_holdem(raise_cap=(9, 9, 9, 9)),
]


@pytest.mark.parametrize("game", OTHER_RULES)
def test_what_is_written_can_be_read(game):
    """Whatever the rules: a hand that those of PHH do not allow is refused, not written."""
    written = 0
    for seed in range(20):
        record = record_hand(random_hand(game, seed))
        try:
            text = to_phh(record)
        except OptionError:
            continue
        written += 1
        assert from_phh(text).events == record.events
        *_, end = pokerkit.HandHistory.loads(text)
        assert not end.status
    assert written > 5


def test_a_hand_beyond_the_rules_of_phh_is_refused():
    state = play(deal(limit_holdem(raise_cap=None)), "r4 r6 r8 r10 r12 f")
    with pytest.raises(OptionError, match=r"action 6 .*'p2 cbr 12'"):
        to_phh(record_hand(state))
    assert to_phh(record_hand(play(deal(limit_holdem(raise_cap=None)), "r4 r6 r8 r10 f")))


def test_without_pokerkit_the_remedy_is_named(monkeypatch):
    honest = builtins.__import__

    def refuse(name, *rest):
        if name == "pokerkit":
            raise ModuleNotFoundError(name)
        return honest(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(OptionError, match="pip install pokerkit"):
        from_phh(WRITTEN_BY_POKERKIT)


def test_all_in_hands_are_shown_before_the_board():
    state = play(deal(nlhe(), "AsKd 7h7d"), "r200 c", "Kh7c9d2c3d")
    assert state.actor == TERMINAL != CHANCE
    text = to_phh(record_hand(state))
    assert text.index("p1 sm 7h7d") < text.index("d db Kh9d7c")
