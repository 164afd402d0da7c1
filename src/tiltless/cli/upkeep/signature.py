"""``tiltless bench signature``: has behaviour changed?"""

import io
import json
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import typer

from tiltless.bench.signature.agents import agents, skipped
from tiltless.bench.signature.engines import (
    blueprint,
    postflop,
    save_seats_blueprint,
    save_toy_blueprint,
    search,
    tabular,
)
from tiltless.bench.signature.facts import buckets, games, presets, trees
from tiltless.bench.signature.golden import (
    Change,
    Fact,
    Golden,
    Item,
    compare,
    golden_path,
    measure,
    processor,
    short,
    signed,
)
from tiltless.cli import ui
from tiltless.errors import OptionError

__all__ = ["GROUPS", "commands", "items", "signature"]

_VOLATILE = frozenset(
    (
        *("seconds", "hands_per_second", "slowest_match_s", "decision_ms_p99", "decision_ms_max"),
        *("file", "folder", "date", "machine", "version", "tables_bytes"),
    )
)
"""Keys of times, paths and versions, and of what this machine has built so far."""
_SPOT = "--oop QQ+,AKs,JTs --ip 88+,AQs --pot 64 --stack 160 --menu 50%,a/a;cap$2 --threads 1"
_SOLVED = f"{_SPOT} --iterations 10 --until 0%"
_MATCH = "match rules:rollouts=100 uniform --hands 40 --seed 3 --processes 1"
_FLOPS = "--oop KK,T9s,A5s --ip AKs,QQ,76s --pot 20 --stack 30 --flops Ks7s2h,$QsTs8s"
_FEW = "--menu flop:$50%,$a;$turn,$river:$none --until 0 --iterations 10 --processes 1 --threads 1"
_REVIEW = "--hands 12 --iterations 4 --playouts 0 --threads 1"
_COMMANDS = {
    "hand": "hand AsKsQh2dJsTc3h",
    "hand.short-deck": "hand AsKs9h8d7s6c --short-deck",
    "equity": "equity AsAh KK,QQ,AKs --board QsJh2h",
    "equity.preflop": "equity AKs QQ",
    "equity.monte-carlo": "equity AKs QQ 98s --method monte$carlo --samples 20000 --seed 1",
    "range": "range 15%",
    "agents": "agents",
    "menus": "menus",
    "tree": "tree nlhe stack=20bb --bets tiny",
    "tree.buckets": "tree nlhe stack=100bb --bets standard --buckets 169,200,200,200",
    "abstraction.list": "abstraction list",
    "abstraction.show": "abstraction show standard",
    "abstraction.report": "abstraction report tiny --boards 2 --seed 1",
    "blueprint.list": "blueprint list",
    "blueprint.info": "blueprint info",
    "blueprint.query": "blueprint query --line r3bb",
    "blueprint.query.flop": "blueprint query --hole AsKd --board Ks7d2c --line r3bb$c$/$x",
    "blueprint.match": "blueprint match TOY call --deals 200 --seed 1 --threads 1",
    "blueprint.respond": "blueprint respond SEATS --walks 2000 --deals 200 --seed 1 --threads 1",
    "solve-spot.river": f"solve-spot --board QsJh2h8d3c {_SOLVED}",
    "solve-spot.turn": f"solve-spot --board QsJh2h8d {_SOLVED} --at x$x$Ah",
    "report.flops": f"report flops {_FLOPS} {_FEW}",
    "review": f"review tiltless-results.sqlite {_REVIEW} AFTER {_MATCH}",
    "match": _MATCH,
    "cross-table": "cross-table fish rules:rollouts=100 all-in --hands 20 --seed 3 --processes 1",
    "results.show": f"results show 1 AFTER {_MATCH}",
    "evaluate": "evaluate blueprint uniform --hands 40 --seed 3 --processes 1",
    "lbr": "lbr fish --setting C|C|FCB|FCB --sizes 3 --hands 20 --seed 5",
    "mit-engine": "mit-engine uniform fish --year 2020 --hands 20 --matches 2 --seed 3",
}
"""Every command with ``--json`` that repeats within seconds; ``$`` is a space within a word.

Left out: ``bench``, which measures times; ``reproduce``, which takes minutes and has results on
record; ``mit pack``, which writes a folder and starts it; ``cluster status``, which tells of
machines.
"""


def commands() -> Iterator[Item]:
    """What every command prints with ``--json``, without times and paths."""
    for name, words in _COMMANDS.items():
        yield f"json.{name}", partial(_printed, words)


