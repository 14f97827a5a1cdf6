"""Scenarios about the scheduler's classes, weights and budgets."""

from typing_extensions import override

from model import (
    ELSEWHERE,
    HIGHER,
    PINNED,
    Cause,
    Condition,
    Facts,
    Group,
    Load,
    Plan,
    Truth,
    finding,
    waiting,
)
from placement import only_busy


class Throttle(Cause):
    """A cgroup's cpu.max on idle CPUs or beside free loops; twin: a quota that is never used up, on busy CPUs."""

    name = "throttle"

    @override
    def draw(self) -> Plan:
        """Quota, period, tasks, and whether others keep the CPUs busy."""
        machine, dice = self.machine, self.dice
        period = dice.choice([20_000, 50_000, 100_000])
        self.crowded = dice.random() < 0.5
        if self.twin:
            group = Group("capped", quota_us=[period * machine.cpus * 2, period])
            return Plan(
                self.hogs(machine.cpus + dice.randint(2, 4), "capped", group="capped"), [group], **self.common()
            )
        group = Group("capped", quota_us=[int(period * dice.uniform(0.2, 0.6)), period])
        loads = self.hogs(dice.randint(1, machine.cpus), "capped", group="capped")
        if self.crowded:
            loads += self.hogs(machine.cpus, "free")
        return Plan(loads, [group], **self.common())

    @override
    def truth(self, facts: Facts) -> Truth:
        """What the kernel's own count of throttling says."""
        counted = facts.groups["capped"]
        if self.twin:
            return only_busy(
                f"The quota was used up in {counted['nr_throttled']} of {counted['nr_periods']} periods; all CPUs are busy."
            )
        if self.plan.sides:
            # A throttled task may wait on one CPU while the kernel counts each CPU of the cgroup.
            least = min(counted["throttled_ns"] / 1e6, facts.waited_ms("capped")) * 0.5
            say = [
                finding(
                    "the cgroup was throttled for as long as the kernel counted",
                    "THROTTLE",
                    least_ms=least,
                    summary="/capped",
                )
            ]
        elif self.crowded:
            say = []
        else:
            causes = ["throttled", "unknown", "idle_unexplained"]
            say = [waiting("throttled, or that nothing recorded says why", causes, least=0.4, comm="^capped")]
        return Truth(
            f"The kernel counted {counted['throttled_ns'] / 1e6:.0f} ms of throttling in {counted['nr_throttled']} of"
            f" {counted['nr_periods']} periods; the tasks waited {facts.waited_ms('capped'):.0f} ms.",
            say,
            [self.fair_balancer()],
            ["CGROUP_THROTTLE", *(["CPU_SATURATED"] if self.crowded else [])],
        )


class RealTime(Cause):
    """A FIFO or RR task and a normal one bound to the same CPU; twin: the hog is a normal task of nice -20."""

    name = "realtime"

    @override
    def draw(self) -> Plan:
        """The hog's rhythm, policy and CPU."""
        dice = self.dice
        self.cpu = dice.randrange(self.machine.cpus)
        args = {"run_ms": dice.choice([30.0, 60.0, 90.0]), "sleep_ms": dice.choice([10.0, 20.0])}
        victim = Load("victim", "duty", {"run_ms": 3.0, "sleep_ms": 5.0}, [self.cpu])
        if self.twin:
            return Plan([Load("hog", "duty", args, [self.cpu], nice=-20), victim], **self.common())
        policy, priority = dice.choice(["fifo", "rr"]), dice.randint(1, 90)
        return Plan([Load("hog", "duty", args, [self.cpu], None, policy, priority), victim], **self.common())

    @override
    def truth(self, facts: Facts) -> Truth:
        """Victim waits for hog."""
        behind: Condition = {
            "why": "victim waited behind hog",
            "behind": {"comm": "^victim", "by": "^hog", "least_ms": 15},
        }
        wrong = [self.fair_balancer(), waiting("all CPUs were busy", ["busy"], least=0.4, comm="^victim")]
        waited = facts.waited_ms("victim")
        if self.twin:
            return Truth(
                f"victim waits {waited:.0f} ms for hog, a normal task of nice -20; both may run on CPU {self.cpu} only.",
                [behind, waiting("both are bound", PINNED, least=0.5, comm="^victim")],
                [
                    *wrong,
                    waiting("real-time tasks", HIGHER, least=0.1, comm="^victim"),
                    finding("a real-time task", "RT_HOG", severity=["medium", "high"]),
                ],
                ["PINNED_HOTSPOT"],
            )
        return Truth(
            f"victim waits {waited:.0f} ms for hog, a real-time task; both may run on CPU {self.cpu} only.",
            [
                behind,
                waiting("the real-time task goes first", HIGHER, least=0.5, comm="^victim"),
                finding("the real-time task", "RT_HOG"),
            ],
            wrong,
            ["RT_HOG", "PINNED_HOTSPOT"],
        )


