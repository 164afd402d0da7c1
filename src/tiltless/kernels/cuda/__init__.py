"""The post-flop kernels in CUDA C++ (``*.cu``), their arguments, and their twins in NumPy."""
