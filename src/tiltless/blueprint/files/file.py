"""Blueprint files: one array file, or an index and parts of bounded size.

Format 1 stores the table as it is, a byte for each entry, and maps it into memory. Format 2 is for
compact tables (`tiltless.blueprint.files.compact`): about a quarter of a byte for each entry,
unpacked when the file is read. Which of them is written depends on the table alone, and loses
nothing.

A small table is one file, with its content in the array ``probabilities``, uint8. A larger one is
divided: the index contains ``lengths``, int64 `[parts]`, and beside it are the parts

    <stem>.<content>.<i>of<n><suffix>        such as nlhe.1f0c5a6b7d8e.1of2.safetensors

The content in the name is a hash of the table, so a writer that is killed between two parts leaves
the old index with its old parts; parts that no index refers to are removed at the end. The
description of a blueprint is in the metadata of the one file, or of the index: see `About`; format
2 adds the number of ``entries``, and ``blocks``, int64, the size of each compressed block.
"""

import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.blueprint.files.compact import is_compact, packed, unpacked
from tiltless.blueprint.files.model_card import CardResult, read_results
from tiltless.errors import (
    DamagedFileError,
    FileError,
    FingerprintError,
    NewerFileError,
    OptionError,
)
from tiltless.files.arrays import BLOCK_BYTES, ArrayFile, read_arrays, write_arrays
from tiltless.files.fingerprint import fingerprint
from tiltless.files.header import damaged
from tiltless.validate import brief, whole_number

__all__ = [
    "FORMATS",
    "KIND",
    "LARGEST_FILE",
    "About",
    "Described",
    "PathName",
    "Table",
    "describe",
    "read",
    "read_about",
    "write",
]

KIND = "blueprint"
PART_KIND = "blueprint-part"
PLAIN, COMPACT = 1, 2
"""Versions of the file format: a byte for each entry, and compressed nibbles."""
FORMATS = (PLAIN, COMPACT)
_MEANING = 1  # version of what an entry means, in fingerprints; the same in both formats
LARGEST_FILE = 15_000_000
"""The default limit of a file in bytes: what fits into a package."""

_ARRAY, _LENGTHS, _BLOCKS = "probabilities", "lengths", "blocks"
_HEADER = 1024  # bytes of a header without metadata and checksums, with a margin
_SMALLEST_FILE = 4096
_CONTENT_DIGITS = 12
_MOST_PARTS = 10_000

