"""Scenarios of what only probes tell: kicks of the idle load balancer, what EEVDF picks."""

from typing_extensions import override

from model import Cause, Facts, Load, Plan, Truth, finding, waiting

# Computing and sleeping, ms: least and most of each.
RHYTHMS = (((0.5, 300.0), (0.3, 150.0)), ((0.3, 12.0), (0.3, 16.0)))
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
