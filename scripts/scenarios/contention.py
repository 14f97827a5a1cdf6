"""Scenarios about what is no lack of CPUs, or what is wrong with the recording itself."""

from typing_extensions import override

from model import (
    ELSEWHERE,
    PINNED,
    Action,
    Cause,
    Condition,
    Facts,
    Group,
    Load,
    Plan,
    Truth,
    finding,
    not_balancer,
    nothing_wrong,
    overloaded,
    waiting,
)
from placement import only_busy


class ForkStorm(Cause):
    """Parents that fork short children without end; twin: the same work by standing workers."""

    name = "forks"

    @override
    def draw(self) -> Plan:
        """How many parents and children, and how long these live."""
        machine, dice = self.machine, self.dice
        args = {"children": float(dice.randint(4, 10)), "child_ms": dice.choice([0.3, 1.0, 3.0])}
        kind = "pool" if self.twin else "forks"
        return Plan([Load(f"{kind}{one}", kind, args) for one in range(machine.cpus)], **self.common())

    @override
    def truth(self, facts: Facts) -> Truth:
        """Waits of new tasks are waits."""
        if self.twin:
            return Truth(
                f"Standing workers on busy CPUs; only {facts.forked} processes were made.",
                overloaded(0.3),
                [
                    not_balancer(0.5),
                    finding("a fork storm", "FORK_STORM"),
                    {"why": "a storm of new tasks", "new_tasks": {"least": facts.forked + 200}},
                ],
                ["CPU_SATURATED"],
            )
        return Truth(
            f"{facts.forked} processes were made in {facts.elapsed_ns / 1e9:.1f} s.",
            [
                {"why": "the new tasks have waits", "new_tasks": {"least": facts.forked * 0.8}},
                finding("a fork storm or a lack of CPUs", "FORK_STORM|CPU_SATURATED"),
            ],
            [not_balancer(0.5), waiting("pinning", PINNED, least=0.2)],
            ["CPU_SATURATED", "FORK_STORM"],
        )


class Convoy(Cause):
    """Tasks that queue for one lock; twin: the same tasks without it, on busy CPUs."""

    name = "convoy"

    @override
    def draw(self) -> Plan:
        """How many, and how long each holds the lock."""
        dice = self.dice
        workers, hold = dice.randint(4, 10), dice.choice([1.0, 3.0, 10.0])
        if self.twin:
            args = {"run_ms": hold, "sleep_ms": 0.2}
            return Plan(
                [Load(f"worker{one}", "duty", args) for one in range(self.machine.cpus + workers)], **self.common()
            )
        return Plan([Load("convoy", "convoy", {"workers": float(workers), "hold_ms": hold})], **self.common())

    @override
    def truth(self, facts: Facts) -> Truth:
        """They sleep, and lack no CPU."""
        if self.twin:
            return only_busy(f"No lock; more tasks than CPUs, which waited {facts.waited_ms('worker'):.0f} ms.")
        return Truth(
            "One task holds the lock and the others sleep: no lack of CPUs.",
            [],
            [
                waiting("busy CPUs", ["busy"], least=0.3, least_ms=200),
                finding("a lack of CPUs", "CPU_SATURATED|PINNED|THROTTLE|RT_HOG", severity=["medium", "high"]),
                finding("a high finding", ".", severity=["high"]),
            ],
        )


class InputOutput(Cause):
    """Tasks that wait for a disk; twin: they read as often and compute in between, on busy CPUs."""

    name = "io"

    @override
    def draw(self) -> Plan:
        """How many readers."""
        dice = self.dice
        count = dice.randint(1, 3) if not self.twin else self.machine.cpus * 3
        loads = [Load(f"reader{one}", "disk", {"spin_us": 8000.0 if self.twin else 50.0}) for one in range(count)]
        return Plan(loads, **self.common())

    @override
    def truth(self, facts: Facts) -> Truth:
        """Sleeping for a disk is no waiting for a CPU."""
        stalled = facts.pressure_us.get("io", 0) / 1e3
        if self.twin:
            return Truth(
                f"They read now and then ({stalled:.0f} ms stalled) and waited {facts.waited_ms('reader'):.0f} ms for busy CPUs.",
                [],
                [
                    waiting("pinning", PINNED, least=0.2, least_ms=100),
                    finding("a balancer", "^ILB_", severity=["high"]),
                ],
                ["CPU_SATURATED", *(["^IO_"] if stalled > facts.elapsed_ns / 1e7 else [])],
            )
        return Truth(
            f"Tasks stalled {stalled:.0f} ms for the disk; CPUs are idle and nobody lacks one.",
            [],
            [finding("a lack of CPUs", "CPU_SATURATED|PINNED|THROTTLE|RT_HOG|^ILB_", severity=["medium", "high"])],
            ["^IO_"],
        )


