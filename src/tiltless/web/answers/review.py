"""Reviewed decisions as JSON, see `tiltless.search.review`; made from the person's view alone."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tiltless.cards.card import card_text
from tiltless.games.holdem.notation import action_label
from tiltless.intervals import half_width_95
from tiltless.search.review import ReviewedDecision, is_unclear
from tiltless.search.review_rows import by_size
from tiltless.web.answers.grid import actions_json, class_of, classes_json, number

__all__ = ["decision_json", "totals_json"]


def decision_json(reviewed: ReviewedDecision, person: int, note: str = "") -> dict[str, Any]:
    """A decision.  person: the seat of whoever reads it.  note: why it has no value, if so.

    What was done is among the actions even if the strategy never does it. A ``margin`` is half of
    the 95 % interval, 0 where the street was solved.
    """
    view, strategy = reviewed.view, reviewed.strategy
    unit, pot, betting = view.rules.big_blind, view.pot, view.betting
    policy, values = dict(reviewed.policy), dict(reviewed.values)
    errors = dict(zip(values, reviewed.errors, strict=False))
    taken = reviewed.action
    every = sorted({*strategy.actions, *values, taken}, key=by_size)
    chances = np.zeros((len(strategy.chances), len(every)), np.float32)
    chances[:, [every.index(action) for action in strategy.actions]] = strategy.chances
    actions = actions_json(every, betting, pot, unit)
    for action, row in zip(every, actions, strict=True):
        row["probability"] = number(policy.get(action), 3)
        row["value"] = number(values[action] / unit, 3) if action in values else None
        row["margin"] = number(half_width_95(errors.get(action, 0.0)) / unit, 3)
        row["taken"] = action == taken
    cost, lost, combo, verdict = reviewed.cost, reviewed.lost, reviewed.combo, reviewed.grade
    return {
        "street": view.street_name,
        "board": [card_text(card) for card in view.board],
        "pot": pot,
        "big_blind": unit,
        "seat": view.seat,
        "mine": view.seat == person,
        "cards": [card_text(card) for card in view.cards],
        "class": None if combo is None else class_of(combo),
        "action": action_label(taken, betting, pot),
        "probability": number(reviewed.prob, 3),
        "cost": None if cost is None else number(cost / unit, 3),
        "margin": None if lost is None else number(lost.half_width / unit, 3),
        "best": None if reviewed.best is None else action_label(reviewed.best, betting, pot),
        "grade": verdict,
        "unclear": lost is not None and verdict is not None and is_unclear(verdict, lost),
        "note": note if lost is None and view.cards else "",
        "solved": reviewed.solved,
        "exploitability": number(reviewed.exploitability, 2),
        "actions": actions,
        "grid": classes_json(reviewed.ranges[view.seat], chances),
    }


def totals_json(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What the person's choices cost in big blinds: in all, and on each street that has a value.

    The margin is half of the 95 % interval; estimates of different decisions are independent.
    """
    known = [row for row in rows if row["mine"] and row["cost"] is not None]
    names = dict.fromkeys(row["street"] for row in known)
    streets = [
        {"street": name, **_total([row for row in known if row["street"] == name])}
        for name in names
    ]
    return {**_total(known), "streets": streets}


def _total(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        "decisions": len(rows),
        "cost": number(sum(row["cost"] for row in rows), 3),
        "margin": number(math.hypot(*(row["margin"] for row in rows)), 3),
    }
