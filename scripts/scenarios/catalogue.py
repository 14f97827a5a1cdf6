"""All causes, and scenarios drawn from them."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import balancing
import contention
import placement
import policy
import sched_ext
from model import Cause, Machine

CAUSES: Final[tuple[type[Cause], ...]] = (
    placement.Affinity,
    placement.Cpuset,
    placement.Partition,
    placement.Node,
    placement.NumaScan,
    placement.Overload,
    placement.Idle,
    placement.BoundKthreads,
    placement.Hotplug,
    policy.Throttle,
    policy.RealTime,
    policy.Deadline,
    policy.RtRuntime,
    policy.Priority,
    policy.Weights,
    policy.Restless,
    sched_ext.SchedExt,
    balancing.Kicks,
    balancing.Picks,
    balancing.Placements,
    balancing.ForkMask,
    contention.ForkStorm,
    contention.Convoy,
    contention.InputOutput,
    contention.Memory,
    contention.Softirq,
    contention.LostEvents,
    contention.Truncated,
)


@dataclass(frozen=True)
class Scenario:
    """A name of its own and the cause with its parameters."""

    name: str
    seed: str
    cause: Cause


def seeded(machine: Machine, name: str, own: str) -> Scenario:
    """The scenario of a seed of its own: seed, cause, whether it is the look-alike, round."""
    _, cause, twin, _ = own.split("/")
    kind = cause_named(cause)
    return Scenario(name, own, kind(machine, random.Random(own), twin=twin == "True"))


def cause_named(name: str) -> type[Cause]:
    """The cause of a name. Raises StopIteration."""
    return next(kind for kind in CAUSES if kind.name == name)


def draw(
    machine: Machine, count: int, seed: int, only: str | None = None, stalls: Sequence[str] | None = None
) -> list[Scenario]:
    """Scenarios by turns of all causes that such a machine can do, each next to its look-alike, in an order of the seed's.

    With `stalls` only these causes, without look-alikes.
    """
    kinds = [kind for kind in CAUSES if kind.runs_on(machine) and only in {None, kind.name}]
    kinds = [kind for kind in kinds if stalls is None or kind.name in stalls]
    if not kinds:
        raise ValueError(f"no cause {only} for this machine; there are {', '.join(kind.name for kind in CAUSES)}")
    dice = random.Random(seed)
    turns = [(kind, twin) for kind in kinds for twin in ((False, True) if stalls is None else (False,))]
    dice.shuffle(turns)
    found = []
    for number in range(count):
        kind, twin = turns[number % len(turns)]
        # By name and round, so that a scenario stays the same when other causes come in.
        own = f"{seed}/{kind.name}/{twin}/{number // len(turns)}"
        name = f"{number:03d}_{kind.name}{'_twin' if twin else ''}"
        found.append(seeded(machine, name, own))
    return found
