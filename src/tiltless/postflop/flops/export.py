"""Export of a report over flops: CSV, JSON, and Parquet with pyarrow.

A row is a flop at a decision:

=================  ============================================================================
flop, weight       ``Ks7s2h``, and how many of the 22,100 flops it stands for
share              of all deals of the report that have this flop, 0 to 1
high … straights   its texture, see `tiltless.cards.flops`
exploitability     reached on this flop, in percent of the pot;  ``iterations``: of CFR
line … ip combos   as of `tiltless.postflop.export.NODE_COLUMNS`
b20 …              how often each action is taken
=================  ============================================================================
"""

import json
import os
from typing import Any

from tiltless.cards.flops import TEXTURES
from tiltless.files import tables
from tiltless.files.atomic import write_text
from tiltless.postflop.export import FORMATS, NODE_COLUMNS, check_format, node_as_json
from tiltless.postflop.flops.settings import FlopDecision
from tiltless.postflop.flops.summary import FlopRow, FlopSummary

__all__ = ["FLOP_COLUMNS", "export_flops", "flop_rows", "row_facts", "summary_facts"]

FLOP_COLUMNS = (
    *("flop", "weight", "share"),
    *TEXTURES,
    *("exploitability", "iterations"),
    *(name for name in NODE_COLUMNS if name != "board"),
)
"""The columns of a table, before those of actions."""
_WHOLE = ("weight", "iterations", "pot")
_TEXTS = ("flop", *TEXTURES, "line", "player")


def export_flops(path: str | os.PathLike[str], summary: FlopSummary) -> int:
    """Write a row for each flop and decision to a file with a suffix of `FORMATS`, atomically.

    Returns the number of rows. The bytes depend on the settings and flops alone.
    """
    suffix = check_format(path)
    rows = flop_rows(summary)
    if suffix == FORMATS[0]:
        found = {"settings": summary.settings.plain(), "flops": rows}
        write_text(path, json.dumps(found, allow_nan=False) + "\n")
        return len(rows)
    words = list(dict.fromkeys(word for row in rows for word in row["actions"]))
    kinds = {name: "string" if name in _TEXTS else "float64" for name in (*FLOP_COLUMNS, *words)}
    kinds |= dict.fromkeys(_WHOLE, "int64")
    cells = (
        [*(row[name] for name in FLOP_COLUMNS), *(row["actions"].get(word) for word in words)]
        for row in rows
    )
    about = {"tiltless flops": json.dumps(summary.settings.plain())}
    return tables.write_table(path, kinds, cells, about=about)


def flop_rows(summary: FlopSummary) -> list[dict[str, Any]]:
    """A row for each flop and decision, keyed by `FLOP_COLUMNS`, and ``actions``."""
    rows = []
    deals = sum(each.deals for each in summary.solved)
    for each in summary.solved:
        about = {
            "flop": each.flop.text,
            "weight": each.flop.weight,
            "share": each.deals / deals,
            **each.texture._asdict(),
            "exploitability": each.result.exploitability,
            "iterations": each.result.iterations,
        }
        for line in summary.settings.lines:
            node = node_as_json(each.result.reports[line])
            del node["board"]
            rows.append(about | node)
    return rows


def summary_facts(
    summary: FlopSummary, decision: FlopDecision, rows: list[FlopRow]
) -> dict[str, Any]:
    """A decision as JSON: its actions, the row of all flops, and other rows."""
    return {
        "line": decision.line,
        "player": decision.player,
        "pot": decision.pot,
        "actions": decision.actions,
        "all": row_facts(summary.total(decision)),
        "rows": [row_facts(row) for row in rows],
    }


def row_facts(row: FlopRow) -> dict[str, Any]:
    """A row as JSON."""
    found: dict[str, Any] = {
        "by": row.kind,
        "class": row.name,
        "flops": row.flops,
        "share": row.share,
    }
    if row.report is None:
        return found
    node = node_as_json(row.report)
    return found | {name: node[name] for name in node if name not in ("board", "line", "player")}
