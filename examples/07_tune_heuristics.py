"""Genetic search for the parameters of `tiltless.agents.heuristics.Tuned`.

Run it: python examples/07_tune_heuristics.py

It prints the genes of ``heuristic-1`` and ``heuristic-2`` as they stand in the code, which takes a
few minutes. Everything follows from the seed.

In a generation, every player plays some hundred hands at a table of opponents, with the same cards
for all players and in every seat in turn. The better half by `fitness` survives; the others are
replaced by children of two survivors, which take each gene from one parent, with small mutations
now and then.
"""

from collections.abc import Sequence
from math import sqrt
from random import Random
from statistics import fmean, pvariance

from tiltless.agents.agent import Agent, Clock
from tiltless.agents.heuristics import Genes, Tuned
from tiltless.agents.monte_carlo import ByWinRate
from tiltless.agents.pypokerengine_bots import Honest, RandomPlayer
from tiltless.agents.simple import Caller
from tiltless.games.game import CHANCE, TERMINAL
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.variants import nlhe
from tiltless.seeding import SeededRandom, mixed

_CARDS = 1
_LARGEST_CHANGE = 0.15
_CHANGED = 0.3
_NO_CLOCK = Clock()


def winnings(
    game: Holdem, player: Agent, others: Sequence[Agent], hands: int, seed: int
) -> list[float]:
    """Big blinds that a player wins in each hand; each deal is played in every seat in turn."""
    seats, rng = game.players, SeededRandom()
    won: list[float] = []
    for hand in range(hands):
        deal, seat = divmod(hand, seats)
        table = [*others[:seat], player, *others[seat:]]
        cards = SeededRandom(mixed(seed, deal, _CARDS))
        decisions = [0] * seats
        state = game.start(0)
        while state.actor != TERMINAL:
            actor = state.actor
            if actor == CHANCE:
                assert state.chance is not None
                state = state.apply(state.chance.sample(cards))
                continue
            rng.reset(mixed(seed, deal, 3 + actor, decisions[actor]))
            decisions[actor] += 1
            state = state.apply(table[actor].act(state.view(actor), _NO_CLOCK, rng).action)
        won.append(state.payoffs[seat] / game.rules.big_blind)
    return won


def fitness(won: Sequence[float]) -> float:
    """The mean minus one standard error, since the best of many means is often a lucky one."""
    return fmean(won) - sqrt(pvariance(won) / len(won))


def evolve(
    game: Holdem,
    others: Sequence[Agent],
    *,
    seed: int,
    population: int = 12,
    generations: int = 8,
    hands: int = 360,
) -> Genes:
    """The best genes of the search."""
    rng = SeededRandom(mixed(seed, population, generations, hands))
    players = [_random_genes(rng) for _ in range(population)]
    for generation in range(generations):
        cards = mixed(seed, generation)
        scores = {
            genes: fitness(winnings(game, Tuned(genes), others, hands, cards)) for genes in players
        }
        players.sort(key=scores.__getitem__, reverse=True)
        survivors = players[: population // 2]
        children = [_child(rng.sample(survivors, 2), rng) for _ in players[len(survivors) :]]
        players = survivors + children
    last = mixed(seed, generations)
    return max(
        players[: population // 2],
        key=lambda genes: fitness(winnings(game, Tuned(genes), others, 3 * hands, last)),
    )


def _random_genes(rng: Random) -> Genes:
    return Genes(*(round(rng.random(), 3) for _ in Genes._fields))


def _child(parents: Sequence[Genes], rng: Random) -> Genes:
    genes = []
    for pair in zip(*parents, strict=True):
        gene = pair[int(rng.random() * 2)]
        if rng.random() < _CHANGED:
            gene += (2 * rng.random() - 1) * _LARGEST_CHANGE
        genes.append(round(min(max(gene, 0.0), 1.0), 3))
    return Genes(*genes)


def table_of_six() -> tuple[Holdem, list[Agent]]:
    """The six-player game of the report, and five sample bots as opponents."""
    game = nlhe(seats=6, stack="100bb")
    return game, [Caller(), ByWinRate(1400), Honest(200), RandomPlayer(), ByWinRate(3000)]


def main() -> None:
    """Search for both sets of genes and print them."""
    game, others = table_of_six()
    first = evolve(game, others, seed=1)
    print("heuristic-1:", first)
    second = evolve(game, [Tuned(first), *others[1:]], seed=2)
    print("heuristic-2:", second)


if __name__ == "__main__":
    main()
