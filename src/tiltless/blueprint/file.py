"""Blueprint files: one array file, or an index and parts of bounded size.

A small table is one file, with the array ``probabilities``, uint8 `[entries]`. A larger one is cut:
the index holds ``lengths``, int64 `[parts]`, and beside it lie

    <stem>.<content>.<i>of<n><suffix>        such as nlhe.1f0c5a6b7d8e.1of2.safetensors

The content in the name is a hash of the table, so a writer that dies between two parts leaves the
old index with its old parts; those that no index wants any more are removed at the end. What a
blueprint says about itself is in the metadata of the one file, or of the index: see `About`.
"""

import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.errors import FileError, FingerprintError, NewerFileError, OptionError
from tiltless.files.arrays import BLOCK_BYTES, ArrayFile, read_arrays, write_arrays
from tiltless.files.fingerprint import fingerprint
from tiltless.files.header import damaged
from tiltless.validate import brief, whole_number

__all__ = ["FORMAT", "KIND", "LARGEST_FILE", "About", "PathName", "Table", "read", "write"]

KIND = "blueprint"
PART_KIND = "blueprint-part"
FORMAT = 1
"""Of everything in the file; another one is refused."""
LARGEST_FILE = 15_000_000
"""Bytes of a file, where nobody says otherwise: what fits into a package."""

_ARRAY, _LENGTHS = "probabilities", "lengths"
_HEADER = 1024  # bytes of a header without metadata and checksums, and to spare
_SMALLEST_FILE = 4096
_CONTENT_DIGITS = 12
_MOST_PARTS = 10_000

PathName = str | os.PathLike[str]
Table = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class About:
    """What a blueprint says about itself: all that makes its tree and its buckets again.

    game, rules, parameters: as for `tiltless.games.load`; rules is the version.
    menu, repeat_from: as for `tiltless.blueprint.tree.betting_tree`.  tree: fingerprint of its
    arrays.
    cards, cards_fingerprint: the card abstraction.  buckets: of each street of the tree.
    infosets, visited: how many there are, and how many training has been to.
    card: the model card: iterations, machine, seconds, date, command, results; anything in words.
    information: the product of features that decisions share rows by, as
    `tiltless.abstraction.information.grammar` reads it; "" for all bets (perfect recall).
    """

    game: str
    rules: int
    parameters: Mapping[str, Any]
    menu: str
    repeat_from: int
    tree: str
    cards: str
    cards_fingerprint: str
    buckets: tuple[int, ...]
    infosets: int
    visited: int
    card: Mapping[str, str] = field(default_factory=dict)
    information: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))
        object.__setattr__(self, "card", MappingProxyType(dict(self.card)))

    @property
    def fingerprint(self) -> str:
        """Equal for blueprints whose tables have the same meaning, entry by entry."""
        game = (self.game, self.rules, parameters_text(self.game, self.parameters))
        tree = (self.menu, self.repeat_from, self.tree)
        more = (self.information,) if self.information else ()
        return fingerprint(KIND, FORMAT, game, tree, self.cards_fingerprint, self.buckets, *more)

    def metadata(self) -> dict[str, str]:
        """As strings, for a header."""
        more = {"information": self.information} if self.information else {}
        return {
            "format": str(FORMAT),
            "game": self.game,
            "rules": str(self.rules),
            "parameters": parameters_text(self.game, self.parameters),
            "menu": self.menu,
            "repeat_from": str(self.repeat_from),
            "tree": self.tree,
            "cards": self.cards,
            "cards_fingerprint": self.cards_fingerprint,
            "buckets": ",".join(map(str, self.buckets)),
            "infosets": str(self.infosets),
            "visited": str(self.visited),
            "card": json.dumps(dict(self.card), ensure_ascii=False),
            **more,
        }


