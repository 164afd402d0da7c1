"""``tiltless connect``: agents at the tables of other programs."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Protocol

import typer

from tiltless.cli import ui
from tiltless.errors import OptionError
from tiltless.protocols.acpc.gamedef import load_gamedef
from tiltless.protocols.connection import STARTING, connect
from tiltless.protocols.saved_hands import SavedHands

__all__ = ["app"]

app = typer.Typer(
    help="Let an agent play in another program.",
    no_args_is_help=True,
    add_completion=False,
)

_Agent = Annotated[
    str,
    typer.Option(
        help="Agent to play; see `tiltless agents`. In Kuhn and Leduc: tabular, "
        "tabular:file=PATH, uniform, fish, fold or all-in."
    ),
]
_Port = Annotated[
    int, typer.Argument(help="Port of the engine, or of the seat.", min=1, max=65_535)
]
_MatchHands = Annotated[
    int | None,
    typer.Option(
        help="Number of hands in the match; by default the program's usual number.", min=1
    ),
]
_Hands = Annotated[int, typer.Option(help="Number of hands.", min=1)]
_Seed = Annotated[
    int | None, typer.Option(help="Random seed for the agent; drawn by default.", min=0)
]
_Seconds = Annotated[
    float | None, typer.Option(help="Time limit per decision, in seconds.", min=0.001)
]
_Save = Annotated[
    Path | None,
    typer.Option(help="File to add the hands to, as PHH, or as text if PHH lacks the game."),
]
_EVERY = 20  # hands between writes, where no clock runs


@app.callback()
def _group() -> None:
    """Keeps the name of the program in the command, even if there is only one."""


class _Report(Protocol):
    """What every client returns."""

    @property
    def broken(self) -> str: ...

    def lines(self) -> list[str]: ...


def _said(report: _Report, saved: SavedHands) -> None:
    """Print a report; exit code 1 for a session that was broken off."""
    console = ui.console()
    for line in [*report.lines(), *saved.problems[:1]]:
        ui.say(console, line)
    if report.broken:
        raise typer.Exit(1)


def _note() -> Callable[[str], None]:
    return partial(ui.say, ui.console(stderr=True))


def _pause(seconds: float) -> None:
    """Wait before a request is repeated, and say so."""
    _note()(f"no answer; asking again in {seconds:g} s")
    time.sleep(seconds)


@contextmanager
def _shown_progress(hands: int) -> Iterator[Callable[[int, int], None]]:
    """A bar for sessions without a clock; notes are said in one line each."""
    from tiltless.protocols.line_session import said

    errors = ui.console(stderr=True)
    with said(partial(ui.say, errors)), ui.bar(on=errors) as bar:
        task = bar.add_task("playing", total=hands)

        def show(played: int, chips: int) -> None:
            bar.update(task, completed=played, description=f"{chips:+,} chips")

        yield show


@app.command()
def mit(
    port: _Port,
    agent: _Agent,
    year: Annotated[
        str, typer.Option(help="Year of the engine: 2020, 2023 or a rules file (TOML).")
    ],
    host: Annotated[str, typer.Option(help="Host of the engine.")] = "localhost",
    hands: _MatchHands = None,
    seed: _Seed = None,
    save: _Save = None,
) -> None:
    """Play a match in an engine of MIT Pokerbots.

    The engine listens and the player connects; the agent is loaded afterwards. Answers are legal
    and in time, whatever the agent does; see docs/protocols.md.
    """
    with SavedHands(save, agent) as saved:
        connection = connect(host, port)
        from tiltless.protocols.mit.client import play_connected

        report = play_connected(
            connection,
            agent,
            year,
            trusted=True,
            hands=hands,
            seed=seed,
            say=_note(),
            keep=saved.keep,
        )
    _said(report, saved)


@app.command()
def acpc(
    host: Annotated[str, typer.Argument(help="Host of the dealer.")],
    port: _Port,
    agent: _Agent,
    game: Annotated[
        str, typer.Option(help="Game of the dealer: a name, or a file with a game definition.")
    ] = "holdem.nolimit.2p.reverse_blinds",
    hands: _MatchHands = None,
    seed: _Seed = None,
    per_hand: Annotated[
        float, typer.Option(help="Dealer's average time limit per hand, in seconds.")
    ] = 7.0,
    response: Annotated[
        float, typer.Option(help="Dealer's time limit per answer, in seconds.")
    ] = 600.0,
    save: _Save = None,
) -> None:
    """Play a match with an ACPC dealer, such as `tiltless acpc-dealer`.

    The agent is loaded before the match begins. Answers are legal and in time, whatever it does;
    see docs/protocols.md. If the dealer is not running yet, the player waits a moment for it.
    """
    rules = load_gamedef(game)
    with SavedHands(save, agent) as saved:
        connection = connect(host, port, starting=STARTING, say=_note())
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
            say=_note(),
            keep=saved.keep,
        )
    _said(report, saved)


@app.command()
def slumbot(
    agent: _Agent,
    hands: _Hands = 100,
    url: Annotated[
        str, typer.Option(help="Address of the server, such as a local `tiltless slumbot-server`.")
    ] = "https://slumbot.com",
    user: Annotated[str, typer.Option(help="Account to log in with; none is needed.")] = "",
    password: Annotated[
        str, typer.Option(envvar="SLUMBOT_PASSWORD", help="Password of the account.")
    ] = "",
    seed: _Seed = None,
    seconds: _Seconds = None,
    save: _Save = None,
) -> None:
    """Play hands through Slumbot's web API, at the site or on a local server.

    If the reply to an action is lost, the action is not sent again; the hand is dropped and
    counted.
    """
    from tiltless.protocols.slumbot.client import Account, play_slumbot, web_transport

    if user and not password:
        raise OptionError("an account needs its password: set SLUMBOT_PASSWORD, or pass --password")
    with SavedHands(save, agent, _EVERY) as saved, _shown_progress(hands) as show:
        report = play_slumbot(
            web_transport(url),
            agent,
            hands,
            trusted=True,
            seed=seed,
            seconds=seconds,
            pause=_pause,
            progress=show,
            keep=saved.keep,
            account=Account(user, password) if user else None,
        )
    _said(report, saved)


@app.command()
def gtowizard(
    agent: _Agent,
    key: Annotated[
        str,
        typer.Option(
            envvar="GTOWIZARD_API_KEY", help="Access key, which GTO Wizard gives on request."
        ),
    ] = "",
    hands: _Hands = 100,
    url: Annotated[
        str,
        typer.Option(help="Address of the server, such as a local `tiltless gtowizard-server`."),
    ] = "https://researcher.gtowizard.com",
    at_once: Annotated[
        int,
        typer.Option(
            help="Number of hands played at once, each by an agent of its own.", min=1, max=5
        ),
    ] = 1,
    seed: _Seed = None,
    seconds: _Seconds = None,
    save: _Save = None,
) -> None:
    """Play hands in GTO Wizard's research benchmark, at the site or on a local server.

    When the site is busy, requests are repeated after a pause. An action is sent again only if the
    state of the hand shows that it was not applied.
    """
    from tiltless.protocols.gtowizard.client import key_transport, play_gtowizard

    with SavedHands(save, agent, _EVERY) as saved, _shown_progress(hands) as show:
        report = play_gtowizard(
            key_transport(key, url),
            agent,
            hands,
            trusted=True,
            at_once=at_once,
            seed=seed,
            seconds=seconds,
            progress=show,
            keep=saved.keep,
        )
    _said(report, saved)
