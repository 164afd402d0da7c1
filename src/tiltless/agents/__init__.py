"""Agents: players behind one interface, from always folding to real-time search."""

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
