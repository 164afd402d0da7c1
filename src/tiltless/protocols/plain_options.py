"""Options that the players without a command line of their own have in common (argparse)."""

import argparse

__all__ = ["add_player_options"]


def add_player_options(parser: argparse.ArgumentParser) -> None:
    """``--agent``, ``--hands`` and ``--seed``."""
    parser.add_argument("--agent", required=True, help="agent to play, such as monte-carlo")
    parser.add_argument("--hands", type=int, help="hands of the match, if not as many as usual")
    parser.add_argument("--seed", type=int, help="random seed of the agent; drawn by default")
