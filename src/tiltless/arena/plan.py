"""Match plans: everything that determines a match, so that it can be played and replayed.

**Mirrored.** Each deal is played once in every rotation of the seats: twice for two players, with
the same cards and the same random numbers in the same seats. Agents forget everything
(`Agent.match_start`) before each of these hands, so deals are independent of each other, and the
deal is the unit of statistics. N mirrored hands of two players are N/2 deals.

**Not mirrored.** Each deal is one hand, and the button moves on. Agents remember what they saw
through the deals of a chunk.

**Carried stacks.** Each chunk is a session: all agents start with the stacks of the game, carry
their chips from hand to hand, and leave the table when they have none. When only one is left, or
the session's deals are over, all start again with full stacks. Hands of a session depend on each
other, so the session is the unit of statistics. With ``game_hands`` the unit is a game of so many
hands: who has no chips left is out of it, and it ends early when one agent has them all. The button
starts one seat further in each game, and moves to the next agent with chips.

**Whole matches.** With ``match_hands`` the unit is a match: so many hands with fresh stacks and a
moving button, after which only the sign of the bankroll counts. Agents remember the whole match;
`Agent.match_start` is called at its beginning only. Mirrored, the match is played again with the
same deals and swapped seats, and both halves together are the unit of statistics.

A chunk is also the unit of work for one process and of one write to the store. Its size is part of
the plan, and results do not depend on the number of processes.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from os.path import isfile
from typing import Any, cast

from tiltless.agents.agent import Agent, file_fingerprint
from tiltless.agents.registry import imports_code, is_slow, make_agent
from tiltless.arena.dealer import match_game
from tiltless.arena.lineup import lineup_tables, table_title
from tiltless.errors import FingerprintError, InputError, OptionError
from tiltless.games.holdem.game import Holdem
from tiltless.games.registry import load, registered
from tiltless.validate import brief, is_number, true_or_false, whole_number

__all__ = [
    "CHUNK",
    "HANDS",
    "MatchPlan",
    "deals_for",
    "deals_for_matches",
    "plan_match",
    "usual_chunk",
]

CHUNK = 100
"""Deals in a chunk unless agents are slow; also deals in a session."""
HANDS = 10_000
"""Hands of a match that is scored in chips, unless said otherwise."""
_SLOW_CHUNK = 2

MOST_DEALS = 10**12


@dataclass(frozen=True)
class MatchPlan:
    """A match between agents.

    agents: texts for `make_agent`, or `Agent` objects, which play in one process; objects are kept
    in ``objects``, and appear in ``agents`` as ``module:Class``.
    game, parameters: as in `tiltless.games.load`; ``seats`` defaults to the number of agents.
    deals: the number of deals; the top of this module says what a deal is.  clock: seconds per
    decision; with a clock, results may depend on the speed of the machine.  chunk: deals per chunk;
    None for `usual_chunk`.  rules_version: version of the game's rules; 0 for the current one.
    match_hands: hands of a match, if matches won are counted; 0 if only chips are. Deals and chunk
    are multiples of it.
    game_hands: hands of a game with carried stacks; 0 for sessions of a chunk.
    trusted: whether texts may name code to import, see `make_agent`. It is not saved with the plan,
    so a plan that was read from a file is not trusted.
    """

    agents: tuple[str, ...]
    deals: int
    game: str = "nlhe"
    parameters: tuple[tuple[str, Any], ...] | Mapping[str, Any] = ()
    seed: int = 0
    mirrored: bool = True
    carry: bool = False
    clock: float | None = None
    chunk: int = None  # type: ignore[assignment]  # a number after __post_init__
    rules_version: int = 0
    match_hands: int = 0
    game_hands: int = 0
    trusted: bool = field(default=False, compare=False)
    objects: tuple[Agent | None, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        def keep(name: str, value: Any) -> None:
            object.__setattr__(self, name, value)

        if isinstance(self.agents, str) or len(self.agents) < 2:
            raise OptionError(f"agents={self.agents!r} is not a match; name two agents or more")
        agents: tuple[Any, ...] = self.agents
        if any(isinstance(agent, Agent) for agent in agents):
            keep("objects", tuple(each if isinstance(each, Agent) else None for each in agents))
        keep("agents", tuple(map(_agent_text, agents)))
        keep("deals", whole_number("deals", self.deals, 1, MOST_DEALS))
        keep("seed", whole_number("seed", self.seed, 0, 2**63 - 1))
        true_or_false("mirrored", self.mirrored)
        true_or_false("carry", self.carry)
        # agents that remember a chunk play differently if its size changes
        remembers = self.carry or not self.mirrored
        usual = CHUNK if remembers else usual_chunk(self.agents)
        keep("match_hands", whole_number("match_hands", self.match_hands, 0, 1_000_000))
        keep("game_hands", whole_number("game_hands", self.game_hands, 0, 1_000_000))
        size = self.match_hands or self.game_hands
        if size:
            usual = max(1, usual // size) * size
        chunk: int | None = self.chunk
        keep("chunk", whole_number("chunk", usual if chunk is None else chunk, 1, 1_000_000))
        if self.clock is not None:
            if not (is_number(self.clock) and 0 < self.clock < 1e6):
                raise OptionError(
                    f"clock={brief(self.clock)} is not possible; give seconds above 0"
                )
            keep("clock", float(self.clock))
        if self.game_hands and not self.carry:
            raise OptionError("games have carried stacks; add carry=True (--carry)")
        if self.carry and not self.game_hands and self.deals % self.chunk:
            raise OptionError(
                f"{self.deals} deals do not fill sessions of {self.chunk}; with carried stacks, "
                f"give a multiple of {self.chunk}"
            )
        self._check_matches()
        pairs = dict(self.parameters)
        pairs.setdefault("seats", len(self.agents))
        keep("parameters", tuple(sorted((name, _frozen(pairs[name])) for name in pairs)))
        if self.table.players != len(self.agents):
            raise OptionError(
                f"{len(self.agents)} agents for {self.table.players} seats of {self.game}; "
                "give one for each seat"
            )
        keep("rules_version", self.rules_version or self.table.version)

    def _check_matches(self) -> None:
        """Raise `OptionError` unless whole matches, or games, can be played."""
        if self.match_hands and (self.carry or len(self.agents) != 2):
            raise OptionError(
                "matches are counted between two agents with fresh stacks in every hand; name two "
                "agents, without carried stacks"
            )
        size, what = self.match_hands or self.game_hands, "matches" if self.match_hands else "games"
        for name in ("deals", "chunk"):
            if size and getattr(self, name) % size:
                raise OptionError(
                    f"{name}={getattr(self, name)} does not fill {what} of {size} hands; give a "
                    f"multiple of {size}"
                )

    @cached_property
    def table(self) -> Holdem:
        """The game."""
        return _table(self.game, tuple(dict(self.parameters).items()))

    def match_game(self, match: int) -> Holdem:
        """The game of match number ``match``, both halves if mirrored; called once for each.

        A variant that draws something for a whole match, such as an order of ranks, draws it here.
        """
        return match_game(self.table, self.seed, match * self.match_hands)

    def smaller_table(self, seats: int) -> Holdem:
        """The game for the agents that still have chips, when stacks are carried."""
        if seats == self.table.players:
            return self.table
        fewer: dict[str, Any] = {**dict(self.parameters), "seats": seats, "button": 0}
        fewer["stack"] = max(self.table.rules.stacks)
        if seats == 2:
            fewer.pop("straddle", None)
        return _table(self.game, tuple(sorted(fewer.items())))

    def make_agents(self) -> list[Agent]:
        """The agents; `FingerprintError` if the rules have changed since the match was planned."""
        if self.rules_version != self.table.version:
            raise FingerprintError(
                f"this match was planned with version {self.rules_version} of the rules of "
                f"{self.game}, now at version {self.table.version}; start a new match"
            )
        if self.carry and not self.table.rules.short_stacks:
            raise OptionError(
                f"{self.game} needs stacks that cover the blinds, so they cannot be carried; leave "
                "carry (--carry) out"
            )
        agents = [
            agent or make_agent(text, trusted=self.trusted)
            for text, agent in zip(
                self.agents, self.objects or [None] * len(self.agents), strict=True
            )
        ]
        for agent in agents:
            agent.check_table(self.table.name, self.table.rules)
            if self.match_hands:
                agent.expect_match(self.match_hands)
        return agents

    def trusting(self, named: Sequence[str]) -> "MatchPlan":
        """The same match, trusted; `OptionError` if an agent that imports code is not in ``named``.

        named: texts of agents that the user gave by hand.
        """
        missing = [text for text in self.agents if imports_code(text) and text not in named]
        if missing:
            raise OptionError(
                f"{', '.join(missing)} is not part of tiltless, and a file alone may not cause its "
                "code to run; if you trust it, name it yourself: "
                + " ".join(f"--agent {text}" for text in missing)
            )
        return replace(self, trusted=True)

    def notes(self, agents: Sequence[Agent]) -> list[str]:
        """A line for each agent that was made for a different table."""
        pairs = zip(self.agents, agents, strict=True)
        notes = {}
        for text, agent in pairs:
            notes[text, 0] = agent.check_table(self.table.name, self.table.rules)
            notes[text, 1] = agent.expect_match(self.match_hands) if self.match_hands else ""
        return [f"{text}: {note}" for (text, _), note in notes.items() if note]

    def fingerprints(self, agents: Sequence[Agent]) -> tuple[str, ...]:
        """Fingerprints that distinguish these agents from other versions with the same text.

        Each is `Agent.fingerprint` and a checksum of every file that an option names.
        """
        return tuple(
            " ".join([agent.fingerprint(), *map(file_fingerprint, _files(text))])
            for text, agent in zip(self.agents, agents, strict=True)
        )

    @property
    def seatings(self) -> int:
        """Hands per deal: one for each rotation of the seats if mirrored, else 1."""
        return len(self.agents) if self.mirrored else 1

    @property
    def hands(self) -> int:
        """Hands in the match, all rotations counted."""
        return self.deals * self.seatings

    @property
    def matches(self) -> int:
        """Matches, both halves counted; 0 unless they are the unit."""
        return self.hands // self.match_hands if self.match_hands else 0

    @property
    def deals_per_unit(self) -> int:
        """Deals per unit of statistics, which is a deal, a session, a game or a match."""
        if self.carry:
            return self.game_hands or self.chunk
        return self.match_hands or 1

    @property
    def hands_per_unit(self) -> int:
        """Hands per unit of statistics, all rotations counted."""
        return self.seatings * self.deals_per_unit

    @property
    def unit(self) -> str:
        """``"deal"``, ``"session"``, ``"game"``, ``"match"`` or ``"mirrored match"``."""
        if self.match_hands:
            return "mirrored match" if self.mirrored else "match"
        if self.game_hands:
            return "game"
        return "session" if self.carry else "deal"

    @property
    def chunks(self) -> int:
        """The number of chunks; the last one may be smaller."""
        return -(-self.deals // self.chunk)

    def deals_of(self, chunk: int) -> range:
        """The deals of a chunk."""
        first = chunk * self.chunk
        return range(first, min(first + self.chunk, self.deals))

    def agent_in(self, seat: int, half: int) -> int:
        """The agent in a seat: in half 0 agent 0 has seat 0, and each half moves all up by one."""
        return (seat - half) % len(self.agents)

    def with_deals(self, deals: int) -> "MatchPlan":
        """The same match, longer or shorter; the deals that both have are identical."""
        return replace(self, deals=deals)

    @property
    def title(self) -> str:
        """``"fish against uniform"``; ``"fish against 5 x uniform"``; ``"table of a, b, c"``."""
        return table_title(self.agents)

    @property
    def game_text(self) -> str:
        """``"nlhe stack=100bb"``; parameters that have their default values are left out."""
        defaults = dict(load(self.game, seats=len(self.agents)).parameters)
        words = [
            f"{name}={_parameter_text(value)}"
            for name, value in dict(self.parameters).items()
            if defaults.get(name) != value or name == "stack"
        ]
        return " ".join([self.game, *words])

    def to_json(self) -> str:
        """One line, equal for equal plans; `from_json` reads it."""
        written = [each.name for each in fields(self) if each.compare]
        if not self.game_hands:  # files of other matches stay as they were
            written.remove("game_hands")
        return json.dumps({name: getattr(self, name) for name in written}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> "MatchPlan":
        """The inverse of `to_json`."""
        try:
            plan = json.loads(text)
            plan = {name: value for name, value in plan.items() if name not in _NOT_WRITTEN}
            pairs = tuple((name, _frozen(value)) for name, value in plan.pop("parameters"))
            return cls(**{**plan, "agents": tuple(plan["agents"])}, parameters=pairs)
        except (AttributeError, TypeError, KeyError, ValueError) as problem:
            if isinstance(problem, InputError):
                raise
            raise InputError(f"{text[:60]!r} is not the plan of a match: {problem}") from None


def plan_match(
    *agents: str | Agent,
    hands: int = HANDS,
    game: str | Holdem = "nlhe",
    seed: int = 0,
    clock: float | None = None,
    trusted: bool = False,
    matches: int = 0,
    **parameters: Any,
) -> MatchPlan:
    """A mirrored match of ``hands`` hands or a few more.

    ``plan_match("blueprint", "rules", hands=200)``.  agents, clock, trusted: see `MatchPlan`.
    game: its name, or the game that `load` made of a registered name.
    matches: if given, so many matches of ``hands`` hands each, or one more.
    parameters: parameters of the game, such as ``stack="100bb"``. With ``seats=6`` and two agents,
    the first plays against five copies of the second.
    """
    if isinstance(game, Holdem):
        parameters = {**game.parameters, **parameters}
        game = game.name
    texts, size = cast(tuple[str, ...], agents), 0
    seats = parameters.get("seats", 2)
    if len(texts) == 2 and seats != 2 and all(isinstance(text, str) for text in texts):
        (texts,) = lineup_tables(texts, seats, "one-against-rest")
    if matches:
        size, deals = hands, deals_for_matches(matches, hands)
    else:
        deals = deals_for(hands, max(len(texts), 1))
    return MatchPlan(
        texts, deals, game, parameters, seed, clock=clock, match_hands=size, trusted=trusted
    )


def usual_chunk(agents: Sequence[str], usual: int = CHUNK) -> int:
    """Deals per chunk: few if an agent is slow, so that little is lost when the match stops."""
    return _SLOW_CHUNK if any(map(is_slow, agents)) else usual


_NOT_WRITTEN = {each.name for each in fields(MatchPlan) if not each.compare}


def _agent_text(agent: Any) -> str:
    """The text of an agent in a plan."""
    if isinstance(agent, Agent):
        return f"{type(agent).__module__}:{type(agent).__qualname__}"
    if not isinstance(agent, str):
        raise OptionError(f"{brief(agent)} is not an agent; give its text, or an Agent object")
    return agent.strip()


def deals_for(hands: int, agents: int, *, mirrored: bool = True, session: int = 1) -> int:
    """The fewest deals that make at least ``hands`` hands, rounded up to a multiple of session."""
    hands = whole_number("hands", hands, 1, MOST_DEALS)
    deals = -(-hands // agents) if mirrored else hands
    return -(-deals // session) * session


def deals_for_matches(matches: int, hands: int, *, mirrored: bool = True) -> int:
    """The deals of at least ``matches`` matches of ``hands`` hands; mirrored, two share theirs."""
    hands = whole_number("hands", hands, 1, 1_000_000)
    matches = whole_number("matches", matches, 1, 10**9)
    return hands * (-(-matches // 2) if mirrored else matches)


def _files(agent: str) -> list[str]:
    """Values of an agent's options that are paths of existing files."""
    options = agent.partition(":")[2].split(",")
    values = [value for each in options for value in _after_equals(each)]
    return [value for value in values if isfile(value)]


def _after_equals(option: str) -> list[str]:
    """What follows each ``=``; an agent inside another has options of its own."""
    words = option.split("=")
    return ["=".join(words[start:]) for start in range(1, len(words))]


def _frozen(value: Any) -> Any:
    return tuple(_frozen(each) for each in value) if isinstance(value, list | tuple) else value


def _parameter_text(value: Any) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ",".join(map(str, value))
    return str(value)


@lru_cache(maxsize=64)
def _table(name: str, parameters: tuple[tuple[str, Any], ...]) -> Holdem:
    for entry in registered():
        if entry.name == name and not isinstance(load(name, **entry.examples[0]), Holdem):
            raise OptionError(f"agents play hold'em only, not {name}; try nlhe")
    return cast(Holdem, load(name, **dict(parameters)))
