"""A hand that is thought about: the blueprint to the flop, then search.

What comes out is a matter of luck for the bets that are made, not for what search thinks of them.
"""

from random import Random

from tiltless.agents import Clock, make_agent
from tiltless.agents.search import SearchAgent
from tiltless.cards.card import COMBO_CARDS, cards_text, parse_cards
from tiltless.games import load
from tiltless.games.holdem.actions import CALL, CHECK, RaiseTo

LINE = (RaiseTo(6), CALL, CHECK, RaiseTo(8), CALL, CHECK, CHECK, RaiseTo(11))
"""Raised and called; a bet on the flop; a turn that both check; then 11 into 28 on the river."""


def river(hole: str = "AsAd QhQc", board: str = "Ks7d2c9h4s"):
    """The button has to answer that bet."""
    state, cards, moves = load("nlhe").start(), list(parse_cards(board)), list(LINE)
    for hand in hole.split():
        state = state.apply(parse_cards(hand))
    while moves:
        if state.actor < 0:
            size = state.chance.size
            state, cards = state.apply(tuple(cards[:size])), cards[size:]
        else:
            state = state.apply(moves.pop(0))
    return state.view(state.actor)


def think(options: str = "seconds=1"):
    """What search does with aces, and what it believes."""
    view, agent = river(), make_agent(f"search:{options}")
    assert isinstance(agent, SearchAgent)
    told = agent.explain(view)
    assert told is not None
    print(f"{cards_text(view.cards)} on {cards_text(view.board)}, {view.to_call} to call")
    print(told)
    for name, weights in zip(("we", "they"), told.ranges, strict=True):
        best = weights.argsort()[::-1][:3]
        hands = ", ".join(cards_text(COMBO_CARDS[combo].tolist()) for combo in best)
        often = weights.sum() / (weights > 0).sum()
        print(f"{name} come here with {often:.2%} of all hands, most of all with {hands}")
    decision = agent.act(view, Clock(5), Random(1))
    print(f"so we {decision.action}")
    return told, decision


if __name__ == "__main__":
    think()
