"""Benchmark of search: its value against the blueprint at subgame roots of self-play.

``tiltless bench search`` compares a hundred rivers and twenty turns in about ten minutes. More of
them take hours, and are stored root by root in a file, so that a run continues where it stopped::

    python -m tiltless.bench.search river 1000 river.jsonl
    python -m tiltless.bench.search turn 200 turn.jsonl

`tiltless.bench.search_value` says what is compared, and that it is judged inside search's own tree.
Menus and time are those of the agent's defaults; the blueprint is translated into these trees. The
limit is processor time, so that other programs do not shorten it.

``search_turn_ms`` and ``search_river_ms`` are the processor time of one search with 50 iterations,
the mean of the roots of seed 4.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tiltless.agents.blueprint import load_blueprint
from tiltless.agents.registry import make_agent
from tiltless.bench import Result
from tiltless.bench.search_value import Finding, Proof, one_root, prove, sample_roots
from tiltless.blueprint.shipped import find_blueprint
from tiltless.errors import OptionError
from tiltless.files.fingerprint import fingerprint
from tiltless.intervals import tally
from tiltless.search.blueprint_policy import BlueprintPolicy
from tiltless.search.entry import TRUST
from tiltless.search.subgame import RIVER_SIZES, TREMBLE, TURN_SIZES

__all__ = ["PROOFS", "main", "run", "search_times", "summary"]

PROOFS = {
    "river": Proof(3, seconds=2.0, sizes=RIVER_SIZES),
    "turn": Proof(2, seconds=2.0, sizes=TURN_SIZES),
}
_SEED = 2  # the weight of belief and the sizes of the turn were chosen by roots of seed 1
_ROOTS = {"river": 100, "turn": 20}
_TIMED, _TIMED_ROOTS = 50, 8


def run(roots: dict[str, int] | None = None) -> Result:
    """Means and intervals of 95 %, in mbb and in percent of the pot."""
    guide = _guide()
    found: Result = {}
    for street, count in (roots or _ROOTS).items():
        findings = prove(guide, PROOFS[street], count, seed=_SEED)
        found |= summary(street, findings, guide.blueprint.game.rules.big_blind)
        found |= search_times(guide, street)
    return found


def search_times(policy: BlueprintPolicy, street: str) -> Result:
    """Milliseconds of one search of the agent's default entry with `_TIMED` iterations."""
    timed = replace(PROOFS[street], seconds=None, iterations=_TIMED, entries=("max-margin",))
    findings = prove(policy, timed, _TIMED_ROOTS, seed=_SEED + 2)
    return {f"search_{street}_ms": 1e3 * tally(each[0].seconds for each in findings).mean}


def _guide() -> BlueprintPolicy:
    """The shipped blueprint, everything compiled."""
    known = load_blueprint(find_blueprint())
    guide = BlueprintPolicy(known.blueprint, known.buckets)
    for proof in PROOFS.values():
        prove(guide, replace(proof, seconds=None, iterations=8), 1, seed=_SEED + 1)
    return guide


def summary(street: str, findings: Sequence[Sequence[Finding]], big_blind: int) -> Result:
    """(a) and (b) in mbb, (c) in percent of the pot; each with its interval."""
    first = [found[0] for found in findings]
    mbb = 1000 / big_blind
    out: Result = {
        f"{street}_roots": float(len(findings)),
        f"{street}_blueprint_loss_mbb": mbb * tally(each.blueprint_loss for each in first).mean,
    }
    for way in range(len(findings[0])):
        some = [found[way] for found in findings]
        name = f"{street}_{some[0].entry}{'_argmax' if some[0].argmax else ''}"
        for what, mean in (
            ("gain_mbb", tally(mbb * each.gain for each in some).interval),
            ("loss_mbb", tally(mbb * each.loss for each in some).interval),
            ("gift_percent", tally(100 * each.gift / each.pot for each in some).interval),
        ):
            out[f"{name}_{what}"] = mean.mean
            out[f"{name}_{what}_low"], out[f"{name}_{what}_high"] = mean.low, mean.high
        out[f"{name}_iterations"] = tally(each.iterations for each in some).mean
        out[f"{name}_late"] = float(sum(each.late for each in some))
    return out


def main(arguments: Sequence[str]) -> None:
    """Compare at many roots, and append each to a file as a line; existing lines are kept."""
    if len(arguments) != 3 or arguments[0] not in PROOFS or not arguments[1].isdigit():
        raise OptionError("usage: python -m tiltless.bench.search river|turn roots file.jsonl")
    street, roots, path = arguments[0], int(arguments[1]), Path(arguments[2])
    guide, proof = _guide(), PROOFS[street]
    settings = (street, proof.sizes, proof.seconds, TRUST, TREMBLE, proof.warm, proof.least, _SEED)
    known = fingerprint(make_agent("search").fingerprint(), *settings)
    findings = []
    if path.exists():
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        if any(line["run"] != known for line in lines):
            raise OptionError(
                f"{path} is of another version, blueprint or setting; give a new file"
            )
        findings = [[Finding(*each) for each in line["findings"]] for line in lines]
    for number, root in enumerate(sample_roots(guide, proof.street, roots, seed=_SEED)):
        if number < len(findings):
            continue
        findings.append(one_root(guide, root, proof))
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"run": known, "root": number, "findings": findings[-1]}) + "\n")
        if not len(findings) % 10:
            print(f"{len(findings)} of {roots}", file=sys.stderr, flush=True)
    print(json.dumps(summary(street, findings[:roots], guide.blueprint.game.rules.big_blind)))


if __name__ == "__main__":
    main(sys.argv[1:])
