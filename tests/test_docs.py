"""The Python of the documentation and of docstrings runs, in the order of the page."""

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

from tiltless.agents import registry

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
TESTED_ELSEWHERE = {"adding-a-game.md", "abstraction.md"}
PAGES = [page for page in DOCS.glob("*.md") if page.name not in TESTED_ELSEWHERE]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(page):
    text = page.read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


WITH_PYTHON = sorted(page for page in (ROOT / "README.md", *PAGES) if blocks(page))
WITH_EXAMPLES = sorted(
    path.relative_to(ROOT / "src")
    for path in (ROOT / "src" / "tiltless").rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=str)
def test_the_examples_of_a_module_run(path):
    found = doctest.testmod(import_module(".".join(path.with_suffix("").parts)))
    assert found.attempted
    assert not found.failed


@pytest.mark.parametrize("page", WITH_PYTHON, ids=lambda page: page.name)
def test_the_python_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "_AGENTS", dict(registry._AGENTS))
    names: dict[str, object] = {"__name__": "page"}
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for block in blocks(page):
        if block.startswith(">>>"):
            test = doctest.DocTestParser().get_doctest(block, names, page.name, page.name, 0)
            assert not runner.run(test, clear_globs=False).failed
            names.update(test.globs)
        else:
            exec(compile(block, page.name, "exec"), names)


def test_every_page_of_the_promised_ones_is_checked():
    names = {page.name for page in WITH_PYTHON}
    assert {"README.md", "api.md", "solving.md", "arena.md", "adding-an-agent.md"} <= names


def test_the_index_names_every_page():
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\]\(([a-z-]+\.md)\)", index))
    assert named == {page.name for page in DOCS.glob("*.md")} - {"index.md"}


@pytest.mark.parametrize("page", [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))], ids=str)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\((?!https?://)([^)\s]+)\)", page.read_text(encoding="utf-8")):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        if anchor and target.suffix == ".md":
            titles = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in map(_anchor, titles), link


def _anchor(title):
    """As GitHub makes it: lower case, no punctuation, dashes for spaces."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


_OF_THE_READER = {
    "half_street.py",
    "mybots.py",
    "no_turn.py",
}  # files that a page tells the reader to write


@pytest.mark.parametrize("page", [*ROOT.glob("*.md"), *sorted(DOCS.rglob("*.md"))], ids=str)
def test_files_that_are_named_are_there(page):
    """``kernels/postflop/street.py``, a name alone, or ``tiltless.postflop.street.LEARN``."""
    if page.name == "CHANGELOG.md":  # which tells of the past
        return
    code = " ".join(re.findall(r"`([^`\n]+)`", page.read_text(encoding="utf-8")))
    roots = (ROOT, ROOT / "src", ROOT / "src" / "tiltless", ROOT / "tests")
    for path in set(re.findall(r"[\w/-]+\.py\b", code)) - _OF_THE_READER:
        alone = "/" not in path and any((ROOT / "src").rglob(path))
        alone = alone or ("/" not in path and any((ROOT / "tests").rglob(path)))
        assert alone or any((root / path).is_file() for root in roots), path
    for dotted in set(re.findall(r"\btiltless(?:\.[A-Za-z_]\w*)+", code)):
        assert _is_there(dotted.split(".")), dotted


def _is_there(words):
    """Whether the longest beginning that is a module has the next word in its text."""
    for count in range(len(words), 0, -1):
        module = (ROOT / "src").joinpath(*words[:count])
        for file in (module.with_suffix(".py"), module / "__init__.py"):
            if file.is_file():
                rest = words[count:]
                text = file.read_text(encoding="utf-8")
                return not rest or re.search(rf"\b{rest[0]}\b", text) is not None
    return False
