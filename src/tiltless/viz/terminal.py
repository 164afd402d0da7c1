"""Terminal pictures: four-colour cards and the 13 x 13 range grid.

The grid has its rows and columns from ace to deuce: pairs on the diagonal, suited hands above it,
offsuit hands below. `tiltless.viz.grid` draws the same as PNG files. rich is imported when a
picture is printed, not before.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import CLASS_COUNT, CLASS_NAMES, Cards, card_text, parse_cards
from tiltless.cards.ranges import Range
from tiltless.errors import ArrayError
from tiltless.viz.colours import CELL, FAINT, IN_RANGE, SUITS, blend, ink_on

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.text import Text

__all__ = [
    "GridText",
    "cards_markup",
    "counts_text",
    "grid_text",
    "is_unicode",
    "per_class",
    "range_grid",
]

_SUIT_STYLES = ("bold #16a34a", "bold #3b82f6", "bold #ef4444", "bold")  # spades: as the terminal


def cards_markup(cards: Cards, symbols: bool | None = None) -> str:
    """Cards as rich markup in four colours: ``A♠ K♦``, or ``As Kd`` where symbols cannot be shown.

    symbols: None asks standard output whether it is UTF-8. Consoles without colour drop the
        colours by themselves.
    """
    if symbols is None:
        symbols = is_unicode(sys.stdout.encoding)
    pieces = []
    for card in parse_cards(cards):
        text = card_text(card)[0] + SUITS[card & 3] if symbols else card_text(card)
        pieces.append(f"[{_SUIT_STYLES[card & 3]}]{text}[/]")
    return " ".join(pieces)


def counts_text(combos: float, dead: int = 0) -> str:
    """``"22 combos (1.7%)"``, in percent of the combos that ``dead`` known cards leave possible."""
    possible = (52 - dead) * (51 - dead) // 2
    number = f"{combos:,.1f}".removesuffix(".0")
    noun = "combo" if number == "1" else "combos"
    return f"{number} {noun} ({100 * combos / possible:.1f}%)"


@final
@dataclass(frozen=True, slots=True)
class GridText:
    """The 13 x 13 grid for a terminal: print it with a rich console, or take ``str`` of it.

    78 columns wide. A console with colours gets shaded cells; one without (a file, a pipe,
    ``NO_COLOR``) gets the names of the hands that are in, and dots for the others. A hand that is
    only partly in shows its weight in tenths: ``A5s.5``.
    """

    weights: tuple[float, ...]
    header: str = ""

    def __str__(self) -> str:
        return self.plain(dot="·")

    def plain(self, dot: str = ".") -> str:
        """Without colours."""
        lines = [self.header] if self.header else []
        for row in range(13):
            cells = (self._cell(13 * row + column, dot) for column in range(13))
            lines.append("".join(cells).rstrip())
        return "\n".join(lines)

    def _cell(self, hand_class: int, empty: str) -> str:
        weight = self.weights[hand_class]
        if weight <= 0:
            return f" {empty:<5}"
        tenths = "" if weight >= 1 else f".{min(max(int(10 * weight + 0.5), 1), 9)}"
        return f" {CLASS_NAMES[hand_class]:<3}{tenths:<2}"

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "Iterator[Text]":
        from rich.text import Text

        if console.no_color or console.color_system is None:
            plain = self.plain("·" if is_unicode(options.encoding) else ".")
            yield Text(plain, no_wrap=True, overflow="crop")
            return
        text = Text(no_wrap=True, overflow="crop")
        if self.header:
            text.append(self.header + "\n", style="bold")
        for hand_class, weight in enumerate(self.weights):
            shade = blend((CELL, IN_RANGE), weight)
            ink = FAINT if weight <= 0 else ink_on(shade)
            style = f"{ink} on {shade}" if weight <= 0 else f"bold {ink} on {shade}"
            text.append(self._cell(hand_class, CLASS_NAMES[hand_class]), style=style)
            if hand_class % 13 == 12 and hand_class < CLASS_COUNT - 1:
                text.append("\n")
        yield text


def grid_text(weights: npt.ArrayLike, header: str = "") -> GridText:
    """The grid of 169 weights from 0 to 1, for the terminal."""
    return GridText(tuple(per_class(weights).tolist()), header)


def range_grid(hands: Range, header: str | None = None, board: Cards = ()) -> GridText:
    """The grid of a range, for the terminal; the header is its text and its number of combos."""
    board = parse_cards(board)
    left = hands.without(board)
    counts = counts_text(left.combos, len(board))
    text = str(hands) if header is None else header
    fits = text and len(text) + len(counts) + 3 <= 78
    return grid_text(left.class_weights(board), f" {text}  {counts}" if fits else f" {counts}")


def per_class(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """169 numbers, one for each class of hands, float64."""
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (CLASS_COUNT,):
        raise ArrayError(f"a grid of shape {array.shape} cannot be drawn; give 169 values, (169,)")
    return array


def is_unicode(encoding: str | None) -> bool:
    """Whether a stream of this encoding shows suits and dots."""
    return (encoding or "").lower().startswith("utf")
