"""``tiltless connect``: agents at the tables of other programs."""

from functools import partial
from typing import Annotated

import typer

from tiltless.cli import ui
from tiltless.protocols.acpc.gamedef import load_gamedef
from tiltless.protocols.connection import connect

__all__ = ["app"]

app = typer.Typer(
    help="Let an agent play at the table of another program.",
    no_args_is_help=True,
    add_completion=False,
)


@app.callback()
def _group() -> None:
    """Keeps the name of the program in the command, even if there is only one."""


@app.command()
def mit(
    port: Annotated[int, typer.Argument(help="Port of the engine.", min=1, max=65_535)],
    agent: Annotated[str, typer.Option(help="Agent to play; see `tiltless agents`.")],
    year: Annotated[
        str, typer.Option(help="Year of the engine: 2020, 2023 or a rules file (TOML).")
    ],
    host: Annotated[str, typer.Option(help="Host of the engine.")] = "localhost",
    hands: Annotated[
        int | None, typer.Option(help="Hands of the match; 1,000 by default.", min=1)
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Random seed of the agent; drawn by default.", min=0)
    ] = None,
) -> None:
    """Play a match at an engine of MIT Pokerbots.

    The engine listens, the player connects: first to the engine, then the agent is loaded. Answers
    are legal and in time whatever the agent does; see docs/protocols.md.
    """
    connection = connect(host, port)
    from tiltless.protocols.mit.client import play_connected

    report = play_connected(
        connection,
        agent,
        year,
        trusted=True,
        hands=hands,
        seed=seed,
        say=partial(ui.say, ui.console(stderr=True)),
    )
    for line in report.lines():
        ui.say(ui.console(), line)
    if report.broken:
        raise typer.Exit(1)


@app.command()
def acpc(
    host: Annotated[str, typer.Argument(help="Host of the dealer.")],
    port: Annotated[int, typer.Argument(help="Port of the seat.", min=1, max=65_535)],
    agent: Annotated[
        str,
        typer.Option(
            help="Agent to play; see `tiltless agents`. In Kuhn and Leduc: tabular, "
            "tabular:file=PATH, uniform, fish or fold."
        ),
    ],
    game: Annotated[
        str, typer.Option(help="Game of the dealer: a name, or the file of a game definition.")
    ] = "holdem.nolimit.2p.reverse_blinds",
    hands: Annotated[
        int | None, typer.Option(help="Hands of the match, to know whether it is over.", min=1)
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Random seed of the agent; drawn by default.", min=0)
    ] = None,
    per_hand: Annotated[
        float, typer.Option(help="Seconds that the dealer gives for each hand on average.")
    ] = 7.0,
    response: Annotated[
        float, typer.Option(help="Seconds that the dealer gives for one answer.")
    ] = 600.0,
) -> None:
    """Play a match at a dealer of the ACPC, such as `tiltless acpc-dealer`.

    The agent is loaded before the match begins. Answers are legal and in time whatever it does; see
    docs/protocols.md.
    """
    rules = load_gamedef(game)
    connection = connect(host, port)
    from tiltless.protocols.acpc.client import play_at_dealer
    from tiltless.protocols.acpc.pace import Pace

    report = play_at_dealer(
        connection,
        agent,
        rules,
        trusted=True,
        hands=hands,
        seed=seed,
        pace=Pace(per_hand, response),
        say=partial(ui.say, ui.console(stderr=True)),
    )
    for line in report.lines():
        ui.say(ui.console(), line)
    if report.broken:
        raise typer.Exit(1)


@app.command()
def slumbot(
    agent: Annotated[str, typer.Option(help="Agent to play; see `tiltless agents`.")],
    hands: Annotated[int, typer.Option(help="Number of hands.", min=1)] = 100,
    url: Annotated[
        str, typer.Option(help="Address of the server, such as one of `tiltless slumbot-server`.")
    ] = "https://slumbot.com",
    seed: Annotated[
        int | None, typer.Option(help="Random seed of the agent; drawn by default.", min=0)
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Time limit of a decision, in seconds.", min=0.001)
    ] = None,
) -> None:
    """Play hands at Slumbot's web API, or at a local server that speaks it.

    An action whose reply is lost is never sent again: the hand is dropped and counted.
    """
    from tiltless.protocols.line_session import said
    from tiltless.protocols.slumbot.client import play_slumbot, web_transport

    errors = ui.console(stderr=True)
    with said(partial(ui.say, errors)), ui.bar(on=errors) as bar:
        task = bar.add_task("playing", total=hands)

        def show(played: int, chips: int) -> None:
            bar.update(task, completed=played, description=f"{chips:+,} chips")

        report = play_slumbot(
            web_transport(url),
            agent,
            hands,
            trusted=True,
            seed=seed,
            seconds=seconds,
            progress=show,
        )
    for line in report.lines():
        ui.say(ui.console(), line)
    if report.broken:
        raise typer.Exit(1)
