"""Scenarios of what only probes tell: kicks of the idle load balancer, what EEVDF picks."""

from typing import Final

from typing_extensions import override

from model import Cause, Condition, Facts, Load, Machine, Plan, Truth, finding, waiting

# Computing and sleeping, ms: least and most of each.
RHYTHMS = (((0.5, 300.0), (0.3, 150.0)), ((0.3, 12.0), (0.3, 16.0)))
# Kernels from which update_sg_wakeup_stats looks only at CPUs that the task may use (82d6e01): a stable one, and all.
FIXED: Final = ((6, 12, 100), (6, 19))
NODES: Final = 2
EACH: Final = 4
PICKED = ["not_eligible", "later_deadline", "slice_protected"]


class Kicks(Cause):
    """Tasks that compute and sleep for random times, so that idle CPUs are kicked; twin: no CPU is ever idle."""

    name = "kicks"
    guest_only = True
    # nohz_csd_func is there since 5.8.
    kernels = ((5, 8), (99, 0))
    needs = "a kernel from 5.8 on"

    @override
    def draw(self) -> Plan:
        """How many tasks, and in which rhythm."""
        machine, dice = self.machine, self.dice
        how = self.common(sides=True, early=True, duration_s=8.0, buffer_kb=16384, probes=["ilb"])
        if self.twin:
            # Guests are slow while all CPUs compute; the recording ends before the loops do.
            return Plan(self.hogs(machine.cpus * 2, "many"), **{**how, "duration_s": 4.0, "outlive": True})
        count = dice.randint(max(2, machine.cpus // 3), machine.cpus + 2)
        self.run, self.sleep = dice.choice(RHYTHMS)
        args = {
            "run_ms": self.run[0],
            "run_most_ms": self.run[1],
            "sleep_ms": self.sleep[0],
            "sleep_most_ms": self.sleep[1],
        }
        loads = [Load(f"worker{one}", "duty", {**args, "seed": float(dice.randrange(1 << 20))}) for one in range(count)]
        return Plan(loads, **how)

    @override
    def truth(self, facts: Facts) -> Truth:
        """What the rules say of each tick is what the kernel did."""
        if self.twin:
            return Truth(
                f"All CPUs are busy, by {len(self.plan.loads)} loops: there is nobody to kick.",
                [waiting("all CPUs are busy", ["busy"], least=0.7)],
                [{"why": "an idle CPU was kicked", "kicked": {"least": 5}}, self.fair_balancer()],
                ["CPU_SATURATED"],
            )
        return Truth(
            f"{len(self.plan.loads)} tasks compute {self.run[0]} to {self.run[1]:.0f} ms and sleep {self.sleep[0]} to "
            f"{self.sleep[1]:.0f} ms, and CPUs were idle {facts.idle_share(list(range(self.machine.cpus))):.0%} of the time.",
            [
                {
                    "why": "each kick follows from what its tick found, and the other way round",
                    "kicks_explained": {"least": 0.97},
                }
            ],
            [waiting("pinning", ["pinned"], least=0.2, least_ms=200, comm="^worker")],
            ["CPU_SATURATED", "^ILB_"],
        )


class Picks(Cause):
    """More tasks of several weights than CPUs, so that each pick leaves some; twin: a CPU for each task."""

    name = "picks"
    guest_only = True
    # EEVDF.
    kernels = ((6, 6), (99, 0))
    needs = "a kernel from 6.6 on, which has EEVDF"

    @override
    def draw(self) -> Plan:
        """How many tasks, how nice."""
        machine, dice = self.machine, self.dice
        how = self.common(sides=True, early=True, duration_s=8.0, buffer_kb=16384, probes=["numa", "eevdf", "pelt"])
        args = {"run_ms": 1.0, "run_most_ms": dice.choice([20.0, 60.0]), "sleep_ms": 0.3, "sleep_most_ms": 8.0}
        count = max(1, machine.cpus - 1) if self.twin else machine.cpus * 2 + dice.randint(1, 3)
        return Plan(
            [
                Load(
                    f"worker{one}",
                    "duty",
                    {**args, "seed": float(dice.randrange(1 << 20))},
                    cpus=[one] if self.twin else None,
                    nice=0 if self.twin else dice.choice([0, 0, 5, 10]),
                )
                for one in range(count)
            ],
            **how,
        )

    @override
    def truth(self, facts: Facts) -> Truth:
        """Waits say which rule of the pick left the task."""
        waited = facts.waited_ms("worker")
        named = waiting("a pick left the tasks", PICKED, least=0.5, least_ms=200, comm="^worker")
        if self.twin:
            return Truth(
                f"There is a CPU for each task; they waited {waited:.0f} ms.",
                [],
                [named, self.fair_balancer(), finding("a lack of CPUs", "CPU_SATURATED", severity=["medium", "high"])],
                [],
            )
        return Truth(
            f"There are more tasks than CPUs; they waited {waited:.0f} ms while others were picked.",
            [waiting("a rule of the pick left the tasks", PICKED, least=0.5, comm="^worker")],
            [waiting("pinning", ["pinned"], least=0.1), self.fair_balancer()],
            ["CPU_SATURATED"],
        )


class Placements(Cause):
    """Wakeups and forks of one kind of load, with the probe of placements; twin: without the probe."""

    name = "placements"
    guest_only = True
    kernels = ((5, 15), (99, 0))
    needs = "a kernel from 5.15 on"

    @override
    def draw(self) -> Plan:
        """The kind of load, and its numbers."""
        kinds = (self._messages, self._dispatchers, self._pinned, self._forks)
        loads = self.dice.choice(kinds)()
        probes = [] if self.twin else ["placement"]
        how = {"sides": True, "early": False, "outlive": False, "duration_s": 2.5, "buffer_kb": 16384, "probes": probes}
        return Plan(loads, **self.common(**how))

    def _messages(self) -> list[Load]:
        return [
            Load(f"mail{one}", "messages", {"pairs": float(self.dice.randint(2, 5)), "bytes": 100.0}) for one in "ab"
        ]

    def _dispatchers(self) -> list[Load]:
        pools = [Load(f"pool{one}", "pool", self._children(5)) for one in "ab"]
        return [*pools, Load("beat", "sleeper", {"sleep_ms": 2.0})]

    def _children(self, most: int) -> dict[str, float]:
        return {"children": float(self.dice.randint(2, most)), "child_ms": round(self.dice.uniform(0.3, 2.0), 1)}

    def _pinned(self) -> list[Load]:
        rhythm = {"run_ms": 0.2, "run_most_ms": 3.0, "sleep_ms": 0.2, "sleep_most_ms": 4.0}
        masks = (self.some_cpus(1), self.some_cpus(1), self.some_cpus(2), self.machine.node_cpus(0), None)
        duties = [
            Load(f"duty{number}", "duty", {**rhythm, "seed": float(self.dice.randrange(1 << 20))}, cpus=mask)
            for number, mask in enumerate(masks)
        ]
        pair = Load("pair", "ping", cpus=self.some_cpus(2))
        return [
            *duties,
            pair,
            Load("pool", "pool", self._children(3), cpus=self.machine.node_cpus(self.machine.nodes - 1)),
        ]

    def _forks(self) -> list[Load]:
        most = self.machine.cpus * 3 // 4
        return [
            Load("bound", "forks", self._children(3), cpus=self.some_cpus(most)),
            Load("free", "forks", self._children(2)),
        ]

    @override
    def truth(self, _facts: Facts) -> Truth:
        """Some rule gives each recorded CPU."""
        kinds = ", ".join(sorted({load.kind for load in self.plan.loads}))
        why = "the rules give the recorded CPUs, mostly for one reason"
        return Truth(
            f"Wakeups and forks of {kinds}, {'without' if self.twin else 'with'} the probe of placements.",
            [{"why": why, "placed": {"least": 0.995 if self.twin else 0.99, "one_reason": 0.7}}],
            [{"why": "forbidden CPUs were counted", "missed": {"by": "fork_affinity", "least": 1}}],
            ["."],
        )


class ForkMask(Cause):
    """Forks of a task that may use one busy CPU of a node whose other CPUs are idle; twin: it may use all of them."""

    name = "fork_mask"
    guest_only = True
    kernels = ((5, 15), (99, 0))
    needs = "a kernel from 5.15 on, and two nodes of four CPUs"

    @override
    @classmethod
    def runs_on(cls, machine: Machine) -> bool:
        """Whether enough CPUs of the other node are idle."""
        return super().runs_on(machine) and machine.nodes == NODES and machine.cpus >= NODES * EACH

    @override
    def draw(self) -> Plan:
        """How long a child computes."""
        half, cpus = self.machine.cpus // 2, self.machine.cpus
        args = {"children": 1.0, "child_ms": round(self.dice.uniform(1.0, 3.0), 1)}
        parent = Load("parent", "forks", args, cpus=list(range(cpus if self.twin else half + 1)))
        hogs = [Load("near", "busy", cpus=[0]), Load("far", "busy", cpus=[half])]
        how = {"sides": True, "early": True, "outlive": True, "duration_s": 2.5, "buffer_kb": 16384}
        return Plan([parent, *hogs], **self.common(**how))

    @override
    def truth(self, facts: Facts) -> Truth:
        """Kernels before 6.12.100 and 6.19 send children to the busy CPU; in between it depends on the stable release."""
        half, kernel = self.machine.cpus // 2, self.machine.kernel
        counted: Condition = {"by": "fork_affinity", "least": 5}
        says = [{"why": "forbidden idle CPUs were counted", "missed": counted}]
        sentence = f"{facts.forked} children; their parent may use CPU {half} of the second node, which is busy"
        if self.twin:
            return Truth(f"{facts.forked} children, which may use all CPUs.", [], says, ["."])
        if (6, 12) <= kernel < FIXED[0]:
            return Truth(f"{sentence}, and the kernel counts idle CPUs there that they may not use.", says, [], ["."])
        if FIXED[0] <= kernel < (6, 13) or kernel >= FIXED[1]:
            return Truth(f"{sentence}. The kernel counts only CPUs that they may use.", [], says, ["."])
        return Truth(f"{sentence}.", [], [], ["."])
