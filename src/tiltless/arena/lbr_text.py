"""Results of local best responses as JSON and as plain text."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tiltless.arena.estimators.lbr import SETTINGS, LbrSetting
from tiltless.arena.estimators.lbr_match import Responses
from tiltless.arena.plan import MatchPlan
from tiltless.arena.stats.score import per_unit
from tiltless.intervals import Interval

__all__ = ["LbrResult", "lbr_settings"]


def lbr_settings(name: str, sizes: int) -> dict[str, LbrSetting]:
    """Settings by name: one of them, or ``all`` for the usual ones.  sizes: raises they try."""
    chosen = list(SETTINGS) if name == "all" else [name]
    return {each: LbrSetting.parse(each)._replace(bets=sizes) for each in chosen}


class LbrResult(NamedTuple):
    """Local best responses to one agent.

    versus: text of a second agent on the same deals, or "".  found: for each setting, the responses
    and the seconds they took.
    """

    agent: str
    versus: str
    plan: MatchPlan
    settings: Mapping[str, LbrSetting]
    sizes: int
    found: Mapping[str, tuple[Responses, float]]

    @property
    def factor(self) -> float:
        """Factor from chips per hand to mbb/h."""
        return per_unit("mbb/h", self.plan.table.rules.big_blind)

    def facts(self) -> dict[str, Any]:
        """As JSON."""
        most = self.plan.hands
        results = {
            name: {
                "streets": str(self.settings[name]),
                **_figures(responses.first.interval.scaled(self.factor)),
                **self._versus(responses),
                **({"hands": hands} if (hands := 2 * responses.first.count) < most else {}),
                "seconds": seconds,
            }
            for name, (responses, seconds) in self.found.items()
        }
        plan = self.plan
        return {
            "agent": self.agent,
            "game": plan.table.name,
            "hands": plan.hands,
            "seed": plan.seed,
            **({"versus": self.versus} if self.versus else {}),
            "sizes": self.sizes,
            "settings": results,
        }

    def _versus(self, responses: Responses) -> dict[str, object]:
        if not self.versus:
            return {}
        other, more = (_figures(each.interval.scaled(self.factor)) for each in responses[1:])
        return {"versus": other, "difference": more}

    def lines(self) -> Iterator[str]:
        """For a terminal."""
        agent, versus, plan = self.agent, self.versus, self.plan
        yield f"local best response against {agent}, {plan.hands:,} hands each, 95 %:"
        for name, (responses, seconds) in self.found.items():
            line = f"  {name} ({self.settings[name]})" if name in SETTINGS else f"  {name}"
            hands = 2 * responses.first.count
            speed = hands * (2 if versus else 1) / max(seconds, 1e-9)
            rate = f"{speed:,.0f}" if speed >= 10 else f"{speed:.2g}"
            part = f"   after {hands:,} hands" if hands < plan.hands else ""
            interval = responses.first.interval.scaled(self.factor)
            yield f"{line:<24} {interval} mbb/h   {rate} hands/s{part}"
            if versus:
                other, more = (each.interval.scaled(self.factor) for each in responses[1:])
                yield f"    against {versus}: {other} mbb/h, on the same deals"
                yield f"    difference, {agent} minus {versus}: {more} mbb/h"


def _figures(interval: Interval) -> dict[str, object]:
    ends = [number if math.isfinite(number) else None for number in (interval.low, interval.high)]
    return {"mbb_per_hand": interval.mean, "interval": ends}
