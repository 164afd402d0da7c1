"""Rules of the sampled engines as numbers for kernels, and which combinations are valid."""

import math

from tiltless.cfr.averaging import AveragingRule, Power
from tiltless.cfr.pruning import PruningRule, RegretBased
from tiltless.cfr.regret import Discounted, Plain, Predictive, RegretRule
from tiltless.cfr.sampling import ChanceSampling, External, Full, Outcome, SamplingScheme
from tiltless.errors import OptionError
from tiltless.kernels.tabular.sampled import SampledRules

__all__ = ["sampled_rules"]

_NEVER = 2**62


def sampled_rules(
    sampling: SamplingScheme, regret: RegretRule, averaging: AveragingRule, pruning: PruningRule
) -> SampledRules:
    """Rules that go together with a sampling scheme; `OptionError` where they do not.

    Regrets are weighted instead of discounted, since a traversal visits only a few of them: linear
    CFR counts the regrets of iteration t exactly t times, which is the same up to a common factor.
    A floor is applied at each node where a regret changes, not once an iteration. Sampled regret
    matching plus has no proof of convergence, and leaves 1.4 times the exploitability on Leduc.
    """
    if isinstance(sampling, Full):
        raise OptionError("Full() samples nothing; use a full-tree engine")
    if isinstance(regret, Predictive):
        raise OptionError(
            f"predictive rules do not work with {sampling}: sampled regrets predict nothing; "
            "use Plain(), Floored() or Discounted(1, 1)"
        )
    linear = isinstance(regret, Discounted)
    if isinstance(regret, Discounted) and (regret.alpha, regret.beta) != (1, 1):
        raise OptionError(
            f"{regret} shrinks all regrets in every iteration, which sampling avoids; "
            "use Discounted(1, 1), which is done by weights, or Plain()"
        )
    floor = 0.0 if not isinstance(regret, Plain) and regret.floored else -math.inf
    threshold, warmup, share = -math.inf, _NEVER, 1.0
    if isinstance(pruning, RegretBased):
        if not isinstance(sampling, External | ChanceSampling):
            raise OptionError(f"{sampling} cannot skip actions; use External() or ChanceSampling()")
        if floor == 0.0:
            raise OptionError(
                f"{regret} keeps regrets above 0, so nothing would be pruned; use Plain()"
            )
        floor, threshold = pruning.floor, float(pruning.threshold)
        warmup, share = int(pruning.warmup_iterations), float(pruning.share_unpruned)
    return SampledRules(
        linear=linear,
        floor=floor,
        gamma=float(averaging.gamma) if isinstance(averaging, Power) else 0.0,
        delay=int(averaging.delay),
        threshold=threshold,
        warmup=warmup,
        share_unpruned=share,
        epsilon=float(sampling.epsilon) if isinstance(sampling, Outcome) else 0.0,
    )
