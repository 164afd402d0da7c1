"""Small spots after the flop, solved a little: once for all tests."""

from functools import lru_cache

from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import Spot


@lru_cache
def river(rake=0.0):
    """Few hands on a river, two sizes and raises."""
    spot = Spot(
        "QsJh2h8d3c",
        oop="AA,QJs,T9s,AKo:0.5,76s",
        ip="KK,JJ,AQs,98s,A5s:0.25,65s",
        pot=64,
        stack=150,
        bets="50%, a / 50%, a",
        rake=rake,
        rake_cap=4,
    )
    return _solved(spot, 40)


@lru_cache
def turn(rake=0.0):
    """Few hands on a turn with clubs and spades alike."""
    spot = Spot(
        "QdJh2h8d",
        oop="AsAc,Ts9s,Tc9c,KhTh,7s7c",
        ip="KsKc,AhQs,AhQc,9d8s,9d8c",
        pot=20,
        stack=40,
        bets="100%, a / a",
        rake=rake,
    )
    return _solved(spot, 30)


@lru_cache
def flop():
    """Wider ranges on a flop, one size."""
    spot = Spot(
        "Ks7s2d",
        oop="KQs,77,JTs,A5s:0.5,98s",
        ip="AK,QQ,22,QJs,87s,65s:0.5",
        pot=30,
        stack=60,
        bets="100%",
    )
    return _solved(spot, 10)


@lru_cache
def wide():
    """Whole classes of hands on a turn, for pictures."""
    spot = Spot(
        "QsJh2h8d",
        oop="99+,ATs+,KQ,QJs,JTs,T9s,98s:0.5",
        ip="22+,A2s+,KTs+,QTs+,JTs,T9s,98s,87s",
        pot=64,
        stack=320,
        bets="50%, 100%, a / 50%, a",
    )
    return _solved(spot, 40)


@lru_cache
def single():
    """One hand each on a turn, which some rivers take away."""
    return _solved(Spot("QsJh2h8d", oop="AsAh", ip="KsKh", pot=64, stack=320, bets="a"), 10)


def _solved(spot, iterations):
    solver = PostflopSolver(spot)
    solver.run(iterations)
    return solver
