"""Search in real time: beliefs about both hands, and the rest of the hand solved with them.

`belief` keeps both ranges along a hand, `guide` puts a blueprint into the tree of a solver,
`subgame` makes and solves the rest of a hand, `proof` shows by exact vectors what that is good for.
"""
