"""Games written down node by node, for shapes that no registered game has."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tiltless.games import CHANCE, TERMINAL, InfoSet


@dataclass
class End:
    payoffs: tuple[float, ...]


@dataclass
class Turn:
    player: int
    public: str
    moves: dict[str, Any]
    private: str = ""


@dataclass
class Luck:
    seen_by: tuple[int, ...]
    moves: dict[str, Any]
    odds: tuple[float, ...] = ()

    @property
    def count(self):
        return len(self.moves)

    def sample(self, rng):
        return rng.choice(list(self.moves))

    def outcomes(self):
        odds = self.odds or (1 / len(self.moves),) * len(self.moves)
        return zip(self.moves, odds, strict=True)


@dataclass
class Scripted:
    """``private`` of other players than the actor is what they saw of chance."""

    root: Any
    players: int = 2
    zero_sum: bool = True
    name: str = "scripted"
    version: int = 1
    parameters: dict = field(default_factory=dict)

    def start(self):
        return ScriptedState(self, self.root, ("",) * self.players)

    def action_text(self, action):
        return action

    def parse_action(self, text):
        return text


class ScriptedState(NamedTuple):
    game: Scripted
    node: Any
    seen: tuple[str, ...]

    @property
    def actor(self):
        if isinstance(self.node, End):
            return TERMINAL
        return CHANCE if isinstance(self.node, Luck) else self.node.player

    @property
    def actions(self):
        return tuple(self.node.moves) if isinstance(self.node, Turn) else ()

    @property
    def chance(self):
        return self.node if isinstance(self.node, Luck) else None

    @property
    def payoffs(self):
        return self.node.payoffs

    def apply(self, move):
        seen = self.seen
        if self.actor == CHANCE:
            seen = tuple(s + move * (p in self.node.seen_by) for p, s in enumerate(seen))
        return ScriptedState(self.game, self.node.moves[move], seen)

    def infoset(self, player):
        mine = self.actor == player
        public = getattr(self.node, "public", "")
        private = self.seen[player] + (self.node.private if mine else "")
        return InfoSet(player, public, private, self.actions if mine else ())
