"""``tiltless blueprint query`` for three to six seats: first-in ranges, and spots of a table."""

from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from tiltless.agents.blueprint import BlueprintAgent
from tiltless.agents.spot_query import spot_view
from tiltless.blueprint.line_text import Choice
from tiltless.blueprint.multiway.model import MultiwayBlueprint
from tiltless.blueprint.multiway.openings import POSITION_NAMES
from tiltless.blueprint.opening import Opening, hand_classes
from tiltless.cards.card import CLASS_SIZES, cards_text, check_disjoint, combo_index, parse_cards
from tiltless.cli import ui
from tiltless.cli.training.opening_text import openings_table
from tiltless.cli.training.strategy_text import action_table, print_grids
from tiltless.errors import CardError
from tiltless.games.holdem.bet_context import spot_of
from tiltless.games.holdem.positions import position_names
from tiltless.games.registry import load
from tiltless.viz.terminal import cards_markup
from tiltless.viz.training import strategy_png

__all__ = ["query_seats"]


def query_seats(
    console: Console,
    model: MultiwayBlueprint,
    file: str,
    *,
    hole: str,
    board: str,
    line: str,
    seats: int,
    png: Path | None,
    as_json: bool,
) -> None:
    """Show first-in ranges by position, or the strategy of the player to act after a line."""
    if not (hole or board or line):
        _openings(console, model.openings(), png, as_json)
        return
    about = model.about
    parameters = {**about.parameters, "seats": seats or model.game.players}
    game = load(about.game, version=about.rules, **parameters)
    assert isinstance(game, type(model.game))
    agent = BlueprintAgent(file)
    agent.check_table(game.name, game.rules)
    view = spot_view(game, line, board)
    if not hole and view.street:
        raise CardError(f"a query on the {view.street_name} needs a hand; give --hole AsKd")
    policies = agent.policies(view)
    spot = spot_of(view.betting, view.pot)
    choices = [Choice.at(spot, view.betting, action) for action in policies.actions]
    hands = policies.chances.astype(np.float64)
    if hole:
        held = parse_cards(hole)
        check_disjoint(hand=held, board=parse_cards(board))
        probs = hands[combo_index(held)]
    else:
        probs = np.asarray(CLASS_SIZES @ hand_classes(hands) / CLASS_SIZES.sum())
    position = position_names(view.rules.seats)[view.seat]  # the button is in seat 0
    who = POSITION_NAMES[position]
    if as_json:
        facts: dict[str, Any] = {
            "street": view.street_name,
            "position": position,
            "pot": view.pot,
            "line": line,
            "actions": {c.label: float(p) for c, p in zip(choices, probs, strict=True)},
        }
        if hole:
            facts["hole"] = cards_text(parse_cards(hole))
        ui.print_json(facts)
        return
    ui.say(console, f"{view.street_name}, {who}{f' after {line}' if line else ''}; pot {view.pot}")
    shown = [cards_markup(each) for each in (hole, board) if each]
    if shown:
        console.print(" on ".join(shown) if hole else shown[0])
    console.print(action_table(choices, probs, view.rules.big_blind))
    if not hole:
        classes = hand_classes(hands)
        print_grids(console, choices, classes)
        if png is not None:
            title = f"{who[0].upper()}{who[1:]} after {line}"
            strategy_png(png, choices, classes, title=title, subtitle=f"pot {view.pot} chips")
            ui.say(console, f"picture: {png}")


def _openings(console: Console, openings: list[Opening], png: Path | None, as_json: bool) -> None:
    """First in: a table by position, and a picture of each."""
    if as_json:
        ui.print_json(
            {
                each.short: {
                    "fold": each.share(each.folds),
                    "limp": each.share(each.limps),
                    "raise": each.share(each.raises),
                }
                for each in openings
            }
        )
        return
    console.print(openings_table(openings))
    for each in openings:
        ui.say(console, f"\n{each.player} first in")
        print_grids(console, each.choices, each.chances)
        if png is not None:
            path = png.with_stem(f"{png.stem}-{each.short}")
            title = f"{each.player[0].upper()}{each.player[1:]}, first in"
            strategy_png(path, each.choices, each.chances, title=title, subtitle="")
            ui.say(console, f"picture: {path}")
