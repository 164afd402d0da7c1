"""Shipped blueprints, by name.

::

    shipped_blueprints()                     ('hundred',)
    Blueprint.load("hundred")                the default one
    Blueprint.load("my/model.safetensors")   a file

They are the files of ``tiltless/models``, as `Blueprint.save` writes them: ``<name>.safetensors``,
with parts beside it where one file would be larger than 15 MB.
"""

import os
import re
from functools import lru_cache
from importlib.resources import files
from math import log
from pathlib import Path
from typing import NamedTuple

from tiltless.blueprint.file import read_about
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.rules import Rules
from tiltless.games.registry import load as load_game
from tiltless.validate import unknown_name

__all__ = [
    "DEFAULT",
    "MODELS",
    "blueprint_for",
    "effective_depth",
    "find_blueprint",
    "shipped_blueprints",
]

DEFAULT = "hundred"
"""The default blueprint: no-limit hold'em, two players, 100 big blinds."""
MODELS = Path(str(files("tiltless.blueprint"))) / "models"
"""Their folder. Blueprints are mapped into memory, so it cannot be inside an archive."""

_SUFFIX = ".safetensors"
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")  # file names of parts contain dots


def shipped_blueprints() -> tuple[str, ...]:
    """The names of the shipped blueprints, the default first."""
    names = {path.stem for path in MODELS.glob(f"*{_SUFFIX}") if _NAME.fullmatch(path.stem)}
    return tuple(sorted(names, key=lambda name: (name != DEFAULT, name)))


def blueprint_for(rules: Rules) -> str:
    """The shipped blueprint for a table: same seats, and stacks as near as possible, in ratio.

    Depths are effective stacks in big blinds. The default one if none has this number of seats.
    """
    ours = [each for each in _depths() if each.seats == rules.seats]
    here = effective_depth(rules)
    nearest = min(ours, key=lambda each: abs(log(each.depth / here)), default=None)
    return DEFAULT if nearest is None else nearest.name


def effective_depth(rules: Rules) -> float:
    """The effective stack, in big blinds."""
    return min(rules.stacks) / rules.big_blind


class _Depth(NamedTuple):
    name: str
    seats: int
    depth: float


@lru_cache(maxsize=1)
def _depths() -> tuple[_Depth, ...]:
    """Seats and depth of every shipped blueprint, from the descriptions in their files."""
    found = []
    for name in shipped_blueprints():
        about = read_about(MODELS / f"{name}{_SUFFIX}")
        game = load_game(about.game, version=about.rules, **about.parameters)
        if isinstance(game, Holdem):
            found.append(_Depth(name, game.rules.seats, effective_depth(game.rules)))
    return tuple(found)


def find_blueprint(name: str | os.PathLike[str] = DEFAULT) -> Path:
    """The file of a shipped blueprint by its name; a path is returned unchanged.

    A name has neither a slash nor a file suffix. For a file with the name of a shipped blueprint,
    write ``./hundred``.
    """
    if not isinstance(name, str) or name.endswith(_SUFFIX) or "/" in name or os.sep in name:
        return Path(name)
    shipped = shipped_blueprints()
    if name in shipped:
        return MODELS / f"{name}{_SUFFIX}"
    if name and os.path.isfile(name):
        return Path(name)
    file = f"a file that ends in {_SUFFIX}, as tiltless train writes it"
    raise unknown_name("blueprint", name, shipped, file)
