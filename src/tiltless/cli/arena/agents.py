"""``tiltless agents``: list the agents."""

import inspect
from typing import Any

from rich.table import Column, Table
from rich.text import Text

from tiltless.agents.registry import option_word, registered
from tiltless.cli import ui

__all__ = ["agents"]


def agents(as_json: ui.AsJson = False) -> None:
    """List the agents with their options and defaults."""
    entries = registered()
    if as_json:
        rows = [
            {
                "name": entry.name,
                "about": entry.about,
                "options": {} if entry.needs else _plain(entry.options),
                "needs": entry.needs or None,
            }
            for entry in entries
        ]
        ui.print_json(rows)
        return
    table = Table("name", "what it does", Column("options", overflow="fold"))
    for entry in entries:
        if entry.needs:
            options = f"needs {entry.needs}"
        else:
            options = ", ".join(_option(name, value) for name, value in entry.options.items())
        table.add_row(entry.name, Text(entry.about), Text(options))
    console = ui.console()
    console.print(table)
    console.print("options follow a colon: monte-carlo:rollouts=1000", markup=False)
    console.print("your own: module:Class, or module:Class:options", markup=False)


def _option(name: str, default: Any) -> str:
    word = option_word(name)
    if default is inspect.Parameter.empty:
        return f"{word}=…"
    if isinstance(default, bool):
        return f"{word}={'yes' if default else 'no'}"
    return word if default is None or default == "" else f"{word}={default}"


def _plain(options: dict[str, Any]) -> dict[str, Any]:
    """Defaults as JSON values; null where an option has none."""
    return {
        option_word(name): None if value is inspect.Parameter.empty else value
        for name, value in options.items()
    }
