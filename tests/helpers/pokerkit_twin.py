"""Plays one random hand in pokerkit and in ours, and compares them at every decision.

Allowed differences, each of them counted:

* ``pointless check``: pokerkit asks a player who has nothing to call and no opponent with chips
  left, and who may only check. We do not ask.
* ``reopened``: after one short all-in raise, a second one that together with the first makes a full
  raise, and a third short one, pokerkit keeps the first bettor closed although he faces more than a
  full raise; we let him raise, as rule 47 of the Tournament Directors Association says ("not facing
  at least a full bet or raise").
* ``merged pots``: pokerkit takes losing hands off the table before it pays, merges the pots that
  the same hands are left to contest, and finds odd chips in the sum; we split each pot by itself
  (rule 21). The twin then checks that merging our pots gives pokerkit's chips.

Two players with equal blinds are left out: pokerkit then lets the big blind act first.
"""

from collections import Counter
from operator import sub
from random import Random
from typing import Any

import pokerkit
from pokerkit import Automation, FixedLimitTexasHoldem, Mode, NoLimitTexasHoldem

from tiltless.cards.card import card_text, cards_text
from tiltless.games.game import CHANCE, TERMINAL
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.pots import Pot, share_out
from tiltless.games.holdem.state import HoldemState
from tiltless.games.holdem.variants import limit_holdem, nlhe, short_deck

_AUTOMATIC = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
)


def random_game(rng: Random) -> tuple[Holdem, tuple[int, ...], int]:
    """Rules, stacks and button: often short, often uneven, sometimes with antes or a straddle."""
    seats = rng.randint(2, 9)
    small = rng.choice((1, 1, 2, 5))
    big = small * 2 if rng.random() < 0.8 else small + rng.randint(seats == 2, 5)
    deepest = big * rng.choice((2, 6, 20, 100))
    stacks = tuple(rng.randint(1, deepest) for _ in range(seats))
    options: dict[str, Any] = {"seats": seats, "blinds": (small, big)}
    kind = rng.random()
    if kind < 0.25:
        options["ante"] = rng.randint(1, big)
    elif kind < 0.4:
        options["big_blind_ante"] = rng.randint(1, big)
    if kind > 0.85:
        options.pop("big_blind_ante", None)
        game = limit_holdem(**options, raise_cap=4)
    else:
        if seats > 2 and rng.random() < 0.2:
            options |= {"straddle": 2 * big, "min_bet": big}
        game = nlhe(**options)
    return game, stacks, rng.randrange(seats)


def pokerkit_state(game: Holdem, stacks: tuple[int, ...], button: int) -> pokerkit.State:
    """The same hand in pokerkit, whose players are numbered from the one left of the button."""
    rules = game.rules
    by_place = [stacks[seat] for seat in rules.clockwise(button)]
    antes: Any = rules.ante or (0, rules.big_blind_ante)
    bets = [street.bet for street in rules.streets]
    common = (_AUTOMATIC, not rules.big_blind_ante, antes, rules.blinds)
    if game.name == "limit-holdem":
        return FixedLimitTexasHoldem.create_state(
            *common, bets[0], bets[2], by_place, rules.seats, mode=Mode.TOURNAMENT
        )
    kind = pokerkit.NoLimitShortDeckHoldem if game.name == "short-deck" else NoLimitTexasHoldem
    return kind.create_state(*common, bets[0], by_place, rules.seats, mode=Mode.TOURNAMENT)


class Remembered:
    """A kind of hand of pokerkit's that finds the best five cards once instead of seven times."""

    def __init__(self, kind: Any) -> None:
        self.kind, self.known = kind, {}

    def from_game(self, hole: Any, board: Any) -> Any:
        cards = (*hole, "|", *board)
        if cards not in self.known:
            place = cards.index("|")
            self.known[cards] = self.kind.from_game(cards[:place], cards[place + 1 :])
        return self.known[cards]


