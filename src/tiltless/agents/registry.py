"""Agents by text: ``make_agent("monte-carlo:rollouts=10000,pot-odds")``.

A text is a name, and options after a colon: ``name=value``, or a name alone for a switch that is
turned on; dashes in names stand for underscores. The same text makes the same agent in every
process. An agent joins with one line in `_AGENTS`; a program outside this package calls `register`.
"""

import inspect
from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module
from typing import Any, NamedTuple, cast

from tiltless.agents.agent import Agent
from tiltless.errors import OptionError
from tiltless.games.common import brief

__all__ = ["Entry", "make_agent", "register", "registered"]


class Entry(NamedTuple):
    """A line of the registry: a name, ``"module:callable"`` or the callable, and a sentence."""

    name: str
    maker: str | Callable[..., Agent]
    about: str

    @property
    def make(self) -> Callable[..., Agent]:
        """The callable, imported if need be."""
        if callable(self.maker):
            return self.maker
        module, _, name = self.maker.partition(":")
        return cast(Callable[..., Agent], getattr(import_module(module), name))

    @property
    def options(self) -> dict[str, Any]:
        """Options and their defaults, from the signature of the maker."""
        parameters = inspect.signature(self.make).parameters.values()
        return {each.name: each.default for each in parameters}


_AGENTS: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry("fish", "tiltless.agents.simple:Caller", "checks and calls everything"),
        Entry("fold", "tiltless.agents.simple:Folder", "folds whenever it must pay"),
        Entry("all-in", "tiltless.agents.simple:AllIn", "puts everything in at once"),
        Entry("uniform", "tiltless.agents.simple:Uniform", "fold, call or a random raise, alike"),
        Entry("honest", "tiltless.agents.baselines:Honest", "PyPokerEngine's: calls or folds"),
        Entry("random", "tiltless.agents.baselines:RandomPlayer", "PyPokerEngine's: never calls"),
        Entry("rules", "tiltless.agents.heuristics:Rules", "starting hands, value bets, pot odds"),
        Entry("monte-carlo", "tiltless.agents.monte_carlo:MonteCarlo", "rollouts and thresholds"),
        Entry("simple-1400", "tiltless.agents.monte_carlo:ByWinRate", "1,400 rollouts, 3 limits"),
        Entry("simple-3000", "tiltless.agents.monte_carlo:simple_3000", "the same with 3,000"),
        Entry("heuristic-1", "tiltless.agents.heuristics:heuristic_1", "tuned by genetic search"),
        Entry("heuristic-2", "tiltless.agents.heuristics:heuristic_2", "tuned beside the first"),
        Entry(
            "blueprint",
            "tiltless.agents.blueprint:BlueprintAgent",
            "a trained blueprint, shipped or from a file",
        ),
        Entry(
            "cfr-v1",
            "tiltless.agents.thesis:cfr_v1",
            "the thesis' agent: toy blueprint, then 50 rollouts",
        ),
        Entry(
            "cfr-v2",
            "tiltless.agents.thesis:cfr_v2",
            "the thesis' agent: toy blueprint, then 10,000 rollouts",
        ),
        Entry(
            "pypokerengine",
            "tiltless.protocols.pypokerengine:Guest",
            "a player of PyPokerEngine: class=module:Class",
        ),
    )
}


def register(name: str, maker: str | Callable[..., Agent], about: str) -> None:
    """Add an agent; a name that is taken is refused."""
    if name in _AGENTS:
        raise OptionError(f"an agent called {name!r} is there already; choose another name")
    if not name or set(name) & set(":=, |"):
        raise OptionError(f"{name!r} is no name for an agent; use letters, digits and dashes")
    _AGENTS[name] = Entry(name, maker, about)


def registered() -> tuple[Entry, ...]:
    """All agents, in the order in which they joined."""
    return tuple(_AGENTS.values())


def make_agent(text: str) -> Agent:
    """The agent that a text describes; `OptionError` names what is wrong with it."""
    name, _, rest = text.strip().partition(":")
    if name not in _AGENTS:
        near = get_close_matches(name, _AGENTS, 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise OptionError(f"no agent is called {name!r}; {hint}known: {', '.join(_AGENTS)}")
    known = _AGENTS[name].options
    given: dict[str, Any] = {}
    for part in filter(None, rest.split(",")):
        word, equals, value = part.partition("=")
        key = word.strip().replace("-", "_")
        if f"{key}_" in known:  # a word that Python keeps for itself, such as class
            key += "_"
        if key not in known:
            have = ", ".join(map(_word, known)) or "none"
            raise OptionError(f"{name} has no option {word.strip()!r}; it has: {have}")
        if key in given:
            raise OptionError(f"{name} is given {word.strip()} twice; give it once")
        given[key] = _value(name, word.strip(), value.strip() if equals else None, known[key])
    missing = [key for key, value in known.items() if value is inspect.Parameter.empty]
    for key in missing:
        if key not in given:
            raise OptionError(f"{name} needs {_word(key)}; write {name}:{_word(key)}=…")
    return _AGENTS[name].make(**given)


def _word(key: str) -> str:
    """An option as it is written: ``pot-odds``."""
    return key.rstrip("_").replace("_", "-")


_SWITCHES = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def _value(name: str, word: str, text: str | None, default: Any) -> Any:
    """An option in the type of its default; text where there is no other."""
    if isinstance(default, bool):
        if text is None:
            return True
        if text.casefold() in _SWITCHES:
            return _SWITCHES[text.casefold()]
        raise OptionError(f"{name}:{word}={brief(text)} is not possible; write yes or no")
    if text is None:
        raise OptionError(f"{name}:{word} needs a value; write {name}:{word}=…")
    for kind in (int, float):
        if isinstance(default, kind):
            try:
                return kind(text)
            except ValueError:
                what = "a whole number" if kind is int else "a number"
                raise OptionError(
                    f"{name}:{word}={brief(text)} is not possible; write {what}"
                ) from None
    return text
