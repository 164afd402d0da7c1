"""The post-flop engine: two ranges on a board, solved exactly."""
