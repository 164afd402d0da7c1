"""Every named algorithm as a row of a table: regret rule x averaging x sampling x pruning."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from tiltless.cfr.averaging import AveragingRule, Power, Uniform
from tiltless.cfr.pruning import NoPruning, PruningRule
from tiltless.cfr.regret import Discounted, Floored, Plain, Predictive, RegretRule
from tiltless.cfr.sampling import (
    ChanceSampling,
    External,
    Full,
    Outcome,
    PublicChance,
    SamplingScheme,
)
from tiltless.validate import unknown_name

__all__ = ["PRESETS", "Preset", "find_preset"]


@dataclass(frozen=True, slots=True)
class Preset:
    """An algorithm. alternating: players are updated one after the other in each iteration."""

    regret: RegretRule
    averaging: AveragingRule
    sampling: SamplingScheme = field(default_factory=Full)
    pruning: PruningRule = field(default_factory=NoPruning)
    alternating: bool = True
    paper: str = ""


PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        "cfr": Preset(
            Plain(), Uniform(), paper="Zinkevich et al. (2007). Deviation: players alternate."
        ),
        "cfr+": Preset(Floored(), Power(1), paper="Tammelin (2014), arXiv 1407.5042."),
        "linear": Preset(
            Discounted(1, 1), Power(1), paper="Brown & Sandholm (2019), arXiv 1809.04040: LCFR."
        ),
        # The DCFR of the paper, for small games; post-flop spots use dcfr-ranges by default.
        "dcfr": Preset(
            Discounted(alpha=1.5, beta=0),
            Power(gamma=2),
            paper="Brown & Sandholm (2019), arXiv 1809.04040: DCFR with 3/2, 0, 2.",
        ),
        "dcfr-ranges": Preset(
            Discounted(alpha=1.5, beta=0),
            Power(gamma=4),
            paper="DCFR with 3/2, 0, 4: later strategies count more, which suits spots that are "
            "solved in some hundred iterations.",
        ),
        "dcfr+": Preset(
            Discounted(1.5, 0, floored=True),
            Power(4),
            paper="Xu et al. (2024), arXiv 2404.13891: DCFR+ with alpha 1.5, gamma 4.",
        ),
        "pcfr+": Preset(
            Predictive(Floored()), Power(2), paper="Farina et al. (2021), arXiv 2007.14358."
        ),
        "pdcfr+": Preset(
            Predictive(Discounted(2.3, 0, floored=True)),
            Power(5),
            paper="Xu et al. (2024), arXiv 2404.13891: PDCFR+ with alpha 2.3, gamma 5.",
        ),
        "cs-mccfr": Preset(
            Plain(), Uniform(), ChanceSampling(), paper="Zinkevich et al. (2007), section 4."
        ),
        "es-mccfr": Preset(Plain(), Uniform(), External(), paper="Lanctot et al. (2009)."),
        "linear-es": Preset(
            Discounted(1, 1),
            Power(1),
            External(),
            paper="Brown & Sandholm (2019), arXiv 1809.04040, section on Monte Carlo: linear.",
        ),
        "os-mccfr": Preset(Plain(), Uniform(), Outcome(), paper="Lanctot et al. (2009)."),
        "pcs": Preset(Plain(), Uniform(), PublicChance(), paper="Johanson et al. (2012)."),
    }
)
"""By name. Where a paper leaves a choice, the note says what we do."""


def find_preset(name: str | Preset) -> Preset:
    """A preset by name, or itself; `OptionError` with the nearest name."""
    if isinstance(name, Preset):
        return name
    preset = PRESETS.get(name.casefold()) if isinstance(name, str) else None
    if preset is None:
        other = "" if isinstance(name, str) else "a Preset"
        raise unknown_name("algorithm", name, PRESETS, other)
    return preset
