import pytest

from tiltless.abstraction.information.features import (
    actions,
    cards,
    colour,
    history,
    last_action,
    pot,
    pot_odds,
    raises,
    seat,
    street,
)
from tiltless.abstraction.information.grammar import FEATURES, parse_information, read_information
from tiltless.abstraction.information.presets import PRESETS
from tiltless.errors import OptionError


@pytest.mark.parametrize(
    ("text", "product"),
    [
        ("street * seat * pot(20) * cards", street * seat * pot(20) * cards),
        ("street*seat*pot *cards", street * seat * pot() * cards),
        (" pot( exact ) * cards ", pot(None) * cards),
        ("pot_odds * cards", pot_odds() * cards),
        ("pot_odds(1/4, 0.5) * cards", pot_odds(["1/4", "1/2"]) * cards),
        ("history * cards * history()", history() * cards),
        ("history(street) * last_action * raises", history("street") * last_action * raises),
        ("colour(dh) * actions", colour() * actions),
        ("cards", cards),
        *((name, preset.features * cards) for name, preset in PRESETS.items()),
    ],
)
def test_texts_are_products_and_read_back(text, product):
    found = parse_information(text)
    assert found == product
    assert parse_information(str(found)) == found


def test_every_feature_is_written_as_it_is_listed():
    for name, examples in FEATURES.items():
        for example in examples.replace("), ", ");").split(";"):
            assert str(parse_information(example)).startswith(name)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", r"''.*''.*pot\(20\).*cards.*ep-white"),
        ("street seat", "'street seat'"),
        ("street * stacks * cards", "'stacks'"),
        ("street ** cards", "''"),
        ("POT * cards", "'POT'"),
        ("pot(20", r"'pot\(20'"),
        ("pot(x)", r"pot\('x'\).*pot\(20\).*pot\(exact\)"),
        ("pot(0)", "bins=0"),
        ("pot(2, 3)", r"pot\(20\)"),
        ("seat(1)", r"'seat\(1\)'.* seat$"),
        ("pot_odds(1/2, 1/4)", "1/2, 1/4"),
        ("pot_odds(1/0)", r"edges=\('1/0',\)"),
        ("history(river)", "since='river'"),
        ("colour(x)", "'x'"),
    ],
)
def test_what_cannot_be_read_is_one_line(text, problem):
    with pytest.raises(OptionError, match=problem) as error:
        parse_information(text)
    assert "\n" not in str(error.value)


def test_all_bets_with_the_cards_are_no_product_at_all():
    assert read_information("history * cards") is None
    assert read_information("seat * pot(3) * cards * history(hand)") is None
    assert read_information("history * cards * colour") == history() * cards * colour()
    assert read_information("history(street) * cards") == history("street") * cards
    with pytest.raises(OptionError, match=r"'street \* pot\(20\) \* cards'"):
        read_information("street * pot(20)")
