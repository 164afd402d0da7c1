"""Shipped blueprints, by name.

::

    shipped_blueprints()                     ('hundred', 'river-of-blood', 'six', 'two-hundred')
    Blueprint.load("hundred")                the default one
    blueprint_for(rules)                     the one for a table's depth
    Blueprint.load("my/model.safetensors")   a file

They are the files of ``tiltless/blueprint/models``, as `Blueprint.save` writes them:
``<name>.safetensors``, with parts beside it where one file would be larger than 15 MB.
"""

import os
import re
from functools import lru_cache
from importlib.resources import files
from math import log
from pathlib import Path

from tiltless.blueprint.files.file import read_about
from tiltless.blueprint.table_fit import FEWEST_SEATS, effective_depth, misfit
from tiltless.errors import FingerprintError
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.rules import Rules
from tiltless.games.registry import load as load_game
from tiltless.validate import unknown_name

__all__ = [
    "DEFAULT",
    "MODELS",
    "SIX",
    "blueprint_for",
    "find_blueprint",
    "shipped_blueprints",
    "shipped_rules",
    "trained_rules",
]

DEFAULT = "hundred"
"""The default blueprint: no-limit hold'em, two players, 100 big blinds."""
SIX = "six"
"""The name of the blueprint for three to six seats, where one ships."""
MODELS = Path(str(files("tiltless.blueprint"))) / "models"
"""Their folder. Blueprints are mapped into memory, so it cannot be inside an archive."""

_SUFFIX = ".safetensors"
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")  # file names of parts contain dots


def shipped_blueprints() -> tuple[str, ...]:
    """The names of the shipped blueprints, the default first."""
    names = {path.stem for path in MODELS.glob(f"*{_SUFFIX}") if _NAME.fullmatch(path.stem)}
    return tuple(sorted(names, key=lambda name: (name != DEFAULT, name)))


def blueprint_for(rules: Rules) -> str:
    """The shipped blueprint for a table: of the same cards, for its seats, the nearest in depth.

    Depths are effective stacks in big blinds, and their ratio counts; one with the same streets
    after the river comes before any other. The default one if none can play at this table.
    """
    here = effective_depth(rules)
    far = {
        name: (ours.run_suits != rules.run_suits, abs(log(effective_depth(ours) / here)))
        for name, ours in shipped_rules().items()
        if not _misfit(ours, rules)
    }
    return min(far, key=far.__getitem__, default=DEFAULT)


def _misfit(ours: Rules, theirs: Rules) -> str:
    """See `misfit`; a blueprint of several seats is for tables of three up to its own."""
    if ours.seats < FEWEST_SEATS:
        return misfit(ours, theirs)
    if not FEWEST_SEATS <= theirs.seats <= ours.seats:
        return "seats"
    return misfit(ours, theirs, seats=False)


def shipped_rules() -> dict[str, Rules]:
    """The rules that each shipped blueprint was trained with, the default one first."""
    return {name: trained_rules(find_blueprint(name)) for name in shipped_blueprints()}


def trained_rules(path: Path) -> Rules:
    """The rules that a blueprint was trained with, from its description: no table is read."""
    return _trained_rules(path, path.stat().st_mtime_ns if path.exists() else 0)


@lru_cache(maxsize=64)
def _trained_rules(path: Path, _written: int) -> Rules:
    about = read_about(path)
    game = load_game(about.game, version=about.rules, **about.parameters)
    if not isinstance(game, Holdem):
        raise FingerprintError(f"{path} is for {about.game}, which is not hold'em")
    return game.rules


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
