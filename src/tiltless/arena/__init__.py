"""Matches between agents, and what they prove."""

from tiltless.arena.dealer import Fault, PlayedHand, Seated, play_hand, shuffled_decks

__all__ = ["Fault", "PlayedHand", "Seated", "play_hand", "shuffled_decks"]
