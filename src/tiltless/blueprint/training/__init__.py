"""Training runs: configuration, cost, checkpoints, convergence."""
