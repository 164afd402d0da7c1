"""Providers: modules of upper layers that add entries to a registry of a lower one.

A registry names nothing above itself, and asks here who else has entries for it. The package itself
declares its own providers (``tiltless/__init__.py``), which every process has imported before any
other module of ours, spawned workers too. Providers are imported at the first look into a registry
and not before, so they hold entries and import little.
"""

from importlib import import_module
from typing import Any

__all__ = ["provide", "provided"]

_PROVIDERS: dict[str, list[str]] = {}


def provide(registry: str, *modules: str) -> None:
    """Declare modules that have entries for a registry; declaring one again changes nothing."""
    known = _PROVIDERS.setdefault(registry, [])
    known += [module for module in modules if module not in known]


def provided(registry: str, name: str) -> list[Any]:
    """What all providers of a registry call ``name``, put together in the order of declaration."""
    modules = map(import_module, _PROVIDERS.get(registry, ()))
    return [entry for module in modules for entry in getattr(module, name)]
