"""``tiltless mit-engine``: matches between bots as MIT Pokerbots plays them."""

import contextlib
import signal
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from tiltless.agents.registry import make_agent
from tiltless.cli import ui
from tiltless.cli.arena.options import Seed
from tiltless.errors import OptionError
from tiltless.files.atomic import make_folder, write_bytes
from tiltless.intervals import Interval, share_interval
from tiltless.protocols.mit.agent_player import AgentPlayer
from tiltless.protocols.mit.bot_folder import BotFolder
from tiltless.protocols.mit.engine import EngineMatch, Player, Seat, play_match
from tiltless.protocols.mit.year_file import load_year
from tiltless.protocols.mit.years import Year

__all__ = ["mit_engine", "terminated_politely"]

_FAULTS = ("illegal", "misformatted", "late", "lost", "absent", "crashed")

Bot = Annotated[
    str, typer.Argument(help="A bot's folder (with commands.json), or an agent such as rules.")
]


def mit_engine(
    a: Bot,
    b: Bot,
    year: Annotated[
        str,
        typer.Option(
            help="Year of the engine: 2020 (Permutation Hold'em), 2023 (River of Blood) or a "
            "rules file (TOML)."
        ),
    ] = "2023",
    hands: Annotated[
        int, typer.Option(help="Number of hands per match; 0 means 1,000.", min=0)
    ] = 0,
    clock: Annotated[
        float, typer.Option(help="Clock of each bot for a match, in seconds; 0 means 30.", min=0)
    ] = 0.0,
    stack: Annotated[
        int, typer.Option(help="Chips at the start of a hand; 0 means the year's number.", min=0)
    ] = 0,
    matches: Annotated[
        int, typer.Option(help="Number of matches, with consecutive seeds.", min=1)
    ] = 1,
    seed: Seed = 0,
    ranks: Annotated[
        str, typer.Option(help="Order of ranks for every match, lowest first; 2020 only.")
    ] = "",
    names: Annotated[
        str, typer.Option(help="Names of the bots in the logs, separated by a comma.")
    ] = "A,B",
    build_limit: Annotated[
        float, typer.Option(help="Time limit for a bot's build command, in seconds.", min=0.1)
    ] = 10.0,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for gamelog.txt and the bots' output, both of the last match."),
    ] = None,
    as_json: ui.AsJson = False,
) -> None:
    """Play matches between two bots with the lines, clocks and rulings of the MIT engines.

    tiltless mit-engine examples/mit_skeleton rules --year 2023 --out logs

    A bot's folder is built and run as commands.json says; an agent plays in this process. The exit
    code is 1 if a bot lost its clock or its connection, never connected, or crashed.
    """
    labels = [name.strip() for name in names.split(",")]
    if len(labels) != 2 or len(set(labels)) != 2 or not all(map(_is_name, labels)):
        raise OptionError(f"--names {names!r} is not possible; give two different names, as A,B")
    console, known = ui.console(stderr=True), load_year(year)
    if out is not None:
        make_folder(out)
    rules = replace(
        known,
        hands=hands or known.hands,
        clock=clock or known.clock,
        stack=stack or known.stack,
    )
    options: dict[str, Any] = {
        "hands": rules.hands,
        "clock": rules.clock,
        "stack": rules.stack,
        "ranks": ranks,
    }
    played: list[EngineMatch] = []
    with terminated_politely(), warnings.catch_warnings(), ui.bar(on=console) as bar:
        warnings.simplefilter("ignore", UserWarning)  # of agents made for other tables: told once
        task = bar.add_task("building", total=matches * rules.hands)

        def show(hand: int, chips: int) -> None:
            done = len(played) * rules.hands + hand
            bar.update(task, completed=done, description=f"{labels[0]} {chips:+,}")

        for number in range(seed, seed + matches):
            with ExitStack() as bots:
                players = [
                    _player(text, name, rules, number, build_limit, bots)
                    for text, name in zip((a, b), labels, strict=True)
                ]
                if not played:
                    _tell_notes(players, rules, console)
                _start(players, build=not played)
                played.append(play_match(rules, players, seed=number, progress=show, **options))
                _finish(players, played[-1], out, console)
    facts = _facts(played, (a, b), seed)
    if as_json:
        ui.print_json(facts)
    else:
        _print(facts)
        if out is not None:
            typer.echo(f"written: {out / 'gamelog.txt'}")
    if any(bot[kind] for bot in facts["bots"] for kind in ("late", "lost", "absent", "crashed")):
        raise typer.Exit(1)


def _is_name(name: str) -> bool:
    return name.isascii() and name.replace("-", "").replace("_", "").isalnum()


