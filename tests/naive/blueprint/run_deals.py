"""River of Blood without private cards, which can be solved by hand."""

from tiltless.kernels.blueprint.nodes import ACTIONS, ACTOR, CHANCE, FIRST, PARENT, ROW, SHOWDOWN

AHEAD = 30  # streets after which the board ends for certain


def expected(wins, gone):
    """What player 0 wins of a showdown if coins decide how many more streets follow."""
    total, chance = 0.0, 1.0
    for more in range(AHEAD + 1 - gone):
        chance /= 2
        total += chance * wins(gone + more)
    return total + chance * wins(AHEAD)


def value(tree, payoff, wins, choose):
    """The value for player 0 of a game in which coins decide whether one more street follows.

    wins: what player 0 wins of a showdown, -1 to 1, if the board had so many more streets.
    choose: the value of a decision, from its node and the values of its actions.
    """
    node, known = tree.nodes.node, {}

    def visit(at, gone, ended=False):
        if (at, gone, ended) in known:
            return known[at, gone, ended]
        actor, first = int(node[at, ACTOR]), int(node[at, FIRST])
        if actor == CHANCE:
            over = visit(first, gone, True)
            found = over if gone == AHEAD else (over + visit(first + 1, gone + 1)) / 2
        elif actor == SHOWDOWN:
            share = wins(gone) if ended else expected(wins, gone)
            found = float(payoff[node[at, ROW], 2]) * share
        elif actor < 0:
            found = float(payoff[node[at, ROW], 1])
        else:
            found = choose(at, [visit(first + a, gone) for a in range(int(node[at, ACTIONS]))])
        known[at, gone, ended] = found
        return found

    assert node[0, PARENT] < 0
    return visit(0, 0)


def solve(tree, payoff, wins):
    """The value of best play, by backward induction."""
    actor = tree.nodes.node[:, ACTOR]
    return value(tree, payoff, wins, lambda at, found: min(found) if actor[at] else max(found))
