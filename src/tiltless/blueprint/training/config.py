"""Training configuration: a TOML file whose keys are all checked.

::

    name = "hundred"

    [game]                      # as `tiltless games show NAME name=value` takes it
    name = "nlhe"
    stack = "100bb"

    [abstraction]
    bets = "standard"           # a menu, `tiltless menus`; of several seats "six" or a text of
                                # `tiltless.blueprint.multiway.menu_text`
    cards = "standard"          # buckets, `tiltless abstraction list`, or a file
    information = "street * seat * pot(20) * cards"   # leave out for all bets and the cards;
                                # see `tiltless.abstraction.information.grammar`

    [rules]                     # see `tiltless.blueprint.engine.BlueprintRules`
    sampling = "external"       # or "chance", "public-chance"
    discount_every = 1048576
    prune_below = -20000.0      # leave out for no pruning
    prune_from = 2000000
    floor = -1000000.0          # regrets fall no lower; leave out for no floor of their own

    [rules]                     # of three to six seats; see `VectorRules` of
    sampling = "vector"         # `tiltless.blueprint.multiway.engine`
    average_every = 1048576     # walks between two additions to the average before the flop
    snapshot_every = 4194304    # walks between two snapshots of the later streets

    [stop]                      # whichever comes first
    walks = 100000000
    minutes = 60
    flat = 3                    # checkpoints in a row that are no better than the one before

    [checkpoint]
    minutes = 5
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from os import PathLike
from pathlib import Path
from typing import Any

from tiltless.blueprint.engine import BlueprintRules
from tiltless.blueprint.multiway.engine import VectorRules
from tiltless.blueprint.training.presets import PRESETS
from tiltless.cfr.pruning import NoPruning, RegretBased
from tiltless.errors import FileError, OptionError
from tiltless.validate import brief, is_number, positive, unknown_name, whole_number

__all__ = ["TrainingConfig", "read_config"]

_MOST = 1 << 62
_NAME = re.compile(r"[\w-][\w.-]*")


@dataclass(frozen=True)
class TrainingConfig:
    """A training run: the game, how it is made smaller, how walks add up, when to stop and save.

    name: letters, digits, ``-``, ``_`` and ``.``, for it names a folder.
    game: its name and parameters.  stop_walks, stop_minutes, stop_flat: None for no such limit;
    flat is a number of checkpoints, see `tiltless.blueprint.training.convergence`.
    information: a product of features, or a preset; "" for all bets and the cards. What the names
    stand for is resolved by `tiltless.blueprint.training.setup`.
    """

    name: str
    game: Mapping[str, Any]
    bets: str = "standard"
    cards: str = "standard"
    information: str = ""
    seed: int = 0
    rules: BlueprintRules | VectorRules = field(default_factory=BlueprintRules)
    stop_walks: int | None = None
    stop_minutes: float | None = None
    stop_flat: int | None = None
    checkpoint_minutes: float = 5.0

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise OptionError(
                f"the name {brief(self.name)} cannot name a folder; take letters, digits, '-', '_' "
                "and '.', and do not begin with '.'"
            )
        whole_number("seed", self.seed, 0, 2**64 - 1)
        limits = ("stop_walks", "stop_minutes", "stop_flat", "checkpoint_minutes")
        for limit in limits:
            if getattr(self, limit) is not None:
                positive(limit.replace("_", " "), getattr(self, limit), _MOST)
        first = self.first_average
        if self.stop_walks is not None and first >= self.stop_walks:
            raise OptionError(
                f"the average begins after {first:,} walks and the run stops after "
                f"{self.stop_walks:,}; take a smaller average_from (or average_every and "
                "snapshot_every), or more walks"
            )

    @property
    def first_average(self) -> int:
        """Walks before the average has something of every street."""
        rules = self.rules
        if isinstance(rules, BlueprintRules):
            return rules.first_average
        return max(
            -(-max(rules.average_from, 1) // every) * every
            for every in (rules.average_every, rules.snapshot_every)
        )

    @property
    def game_name(self) -> str:
        """The game, as `tiltless.games.load` knows it."""
        return str(self.game["name"])

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters of the game."""
        return {
            key: tuple(value) if isinstance(value, list) else value
            for key, value in self.game.items()
            if key != "name"
        }

    def with_stop(self, walks: int | None, minutes: float | None) -> "TrainingConfig":
        """The same run with other limits."""
        return replace(self, stop_walks=walks, stop_minutes=minutes, stop_flat=None)

    def without_limits(self) -> "TrainingConfig":
        """The same run, whenever it stops or saves."""
        return replace(self.with_stop(None, None), checkpoint_minutes=5.0)


_TEXT, _WHOLE, _NUMBER = (str,), (int,), (int, float)
_KINDS = {_TEXT: 'a text, such as "standard"', _WHOLE: "a whole number", _NUMBER: "a number"}
_SECTIONS: dict[str, dict[str, tuple[type, ...]]] = {
    "": {"name": _TEXT, "seed": _WHOLE},
    "abstraction": {"bets": _TEXT, "cards": _TEXT, "information": _TEXT},
    "rules": {
        "sampling": _TEXT,
        "discount_every": _WHOLE,
        "discount_until": _WHOLE,
        "alpha": _NUMBER,
        "beta": _NUMBER,
        "gamma": _NUMBER,
        "average_every": _WHOLE,
        "average_from": _WHOLE,
        "prune_below": _NUMBER,
        "prune_from": _WHOLE,
        "share_unpruned": _NUMBER,
        "floor": _NUMBER,
        "snapshot_every": _WHOLE,
        "explore": _NUMBER,
        "callers": _NUMBER,
        "caller_weight": _NUMBER,
    },
    "stop": {"walks": _WHOLE, "minutes": _NUMBER, "flat": _WHOLE},
    "checkpoint": {"minutes": _NUMBER},
}
_MAY_BE_INFINITE = ("alpha", "beta")
_VECTOR = "vector"
_VECTOR_ONLY = ("snapshot_every", "explore", "callers", "caller_weight")


