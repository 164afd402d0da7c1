"""Whether a blueprint fits a table: the cards must be those of training, depths may differ."""

from tiltless.games.holdem.rules import Rules

__all__ = ["FEWEST_SEATS", "effective_depth", "misfit"]

FEWEST_SEATS = 3
"""Of a table where a blueprint of several players can play: with two, the button is a blind."""


def effective_depth(rules: Rules) -> float:
    """The effective stack, in big blinds."""
    return min(rules.stacks) / rules.big_blind


def misfit(ours: Rules, theirs: Rules, *, seats: bool = True) -> str:
    """What a table has that a blueprint cannot play: "seats", "hole cards"; "" if it can.

    ours: the rules of training.  theirs: the table's. Stacks, blinds, antes and limits may differ,
    and a blueprint of hold'em can play River of Blood up to the river.
    seats: whether their number must be the same.
    """
    for what, mine, other in (
        ("seats", ours.seats, theirs.seats if seats else ours.seats),
        ("hole cards", ours.hole_cards, theirs.hole_cards),
        ("board cards", [s.cards for s in ours.streets], [s.cards for s in theirs.streets]),
        ("suits that run on", ours.run_suits, theirs.run_suits if ours.run_suits else ""),
        ("order of hands", ours.hand_order, theirs.hand_order),
    ):
        if mine != other:
            return what
    return ""
