"""Tasks of a BPF scheduler that keeps some of them waiting; the scheduler is `hold.bpf.c`, loaded by bpftool in a guest.

The guest's kernel has CONFIG_SCHED_CLASS_EXT (Debian's since 7.x). `SCENARIO_BPFTOOL` names a bpftool that runs in the guest
and knows its kernel; clang makes the object.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from typing_extensions import override

from model import Cause, Facts, Load, Machine, Plan, Truth, finding, waiting

SOURCE: Final = Path(__file__).with_name("hold.bpf.c")
CACHE: Final = Path("~/.cache/numalens-kernels").expanduser()
HELD_MS: Final = 40


def _clang() -> str | None:
    return shutil.which("clang") or shutil.which("clang-14")


def compiled(hold_ms: int) -> Path:
    """The scheduler's object."""
    CACHE.mkdir(parents=True, exist_ok=True)
    out = CACHE / f"hold-{hold_ms}.bpf.o"
    command = [str(_clang()), "-O2", "-g", "-target", "bpf", f"-DHOLD_MS={hold_ms}", "-c", str(SOURCE), "-o", str(out)]
    subprocess.run(command, check=True)
    return out


@contextmanager
def loaded(bpf: list[str]) -> Iterator[None]:
    """Has the machine run a BPF scheduler, by bpftool and an object; none without them."""
    if not bpf:
        yield
        return
    tool, source = bpf
    subprocess.run([tool, "struct_ops", "register", source], check=True)
    try:
        yield
    finally:
        # The watchdog may have disabled it.
        subprocess.run([tool, "struct_ops", "unregister", "name", "hold"], check=False)


class SchedExt(Cause):
    """The scheduler holds tasks, for a while or until the watchdog comes; twin: the same scheduler, and all CPUs are busy."""

    name = "sched_ext"
    guest_only = True
    kernels = ((6, 14), (99, 0))
    needs = "a kernel from 6.14 on, clang, and a bpftool that runs in the guest, named by SCENARIO_BPFTOOL"

    @override
    def draw(self) -> Plan:
        """For how long it holds whom."""
        dice = self.dice
        self.stall = not self.twin and dice.random() < 0.5
        bpf = [os.environ["SCENARIO_BPFTOOL"], str(compiled(0 if self.stall else HELD_MS))]
        common = self.common(sides=True, early=False, duration_s=4.0)
        if self.twin:
            return Plan(self.hogs(self.machine.cpus * 2, "many"), bpf=bpf, **common)
        held = Load("held", "sleeper", {"sleep_ms": 30.0})
        # Something must make the CPUs look for tasks.
        return Plan([held, Load("clock", "sleeper", {"sleep_ms": 5.0})], bpf=bpf, **common)

    @override
    @classmethod
    def runs_on(cls, machine: Machine) -> bool:
        """It needs a bpftool and clang."""
        return super().runs_on(machine) and "SCENARIO_BPFTOOL" in os.environ and _clang() is not None

    @override
    def truth(self, facts: Facts) -> Truth:
        """The scheduler is why, and no balancer."""
        named = finding("the BPF scheduler", "^SCX_")
        causes = ["scx_queued", "scx_stalled"]
        if self.twin:
            sentence = f"A BPF scheduler is loaded and all CPUs are busy; tasks waited {facts.waited_ms('many'):.0f} ms for them."
            wrong = waiting("the scheduler is accused of what busy CPUs are", causes, most=0.1)
            return Truth(
                sentence, [waiting("all CPUs are busy", ["busy"], least=0.5), wrong], [named], ["CPU_SATURATED"]
            )
        how = "until the watchdog disabled it" if self.stall else f"for {HELD_MS} ms or a little more at a time"
        cause, ids = ("scx_stalled", "SCX_STALLED") if self.stall else ("scx_queued", "SCX_QUEUED")
        return Truth(
            f"A BPF scheduler holds the task held {how}, while CPUs are idle.",
            [waiting("the scheduler holds it", [cause], least=0.5, comm="^held"), finding("it is named", ids)],
            [self.fair_balancer()],
            ["SCX_QUEUED", "SCX_STALLED"],
        )
