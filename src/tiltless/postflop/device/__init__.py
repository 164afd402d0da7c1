"""The post-flop solver on a GPU: the same tables and passes, launched on a device."""
