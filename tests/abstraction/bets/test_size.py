import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltless.abstraction.bets.size import Size, parse_size
from tiltless.errors import OptionError
from tiltless.games.holdem.bet_context import BetContext, spot_of
from tiltless.games.holdem.betting import Round, open_round

DEEP = 10**9


def spot(bet=0, pot=100, low=2, top=DEEP, most=None, **more):
    return BetContext(bet, pot, low, top, top if most is None else most, **more)


def chips(text, *args, **more):
    (found,) = parse_size(text).raises(spot(*args, **more))
    return found


def test_the_pot_is_meant_after_calling():
    """Pot 100, bet 75: half pot is 75 + (100 + 75 + 75) / 2 = 200."""
    assert chips("50%", bet=75, pot=250) == 200
    assert chips("50%", pot=100) == 50
    assert chips("33%", pot=100) == 33
    assert chips("12.5%", pot=100) == 13  # halves go up
    assert chips("70%", pot=45) == 32  # 31.5 exactly, although 0.7 * 45 is less


def test_other_units():
    assert chips("2.5x", bet=10, pot=40) == 25
    assert chips("3bb", big_blind=20) == 60
    assert chips("2.5bb", bet=2, pot=6, big_blind=2) == 5
    assert chips("100c") == 100
    assert chips("100c", bet=40, pot=120) == 140
    assert chips("a", top=321) == 321
    assert chips("min", bet=10, low=20) == 20
    assert list(parse_size("all").raises(spot(low=3, top=6))) == [3, 4, 5, 6]


def test_geometric_sizes_end_all_in():
    assert chips("2e", pot=100, top=400) == 100  # and then 300 into 300
    assert chips("1e", pot=300, top=300) == 300
    assert chips("e", pot=100, top=400, streets=2) == 100
    assert chips("e", pot=100, top=400, streets=1) == 400
    assert chips("3e", pot=100, top=1300, low=2) == 100  # 100, 300, 900
    assert chips("e", pot=100, top=1300, streets=3) == 100


def test_geometric_sizes_of_raises_have_a_bet_less_for_each_raise_before():
    assert chips("2e", bet=50, pot=200, top=850) == 250  # a first raise: 200, then 600 into 600
    assert chips("2e", bet=50, pot=200, top=850, earlier=1) == 850
    assert chips("3e", bet=50, pot=200, top=850, earlier=1) == 250
    assert chips("2e", bet=50, pot=200, top=850, earlier=5) == 850


def test_geometric_sizes_may_be_limited():
    assert chips("1e", pot=100, top=2000) == 2000
    assert chips("1e200%", pot=100, top=2000) == 200
    assert chips("2e200%", pot=100, top=400) == 100


@given(st.integers(1, 5), st.integers(10, 1000), st.integers(1, 100_000))
def test_geometric_sizes_take_the_stack_in_so_many_bets(bets, pot, stack):
    start, share = pot, parse_size(f"{bets}e")._geometric(spot(pot=pot, top=stack))
    for _ in range(bets):
        pot += 2 * share * pot
    assert pot == pytest.approx(start + 2 * stack)


def test_a_cap_of_raises_counts_from_the_first_bet():
    size = parse_size("20c3r")
    assert size.raises(spot()) == (20,)
    for earlier in range(3):
        assert size.raises(spot(bet=20, pot=140, earlier=earlier)) == (40,)
    assert size.raises(spot(bet=80, pot=140, earlier=3)) == ()
    assert parse_size("20c0r").raises(spot()) == (20,)
    assert parse_size("20c0r").raises(spot(bet=20, pot=140)) == ()


def test_what_is_not_legal_becomes_the_nearest_raise():
    assert chips("1%", low=5) == 5
    assert chips("1.01x", bet=10, low=20, pot=40) == 20
    assert chips("900%", top=300) == 300
    assert chips("1000c", top=300) == 300


def test_what_nobody_can_call_is_all_in():
    assert chips("100%", pot=100, top=500, most=100) == 500
    assert chips("99%", pot=100, top=500, most=100) == 99
    assert chips("min", low=20, top=500, most=15) == 500
    assert chips("1e", pot=100, top=500, most=90) == 500


