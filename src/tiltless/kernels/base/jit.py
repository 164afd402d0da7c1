"""The decorators of compiled functions, and the folder of their machine code.

Numba's own cache looks only at the file of the function that it compiles: edit a helper in another
file and the old machine code is served; compile with bounds checks and a later run without them
gets the checked code. So the folder of compiled code is named by a hash of *all* kernel sources and
of the flags that change code. An edit makes a new folder; `tiltless cache clean` removes the old
ones. The folder `cuda` does not count, as Numba compiles nothing of it.

Tested by tests/kernels/base/test_jit.py
"""

import atexit
import hashlib
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import config as numba_config

from tiltless.cache import cache_folder
from tiltless.kernels.base.compiling import compile_once

__all__ = [
    "code_folder",
    "compiler_enabled",
    "inline",
    "kernel",
    "part",
    "pasted",
    "summing_kernel",
]

F = TypeVar("F", bound=Callable[..., Any])
config: Any = numba_config  # its attributes are created at run time
_COMMON: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


def _fingerprint(folder: Path) -> str:
    """Hash of every kernel source below ``folder`` and of the flags that change machine code."""
    digest = hashlib.sha256()
    for source in sorted(folder.rglob("*.py")):
        if source.relative_to(folder).parts[0] == "cuda":
            continue
        digest.update(source.relative_to(folder).as_posix().encode())
        digest.update(hashlib.sha256(source.read_bytes()).digest())
    digest.update(f"{numba.__version__} boundscheck={config.BOUNDSCHECK}".encode())
    return digest.hexdigest()[:16]


def _make_code_folder() -> Path:
    """Create the folder for this version of the kernels, or a temporary one for this process."""
    folder = cache_folder() / "code" / _fingerprint(Path(__file__).parents[1])
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        folder = Path(tempfile.mkdtemp(prefix="tiltless-code-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        return folder


_CODE_FOLDER = _make_code_folder()


def code_folder() -> Path:
    """Folder that holds the compiled code of exactly these sources and flags."""
    return _CODE_FOLDER


def compiler_enabled() -> bool:
    """False when ``NUMBA_DISABLE_JIT`` makes kernels run as plain Python."""
    return not config.DISABLE_JIT


def _compile(function: F, **options: Any) -> F:
    before = config.CACHE_DIR
    config.CACHE_DIR = str(_CODE_FOLDER)  # read by Numba while it decorates, so restore it after
    try:
        jit = numba.njit(cache=True, **_COMMON, **options)
        return cast(F, compile_once(jit(function), _CODE_FOLDER))
    finally:
        config.CACHE_DIR = before


def kernel(function: F) -> F:
    """Compile on first call, keep the machine code on disk, release the GIL.

    Floating point is strict (no fastmath), so that results repeat on every machine; division by
    zero follows NumPy and is not checked.
    """
    return _compile(function)


def summing_kernel(function: F) -> F:
    """Like `kernel`, but sums may be reordered so that they use vector registers.

    Results may differ in the last bits from one kind of processor to another, never between two
    runs on the same one.
    """
    return _compile(function, fastmath={"reassoc", "contract", "nsz"})


def inline(function: F) -> F:
    """Compile a small helper into the kernels that call it."""
    return cast(F, numba.njit(forceinline=True, **_COMMON)(function))


def part(function: F) -> F:
    """Compile a function that only kernels call; its code is stored with theirs."""
    return cast(F, numba.njit(**_COMMON)(function))


def pasted(function: F) -> F:
    """Copy a function's statements into its callers before they are compiled.

    For a function with many arrays in its arguments that has one or two callers. Numba optimizes
    the machine code of a `part` again with each of its callers, up to the kernel, and passing on a
    tuple of arrays compiles slowly.
    """
    return cast(F, numba.njit(inline="always", **_COMMON)(function))
