"""Parameters that several commands share."""

import math

from tiltless.errors import OptionError
from tiltless.games.parameter_text import read_parameters

__all__ = ["positive", "read_parameters"]


def positive(name: str, number: float) -> float:
    """The number of an option, which is above 0 and not infinite."""
    if not 0 < number < math.inf:
        raise OptionError(f"{name} {number:g} is not possible; choose a number above 0")
    return number
