"""Compiled matches of Permutation Hold'em between beliefs that share one blueprint.

Both bots play the same blueprint and differ in what they believe about the order of ranks, so chips
measure inference and play under uncertainty alone. Matches come in mirrored pairs: the same order,
the same cards and random numbers in the same seats, and the bots change seats. Bots that believe
the same act alike, and their hands cancel; a pair is the unit of statistics. All pairs are played
in step, a hand of each at a time.

The blueprint plays as in compiled playouts, uniformly at random where training never went.
"""

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from random import Random

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.tables import build_tables
from tiltless.agents.permutation.beliefs import Belief, Beliefs
from tiltless.blueprint.shipped import DEFAULT
from tiltless.blueprint.simulate.playout import DealtCards
from tiltless.blueprint.strategy import Blueprint
from tiltless.cards.evaluate import evaluate_many
from tiltless.cards.hand_order import permuted
from tiltless.experiments.permutation.play_buckets import BelievedBuckets, renamed
from tiltless.experiments.permutation.seeking import Seeking, seeking_table, wants_showdowns
from tiltless.experiments.permutation.showdowns import self_play_cards
from tiltless.games.holdem.permutation import draw_ranks
from tiltless.intervals import Interval, tally
from tiltless.kernels.base.rng import fill_words
from tiltless.kernels.blueprint.match import MatchDeals, play_mirrored
from tiltless.kernels.blueprint.nodes import ACTOR, SHOWDOWN, Rows
from tiltless.kernels.blueprint.playout import settle_hands
from tiltless.kernels.cards.shuffle import deal_hands
from tiltless.permutation.prior import OrderRows, rank_order

__all__ = ["Bot", "MatchesResult", "PermutationTable", "play_matches", "play_showdowns"]

HANDS = 1000
"""Hands of a match."""
_LANES = 8
_POOL, _POOL_SEED = 200_000, 3

Bot = Callable[[str], Beliefs]
"""Makes the beliefs of a match from its true order, which only an oracle looks at."""


@dataclass(frozen=True, eq=False)
class MatchesResult:
    """Matches of the first bot against the second.

    chips: int64 ``[pairs, 2]``, won by the first bot in each match.  early: the same after half of
    the hands.  showdowns: int64 ``[pairs, 2]``.  certain, needed: int64 ``[pairs, 2]``, the hands
    and the showdowns after which the first bot counts the order as known; all, if it never does.
    expected: float64 ``[pairs, 2]``, chips over the hands of the match and further deals of them.
    """

    chips: npt.NDArray[np.int64]
    early: npt.NDArray[np.int64]
    showdowns: npt.NDArray[np.int64]
    certain: npt.NDArray[np.int64]
    needed: npt.NDArray[np.int64]
    expected: npt.NDArray[np.float64]

    @classmethod
    def joined(cls, parts: Iterable["MatchesResult"]) -> "MatchesResult":
        """Blocks of matches together."""
        columns = zip(*(vars(part).values() for part in parts), strict=True)
        return cls(*map(np.concatenate, columns))

    @property
    def won(self) -> Interval:
        """The fraction of matches won, a tie counting half, with its 95 % interval."""
        return _interval(((np.sign(self.chips) + 1) / 2).mean(axis=1))

    @property
    def mean(self) -> Interval:
        """Chips per match."""
        return _interval(self.chips.mean(axis=1))

    @property
    def mean_early(self) -> Interval:
        """Chips in the first half of a match."""
        return _interval(self.early.mean(axis=1))


def _interval(values: npt.NDArray[np.float64]) -> Interval:
    return tally(values.tolist()).interval


