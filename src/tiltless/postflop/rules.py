"""Rules that solve spots: which presets can be used, and their numbers for each iteration."""

from functools import lru_cache

from tiltless.cfr.presets import Preset, find_preset
from tiltless.cfr.pruning import NoPruning
from tiltless.cfr.regret import Predictive
from tiltless.cfr.sampling import Full
from tiltless.errors import OptionError
from tiltless.kernels.postflop.decision import PassRules

__all__ = ["DEFAULT_RULES", "checked_rules", "pass_rules"]

DEFAULT_RULES = "dcfr-ranges"
"""The preset that solves spots fastest; docs/benchmarks.md has the comparison."""


def checked_rules(rules: str | Preset, compressed: bool) -> Preset:
    """The preset; `OptionError` if ranges cannot be solved by it.  compressed: with 16 bits."""
    preset = find_preset(rules) if isinstance(rules, str) else rules
    if not isinstance(preset.sampling, Full):
        raise OptionError(f"{rules} samples, but ranges are solved exactly; choose dcfr or cfr+")
    if not preset.alternating or not isinstance(preset.pruning, NoPruning):
        raise OptionError(
            f"{rules} prunes or updates both players at once, but ranges are solved with "
            "alternating updates and without pruning; choose dcfr or cfr+"
        )
    if compressed and isinstance(preset.regret, Predictive):
        raise OptionError(
            f"{rules} is predictive, which compressed tables do not support; choose dcfr"
        )
    return preset


@lru_cache(maxsize=4096)
def pass_rules(preset: Preset, t: int) -> PassRules:
    """The rules of iteration ``t`` as numbers; t counts from 1."""
    regret = preset.regret
    predictive = isinstance(regret, Predictive)
    rule = regret.rule if isinstance(regret, Predictive) else regret
    weight = preset.averaging.weight(t)
    keep = preset.averaging.weight(t - 1) / weight if weight and t > 1 else 0.0
    factors = rule.discounts(t)
    return PassRules(
        *factors, float(rule.floored), float(predictive), rule.discounts(t + 1)[0], keep
    )
