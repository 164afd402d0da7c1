"""Winning the match, not the chips: lock lines, a dynamic program, and a wrapper for any agent."""

from tiltless.agents.endgame.agent import Endgame, endgame

__all__ = ["Endgame", "endgame"]