class Memory(Cause):
    """Tasks that touch more than their cgroup may have; twin: the same without a limit."""

    name = "memory"

    @override
    def draw(self) -> Plan:
        """The limit and the sizes."""
        dice = self.dice
        size = dice.choice([20, 28, 36])
        groups = [] if self.twin else [Group("small", memory_mb=size)]
        args = {"megabytes": float(size - 4)}
        loads = [Load(f"toucher{one}", "memory", args, group=None if self.twin else "small") for one in range(2)]
        return Plan(loads, groups, **self.common(sides=True))

    @override
    def truth(self, facts: Facts) -> Truth:
        """What the kernel's own pressure says."""
        stalled = facts.pressure_us.get("memory", 0)
        say: list[Condition] = []
        if not self.twin:
            say = [{"why": "tasks stalled on memory", "pressure": {"resource": "memory", "least_us": stalled * 0.7}}]
        return Truth(
            f"By the kernel's count tasks stalled {stalled / 1e3:.0f} ms on memory.",
            say,
            [
                waiting("the tasks are pinned", PINNED, least=0.3, least_ms=100, comm="^toucher"),
                waiting("the tasks are throttled", ["throttled"], least=0.1, least_ms=100),
                not_balancer(0.5),
            ],
            ["MEM", "IO_"],
        )


class Softirq(Cause):
    """Timers, or packets of the loopback, and a task that computes now and then on one CPU; twin: without them."""

    name = "softirq"

    @override
    def draw(self) -> Plan:
        """Which of the two."""
        dice = self.dice
        self.cpu = dice.randrange(self.machine.cpus)
        worker = Load("worker", "duty", {"run_ms": 3.0, "sleep_ms": 2.0}, [self.cpu])
        if self.twin:
            return Plan([worker], **self.common())
        kind = dice.choice(["timers", "packets"])
        args = {"period_us": dice.choice([300.0, 600.0])}
        return Plan([Load("storm", kind, args, [self.cpu]), worker], **self.common())

    @override
    def truth(self, facts: Facts) -> Truth:
        """Worker waits for storm and for softirqs on the CPU that it may not leave."""
        waited = facts.waited_ms("worker")
        if self.twin:
            return Truth(f"worker is alone on its CPU and waited {waited:.0f} ms.", [], [nothing_wrong()])
        return Truth(
            f"worker waited {waited:.0f} ms for storm and the softirqs it makes on CPU {self.cpu}.",
            [
                waiting(
                    "both are bound, or interrupts",
                    [*PINNED, "softirq", "interrupt", "wake_up"],
                    least=0.4,
                    comm="^worker",
                )
            ],
            [self.fair_balancer(), waiting("throttled", ["throttled"], least=0.05)],
            ["PINNED_HOTSPOT", "IRQ_STORM"],
        )


class LostEvents(Cause):
    """The recorder stands still and the buffers run over; twin: the same load with room enough."""

    name = "lost"

    @override
    def draw(self) -> Plan:
        """How long the recorder stands still."""
        dice = self.dice
        loads = [Load(f"ping{one}", "ping") for one in range(self.machine.cpus)]
        if self.twin:
            return Plan(loads, **self.common(duration_s=2.0, buffer_kb=32768))
        actions = [
            Action(0.6 + 0.9 * one, stop_recorder_s=round(dice.uniform(0.3, 0.6), 2))
            for one in range(dice.randint(1, 2))
        ]
        return Plan(loads, actions=actions, **self.common(duration_s=3.0, buffer_kb=64))

    @override
    def truth(self, facts: Facts) -> Truth:
        """What is lost is said, and no wait is made of it."""
        if self.twin:
            return Truth(
                f"{facts.lost} events were lost.",
                [],
                [
                    {"why": "events were lost", "lost": {"least": facts.lost + 1}},
                    finding("a medium or high finding about loss", "LOSS|LOST", severity=["medium", "high"]),
                ],
                ["CPU_SATURATED"],
            )
        return Truth(
            f"The kernel lost {facts.lost} events while the recorder stood still.",
            [{"why": "the lost events are counted", "lost": {"least": facts.lost * 0.8}}],
            [
                {"why": "a wait that spans a gap", "longest": {"comm": "^ping", "least_ms": 250}},
                not_balancer(0.6),
            ],
            ["CPU_SATURATED", "LOSS"],
        )


class Truncated(Cause):
    """A file cut somewhere; twin: the whole file, of which nothing is wrong."""

    name = "truncated"

    @override
    def draw(self) -> Plan:
        """Where it is cut."""
        cut = None if self.twin else round(self.dice.uniform(0.1, 0.95), 3)
        return Plan(self.hogs(1, "single"), **self.common(duration_s=1.5, sides=False, cut=cut))

    @override
    def truth(self, facts: Facts) -> Truth:
        """A cut file is refused with the place."""
        if self.twin:
            return Truth(
                f"One loop; the CPUs were idle {facts.idle_share(list(range(self.machine.cpus))):.0%} of the time.",
                [],
                [
                    waiting("waiting beside idle CPUs", ELSEWHERE, least=0.9, least_ms=400),
                    finding("a high finding", ".", severity=["high"]),
                ],
            )
        return Truth(
            f"The file was cut at {self.plan.cut:.1%} of its length.",
            [{"why": "it is refused with the place of the damage", "refused": {"exit": 3, "says": "byte [0-9]"}}],
        )
