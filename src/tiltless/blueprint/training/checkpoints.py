"""Checkpoints of a training run: two generations in a folder.

Each is written to a temporary name, synced, renamed and checksummed (`tiltless.files`): whatever
happens, the older one is whole. A damaged one is written over first.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy.typing as npt

from tiltless.blueprint.training.compact_checkpoint import has_compact
from tiltless.errors import (
    DamagedFileError,
    FileError,
    FingerprintError,
    ForeignFileError,
    OptionError,
)
from tiltless.files.arrays import ArrayFile, read_arrays, write_arrays

__all__ = ["Checkpoints"]

KIND = "blueprint-checkpoint"
_GENERATIONS = (1, 2)


class Checkpoints:
    """The checkpoints of one configuration.

    fingerprint: of the configuration; files of another one are refused.
    before: the sound file that the one last written comes after, if there is one.
    """

    def __init__(self, folder: Path, fingerprint: str) -> None:
        self.folder, self.fingerprint = folder, fingerprint
        self.before: Path | None = None
        self._walks = dict.fromkeys(_GENERATIONS, -1)  # of each generation that is sound

    def path(self, generation: int) -> Path:
        """The file of a generation, 1 or 2."""
        return self.folder / f"checkpoint-{generation}.safetensors"

    @property
    def any_kept(self) -> bool:
        """Whether there are full checkpoints."""
        return any(self.path(each).exists() for each in _GENERATIONS)

    def check(self, resume: bool) -> None:
        """Refuse to start a run where there are checkpoints, and to resume where there are none."""
        kept = self.any_kept or has_compact(self.folder)
        if kept and not resume:
            raise OptionError(
                f"{self.folder} already holds a run; add --resume, or choose another folder"
            )
        if resume and not kept:
            raise FileError(f"{self.folder} has no checkpoint; start without --resume")

    @property
    def walks(self) -> int:
        """Of the newest that was read or written here and is still there; -1 for none."""
        return self._walks[self._order()[1]]

    @property
    def newest(self) -> Path:
        """Its file."""
        return self.path(self._order()[1])

    def _order(self) -> tuple[int, int]:
        """The generation to write over, then the other one."""
        for generation in _GENERATIONS:
            if not self.path(generation).exists():
                self._walks[generation] = -1
        worst, best = sorted(_GENERATIONS, key=self._walks.__getitem__)
        return worst, best

    def read(self, note: Callable[[str], None]) -> ArrayFile:
        """The newest that is sound.

        Only damaged ones are passed over, and will be written over; what cannot be read, or is of a
        newer version, may be worth keeping and stops us.  note: told what is passed over.
        """
        sound: list[ArrayFile] = []
        for generation in _GENERATIONS:
            path = self.path(generation)
            if not path.exists():
                continue
            try:
                file = read_arrays(path, kind=KIND, fingerprint=self.fingerprint)
            except FingerprintError:
                raise FingerprintError(
                    f"{path} belongs to another configuration; resume with the one it was made for"
                ) from None
            except (DamagedFileError, ForeignFileError) as problem:  # foreign: its head is damaged
                note(f"skipped a checkpoint: {problem}")
            else:
                self._walks[generation] = int(file.metadata["walks"])
                sound.append(file)
        if not sound:
            raise DamagedFileError(
                f"no checkpoint in {self.folder} is sound; delete them and start again"
            )
        return max(sound, key=lambda file: int(file.metadata["walks"]))

    def read_before(self) -> ArrayFile | None:
        """`before`, mapped and not verified: to check every byte would take memory."""
        if self.before is None:
            return None
        return read_arrays(self.before, kind=KIND, fingerprint=self.fingerprint, verify=False)

    def write(
        self, arrays: Mapping[str, npt.NDArray[Any]], walks: int, about: Mapping[str, str]
    ) -> Path:
        """Write over a damaged one or the older one; arrays are not copied."""
        worst, best = self._order()
        write_arrays(
            self.path(worst),
            arrays,
            kind=KIND,
            fingerprint=self.fingerprint,
            metadata={**about, "walks": str(walks)},
        )
        self.before = self.path(best) if self._walks[best] >= 0 else None
        self._walks[worst] = walks
        return self.path(worst)
