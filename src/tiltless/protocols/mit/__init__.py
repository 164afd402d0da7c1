"""MIT Pokerbots: our agents at its engines of 2020 and 2023, over their sockets.

The engine is the server, a player the client. `wire` has the lines of both directions, `years` what
differs between the years, `dialect` turns lines into hands, and `client` plays a match.
"""
