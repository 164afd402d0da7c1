"""Export of blueprints as CSV, or Parquet with pyarrow.

One row is one information set: street, player, line, bucket, whether training has been there, its
actions as words of a line (`tiltless.games.holdem.notation`), and their probabilities.
"""

import csv
import io
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.blueprint.file import PathName, Table
from tiltless.blueprint.line_text import node_line, offered_words
from tiltless.blueprint.strategy import Blueprint
from tiltless.blueprint.tree import BettingTree
from tiltless.errors import OptionError
from tiltless.files.atomic import atomic_write
from tiltless.kernels.blueprint.nodes import ACTOR, CHANCE, PARENT, STREET
from tiltless.kernels.blueprint.quantise import WHOLE

__all__ = ["COLUMNS", "DecisionRows", "decision_nodes", "decisions", "write_csv", "write_parquet"]

COLUMNS = ("street", "player", "line", "bucket", "visited", "actions", "probabilities")

Progress = Callable[[int, int], None]
_BATCH = 100_000  # rows of a group in a Parquet file, about
_TEXTS = tuple(f"{byte / WHOLE:.4f}" for byte in range(WHOLE + 1))


class DecisionRows(NamedTuple):
    """The information sets of one decision.

    actions: words of a line.  buckets: int64 `[sets]`.  table: uint8 `[sets, actions]`, all zeros
    where training has never been.
    """

    street: str
    player: int
    line: str
    actions: tuple[str, ...]
    buckets: npt.NDArray[np.int64]
    table: Table


def decisions(
    blueprint: Blueprint, *, visited: bool = False, progress: Progress | None = None
) -> Iterator[DecisionRows]:
    """Every decision, street by street; visited: without sets where training has never been.

    progress: called now and then with the number of decisions so far and in all.
    """
    tree = blueprint.tree
    record = tree.nodes.node
    total, done = sum(tree.size.decisions), 0
    for street in range(tree.streets):
        name = tree.street_name(street)
        for node in decision_nodes(tree, street):
            table = blueprint.table(node)
            keep = np.flatnonzero(table.any(axis=1)) if visited else np.arange(len(table))
            words, player = offered_words(tree, node), int(record[node, ACTOR])
            yield DecisionRows(name, player, node_line(tree, node), words, keep, table[keep])
            done += 1
            if progress and (done % 64 == 0 or done == total):
                progress(done, total)


def decision_nodes(tree: BettingTree, street: int) -> list[int]:
    """The decisions of a street; copies, which stand for a street that repeats, are left out."""
    record = tree.nodes.node
    here = (record[:, ACTOR] >= 0) & (record[:, STREET] == street)
    if street == tree.repeat_from:
        parent = record[:, PARENT]
        here &= ~((parent >= 0) & (record[parent, ACTOR] == CHANCE))
    nodes: list[int] = np.flatnonzero(here).tolist()
    return nodes


def write_csv(
    path: PathName,
    blueprint: Blueprint,
    *,
    visited: bool = False,
    progress: Progress | None = None,
) -> int:
    """Write the rows as CSV, atomically; actions and probabilities are separated by spaces.

    How many rows there are.
    """
    count = 0
    with atomic_write(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        for each in decisions(blueprint, visited=visited, progress=progress):
            words = " ".join(each.actions)
            equal = " ".join([f"{1 / len(each.actions):.4f}"] * len(each.actions))
            for bucket, row in zip(each.buckets.tolist(), each.table.tolist(), strict=True):
                been = any(row)
                chances = " ".join([_TEXTS[byte] for byte in row]) if been else equal
                place = (each.street, each.player, each.line, bucket, int(been))
                writer.writerow((*place, words, chances))
            count += len(each.buckets)
        text.flush()
        text.detach()
    return count


def write_parquet(
    path: PathName,
    blueprint: Blueprint,
    *,
    visited: bool = False,
    progress: Progress | None = None,
) -> int:
    """Write the rows as Parquet, atomically; actions and probabilities are lists.

    How many rows there are. Needs pyarrow.
    """
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise OptionError(
            "Parquet needs pyarrow, which is not installed; pip install 'tiltless[analysis]', or "
            "export to a file that ends in .csv"
        ) from None
    words, numbers = arrow.list_(arrow.string()), arrow.list_(arrow.float32())
    kinds = (arrow.string(), arrow.int8(), arrow.string(), arrow.int32(), arrow.bool_())
    schema = arrow.schema(list(zip(COLUMNS, (*kinds, words, numbers), strict=True)))
    count, held = 0, 0
    batch: list[list[Any]] = [[] for _ in COLUMNS]

    def flush() -> None:
        writer.write_table(arrow.table(dict(zip(COLUMNS, batch, strict=True)), schema=schema))
        for column in batch:
            column.clear()

    with atomic_write(path) as file, parquet.ParquetWriter(file, schema) as writer:
        for each in decisions(blueprint, visited=visited, progress=progress):
            sets = len(each.buckets)
            been = np.asarray(each.table.any(axis=1))
            chances = np.where(been[:, None], each.table / WHOLE, 1 / len(each.actions))
            constant = (each.street, each.player, each.line)
            for column, value in zip(batch, constant, strict=False):
                column += [value] * sets
            batch[3] += each.buckets.tolist()
            batch[4] += been.tolist()
            batch[5] += [list(each.actions)] * sets
            batch[6] += chances.tolist()
            count, held = count + sets, held + sets
            if held >= _BATCH:
                flush()
                held = 0
        flush()
    return count