class PermutationTable:
    """The blueprint, its tree and its buckets.

    second_half: uint32 ``[streets]``, where the buckets of hands that seek showdowns begin; 0 in a
    table without deviations, see `seeking`.
    """

    def __init__(self, file: str = DEFAULT) -> None:
        self.blueprint = Blueprint.load(file)
        self.tree = self.blueprint.tree
        self.buckets = BelievedBuckets.of(build_tables(self.blueprint.abstraction))
        self.dealt = DealtCards(self.tree)
        self._counts = [group.count for group in self.buckets.groups]
        self._lay_out(self.blueprint.probabilities, self.tree.rows(self._counts))
        self.second_half = np.zeros(self.tree.streets, np.uint32)

    def _lay_out(self, probabilities: npt.NDArray[np.uint8], rows: Rows) -> None:
        self._probabilities = probabilities
        self._rows = Rows(np.stack([rows.start] * 2), np.stack([rows.buckets] * 2))

    def seeking(self, seeking: Seeking) -> "PermutationTable":
        """The same, where players who want showdowns deviate."""
        table, probabilities = copy(self), self.blueprint.probabilities
        table._lay_out(*seeking_table(self.tree, probabilities, self._counts, seeking))
        table.second_half = np.array(self._counts, np.uint32)
        return table

    def deal(self, hands: int, *seed: int) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint64]]:
        """Shown cards, ``[hands, 9]``, and a random word for each seat, ``[hands, 2]``."""
        first, second = np.random.SeedSequence(seed).generate_state(2, np.uint64).reshape(2, 1)
        cards = np.empty((hands, self.dealt.width), np.uint8)
        words = np.empty((hands, 2), np.uint64)
        layout = self.dealt.layout
        deal_hands(first, self.dealt.deck.copy(), self.dealt.always, layout.run_suits, cards)
        fill_words(second, words.reshape(-1))
        return cards, words

    def believed(
        self, cards: npt.NDArray[np.uint8], beliefs: Sequence[Belief]
    ) -> npt.NDArray[np.uint32]:
        """Buckets of both players, each hand by its belief, uint32 ``[hands, 2, streets]``."""
        orders = np.stack([belief.order for belief in beliefs])
        bucket = self.buckets.by_order(cards, orders)
        unsure = [
            number
            for number, belief in enumerate(beliefs)
            if len(belief.samples) and not belief.known
        ]
        if unsure:
            samples = np.stack([beliefs[number].samples for number in unsure])
            bucket[unsure] = self.buckets.by_median(cards[unsure], orders[unsure], samples)
        return bucket

    def play(
        self,
        cards: npt.NDArray[np.uint8],
        words: npt.NDArray[np.uint64],
        truth: OrderRows,
        bucket: npt.NDArray[np.uint32],
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """Play each deal in both seatings: the first bot is player 0, the button, then player 1.

        truth: the order of each hand, ``[hands, 13]``.  bucket: uint32 ``[2 bots, hands, 2 players,
        streets]``.  Returns the first bot's chips and whether hands were shown, ``[2, hands]``.
        """
        end = np.empty((2, len(cards)), np.int32)
        table, layout, nodes = self._probabilities, self.dealt.layout, self.tree.nodes
        deals = MatchDeals(cards, bucket, words)
        play_mirrored(nodes, table, table, self._rows, layout, deals, _LANES, end)
        true, chips = renamed(cards, truth), np.empty((2, len(cards)), np.int64)
        for seat in range(2):
            payoffs = np.empty((len(cards), 2), np.int64)
            sums = np.zeros(2, np.int64), np.zeros(2)
            settle_hands(nodes, end[seat], layout, true, self.dealt.tables, payoffs, *sums)
            chips[seat] = payoffs[:, seat]
        return chips, nodes.node[end, ACTOR] == SHOWDOWN

    @cached_property
    def showdown_cards(self) -> npt.NDArray[np.uint8]:
        """Cards of hands that the blueprint, playing itself by shown ranks, shows."""
        policy, groups = self.blueprint.policy(), self.buckets.groups
        return self_play_cards(self.tree, policy, groups, _POOL, _POOL_SEED)


def play_matches(
    table: PermutationTable,
    first: Bot,
    second: Bot,
    pairs: int,
    *,
    hands: int = HANDS,
    seed: int = 0,
    further: int = 0,
) -> MatchesResult:
    """Play mirrored pairs of matches; the button moves every hand.

    further: deals of each hand besides its own, with the same beliefs, from which nobody learns:
    chips then depend less on the cards (`MatchesResult.expected`).
    """
    truth = _orders(pairs, Random(f"{seed} matches"))
    beliefs = [
        [[bot(rank_order(order)) for order in truth] for _ in range(2)] for bot in (first, second)
    ]  # by bot, match of the pair, pair
    now = [[[each.belief() for each in match] for match in bot] for bot in beliefs]
    seeks = np.array([[[*map(wants_showdowns, match)] for match in bot] for bot in beliefs])
    chips, shown = np.zeros((pairs, 2), np.int64), np.zeros((pairs, 2), np.int64)
    early, needed, expected = chips.copy(), chips.copy(), chips.astype(np.float64)
    certain = np.array([[0 if each.known else hands for each in match] for match in now[0]]).T
    for hand in range(hands):
        if further:
            cards, words = table.deal(pairs * further, seed, 4, hand)
            bucket = _hand_buckets(table, cards, now, seeks, hand)
            won, _ = table.play(cards, words, np.repeat(truth, further, axis=0), bucket)
            for seat in range(2):
                expected[:, (hand + seat) % 2] += won[seat].reshape(pairs, further).sum(axis=1)
        cards, words = table.deal(pairs, seed, 1, hand)
        won, showed = table.play(cards, words, truth, _hand_buckets(table, cards, now, seeks, hand))
        values = _results(cards, truth)
        for seat in range(2):
            match = (hand + seat) % 2
            chips[:, match] += won[seat]
            expected[:, match] += won[seat]
            shown[:, match] += showed[seat]
            for pair in np.flatnonzero(showed[seat]).tolist():
                for bot in range(2):
                    _tell(beliefs[bot][match][pair], cards[pair], values[pair])
                    now[bot][match][pair] = beliefs[bot][match][pair].belief()
                    seeks[bot, match, pair] = wants_showdowns(beliefs[bot][match][pair])
                if certain[pair, match] > hand:
                    needed[pair, match] = shown[pair, match]
                    if now[0][match][pair].known:
                        certain[pair, match] = hand + 1
        if hand + 1 == hands // 2:
            early = chips.copy()
    return MatchesResult(chips, early, shown, certain, needed, expected / (1 + further))


def _hand_buckets(
    table: PermutationTable,
    cards: npt.NDArray[np.uint8],
    now: Sequence[Sequence[Sequence[Belief]]],
    seeks: npt.NDArray[np.bool_],
    hand: int,
) -> npt.NDArray[np.uint32]:
    """Buckets of deals of a hand, uint32 ``[2 bots, deals, 2 players, streets]``.

    cards: as many deals for each pair, side by side.  now, seeks: by bot, match of the pair, pair:
    beliefs, and whether showdowns are wanted.
    """
    times = len(cards) // seeks.shape[2]
    bucket = np.empty((2, len(cards), 2, table.tree.streets), np.uint32)
    for bot in range(2):
        for player in range(2):  # the first bot is the button in match 0 of even hands
            match = (hand + player + bot) % 2
            beliefs = [belief for belief in now[bot][match] for _ in range(times)]
            bucket[bot, :, player] = table.believed(cards, beliefs)[:, player]
            bucket[bot, np.repeat(seeks[bot, match], times), player] += table.second_half
    return bucket


def play_showdowns(
    table: PermutationTable,
    first: Bot,
    second: Bot,
    showdowns: Sequence[int],
    *,
    deals: int,
    seed: int = 0,
) -> list[float]:
    """What the first bot wins after each number of showdowns, in mbb/h, under one order.

    It is then played for ``deals`` mirrored deals in which nobody learns. Showdowns are drawn from
    `PermutationTable.showdown_cards`.
    """
    truth = _orders(1, Random(f"{seed} order"))
    pool = table.showdown_cards
    drawn = np.random.default_rng(seed).integers(0, len(pool), max(showdowns))
    told = pool[drawn]
    values = _results(told, np.repeat(truth, len(told), axis=0))
    bots = [bot(rank_order(truth[0])) for bot in (first, second)]
    cards, words = table.deal(deals, seed, 2)
    orders, won = np.repeat(truth, deals, axis=0), []
    for count in range(max(showdowns) + 1):
        if count:
            for bot in bots:
                _tell(bot, told[count - 1], values[count - 1])
        if count in showdowns:
            bucket = np.stack([table.believed(cards, [bot.belief()] * deals) for bot in bots])
            chips, _ = table.play(cards, words, orders, bucket)
            won.append(1000 * float(chips.mean()) / table.tree.game.rules.big_blind)
    return won


def _orders(count: int, rng: Random) -> OrderRows:
    """Orders as the engine draws them, int8 ``[count, 13]``."""
    return np.array([permuted(draw_ranks(rng)).true_ranks for _ in range(count)], np.int8)


def _tell(beliefs: Beliefs, cards: npt.NDArray[np.uint8], result: np.int64) -> None:
    """Show nine cards, hole cards first, and who won."""
    row = cards.tolist()
    beliefs.observe(row[:2], row[2:4], row[4:9], int(result))


def _results(cards: npt.NDArray[np.uint8], truth: OrderRows) -> npt.NDArray[np.int64]:
    """1 if player 0 has the better hand, -1 if player 1, 0 if equal, int64 ``[hands]``."""
    true = renamed(cards, truth)
    one, two = (evaluate_many(true[:, [2 * p, 2 * p + 1, *range(4, 9)]]) for p in range(2))
    return np.sign(one.astype(np.int64) - two.astype(np.int64))
