"""Random hands by the rules of the ACPC, for tests."""

from random import Random

from tiltless.protocols.acpc.dealer import deal_match
from tiltless.protocols.acpc.gamedef import GameDef
from tiltless.protocols.acpc.hand import CALL_MOVE, FOLD_MOVE, AcpcHand, Move
from tiltless.protocols.acpc.log import MatchHeader
from tiltless.protocols.acpc.wire import parse_match_state

NAMES = ("Alice", "Bob", "Carol")


def random_move(hand: AcpcHand, rng: Random) -> Move:
    """Calls mostly, folds seldom, raises of the smallest, the largest and other sizes."""
    low, top = hand.raise_bounds
    kind = rng.random()
    if hand.can_fold and kind < 0.1:
        return FOLD_MOVE
    if not top or kind < 0.55:
        return CALL_MOVE
    if not hand.game.no_limit:
        return Move("r")
    sizes = (low, low, top, rng.randint(low, top), min(rng.randint(low, 3 * low), top))
    return Move("r", rng.choice(sizes))


class RandomSeat:
    """A player that answers with random legal moves, and keeps every line of both sides."""

    def __init__(self, game: GameDef, rng: Random) -> None:
        self.game, self.rng = game, rng
        self.lines: list[tuple[str, str]] = []

    def send(self, line: str) -> None:
        self.lines.append(("S->", f"{line}\r\n"))

    def receive(self, seconds: float) -> str:
        line = self.lines[-1][1].strip()
        state = parse_match_state(line, self.game)
        answer = f"{line}:{random_move(state.hand, self.rng)}"
        self.lines.append(("<-C", f"{answer}\r\n"))
        return answer


def random_match(game: GameDef, hands: int, seed: int):
    """A match between random players: the seats and the match."""
    seats = [RandomSeat(game, Random(f"{seed} {n}")) for n in range(game.players)]
    header = MatchHeader("random", "random.game", hands, seed)
    return seats, deal_match(game, seats, NAMES[: game.players], header)
