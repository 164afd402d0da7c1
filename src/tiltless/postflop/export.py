"""Export of solved spots: JSON, CSV, and Parquet with pyarrow.

One decision, or it and all later decisions of its street. In tables a row is a combo at a
decision, with a column for the frequency of each action (``b32``) and one for its EV (``ev b32``),
empty where a decision does not have the action. Numbers are those of `tiltless.postflop.report`:

=============  ================================================================================
board, line    ``QsJh2h8d``, ``x b32``, the line to the decision
player, pot    who acts, ``oop`` or ``ip``, and the chips in the middle and in front
combo, class   ``AsKd``, ``AKo``
weight         the player's reach with the combo, 0 to 1
equity, ev     0 to 1, and chips;  ``eqr``: EV / (equity x pot)
=============  ================================================================================

`export_nodes` writes many nodes, such as those after every card, with a row for each.
"""

import json
import math
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from tiltless.cards.card import CLASS_NAMES, CLASS_OF_COMBO, cards_text, combo_text
from tiltless.files import tables
from tiltless.files.atomic import write_text
from tiltless.postflop.node import Node
from tiltless.postflop.report import HandReport, Totals, actor_report, street_reports
from tiltless.postflop.spot import PLAYERS
from tiltless.postflop.tables import NodeReport

__all__ = [
    "COLUMNS",
    "FORMATS",
    "NODE_COLUMNS",
    "as_json",
    "as_table",
    "check_format",
    "export",
    "export_nodes",
    "node_as_json",
]

PathName = str | os.PathLike[str]

COLUMNS = (
    "board",
    "line",
    "player",
    "pot",
    "combo",
    "class",
    "weight",
    "equity",
    "ev",
    "eqr",
)
"""The columns of tables, before the columns of actions."""
_MEANS = ("ev", "equity", "eqr", "combos")
NODE_COLUMNS = (
    "board",
    "line",
    "player",
    "often",
    "pot",
    *(f"{player} {name}" for player in ("oop", "ip") for name in _MEANS),
)
"""The columns of `export_nodes`, before one for the frequency of each action.

often: the probability that a deal reaches the node.  The others are means over each range.
"""
FORMATS = (".json", ".csv", ".parquet")
"""The file name suffixes that can be written."""
_TEXTS = ("board", "line", "player", "combo", "class")
_DIGITS = 6


def check_format(path: PathName) -> str:
    """The suffix of a file name, one of `FORMATS`; `OptionError` if it cannot be written."""
    return tables.check_format(path, FORMATS)


def export(path: PathName, node: Node, *, street: bool = False) -> int:
    """Write the decision at a node to a file with a suffix of `FORMATS`, atomically.

    street: also all later decisions of the street.  Returns the number of decisions.
    """
    check_format(path)  # before the work, not after
    reports = list(street_reports(node)) if street else [actor_report(node)]
    _write(path, lambda: as_json(reports), lambda: as_table(reports))
    return len(reports)


def export_nodes(path: PathName, reports: Iterable[NodeReport]) -> int:
    """Write reports of nodes, a row for each, to a file with a suffix of `FORMATS`, atomically.

    The reports can be those of `tiltless.postflop.tables.card_report` or `line_report`. Returns
    the number of rows.
    """
    check_format(path)
    rows = [node_as_json(report) for report in reports]
    _write(path, lambda: {"places": rows}, lambda: _nodes_table(rows))
    return len(rows)


def node_as_json(report: NodeReport) -> dict[str, Any]:
    """A report of both ranges as plain numbers and strings, keyed by `NODE_COLUMNS`.

    ``actions``: the frequency of each action, by its word. NaN becomes None.
    """
    row: dict[str, Any] = {
        "board": cards_text(report.board),
        "line": report.line,
        "player": report.player,
        "often": _plain(report.often),
        "pot": int(report.pot) if report.pot.is_integer() else _plain(report.pot),  # of a mean
    }
    for player, totals in (("oop", report.oop), ("ip", report.ip)):
        row |= {f"{player} {name}": _plain(getattr(totals, name)) for name in _MEANS}
    return row | {"actions": {word: _plain(often) for word, often in report.frequencies.items()}}


