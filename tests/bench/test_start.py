"""First runs are measured on an empty cache each."""

import os

from tiltless.bench import start
from tiltless.cache import CACHE_VARIABLE


def test_each_command_has_an_empty_cache(monkeypatch):
    seen = []

    def run(command, env, **_):
        folder = env[CACHE_VARIABLE]
        assert os.listdir(folder) == []
        seen.append((command[3], folder))

    monkeypatch.setattr(start.subprocess, "run", run)
    result = start.run()
    assert list(result) == ["first_equity_s", "first_solve_spot_s", "first_play_s", "warmup_s"]
    assert [name for name, _ in seen] == ["equity", "solve-spot", "play", "warmup"]
    assert len({folder for _, folder in seen}) == 4
    assert not any(os.path.exists(folder) for _, folder in seen)
