"""Reviewed decisions as JSON, see `tiltless.search.review`; made from the person's view alone."""

from typing import Any

from tiltless.cards.card import card_text
from tiltless.games.holdem.notation import action_label
from tiltless.search.review import ReviewedDecision, grade
from tiltless.web.answers.grid import actions_json, class_of, classes_json, number

__all__ = ["decision_json"]


def decision_json(reviewed: ReviewedDecision, person: int) -> dict[str, Any]:
    """A decision.  person: the seat of whoever reads it."""
    view, strategy = reviewed.view, reviewed.strategy
    unit, pot, betting = view.rules.big_blind, view.pot, view.betting
    policy, values = dict(reviewed.policy), dict(reviewed.values)
    actions = actions_json(strategy.actions, betting, pot, unit)
    for action, row in zip(strategy.actions, actions, strict=True):
        row["probability"] = number(policy.get(action), 3)
        row["value"] = number(values[action] / unit, 3) if action in values else None
        row["taken"] = action == reviewed.action
    cost, combo = reviewed.cost, reviewed.combo
    return {
        "street": view.street_name,
        "board": [card_text(card) for card in view.board],
        "pot": pot,
        "big_blind": unit,
        "seat": view.seat,
        "mine": view.seat == person,
        "cards": [card_text(card) for card in view.cards],
        "class": None if combo is None else class_of(combo),
        "action": action_label(reviewed.action, betting, pot),
        "probability": number(reviewed.prob, 3),
        "cost": None if cost is None else number(cost / unit, 3),
        "grade": None if cost is None else grade(cost, pot),
        "solved": reviewed.solved,
        "exploitability": number(reviewed.exploitability, 2),
        "actions": actions,
        "grid": classes_json(reviewed.ranges[view.seat], strategy.chances),
    }