class Twin:
    """One hand played in both; `play` raises `AssertionError` at the first difference."""

    def __init__(
        self, game: Holdem, stacks: tuple[int, ...], button: int, rng: Random, seen: Counter[str]
    ) -> None:
        self.rng, self.seen = rng, seen
        self.order = game.rules.clockwise(button)
        self.ours: HoldemState = game.start(button, stacks)
        self.theirs = pokerkit_state(game, stacks, button)
        self.theirs.hand_types = tuple(map(Remembered, self.theirs.hand_types))

    def play(self) -> None:
        while self.ours.actor == CHANCE and len(self.ours.hole) < len(self.order):
            self._apply(self.ours.chance.sample(self.rng))
        for seat in self.order:
            self.theirs.deal_hole(cards_text(self.ours.hole[seat]))
        while self.theirs.status:
            self._step()
        assert self.ours.actor == TERMINAL
        payoffs = [self.theirs.payoffs[self.order.index(seat)] for seat in sorted(self.order)]
        if list(self.ours.payoffs) != payoffs:
            assert self._with_merged_pots() == payoffs
            self.seen["merged pots"] += 1
        self.seen["hands"] += 1

    def _with_merged_pots(self) -> list[int]:
        ours = self.ours
        values = ours.values
        winners = set()
        for _, seats in ours.pots:
            best = max(values[seat] for seat in seats)
            winners |= {seat for seat in seats if values[seat] == best}
        merged: list[Pot] = []
        for chips, seats in ours.pots:
            left = tuple(seat for seat in seats if seat in winners)
            if merged and merged[-1].seats == left:
                chips += merged.pop().chips
            merged.append(Pot(chips, left))
        taken = share_out(merged, values, self.order)
        return [won - paid for won, paid in zip(taken, ours.paid, strict=True)]

    def _compare_pots(self) -> None:
        """Between streets and at the showdown: main pot and side pots, chips and seats."""
        ours = self.ours
        pots = list(ours.pots)
        paid = sorted(map(sub, ours.paid, ours.table.dead))
        uncalled = paid[-1] - paid[-2]  # pokerkit has given this back, we do at the end
        if uncalled:
            chips, seats = pots.pop()
            pots += [Pot(chips - uncalled, seats)] if chips > uncalled else []
        theirs = [
            Pot(pot.amount, tuple(sorted(self.order[place] for place in pot.player_indices)))
            for pot in self.theirs.pots
        ]
        assert pots == theirs
        self.seen["pots"] += len(pots)

    def _apply(self, move: Any) -> None:
        self.ours = self.ours.apply(move)

    def _step(self) -> None:
        theirs = self.theirs
        if theirs.actor_index is not None:
            self._decide()
        elif theirs.can_burn_card("??"):
            theirs.burn_card("??")
        elif theirs.can_deal_board():
            assert self.ours.actor == CHANCE
            self._compare_pots()
            cards = self.ours.chance.sample(self.rng)
            self._apply(cards)
            theirs.deal_board("".join(map(card_text, cards)))
        elif theirs.can_show_or_muck_hole_cards():
            self._compare_pots()
            theirs.show_or_muck_hole_cards(True)
        elif theirs.can_kill_hand():
            theirs.kill_hand()
        elif theirs.can_push_chips():
            theirs.push_chips()
        else:
            theirs.pull_chips()

    def _decide(self) -> None:
        ours, theirs = self.ours, self.theirs
        seat = self.order[theirs.actor_index]
        lowest = theirs.min_completion_betting_or_raising_to_amount or 0
        highest = (theirs.max_completion_betting_or_raising_to_amount or 0) if lowest else 0
        owed = theirs.checking_or_calling_amount
        if ours.actor < 0:
            assert (owed, lowest, theirs.can_fold()) == (0, 0, False)
            theirs.check_or_call()
            self.seen["pointless check"] += 1
            return
        legal = ours.actions
        assert ours.actor == seat
        assert list(ours.betting.stacks) == self._by_seat(theirs.stacks)
        assert list(ours.betting.bets) == self._by_seat(theirs.bets)
        assert ours.pot == theirs.total_pot_amount
        assert (legal.fold, legal.check, legal.call) == (theirs.can_fold(), owed == 0, owed)
        if legal.max_raise and not lowest:
            assert theirs.consecutive_short_all_in_amounts
            assert legal.call >= theirs.completion_betting_or_raising_amount
            self.seen["reopened"] += 1
        else:
            assert (legal.min_raise, legal.max_raise) == (lowest, highest)
        self.seen["decisions"] += 1
        self._choose(lowest, highest)

    def _by_seat(self, by_place: list[int]) -> list[int]:
        values = [0] * len(self.order)
        for seat, value in zip(self.order, by_place, strict=True):
            values[seat] = value
        return values

    def _choose(self, lowest: int, highest: int) -> None:
        rng, legal = self.rng, self.ours.actions
        kind = rng.random()
        if legal.fold and kind < 0.12:
            self._apply(FOLD)
            self.theirs.fold()
        elif lowest and kind < 0.5:
            size = rng.choice((lowest, highest, rng.randint(lowest, highest)))
            size = min(size, lowest * 3) if rng.random() < 0.5 else size
            self._apply(RaiseTo(size))
            self.theirs.complete_bet_or_raise_to(size)
        else:
            self._apply(CHECK if legal.check else CALL)
            self.theirs.check_or_call()


def compare_hand(seed: int, seen: Counter[str]) -> None:
    """One random hand from a seed."""
    rng = Random(seed)
    game, stacks, button = random_game(rng)
    Twin(game, stacks, button, rng, seen).play()


def compare_short_deck(seed: int, seen: Counter[str]) -> None:
    """One random hand of short deck from a seed."""
    rng = Random(seed)
    seats = rng.randint(2, 6)
    game = short_deck(seats=seats, ante=rng.randint(0, 2), button_blind=2, heads_up="standard")
    stacks = tuple(rng.randint(1, 60) for _ in range(seats))
    Twin(game, stacks, rng.randrange(seats), rng, seen).play()
