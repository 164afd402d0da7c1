"""One word for one idea: public names are unique, and retired words do not come back.

The words themselves are in docs/glossary.md.
"""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[1] / "src" / "tiltless"
TREES = {
    path.relative_to(SOURCES): ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted(SOURCES.rglob("*.py"))
}

RETIRED = {
    "Always": "FixedRange",
    "AveragePlay": "CoarseCorrelatedPlay",
    "Crew": "Replicas, PassRunner or SharedBuffers",
    "crew": "replicas",
    "Follow": "ResolvingGadget",
    "Guide": "BlueprintPolicy",
    "Luck": "SeededRandom",
    "Margin": "MaxMarginGadget",
    "RangeCrew": "PassRunner",
    "RangeSolver": "PostflopSolver",
    "RangeSpot": "Spot",
    "Sitting": "TableSession",
    "Situations": "DecisionColumns",
    "doubt": "uniform_mix",
    "find_place": "find_node",
    "learner": "traverser",
    "worth_at_ends": "terminal_values",
}
"""Names that nothing has any more, and what it is called now."""

RETIRED_PARAMETERS = {
    "halves": "seatings",
    "luck": "rng",
    "patience": "the limit that it is",
    "worth": "value or cfv",
}
"""Names that no parameter and no annotated field has any more."""

RETIRED_MODULES = {
    *("crew", "guide", "kept", "luck", "patience", "sitting", "table_talk", "showdown"),
    *("folders", "words", "average_play", "readable", "stacked", "hand_kinds", "permuted"),
}


def public_classes():
    found = defaultdict(list)
    for path, tree in TREES.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(path.as_posix())
    return found


def test_public_classes_have_names_of_their_own():
    assert {name: paths for name, paths in public_classes().items() if len(paths) > 1} == {}


def test_the_sources_are_read():
    assert {"Range", "Solver", "PostflopSolver", "Blueprint"} <= set(public_classes())


@pytest.mark.parametrize("name", RETIRED)
def test_retired_names_do_not_come_back(name):
    assert not _where(name, _identifiers), f"{name} is now called {RETIRED[name]}"


@pytest.mark.parametrize("name", RETIRED_PARAMETERS)
def test_retired_parameters_do_not_come_back(name):
    assert not _where(name, _declared), f"{name} is now called {RETIRED_PARAMETERS[name]}"


def test_the_search_finds_what_is_there():
    assert _where("traverser", _identifiers)
    assert _where("uniform_mix", _declared)


def _where(name, names_of):
    return _places(names_of)[name]


@cache
def _places(names_of):
    places = defaultdict(list)
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            for name in names_of(node):
                places[name].append(f"{path}:{getattr(node, 'lineno', 0)}")
    return places


def _identifiers(node):
    """Every name in a piece of code: defined, imported, used, or a keyword of a call."""
    fields = ("id", "arg", "attr", "name", "asname")
    return {getattr(node, field, None) for field in fields}


def _declared(node):
    """Parameters of functions, and annotated fields of classes."""
    if isinstance(node, ast.arg):
        return {node.arg}
    is_field = isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    return {node.target.id} if is_field else set()


def test_no_module_has_a_retired_name():
    assert not {path.as_posix() for path in TREES if path.stem in RETIRED_MODULES}
