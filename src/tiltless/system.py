"""System resources: usable memory and cores."""

import os
from pathlib import Path

__all__ = ["free_memory", "usable_cores", "usable_memory"]

_USABLE_FRACTION = 0.9  # the rest is for the system and for what estimates do not count
_OWN_GROUPS = Path("/proc/self/cgroup")
_MEMORY_FILE = Path("/proc/meminfo")


def usable_memory() -> float:
    """The memory limit of this machine or container in bytes; inf if unknown."""
    try:
        machine = float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (ValueError, OSError, AttributeError):
        machine = float("inf")
    return min(machine, _group_memory())


def _group_memory(root: Path = Path("/sys/fs/cgroup"), own: Path = _OWN_GROUPS) -> float:
    """The smallest limit of our control group and its parents, cgroup versions 1 and 2."""
    try:
        lines = own.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        lines = []
    least = float("inf")
    for line in ("0::/", "0:memory:/", *lines):
        _, _, rest = line.partition(":")
        kind, _, path = rest.partition(":")
        if kind and "memory" not in kind.split(","):
            continue
        top, name = (root / "memory", "memory.limit_in_bytes") if kind else (root, "memory.max")
        group = Path(path.strip("/"))
        for folder in (group, *group.parents):
            try:
                least = min(least, float(int((top / folder / name).read_text(encoding="ascii"))))
            except (OSError, ValueError):  # missing, or unlimited: max
                continue
    return least


def usable_cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def free_memory() -> float:
    """Bytes that may be allocated on this machine now; inf if unknown."""
    return _USABLE_FRACTION * min(usable_memory(), _available())


def _available() -> float:
    try:
        for line in _MEMORY_FILE.read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return 1024.0 * int(line.split()[1])
    except (OSError, ValueError, IndexError):
        pass
    return float("inf")
