"""A scenario as data: who runs how on which machine, what is done to it meanwhile, and what a report has to say of it."""

import random
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Final

Condition = dict[str, Any]

PINNED: Final = ["pinned", "probably_pinned", "pinned_behind_higher_class"]
HIGHER: Final = ["behind_higher_class", "pinned_behind_higher_class"]
ELSEWHERE: Final = [
    "idle_same_node",
    "idle_other_node",
    "pending_balance",
    "kick_dropped",
    "passed_over_same_node",
    "passed_over_other_node",
    "imbalance_allowed",
    "numa_kept",
    "idle_unexplained",
]
BALANCER: Final = "^(ILB_|PASSED_OVER|PICK_BLOCKED|NUMA_NODE_STACKING|NODE_IMBALANCE)"


@dataclass(frozen=True)
class Machine:
    """Where a scenario runs."""

    cpus: int
    nodes: int
    guest: bool
    # As in its release: Debian's own numbers follow.
    kernel: tuple[int, ...]
    # Of each core.
    threads: int = 1

    def node_cpus(self, node: int) -> list[int]:
        """The CPUs of a node."""
        each = self.cpus // self.nodes
        return list(range(node * each, (node + 1) * each))


@dataclass(frozen=True)
class Load:
    """One process; `args` are those of its kind in `loads`."""

    comm: str
    kind: str
    args: dict[str, float] = field(default_factory=dict)
    cpus: list[int] | None = None
    group: str | None = None
    policy: str = "other"
    priority: int = 0
    nice: int = 0
    deadline_us: list[int] | None = None
    memory_node: int | None = None


@dataclass(frozen=True)
class Group:
    """A cgroup and its limits."""

    name: str
    quota_us: list[int] | None = None
    weight: int | None = None
    cpus: str | None = None
    mems: str | None = None
    memory_mb: int | None = None
    partition: str | None = None


@dataclass(frozen=True)
class Action:
    """At so many seconds: writes a text into a file, or stops the recorder for so long."""

    at_s: float
    path: str = ""
    text: str = ""
    stop_recorder_s: float = 0.0


@dataclass(frozen=True)
class Plan:
    """All that a player needs to make the recording."""

    loads: list[Load] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)
    actions: list[Action] = field(default_factory=list)
    duration_s: float = 4.0
    early: bool = False
    outlive: bool = False
    buffer_kb: int | None = None
    sides: bool = True
    cut: float | None = None
    probes: list[str] = field(default_factory=list)
    bpf: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """As nested dictionaries."""
        return asdict(self)


@dataclass(frozen=True)
class Truth:
    """What is so, and what follows for a report. `high` are the findings that may be of high severity."""

    sentence: str
    must_say: list[Condition] = field(default_factory=list)
    must_not_say: list[Condition] = field(default_factory=list)
    high: list[str] = field(default_factory=list)


@dataclass
class Facts:
    """What the kernel counted between the begin and the end of a recording, ns and counts."""

    elapsed_ns: int
    idle_ns: dict[int, int]
    run_ns: dict[str, int]
    wait_ns: dict[str, int]
    groups: dict[str, dict[str, int]]
    pressure_us: dict[str, int]
    forked: int
    lost: int
    notes: list[str] = field(default_factory=list)

    def waited_ms(self, prefix: str = "") -> float:
        """Run delay of the loads whose names begin so (/proc/PID/schedstat), ms."""
        return sum(ns for name, ns in self.wait_ns.items() if name.startswith(prefix)) / 1e6

    def idle_share(self, cpus: list[int]) -> float:
        """The share of the time that these CPUs were idle (/proc/stat)."""
        return sum(self.idle_ns.get(cpu, 0) for cpu in cpus) / (self.elapsed_ns * max(1, len(cpus)))


class Cause:
    """A cause, or with `twin` what looks like it and is not. Parameters are drawn in `draw`."""

    name: ClassVar[str]
    guest_only: ClassVar[bool] = False
    native_only: ClassVar[bool] = False
    # What it needs of a machine that has not got it, for people.
    needs: ClassVar[str] = "another machine or kernel"
    # The kernels that have it, from and below.
    kernels: ClassVar[tuple[tuple[int, int], tuple[int, int]]] = ((0, 0), (99, 0))

    def __init__(self, machine: Machine, dice: random.Random, *, twin: bool) -> None:
        self.machine = machine
        self.dice = dice
        self.twin = twin
        self.plan = self.draw()

    def draw(self) -> Plan:
        """The random parameters, as a plan."""
        raise NotImplementedError

    def truth(self, facts: Facts) -> Truth:
        """What is true of the recording that was made."""
        raise NotImplementedError

    @classmethod
    def runs_on(cls, machine: Machine) -> bool:
        """Whether such a machine can do it."""
        begin, end = cls.kernels
        place = not (cls.guest_only and not machine.guest) and not (cls.native_only and machine.guest)
        return place and begin <= machine.kernel < end

    def fair_balancer(self) -> Condition:
        """Without samples of where tasks may run, a hedged finding may take up to half of the waiting."""
        return not_balancer(0.3 if self.plan.sides else 0.5)

    def hogs(self, count: int, prefix: str, **how: Any) -> list[Load]:  # noqa: ANN401 - fields of Load
        """Busy loops called prefix1, prefix2 ..."""
        return [Load(f"{prefix}{number}", "busy", **how) for number in range(1, count + 1)]

    def some_cpus(self, count: int) -> list[int]:
        """So many CPUs of the machine."""
        return sorted(self.dice.sample(range(self.machine.cpus), count))

    def others(self, cpus: list[int]) -> list[int]:
        """The CPUs that are not these."""
        return [cpu for cpu in range(self.machine.cpus) if cpu not in cpus]

    def common(self, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - fields of Plan
        """Parameters that every scenario draws: length, whether loads are there before, and stay after the recording."""
        dice = self.dice
        return {
            "duration_s": round(dice.uniform(2.5, 5.0), 1),
            "early": dice.random() < 0.5,
            "outlive": dice.random() < 0.5,
            "sides": dice.random() < 0.75,
            **more,
        }


def waiting(why: str, causes: list[str], **bounds: Any) -> Condition:  # noqa: ANN401 - numbers and a name
    """The share of waiting that has these causes: least or most; of tasks `comm` (a regex), of waits that began `of`."""
    return {"why": why, "waiting": {"causes": causes, **bounds}}


def not_balancer(share: float = 0.3) -> Condition:
    """No medium or high finding makes the balancer answer for this share of the waiting."""
    return {"why": "the load balancer is accused", "accused": {"ids": BALANCER, "share": share}}


def finding(why: str, ids: str, **more: Any) -> Condition:  # noqa: ANN401 - severity, least_ms, summary
    """A finding is there."""
    return {"why": why, "finding": {"id": ids, **more}}


def nothing_wrong() -> Condition:
    """Any finding above low."""
    return finding("something is wrong, where nothing is", ".", severity=["medium", "high"])


def overloaded(least: float = 0.5) -> list[Condition]:
    """All CPUs are busy: this is what a report must say."""
    return [waiting("most of the waiting is because all CPUs are busy", ["busy"], least=least)]
