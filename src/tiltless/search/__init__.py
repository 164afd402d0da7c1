"""Real-time search: beliefs about both ranges, and the rest of the hand solved with them.

`streets` replays a hand, `beliefs` tracks both ranges along it, `blueprint_lines` follows a
blueprint in the tree of a solver and `blueprint_policy` puts its strategy there, `subgame` builds
and solves the rest of a hand, made safe by a `gadget`, `cache` keeps solved streets, `budget`
limits the size of trees, and `match_clock` the time.
"""
