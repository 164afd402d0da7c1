"""A browser, a page that reports what goes wrong in it, and a server of its own."""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tiltless.web.app import make_app
from web import browser as chromium
from web import samples

TOKEN = "a-token-of-the-tests"
REBOUND = "rebound.example"
"""A name of others that leads the browser to this machine."""
_COMPLAINTS = ("error", "warning")
_PATIENCE_MS = 180_000  # a first answer may wait for kernels to compile beside other tests


def run(story):
    """A coroutine's result, by a thread: browser tests of this process have a loop in theirs."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, story).result()


def no_browser(why):
    """A person sees a skip that says what to do; CI a failure."""
    text = f"no browser: {why}; run make test, install Chrome or Chromium, or set TILTLESS_BROWSER"
    if os.environ.get("CI") or os.environ.get("TILTLESS_REQUIRE_BROWSER"):
        pytest.fail(text, pytrace=False)
    pytest.skip(text)


@pytest.fixture(scope="session")
def shared_browser():
    from playwright.sync_api import Error, sync_playwright

    path = chromium.find(Path(sys.prefix))
    if path is None:
        no_browser("none found")
    os.environ.setdefault("PLAYWRIGHT_NODEJS_PATH", chromium.node()[0])
    with sync_playwright() as playwright:
        try:  # Playwright itself passes --no-sandbox, so root is fine
            started = playwright.chromium.launch(
                executable_path=path,
                env=chromium.environment(path),
                args=[f"--host-resolver-rules=MAP {REBOUND} 127.0.0.1"],
            )
        except Error as problem:
            no_browser(f"{path} does not start: {str(problem).splitlines()[0]}")
        yield started
        started.close()


@pytest.fixture
def page(shared_browser):
    """A fresh profile. Whatever the page complains of, or asks of another host, fails the test."""
    context = shared_browser.new_context(
        viewport={"width": 1280, "height": 800}, reduced_motion="reduce"
    )
    context.set_default_timeout(_PATIENCE_MS)
    wrong: list[str] = []

    def listen(tab):  # to every tab, as tests open some themselves
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.on(
            "console", lambda said: said.type in ("error", "warning") and wrong.append(said.text)
        )
        tab.on(
            "request", lambda asked: _is_ours(asked.url) or wrong.append(f"outside: {asked.url}")
        )

    context.on("page", listen)
    page = context.new_page()
    page.wrong = wrong
    yield page
    context.close()
    assert wrong == []


def _is_ours(url):
    return url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:"))


@contextmanager
def serving(
    folder: Path,
    port: int = 0,
    watched: Path | None = None,
    python: str = sys.executable,
    cache: Path | None = None,
) -> Iterator[tuple[str, subprocess.Popen]]:
    """The real server in a process of its own; its address with the token.

    cache: a folder to compile into, as a person's server does; None: nothing is compiled ahead.
    """
    command = [python, "-m", "tiltless", "web", "--no-browser"]
    command += ["--port", str(port), "--folder", str(folder), "--watch", str(watched or folder)]
    command += ["--no-warm-up"] if cache is None else []
    env = None if cache is None else {**os.environ, "TILTLESS_CACHE": str(cache)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env
    ) as server:
        found = (re.search(r"http://\S+", line) for line in server.stdout)
        try:
            yield next(match[0] for match in found if match), server
        finally:
            server.terminate()
            server.communicate(timeout=60)


@pytest.fixture(scope="session")
def watched(tmp_path_factory):
    """A folder with a run and results, see `samples`."""
    folder = tmp_path_factory.mktemp("watched")
    samples.play_results(folder / "results.sqlite")
    return folder


@pytest.fixture(scope="session")
def address(tmp_path_factory, watched):
    with serving(tmp_path_factory.mktemp("web"), watched=watched) as (address, _):
        yield address


@pytest.fixture
def client(tmp_path):
    """The application without a network; its requests carry the token.

    Without playouts: whether they go depends on the tables of the cache (`test_early_values`).
    """
    app = make_app(tmp_path, TOKEN, rate=1e6, watched=tmp_path, playouts=0)
    with TestClient(app, base_url="http://127.0.0.1:8432") as client:
        client.headers["x-tiltless-token"] = TOKEN
        yield client


@pytest.fixture(scope="session")
def study_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("study")


@pytest.fixture(scope="session")
def study(study_folder):
    """One application for spots and blueprints: its processes take seconds to start.

    Without playouts, as `client`.
    """
    app = make_app(study_folder, TOKEN, rate=1e6, playouts=0)
    with TestClient(app, base_url="http://127.0.0.1:8432") as client:
        client.headers["x-tiltless-token"] = TOKEN
        yield client