PathName = str | os.PathLike[str]
Table = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class About:
    """The description of a blueprint: everything needed to rebuild its tree and its buckets.

    game, rules, parameters: as for `tiltless.games.load`; rules is the version.
    menu, repeat_from: as for `tiltless.blueprint.tree.betting_tree`.  tree: fingerprint of its
    arrays.
    cards, cards_fingerprint: the card abstraction.  buckets: of each street of the tree.
    infosets, visited: their number, and the number that training visited.
    card: the model card, texts by name: iterations, machine, seconds, date, command, results.
    information: the product of features by which decisions share rows, as
    `tiltless.abstraction.information.grammar` reads it; "" for all bets (perfect recall).
    layout: "" for a betting tree; otherwise of a betting graph, see
    `tiltless.blueprint.multiway.model`.
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
    layout: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))
        object.__setattr__(self, "card", MappingProxyType(dict(self.card)))

    @property
    def fingerprint(self) -> str:
        """Equal for blueprints whose tables have the same meaning, entry by entry."""
        game = (self.game, self.rules, parameters_text(self.game, self.parameters))
        tree = (self.menu, self.repeat_from, self.tree)
        more = [text for text in (self.information, self.layout) if text]
        return fingerprint(KIND, _MEANING, game, tree, self.cards_fingerprint, self.buckets, *more)

    @property
    def results(self) -> tuple[CardResult, ...]:
        """The match results on the model card."""
        try:
            return read_results(self.card)
        except OptionError as error:
            raise DamagedFileError(f"{error}; with_card replaces them") from None

    def metadata(self, version: int) -> dict[str, str]:
        """The description as strings, for a header.  version: of the file format."""
        more = {"information": self.information} if self.information else {}
        more |= {"layout": self.layout} if self.layout else {}
        return {
            "format": str(version),
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


class Described(NamedTuple):
    """A blueprint without its table.  entries: of the table.  parts: that it has in memory."""

    about: About
    entries: int
    parts: int


def parameters_text(game: str, parameters: Mapping[str, Any]) -> str:
    """Parameters of a game as JSON, sorted by name."""
    try:
        return json.dumps(dict(parameters), sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise OptionError(
            f"the parameters of {game} cannot be written to a file: {error}; use numbers, text "
            "and lists of them"
        ) from None


def write(path: PathName, about: About, parts: tuple[Table, ...], largest: int | None) -> None:
    """Write a table, given in any number of parts, atomically.

    largest: the limit of a file in bytes; a larger table is divided. None for no limit.
    """
    target = Path(path)
    version = COMPACT if is_compact(parts) else PLAIN
    metadata, mark = about.metadata(version), about.fingerprint
    table = parts[0] if len(parts) == 1 else np.concatenate(parts)
    arrays: dict[str, npt.NDArray[Any]] = {}
    if version == COMPACT:
        metadata["entries"] = str(len(table))
        table, arrays[_BLOCKS] = packed(table)
    if largest is not None:
        whole_number("parts_of", largest, _SMALLEST_FILE, 2**63 - 1)
        room = largest - _HEADER - 64 * (largest // BLOCK_BYTES + 1)
        words = 2 * len(json.dumps(metadata).encode())
        words += sum(each.nbytes for each in arrays.values())
        if len(table) + words > room:
            _write_parts(target, table, room, mark, metadata, arrays)
            return
    arrays[_ARRAY] = table
    write_arrays(path, arrays, kind=KIND, fingerprint=mark, metadata=metadata)
    _remove_others(target, "")


def _write_parts(
    target: Path,
    table: Table,
    room: int,
    mark: str,
    metadata: dict[str, str],
    arrays: dict[str, npt.NDArray[Any]],
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
    arrays[_LENGTHS] = np.array([len(piece) for piece in pieces], dtype=np.int64)
    index = {**metadata, "content": content}
    write_arrays(target, arrays, kind=KIND, fingerprint=mark, metadata=index)
    _remove_others(target, content)


def _part_path(target: Path, content: str, number: int, count: int) -> Path:
    return target.with_name(f"{target.stem}.{content}.{number}of{count}{target.suffix}")


def _part_fingerprint(mark: str, content: str, number: int, count: int) -> str:
    return fingerprint(PART_KIND, mark, content, number, count)


def _remove_others(target: Path, content: str) -> None:
    """Remove parts of earlier saves that this index does not refer to."""
    digits = f"(?P<content>[0-9a-f]{{{_CONTENT_DIGITS}}})"
    name = re.escape(target.stem) + rf"\.{digits}\.[0-9]+of[0-9]+" + re.escape(target.suffix)
    with suppress(OSError):
        for path in target.parent.iterdir():
            name_match = re.fullmatch(name, path.name)
            if name_match and name_match["content"] != content:
                with suppress(OSError):  # Windows does not delete mapped files
                    path.unlink()


def read(path: PathName, verify: bool = True) -> tuple[About, tuple[Table, ...]]:
    """Open a blueprint and map its parts into memory, or unpack them.  verify: check every byte."""
    file = read_arrays(path, kind=KIND, verify=verify)
    about = _checked_about(file)
    parts = _stored(file, verify)
    return about, (_unpacked(file, parts),) if _BLOCKS in file.arrays else parts


def describe(path: PathName) -> Described:
    """What a blueprint and its parts are, with nothing unpacked."""
    file = read_arrays(path, kind=KIND, verify=False)
    about, parts = _checked_about(file), _stored(file, verify=False)
    if _BLOCKS in file.arrays:
        return Described(about, _entries(file), 1)
    return Described(about, sum(map(len, parts)), len(parts))


def read_about(path: PathName) -> About:
    """The description of a blueprint alone, from the header of its file or index."""
    return _checked_about(read_arrays(path, kind=KIND, verify=False))


def _checked_about(file: ArrayFile) -> About:
    about, mark = _about(file)
    if file.fingerprint != mark:
        raise damaged(file.path, "its fingerprint does not match its description")
    return about


def _unpacked(file: ArrayFile, parts: tuple[Table, ...]) -> Table:
    """The table of a compact file."""
    sizes, entries = file.arrays[_BLOCKS], _entries(file)
    try:
        content = parts[0] if len(parts) == 1 else np.concatenate(parts)
        table = unpacked(content, np.array(sizes), entries)
    except (ValueError, MemoryError) as error:
        raise damaged(file.path, str(error)) from None
    table.flags.writeable = False
    return table


def _entries(file: ArrayFile) -> int:
    """The entries of a compact file, as it says."""
    sizes, entries = file.arrays[_BLOCKS], file.metadata.get("entries", "")
    if sizes.dtype != np.int64 or sizes.ndim != 1 or not re.fullmatch("[0-9]{1,15}", entries):
        raise damaged(file.path, "its list of blocks is not valid")
    return int(entries)


def _stored(file: ArrayFile, verify: bool) -> tuple[Table, ...]:
    """The content as stored, in its parts."""
    path = file.path
    if _ARRAY in file.arrays:
        return (_bytes_of(file),)
    lengths = file.arrays.get(_LENGTHS)
    content = file.metadata.get("content", "")
    if lengths is None or lengths.dtype != np.int64 or lengths.ndim != 1 or not len(lengths):
        raise damaged(path, f"it has neither {_ARRAY} nor {_LENGTHS}")
    if not re.fullmatch(f"[0-9a-f]{{{_CONTENT_DIGITS}}}", content) or len(lengths) > _MOST_PARTS:
        raise damaged(path, "its list of parts is not valid")
    parts = []
    for number, length in enumerate(lengths.tolist(), 1):
        part = _read_part(Path(path), file.fingerprint, content, number, len(lengths), verify)
        if len(part) != length:
            raise damaged(path, f"part {number} has {len(part)} entries, not {length}")
        parts.append(part)
    return tuple(parts)


def _read_part(
    target: Path, mark: str, content: str, number: int, count: int, verify: bool
) -> Table:
    path = _part_path(target, content, number, count)
    if not path.exists():
        raise FileError(
            f"{target} has {count} parts, but {path.name} is not beside it; copy all files "
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
    """The description in a file, and its fingerprint; nothing in it is trusted."""
    metadata = file.metadata
    number = metadata.get("format", "")
    if number not in map(str, FORMATS):
        if re.fullmatch("[1-9][0-9]{0,8}", number) and int(number) > max(FORMATS):
            raise NewerFileError(
                f"{file.path} is a blueprint of format {brief(number)} and this tiltless reads "
                f"up to {max(FORMATS)}; install a newer one"
            )
        raise FingerprintError(
            f"{file.path} is a blueprint of format {brief(number)}, not 1 or 2; make it again"
        )
    if (number == str(COMPACT)) != (_BLOCKS in file.arrays):
        raise damaged(file.path, f"format {number} does not match its arrays")
    try:
        parameters, card = json.loads(metadata["parameters"]), json.loads(metadata["card"])
        if not isinstance(parameters, dict) or not isinstance(card, dict):
            raise ValueError
        if "version" in parameters or not all(isinstance(text, str) for text in card.values()):
            raise ValueError
        about = About(
            game=metadata["game"],
            rules=int(metadata["rules"]),
            parameters=parameters,
            menu=metadata["menu"],
            repeat_from=int(metadata["repeat_from"]),
            tree=metadata["tree"],
            cards=metadata["cards"],
            cards_fingerprint=metadata["cards_fingerprint"],
            buckets=tuple(int(count) for count in metadata["buckets"].split(",")),
            infosets=int(metadata["infosets"]),
            visited=int(metadata["visited"]),
            card=card,
            information=metadata.get("information", ""),
            layout=metadata.get("layout", ""),
        )
        return about, about.fingerprint
    except (KeyError, ValueError, RecursionError):
        raise damaged(file.path, "its description of game and buckets is not valid") from None
