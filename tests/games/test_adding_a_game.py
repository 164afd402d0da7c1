"""The worked example of docs/adding-a-game.md runs, keeps the contract and prints what it says."""

import doctest
import re
import sys
from pathlib import Path

import pytest

from contract.game import CHECKS, Sample
from tiltless.games import load, registered, registry

PAGE = Path(__file__).parents[2] / "docs" / "adding-a-game.md"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def entry(tmp_path_factory):
    """The first game of the page, registered as the page says, and the variant of hold'em."""
    rules, line, variant, second_line = blocks("python")
    folder = tmp_path_factory.mktemp("rules")
    (folder / "half_street.py").write_text(rules)
    (folder / "no_turn.py").write_text(variant)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        patch.setattr(registry, "_entries", dict(registry._entries))
        exec(line, {})
        exec(second_line, {})
        yield registered()[-2]
        sys.modules.pop("half_street", None)
        sys.modules.pop("no_turn", None)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_example_keeps_the_contract(entry, check):
    assert entry.name == "half-street"
    for parameters in entry.examples:
        check(Sample(load(entry.name, **parameters)))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_variant_of_holdem_keeps_the_contract(entry, check):
    check(Sample(load("no-turn")))


def test_session_prints_what_the_page_says(entry):
    session = doctest.DocTestParser().get_doctest("".join(blocks("pycon")), {}, "page", None, 0)
    runner = doctest.DocTestRunner()
    written = []
    runner.run(session, out=written.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(written)
    assert runner.tries > 10
