"""Game definitions of the ACPC: ``GAMEDEF`` files, read and written as the real dealer does.

::

    GAMEDEF
    nolimit
    numPlayers = 2
    ...
    END GAMEDEF

Keys are read without regard to case, ``=`` may be left out, ``#`` begins a comment, and numbers
that a game does not need are ignored. A line with an unknown key, which the real dealer passes
over in silence, is refused: a misspelt key would mean another game.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tiltless.errors import InputError, OptionError
from tiltless.validate import brief, unknown_name

__all__ = ["GAMES", "UNLIMITED", "GameDef", "gamedef_text", "load_gamedef", "parse_gamedef"]

UNLIMITED = 2**31 - 1
"""The stack of a game without stacks."""
_MANY_RAISES = 255
_MOST = {"players": 10, "rounds": 4, "suits": 4, "ranks": 13, "hole_cards": 3}
_MOST_BOARD = 7
_LONGEST = 65_536  # characters of a file; real ones have 500


@dataclass(frozen=True, slots=True)
class GameDef:
    """A game of the ACPC's dealer. Positions count from the first player after the button.

    no_limit: otherwise bets have a fixed size.  blinds, stacks: by position.  raise_sizes,
    max_raises, board_cards: by round; raise_sizes is empty in no-limit games.  first: the position
    that acts first in each round, from 0 (in files from 1).  suits, ranks: the deck consists of the
    highest of both.
    """

    no_limit: bool
    players: int
    rounds: int
    stacks: tuple[int, ...]
    blinds: tuple[int, ...]
    raise_sizes: tuple[int, ...]
    first: tuple[int, ...]
    max_raises: tuple[int, ...]
    suits: int
    ranks: int
    hole_cards: int
    board_cards: tuple[int, ...]

    def __post_init__(self) -> None:
        for name in _MOST:
            _possible(name, getattr(self, name))
        self._check_lengths()
        for blind, stack in zip(self.blinds, self.stacks, strict=True):
            if not 0 <= blind <= stack <= UNLIMITED:
                raise InputError(
                    f"a blind of {blind} does not fit a stack of {stack}; give 0 <= blind <= stack"
                )
        if self.blinds == self.stacks:
            raise InputError("every stack is gone with its blind; leave somebody chips to bet")
        if any(not 0 <= first < self.players for first in self.first):
            raise InputError(f"firstPlayer must be 1 to {self.players} in each round")
        if any(not 0 < size <= UNLIMITED for size in self.raise_sizes):
            raise InputError(f"raiseSize {self.raise_sizes} is not possible; give positive numbers")
        if any(not 0 <= most <= _MANY_RAISES for most in self.max_raises):
            raise InputError(f"maxRaises must be 0 to {_MANY_RAISES} in each round")
        board = sum(self.board_cards)
        if min(self.board_cards) < 0 or board > _MOST_BOARD:
            raise InputError(f"{board} board cards are not possible; choose 0 to {_MOST_BOARD}")
        if self.hole_cards * self.players + board > self.suits * self.ranks:
            raise InputError(
                f"a deck of {self.suits} x {self.ranks} cards is too small for {self.players} "
                f"players with {self.hole_cards} cards and a board of {board}"
            )

    def _check_lengths(self) -> None:
        by_position = {"stack": self.stacks, "blind": self.blinds}
        by_round = {
            "firstPlayer": self.first,
            "maxRaises": self.max_raises,
            "numBoardCards": self.board_cards,
        }
        if not self.no_limit:
            by_round["raiseSize"] = self.raise_sizes
        for needed, numbers in ((self.players, by_position), (self.rounds, by_round)):
            for key, values in numbers.items():
                if len(values) != needed:
                    raise InputError(f"{key} has {len(values)} numbers; {needed} are needed")

    @property
    def deck(self) -> tuple[int, ...]:
        """The cards in the order in which the dealer has them before it shuffles: by suits."""
        ranks, suits = range(13 - self.ranks, 13), range(4 - self.suits, 4)
        return tuple(4 * rank + suit for suit in suits for rank in ranks)

    def board_of(self, round_: int) -> tuple[int, int]:
        """The slice of the board that is dealt before a round."""
        start = sum(self.board_cards[:round_])
        return start, start + self.board_cards[round_]


_KEYS = {
    "stack": "stacks",
    "blind": "blinds",
    "raisesize": "raise_sizes",
    "numplayers": "players",
    "numrounds": "rounds",
    "firstplayer": "first",
    "maxraises": "max_raises",
    "numsuits": "suits",
    "numranks": "ranks",
    "numholecards": "hole_cards",
    "numboardcards": "board_cards",
}
_SINGLE = ("players", "rounds", "suits", "ranks", "hole_cards")
_LINE = re.compile(
    r"([a-z]+)[\s=]*(\d{1,10}(?:[\s=]+\d{1,10})*)?[\s=]*", re.ASCII | re.IGNORECASE
)  # numbers are kept apart, or a long line of digits could be split in very many ways


def _possible(name: str, value: int) -> int:
    """One of the numbers of `_MOST`; `InputError` if it is too small or too large."""
    low, most = 2 if name == "players" else 1, _MOST[name]
    if not low <= value <= most:
        raise InputError(f"{name}={value} is not possible; choose {low} to {most}")
    return value


def parse_gamedef(text: str) -> GameDef:
    """A game from the text of its file; `InputError` in one line if it is none."""
    if len(text) > _LONGEST:
        raise InputError(f"{len(text):,} characters are not a game definition; real ones have 500")
    found: dict[str, tuple[int, ...]] = {}
    no_limit = False
    for line in text.splitlines():
        words = line.partition("#")[0].strip()
        lower = " ".join(words.lower().split())
        if lower == "end gamedef":
            break
        if lower in ("limit", "nolimit"):
            no_limit = lower == "nolimit"
        elif lower not in ("", "gamedef"):
            match = _LINE.fullmatch(words)
            key = _KEYS.get(match[1].lower()) if match else None
            if match is None or key is None:
                raise InputError(f"{brief(words)} is not a line of a game definition")
            found[key] = tuple(map(int, (match[2] or "").replace("=", " ").split()))
    return _game(no_limit, found)


def _game(no_limit: bool, found: Mapping[str, tuple[int, ...]]) -> GameDef:
    names = {field: key for key, field in _KEYS.items()}
    single: dict[str, int] = {}
    for field in _SINGLE:
        if not found.get(field):
            raise InputError(f"the game definition has no {names[field]}; add {names[field]} = ...")
        single[field] = _possible(field, found[field][0])
    players, rounds = single["players"], single["rounds"]
    first = found.get("first", (1,) * rounds)[:rounds]
    return GameDef(
        no_limit=no_limit,
        stacks=found.get("stacks", (UNLIMITED,) * players)[:players],
        blinds=found.get("blinds", ())[:players],
        raise_sizes=() if no_limit else found.get("raise_sizes", ())[:rounds],
        first=tuple(each - 1 for each in first) + (0,) * (rounds - len(first)),
        max_raises=_filled(found.get("max_raises", ())[:rounds], rounds),
        board_cards=found.get("board_cards", ())[:rounds],
        **single,
    )


def _filled(raises: tuple[int, ...], rounds: int) -> tuple[int, ...]:
    return raises + (_MANY_RAISES,) * (rounds - len(raises))


def gamedef_text(game: GameDef) -> str:
    """The file of a game, as the real dealer's ``printGame`` writes it."""
    lines = ["GAMEDEF", "nolimit" if game.no_limit else "limit"]
    lines += [f"numPlayers = {game.players}", f"numRounds = {game.rounds}"]
    if any(stack < UNLIMITED for stack in game.stacks):
        lines.append(_numbers("stack", game.stacks))
    lines.append(_numbers("blind", game.blinds))
    if not game.no_limit:
        lines.append(_numbers("raiseSize", game.raise_sizes))
    if any(game.first):
        lines.append(_numbers("firstPlayer", tuple(first + 1 for first in game.first)))
    if any(most != _MANY_RAISES for most in game.max_raises):
        lines.append(_numbers("maxRaises", game.max_raises))
    lines += [f"numSuits = {game.suits}", f"numRanks = {game.ranks}"]
    lines.append(f"numHoleCards = {game.hole_cards}")
    lines += [_numbers("numBoardCards", game.board_cards), "END GAMEDEF"]
    return "\n".join(lines) + "\n"


