"""How a game is made small enough to solve: buckets of hands, a menu of bets, features.

Run it: python examples/03_buckets_and_bets.py
"""

from tiltless.abstraction.bets.translation import Translation
from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.abstraction.information.features import history, pot, seat, street
from tiltless.blueprint.information import abstracted
from tiltless.blueprint.tree import betting_tree
from tiltless.games import load

# 1. Cards. Hands that play alike share a bucket; 0 is the weakest of 200.
cards = card_abstraction("standard")
board = "Ks7s2d"
for hand in ("AsQs", "KdQh", "7h6h", "5d4d"):
    print(f"{hand} on {board}: bucket {cards.bucket(hand, board)} of {cards.counts[1]}")

# 2. Bets. A menu instead of every number of chips.
tree = betting_tree(load("nlhe", stack="20bb"), "50%, 100%, a; cap 3")
print(f"{tree.size.nodes:,} nodes with half pot, pot and all-in")

# 3. What else a player knows. A * B tells apart what A or B tells apart.
for known in (history(), street * seat * pot(20)):
    print(abstracted(tree, known).describe().splitlines()[0])

# 4. A bet that is not on the menu is read as its neighbours, each with a probability.
for index, share in Translation("pseudo-harmonic").split(0.7, [0.5, 1.0]):
    print(f"a bet of 70 % of the pot is read as {('half pot', 'pot')[index]}: {share:.0%}")
