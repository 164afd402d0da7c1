"""Terminal grids: the strategy at a decision as a 13 x 13 grid with a legend.

With colours a cell is the name of a class on a bar of its actions, bets on the left and folds on
the right, darker the less of the class is in the range. Without colours (a file, a pipe,
``NO_COLOR``) it is one letter for an action that is nearly always taken, two for the two most
frequent ones, and tenths of the weight, if that is not all: ``xb.5``. A line under it says so.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from rich.console import Console, ConsoleOptions
from rich.text import Text

from tiltless.cards.card import CLASS_NAMES, RANKS, cards_text
from tiltless.postflop.node import Node
from tiltless.postflop.report import actor_report, number_text
from tiltless.postflop.spot import PLAYERS
from tiltless.viz.colours import CELL, FAINT, blend, ink_on
from tiltless.viz.strategy_grid import StrategyGrid, strategy_grid
from tiltless.viz.terminal import is_unicode

__all__ = ["NodeGrid", "node_grid"]

_SIDE = 13
_WIDTH = 6  # columns of a coloured cell
_DIMMEST = 0.3  # how much of a colour is left where hardly any weight is
_NEARLY = 0.9
_LETTERS_KEY = "two letters: the more frequent one first; .5: half as much weight as the most"
_COLOURS_KEY = "width: how often; darker: less weight in the range"


@dataclass(frozen=True, slots=True)
class NodeGrid:
    """A grid to print with a rich console; ``str`` of it has no colours. 78 columns wide."""

    grid: StrategyGrid

    def __str__(self) -> str:
        return self.plain("·")

    def plain(self, dot: str = ".") -> str:
        """Text without colours; dot: for classes that do not reach the node."""
        ranks = RANKS[::-1]
        lines = [self._title(), "   " + "".join(f"{rank:<5}" for rank in ranks).rstrip()]
        for row, rank in enumerate(ranks):
            cells = (self._letters(_SIDE * row + column) or dot for column in range(_SIDE))
            lines.append(f" {rank} " + "".join(f"{cell:<5}" for cell in cells).rstrip())
        for actions in self._legend():
            lines.append("   ".join(f"{self.grid.symbols[n]} {text}" for n, text in actions))
        lines.append(_LETTERS_KEY)
        return "\n".join(lines)

    def _legend(self) -> list[list[tuple[int, str]]]:
        """Lines of actions, the largest bet first: number, name and how often it is taken."""
        lines: list[list[tuple[int, str]]] = [[]]
        left = _SIDE * _WIDTH
        for n in reversed(range(len(self.grid.labels))):
            text = f"{self.grid.labels[n]} {self.grid.report.totals.frequencies[n]:.1%}"
            if len(text) + 6 > left and lines[-1]:
                lines.append([])
                left = _SIDE * _WIDTH
            lines[-1].append((n, text))
            left -= len(text) + 6
        return lines

    def _title(self) -> str:
        report = self.grid.report
        node, totals = report.node, report.totals
        who = PLAYERS[report.player].upper()
        after = f" after {node.line}" if node.line else ""
        equity = number_text(totals.equity, "{:.1%}")
        numbers = f"EV {number_text(totals.ev)}, equity {equity}, EQR {number_text(totals.eqr)}"
        combos = f"{totals.combos:.1f} combo{'s' * (totals.combos != 1)}"
        return (
            f"{who} to act on {cards_text(node.board)}{after}, pot {node.pot}\n{combos}, {numbers}"
        )

    def _letters(self, hand_class: int) -> str:
        """``x``, ``xb``, ``xb.5``; empty for a class that does not reach the node."""
        height, shares = float(self.grid.heights[hand_class]), self.grid.shares[hand_class]
        if height <= 0:
            return ""
        first, *others = np.argsort(-shares, kind="stable").tolist()
        text: str = self.grid.symbols[first]
        if others and shares[first] < _NEARLY:
            text += self.grid.symbols[others[0]]
        return text + ("" if height >= 0.95 else f".{max(int(10 * height + 0.5), 1)}")

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        if console.no_color or console.color_system is None:
            dot = "·" if is_unicode(options.encoding) else "."
            yield Text(self.plain(dot), no_wrap=True, overflow="ignore")
            return
        text = Text(no_wrap=True, overflow="crop")
        text.append(self._title() + "\n", style="bold")
        for hand_class in range(_SIDE * _SIDE):
            self._paint(text, hand_class)
            if hand_class % _SIDE == _SIDE - 1:
                text.append("\n")
        for row in self._legend():
            for n, label in row:
                text.append("  ", style=f"on {self.grid.colours[n]}")
                text.append(f" {label}   ")
            text.append("\n")
        text.append(_COLOURS_KEY, style="dim")
        yield text

    def _paint(self, text: Text, hand_class: int) -> None:
        """One cell, a column at a time."""
        name, height = (
            f" {CLASS_NAMES[hand_class]:<{_WIDTH - 1}}",
            float(self.grid.heights[hand_class]),
        )
        if height <= 0:
            text.append(name, style=f"{FAINT} on {CELL}")
            return
        ends = np.cumsum(self.grid.shares[hand_class][::-1])
        for column, letter in enumerate(name):
            at = int(np.searchsorted(ends, (column + 0.5) / _WIDTH * ends[-1]))
            colour = self.grid.colours[::-1][min(at, len(ends) - 1)]
            shade = blend((CELL, colour), _DIMMEST + (1 - _DIMMEST) * height)
            text.append(letter, style=f"bold {ink_on(shade)} on {shade}")


def node_grid(node: Node, *, heights: str = "relative", palette: str = "usual") -> NodeGrid:
    """Grid of the player to act at a node; heights, palette: see `tiltless.viz.strategy_grid`."""
    return NodeGrid(strategy_grid(actor_report(node), heights=heights, palette=palette))
