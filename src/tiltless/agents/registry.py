"""Agent registry: agents made from text, ``make_agent("monte-carlo:rollouts=10000,pot-odds")``.

A text is a name, with options after a colon: ``name=value``, or a name alone to turn a switch on;
dashes in names stand for underscores. An agent that wraps another takes its text as an option,
``endgame:hands=500,agent=blueprint:file=mine.safetensors,argmax``: an inner text with a colon runs
to the end, since all that follows are options of the inner agent. The same text makes the same
agent in every process. An agent of this package is registered by a line in `_AGENTS`, one of a
higher layer by a line in that layer's ``agent_entries`` (`tiltless.plugins`), and other programs
call `register`.

Your own agents need no registration: write ``module:Class``, or ``module:callable``, with options
after a second colon, as in ``mybots:Maniac:share=0.8``. The module is one that Python finds, or a
file in the working directory. This works on the command line and for matches in several processes.

**Trust.** Importing a module runs it. So a text only makes agents of the registry, unless the
caller passes ``trusted=True``, which is for text that the user has written, on the command line or
in a program. Text from files and messages is never trusted, whoever wrote it.
"""

import inspect
import os
import sys
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
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
    "option_word",
    "register",
    "registered",
]


class AgentEntry(NamedTuple):
    """An entry of the registry.

    maker: ``"module:callable"``, or the callable.  about: a short description.  extra: the optional
    dependency group (extra) of this package that it needs.  imports: whether its options name code
    to import, so that it must be trusted like ``module:Class``.  slow: whether a hand takes
    seconds.  renamed: what to write instead of options that had another name.  wraps: the option
    that is the text of another agent; the maker is given that agent.
    """

    name: str
    maker: str | Callable[..., Agent]
    about: str
    extra: str = ""
    imports: bool = False
    slow: bool = False
    renamed: Mapping[str, str] = MappingProxyType({})
    wraps: str = ""

    @property
    def make(self) -> Callable[..., Agent]:
        """The callable, imported if necessary."""
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
            "uniform",
            "tiltless.agents.simple:UniformAgent",
            "folds, calls or raises with equal probability",
        ),
        AgentEntry(
            "honest",
            "tiltless.agents.pypokerengine_bots:Honest",
            "PyPokerEngine's HonestPlayer: calls or folds",
        ),
        AgentEntry(
            "random",
            "tiltless.agents.pypokerengine_bots:RandomPlayer",
            "PyPokerEngine's RandomPlayer: never calls",
        ),
        AgentEntry(
            "rules", "tiltless.agents.heuristics:RulesAgent", "starting hands, value bets, pot odds"
        ),
        AgentEntry(
            "monte-carlo", "tiltless.agents.monte_carlo:MonteCarlo", "rollouts and thresholds"
        ),
        AgentEntry(
            "simple-1400", "tiltless.agents.monte_carlo:ByWinRate", "1,400 rollouts, 3 thresholds"
        ),
        AgentEntry(
            "simple-3000", "tiltless.agents.monte_carlo:simple_3000", "3,000 rollouts, 3 thresholds"
        ),
        AgentEntry(
            "heuristic-1",
            "tiltless.agents.heuristics:heuristic_1",
            "rules tuned by genetic search",
        ),
        AgentEntry(
            "heuristic-2",
            "tiltless.agents.heuristics:heuristic_2",
            "rules tuned against heuristic-1",
        ),
        AgentEntry(
            "blueprint",
            "tiltless.agents.blueprint:BlueprintAgent",
            "a trained blueprint, shipped or from a file",
        ),
        AgentEntry("six", "tiltless.agents.six:six", "a trained blueprint for three to six seats"),
        AgentEntry(
            "search",
            "tiltless.agents.search:SearchAgent",
            "a blueprint, with turn and river solved in real time",
            slow=True,
            renamed=MappingProxyType(
                {"safe": "entry=fixed-range, entry=resolving-gadget or entry=max-margin"}
            ),
        ),
        AgentEntry(
            "endgame",
            "tiltless.agents.endgame:endgame",
            "another agent, playing to win the match and not the chips",
            wraps="agent",
        ),
        AgentEntry(
            "permutation",
            "tiltless.agents.permutation.agent:permutation_agent",
            "learns the hidden order of ranks, plays a blueprint or search by it",
            wraps="agent",
        ),
        AgentEntry(
            "river-of-blood",
            "tiltless.agents.river_of_blood:river_of_blood",
            "the bot for River of Blood: blueprint and search, 30 seconds a match",
        ),
        AgentEntry(
            "probe-min-bet",
            "tiltless.agents.probes:MinBet",
            "bets the minimum on every street, folds to raises",
        ),
        AgentEntry(
            "probe-pot", "tiltless.agents.probes:AlwaysPot", "bets and raises the pot, always"
        ),
        AgentEntry(
            "probe-top-20",
            "tiltless.agents.probes:Top20",
            "all-in before the flop with the best 20 % of hands",
        ),
        AgentEntry(
            "probe-any-pair",
            "tiltless.agents.probes:AnyPair",
            "calls down with any pair, never bets",
        ),
        AgentEntry(
            "probe-tenth",
            "tiltless.agents.probes:TenthOfPot",
            "bets a tenth of the pot on every street",
        ),
        AgentEntry(
            "probe-river-shove",
            "tiltless.agents.probes:RiverShove",
            "calls to the river, then goes all-in",
        ),
    )
}


