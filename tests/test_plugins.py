"""Providers: upper layers add to registries of lower ones, in every process."""

import subprocess
import sys
from types import SimpleNamespace

from helpers.executor_tasks import agent_names
from tiltless import plugins
from tiltless.executor import Processes

UPPER = {"cfr-v1", "cfr-v2", "pypokerengine"}


def test_entries_come_in_the_order_of_declaration(monkeypatch):
    monkeypatch.setattr(plugins, "_PROVIDERS", {})
    for name, things in (("first_module", ["a"]), ("second_module", ["b", "c"])):
        monkeypatch.setitem(sys.modules, name, SimpleNamespace(THINGS=things))
    assert plugins.provided("things", "THINGS") == []
    plugins.provide("things", "second_module", "first_module")
    plugins.provide("things", "first_module")
    assert plugins.provided("things", "THINGS") == ["b", "c", "a"]
    assert plugins.provided("others", "THINGS") == []


def test_agents_of_upper_layers_are_known_in_worker_processes():
    (names,) = Processes(1).map(agent_names, [None])
    assert set(names) >= UPPER


def test_upper_layers_are_imported_at_the_first_look_only():
    program = (
        "import sys, tiltless.agents.registry as registry\n"
        "def upper(): return [name for name in sys.modules if name.startswith("
        "('tiltless.protocols', 'tiltless.experiments'))]\n"
        "assert upper() == []\n"
        "print(*(entry.name for entry in registry.registered()))\n"
        "assert not any('thesis' in name or name.endswith('.pypokerengine') for name in upper())\n"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    assert set(said.stdout.split()) >= UPPER | {"fish", "blueprint"}