def _printed(words: str) -> Fact:
    """The output without its fractional numbers, and these numbers."""
    with TemporaryDirectory() as folder, chdir(folder):
        if "TOY" in words:
            words = words.replace("TOY", str(save_toy_blueprint(Path())))
        if "SEATS" in words:
            words = words.replace("SEATS", str(save_seats_blueprint(Path())))
        last, _, first = words.partition(" AFTER ")
        for each in filter(None, (first, last)):
            printed = _run(each)
    numbers: list[float] = []
    return signed(json.dumps(_normal(json.loads(printed), numbers)), floats=numbers)


def _run(words: str) -> str:
    from tiltless.cli.app import app

    arguments = [word.replace("$", " ") for word in words.split()]
    with redirect_stdout(io.StringIO()) as printed, redirect_stderr(io.StringIO()):
        app([*arguments, "--json"], standalone_mode=False)
    return printed.getvalue()


def _normal(value: Any, numbers: list[float]) -> Any:
    """A value without what differs from run to run; fractional numbers are moved to a list."""
    if isinstance(value, float):
        numbers.append(value)
        return "#"
    if isinstance(value, list):
        return [_normal(each, numbers) for each in value]
    if isinstance(value, dict):
        kept = sorted(key for key in value if key not in _VOLATILE)
        return {key: _normal(value[key], numbers) for key in kept}
    return value


GROUPS = {
    "presets": presets,
    "trees": trees,
    "games": games,
    "buckets": buckets,
    "tabular": tabular,
    "blueprint": blueprint,
    "postflop": postflop,
    "search": search,
    "agents": agents,
    "json": commands,
}
"""What the names of the items begin with, and the items."""


def items() -> Iterator[Item]:
    """All items."""
    return chain.from_iterable(group() for group in GROUPS.values())


def signature(only: str = "", update: bool = False, as_json: bool = False) -> None:
    """Measure, then compare with the golden file of the checkout, or write it.

    only: a prefix of names of entries. Exits with code 1 if an entry has changed.
    """
    kind, path = processor(), golden_path()
    golden = Golden.read(path) if path.exists() else None
    if update and not path.parent.is_dir():
        raise OptionError(f"--update writes {path}, and there is no such folder; use a checkout")
    facts: dict[str, Fact] = {}
    with ui.console(stderr=True).status("doing fixed work") as status:
        for name, fact in measure(items(), only):
            facts[name] = fact
            status.update(name)
    if not facts:
        raise OptionError(f"no entry begins with {only!r}; groups are {', '.join(GROUPS)}")
    changes = [] if golden is None else compare(golden, facts, kind, only, skipped())
    if update:
        (golden or Golden({})).updated(facts, kind, only, skipped()).write(path)
    if as_json:
        ui.print_json(_as_json(facts, kind, changes))
    else:
        _show(facts, kind, changes, golden is not None)
    if changes and not update:
        raise typer.Exit(1)


def _as_json(facts: dict[str, Fact], kind: str, changes: list[Change]) -> dict[str, Any]:
    return {
        "bench": "signature",
        "signature": short(facts),
        "processor": kind,
        "entries": {name: fact._asdict() for name, fact in facts.items()},
        "changes": {change.name: change.what for change in changes},
    }


_CHANGED = {
    "exact": "changed",
    "floats": "floats changed",
    "sums": "sums changed",
    "new": "new",
    "gone": "gone",
}


def _show(facts: dict[str, Fact], kind: str, changes: list[Change], compared: bool) -> None:
    width = max(map(len, facts))
    marks = {change.name: f"  {_CHANGED[change.what]}" for change in changes}
    for name, fact in facts.items():
        hashes = f"{fact.exact[:12]}  {fact.floats[:12]:12}"
        typer.echo(f"{name:<{width}}  {hashes}{marks.get(name, '')}".rstrip())
    for change in changes:
        if change.name not in facts:
            typer.echo(f"{change.name:<{width}}  gone")
    typer.echo(f"{len(facts)} entries; floats are of {kind}")
    if not compared:
        typer.echo("there is no golden file to compare with; it is part of a checkout")
    elif changes:
        typer.echo(f"{len(changes)} changed: {', '.join(change.name for change in changes)}")
    else:
        typer.echo("all as in the golden file")
    floats = {name: Fact(fact.floats) for name, fact in facts.items()}
    typer.echo(f"Signature: {short(facts)}, floats of this kind of processor {short(floats)}")
