"""Scenarios about where tasks may run: affinity, cpusets, partitions, nodes, bound kernel threads, and plain overload."""

from pathlib import Path
from typing import ClassVar

from typing_extensions import override

from model import (
    BALANCER,
    HIGHER,
    PINNED,
    Action,
    Cause,
    Facts,
    Group,
    Load,
    Machine,
    Plan,
    Truth,
    finding,
    not_balancer,
    nothing_wrong,
    overloaded,
    waiting,
)


def as_list(cpus: list[int]) -> str:
    """CPUs as the kernel's lists have them."""
    return ",".join(map(str, cpus))


def only_busy(what: str, high: tuple[str, ...] = ()) -> Truth:
    """A machine that is simply too small."""
    return Truth(
        what,
        overloaded(0.7),
        [
            waiting("tasks are said to be pinned that are not", PINNED, least=0.2),
            waiting("tasks are said to be throttled that are not", ["throttled"], least=0.05),
            not_balancer(),
            finding("a medium or high finding about pinning", "PINNED_HOTSPOT", severity=["medium", "high"]),
        ],
        ["CPU_SATURATED", *high],
    )


class Affinity(Cause):
    """Busy loops bound to too few CPUs; twin: the same on all CPUs, too many for them."""

    name = "affinity"

    @override
    def draw(self) -> Plan:
        """How many CPUs, how many loops."""
        machine, dice = self.machine, self.dice
        self.cpus = self.some_cpus(dice.randint(1, max(1, machine.cpus // 2)))
        more = dice.randint(1, 4)
        if self.twin:
            return Plan(self.hogs(machine.cpus + 2 + more, "free"), **self.common())
        return Plan(self.hogs(len(self.cpus) + more, "bound", cpus=self.cpus), **self.common())

    @override
    def truth(self, facts: Facts) -> Truth:
        """All waiting is due to affinity, if the others had nothing to do."""
        if self.twin:
            return only_busy(
                f"All CPUs are busy; the tasks may run anywhere and waited {facts.waited_ms('free'):.0f} ms."
            )
        return Truth(
            f"The tasks may run on CPUs {as_list(self.cpus)} only and waited {facts.waited_ms('bound'):.0f} ms there;"
            f" the others were idle {facts.idle_share(self.others(self.cpus)):.0%} of the time.",
            [waiting("affinity is, or may be, why the tasks wait", PINNED, least=0.5)],
            [
                self.fair_balancer(),
                waiting("all CPUs were busy", ["busy"], least=0.4),
                {
                    "why": "idle CPUs are called a delay of balancing",
                    "wasted": {"causes": ["balance_delay", "numa_placement"], "least": 0.5, "least_ms": 300},
                },
            ],
            ["PINNED_HOTSPOT"],
        )


class Cpuset(Affinity):
    """The same by a cpuset cgroup; twin: a cpuset of all CPUs with too many loops."""

    name = "cpuset"

    @override
    def draw(self) -> Plan:
        """The cpuset and its loops."""
        machine, dice = self.machine, self.dice
        self.cpus = self.some_cpus(dice.randint(1, max(1, machine.cpus // 2)))
        every = list(range(machine.cpus))
        group = Group("penned", cpus=as_list(every if self.twin else self.cpus))
        count = (machine.cpus + 2 if self.twin else len(self.cpus)) + dice.randint(1, 4)
        return Plan(self.hogs(count, "free" if self.twin else "bound", group="penned"), [group], **self.common())


class Partition(Cause):
    """An isolated partition that nobody uses beside too many loops; twin: a busy partition."""

    name = "partition"
    guest_only = True
    # cpuset.cpus.partition knows "isolated" since 6.0.
    kernels = ((6, 0), (99, 0))

    @override
    def draw(self) -> Plan:
        """The partition's CPUs and the loops outside."""
        self.cpus = self.some_cpus(self.dice.randint(1, self.machine.cpus - 2))
        left = self.others(self.cpus)
        group = Group("island", cpus=as_list(self.cpus), partition="isolated")
        loads = self.hogs(len(left) + self.dice.randint(2, 4), "main")
        if self.twin:
            # No balancing in there: each task stays on the CPU that it is put on.
            loads += [
                Load(f"island{cpu}{one}", "busy", group="island", cpus=[cpu]) for cpu in self.cpus for one in "ab"
            ]
        return Plan(loads, [group], **self.common())

    @override
    def truth(self, facts: Facts) -> Truth:
        """Nobody outside may use the partition's CPUs."""
        if self.twin:
            return Truth(
                "All CPUs, of the isolated partition too, are busy.",
                overloaded(0.6),
                [self.fair_balancer(), waiting("pinning", PINNED, least=0.3)],
                ["CPU_SATURATED"],
            )
        return Truth(
            f"CPUs {as_list(self.cpus)} are an isolated partition, idle {facts.idle_share(self.cpus):.0%} of the time;"
            f" nobody else may run there, and the others waited {facts.waited_ms('main'):.0f} ms on busy CPUs.",
            [
                waiting(
                    "the idle CPUs may not be used, or all others are busy",
                    [*PINNED, "busy"],
                    least=0.7 if self.plan.sides else 0.5,
                )
            ],
            [self.fair_balancer()],
            ["PINNED_HOTSPOT", "CPU_SATURATED"],
        )


class Node(Cause):
    """Loops in a cpuset of one node beside an idle node; twin: only their memory is bound, or both nodes are full."""

    name = "node"
    guest_only = True

    @override
    def draw(self) -> Plan:
        """Which node and how many; of the twin which kind."""
        machine, dice = self.machine, self.dice
        self.node = dice.randrange(machine.nodes)
        self.cpus = machine.node_cpus(self.node)
        self.full = dice.random() < 0.5
        count = len(self.cpus) + dice.randint(1, 3)
        group = Group("nodal", cpus=as_list(self.cpus), mems=str(self.node))
        if not self.twin:
            return Plan(self.hogs(count, "nodal", group="nodal"), [group], **self.common())
        if self.full:
            loads = [*self.hogs(count, "nodal", group="nodal")]
            loads += self.hogs(count, "rest", cpus=self.others(self.cpus))
            return Plan(loads, [group], **self.common())
        return Plan(self.hogs(machine.cpus + count, "memory", memory_node=self.node), **self.common())

    @override
    def truth(self, facts: Facts) -> Truth:
        """The cpuset keeps them, not NUMA placement."""
        if self.twin:
            return only_busy("Both nodes are full." if self.full else "Only the memory is bound; all CPUs are busy.")
        return Truth(
            f"The tasks may run on node {self.node} only and waited {facts.waited_ms('nodal'):.0f} ms; the other node was"
            f" idle {facts.idle_share(self.others(self.cpus)):.0%} of the time.",
            [waiting("the cpuset is, or may be, why they wait", PINNED, least=0.5)],
            [
                self.fair_balancer(),
                {
                    "why": "NUMA placement is accused",
                    "wasted": {"causes": ["balance_delay", "numa_placement"], "least": 0.5, "least_ms": 300},
                },
            ],
            ["PINNED_HOTSPOT"],
        )


class NumaScan(Cause):
    """Tasks wait on the CPU of one whose memory NUMA balancing scans; twin: the scans are short, or nobody waits there."""

    name = "scan"
    guest_only = True

    @override
    def draw(self) -> Plan:
        """How much memory, on which CPU, and who waits."""
        machine, dice = self.machine, self.dice
        balancing = Path("/sys/kernel/debug/sched/numa_balancing")
        cpu = dice.randrange(machine.cpus)
        self.short = self.twin and dice.random() < 0.5
        megabytes = 4 if self.short else dice.choice([320, 384, 448])
        waiting_on = [(cpu + 1) % machine.cpus] if self.twin and not self.short else [cpu]
        args = {"run_ms": dice.choice([1.0, 2.0]), "sleep_ms": dice.choice([4.0, 9.0])}
        return Plan(
            [
                Load("scanned", "pages", {"megabytes": megabytes}, cpus=[cpu]),
                Load("request", "duty", args, cpus=waiting_on),
            ],
            settings={
                str(balancing / "scan_delay_ms"): "100",
                str(balancing / "scan_period_min_ms"): "100",
                str(balancing / "scan_period_max_ms"): "200",
            },
            probes=["numa"],
            **self.common(sides=True, early=True, duration_s=6.0),
        )

    @override
    @classmethod
    def runs_on(cls, machine: Machine) -> bool:
        """NUMA balancing needs two nodes."""
        return super().runs_on(machine) and machine.nodes > 1

    @override
    def truth(self, facts: Facts) -> Truth:
        """Of what stands before a request on its CPU, the scans are a part."""
        named = finding("NUMA scanning", "NUMA_SCAN")
        if self.twin:
            why = "NUMA scans are short" if self.short else "the request waits on another CPU than the one that scans"
            return Truth(f"A task's memory is scanned; {why}.", [], [named, self.fair_balancer()], ["PINNED_HOTSPOT"])
        return Truth(
            f"The request waits {facts.waited_ms('request'):.0f} ms on its CPU, in a part of which NUMA balancing scans memory.",
            [waiting("NUMA scanning stands in front", ["numa_scan"], least=0.01), named],
            [self.fair_balancer()],
            ["PINNED_HOTSPOT", "NUMA_SCAN"],
        )


class Overload(Cause):
    """More loops, or tasks that sleep now and then, than CPUs; twin: fewer than CPUs."""

    name = "overload"

    @override
    def draw(self) -> Plan:
        """How many, and how they run."""
        machine, dice = self.machine, self.dice
        if self.twin:
            return Plan(self.hogs(dice.randint(1, max(1, machine.cpus - 1)), "few"), **self.common())
        count = machine.cpus * dice.randint(2, 4)
        if dice.random() < 0.5:
            return Plan(self.hogs(count, "many"), **self.common())
        args = {"run_ms": dice.choice([5.0, 20.0, 60.0]), "sleep_ms": dice.choice([1.0, 4.0])}
        return Plan([Load(f"many{one}", "duty", args) for one in range(count)], **self.common())

    @override
    def truth(self, facts: Facts) -> Truth:
        """Too many, or nothing wrong."""
        if not self.twin:
            return only_busy(f"There are more tasks than CPUs; they waited {facts.waited_ms('many'):.0f} ms.")
        return Truth(
            f"There is a CPU for each task; they waited {facts.waited_ms('few'):.0f} ms.",
            [],
            [
                waiting("the few tasks waited for busy CPUs", ["busy", *PINNED], least=0.5, least_ms=500, comm="^few"),
                finding("a high finding", ".", severity=["high"]),
            ],
        )


class Idle(Cause):
    """An idle machine; twin: tasks that only sleep."""

    name = "idle"

    @override
    def draw(self) -> Plan:
        """How long."""
        plan = self.common()
        if not self.twin:
            return Plan(**plan)
        args = {"sleep_ms": self.dice.choice([3.0, 10.0, 50.0])}
        return Plan([Load(f"sleeper{one}", "sleeper", args) for one in range(self.dice.randint(1, 6))], **plan)

    @override
    def truth(self, facts: Facts) -> Truth:
        """Nothing is wrong."""
        idle = facts.idle_share(list(range(self.machine.cpus)))
        return Truth(f"The CPUs were idle {idle:.0%} of the time; nothing is wrong.", [], [nothing_wrong()])


class BoundKthreads(Cause):
    """Kworkers of one CPU wait behind a FIFO task there; twin: user tasks are called like them."""

    name = "kthreads"

    @override
    def draw(self) -> Plan:
        """Which CPU; the names of the twin."""
        machine, dice = self.machine, self.dice
        self.cpu = dice.randrange(machine.cpus)
        if self.twin:
            names = [f"kworker/{cpu}:{dice.randint(1, 9)}" for cpu in range(machine.cpus)]
            names += [f"ksoftirqd/{cpu}" for cpu in range(machine.cpus)] + [f"io/{dice.randint(0, 9)}"]
            return Plan([Load(name, "busy") for name in names], **self.common())
        hog = Load(
            "rthog",
            "duty",
            {"run_ms": dice.choice([60.0, 120.0, 200.0]), "sleep_ms": 30.0},
            [self.cpu],
            None,
            "fifo",
            30,
        )
        # `stat_refresh` waits for the kworker of each CPU, so its own CPU must be another.
        free = self.others([self.cpu])
        return Plan([hog, Load("refresh", "refresh", {"sleep_ms": 5.0}, free)], **self.common())

    @override
    def truth(self, facts: Facts) -> Truth:
        """Per-CPU kworkers can run nowhere else; names prove nothing."""
        if self.twin:
            waited = facts.waited_ms()
            return only_busy(
                f"User tasks with names of kernel threads, bound to nothing, on busy CPUs; {waited:.0f} ms waited."
            )
        why = "the kworkers of the CPU wait behind a real-time task, and are bound"
        return Truth(
            f"Kworkers of CPU {self.cpu} wait behind rthog (SCHED_FIFO) there; the rest is idle.",
            [waiting(why, [*PINNED, *HIGHER], least=0.5, comm=f"kworker/{self.cpu}")],
            [self.fair_balancer()],
            ["RT_HOG", "PINNED_HOTSPOT"],
        )


class Hotplug(Cause):
    """One loop a CPU, and a CPU goes off for a while; twin: the CPU stays and has nothing to do."""

    name = "hotplug"
    guest_only = True
    path: ClassVar[str] = "/sys/devices/system/cpu/cpu{}/online"

    @override
    def draw(self) -> Plan:
        """Which CPU, when and for how long."""
        machine, dice = self.machine, self.dice
        self.cpu = dice.randint(1, machine.cpus - 1)
        common = self.common(duration_s=5.0)
        if self.twin:
            return Plan(self.hogs(machine.cpus - 1, "hog", cpus=self.others([self.cpu])), **common)
        begin = round(dice.uniform(0.5, 1.5), 1)
        actions = [Action(begin, self.path.format(self.cpu), "0")]
        if back := dice.random() < 0.7:
            actions.append(Action(begin + 2.5, self.path.format(self.cpu), "1"))
        self.busy = 72 if back else 52
        return Plan(self.hogs(machine.cpus, "hog"), actions=actions, **common)

    @override
    def truth(self, facts: Facts) -> Truth:
        """A CPU that is off is not busy, and a CPU without work is idle."""
        if self.twin:
            idle = facts.idle_share([self.cpu])
            return Truth(
                f"CPU {self.cpu} was there and idle {idle:.0%} of the time.",
                [{"why": "the CPU was idle", "busy": {"cpu": self.cpu, "most": 100 * (1 - idle) + 10}}],
                [
                    finding("a high finding of the balancer", BALANCER, severity=["high"]),
                    {"why": "the CPU was never off", "offline": {"cpu": self.cpu, "least": 0.001}},
                ],
            )
        return Truth(
            f"CPU {self.cpu} was off for at least 2.5 s, and the loops shared the others.",
            [
                {"why": "an offline CPU is not busy", "busy": {"cpu": self.cpu, "most": self.busy}},
                # The request to go off takes its time; so long it certainly was.
                {"why": "which CPU was off, and for how long", "offline": {"cpu": self.cpu, "least": 1.5}},
                *overloaded(),
            ],
            [self.fair_balancer(), waiting("pinning", PINNED, least=0.3)],
            ["CPU_SATURATED"],
        )
