"""``tiltless slumbot-server``: a local server that speaks Slumbot's web API."""

from typing import Annotated

import typer

from tiltless.agents.registry import make_agent
from tiltless.cli.arena.options import Seed
from tiltless.cli.competition.serving import serve
from tiltless.protocols.slumbot.server import SlumbotHost, serve_slumbot
from tiltless.protocols.web_table import GAME

__all__ = ["slumbot_server"]


def slumbot_server(
    agent: Annotated[str, typer.Option(help="Agent to play against; see `tiltless agents`.")],
    port: Annotated[int, typer.Option(help="Port; 0 for a free one.", min=0, max=65_535)] = 8128,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    seed: Seed = 0,
) -> None:
    """Serve Slumbot's web API, with one of our agents, until stopped.

    tiltless slumbot-server --agent blueprint

    Prints its address. Slumbot's clients play here as at the site; cards depend on the seed.
    """
    make_agent(agent, trusted=True).check_table(GAME.name, GAME.rules)
    table = SlumbotHost(lambda: make_agent(agent, trusted=True), seed)
    serve(lambda: serve_slumbot(table, host, port), host, port)
