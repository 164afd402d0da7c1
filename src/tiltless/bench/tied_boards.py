"""What forgetting the board costs: strategies that are tied by bucket over many rivers.

A blueprint has one strategy for all boards of a bucket. Here that is the only thing it may do
wrong: a river pot is solved with exact hands on many boards at once, and after every iteration the
regrets of all hands of a bucket, on all boards, are replaced by their mean. Then a best response
that sees hands and board measures the strategies, on these boards and on boards that they have not
seen. Solved board by board the same pot comes near 0, so what is measured is the price of sharing.

Ranges are a button's best 80 % of starting hands against a big blind's best 60 %, on every board;
real ranges also depend on the flop and turn, and cost more.

More iterations are not better: the abstract game converges, and play in the real one gets worse
(Waugh, Schnizlein, Bowling & Szafron 2009, "Abstraction pathologies in extensive games"). Compare
abstractions at the same number.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.bucketing import Bucketing
from tiltless.errors import OptionError
from tiltless.intervals import Interval, tally
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import IP, OOP, Spot
from tiltless.validate import whole_number

__all__ = ["TiedLoss", "tied_loss"]

Floats = npt.NDArray[np.float64]

_IP, _OOP = "80%", "60%"
_POT, _STACK, _BETS = 10, 90, "50%, 150%, a / 100%, a"


class TiedLoss(NamedTuple):
    """Exploitability of tied strategies, in percent of the pot, with 95 % intervals over boards.

    tied: on the boards that they were solved on.  unseen: on others, with the same strategies;
    buckets that did not occur before play uniformly there.  The truth for very many boards is
    between the two.
    """

    tied: Interval
    unseen: Interval


class _Hands(NamedTuple):
    """A player's hands on a board: buckets, weights, and the place of the rows in the tables."""

    bucket: npt.NDArray[np.int64]
    weight: Floats
    begin: int
    width: int


def tied_loss(
    rule: Bucketing, *, boards: int = 60, unseen: int = 30, iterations: int = 100, seed: int = 0
) -> TiedLoss:
    """The loss of a river's buckets.

    boards, unseen: rivers to solve on, and to judge on besides; drawn with the seed.
    """
    for name, value in (("boards", boards), ("unseen", unseen)):
        whole_number(name, value, 2, 100_000)
    whole_number("iterations", iterations, 1, 100_000)
    rng = np.random.default_rng(seed)
    drawn = [rng.permutation(52)[:5].astype(np.uint8) for _ in range(boards + unseen)]
    pots = _Pots(rule, drawn)
    for _ in range(iterations):
        for player in (OOP, IP):
            pots.learn(player, boards)
    tied = pots.exploitability(range(boards))
    for player in (OOP, IP):
        mean = pots.mean(player, "average", boards)
        pots.spread(player, "average", mean, range(boards, boards + unseen))
    return TiedLoss(tied, pots.exploitability(range(boards, boards + unseen)))


class _Pots:
    """The same pot on many boards."""

    def __init__(self, rule: Bucketing, boards: list[npt.NDArray[np.uint8]]) -> None:
        self.count = rule.count
        self.solvers: list[PostflopSolver] = []
        self.hands: list[tuple[_Hands, _Hands]] = []
        for board in boards:
            forests = self.solvers[0].forests if self.solvers else None
            spot = Spot(board.tolist(), _OOP, _IP, pot=_POT, stack=_STACK, bets=_BETS)
            solver = PostflopSolver(spot, forests=forests)
            self.solvers.append(solver)
            bucket = rule.buckets(board).astype(np.int64)
            if int(bucket.max()) >= rule.count:
                raise OptionError(f"{rule.text} has a bucket beyond its {rule.count:,}; correct it")
            self.hands.append((self._of(solver, IP, bucket), self._of(solver, OOP, bucket)))

    @staticmethod
    def _of(solver: PostflopSolver, player: int, bucket: npt.NDArray[np.int64]) -> _Hands:
        combos, arrays = solver.boards[0].combos[0][player], solver.boards[0].arrays
        weight = solver.start(player)[: len(combos)].astype(np.float64)
        return _Hands(
            bucket[combos], weight, int(arrays.row[0, player]), int(arrays.width[0, player])
        )

    def _rows(self, board: int, player: int, what: str) -> npt.NDArray[np.float32]:
        """A player's rows of a table, float32 ``[rows, hands]``, to read and write."""
        hands, solver = self.hands[board][player], self.solvers[board]
        rows = solver.forests[0].rows[player]
        table = getattr(solver.tables, what)[hands.begin : hands.begin + rows * hands.width]
        return np.asarray(table.reshape(rows, hands.width)[:, : len(hands.bucket)])

    def learn(self, player: int, boards: int) -> None:
        """Half an iteration on the first boards, and regrets tied by bucket."""
        for solver in self.solvers[:boards]:
            solver.learn(player)
        self.spread(player, "regret", self.mean(player, "regret", boards), range(boards))

    def mean(self, player: int, what: str, boards: int) -> Floats:
        """The mean of each bucket over boards, weighted by hands, ``[rows, buckets]``."""
        rows = self.solvers[0].forests[0].rows[player]
        sums, mass = np.zeros((rows, self.count)), np.zeros(self.count)
        for board in range(boards):
            hands = self.hands[board][player]
            mass += np.bincount(hands.bucket, hands.weight, self.count)
            weighted = self._rows(board, player, what) * hands.weight
            order = np.argsort(hands.bucket, kind="stable")
            met, first = np.unique(hands.bucket[order], return_index=True)
            sums[:, met] += np.add.reduceat(weighted[:, order], first, axis=1)
        return np.asarray(sums / np.maximum(mass, 1e-30))

    def spread(self, player: int, what: str, mean: Floats, boards: range) -> None:
        """Give every hand the numbers of its bucket."""
        for board in boards:
            self._rows(board, player, what)[:] = mean[:, self.hands[board][player].bucket]

    def exploitability(self, boards: range) -> Interval:
        """The mean over boards, in percent of the pot."""
        return tally(self.solvers[board].exploitability() for board in boards).interval
