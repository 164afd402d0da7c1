"""Results of local best responses as JSON and as plain text."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tiltless.arena.estimators.evaluation import RANGES
from tiltless.arena.estimators.lbr import SETTINGS, LbrSetting
from tiltless.arena.estimators.lbr_match import LbrWinnings, Responses
from tiltless.arena.plan import MatchPlan
from tiltless.arena.stats.score import per_unit
from tiltless.intervals import Tally

__all__ = ["LbrResult"]


class LbrResult(NamedTuple):
    """Local best responses to one agent.

    versus: text of a second agent on the same deals, or "".  found: for each setting, the responses
    and the seconds they took.  ranges: all hands at once, on the board of each deal.
    """

    agent: str
    versus: str
    plan: MatchPlan
    settings: Mapping[str, LbrSetting]
    found: Mapping[str, tuple[Responses, float]]
    ranges: bool = False

    @property
    def factor(self) -> float:
        """Factor from chips per hand to mbb/h."""
        return per_unit("mbb/h", self.plan.table.rules.big_blind)

    def facts(self) -> dict[str, Any]:
        """As JSON."""
        plan, most, size = self.plan, self.plan.hands, self.plan.seatings
        results = {
            name: {
                "streets": str(self.settings[name]),
                **self._figures(responses.first),
                **self._versus(responses),
                **({"hands": hands} if (hands := size * responses.first.deals) < most else {}),
                "seconds": seconds,
            }
            for name, (responses, seconds) in self.found.items()
        }
        usual = next(iter(self.settings.values()))
        return {
            "agent": self.agent,
            "game": plan.table.name,
            "hands": plan.hands,
            "seed": plan.seed,
            **({"versus": self.versus} if self.versus else {}),
            "sizes": usual.bets,
            "ask": usual.ask,
            **({"estimator": RANGES} if self.ranges else {}),
            "settings": results,
        }

    def _versus(self, responses: Responses) -> dict[str, object]:
        if not self.versus:
            return {}
        return {
            "versus": self._figures(responses.second),
            "difference": self._figures(responses.more),
        }

    def _figures(self, won: LbrWinnings) -> dict[str, object]:
        """Plain and AIVAT results; ``aivat`` is null where there is none."""
        aivat = None if won.aivat is None else self._interval(won.aivat)
        return {
            **self._interval(won.raw),
            "aivat": aivat,
            "variance_ratio": won.variance_ratio,
            **({"rulings": won.rulings} if won.rulings else {}),
        }

    def _interval(self, results: Tally) -> dict[str, object]:
        mean, *ends = results.interval.scaled(self.factor)
        return {
            "mbb_per_hand": mean,
            "interval": [end if math.isfinite(end) else None for end in ends],
        }

    def lines(self) -> Iterator[str]:
        """For a terminal."""
        agent, versus, plan = self.agent, self.versus, self.plan
        others = f"{plan.table.players - 1} x {agent}" if plan.table.players > 2 else agent
        many = " of whole ranges" if self.ranges else ""
        yield f"local best response against {others}, {plan.hands:,} hands{many} each, 95 %:"
        for name, (responses, seconds) in self.found.items():
            line = f"  {name} ({self.settings[name]})" if name in SETTINGS else f"  {name}"
            hands = plan.seatings * responses.first.deals
            speed = hands * (2 if versus else 1) / max(seconds, 1e-9)
            rate = f"{speed:,.0f}" if speed >= 10 else f"{speed:.2g}"
            part = f"   after {hands:,} hands" if hands < plan.hands else ""
            yield f"{line:<24} {self.text(responses.first)}   {rate} hands/s{part}"
            if versus:
                yield f"    against {versus}: {self.text(responses.second)}, on the same deals"
                yield f"    difference, {agent} minus {versus}: {self.text(responses.more)}"

    def text(self, won: LbrWinnings) -> str:
        """``+24.0 ± 141.0 mbb/h, AIVAT +30.0 ± 63.0 (0.20 of the variance)``."""
        plain = f"{won.raw.interval.scaled(self.factor)} mbb/h"
        if won.rulings:
            return f"{plain}, no AIVAT: the dealer ruled on {won.rulings:,} of its decisions"
        if won.aivat is None:
            return plain
        ratio = won.variance_ratio
        share = "" if ratio is None else f" ({ratio:.2f} of the variance)"
        return f"{plain}, AIVAT {won.aivat.interval.scaled(self.factor)}{share}"
