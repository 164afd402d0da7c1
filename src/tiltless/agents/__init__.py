"""Players: from always folding to a trained blueprint, all behind one interface."""

from tiltless.agents.agent import Agent, Clock, Decision, KnownStrategy, Policies
from tiltless.agents.registry import make_agent, register, registered

__all__ = [
    "Agent",
    "Clock",
    "Decision",
    "KnownStrategy",
    "Policies",
    "make_agent",
    "register",
    "registered",
]
