"""Matches between agents, and what they prove."""

from tiltless.arena.chunk import replay
from tiltless.arena.dealer import Fault, PlayedHand, Seated, play_hand, shuffled_decks
from tiltless.arena.match import play_match, play_stored
from tiltless.arena.plan import MatchPlan
from tiltless.arena.store import MatchRecord, Store

__all__ = [
    "Fault",
    "MatchPlan",
    "MatchRecord",
    "PlayedHand",
    "Seated",
    "Store",
    "play_hand",
    "play_match",
    "play_stored",
    "replay",
    "shuffled_decks",
]
