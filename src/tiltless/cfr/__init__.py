"""The CFR family as values that all engines share: regret rules, averaging, sampling, pruning.

`presets` names their combinations, and holds the exponents of DCFR and its relatives.
"""