def _player(
    text: str, name: str, year: Year, seed: int, build_limit: float, stack: ExitStack
) -> Player:
    if Path(text).is_dir() or "/" in text:
        return stack.enter_context(
            BotFolder(text, name, build_limit=build_limit, connect_limit=year.reply)
        )
    return AgentPlayer(make_agent(text, trusted=True), name, year, seed)


def _tell_notes(players: Sequence[Player], year: Year, console: Console) -> None:
    """Report agents made for another table or match; `OptionError` if one cannot play at all."""
    for player in players:
        if isinstance(player, AgentPlayer):
            agent = player.adapter.agent
            table = agent.check_table(year.variant, year.game().rules)
            for note in filter(None, (table, agent.expect_match(year.hands))):
                ui.say(console, f"{player.name}: {note}")


def _start(players: Sequence[Player], *, build: bool) -> None:
    for player in players:
        if isinstance(player, BotFolder):
            if build:
                player.build()
            player.start()


def _finish(
    players: Sequence[Player], match: EngineMatch, out: Path | None, console: Console
) -> None:
    """End the bots, tell what went wrong, and write the logs."""
    bots = [player for player in players if isinstance(player, BotFolder)]
    for bot in bots:
        bot.quit()
    for player, seat in zip(players, match.seats, strict=True):
        if isinstance(player, AgentPlayer):
            seat.faults["crashed"] = player.crashes
        if isinstance(player, BotFolder | AgentPlayer):
            for note in player.notes:
                ui.say(console, note)
    if out is not None:
        write_bytes(out / "gamelog.txt", match.log.encode("utf-8", "backslashreplace"))
        for bot in bots:
            write_bytes(out / f"{bot.name}.txt", bot.output)


@contextlib.contextmanager
def terminated_politely() -> Iterator[None]:
    """A signal to end becomes an exception, so that no bot is left behind."""

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _won(played: Sequence[EngineMatch]) -> Interval:
    """The share of matches that the first bot won, half for a tie, in %."""
    share = float(np.mean([(1 + np.sign(match.bankrolls[0])) / 2 for match in played]))
    return share_interval(share, len(played)).scaled(100.0)


def _seat_facts(played: Sequence[EngineMatch], index: int, text: str) -> dict[str, Any]:
    seats = [match.seats[index] for match in played]
    faults = {kind: sum(seat.faults[kind] for seat in seats) for kind in _FAULTS}
    times = np.array([second for seat in seats for second in seat.seconds] or [0.0])
    return {
        "bot": text,
        "name": seats[0].name,
        "chips": sum(seat.bankroll for seat in seats),
        **faults,
        "seconds": sum(_used(match, seat) for match, seat in zip(played, seats, strict=True)),
        "slowest_match_s": max(_used(m, seat) for m, seat in zip(played, seats, strict=True)),
        "decisions": int(sum(len(seat.seconds) for seat in seats)),
        "decision_ms_p99": 1e3 * float(np.quantile(times, 0.99)),
        "decision_ms_max": 1e3 * float(times.max()),
    }


def _used(match: EngineMatch, seat: Seat) -> float:
    return match.year.clock - seat.clock


def _facts(played: Sequence[EngineMatch], texts: tuple[str, str], seed: int) -> dict[str, Any]:
    year = played[0].year
    return {
        "year": year.number or None,
        "game": year.variant,
        "matches": len(played),
        "hands": year.hands,
        "clock": year.clock,
        "stack": year.stack,
        "seed": seed,
        "won_percent": list(_won(played)),
        "bankrolls": [list(match.bankrolls) for match in played],
        "ranks": [match.ranks for match in played] if year.hidden_ranks else None,
        "bots": [_seat_facts(played, index, text) for index, text in enumerate(texts)],
    }


def _print(facts: dict[str, Any]) -> None:
    count = facts["matches"]
    words = f"{count:,} matches" if count > 1 else "a match"
    title = f"{words} of {facts['hands']:,} hands, {facts['game']}, seed {facts['seed']}"
    table = Table("bot", "chips", "faults", "clock used", "99 % of decisions", title=title)
    for bot in facts["bots"]:
        table.add_row(
            f"{bot['name']}: {bot['bot']}",
            f"{bot['chips']:+,}",
            ", ".join(f"{bot[kind]:,} {kind}" for kind in _FAULTS if bot[kind]) or "none",
            f"{bot['slowest_match_s']:.2f} s",
            f"{bot['decision_ms_p99']:.2f} ms",
        )
    console = ui.console(markup=False)
    console.print(table)
    if count > 1:
        mean, low, high = facts["won_percent"]
        name = facts["bots"][0]["name"]
        ui.say(console, f"matches won by {name}: {mean:.1f} % ({low:.1f} to {high:.1f})")
