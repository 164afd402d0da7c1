"""Options of the rebuilt report: every point that it leaves open, with a default.

The report does not say what the blinds were, how raises below the minimum are handled, whether the
pot of a raise includes the call, whether empty chairs keep their label, how the regret of the
action itself changes, what a fold would have won once chips are in the pot, and more. Each is a
field of `ReportOptions`, and its first value in `CHOICES` is the default.

Two points are decided here, because the other reading cannot have been meant. All-in is one action,
whatever the stack: with a name for each number of chips it would be new, so never tried, so picked,
in nearly every hand with carried stacks. And an action of a visited state that was never tried
comes first in training, since sqrt(ln N / 0) is infinite.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.errors import OptionError
from tiltless.kernels.six_player.self_play import ReportRules
from tiltless.validate import brief, is_number, one_of, whole_number

__all__ = ["CHOICES", "STEPS", "ReportOptions", "parse_options"]

STEPS = 190
"""Steps of expected hand strength."""
_SHARED = (64, 63, 63)

CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "pot": ("before", "after"),
        "small_raises": ("drop", "minimum"),
        "empty_seats": ("kept", "closed"),
        "own_regret": ("no", "net"),
        "fold_value": ("0", "paid"),
        "after_fold": ("nothing", "scaled"),
        "stake": ("hand", "street"),
        "buckets": ("street", "shared"),
    }
)
"""What each option may be; the default first."""


@dataclass(frozen=True)
class ReportOptions:
    """How the report is read.

    pot: raises are shares of the pot before the call, as PyPokerEngine tells it, or after it.
    small_raises: sizes below the minimum are dropped, or lifted to it.
    empty_seats: chairs of players without chips keep their label, as in PyPokerEngine, or the
        others move together.
    own_regret: whether the regret of the action taken stays, or grows by the net result.
    fold_value: what a fold would have won: 0, or minus the chips already paid.
    after_fold: whether other actions learn nothing from a fold, or as if their chips were lost.
    stake: what v(b) = v(a) x stake(b) / stake(a) compares: all chips of the hand, or of the street.
    buckets: 190 steps of expected hand strength on each street, or 190 shared by the three
        (64, 63 and 63). In nested policies the path tells the street, so that one scale for all
        streets and one for each are the same.
    hands, stack, small_blind, big_blind: of a game; blinds of 50 and 100 fit the report's smallest
        raise of $200.  exploration: c of the picker.
    """

    pot: str = "before"
    small_raises: str = "drop"
    empty_seats: str = "kept"
    own_regret: str = "no"
    fold_value: str = "0"
    after_fold: str = "nothing"
    stake: str = "hand"
    buckets: str = "street"
    hands: int = 6
    stack: int = 10_000
    small_blind: int = 50
    big_blind: int = 100
    exploration: float = 1_000_000.0

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            one_of(name, getattr(self, name), choices)
        whole_number("hands", self.hands, 1, 1000)
        whole_number("big_blind", self.big_blind, 1, 10_000)
        whole_number("small_blind", self.small_blind, 1, self.big_blind)
        # totals of six stacks fit a token; see `tiltless.kernels.six_player.nodes`
        whole_number("stack", self.stack, self.big_blind, min(160_000, 1000 * self.big_blind))
        if not is_number(self.exploration) or self.exploration < 0:
            raise OptionError(
                f"exploration={brief(self.exploration)} is not possible; give a number from 0"
            )

    @property
    def rules(self) -> ReportRules:
        """For the kernels."""
        return ReportRules(
            stack=self.stack,
            small=self.small_blind,
            big=self.big_blind,
            hands=self.hands,
            exploration=float(self.exploration),
            pot_after_call=int(self.pot == "after"),
            lift_raises=int(self.small_raises == "minimum"),
            close_seats=int(self.empty_seats == "closed"),
            net_regret=int(self.own_regret == "net"),
            fold_pays=int(self.fold_value == "paid"),
            street_stakes=int(self.stake == "street"),
            learn_from_folds=int(self.after_fold == "scaled"),
        )

    @property
    def steps(self) -> npt.NDArray[np.uint8]:
        """The bucket of each step of expected hand strength, uint8 ``[3, 190]``."""
        every = np.arange(STEPS)
        counts = (STEPS,) * 3 if self.buckets == "street" else _SHARED
        return np.stack([every * count // STEPS for count in counts]).astype(np.uint8)

    @property
    def game(self) -> dict[str, Any]:
        """Parameters of `tiltless.games.load` for the same table in our engine."""
        return {
            "stack": self.stack,
            "blinds": (self.small_blind, self.big_blind),
            "heads_up": "pypokerengine",
            "free_fold": True,
        }

    @property
    def text(self) -> str:
        """The options that differ from the defaults, ``own_regret=net,pot=after``."""
        usual = ReportOptions()
        pairs = ((each.name, getattr(self, each.name)) for each in fields(self))
        return ",".join(f"{k}={v}" for k, v in pairs if v != getattr(usual, k))

    def to_json(self) -> str:
        """One line; `from_json` reads it."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> "ReportOptions":
        """The inverse of `to_json`; `OptionError` for anything else."""
        try:
            return cls(**json.loads(text))
        except (TypeError, ValueError) as problem:
            if isinstance(problem, OptionError):
                raise
            raise OptionError(f"{brief(text)} are not options of the report: {problem}") from None


def parse_options(text: str) -> ReportOptions:
    """Options from text, ``own-regret=net,pot=after``; those that are left out are the defaults."""
    usual, given = asdict(ReportOptions()), {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        word, equals, value = part.partition("=")
        name = word.strip().replace("-", "_")
        if name not in usual or not equals:
            raise OptionError(
                f"{brief(part)} is not an option; write name=value: {', '.join(usual)}"
            )
        kind = type(usual[name])
        try:
            given[name] = kind(value.strip())
        except ValueError:
            raise OptionError(f"{name}={brief(value)} is not a number; write one") from None
    return ReportOptions(**given)