def _nodes_table(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    words = list(dict.fromkeys(word for row in rows for word in row["actions"]))
    columns = {name: [row[name] for row in rows] for name in NODE_COLUMNS}
    return columns | {word: [row["actions"].get(word) for row in rows] for word in words}


def as_json(reports: Iterable[HandReport]) -> dict[str, Any]:
    """Decisions as an object of plain numbers, lists and strings; NaN becomes None."""
    decisions: list[dict[str, Any]] = []
    spot = ""
    for report in reports:
        node = report.node
        spot = node.solver.spot.toml()
        hands = {}
        for combo in _combos(report):
            hands[combo_text(combo)] = {
                **_numbers(report, combo),
                "strategy": [_plain(number) for number in report.strategy[combo]],
                "action_ev": [_plain(number) for number in report.action_ev[combo]],
            }
        decisions.append(
            {
                "board": cards_text(node.board),
                "line": node.line,
                "player": PLAYERS[report.player],
                "pot": node.pot,
                "actions": list(report.actions),
                "total": _total(report.totals),
                "hands": hands,
            }
        )
    return {"spot": spot, "decisions": decisions}


def as_table(reports: Iterable[HandReport]) -> dict[str, list[Any]]:
    """Decisions as columns of equal length, by name; None where a decision has no value."""
    some = list(reports)
    words = list(dict.fromkeys(word for report in some for word in report.actions))
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    columns |= {name: [] for word in words for name in (word, f"ev {word}")}
    for row in _rows(some):
        for name, column in columns.items():
            column.append(row.get(name))
    return columns


def _rows(reports: Iterable[HandReport]) -> Iterator[dict[str, Any]]:
    for report in reports:
        node = report.node
        where = {
            "board": cards_text(node.board),
            "line": node.line,
            "player": PLAYERS[report.player],
            "pot": node.pot,
        }
        for combo in _combos(report):
            row = {
                **where,
                "combo": combo_text(combo),
                "class": CLASS_NAMES[CLASS_OF_COMBO[combo]],
                **_numbers(report, combo),
            }
            for number, word in enumerate(report.actions):
                row[word] = _plain(report.strategy[combo, number])
                row[f"ev {word}"] = _plain(report.action_ev[combo, number])
            yield row


def _combos(report: HandReport) -> list[int]:
    """Combos that reach a decision, aces first."""
    combos: list[int] = np.flatnonzero(report.weight > 0)[::-1].tolist()
    return combos


def _numbers(report: HandReport, combo: int) -> dict[str, float | None]:
    names = ("weight", "equity", "ev", "eqr")
    return {name: _plain(getattr(report, name)[combo]) for name in names}


def _total(totals: Totals) -> dict[str, Any]:
    names = ("combos", "equity", "ev", "eqr")
    numbers: dict[str, Any] = {name: _plain(getattr(totals, name)) for name in names}
    return numbers | {"strategy": [_plain(number) for number in totals.frequencies]}


def _plain(number: float) -> float | None:
    return round(float(number), _DIGITS) if math.isfinite(number) else None


def _write(
    path: PathName,
    json_object: Callable[[], dict[str, Any]],
    table: Callable[[], dict[str, list[Any]]],
) -> None:
    """json_object: the content of a JSON file.  table: the columns of other formats."""
    if check_format(path) == ".json":
        write_text(path, json.dumps(json_object(), indent=None, allow_nan=False) + "\n")
        return
    columns = table()
    kinds = {name: "string" if name in _TEXTS else "float64" for name in columns}
    if all(isinstance(pot, int) for pot in columns["pot"]):
        kinds["pot"] = "int64"
    tables.write_table(path, kinds, zip(*columns.values(), strict=True))