def _checked(section: str, given: Any) -> dict[str, Any]:
    """The keys of a section, if all are known and have the right type."""
    known, where = _SECTIONS[section], f"[{section}] " if section else ""
    if not isinstance(given, dict):
        raise OptionError(f"[{section}] is {brief(given)}; write it as a section with keys")
    for key, value in given.items():
        if key not in known and isinstance(value, dict) and not section:
            names = ", ".join(f"[{name}]" for name in ("game", *_SECTIONS) if name)
            raise OptionError(f"section [{key}] is not known; there are {names}")
        if key not in known:
            raise OptionError(f"{where}{key} is not known; there are {', '.join(known)}")
        if not isinstance(value, known[key]) or isinstance(value, bool):
            kind = _KINDS[known[key]]
            raise OptionError(f"{where}{key} = {brief(value)} has the wrong type; write {kind}")
        unbounded = isinstance(value, float) and key in _MAY_BE_INFINITE  # checked where it is used
        if known[key] != _TEXT and not (unbounded or is_number(value)):
            raise OptionError(
                f"{where}{key} = {brief(value)} is not possible; write a finite number"
            )
    return given


def parse_config(text: str) -> TrainingConfig:
    """Read the text of a configuration; `OptionError` names what is wrong with it."""
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also of numbers with thousands of digits
        raise OptionError(f"the configuration is not TOML: {error}; see `tiltless train`") from None
    sections = {key: document.pop(key, {}) for key in ("game", *_SECTIONS) if key}
    head = _checked("", document)
    game = sections["game"]
    if not isinstance(game, dict) or not isinstance(game.get("name"), str):
        raise OptionError('the configuration has no game; write [game] and name = "nlhe"')
    if not head.get("name"):
        raise OptionError('the configuration has no name; begin it with name = "…"')
    rules, stop = _checked("rules", sections["rules"]), _checked("stop", sections["stop"])
    abstraction = _checked("abstraction", sections["abstraction"])
    saving = _checked("checkpoint", sections["checkpoint"])
    for name, limits in (("stop", stop), ("checkpoint", saving)):
        for key, value in limits.items():
            positive(f"[{name}] {key} =", value, _MOST)
    seats = game.get("seats", 2)
    several = isinstance(seats, int) and seats > 2
    if rules.get("sampling", _VECTOR if several else "") == _VECTOR:
        made: BlueprintRules | VectorRules = _vector_rules(rules)
    else:
        made = _tree_rules(rules)
    return TrainingConfig(
        name=head["name"],
        game=game,
        seed=head.get("seed", 0),
        rules=made,
        stop_walks=stop.get("walks"),
        stop_minutes=stop.get("minutes"),
        stop_flat=stop.get("flat"),
        checkpoint_minutes=float(saving.get("minutes", 5.0)),
        **abstraction,
    )


def _tree_rules(rules: dict[str, Any]) -> BlueprintRules:
    """The rules of two players."""
    for key in ("prune_from", "share_unpruned"):
        if key in rules and "prune_below" not in rules:
            raise OptionError(
                f"[rules] {key} does nothing without prune_below; write prune_below, or leave it "
                "out"
            )
    for key in _VECTOR_ONLY:
        if key in rules:
            raise OptionError(f"[rules] {key} is for three to six seats; leave it out")
    rules = dict(rules)
    below, start = rules.pop("prune_below", None), rules.pop("prune_from", 0)
    unpruned = rules.pop("share_unpruned", 0.05)
    if below is not None and below >= 0:
        raise OptionError(
            f"[rules] prune_below = {below} would skip good actions; choose a negative number of "
            "chips"
        )
    whole_number("[rules] prune_from", start, 0)
    pruning = NoPruning() if below is None else RegretBased(float(below), start, float(unpruned))
    return BlueprintRules(**rules, pruning=pruning)


def _vector_rules(rules: dict[str, Any]) -> VectorRules:
    """The rules of three to six seats."""
    known = {each.name for each in fields(VectorRules)}
    for key in rules:
        if key not in known and key != "sampling":
            raise OptionError(
                f"[rules] {key} is for two seats; of vector sampling there are "
                f"{', '.join(sorted(known))}"
            )
    return VectorRules(**{key: value for key, value in rules.items() if key in known})


def read_config(name: str | PathLike[str]) -> TrainingConfig:
    """A preset, or a TOML file."""
    if str(name) in PRESETS:
        return parse_config(PRESETS[str(name)])
    path = Path(name)
    if path.suffix != ".toml":
        raise unknown_name("configuration", str(name), PRESETS, "a .toml file")
    try:
        return parse_config(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise FileError(f"cannot read {path}: {reason}; check the name") from None
