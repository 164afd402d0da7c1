"""Positions at the table: BTN, SB, BB, UTG, …, named by the distance to the button."""

from functools import lru_cache

__all__ = ["position_names", "seat_position"]

_EARLY = ("UTG", "UTG+1", "UTG+2", "UTG+3")
_LATE = ("LJ", "HJ", "CO")


@lru_cache(maxsize=16)
def position_names(seats: int) -> tuple[str, ...]:
    """Names clockwise from the button: ``BTN SB BB UTG HJ CO`` for six; ``BTN BB`` for two.

    Three to five seats have BTN, SB, BB and the last of HJ, CO; from six on the first to act is
    UTG.
    """
    if seats == 2:
        return ("BTN", "BB")
    between = seats - 3
    late = min(between, 3) if between != 3 else 2
    return ("BTN", "SB", "BB", *_EARLY[: between - late], *_LATE[3 - late :])


def seat_position(seat: int, button: int, seats: int) -> str:
    """The name of a seat's position."""
    return position_names(seats)[(seat - button) % seats]
