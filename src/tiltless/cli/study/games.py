"""``tiltless games``: list and describe games."""

import random
from typing import Annotated, Any

import typer
from rich.table import Table

from tiltless.amounts import count_text
from tiltless.cli import ui
from tiltless.games import CHANCE, TERMINAL, Game, load, registered
from tiltless.games.parameter_text import read_parameters
from tiltless.tabular.estimate import estimate

__all__ = ["app"]

app = typer.Typer(
    help="List games or describe one.", invoke_without_command=True, add_completion=False
)


@app.callback(invoke_without_command=True)
def list_(context: typer.Context) -> None:
    """List every game; `tiltless games show NAME` describes one."""
    if context.invoked_subcommand is not None:
        return
    table = Table("name", "what it is", "parameters")
    for entry in registered():
        table.add_row(entry.name, entry.description, ", ".join(p.name for p in entry.parameters))
    console = ui.console()
    console.print(table)
    console.print("describe one with: tiltless games show leduc players=3", markup=False)


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="Name of the game.")],
    parameters: Annotated[
        list[str] | None, typer.Argument(help="Game parameters as name=value, such as players=3.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed for the example hand.", min=0)] = 0,
) -> None:
    """Describe a game: its parameters, its size, and one hand of it."""
    game = load(name, **read_parameters(parameters or []))
    entry = next(each for each in registered() if each.name == name)
    console = ui.console()
    console.print(f"[bold]{name}[/], version {game.version}: {entry.description}")
    console.print(f"{game.players} players, {'zero' if game.zero_sum else 'general'} sum")
    table = Table("parameter", "here", "default")
    for parameter in entry.parameters:
        here = game.parameters.get(parameter.name, parameter.default)
        default = "required" if parameter.required else repr(parameter.default)
        table.add_row(parameter.name, repr(here), default)
    if table.row_count:
        console.print(table)
    size = estimate(game)
    sign = "" if size.exact else "about "
    console.print(
        f"{sign}{count_text(size.nodes)} histories, {sign}{count_text(size.terminals)} of them "
        f"terminal, {sign}{count_text(size.infosets)} information sets"
    )
    console.print("\n[bold]one hand, random moves[/]")
    for line in _example(game, random.Random(seed)):
        console.print(f"  {line}", markup=False)


def _example(game: Game, rng: random.Random) -> list[str]:
    """The moves and payoffs of one random playout."""
    lines: list[str] = []
    state = game.start()
    while state.actor != TERMINAL:
        move: Any
        if state.actor == CHANCE:
            assert state.chance is not None
            move, who = state.chance.sample(rng), "chance"
            seen = state.chance.seen_by
            note = "" if len(seen) == game.players else f"   (seen by {_players(seen)})"
        else:
            move, who, note = rng.choice(state.actions), f"player {state.actor}", ""
        lines.append(f"{who}: {game.action_text(move)}{note}")
        state = state.apply(move)
    lines.append("payoffs: " + ", ".join(f"{payoff:+g}" for payoff in state.payoffs))
    return lines


def _players(seen: tuple[int, ...]) -> str:
    return "player " + " and ".join(map(str, seen)) if seen else "nobody"
