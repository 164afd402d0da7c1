"""The CFR family as values that all engines share: regret rules, averaging, sampling, pruning."""
