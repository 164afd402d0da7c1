"""``tiltless hand``: the name of a hand and its best five cards."""

from typing import Annotated

import typer

from tiltless.cards.card import cards_text, parse_cards
from tiltless.cards.evaluate import best_five, evaluate, hand_category, hand_name
from tiltless.cards.hand_order import SHORT_DECK, STANDARD, HandOrder, hand_classes, permuted
from tiltless.cli import ui
from tiltless.errors import OptionError
from tiltless.viz.terminal import cards_markup

__all__ = ["Ranks", "hand", "order_from_options"]

Ranks = Annotated[
    str, typer.Option(help="Rank order for permuted decks: the 13 ranks from lowest to highest.")
]


def order_from_options(short_deck: bool, ranks: str) -> HandOrder:
    """The hand order that the options ask for."""
    if short_deck and ranks:
        raise OptionError("--short-deck and --ranks cannot be combined; give only one of them")
    if short_deck:
        return SHORT_DECK
    return permuted(ranks) if ranks else STANDARD


def hand(
    cards: Annotated[list[str], typer.Argument(help="5 to 33 cards: AsKsQsJsTs 2d3c")],
    short_deck: Annotated[bool, typer.Option(help="Use the short-deck hand ranking.")] = False,
    ranks: Ranks = "",
    as_json: ui.AsJson = False,
) -> None:
    """Name a hand and show its best five cards."""
    order = order_from_options(short_deck, ranks)
    hand_cards = parse_cards(" ".join(cards))
    value = evaluate(hand_cards, order)
    five = best_five(hand_cards, order)
    classes = len(hand_classes(order).category) - 1
    if as_json:
        result = {
            "cards": cards_text(hand_cards),
            "name": hand_name(value, order),
            "category": hand_category(value, order),
            "best_five": cards_text(five),
            "value": value,
            "values": classes,
        }
        ui.print_json(result, indent=None)
        return
    console = ui.console()
    console.print(f"{cards_markup(hand_cards)}   [bold]{hand_name(value, order)}[/]")
    console.print(
        f"best five: {cards_markup(five)}   value {value:,} of {classes:,} (larger is better)"
    )