def _numbers(key: str, numbers: tuple[int, ...]) -> str:
    return f"{key} = {' '.join(map(str, numbers))}"


_REVERSE, _THREE = (1, 0, 0, 0), (2, 0, 0, 0)


def _holdem(
    players: int, blinds: tuple[int, ...], first: tuple[int, ...], no_limit: bool
) -> GameDef:
    return GameDef(
        no_limit=no_limit,
        players=players,
        rounds=4,
        stacks=(20_000 if no_limit else UNLIMITED,) * players,
        blinds=blinds,
        raise_sizes=() if no_limit else (10, 10, 20, 20),
        first=first,
        max_raises=(_MANY_RAISES,) * 4 if no_limit else (3, 4, 4, 4),
        suits=4,
        ranks=13,
        hole_cards=2,
        board_cards=(0, 3, 1, 1),
    )


def _kuhn(players: int) -> GameDef:
    many = (UNLIMITED,) * players
    ante = (1,) * players
    return GameDef(False, players, 1, many, ante, (1,), (0,), (1,), 1, players + 1, 1, (0,))


def _leduc(players: int) -> GameDef:
    many = (UNLIMITED,) * players
    ante = (1,) * players
    ranks = players + 1
    return GameDef(False, players, 2, many, ante, (2, 4), (0, 0), (2, 2), 2, ranks, 1, (0, 1))


GAMES: Mapping[str, GameDef] = {
    "holdem.nolimit.2p.reverse_blinds": _holdem(2, (100, 50), _REVERSE, True),
    "holdem.nolimit.3p": _holdem(3, (50, 100, 0), _THREE, True),
    "holdem.limit.2p.reverse_blinds": _holdem(2, (10, 5), _REVERSE, False),
    "holdem.limit.3p": _holdem(3, (5, 10, 0), _THREE, False),
    "kuhn.limit.2p": _kuhn(2),
    "kuhn.limit.3p": _kuhn(3),
    "leduc.limit.2p": _leduc(2),
    "leduc.limit.3p": _leduc(3),
}
"""The games of the competitions by the names of their files, and Kuhn and Leduc for two and three
players."""


def load_gamedef(text: str) -> GameDef:
    """A game by its name in `GAMES`, with or without ``.game``, or from a file."""
    name = text.removesuffix(".game")
    path = Path(text)
    if path.is_file():
        try:
            with path.open(encoding="utf-8") as file:
                return parse_gamedef(file.read(_LONGEST + 1))
        except (OSError, UnicodeDecodeError, InputError) as problem:
            raise OptionError(f"{path} is not a game definition: {problem}") from None
    if name not in GAMES:
        raise unknown_name("game of the ACPC", text, GAMES, "the path of a game definition")
    return GAMES[name]
