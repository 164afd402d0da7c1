"""What all kernels share: the compiler, random numbers, vectors, barriers."""
