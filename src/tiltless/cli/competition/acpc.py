"""``tiltless acpc-dealer``: matches between programs that speak the ACPC protocol."""

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from tiltless.agents.registry import make_agent
from tiltless.cli import ui
from tiltless.cli.competition.engine import terminated_politely
from tiltless.errors import OptionError
from tiltless.files.atomic import write_text
from tiltless.files.writable import check_writable
from tiltless.protocols.acpc.dealer import DealtMatch, deal_match
from tiltless.protocols.acpc.dialect import AcpcDialect
from tiltless.protocols.acpc.gamedef import GAMES, GameDef, load_gamedef
from tiltless.protocols.acpc.log import MatchHeader
from tiltless.protocols.acpc.pace import Pace
from tiltless.protocols.acpc.seats import AgentSeat, DealerSeat, SeatError, listen, seat_players
from tiltless.protocols.acpc.small_games import small_agent
from tiltless.protocols.adapter import Adapter
from tiltless.protocols.line_session import rehearse, said

__all__ = ["acpc_dealer"]


def acpc_dealer(
    gamedef: Annotated[
        str, typer.Argument(help=f"Game definition: a file, or one of {', '.join(GAMES)}.")
    ],
    hands: Annotated[int, typer.Option(help="Number of hands in the match.", min=1)] = 3000,
    seed: Annotated[
        int,
        typer.Option(
            help="Random seed for the cards, which are those of the original dealer.",
            min=0,
            max=2**32 - 1,
        ),
    ] = 0,
    ports: Annotated[
        str,
        typer.Option(
            help="Port of each seat, 0 for a free one, or an agent that plays in this "
            "process: 28111,28112 or 0,rules."
        ),
    ] = "",
    names: Annotated[str, typer.Option(help="Names of the seats, separated by commas.")] = "",
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    log: Annotated[Path | None, typer.Option(help="File for the log of the match.")] = None,
    t_response: Annotated[
        int, typer.Option(help="Time limit per answer, in milliseconds.", min=1)
    ] = 600_000,
    t_hand: Annotated[
        int, typer.Option(help="Time limit of a player per hand, in milliseconds.", min=1)
    ] = 600_000,
    t_per_hand: Annotated[
        int, typer.Option(help="Average time limit of a player per hand, in milliseconds.", min=1)
    ] = 7_000,
    start_timeout: Annotated[
        int,
        typer.Option(help="Time limit for all players to connect, in milliseconds; -1 for none."),
    ] = -1,
    fixed: Annotated[
        bool, typer.Option(help="Fixed positions: players keep theirs in every hand.")
    ] = False,
    verbose: Annotated[bool, typer.Option(help="Print every message on standard error.")] = False,
) -> None:
    """Deal a match between programs that speak the ACPC protocol.

    tiltless acpc-dealer holdem.nolimit.2p.reverse_blinds --hands 100 --ports 28111,rules

    Prints the ports, one for each seat, then the score. Cards, rulings and log are those of the
    original dealer. The exit code is 1 if a player was late or lost, which ends the match.
    """
    game = load_gamedef(gamedef)
    if log is not None:
        check_writable(log)
    seats = _words(ports, game, "ports", [0] * game.players)
    labels = _words(names, game, "names", [f"seat{n}" for n in range(1, game.players + 1)])
    if any(not each or set(each) & set("|: \t\r\n") for each in labels):
        raise OptionError(f"--names {names!r} is not possible; use letters, digits and dashes")
    name = Path(gamedef).name
    header = MatchHeader(
        log.stem if log else "match",
        name if name.endswith(".game") else f"{name}.game",
        hands,
        seed,
        t_response,
        t_hand,
        t_per_hand,
    )
    errors = ui.console(stderr=True)

    def say(line: str) -> None:
        if verbose or not line.startswith(("TO ", "FROM ")):
            ui.say(errors, line)

    with terminated_politely(), said(say), ExitStack() as stack:
        players = _seated(seats, game, header, host, start_timeout, stack, say)
        match = deal_match(game, players, labels, header, fixed=fixed, say=say)
        if log is not None:
            write_text(log, match.log.text)
    _finish(match)


def _words(text: str, game: GameDef, option: str, default: Sequence[object]) -> list[str]:
    words = [word.strip() for word in text.split(",")] if text else list(map(str, default))
    if len(words) != game.players:
        raise OptionError(
            f"--{option} {text!r} is not possible; give {game.players}, separated by commas"
        )
    return words


def _seated(
    words: Sequence[str],
    game: GameDef,
    header: MatchHeader,
    host: str,
    start_timeout: int,
    stack: ExitStack,
    say: Callable[[str], None],
) -> list[DealerSeat]:
    """The players, in the order of seats; the ports are printed before anybody is waited for."""
    agents = {
        seat: _agent(text, game, header, seat)
        for seat, text in enumerate(words)
        if not text.isdigit()
    }
    wanted = [int(text) for text in words if text.isdigit()]
    if any(port > 65_535 for port in wanted):
        raise OptionError(f"ports {wanted} are not possible; choose 0 to 65535")
    servers = listen(wanted, host, stack)
    typer.echo(" ".join(str(server.getsockname()[1]) for server in servers))
    sys.stdout.flush()  # for programs that read the ports from a pipe
    try:
        limit = None if start_timeout < 0 else start_timeout / 1000
        others = iter(seat_players(servers, stack, limit))
    except SeatError as problem:
        say(f"ERROR: {problem}")
        raise typer.Exit(1) from None
    return [agents[seat] if seat in agents else next(others) for seat in range(game.players)]


def _agent(text: str, game: GameDef, header: MatchHeader, seat: int) -> AgentSeat:
    dialect = AcpcDialect(game, Pace(header.per_hand / 1000, header.response / 1000))
    holdem = dialect.table.holdem
    if holdem is None:
        agent = small_agent(text, game)
    else:
        agent = make_agent(text, trusted=True)
        rehearse(make_agent(text, trusted=True), holdem)  # compiling is not on its clock
    return AgentSeat(Adapter(dialect, agent, seed=header.seed + seat))


def _finish(match: DealtMatch) -> None:
    if match.error:
        raise typer.Exit(1)
    typer.echo(match.log.score_text)
