"""``tiltless gtowizard-server``: a local server like GTO Wizard's benchmark."""

from typing import Annotated

import typer

from tiltless.agents.registry import make_agent
from tiltless.cli.arena.options import Seed
from tiltless.cli.competition.serving import serve
from tiltless.protocols.gtowizard.server import GtoWizardHost, serve_gtowizard
from tiltless.protocols.web_table import GAME

__all__ = ["gtowizard_server"]


def gtowizard_server(
    agent: Annotated[str, typer.Option(help="Agent to play against; see `tiltless agents`.")],
    port: Annotated[int, typer.Option(help="Port; 0 for a free one.", min=0, max=65_535)] = 8129,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    key: Annotated[str, typer.Option(help="Key that clients must send; any by default.")] = "",
    busy: Annotated[
        float,
        typer.Option(
            help="Share of requests that are answered as by a busy engine.", min=0, max=0.9
        ),
    ] = 0.0,
    seed: Seed = 0,
) -> None:
    """Serve the interface of GTO Wizard's benchmark, with one of our agents, until stopped.

    tiltless gtowizard-server --agent blueprint --busy 0.1

    Prints its address. Cards depend on the seed; half of the busy answers come after the request
    has been applied.
    """
    make_agent(agent, trusted=True).check_table(GAME.name, GAME.rules)
    table = GtoWizardHost(lambda: make_agent(agent, trusted=True), seed, key, busy)
    serve(lambda: serve_gtowizard(table, host, port), host, port)
