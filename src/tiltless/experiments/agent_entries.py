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
)
