"""Export of blueprints as CSV, JSON lines, or Parquet with pyarrow.

One row is one infoset: street, player, line, bucket, whether training visited it, its actions as
words of a line (`tiltless.games.holdem.notation`), and their probabilities.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.blueprint.files.file import PathName, Table
from tiltless.blueprint.line_text import node_line, offered_words
from tiltless.blueprint.strategy import Blueprint
from tiltless.blueprint.tree import BettingTree
from tiltless.files.tables import check_format, write_columns, write_table
from tiltless.kernels.blueprint.nodes import ACTOR, CHANCE, PARENT, STREET
from tiltless.kernels.blueprint.quantise import WHOLE

__all__ = ["COLUMNS", "DecisionRows", "decision_nodes", "decisions", "export"]

COLUMNS = {
    "street": "string",
    "player": "int8",
    "line": "string",
    "bucket": "int32",
    "visited": "bool",
    "actions": "list string",
    "probabilities": "list float32",
}
"""Names and types of the columns."""

Progress = Callable[[int, int], None]
_TEXTS = tuple(f"{byte / WHOLE:.4f}" for byte in range(WHOLE + 1))


class DecisionRows(NamedTuple):
    """The infosets of one decision.

    actions: words of a line.  buckets: int64 `[infosets]`.  table: uint8 `[infosets, actions]`, all
    zeros in rows that training never visited.
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
    """Every decision, street by street.  visited: only infosets that training visited.

    Decisions that share a row, by a product of features, are all listed, each with its line.
    progress: called now and then with the number of decisions so far and the total.
    """
    tree = blueprint.tree
    record = tree.nodes.node
    nodes = [decision_nodes(tree, street) for street in range(tree.streets)]
    total, done = sum(map(len, nodes)), 0
    for street in range(tree.streets):
        name = tree.street_name(street)
        for node in nodes[street]:
            table = blueprint.table(node)
            keep = np.flatnonzero(table.any(axis=1)) if visited else np.arange(len(table))
            words, player = offered_words(tree, node), int(record[node, ACTOR])
            yield DecisionRows(name, player, node_line(tree, node), words, keep, table[keep])
            done += 1
            if progress and (done % 64 == 0 or done == total):
                progress(done, total)


def decision_nodes(tree: BettingTree, street: int) -> list[int]:
    """The decisions of a street, without the copies that represent a street that repeats."""
    record = tree.nodes.node
    here = (record[:, ACTOR] >= 0) & (record[:, STREET] == street)
    if street == tree.repeat_from:
        parent = record[:, PARENT]
        here &= ~((parent >= 0) & (record[parent, ACTOR] == CHANCE))
    nodes: list[int] = np.flatnonzero(here).tolist()
    return nodes


def export(
    path: PathName,
    blueprint: Blueprint,
    *,
    visited: bool = False,
    progress: Progress | None = None,
) -> int:
    """Write the rows to a file with a suffix of `tiltless.files.tables.TABLES`, atomically.

    In CSV, actions and probabilities are separated by spaces; in other formats they are lists.
    Returns the number of rows.
    """
    rows_by_decision = decisions(blueprint, visited=visited, progress=progress)
    if (suffix := check_format(path)) == ".parquet":
        return write_columns(path, COLUMNS, map(_columns, rows_by_decision))
    if suffix == ".csv":
        return write_table(path, COLUMNS, _text_rows(rows_by_decision))
    rows = (row for each in rows_by_decision for row in zip(*_columns(each), strict=True))
    return write_table(path, COLUMNS, rows)


def _text_rows(decisions: Iterable[DecisionRows]) -> Iterator[Sequence[Any]]:
    for each in decisions:
        words, head = " ".join(each.actions), (each.street, each.player, each.line)
        equal = " ".join([f"{1 / len(each.actions):.4f}"] * len(each.actions))
        for bucket, row in zip(each.buckets.tolist(), each.table.tolist(), strict=True):
            visited = any(row)
            probs = " ".join([_TEXTS[byte] for byte in row]) if visited else equal
            yield (*head, bucket, int(visited), words, probs)


def _columns(each: DecisionRows) -> list[list[Any]]:
    sets, visited = len(each.buckets), np.asarray(each.table.any(axis=1))
    probs = np.where(visited[:, None], each.table / WHOLE, 1 / len(each.actions))
    same = ([value] * sets for value in (each.street, each.player, each.line))
    words = [list(each.actions)] * sets
    return [*same, each.buckets.tolist(), visited.tolist(), words, probs.tolist()]
