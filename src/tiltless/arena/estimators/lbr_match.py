"""Local best responses to one agent, or to two on the same deals, in several processes.

What a response wins depends on the cards. AIVAT takes most of that luck out, with the bot's known
strategy and all hands that the bot could have held (`tiltless.arena.estimators.aivat.aivat_hand`):
the mean stays, the variance falls to a tenth or so. Winnings from two agents on the same deals are
compared deal by deal, which cancels the cards that favoured the response in both.

With *ranges* nobody is dealt cards: a deal is a board, and both players have all their hands on it
(`tiltless.arena.estimators.range_hand`). That has the least variance by far, and needs no AIVAT.

AIVAT has the right mean only if the bot plays what its `policies` say, which it does not where the
dealer rules for it; then there is no AIVAT result.

At tables of more than two the response takes every seat of a deal in turn, against copies of the
agent in all others (`tiltless.arena.estimators.lbr_table`).
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any, NamedTuple

from tiltless.agents.agent import Agent, CostlyStrategy, KnownStrategy, Policies
from tiltless.arena.dealer import Seated, play_hand, shuffled_decks
from tiltless.arena.estimators.aivat import aivat_hand, check_game
from tiltless.arena.estimators.checked_policies import checked_policies
from tiltless.arena.estimators.lbr import LbrSetting, LocalBestResponse
from tiltless.arena.estimators.lbr_table import TableBestResponse
from tiltless.arena.estimators.range_hand import (
    KnownPlayer,
    check_ranges,
    mean_of_seats,
    usual_rare,
)
from tiltless.arena.estimators.range_response import RangeResponse
from tiltless.arena.plan import MatchPlan
from tiltless.arena.workers import in_order
from tiltless.cards.hand_order import STANDARD
from tiltless.errors import OptionError, TiltlessError
from tiltless.executor import Executor
from tiltless.games import load
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.view import View
from tiltless.intervals import Tally
from tiltless.validate import whole_number

__all__ = [
    "LbrDeal",
    "LbrWinnings",
    "Responses",
    "checked_bot",
    "lbr_plan",
    "play_lbr",
    "play_responses",
]


class LbrDeal(NamedTuple):
    """What a response won in a mirrored deal, in chips per hand.

    aivat: the AIVAT result; None if it was not computed.  rulings: decisions of the bot that the
    dealer made.
    """

    raw: float
    aivat: float | None = None
    rulings: int = 0

    def minus(self, other: "LbrDeal") -> "LbrDeal":
        """How much more was won than in another hand with the same cards."""
        both = self.aivat is not None and other.aivat is not None
        less = (self.aivat or 0.0) - (other.aivat or 0.0) if both else None
        return LbrDeal(self.raw - other.raw, less, self.rulings + other.rulings)


class LbrWinnings(NamedTuple):
    """What a response won, in chips per hand; the unit of statistics is the mirrored deal.

    raw: the plain results.  reduced: AIVAT results, of none or all deals.  rulings: decisions of
    the bot that the dealer made.
    """

    raw: Tally = Tally()
    reduced: Tally = Tally()
    rulings: int = 0

    def add(self, deal: LbrDeal) -> "LbrWinnings":
        """One more deal."""
        reduced = self.reduced if deal.aivat is None else self.reduced.add(deal.aivat)
        return LbrWinnings(self.raw.add(deal.raw), reduced, self.rulings + deal.rulings)

    def merge(self, other: "LbrWinnings") -> "LbrWinnings":
        """Both together."""
        parts = self.raw.merge(other.raw), self.reduced.merge(other.reduced)
        return LbrWinnings(*parts, self.rulings + other.rulings)

    @property
    def deals(self) -> int:
        """The number of deals."""
        return self.raw.count

    @property
    def aivat(self) -> Tally | None:
        """The AIVAT results; None if they were not computed, or the dealer ruled for the bot."""
        return self.reduced if self.reduced.count and not self.rulings else None

    @property
    def variance_ratio(self) -> float | None:
        """The variance of AIVAT results divided by that of the plain ones; None if unknown."""
        if self.aivat is None or self.deals < 2 or not self.raw.variance:
            return None
        return self.aivat.variance / self.raw.variance


class Responses(NamedTuple):
    """What local best responses won, deal by deal.

    first, second: winnings from each agent.  more: first minus second.
    """

    first: LbrWinnings = LbrWinnings()
    second: LbrWinnings = LbrWinnings()
    more: LbrWinnings = LbrWinnings()

    def add(self, one: LbrDeal, two: LbrDeal) -> "Responses":
        """One more deal."""
        return Responses(self.first.add(one), self.second.add(two), self.more.add(one.minus(two)))


def lbr_plan(
    agent: str,
    versus: str,
    hands: int,
    game: str,
    parameters: dict[str, Any],
    *,
    seed: int,
    chunk: int,
) -> MatchPlan:
    """The deals on which responses to an agent are played.

    versus: a second agent, of two seats only, or "".  hands: one in each seat of a deal.
    """
    if not isinstance(table := load(game, **parameters), Holdem):
        raise OptionError(f"{game} is not a hold'em game; choose one, such as nlhe")
    seats = table.players
    if versus and seats > 2:
        raise OptionError(f"--versus needs two seats, not {seats}; run both with the same --seed")
    agents = (agent, versus or agent) if seats == 2 else (agent,) * seats
    deals = max(1, hands // seats)
    return MatchPlan(agents, deals, game, parameters, seed=seed, chunk=chunk, trusted=True)


def play_responses(
    plan: MatchPlan,
    setting: LbrSetting,
    *,
    aivat: bool = True,
    ranges: bool = False,
    processes: int | Executor = 1,
    progress: Callable[[Responses], None] | None = None,
) -> Responses:
    """Play responses to both agents of a plan on its deals, or once if they are the same agent.

    A plan of more than two seats has copies of one agent.

    aivat: also compute AIVAT results.  ranges: instead of dealt hands, all hands at once on the
    board of each deal; for two seats.  progress: called with the result so far after each chunk.
    """
    for bot in plan.make_agents():
        checked_bot(plan.table, bot)
    if len(plan.agents) > 2 and len(set(plan.agents)) > 1:
        raise OptionError("responses at a table are to copies of one agent; name one")
    if ranges:
        check_ranges(plan.table)
    elif aivat:
        check_game(plan.table)
    result, how = Responses(), (setting, aivat, ranges)
    with closing(in_order(_chunk, plan, range(plan.chunks), processes, *how)) as chunks:
        for chunk in chunks:
            for one, two in chunk:
                result = result.add(one, two)
            if progress is not None:
                progress(result)
    return result


def _chunk(
    plan: MatchPlan,
    number: int,
    agents: Sequence[Agent],
    setting: LbrSetting,
    aivat: bool,
    ranges: bool,
) -> list[tuple[LbrDeal, LbrDeal]]:
    """Winnings from each agent, for each deal of a chunk."""
    numbers = plan.deals_of(number)
    if len(agents) > 2:
        alone = _table_deals(plan.table, agents, setting, numbers, plan.seed, aivat)
        return [(deal, deal) for deal in alone]
    same = plan.agents[0] == plan.agents[1] and (not plan.objects or agents[0] is agents[1])
    bots = agents[:1] if same else agents
    how = setting, numbers, plan.seed, aivat, ranges
    won = [list(_both_seats(plan.table, bot, *how)) for bot in bots]
    return list(zip(won[0], won[-1], strict=True))


def play_lbr(
    game: Holdem,
    bot: Agent,
    setting: LbrSetting,
    deals: int,
    *,
    seed: int = 0,
    first: int = 0,
    aivat: bool = True,
    ranges: bool = False,
) -> LbrWinnings:
    """The response's winnings over mirrored deals of two players, played in both seats.

    aivat, ranges: as in `play_responses`. A failure of the response is an error; failures of the
    bot are ruled on as usual.
    """
    whole_number("deals", deals, 1, 10**12)
    if game.players != 2:
        raise OptionError(f"play_lbr has two seats, not {game.players}; use play_responses")
    result = LbrWinnings()
    numbers = range(first, first + deals)
    for deal in _both_seats(game, bot, setting, numbers, seed, aivat, ranges):
        result = result.add(deal)
    return result


def _both_seats(
    game: Holdem,
    bot: Agent,
    setting: LbrSetting,
    numbers: range,
    seed: int,
    aivat: bool,
    ranges: bool,
) -> Iterator[LbrDeal]:
    """Winnings of a response in each deal, on average over both seats."""
    if ranges:
        return _range_deals(game, bot, setting, numbers, seed)
    return _deals(game, bot, setting, numbers, seed, aivat)


def _range_deals(
    game: Holdem, bot: Agent, setting: LbrSetting, numbers: range, seed: int
) -> Iterator[LbrDeal]:
    """Winnings of a response with all hands in each deal, on average over both seats."""
    known = _Remembered(checked_bot(game, bot))
    response, player = RangeResponse(known, setting), KnownPlayer(known)
    for number in numbers:
        bot.match_start()
        known.answers.clear()
        yield LbrDeal(mean_of_seats(game, response, player, seed, number, usual_rare(bot)))


def _deals(
    game: Holdem, bot: Agent, setting: LbrSetting, numbers: range, seed: int, aivat: bool
) -> Iterator[LbrDeal]:
    known = _Remembered(checked_bot(game, bot))
    response = LocalBestResponse(known, setting)
    for number in numbers:
        deck = shuffled_decks(game, seed, number, 1)[0].tolist()
        won, reduced, rulings = 0, 0.0, 0
        for seat in range(2):
            seats = [Seated(bot), Seated(bot)]
            seats[seat] = Seated(response)
            bot.match_start()
            known.answers.clear()
            hand = play_hand(game, seats, deck, seed=seed, deal=number, button=game.button)
            for fault in hand.faults:
                if fault.seat == seat:
                    raise TiltlessError(f"the local best response failed: {fault.detail}")
            won += hand.payoffs[seat]
            rulings += sum(fault.kind != "hook" for fault in hand.faults)
            if aivat and not rulings:
                reduced += aivat_hand(hand.final, seat, {1 - seat: known}, 1 - seat)
        yield LbrDeal(won / 2, reduced / 2 if aivat and not rulings else None, rulings)


def _table_deals(
    game: Holdem,
    bots: Sequence[Agent],
    setting: LbrSetting,
    numbers: range,
    seed: int,
    aivat: bool,
) -> Iterator[LbrDeal]:
    """Winnings of a response in each seat of a deal against copies.  bots: one for each seat."""
    known = _Remembered(checked_bot(game, bots[0]))
    response, seats = TableBestResponse(known, setting), range(game.players)
    for number in numbers:
        deck = shuffled_decks(game, seed, number, 1)[0].tolist()
        won, reduced, rulings = 0, 0.0, 0
        for seat in seats:
            table = [Seated(response if each == seat else bots[each]) for each in seats]
            for bot in bots:
                bot.match_start()
            known.answers.clear()
            button = number % game.players
            hand = play_hand(game, table, deck, seed=seed, deal=number, button=button)
            for fault in hand.faults:
                if fault.seat == seat:
                    raise TiltlessError(f"the local best response failed: {fault.detail}")
            won += hand.payoffs[seat]
            rulings += sum(fault.kind != "hook" for fault in hand.faults)
            if aivat and not rulings:
                others = {each: known for each in seats if each != seat}
                reduced += aivat_hand(hand.final, seat, others)
        count = len(seats)
        yield LbrDeal(won / count, reduced / count if aivat and not rulings else None, rulings)


class _Remembered:
    """A bot that is asked for each policy once: by the response, along the hand or by AIVAT."""

    def __init__(self, bot: KnownStrategy) -> None:
        self.bot, self.answers = bot, dict[tuple[Any, ...], Policies]()

    def policies(self, view: View) -> Policies:
        """The bot's."""
        found = self.answers.get(view.moves)
        if found is None:
            found = self.answers[view.moves] = checked_policies(self.bot, view)
        return found

    def takes_long(self, view: View) -> bool:
        """The bot's."""
        return isinstance(self.bot, CostlyStrategy) and self.bot.takes_long(view)


def checked_bot(game: Holdem, bot: Agent) -> KnownStrategy:
    """The bot, if local best response supports it and the game; else `OptionError`."""
    if game.order != STANDARD or game.hidden is not None or game.rules.run_suits:
        raise OptionError(
            f"a local best response needs the standard order of hands, not that of {game.name}; "
            "choose nlhe, for example"
        )
    if not isinstance(bot, KnownStrategy):
        raise OptionError(
            f"{type(bot).__name__} does not reveal its strategy for every hand; choose an agent "
            "with `policies`, such as blueprint, fish, fold or all-in"
        )
    return bot
