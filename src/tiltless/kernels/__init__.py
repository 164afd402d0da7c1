"""Compiled loops over plain arrays.

A kernel takes arrays and scalars, writes to buffers that its caller allocated, and knows no class
of ours but NamedTuples of arrays. Public functions elsewhere validate and prepare; kernels do
arithmetic. Every jitted function of the package lives in this folder, because the name of the
folder of compiled code is made from the sources that lie here (see `jit`).
"""
