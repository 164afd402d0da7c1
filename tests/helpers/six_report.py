"""Policies of the six-player report for tests: small ones by hand, and buckets without tables."""

from functools import cache

import numpy as np

from tiltless.cards.card import COMBO_CARDS, COMBO_OF, combo_index
from tiltless.cards.isomorphism import isomorphism
from tiltless.experiments.six_player.options import ReportOptions
from tiltless.experiments.six_player.policy import ReportPolicy, TrainingCounts
from tiltless.experiments.six_player.training import blank_buckets
from tiltless.kernels.cards.bucket_tables import spread_board
from tiltless.kernels.six_player import nodes as codes

CODES = {"FOLD": codes.FOLD, "CALL": codes.CALL, "ALL-IN": codes.ALL_IN}
CODES["BIGBLIND"] = codes.BIG_BLIND


def token(step):
    """``"p4 BIGBLIND"``, ``"p1 RAISE 300"``, ``"bucket 7"`` or the number of a policy."""
    if isinstance(step, int):
        return step
    who, _, what = step.partition(" ")
    if who == "bucket":
        return codes.INFORMATION | int(what)
    code = codes.RAISE + int(what[6:]) if what.startswith("RAISE ") else CODES[what]
    return (int(who[1:]) - 1) << codes.SEAT_SHIFT | code


def policy_of(paths, options=None):
    """A policy from ``{(root, "p4 BIGBLIND", ...): (visits, regret)}``, all beginnings included."""
    values = {(): (0, 0.0)}
    for path, value in paths.items():
        whole = tuple(map(token, path))
        for size in range(len(whole)):
            values.setdefault(whole[:size], (0, 0.0))
        values[whole] = value
    order, first, at = [()], [1], 0
    while at < len(order):
        below = sorted(path for path in values if path[:-1] == order[at] and path)
        order += below
        first.append(len(order))
        at += 1
    return ReportPolicy(
        options or ReportOptions(),
        TrainingCounts(),
        np.array(first, np.int32),
        np.array([path[-1] if path else 0 for path in order], np.int32),
        np.array([values[path][0] for path in order], np.int32),
        np.array([values[path][1] for path in order], np.float32),
    )


@cache
def made_up_flops():
    """Buckets from a formula on flops, 0 afterwards; with the shapes of the real tables."""
    rows = np.arange(isomorphism((3,), "all").size)[:, None]
    flop = ((7 * rows + 13 * np.arange(1326)) % 190).astype(np.uint8)
    flop.flags.writeable = False
    return blank_buckets(ReportOptions())._replace(flop=flop)


def made_up_step(cards, board):
    """The step of a hand in `made_up_flops`."""
    if len(board) > 3:
        return 0
    tables, out = made_up_flops(), np.empty(1326, np.uint16)
    row = np.array(board, np.uint8)
    spread_board(row, 1, tables.flop, tables.flops, COMBO_CARDS, COMBO_OF, out)
    return int(out[combo_index(cards)])
