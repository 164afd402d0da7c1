"""Strategy files: tables of probabilities with the game they belong to, checked when read.

A file holds one array, ``probabilities``, float64 `[entries]`, to the last bit. Its metadata say
which game: ``game``, ``rules`` (their version) and ``parameters`` (JSON), so that the game can be
made again; everything else is what the maker said about the strategy. Its fingerprint covers all
of that and the words of every infoset and action, in order: rules that were changed without a new
version number are noticed as well.
"""

import json
from collections.abc import Mapping
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.errors import DamagedFileError, FingerprintError, InputError, OptionError
from tiltless.files.arrays import ArrayFile, read_arrays, write_arrays
from tiltless.files.fingerprint import fingerprint
from tiltless.files.header import damaged
from tiltless.games.game import Game
from tiltless.games.registry import load
from tiltless.tabular.flat import FlatGame, flatten
from tiltless.validate import brief

__all__ = ["KIND", "StoredStrategy", "game_fingerprint", "read", "unsound", "write"]

KIND = "tabular-strategy"
_ARRAY = "probabilities"
_OWN = ("game", "rules", "parameters")

PathName = str | PathLike[str]


class StoredStrategy(NamedTuple):
    """What a file holds: a game, a table that is still to be checked, and words about it."""

    flat: FlatGame
    table: npt.NDArray[np.float64]
    about: Mapping[str, str]


def write(
    path: PathName, flat: FlatGame, table: npt.NDArray[np.float64], about: Mapping[str, str]
) -> None:
    """Write a table atomically; ``about`` may not use the names that say which game it is."""
    for name in _OWN:
        if name in about:
            raise OptionError(f"a strategy says {name!r} about itself; choose another name")
    game = flat.game
    metadata = {
        "game": game.name,
        "rules": str(game.version),
        "parameters": _parameters_text(game),
        **about,
    }
    write_arrays(
        path,
        {_ARRAY: table},
        kind=KIND,
        fingerprint=game_fingerprint(flat),
        metadata=metadata,
    )


def read(path: PathName, flat: FlatGame | None = None) -> StoredStrategy:
    """Open a file; the game is ``flat``, or made again from what the file says."""
    file = read_arrays(path, kind=KIND)
    name, rules, text = (_said(file, each) for each in _OWN)
    if flat is None:
        flat = flatten(_game_again(file, name, rules, text))
    _check_game(file, flat.game, name, rules, text)
    if file.fingerprint != game_fingerprint(flat):
        raise FingerprintError(
            f"{path} was made for other infosets or actions than {name} has now; the rules were "
            "changed: make the file again"
        )
    table = file.arrays.get(_ARRAY)
    if table is None or table.dtype != np.float64 or table.shape != (flat.entries,):
        raise unsound(path, f"it has no array {_ARRAY} of {flat.entries} float64 numbers")
    about = {key: value for key, value in file.metadata.items() if key not in _OWN}
    return StoredStrategy(flat, file.load(_ARRAY), about)


def game_fingerprint(flat: FlatGame) -> str:
    """A name for a game and for the order of everything in its tables."""
    game = flat.game
    infosets = "\n".join(
        "\t".join((flat.infoset_text(number), *flat.action_texts(number)))
        for number in range(flat.infosets)
    )
    return fingerprint(KIND, game.name, game.version, _parameters_text(game), infosets)


def unsound(path: PathName, reason: str) -> DamagedFileError:
    """The error for a file whose bytes are as written, and whose content cannot be."""
    return damaged(path, reason)


def _parameters_text(game: Game) -> str:
    """Parameters as JSON, which tells tuples from lists as little as `load` does."""
    try:
        return json.dumps(dict(game.parameters), sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise OptionError(
            f"the parameters of {game.name} cannot be written to a file: {error}; use numbers, "
            "text, tuples and dicts with text keys"
        ) from None


def _said(file: ArrayFile, name: str) -> str:
    if name not in file.metadata:
        raise unsound(file.path, f"it does not say its {name}")
    return file.metadata[name]


def _game_again(file: ArrayFile, name: str, rules: str, text: str) -> Game:
    """The game that the file was made for, from the registry."""
    try:
        parameters: Any = json.loads(text)
        version = int(rules)
    except (ValueError, RecursionError):
        raise unsound(file.path, "its game is not described as it should be") from None
    if not isinstance(parameters, dict) or "version" in parameters:
        raise unsound(file.path, "its game is not described as it should be")
    try:
        return load(name, version=version, **parameters)
    except (InputError, FingerprintError) as error:
        raise FingerprintError(f"{file.path} cannot be used: {error}") from None


def _check_game(file: ArrayFile, game: Game, name: str, rules: str, text: str) -> None:
    """Refuse, and say in which way the file was made for another game."""
    for what, then, now in (
        ("game", name, game.name),
        ("version of the rules", rules, str(game.version)),
        ("set of parameters", text, _parameters_text(game)),
    ):
        if then != now:
            raise FingerprintError(
                f"{file.path} was made for another {what}: {brief(then)}, not {brief(now)}; "
                "choose the file that fits, or make it again"
            )
