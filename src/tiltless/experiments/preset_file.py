"""Where agents of the experiments look for blueprints that do not ship and must be trained."""

from pathlib import Path

from tiltless.cache import cache_folder

__all__ = ["preset_file"]


def preset_file(preset: str) -> Path:
    """The blueprint of a training preset, in the cache folder; it may not exist."""
    return cache_folder() / preset / "blueprint.safetensors"
