"""Real-time search: beliefs about both ranges, and the rest of the hand solved with them.

`streets` plays a hand through, `belief` keeps both ranges along it, `guide` puts a blueprint into
the tree of a solver, `subgame` makes and solves the rest of a hand, `memory` keeps what was solved,
`proof` shows by exact vectors what that is good for.
"""