def _agents() -> dict[str, AgentEntry]:
    """All entries by name; those of higher layers are added at the first call."""
    for entry in provided("agents", "AGENTS"):
        _AGENTS.setdefault(entry.name, entry)
    return _AGENTS


def register(name: str, maker: str | Callable[..., Agent], about: str) -> None:
    """Add an agent to the registry; the name must be new."""
    if not isinstance(name, str):
        raise OptionError(f"{brief(name)} cannot name an agent; write a text")
    if not (isinstance(maker, str) or callable(maker)):
        raise OptionError(f"{brief(maker)} cannot make an agent; give its class, or module:Class")
    if name in _agents():
        raise OptionError(f"an agent called {name!r} already exists; choose another name")
    if not name or set(name) & set(":=, |"):
        raise OptionError(f"{name!r} cannot name an agent; use letters, digits and dashes")
    _AGENTS[name] = AgentEntry(name, maker, about)


def registered() -> tuple[AgentEntry, ...]:
    """All agents, in the order of registration."""
    return tuple(_agents().values())


def make_agent(text: str, *, trusted: bool = False) -> Agent:
    """The agent that a text describes; `OptionError` says what is wrong with the text.

    trusted: whether the text may name code to import; see the top of this module.
    """
    if not isinstance(text, str):
        raise OptionError(f"{brief(text)} is not text; write an agent such as 'rules:rollouts=100'")
    if not trusted and imports_code(text):
        raise OptionError(
            f"{brief(text)} is not in the registry; {_hint(text.partition(':')[0])}your own code "
            "runs only if you name it yourself: on the command line, or in Python as an object or "
            "with trusted=True"
        )
    entry, rest = _entry(text.strip())
    inner, rest = _inner(entry, rest)
    wrapped = {entry.wraps: make_agent(inner, trusted=trusted)} if inner else {}
    if lacks := getattr(entry.make, "__abstractmethods__", None):
        raise OptionError(f"{entry.name} has no {', '.join(sorted(lacks))}; define it in the class")
    agent = entry.make(**_options(entry, rest, wrapped))
    if not isinstance(agent, Agent):
        raise OptionError(
            f"{entry.name} makes {brief(agent)}, which is not an agent; it must extend "
            "tiltless.agents.Agent"
        )
    return agent


def imports_code(text: str) -> bool:
    """Whether a text names code outside the registry; nothing is imported to find out."""
    name, _, rest = text.strip().partition(":")
    entry = _agents().get(name)
    if entry is not None:
        inner = _inner(entry, rest)[0]
        return entry.imports or bool(inner and imports_code(inner))
    return all(part.isidentifier() for part in f"{name}.{rest.partition(':')[0]}".split("."))


def is_slow(text: str) -> bool:
    """Whether a text names an agent of the registry that takes seconds per hand."""
    name, _, rest = text.strip().partition(":")
    entry = _agents().get(name)
    if entry is None:
        return False
    inner = _inner(entry, rest)[0]
    return entry.slow or bool(inner and is_slow(inner))


