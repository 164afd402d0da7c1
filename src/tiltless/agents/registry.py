"""Agent registry: agents made from text, ``make_agent("monte-carlo:rollouts=10000,pot-odds")``.

A text is a name, and options after a colon: ``name=value``, or a name alone for a switch that is
turned on; dashes in names stand for underscores. The same text makes the same agent in every
process. An agent of this layer joins with one line in `_AGENTS`, one of a layer above with a line
in that layer's ``agent_entries`` (`tiltless.plugins`), and a program outside calls `register`.

Own agents need neither: ``module:Class``, or ``module:callable``, with options after a second
colon, as in ``mybots:Maniac:share=0.8``. The module is one that Python finds, or a file of the
working folder. This is the way for the command line and for matches in several processes.

**Trust.** To import a module is to run it. So a text makes agents of the registry only, unless its
caller says ``trusted=True``, which is for words that the user has written: on the command line, or
in a program. Texts out of files and messages are never trusted, whoever wrote them.
"""

import inspect
import os
import sys
from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple, cast

from tiltless.agents.agent import Agent
from tiltless.errors import OptionError
from tiltless.plugins import provided
from tiltless.validate import brief

__all__ = [
    "AgentEntry",
    "import_named",
    "imports_code",
    "is_slow",
    "make_agent",
    "register",
    "registered",
]


class AgentEntry(NamedTuple):
    """A line of the registry: a name, ``"module:callable"`` or the callable, and a sentence.

    extra: of this package, that has to be installed for it.  imports: whether its options name code
    to import, so that it has to be trusted like ``module:Class``.  slow: whether a hand takes
    seconds.
    """

    name: str
    maker: str | Callable[..., Agent]
    about: str
    extra: str = ""
    imports: bool = False
    slow: bool = False

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
        open_ended = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        parameters = inspect.signature(self.make).parameters.values()
        return {each.name: each.default for each in parameters if each.kind not in open_ended}

    @property
    def needs(self) -> str:
        """What has to be installed first, ``"tiltless[interop]"``; empty if nothing."""
        if not self.extra:
            return ""
        try:
            _ = self.make
        except (ImportError, OptionError):
            return f"tiltless[{self.extra}]"
        return ""


_AGENTS: dict[str, AgentEntry] = {
    entry.name: entry
    for entry in (
        AgentEntry("fish", "tiltless.agents.simple:Caller", "checks and calls everything"),
        AgentEntry("fold", "tiltless.agents.simple:Folder", "folds whenever it must pay"),
        AgentEntry("all-in", "tiltless.agents.simple:AllIn", "puts everything in at once"),
        AgentEntry(
            "uniform", "tiltless.agents.simple:UniformAgent", "fold, call or a random raise, alike"
        ),
        AgentEntry(
            "honest", "tiltless.agents.pypokerengine_bots:Honest", "PyPokerEngine's: calls or folds"
        ),
        AgentEntry(
            "random",
            "tiltless.agents.pypokerengine_bots:RandomPlayer",
            "PyPokerEngine's: never calls",
        ),
        AgentEntry(
            "rules", "tiltless.agents.heuristics:RulesAgent", "starting hands, value bets, pot odds"
        ),
        AgentEntry(
            "monte-carlo", "tiltless.agents.monte_carlo:MonteCarlo", "rollouts and thresholds"
        ),
        AgentEntry(
            "simple-1400", "tiltless.agents.monte_carlo:ByWinRate", "1,400 rollouts, 3 limits"
        ),
        AgentEntry("simple-3000", "tiltless.agents.monte_carlo:simple_3000", "the same with 3,000"),
        AgentEntry(
            "heuristic-1", "tiltless.agents.heuristics:heuristic_1", "tuned by genetic search"
        ),
        AgentEntry(
            "heuristic-2", "tiltless.agents.heuristics:heuristic_2", "tuned beside the first"
        ),
        AgentEntry(
            "blueprint",
            "tiltless.agents.blueprint:BlueprintAgent",
            "a trained blueprint, shipped or from a file",
        ),
        AgentEntry(
            "search",
            "tiltless.agents.search:SearchAgent",
            "a blueprint, with turn and river solved in real time",
            slow=True,
        ),
    )
}


