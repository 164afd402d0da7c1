"""Colours and suit symbols of all pictures, in the terminal and in files."""

from collections.abc import Sequence

__all__ = [
    "BETS",
    "CALL",
    "CELL",
    "FAINT",
    "FOLD",
    "HEAT",
    "IN_RANGE",
    "LINE",
    "PAGE",
    "PANEL",
    "PLAIN",
    "SERIES",
    "SUITS",
    "SUIT_TILES",
    "bet_colours",
    "blend",
    "heat_colour",
    "ink_on",
    "result_colour",
]

PAGE, PANEL, CELL, LINE = "#111214", "#1b1d21", "#2a2c31", "#3f434b"
"""The dark page, a panel on it, an empty cell of a grid, and separating lines."""
PLAIN, FAINT = "#f5f5f5", "#9aa0aa"
"""Text colours on the page: main text and secondary text."""

# The colours that players know from other solvers.
IN_RANGE = "#eab308"
FOLD = "#3b82f6"
CALL = "#22c55e"
BETS = ("#f59e0b", "#f97316", "#ef4444", "#ec4899", "#d946ef", "#a855f7", "#8b5cf6")
HEAT = ("#ef4444", "#f97316", "#f59e0b", "#eab308", "#84cc16", "#22c55e", "#10b981")
SERIES = ("#eab308", "#3b82f6", "#22c55e", "#ec4899", "#a855f7", "#f97316")
"""Colours of several series in one picture."""
SUITS = "♣♦♥♠"
SUIT_TILES = ("#15803d", "#2563eb", "#dc2626", LINE)
"""Symbols and colours of suits, by suit index."""
_LOSS, _EVEN, _WIN = "#d95e54", "#ffffff", "#4dab6b"


def blend(colours: Sequence[str], part: float) -> str:
    """The colour after ``part`` (0 to 1) of the way through ``colours``."""
    at = min(max(part, 0.0), 1.0) * (len(colours) - 1)
    step = min(int(at), len(colours) - 2)
    start, end = _channels(colours[step]), _channels(colours[step + 1])
    mixed = (round(a + (b - a) * (at - step)) for a, b in zip(start, end, strict=True))
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def ink_on(colour: str) -> str:
    """Black or white, whichever is easier to read on a colour."""
    red, green, blue = _channels(colour)
    return PAGE if 0.299 * red + 0.587 * green + 0.114 * blue > 118 else PLAIN


def bet_colours(count: int) -> tuple[str, ...]:
    """Colours for ``count`` bet sizes from small to large: amber alone, or amber to violet."""
    if count <= 1:
        return BETS[:count]
    return tuple(blend(BETS, number / (count - 1)) for number in range(count))


def heat_colour(value: float, low: float, high: float) -> str:
    """The colour of a value between ``low`` (red) and ``high`` (green); others are clipped."""
    return blend(HEAT, (value - low) / (high - low) if high > low else 0.5)


def result_colour(value: float, largest: float) -> str:
    """Red for losses, white for 0, green for wins; largest: the largest of all results.

    The square root spreads small results, so that one huge one does not bleach the table.
    """
    part = min(abs(value) / largest, 1.0) ** 0.5 if largest else 0.0
    return blend((_EVEN, _WIN if value > 0 else _LOSS), part)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
