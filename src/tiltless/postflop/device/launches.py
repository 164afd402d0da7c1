"""Launch lists: the kernels of a pass over a spot, in order.

Down from the first street (`down` and `folds`), through the last street in one launch (`river`),
and back up (`collect` and `up`).
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tiltless.errors import OptionError
from tiltless.kernels.cuda.structs import DeviceStreet, DeviceTables, RiverProgram
from tiltless.kernels.postflop.street import ACTIONS
from tiltless.postflop.betting_forest import StreetForest
from tiltless.postflop.device.layout import StreetLayout
from tiltless.postflop.device.machine import KernelShape, Launch, Machine
from tiltless.postflop.device.program import RootSteps, root_steps, share_work
from tiltless.postflop.spot import IP, OOP

__all__ = [
    "DeviceSpot",
    "kernel_shape",
    "pass_launches",
    "shared_bytes",
    "spill_bytes",
    "spot_steps",
]

_TILE, _FOLD_THREADS = 64, 256
_LANES = 32
_HANDS, _MANY = 2, 256  # hands of a thread at least, if there are more boards than this
_BLOCKS = 2048  # of the last street, at least about this many if there are so many roots
_MORE = 136  # sums after the last hand and the last place, sums of warps, and `Block`
_COLUMNS = 48 * 1024  # bytes of shared memory of `down` and `up`, at most
_DECISION = 8  # numbers of a decision in `down` and `up`


class _Nodes(NamedTuple):
    """Nodes on the machine.

    decisions: of IP and of OOP, parents first.  both: all of them, children first.
    """

    decisions: tuple[Any, Any]
    both: Any
    fold: Any
    fold_pay: Any


class DeviceSpot:
    """All arrays of a spot on a machine, and its structs.

    streets, programs: as on the machine; ``street_structs`` and so on are arguments of kernels.
    """

    def __init__(
        self,
        machine: Machine,
        deal: StreetLayout,
        layouts: Sequence[StreetLayout],
        steps: tuple[RootSteps, RootSteps],
        shape: KernelShape,
        entries: int,
    ) -> None:
        self.machine, self.layouts, self.shape = machine, layouts, shape
        self.deal = _upload(machine, deal)
        self.streets = [_upload(machine, layout) for layout in layouts]
        self.tables = DeviceTables(machine.zeros(entries), machine.zeros(entries))
        self.nodes = [_nodes(machine, layout) for layout in layouts[:-1]]
        self.programs = tuple(self._program(each) for each in steps)
        self.deal_struct = machine.struct(self.deal)
        self.street_structs = [machine.struct(street) for street in self.streets]
        self.table_struct = machine.struct(self.tables)
        self.program_structs = [machine.struct(program) for program in self.programs]

    def _program(self, steps: RootSteps) -> RiverProgram:
        work, machine = share_work(steps, self.layouts[-1].boards, _BLOCKS), self.machine
        spill = _spilled(self.shape, steps, len(work))
        return RiverProgram(
            machine.array(steps.step),
            machine.array(steps.pay),
            machine.array(work),
            machine.zeros(spill),
            steps.reach_slots,
            steps.cfv_slots,
        )

    @property
    def root(self) -> DeviceStreet:
        """The first street."""
        return self.streets[0]


def _upload(machine: Machine, layout: StreetLayout) -> DeviceStreet:
    fields = [
        machine.array(each) if isinstance(each, np.ndarray) else each for each in layout.street
    ]
    return DeviceStreet(*fields)._replace(
        reach=machine.zeros(layout.reach_size), cfv=machine.zeros(layout.cfv_size)
    )


def _nodes(machine: Machine, layout: StreetLayout) -> _Nodes:
    ip, oop = (np.concatenate(each) for each in zip(*layout.decisions, strict=True))
    both = np.concatenate([some for level in reversed(layout.decisions) for some in level])
    most = machine.shared_limit // (4 * _DECISION)
    if len(both) > most:
        raise OptionError(
            f"a street of this spot has {len(both):,} decisions, and the GPU takes {most:,}; give "
            "fewer sizes, or solve it on the device cpu"
        )
    return _Nodes(
        (machine.array(ip), machine.array(oop)),
        machine.array(both),
        machine.array(layout.fold),
        machine.array(layout.fold_pay),
    )


def kernel_shape(
    machine: Machine, forests: Sequence[StreetForest], last: StreetLayout, slots: int, threads: int
) -> KernelShape:
    """The constants of the kernels for a spot.

    last: the last street.  slots: vectors of a block.  threads: at most, of a block. Where many
    boards keep the card busy, a thread with two hands does more in the same time.
    """
    widest, boards = last.widest, last.boards
    hands = max(-(-widest // threads), _HANDS if boards > _MANY else 1)
    each = -(-widest // (hands * _LANES)) * _LANES
    most = max(int(forest.forest.node[:, ACTIONS].max(initial=1)) for forest in forests)
    shape = KernelShape(hands, each, -(-most // 2) * 2, False)
    fits = shared_bytes(shape, slots) <= machine.shared_limit
    return shape._replace(spill=not fits)


def shared_bytes(shape: KernelShape, slots: int) -> int:
    """Shared memory of a block of the last street, see ``river.cu``."""
    always = 8 * shape.stride + _MORE
    return 4 * (always + (0 if shape.spill else slots * shape.stride))


def spill_bytes(shape: KernelShape, last: StreetLayout, steps: Sequence[RootSteps]) -> int:
    """Global memory of the slots that do not fit into shared memory."""
    blocks = [len(share_work(each, last.boards, _BLOCKS)) for each in steps]
    return 4 * sum(_spilled(shape, each, n) for each, n in zip(steps, blocks, strict=True))


def _spilled(shape: KernelShape, steps: RootSteps, blocks: int) -> int:
    return (steps.reach_slots + steps.cfv_slots) * shape.stride * blocks if shape.spill else 0


def pass_launches(spot: DeviceSpot, p: int, mode: int, rules: Any) -> Iterator[Launch]:
    """The launches of one pass.  p: the traverser.  rules: float32 ``[4]`` on the machine."""
    above = spot.deal_struct
    last = len(spot.streets) - 1
    for s in range(last):
        yield from _downward(spot, s, above, p, mode, rules)
        above = spot.street_structs[s]
    shape, program = spot.shape, spot.programs[p]
    yield Launch(
        "river",
        (len(program.work), 1),
        shape.threads,
        shared_bytes(shape, program.reach_slots + program.cfv_slots),
        (
            spot.street_structs[last],
            above,
            spot.table_struct,
            spot.program_structs[p],
            rules,
            p,
            mode,
        ),
    )
    for s in reversed(range(last)):
        yield from _upward(spot, s, p, mode, rules)


def _tiles(layout: StreetLayout) -> int:
    return -(-layout.widest // _TILE)


def _downward(
    spot: DeviceSpot, s: int, above: Any, p: int, mode: int, rules: Any
) -> Iterator[Launch]:
    layout, here, nodes = spot.layouts[s], spot.street_structs[s], spot.nodes[s]
    theirs = nodes.decisions[1 - p]
    shared, inside = _column_bytes(len(theirs), int(layout.street.slot[p].max()) + 1)
    arguments = here, above, spot.table_struct, rules, theirs, len(theirs), p, mode, inside
    yield Launch("down", (layout.boards, _tiles(layout)), _TILE, shared, arguments)
    folds = len(layout.fold)
    if folds:
        folded = here, nodes.fold, nodes.fold_pay, folds, p
        yield Launch("folds", (layout.boards * folds, 1), _FOLD_THREADS, 0, folded)


def _upward(spot: DeviceSpot, s: int, p: int, mode: int, rules: Any) -> Iterator[Launch]:
    layout, here, nodes = spot.layouts[s], spot.street_structs[s], spot.nodes[s]
    boards, tiles, below = layout.boards, _tiles(layout), spot.street_structs[s + 1]
    if layout.street.ends:
        arguments = here, below, spot.layouts[s + 1].share, p
        yield Launch("collect", (boards * layout.street.ends, tiles), _TILE, 0, arguments)
    shared, inside = _column_bytes(len(nodes.both), layout.street.nodes)
    both = here, spot.table_struct, rules, nodes.both, len(nodes.both), p, mode, inside
    yield Launch("up", (boards, tiles), _TILE, shared, both)


def _column_bytes(decisions: int, rows: int) -> tuple[int, int]:
    """Shared memory of `down` and `up`; and 1 if the columns of a tile fit beside the decisions."""
    least, whole = 4 * _DECISION * decisions, 4 * _TILE * rows
    fits = least + whole <= _COLUMNS
    return least + whole * fits, int(fits)


def spot_steps(forest: StreetForest) -> tuple[RootSteps, RootSteps]:
    """The programs of the last street, for each traverser."""
    return root_steps(forest, IP), root_steps(forest, OOP)
