"""Training progress as text."""

from collections.abc import Callable

from tiltless.amounts import size_text, time_text
from tiltless.blueprint.training.config import TrainingConfig
from tiltless.blueprint.training.convergence import Match
from tiltless.blueprint.training.cost import MEETINGS, Needs, SpeedEstimate
from tiltless.blueprint.training.run import Tick
from tiltless.cache import cache_folder
from tiltless.intervals import half_width_95

__all__ = [
    "estimate_text",
    "match_text",
    "needs_text",
    "nothing_averaged_text",
    "now_and_then",
    "tick_text",
]

_SECONDS_BETWEEN_LINES = 10.0


def needs_text(config: TrainingConfig, cost: Needs) -> str:
    """Information sets, memory and disk; a second line if bucket tables will be built."""
    shared = f" ({config.information})" if config.information else ""
    text = (
        f"{config.name}{shared}: {cost.infosets:,} information sets, {cost.rows:,} actions; "
        f"{size_text(cost.memory)} of memory, {size_text(cost.disk)} of disk for checkpoints "
        f"and blueprint, of which {size_text(cost.model)} at most is the blueprint"
    )
    tables = cost.bucket_tables
    if tables:
        text += (
            f"\nand once, for every run with these cards: {sum(tables.values()) / 1e6:,.0f} MB of "
            f"bucket tables ({', '.join(tables)}) in {cache_folder()}"
        )
    return text


def estimate_text(estimate: SpeedEstimate) -> str:
    """Speed, when the run stops, and when it would be sensible to; up to three lines."""
    lines = [
        f"measured: {estimate.walks_per_second:,.0f} walks/s, "
        f"{estimate.nodes_per_second / 1e6:.1f} M nodes/s"
    ]
    if estimate.stop_walks is not None and estimate.stop_seconds is not None:
        when = time_text(estimate.stop_seconds)
        lines.append(f"the end, as configured: in {when}, at {_about(estimate.stop_walks)} walks")
    if estimate.met_walks is not None and estimate.met_seconds is not None:
        lines.append(
            f"a sensible end: in {time_text(estimate.met_seconds)}, at "
            f"{_about(estimate.met_walks)} walks, when each information set was met {MEETINGS:,} "
            "times on average"
        )
    return "\n".join(lines)


def tick_text(config: TrainingConfig, tick: Tick, infosets: int) -> str:
    """How far it is: speed, information sets met, regret, litmus, the last match, time left."""
    parts = [
        f"{tick.walks:,} walks",
        f"{tick.walks_per_second:,.0f}/s",
        f"{tick.nodes_per_second / 1e6:.1f} M nodes/s",
        f"{tick.touched / infosets:.1%} of information sets met",
        f"regret {tick.mean_regret:.3g} chips",
    ]
    if tick.checks:
        failing = [check.text for check in tick.checks if not check.holds]
        good = f"litmus {len(tick.checks) - len(failing)}/{len(tick.checks)}"
        parts.append(f"{good} (not yet: {failing[0]})" if failing else good)
    if tick.match is not None:
        parts.append(f"last match {_won(tick.match)}")
    left = _seconds_left(config, tick)
    return ", ".join(parts if left is None else [*parts, f"{time_text(left)} left"])


def now_and_then(tell: Callable[[Tick], None]) -> Callable[[Tick], None]:
    """Pass on the first tick, and then one every ten seconds of training."""
    due = -1.0

    def on_tick(tick: Tick) -> None:
        nonlocal due
        if tick.seconds >= due:
            due = tick.seconds + _SECONDS_BETWEEN_LINES
            tell(tick)

    return on_tick


def match_text(match: Match) -> str:
    """Who won, and what the game is worth."""
    chips = f"{match.chips:+.3g} ± {half_width_95(match.chips_error):.2g} chips a hand"
    return (
        f"{match.walks:,} walks against {match.before:,}: {_won(match)} ({chips}) in "
        f"{match.hands:,} hands; the button wins {match.value_mbb:+.0f} ± "
        f"{match.value_mbb_95:.0f} mbb/h"
    )


def nothing_averaged_text(config: TrainingConfig, walks: int) -> str:
    """What a blueprint is worth that has no average yet."""
    return (
        f"nothing was learned that can be played: the average begins after "
        f"{config.first_average:,} walks and there were {walks:,}, so the blueprint plays "
        "every action alike; continue with --resume"
    )


def _won(match: Match) -> str:
    return f"{match.mbb:+.1f} ± {match.mbb_95:.1f} mbb/h"


def _about(count: float) -> str:
    """``about 12,300,000``: three digits are enough for an estimate."""
    return f"about {float(f'{count:.3g}'):,.0f}"


def _seconds_left(config: TrainingConfig, tick: Tick) -> float | None:
    left = []
    if config.stop_minutes is not None:
        left.append(60 * config.stop_minutes - tick.seconds)
    if config.stop_walks is not None:
        left.append((config.stop_walks - tick.walks) / tick.walks_per_second)
    return max(min(left), 0.0) if left else None