def _agents() -> dict[str, AgentEntry]:
    """All entries by name; those of upper layers join at the first look."""
    for entry in provided("agents", "AGENTS"):
        _AGENTS.setdefault(entry.name, entry)
    return _AGENTS


def register(name: str, maker: str | Callable[..., Agent], about: str) -> None:
    """Add an agent; a name that is taken is refused."""
    if name in _agents():
        raise OptionError(f"an agent called {name!r} is there already; choose another name")
    if not name or set(name) & set(":=, |"):
        raise OptionError(f"{name!r} is no name for an agent; use letters, digits and dashes")
    _AGENTS[name] = AgentEntry(name, maker, about)


def registered() -> tuple[AgentEntry, ...]:
    """All agents, in the order in which they joined."""
    return tuple(_agents().values())


def make_agent(text: str, *, trusted: bool = False) -> Agent:
    """The agent that a text describes; `OptionError` names what is wrong with it.

    trusted: whether the text may name code to import; see the head of this module.
    """
    if not trusted and imports_code(text):
        raise OptionError(
            f"{brief(text)} is no agent of the registry; {_hint(text.partition(':')[0])}code of "
            "your own runs only if you name it yourself: on the command line, or in Python as an "
            "object or with trusted=True"
        )
    entry, rest = _entry(text.strip())
    made = entry.make(**_given(entry.name, entry.options, rest))
    if not isinstance(made, Agent):
        raise OptionError(
            f"{entry.name} makes no agent, but {brief(made)}; it must extend tiltless.agents.Agent"
        )
    return made


def imports_code(text: str) -> bool:
    """Whether a text names code outside of the registry; nothing is imported to find out."""
    name, _, rest = text.strip().partition(":")
    known = _agents().get(name)
    if known is not None:
        return known.imports
    return all(part.isidentifier() for part in f"{name}.{rest.partition(':')[0]}".split("."))


def is_slow(text: str) -> bool:
    """Whether a hand of an agent of the registry takes seconds."""
    entry = _agents().get(text.strip().partition(":")[0])
    return entry is not None and entry.slow


def import_named(text: str) -> Any:
    """What ``module:name`` stands for, from anywhere that Python looks, or the working folder."""
    module, colon, name = text.partition(":")
    if not (colon and all(part.isidentifier() for part in f"{module}.{name}".split("."))):
        raise OptionError(f"{brief(text)} names nothing in a module; write module:Class")
    _look_here()
    try:
        found = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except Exception as problem:
        said = (str(problem).splitlines() or [""])[0]
        raise OptionError(
            f"no {brief(text)}: {type(problem).__name__}: {said}; write module:Class"
        ) from problem
    return found


def _look_here() -> None:
    """Let Python find modules of the working folder too, after all others."""
    here = os.getcwd()
    if here not in sys.path:
        sys.path.append(here)


def _is_module(name: str) -> bool:
    _look_here()
    return find_spec(name.partition(".")[0]) is not None


def _hint(name: str) -> str:
    near = get_close_matches(name, _agents(), 1)
    return f"did you mean {near[0]!r}? " if near else ""


def _entry(text: str) -> tuple[AgentEntry, str]:
    """The line of the registry, or one made up for ``module:name``, and the options."""
    name, _, rest = text.partition(":")
    known = _agents()
    if name in known:
        return known[name], rest
    hint, (word, _, options) = _hint(name), rest.partition(":")
    if not imports_code(text) or (hint and not _is_module(name)):
        raise OptionError(
            f"no agent is called {name!r}; {hint}known: {', '.join(known)}, or module:Class"
        )
    path = f"{name}:{word}"
    maker = import_named(path)
    if not callable(maker):
        raise OptionError(f"{path} is {brief(maker)} and makes no agent; name a class")
    return AgentEntry(path, maker, ""), options


def _given(name: str, known: dict[str, Any], rest: str) -> dict[str, Any]:
    """Options as they were written, in the types of their defaults."""
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
    return given


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
