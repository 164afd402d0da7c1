"""MIT Pokerbots: our agents at its engines of 2020 and 2023, an engine of our own, and packages.

The engine is the server, a player the client. `wire` has the lines of both directions, `years` what
differs between the years, and `year_file` reads the rules of a year that is not known yet.

* Players: `dialect` turns lines into hands, `game_clock` divides the clock, `client` plays a match.
* Engine: `engine` plays a match between bots in folders (`bot_folder`) or agents (`agent_player`),
  and writes its `game_log`.
* Packages: `rehearsal` finds out what an agent needs, `package` packs it for one of the `servers`.
"""
