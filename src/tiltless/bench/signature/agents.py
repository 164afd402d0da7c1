"""Signature items that play: twenty hands of every agent, as text."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tiltless.agents.agent import Agent
from tiltless.agents.registry import make_agent, registered
from tiltless.arena.dealer import Seated, match_game, play_hand, shuffled_decks
from tiltless.bench.signature.engines import save_toy_blueprint
from tiltless.bench.signature.golden import Fact, Item, signed
from tiltless.blueprint.shipped import find_blueprint
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.record import hand_line, record_hand
from tiltless.games.registry import load

__all__ = ["agents", "skipped"]

_HANDS = 20
_OPPONENTS = ("fish", "uniform")  # by turns: one comes to every showdown, one to every bet
_ROLLOUTS = "rollouts=200"
_OPTIONS = {
    "honest": (_ROLLOUTS,),
    "rules": (_ROLLOUTS,),
    "monte-carlo": (_ROLLOUTS, f"{_ROLLOUTS},pot-odds,range"),
    "simple-1400": (_ROLLOUTS,),
    "simple-3000": (_ROLLOUTS,),
    "blueprint": ("", "purify", "threshold=0.05,translation=pseudo-harmonic"),
    "search": ("iterations=8,turn=75%+a/a,river=75%+a/a",),
    "endgame": ("agent=blueprint,hands=20",),
    "cfr-v1": ("file=TOY",),
    "cfr-v2": ("file=TOY,rollouts=200",),
    "permutation": ("how=borda",),  # the median is of tables that may be there or not
    "aimbot": (_ROLLOUTS,),
    "libratus-fan-club": ("file=hundred",),
    "river-of-blood": ("iterations=8,total=0",),
    "calling-station": ("file=HUNDRED",),
    "openspiel": ("bot=uniform_random",),
    "pypokerengine": ("class=examples.players.random_player:RandomPlayer",),
}
"""Agents with less work than usual, and iterations instead of times; each text is an entry."""
_PERMUTATION, _BLOOD = "permutation", "river-of-blood"
_GAMES = {
    **dict.fromkeys(
        (_PERMUTATION, "report-inference", "libratus-fan-club", "aimbot"), _PERMUTATION
    ),
    **dict.fromkeys((_BLOOD, "calling-station", "mit-skeleton"), _BLOOD),
}
"""Games of agents that are made for one; the others play no-limit hold'em."""
_SEATS = {"six": 3}
_TRAINED_FIRST = ("six-report",)
"""Agents that ship without what they are trained to."""


def agents() -> Iterator[Item]:
    """Hands of every agent of the registry that can be made here."""
    for entry in registered():
        if not isinstance(entry.maker, str) or entry.needs or entry.name in _TRAINED_FIRST:
            continue  # added by a program, not installed, or not trained
        for number, options in enumerate(_OPTIONS.get(entry.name, ("",))):
            text = f"{entry.name}:{options}" if options else entry.name
            name = f"agents.{entry.name}" + (f".{number}" if number else "")
            yield f"{name}.hands", partial(_hands, text)


def skipped() -> tuple[str, ...]:
    """Entries that depend on an optional package that is not installed."""
    missing = [entry.name for entry in registered() if entry.needs]
    return (*(f"agents.{name}.hands" for name in missing), *(["json.agents"] if missing else []))


def _hands(text: str) -> Fact:
    with TemporaryDirectory() as folder:
        if "TOY" in text:
            text = text.replace("TOY", str(save_toy_blueprint(Path(folder))))
        text = text.replace("HUNDRED", str(find_blueprint()))
        name = text.partition(":")[0]
        seats = {"seats": _SEATS[name]} if name in _SEATS else {}
        game = load(_GAMES.get(name, "nlhe"), stack="100bb", **seats)
        assert isinstance(game, Holdem)
        return signed(_played(make_agent(text, trusted=True), match_game(game, 1, 0)))


def _played(agent: Agent, game: Holdem) -> list[str]:
    """The hands as lines, with the rulings on faults."""
    opponents = [make_agent(name) for name in _OPPONENTS]
    agent.match_start()
    lines = []
    for deal, deck in enumerate(shuffled_decks(game, 1, 0, _HANDS).tolist()):
        others = [Seated(opponents[(deal + seat) % 2]) for seat in range(game.players - 1)]
        hand = play_hand(
            game, [Seated(agent), *others], deck, seed=1, deal=deal, button=deal // 2 % 2
        )
        faults = [f"{fault.seat} {fault.kind}" for fault in hand.faults]
        lines.append(" ".join([hand_line(record_hand(hand.final, number=deal)), *faults]))
    return lines
