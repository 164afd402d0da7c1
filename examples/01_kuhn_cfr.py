"""Kuhn poker solved by counterfactual regret minimisation, whole in one file, nothing imported.

Rules: three cards J < Q < K, one each, one chip ante. Player 0 checks or bets one chip; the other
checks, bets, calls or folds; after check and bet player 0 calls or folds.

CFR (Zinkevich et al. 2007) in three sentences. Play the game against yourself, walking over all
deals and all actions. At each information set, remember for every action how much better it would
have been than what you did, weighted by how likely the others let you come there: its regret. Next
time choose actions in proportion to their positive regrets; the average of all these strategies
converges to an equilibrium.
"""

from itertools import permutations

ACTIONS = "pb"  # pass (check or fold), bet (bet or call)
regrets, averages = {}, {}  # information set -> one number per action


def payoff(cards, history):
    """What player 0 wins, or None if the game goes on."""
    if history in ("pp", "bb", "pbb"):  # a showdown: for the ante, or for the ante and the bet
        stake = 1 if history == "pp" else 2
        return stake if cards[0] > cards[1] else -stake
    if history == "bp":  # player 1 folded
        return 1
    if history == "pbp":  # player 0 folded
        return -1
    return None


def strategy(infoset):
    """Regret matching: in proportion to positive regrets, uniform if there are none."""
    positive = [max(regret, 0) for regret in regrets.setdefault(infoset, [0.0, 0.0])]
    total = sum(positive)
    return [regret / total for regret in positive] if total > 0 else [0.5, 0.5]


def walk(cards, history, reach):
    """Value for player 0. reach: how likely each player's own actions lead here."""
    result = payoff(cards, history)
    if result is not None:
        return result
    player = len(history) % 2
    infoset = "JQK"[cards[player]] + history
    probabilities = strategy(infoset)
    sums = averages.setdefault(infoset, [0.0, 0.0])
    values, sign = [], 1 if player == 0 else -1
    for action, probability in zip(ACTIONS, probabilities, strict=True):
        after = list(reach)
        after[player] *= probability
        values.append(walk(cards, history + action, after))
    value = sum(p * v for p, v in zip(probabilities, values, strict=True))
    for a in range(2):
        regrets[infoset][a] += reach[1 - player] * sign * (values[a] - value)
        sums[a] += reach[player] * probabilities[a]
    return value


def best_response(player, history, reach, average):
    """Value for ``player`` of the best answer to the other's average, by the player's own card.

    reach: for each own card, how likely the other holds each other card and comes here.
    """
    if payoff((0, 1), history) is not None:
        sign = 1 if player == 0 else -1
        return {
            mine: sum(
                weight * sign * payoff((mine, other) if player == 0 else (other, mine), history)
                for other, weight in others.items()
            )
            for mine, others in reach.items()
        }
    if len(history) % 2 == player:
        options = [best_response(player, history + a, reach, average) for a in ACTIONS]
        return {mine: max(option[mine] for option in options) for mine in reach}
    total = dict.fromkeys(reach, 0.0)
    for a, action in enumerate(ACTIONS):
        after = {
            mine: {o: w * average["JQK"[o] + history][a] for o, w in others.items()}
            for mine, others in reach.items()
        }
        for mine, value in best_response(player, history + action, after, average).items():
            total[mine] += value
    return total


def exploitability(average):
    """What a perfect opponent wins, on average of both seats; 0 in equilibrium."""
    start = {mine: {other: 1 / 6 for other in range(3) if other != mine} for mine in range(3)}
    return sum(sum(best_response(player, "", start, average).values()) for player in range(2)) / 2


def main(iterations=10_000):
    for _ in range(iterations):
        for cards in permutations(range(3), 2):
            walk(cards, "", [1.0, 1.0])
    average = {
        infoset: [number / sum(numbers) for number in numbers]
        for infoset, numbers in averages.items()
    }
    value = sum(expected(cards, "", average) for cards in permutations(range(3), 2)) / 6
    for infoset in sorted(average, key=lambda each: (len(each), each)):
        print(f"{infoset:4} bet {average[infoset][1]:.3f}")
    print(f"value for player 0: {value:+.5f} (exactly -1/18 = {-1 / 18:+.5f})")
    print(f"exploitability: {exploitability(average):.5f}")
    return value, exploitability(average)


def expected(cards, history, average):
    """Value for player 0 when both follow the average strategy."""
    result = payoff(cards, history)
    if result is not None:
        return result
    probabilities = average["JQK"[cards[len(history) % 2]] + history]
    return sum(
        p * expected(cards, history + a, average)
        for a, p in zip(ACTIONS, probabilities, strict=True)
    )


if __name__ == "__main__":
    main()