class Deadline(Cause):
    """A deadline task that wants more than its budget; twin: one that needs less."""

    name = "deadline"

    @override
    def draw(self) -> Plan:
        """Budget and period."""
        dice = self.dice
        period = dice.choice([20_000, 50_000, 100_000])
        self.share = dice.choice([0.2, 0.4])
        budget = [int(period * self.share), period]
        if self.twin:
            run, sleep = budget[0] / 1e3 * 0.3, period / 1e3
            load = Load("budget", "duty", {"run_ms": run, "sleep_ms": sleep}, deadline_us=budget)
        else:
            load = Load("budget", "busy", deadline_us=budget)
        return Plan([load], **self.common())

    @override
    def truth(self, facts: Facts) -> Truth:
        """It is held back when its runtime is used up."""
        ran = facts.run_ns.get("budget", 0) / facts.elapsed_ns
        if self.twin:
            return Truth(
                f"The task never used up its budget of {self.share:.0%}, it ran for {ran:.0%} of the time.",
                [],
                [
                    waiting("throttled", ["throttled"], least=0.5, least_ms=100),
                    finding("a finding", ".", severity=["high"]),
                ],
            )
        return Truth(
            f"The task computes without end, has a budget of {self.share:.0%} and got {ran:.0%} of a CPU; all others are idle.",
            [waiting("its budget was used up", ["throttled"], least=0.7, comm="^budget")],
            [self.fair_balancer(), waiting("pinning", PINNED, least=0.3, comm="^budget")],
            ["CGROUP_THROTTLE"],
        )


class RtRuntime(Cause):
    """A FIFO loop beyond sched_rt_runtime_us; twin: no such limit, and a normal task starves."""

    name = "rt_runtime"
    guest_only = True
    # Since 6.12 a deadline server gives normal tasks their turn instead (sched/rt.c, "Remove default bandwidth control").
    kernels = ((0, 0), (6, 12))

    @override
    def draw(self) -> Plan:
        """The limit."""
        self.cpu = self.dice.randrange(self.machine.cpus)
        limit = "-1" if self.twin else str(self.dice.choice([300_000, 500_000, 800_000]))
        loads = [Load("rtloop", "busy", {}, [self.cpu], None, "fifo", 20)]
        if self.twin:
            loads.append(Load("victim", "duty", {"run_ms": 3.0, "sleep_ms": 5.0}, [self.cpu]))
        return Plan(loads, settings={"/proc/sys/kernel/sched_rt_runtime_us": limit}, **self.common(duration_s=5.0))

    @override
    def truth(self, facts: Facts) -> Truth:
        """The loop's own waiting is throttling, or there is none."""
        ran = facts.run_ns.get("rtloop", 0) / facts.elapsed_ns
        if self.twin:
            return Truth(
                f"rtloop is never held back (ran {ran:.0%}); victim, bound to the same CPU, starves.",
                [waiting("the real-time task goes first", HIGHER, least=0.5, comm="^victim")],
                [self.fair_balancer(), waiting("throttled", ["throttled"], least=0.1)],
                ["RT_HOG", "PINNED_HOTSPOT"],
            )
        return Truth(
            f"rtloop computes without end on CPU {self.cpu} and ran for {ran:.0%} of the time: the limit of real-time tasks.",
            [waiting("the real-time budget was used up", ["throttled"], least=0.6, comm="^rtloop")],
            [self.fair_balancer(), waiting("pinning", PINNED, least=0.3, comm="^rtloop")],
            # Kernel threads that are bound to its CPU wait behind it.
            ["CGROUP_THROTTLE", "RT_HOG"],
        )