def test_spots_of_real_betting():
    betting = open_round(Round(2), (198, 97, 30), (0, 1, 2), 0b111, 2)
    assert spot_of(betting, 3) == BetContext(2, 5, 4, 198, 98)
    assert spot_of(betting, 3, 2, 1, 4) == BetContext(2, 5, 4, 198, 98, 2, 1, 4)
    assert spot_of(betting, 3).share(7) == 1


TEXTS = ["50%", "33.3%", "2.5x", "3bb", "0.5bb", "100c", "20c3r", "20c0r", "e", "2e", "3e200%"]


@pytest.mark.parametrize("text", [*TEXTS, "e75.5%", "a", "min", "all"])
def test_texts_come_back(text):
    size = parse_size(text)
    assert str(size) == text
    assert parse_size(f" {text.upper()} ") == size


numbers = st.floats(0.01, 100_000)
sizes = st.one_of(
    st.builds(Size, st.just("%"), numbers),
    st.builds(Size, st.just("x"), st.floats(1.01, 1000)),
    st.builds(Size, st.just("bb"), st.floats(0.01, 1e6)),
    st.builds(Size, st.just("c"), st.integers(1, 10**12), st.none() | st.integers(0, 10_000)),
    st.builds(Size, st.just("e"), st.integers(0, 30), st.none() | numbers),
    st.sampled_from([Size("a"), Size("min"), Size("all")]),
)


@given(sizes)
def test_any_size_comes_back_from_its_text(size):
    assert parse_size(str(size)) == size
    assert hash(parse_size(str(size))) == hash(size)


@given(
    sizes,
    st.integers(0, 500),
    st.integers(1, 3000),
    st.integers(1, 500),
    st.integers(0, 500),
    st.integers(-400, 400),
    st.integers(0, 9),
)
def test_every_size_is_a_legal_raise(size, bet, pot, step, more, reach, earlier):
    low = bet + step
    top = low + more
    most = min(top, max(bet + 1, top + reach))
    found = size.raises(BetContext(bet, pot, low, top, most, 2, earlier, 3))
    assert all(low <= chips <= top for chips in found)
    if size.unit != "all":
        assert all(chips < most or chips == top for chips in found)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("50", "'50'.*50%.*50c.*50bb"),
        ("0%", "0%.*min"),
        ("-50%", "'-50%'"),
        ("1000001%", "0.01% to 100000%$"),
        ("0x", "0x.*1x"),
        ("1x", "1x.*1x"),
        ("5000x", "1.01x to 1000x"),
        ("0bb", "0bb"),
        ("0c", "0c.*1c"),
        ("2.5c", "2.5c.*c"),
        ("0e", "0e.*1e to 30e"),
        ("1.5e", "1.5e"),
        ("31e", "1e to 30e"),
        ("2e0%", "2e0%"),
        ("20c99999r", "cap.*0 to 10000"),
        ("allin", "'allin'.*a$"),
        ("All-in", "'All-in'.*a$"),
        ("shove", "'shove'.*50%.*.all-in., min.*all"),
        (5, "^5 .*3bb"),
        (None, "None.*3bb"),
        ("pot", "'pot'"),
        ("", "'' is not a size"),
        ("٣%", "3e200%"),
        ("1e-3%", "'1e-3%'"),
        ("9" * 400 + "%", "amount=inf"),
    ],
)
def test_wrong_texts_are_named(text, says):
    with pytest.raises(OptionError, match=says) as error:
        parse_size(text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (("pots", 1), "'pots'"),
        ((["a"],), r"\['a'\] is not a size"),
        ((None,), "None.*3bb"),
        (("%", True), "amount=True"),
        (("%", "50"), "amount='50'"),
        (("%", float("nan")), "amount=nan"),
        (("a", 5), "a takes no number; write a"),
        (("%", 50, 3), "50%3%"),
        (("c", 5, 1.5), r"5c1\.5r"),
    ],
)
def test_wrong_values_are_named(wrong, says):
    with pytest.raises(OptionError, match=says):
        Size(*wrong)
