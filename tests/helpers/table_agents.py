"""Agents for tables of any size that tell their strategy, until there is nothing better."""

from functools import lru_cache

import numpy as np

from tiltless.agents.agent import Agent, Decision, Policies, check_or_call
from tiltless.cards.card import CLASS_OF_COMBO, COMBO_CARDS, COMBO_OF
from tiltless.cards.evaluate import evaluate_many
from tiltless.cards.preflop import equity_vs_random
from tiltless.games.holdem.actions import FOLD, RaiseTo
from tiltless.games.holdem.history import decisions


@lru_cache(maxsize=512)
def percentiles(board):
    """Which part of all hands each hand beats now, and which hands are possible."""
    live = ~np.isin(COMBO_CARDS, board).any(axis=1)
    value = equity_vs_random()[CLASS_OF_COMBO]
    if board:
        cards = np.concatenate([COMBO_CARDS, np.tile(np.array(board, np.uint8), (1326, 1))], 1)
        value = np.zeros(1326)
        value[live] = evaluate_many(cards[live])
    share = np.zeros(1326)
    share[np.flatnonzero(live)[np.argsort(value[live], kind="stable")]] = np.arange(live.sum())
    return share / live.sum(), live


class Ranked(Agent):
    """Plays by the rank of its hand among all hands, tighter the more raises it has faced.

    loose: share of hands that it plays before the flop.  bluff: how often it raises bad hands.
    """

    def __init__(self, loose: float = 0.35, bluff: float = 0.08):
        self.loose, self.bluff = loose, bluff

    def policies(self, view):
        rank, live = percentiles(view.board)
        actions, pot = view.actions, view.pot
        raises = [past for past in decisions(view) if isinstance(past.action, RaiseTo)]
        faced = sum(past.seat != view.seat for past in raises)
        stay = np.ones(1326)
        if actions.call:
            need = 1 - self.loose + 0.1 * max(0, faced - 1)
            if view.board:
                need = 0.25 + 0.8 * actions.call / (pot + actions.call) + 0.11 * faced
            stay = np.clip(8 * (rank - min(need, 0.96)) + 0.5, 0.02, 0.98)
        bet = np.zeros(1326)
        if actions.max_raise:
            bet = np.clip(8 * (rank - 0.8 - 0.05 * faced), 0, 0.85)
            bet += self.bluff * (rank < 0.4) * (faced < 2)
            if view.betting.raises >= 2:
                bet = np.clip(30 * (rank - 0.97), 0, 0.9)
        columns = {check_or_call(actions): stay * (1 - bet)}
        if actions.call:
            columns[FOLD] = (1 - stay) * (1 - bet)
        if actions.max_raise:
            asked = view.betting.high + 7 * (pot + actions.call) // 10
            columns[RaiseTo(min(max(asked, actions.min_raise), actions.max_raise))] = bet
        chances = np.stack(list(columns.values()), axis=1) * live[:, None]
        return Policies(tuple(columns), chances.astype(np.float32))

    def act(self, view, clock, rng):
        actions, chances = self.policies(view)
        row = chances[COMBO_OF[view.cards[0], view.cards[1]]].astype(float)
        return Decision(rng.choices(actions, row)[0])