def import_named(text: str) -> Any:
    """The object ``module:name``, from Python's path or the working directory."""
    module, colon, name = text.partition(":")
    if not (colon and all(part.isidentifier() for part in f"{module}.{name}".split("."))):
        raise OptionError(f"{brief(text)} does not name an object; write module:Class")
    _look_here()
    try:
        value = import_module(module)
        for part in name.split("."):
            value = getattr(value, part)
    except (Exception, SystemExit) as problem:  # the module may be a script
        reason = (str(problem).splitlines() or [""])[0]
        raise OptionError(
            f"cannot import {brief(text)}: {type(problem).__name__}: {reason}; write module:Class"
        ) from problem
    return value


def _look_here() -> None:
    """Let Python also find modules in the working directory, after all others."""
    here = os.getcwd()
    if here not in sys.path:
        sys.path.append(here)


def _is_module(name: str) -> bool:
    _look_here()
    return find_spec(name.partition(".")[0]) is not None


def _hint(name: str) -> str:
    near = [] if name in _agents() else get_close_matches(name, _agents(), 1)
    return f"did you mean {near[0]!r}? " if near else ""


def _entry(text: str) -> tuple[AgentEntry, str]:
    """The entry of the registry, or a new one for ``module:name``, and the text of the options."""
    name, _, rest = text.partition(":")
    entries = _agents()
    if name in entries:
        return entries[name], rest
    hint, (word, _, options) = _hint(name), rest.partition(":")
    if not imports_code(text) or (hint and not _is_module(name)):
        raise OptionError(
            f"no agent is called {name!r}; {hint}known: {', '.join(entries)}, or module:Class"
        )
    path = f"{name}:{word}"
    maker = import_named(path)
    if not callable(maker):
        raise OptionError(f"{path} is {brief(maker)}, which is not callable; name a class")
    return AgentEntry(path, maker, ""), options


def _inner(entry: AgentEntry, rest: str) -> tuple[str, str]:
    """The text of the wrapped agent in an entry's options, "" if there is none, and the others."""
    parts = rest.split(",")
    for number, part in enumerate(parts):
        word, equals, text = part.partition("=")
        if entry.wraps and equals and word.strip() == entry.wraps:
            if ":" in text:
                return ",".join([text, *parts[number + 1 :]]).strip(), ",".join(parts[:number])
            return text.strip(), ",".join(parts[:number] + parts[number + 1 :])
    return "", rest


def _options(entry: AgentEntry, rest: str, wrapped: dict[str, Agent]) -> dict[str, Any]:
    """The options in a text, converted to the types of their defaults.

    wrapped: the agent that this one wraps, by the name of its option.
    """
    name, defaults = entry.name, entry.options
    options: dict[str, Any] = {**wrapped}
    for part in filter(None, rest.split(",")):
        word, equals, value = part.partition("=")
        key = word.strip().replace("-", "_")
        if f"{key}_" in defaults:  # a keyword of Python, such as class
            key += "_"
        if key in entry.renamed:
            raise OptionError(
                f"{name} has no option {word.strip()!r} any more; write {entry.renamed[key]}"
            )
        if key not in defaults:
            have = ", ".join(map(option_word, defaults)) or "none"
            raise OptionError(f"{name} has no option {word.strip()!r}; it has: {have}")
        if key in options:
            raise OptionError(f"{name}: {word.strip()} is given twice; give it once")
        options[key] = _value(name, word.strip(), value.strip() if equals else None, defaults[key])
    missing = [key for key, value in defaults.items() if value is inspect.Parameter.empty]
    for key in missing:
        if key not in options:
            raise OptionError(f"{name} needs {option_word(key)}; write {name}:{option_word(key)}=…")
    return options


def option_word(key: str) -> str:
    """An option as written in a text: ``pot-odds``."""
    return key.rstrip("_").replace("_", "-")


_SWITCHES = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def _value(name: str, word: str, text: str | None, default: Any) -> Any:
    """The value of an option, converted to the type of its default; text by default."""
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
