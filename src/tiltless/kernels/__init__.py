"""Compiled loops over plain arrays.

A kernel takes arrays and scalars, writes to buffers that its caller allocated, and knows no class
of ours but NamedTuples of arrays. Public functions elsewhere validate and prepare; kernels do
arithmetic. Every jitted function of the package is in this folder, because the folder of compiled
code is named by a hash of these sources (see `tiltless.kernels.base.jit`).

The docstring of each module ends with the names of its slow, obvious twin under `tests/naive`,
where it has one, and of its tests.
"""