def parameters_text(game: str, parameters: Mapping[str, Any]) -> str:
    """Parameters of a game as JSON, in the order of their names."""
    try:
        return json.dumps(dict(parameters), sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise OptionError(
            f"the parameters of {game} cannot be written to a file: {error}; use numbers, text "
            "and lists of them"
        ) from None


def write(path: PathName, about: About, parts: tuple[Table, ...], largest: int | None) -> None:
    """Write a table, given in any number of parts, atomically.

    largest: bytes of a file; a table that needs more is cut. None: never.
    """
    target = Path(path)
    metadata, mark = about.metadata(), about.fingerprint
    table = parts[0] if len(parts) == 1 else np.concatenate(parts)
    if largest is not None:
        whole_number("parts_of", largest, _SMALLEST_FILE, 2**63 - 1)
        room = largest - _HEADER - 64 * (largest // BLOCK_BYTES + 1)
        words = 2 * len(json.dumps(metadata).encode())
        if len(table) + words > room:
            _write_parts(target, table, room, mark, metadata)
            return
    write_arrays(path, {_ARRAY: table}, kind=KIND, fingerprint=mark, metadata=metadata)
    _remove_others(target, "")


def _write_parts(
    target: Path, table: Table, room: int, mark: str, metadata: dict[str, str]
) -> None:
    count = -(-len(table) // room)
    if count > _MOST_PARTS:
        raise OptionError(
            f"{len(table):,} bytes in parts of {room:,} are {count:,} files; choose larger parts"
        )
    content = fingerprint(table)[:_CONTENT_DIGITS]
    pieces = [table[low : low + room] for low in range(0, len(table), room)]
    for number, piece in enumerate(pieces, 1):
        path = _part_path(target, content, number, count)
        part_mark = _part_fingerprint(mark, content, number, count)
        write_arrays(path, {_ARRAY: piece}, kind=PART_KIND, fingerprint=part_mark)
    lengths = np.array([len(piece) for piece in pieces], dtype=np.int64)
    index = {**metadata, "content": content}
    write_arrays(target, {_LENGTHS: lengths}, kind=KIND, fingerprint=mark, metadata=index)
    _remove_others(target, content)


def _part_path(target: Path, content: str, number: int, count: int) -> Path:
    return target.with_name(f"{target.stem}.{content}.{number}of{count}{target.suffix}")


def _part_fingerprint(mark: str, content: str, number: int, count: int) -> str:
    return fingerprint(PART_KIND, mark, content, number, count)


def _remove_others(target: Path, content: str) -> None:
    """Remove parts that this index does not want, which a save before this one has left."""
    digits = f"(?P<content>[0-9a-f]{{{_CONTENT_DIGITS}}})"
    name = re.escape(target.stem) + rf"\.{digits}\.[0-9]+of[0-9]+" + re.escape(target.suffix)
    with suppress(OSError):
        for path in target.parent.iterdir():
            found = re.fullmatch(name, path.name)
            if found and found["content"] != content:
                with suppress(OSError):  # Windows keeps what is mapped
                    path.unlink()


def read(path: PathName, verify: bool = True) -> tuple[About, tuple[Table, ...]]:
    """Open a blueprint; its parts are mapped into memory. verify: check every byte."""
    file = read_arrays(path, kind=KIND, verify=verify)
    about, mark = _about(file)
    if file.fingerprint != mark:
        raise damaged(path, "its fingerprint is not that of what it says about itself")
    if _ARRAY in file.arrays:
        return about, (_bytes_of(file),)
    lengths = file.arrays.get(_LENGTHS)
    content = file.metadata.get("content", "")
    if lengths is None or lengths.dtype != np.int64 or lengths.ndim != 1 or not len(lengths):
        raise damaged(path, f"it has neither {_ARRAY} nor {_LENGTHS}")
    if not re.fullmatch(f"[0-9a-f]{{{_CONTENT_DIGITS}}}", content) or len(lengths) > _MOST_PARTS:
        raise damaged(path, "it does not name its parts as it should")
    parts = []
    for number, length in enumerate(lengths.tolist(), 1):
        part = _read_part(Path(path), file.fingerprint, content, number, len(lengths), verify)
        if len(part) != length:
            raise damaged(path, f"part {number} has {len(part)} entries, not {length}")
        parts.append(part)
    return about, tuple(parts)


def _read_part(
    target: Path, mark: str, content: str, number: int, count: int, verify: bool
) -> Table:
    path = _part_path(target, content, number, count)
    if not path.exists():
        raise FileError(
            f"{target} has {count} parts, and {path.name} is not beside it; copy all files "
            "together, and keep their names"
        )
    part_mark = _part_fingerprint(mark, content, number, count)
    return _bytes_of(read_arrays(path, kind=PART_KIND, fingerprint=part_mark, verify=verify))


def _bytes_of(file: ArrayFile) -> Table:
    table = file.arrays.get(_ARRAY)
    if table is None or table.dtype != np.uint8 or table.ndim != 1:
        raise damaged(file.path, f"it has no array {_ARRAY} of bytes")
    return table


def _about(file: ArrayFile) -> tuple[About, str]:
    """What a file says about itself, and the fingerprint of that; every claim may be wrong."""
    said = file.metadata
    number = said.get("format", "")
    if number != str(FORMAT):
        if re.fullmatch("[1-9][0-9]{0,8}", number) and int(number) > FORMAT:
            raise NewerFileError(
                f"{file.path} is a blueprint of format {brief(number)} and this tiltless reads "
                f"{FORMAT}; install a newer one"
            )
        raise FingerprintError(
            f"{file.path} is a blueprint of format {brief(number)}, not {FORMAT}; make it again"
        )
    try:
        parameters, card = json.loads(said["parameters"]), json.loads(said["card"])
        if not isinstance(parameters, dict) or not isinstance(card, dict):
            raise ValueError
        if "version" in parameters or not all(isinstance(text, str) for text in card.values()):
            raise ValueError
        about = About(
            game=said["game"],
            rules=int(said["rules"]),
            parameters=parameters,
            menu=said["menu"],
            repeat_from=int(said["repeat_from"]),
            tree=said["tree"],
            cards=said["cards"],
            cards_fingerprint=said["cards_fingerprint"],
            buckets=tuple(int(count) for count in said["buckets"].split(",")),
            infosets=int(said["infosets"]),
            visited=int(said["visited"]),
            card=card,
            information=said.get("information", ""),
        )
        return about, about.fingerprint
    except (KeyError, ValueError, RecursionError):
        raise damaged(file.path, "it does not describe its game and buckets as it should") from None
