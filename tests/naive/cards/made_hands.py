"""What players call a hand, one hand at a time, from its cards."""

from collections import Counter

from tiltless.cards.evaluate import evaluate, hand_category


def made_hand(hand, board):
    category = hand_category(evaluate((*hand, *board)))
    own = sorted((card >> 2 for card in hand), reverse=True)
    lies = Counter(card >> 2 for card in board)
    if len(board) == 5 and evaluate((*hand, *board)) == evaluate(board):
        if category not in ("high card", "pair", "two pair", "three of a kind"):
            return "plays the board"
    if category == "four of a kind":
        return "quads"
    if category in ("straight flush", "full house", "flush", "straight"):
        return category
    if category == "three of a kind" and own[0] == own[1]:
        return "set"
    if category == "three of a kind" and any(lies[rank] == 2 for rank in own):
        return "trips"
    count = lies + Counter(own)
    playing = sorted((rank for rank in count if count[rank] >= 2), reverse=True)[:2]
    mine = [rank for rank in playing if rank in own]
    ranks = sorted(lies, reverse=True)
    if category in ("pair", "two pair") and mine:
        if own[0] == own[1]:
            return "overpair" if own[0] > ranks[0] else "underpair"
        if len(mine) == 2:
            return "two pair"
        return {0: "top pair", 1: "second pair"}.get(ranks.index(mine[0]), "low pair")
    return {12: "ace high", 11: "king high"}.get(own[0], "nothing")


def draw(hand, board):
    if len(board) == 5:
        return "no draw"
    order = ["high card", "pair", "two pair", "three of a kind", "straight", "flush"]
    category = hand_category(evaluate((*hand, *board)))
    level = order.index(category) if category in order else len(order)
    flush = level < 5 and any(
        sum(card & 3 == suit for card in (*hand, *board)) == 4 and any(c & 3 == suit for c in hand)
        for suit in range(4)
    )
    outs = 0
    if level < 4:
        lies = {card >> 2 for card in board}
        mine = lies | {card >> 2 for card in hand}
        outs = sum(
            _straight(mine | {rank}) > _straight(lies | {rank})
            for rank in range(13)
            if rank not in mine
        )
    if flush and outs:
        return "combo draw"
    if flush:
        return "flush draw"
    if outs:
        return "gutshot" if outs == 1 else "open-ended"
    one, two = hand
    if len(board) == 3 and one & 3 == two & 3 and level < 4:
        if sum(card & 3 == one & 3 for card in board) == 1:
            return "backdoor flush draw"
    top = max(card >> 2 for card in board)
    return "overcards" if one >> 2 != two >> 2 and min(hand) >> 2 > top else "no draw"


def _straight(ranks):
    ranks = {rank + 1 for rank in ranks} | ({0} if 12 in ranks else set())
    return max((low + 1 for low in range(10) if {*range(low, low + 5)} <= ranks), default=0)
