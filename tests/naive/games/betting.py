"""Slow, obvious twin of betting trees: the readable game, card by card.

Which cards are dealt does not matter for the betting, so any will do; only where the newest card
decides whether one more street follows, one card of each sort is dealt.
"""

from fractions import Fraction
from math import floor

from tiltless.games import CHANCE, TERMINAL
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.holdem.history import HIDDEN, HIDDEN_RANKS


def offered(state, menu):
    """The actions that a menu offers, from its words and from the hand alone, in fractions."""
    legal, street = state.actions, state.street
    actions = [action for action in (FOLD, CHECK, CALL) if action in legal]
    every = [action for action in legal if isinstance(action, RaiseTo)]
    words = menu.streets[min(street, len(menu.streets) - 1)]
    raises = 0
    for move in reversed(state.moves):
        if isinstance(move, tuple | str):
            break  # cards
        raises += isinstance(move, RaiseTo)
    if words.cap is not None and raises >= words.cap:
        return actions
    if menu.each is not None and raisers(actions_by_street(state)[-1]).count(state.actor) >= (
        menu.each
    ):
        return actions
    if words.donk is not None and leads(state, actions_by_street(state)):
        sizes = words.donk
    else:
        lines = words.ip if in_position(state) else words.oop
        sizes = lines[min(raises, len(lines) - 1)]
    if not every or not sizes:
        return actions
    if state.game.rules.street(street).fixed or [str(size) for size in sizes] == ["all"]:
        return actions + every
    bets, stacks = state.betting.bets, state.betting.stacks
    called, pot = max(bets), state.pot + max(bets) - bets[state.actor]
    others = [seat for seat in state.live if seat != state.actor and stacks[seat]]
    most = min(max(bets[seat] + stacks[seat] for seat in others), every[-1].chips)
    over_a_bet = raises - (street > 0 or not any(state.game.rules.blinds))
    spot = (
        called,
        pot,
        most,
        state.game.rules.big_blind,
        max(0, over_a_bet),
        max(1, len(state.game.rules.streets) - street),
    )
    wanted = [chips_of(str(size), every, *spot) for size in sizes]
    wanted = [floor(chips + Fraction(1, 2)) for chips in wanted if chips is not None]
    if menu.add is not None and Fraction(most - called, pot) <= Fraction(menu.add) / 100:
        wanted.append(most)
    wanted = {max(chips, every[0].chips) for chips in wanted}
    if menu.force is not None:
        for chips in list(wanted):
            behind, then = most - chips, pot + 2 * (chips - called)
            if Fraction(behind, then) <= Fraction(menu.force) / 100:
                wanted.add(most)
                wanted.discard(chips) if chips < most else None
    wanted = sorted({min(chips, most) for chips in wanted})
    if menu.merge is not None:
        for large in reversed(list(wanted)):
            for small in list(wanted):
                grown = Fraction(pot + large - called, pot + small - called)
                if large in wanted and small < large and grown < 1 + Fraction(menu.merge) / 100:
                    wanted.remove(small)
    wanted = [every[-1].chips if chips == most else chips for chips in wanted]
    return actions + [action for action in every if action.chips in wanted]


def chips_of(text, every, called, pot, most, big_blind, earlier, streets):
    """The total that a size asks for, legal or not; None where it is not on offer."""
    if text == "min":
        return every[0].chips
    if text == "a":
        return every[-1].chips
    if text.endswith("bb"):
        return Fraction(text[:-2]) * big_blind
    if text.endswith("x"):
        return Fraction(text[:-1]) * called
    if "c" in text:
        chips, _, raises = text.partition("c")
        if called and raises and earlier >= int(raises.rstrip("r")):
            return None
        return called + int(chips)
    if "e" in text:
        bets, _, limit = text.partition("e")
        bets = max(1, int(bets or streets) - earlier)
        low, high = 0.0, 1e9
        for _ in range(200):  # that many bets of this share of the pot, each called
            share = (low + high) / 2
            after = pot * (1 + 2 * share) ** bets
            low, high = (share, high) if after < pot + 2 * (most - called) else (low, share)
        if limit:
            share = min(share, float(limit.rstrip("%")) / 100)
        return called + Fraction(share * pot).limit_denominator(10**6)
    assert text.endswith("%")
    return called + Fraction(text[:-1]) / 100 * pot


def actions_by_street(state):
    """(seat, action) of each street so far."""
    hole = iter(state.hole)
    now = state.game.start(button=state.table.button, stacks=state.table.stacks)
    streets = [[]]
    for move in state.moves:
        if move == HIDDEN_RANKS:
            now = now.apply(state.ranks)
        elif move == HIDDEN:
            now = now.apply(next(hole))
        else:
            if isinstance(move, tuple):
                streets.append([])
            else:
                streets[-1].append((now.actor, move))
            now = now.apply(move)
    assert now == state
    return streets


def raisers(actions):
    """The seats that raised, in order."""
    return [seat for seat, action in actions if isinstance(action, RaiseTo)]


def in_position(state):
    """Whether nobody else who has chips sits between the player to act and the button."""
    seats = state.game.players
    order = [(state.table.button + 1 + place) % seats for place in range(seats)]
    return [s for s in order if s in state.live and state.betting.stacks[s]][-1] == state.actor


def leads(state, history):
    """Whether a bet now would lead into the aggressor of the street before."""
    if len(history) < 2 or raisers(history[-1]) or not raisers(history[-2]):
        return False
    seat = raisers(history[-2])[-1]
    if seat == state.actor:
        return False
    acted = [each for each, _ in history[-1]]
    return seat in state.live and state.betting.stacks[seat] > 0 and seat not in acted


def calls_for_more(state):
    """Whether the newest board card is of a sort that lets one more street follow the last."""
    return bool(state.board) and "cdhs"[state.board[-1] & 3] in state.game.rules.run_suits


def next_deals(state):
    """Some card for each way in which the board may decide."""
    if state.game.hidden is not None and state.ranks is None:
        return ["23456789TJQKA"]
    left = [card for card in range(52) if state.chance.left >> card & 1]
    size, rules = state.chance.size, state.game.rules
    last_street = state.street + 1 >= len(rules.streets) - 1
    if len(state.hole) < state.game.players or not last_street or not rules.run_suits:
        return [left[:size]]
    assert size == 1
    sorts = {"cdhs"[card & 3] in rules.run_suits: [card] for card in left}
    return list(sorts.values())


def dealt(state):
    """The states in which somebody acts or the hand is over, after the cards that are due."""
    if state.actor != CHANCE:
        return [state]
    return [after for cards in next_deals(state) for after in dealt(state.apply(cards))]


def perft(game, menu, depth):
    """How many different sequences of ``depth`` actions there are."""
    return _perft(dealt(game.start()), menu, depth)


def _perft(states, menu, depth):
    """``states``: all that one sequence of actions leads to, with one card of each sort."""
    if depth == 0:
        return 1
    acting = [state for state in states if state.actor != TERMINAL]
    if not acting:
        return 0
    menus = {tuple(offered(state, menu)) for state in acting}
    assert len(menus) == 1
    return sum(
        _perft([after for s in acting for after in dealt(s.apply(action))], menu, depth - 1)
        for action in menus.pop()
    )
