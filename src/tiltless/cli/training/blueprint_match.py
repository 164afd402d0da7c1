"""``tiltless blueprint match``: a compiled match of two strategies on one betting tree."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from tiltless.abstraction.cards.abstraction import CardAbstraction
from tiltless.abstraction.cards.buckets import ONE_BUCKET
from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.abstraction.cards.tables import Tables, build_tables
from tiltless.blueprint.files.file import About
from tiltless.blueprint.shipped import find_blueprint
from tiltless.blueprint.simulate.match import MatchResult, Side, simulate_match
from tiltless.blueprint.simulate.simple_policies import SIMPLE_POLICIES, simple_policy
from tiltless.blueprint.strategy import Blueprint
from tiltless.blueprint.tree import BettingTree
from tiltless.cli import ui
from tiltless.cli.arena.options import Seed
from tiltless.cli.table_bar import shown_tables
from tiltless.cli.training.seats_match import match_seats, models_of_seats
from tiltless.errors import FingerprintError, OptionError
from tiltless.system import usable_cores
from tiltless.validate import brief

__all__ = ["match"]

_NAMES = "A shipped blueprint, a file, or " + ", ".join(SIMPLE_POLICIES)


def match(
    first: Annotated[str, typer.Argument(help=f"{_NAMES}.")],
    second: Annotated[str, typer.Argument(help="Opponent, written in the same way.")],
    deals: Annotated[
        int, typer.Option(help="Number of deals; each is played twice with seats swapped.", min=1)
    ] = 1_000_000,
    seed: Seed = 0,
    threads: ui.Threads = 0,
    cards: Annotated[
        list[Path] | None,
        typer.Option(help="File of a card abstraction that is not a preset; may be repeated."),
    ] = None,
    as_json: ui.AsJson = False,
) -> None:
    """Play a match between two blueprints with the same tree, or a blueprint and a simple policy.

    With three to six seats, one blueprint plays against copies of the other, both ways, with each
    deal in all seats.

    Simple policies ignore their cards: random takes all actions equally often, call checks or
    calls, raise makes the largest raise or calls, fold checks or folds. For a file with such a
    name, write ./call.
    """
    console = ui.console(stderr=True)
    abstractions = [card_abstraction(path) for path in cards or ()]
    names = [name for name in (first, second) if name not in SIMPLE_POLICIES]
    seats = models_of_seats(*names) if len(names) == 2 else []
    if seats:
        match_seats(
            console,
            seats,
            names,
            deals=deals,
            seed=seed,
            threads=threads or usable_cores(),
            as_json=as_json,
        )
        return
    blueprints = {name: _load(name, abstractions) for name in names}
    tree = _tree(blueprints)
    built: dict[str, Tables] = {}
    sides = [_side(console, tree, name, blueprints.get(name), built) for name in (first, second)]
    with console.status("compiling, once per machine"):
        simulate_match(tree, 1, *sides)
    start = time.perf_counter()
    result = _played(console, tree, sides, deals, seed, threads or usable_cores())
    seconds = max(time.perf_counter() - start, 1e-9)
    facts = _facts(result, tree.game.rules.big_blind)
    facts |= {"seed": seed, "seconds": seconds, "hands_per_second": result.hands / seconds}
    if as_json:
        ui.print_json({"first": first, "second": second, **facts})
        return
    low, high = facts["button_interval"]
    typer.echo(f"{first} against {second}: {result.describe(tree.game.rules.big_blind)}")
    typer.echo(
        f"the button won {facts['button_mbb_per_hand']:+,.1f} mbb/h, "
        f"95 % between {low:+,.1f} and {high:+,.1f}"
    )
    typer.echo(f"{facts['hands_per_second']:,.0f} hands/s")


def _facts(result: MatchResult, big_blind: int) -> dict[str, Any]:
    """In mbb/h, with intervals of 95 %."""
    unit = 1000 / big_blind
    return {
        "mbb_per_hand": unit * result.mean,
        "interval": list(result.interval.scaled(unit)[1:]),
        "button_mbb_per_hand": unit * result.button,
        "button_interval": list(result.button_interval.scaled(unit)[1:]),
        "hands": result.hands,
    }


def _load(name: str, abstractions: Sequence[CardAbstraction]) -> Blueprint:
    """A blueprint with the matching card abstraction among those given, if any."""
    path = find_blueprint(name)
    wanted = Blueprint.load(path, verify=False).about.cards_fingerprint
    own = next((cards for cards in abstractions if cards.fingerprint == wanted), None)
    return Blueprint.load(path, cards=own)


def _tree(blueprints: Mapping[str, Blueprint]) -> BettingTree:
    """The common tree of all blueprints; `OptionError` if they differ."""
    if not blueprints:
        raise OptionError("a match needs at least one blueprint; name one")
    (name, one), *others = blueprints.items()
    for other_name, other in others:
        if other.about.tree != one.about.tree or other.game != one.game:
            raise FingerprintError(
                f"{name} plays {_described(one.about)} and {other_name} "
                f"{_described(other.about)}; a match needs two blueprints of one tree"
            )
    return one.tree


def _described(about: About) -> str:
    parameters = "".join(f" {name}={value}" for name, value in about.parameters.items())
    return f"{about.game}{parameters} with bets {brief(about.menu)} (tree {about.tree[:12]})"


def _side(
    console: Console,
    tree: BettingTree,
    name: str,
    blueprint: Blueprint | None,
    built: dict[str, Tables],
) -> Side:
    """The policy of a name; built: bucket tables by fingerprint, each built once."""
    if blueprint is None:
        return Side(simple_policy(tree, name), [ONE_BUCKET] * tree.streets)
    mark = blueprint.about.cards_fingerprint
    if mark not in built:
        with shown_tables(console, blueprint.abstraction) as progress:
            built[mark] = build_tables(blueprint.abstraction, progress=progress)
    return Side(blueprint.probabilities, blueprint.groups(built[mark]))


def _played(
    console: Console, tree: BettingTree, sides: Sequence[Side], deals: int, seed: int, threads: int
) -> MatchResult:
    """Play the match with a live progress line."""
    begin = time.perf_counter()
    with ui.live_line(console) as show:

        def report(done: int, _: int) -> None:
            spent = time.perf_counter() - begin
            left = spent * (deals - done) / max(done, 1)
            show(f"{done:,} of {deals:,} deals, {spent:.0f} s, about {left:.0f} s left")

        first, second = sides
        return simulate_match(
            tree, deals, first, second, seed=seed, threads=threads, progress=report
        )