class Priority(Cause):
    """A SCHED_IDLE or nice 19 task beside a normal one on the same CPU; twin: the same with a CPU for each."""

    name = "priority"

    @override
    def draw(self) -> Plan:
        """Which of the two, where."""
        dice = self.dice
        self.cpu = dice.randrange(self.machine.cpus)
        idle = dice.random() < 0.5
        how = {"policy": "idle"} if idle else {"nice": 19}
        cpus = self.some_cpus(2)
        low = Load("low", "busy", cpus=[cpus[0] if self.twin else self.cpu], **how)
        loads = [low, *self.hogs(1, "normal", cpus=[cpus[1] if self.twin else self.cpu])]
        return Plan(loads, **self.common())

    @override
    def truth(self, facts: Facts) -> Truth:
        """Low waits for normal since it counts less, on a CPU that it may not leave."""
        waited = facts.waited_ms("low")
        if self.twin:
            return Truth(
                f"low has a CPU of its own and waited {waited:.0f} ms.",
                [],
                [finding("a high finding", ".", severity=["high"])],
            )
        return Truth(
            f"low waits {waited:.0f} ms for normal1 because of its weight, and since both are bound to CPU {self.cpu}.",
            [
                {"why": "low waits behind normal1", "behind": {"comm": "^low", "by": "^normal", "least_ms": 20}},
                waiting("both are bound", PINNED, least=0.5, comm="^low"),
            ],
            [self.fair_balancer(), waiting("throttled", ["throttled", *HIGHER], least=0.1)],
            ["PINNED_HOTSPOT"],
        )


class Weights(Cause):
    """Two cgroups of very different cpu.weight on one CPU; twin: the same cgroups with room for all."""

    name = "weights"

    @override
    def draw(self) -> Plan:
        """The weights."""
        dice = self.dice
        self.cpu = dice.randrange(self.machine.cpus)
        groups = [Group("heavy", weight=dice.choice([500, 2000])), Group("light", weight=dice.choice([10, 25, 50]))]
        cpus = None if self.twin else [self.cpu]
        loads = [Load("light1", "busy", {}, cpus, "light"), *self.hogs(1, "heavy", cpus=cpus, group="heavy")]
        return Plan(loads, groups, **self.common())

    @override
    def truth(self, facts: Facts) -> Truth:
        """The light one starves where they share a CPU."""
        waited = facts.waited_ms("light")
        if self.twin:
            return Truth(
                f"There is a CPU for each; the light task waited {waited:.0f} ms.",
                [],
                [
                    waiting("throttled", ["throttled"], least=0.1, least_ms=50),
                    finding("a high finding", ".", severity=["high"]),
                ],
            )
        return Truth(
            f"light1 waited {waited:.0f} ms behind heavy1: weights, and both are bound to CPU {self.cpu}.",
            [
                {"why": "light1 waits behind heavy1", "behind": {"comm": "^light", "by": "^heavy", "least_ms": 20}},
                waiting("both are bound", PINNED, least=0.5, comm="^light"),
            ],
            [self.fair_balancer(), waiting("throttled", ["throttled"], least=0.1)],
            ["PINNED_HOTSPOT"],
        )


class Restless(Cause):
    """A real-time task that roams all CPUs and drives normal loops away; twin: a normal task that does the same."""

    name = "roaming"

    @override
    def draw(self) -> Plan:
        """As many loops as CPUs, and one more that sleeps in between."""
        dice = self.dice
        args = {"run_ms": dice.choice([8.0, 20.0, 40.0]), "sleep_ms": dice.choice([5.0, 15.0])}
        how = {} if self.twin else {"policy": "fifo", "priority": 40}
        return Plan([Load("roamer", "duty", args, **how), *self.hogs(self.machine.cpus, "loop")], **self.common())  # type: ignore[arg-type] # fields of Load

    @override
    def truth(self, facts: Facts) -> Truth:
        """All CPUs are busy; a part of them with a task of a higher class."""
        if self.twin:
            return only_busy(f"One task more than CPUs; {facts.waited_ms():.0f} ms waited.")
        return Truth(
            f"All CPUs are busy, one of them with a real-time task, behind which loops waited {facts.waited_ms('loop'):.0f} ms.",
            [waiting("a real-time task or busy CPUs", [*HIGHER, "busy"], least=0.6)],
            [self.fair_balancer(), waiting("pinning", PINNED, least=0.25), waiting("idle CPUs", ELSEWHERE, least=0.5)],
            ["RT_HOG", "CPU_SATURATED"],
        )
