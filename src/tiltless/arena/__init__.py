"""Matches between agents, and what their results show."""

from tiltless.arena.chunk import replay
from tiltless.arena.dealer import Hand, PlayedHand, Seated, play_hand, shuffled_decks
from tiltless.arena.match import MatchScores, play_match, play_stored
from tiltless.arena.plan import MatchPlan
from tiltless.arena.rulings import Fault
from tiltless.arena.store import MatchRecord, Store

__all__ = [
    "Fault",
    "Hand",
    "MatchPlan",
    "MatchRecord",
    "MatchScores",
    "PlayedHand",
    "Seated",
    "Store",
    "play_hand",
    "play_match",
    "play_stored",
    "replay",
    "shuffled_decks",
]
