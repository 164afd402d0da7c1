"""Agents of experiments for the registry, found through ``tiltless/__init__.py``."""

from tiltless.agents.registry import AgentEntry

__all__ = ["AGENTS"]

AGENTS = (
    AgentEntry(
        "cfr-v1",
        "tiltless.experiments.thesis.agents:cfr_v1",
        "the thesis' first agent: toy blueprint, then 50 rollouts",
    ),
    AgentEntry(
        "cfr-v2",
        "tiltless.experiments.thesis.agents:cfr_v2",
        "the thesis' second agent: toy blueprint, then 10,000 rollouts",
    ),
    AgentEntry(
        "aimbot",
        "tiltless.experiments.permutation.aimbot:aimbot",
        "a report's rules for Permutation Hold'em, with its inference",
    ),
    AgentEntry(
        "report-inference",
        "tiltless.experiments.permutation.agents:report_inference",
        "our blueprint for Permutation Hold'em with a report's inference",
    ),
    AgentEntry(
        "libratus-fan-club",
        "tiltless.experiments.permutation.agents:libratus_fan_club",
        "a report's blueprint and inference for Permutation Hold'em",
    ),
    AgentEntry(
        "calling-station",
        "tiltless.experiments.river_of_blood.agents:calling_station",
        "River of Blood as Calling Station played it: purified, equity on the run",
    ),
    AgentEntry(
        "mit-skeleton",
        "tiltless.experiments.river_of_blood.agents:Skeleton",
        "the bot that MIT's teams begin with: calls, sometimes raises the minimum",
    ),
    AgentEntry(
        "six-report",
        "tiltless.experiments.six_player.agent:SixReport",
        "a six-player report's nested policies, trained by self-play; else 400 rollouts",
    ),
)
