"""Benchmark of competition bots: a match of MIT Pokerbots, and the start of a packed bot.

The bots play in this process over our engine, against themselves, with the lines and the clock of
the real one; their thinking time counts as the engine counts it. The package is built with an empty
cache of its own and without wheels: it uses this interpreter's NumPy and Numba.
"""

import sys
import tempfile
import time
import zipfile
from pathlib import Path

import numpy as np

from tiltless.agents.registry import make_agent
from tiltless.bench import Result, permutation_inference
from tiltless.protocols.mit.agent_player import AgentPlayer
from tiltless.protocols.mit.bot_folder import BotFolder
from tiltless.protocols.mit.engine import play_match
from tiltless.protocols.mit.package import pack_bot
from tiltless.protocols.mit.years import YEARS, find_year

__all__ = ["package_start", "run"]

_BUILD_LIMIT = 600.0
_FIRST_LINE = "T30.000 P0 HAs,Kd"


def run() -> Result:
    """Seconds and milliseconds of both bots, and of the inference of hidden orders.

    match_s: thinking time of a bot in a match of 1,000 hands, the slower of the two.
    decision_ms_p99: 99 % of all decisions take less.  package_start_s: from starting ``run.sh``
    to the first answer.
    """
    result: Result = {}
    times = []
    for number, year in YEARS.items():
        used, seconds = _match(number, year.bot)
        result[f"{year.variant.replace('-', '_')}_match_s"] = used
        times += seconds
    slowest = max(value for value in result.values() if isinstance(value, float))
    return {
        "match_s": slowest,
        "decision_ms_p99": 1e3 * float(np.quantile(times, 0.99)),
        **result,
        "package_start_s": package_start(2020, YEARS[2020].bot),
        **permutation_inference.run(),
    }


def _match(year: int, agent: str, hands: int = 0) -> tuple[float, list[float]]:
    """Clock used by a bot against itself, the mean of both sides, and all decision times."""
    rules = find_year(year)
    players = [AgentPlayer(make_agent(agent), name, rules, seed) for seed, name in enumerate("AB")]
    match = play_match(year, players, hands=hands)
    used = [rules.clock - seat.clock for seat in match.seats]
    return float(np.mean(used)), [second for seat in match.seats for second in seat.seconds]


def package_start(year: int, agent: str) -> float:
    """Seconds from starting a built package to its first answer."""
    with tempfile.TemporaryDirectory() as folder:
        archive, bot = Path(folder) / "bot.zip", Path(folder) / "bot"
        pack_bot(YEARS[year].variant, "2026", agent, archive, bring=())
        with zipfile.ZipFile(archive) as file:
            file.extractall(bot)
        for script in bot.glob("*.sh"):  # the server's interpreter is ours
            script.write_text(script.read_text().replace("=python3", f"='{sys.executable}'"))
        with BotFolder(bot, "A", build_limit=_BUILD_LIMIT) as player:
            player.build()
            begin = time.perf_counter()
            player.start()
            player.ask(_FIRST_LINE, 10.0)
            took = time.perf_counter() - begin
            player.quit()
    return took
