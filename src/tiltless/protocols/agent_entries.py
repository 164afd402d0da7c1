"""Players of other programs for the registry, found through ``tiltless/__init__.py``."""

from tiltless.agents.registry import AgentEntry

__all__ = ["AGENTS"]

AGENTS = (
    AgentEntry(
        "pypokerengine",
        "tiltless.protocols.pypokerengine:Guest",
        "a PyPokerEngine player: class=module:Class",
        "interop",
        imports=True,
    ),
    AgentEntry(
        "openspiel",
        "tiltless.protocols.openspiel:BotAgent",
        "a bot of OpenSpiel: bot=uniform_random or class=module:callable",
        "interop",
        imports=True,
    ),
)
