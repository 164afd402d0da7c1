"""Commands for competitions: an engine for bots, and packages of agents."""
