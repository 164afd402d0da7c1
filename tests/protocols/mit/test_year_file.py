"""Rules files: games of years that are not known yet."""

from pathlib import Path

import pytest

from tiltless.errors import TiltlessError
from tiltless.protocols.mit.year_file import load_year, read_year
from tiltless.protocols.mit.years import YEARS

EXAMPLES = Path(__file__).parents[3] / "examples" / "variant"
GAME = '[game]\nname = "nlhe"\n'


def test_known_years_by_number_and_game():
    for number, year in YEARS.items():
        assert load_year(number) is load_year(str(number)) is load_year(year.variant) is year


def test_the_example():
    year = load_year(str(EXAMPLES / "rules.toml"))
    game = year.game()
    assert (year.stack, year.blinds, year.hands, year.clock) == (60, (1, 2), 1000, 30.0)
    assert game.rules.ante == 2
    assert game.start(0).pot == 7  # two antes and the blinds
    assert game.rules.stacks == (60, 60)


def test_the_example_is_trained_for_its_rules():
    import tomllib

    rules, training = (
        tomllib.loads((EXAMPLES / name).read_text()) for name in ("rules.toml", "training.toml")
    )
    assert rules["game"] == training["game"]


def test_defaults_and_hidden_ranks(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(GAME)
    assert (read_year(path).hands, read_year(path).clock) == (1000, 30.0)
    path.write_text('[game]\nname = "permutation"\nstack = 100\n[match]\nhands = 5\n')
    year = read_year(path)
    assert year.hidden_ranks
    assert (year.stack, year.hands) == (100, 5)
    assert year.game("23456789TJQKA").order.rank_order == "23456789TJQKA"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[game",
        "\xff",
        "[" * 10_000,
        '[game]\nname = "no such game"\n',
        '[game]\nname = "kuhn"\n',
        GAME + "seats = 3\n",
        GAME + "stack = [10, 20]\n",
        GAME + "colour = 1\n",
        GAME + "[more]\n",
        GAME + "[match]\nhands = 0\n",
        GAME + "[match]\nhands = 1.5\n",
        GAME + "[match]\nclock = -1\n",
        GAME + "[match]\nclock = nan\n",
        GAME + "[match]\nclock = true\n",
        GAME + "[match]\nseconds = 1\n",
    ],
)
def test_wrong_files_are_refused_in_one_line(text, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(TiltlessError) as caught:
        read_year(path)
    assert "\n" not in str(caught.value)
    with pytest.raises(TiltlessError):
        load_year(str(tmp_path / "nothing.toml"))
    with pytest.raises(TiltlessError):
        load_year("2019")
