"""Every registered game keeps the contract; a new line in the registry is enough to be checked."""

from functools import cache

import pytest

from contract.game import CHECKS, Sample
from tiltless.games import load, registered

GAMES = [
    pytest.param(entry.name, number, id=f"{entry.name}-{number}")
    for entry in registered()
    for number in range(len(entry.examples))
]


@cache
def sample(name: str, number: int) -> Sample:
    entry = next(entry for entry in registered() if entry.name == name)
    return Sample(load(name, **entry.examples[number]))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize(("name", "number"), GAMES)
def test_contract(name, number, check):
    check(sample(name, number))
