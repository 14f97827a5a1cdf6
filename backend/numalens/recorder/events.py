"""Events of a recording: one table, restricted to those of the running kernel."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final


@dataclass(frozen=True)
class Event:
    """A trace event, and the filters that it is only worth recording with: the first one that the kernel takes."""

    system: str
    name: str
    filters: tuple[str, ...] = ()

    @property
    def full_name(self) -> str:
        """As `available_events` has it."""
        return f"{self.system}:{self.name}"


@dataclass(frozen=True)
class Group:
    """Events of one purpose."""

    purpose: str
    system: str
    names: tuple[str, ...]
    light: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()


# Function pointers compare by name since Linux 6.1 (Documentation/trace/events.rst, ".function").
_PSI_WORK: Final = ("function.function == psi_avgs_work",)

_SCHED_LIGHT: Final = (
    "sched_switch",
    "sched_waking",
    "sched_wakeup",
    "sched_wakeup_new",
    "sched_migrate_task",
    "sched_process_fork",
    "sched_process_exec",
    "sched_process_exit",
)
_NUMA_TRIO: Final = ("sched_move_numa", "sched_stick_numa", "sched_swap_numa")
_SCHED_EXT: Final = ("sched_ext_dump", "sched_ext_exit", "sched_ext_bypass_lb")
_SCHED_CALLS: Final = (
    "sched_setaffinity",
    "sched_setscheduler",
    "sched_setattr",
    "sched_setparam",
    "setpriority",
)

GROUPS: Final = (
    Group("run state", "sched", _SCHED_LIGHT, light=_SCHED_LIGHT),
    Group(
        "waits that the kernel itself measures",
        "sched",
        ("sched_stat_iowait", "sched_stat_blocked", "sched_pi_setprio", "sched_wake_idle_without_ipi"),
    ),
    Group(
        "affinity, policy and priority",
        "syscalls",
        tuple(f"sys_{way}_{call}" for call in _SCHED_CALLS for way in ("enter", "exit")),
    ),
    Group("CPUs that go off and on", "cpuhp", ("cpuhp_enter", "cpuhp_multi_enter", "cpuhp_exit")),
    Group("NUMA balancing", "sched", (*_NUMA_TRIO, "sched_skip_vma_numa", "sched_skip_cpuset_numa"), light=_NUMA_TRIO),
    # Counters that grow with each slice of a task are in the samples.
    Group("BPF schedulers", "sched_ext", _SCHED_EXT, light=_SCHED_EXT),
    Group("BPF schedulers", "sched_ext", ("sched_ext_event",), filters=('name != "SCX_EV_REFILL_SLICE_DFL"',)),
    Group("page migration", "migrate", ("mm_migrate_pages", "mm_migrate_pages_start"), light=("mm_migrate_pages",)),
    Group(
        "interrupts",
        "irq",
        ("softirq_raise", "softirq_entry", "softirq_exit", "irq_handler_entry", "irq_handler_exit"),
    ),
    Group("the tick", "timer", ("tick_stop", "hrtimer_expire_entry", "hrtimer_expire_exit")),
    Group("idle states", "power", ("cpu_idle",)),
    Group("calls to other CPUs", "ipi", ("ipi_send_cpu", "ipi_send_cpumask")),
    Group("calls to other CPUs", "csd", ("csd_queue_cpu", "csd_function_entry", "csd_function_exit")),
    Group(
        "cgroups",
        "cgroup",
        ("cgroup_attach_task", "cgroup_transfer_tasks", "cgroup_mkdir", "cgroup_rmdir", "cgroup_rename"),
    ),
    Group("the freezer", "cgroup", ("cgroup_freeze", "cgroup_unfreeze", "cgroup_notify_frozen")),
    Group("signals", "signal", ("signal_generate", "signal_deliver")),
    Group("locks of the kernel", "lock", ("contention_begin", "contention_end")),
    Group("requests of disks", "block", ("block_bio_queue", "block_rq_insert", "block_rq_issue", "block_rq_complete")),
    Group("the averaging of PSI", "workqueue", ("workqueue_execute_start",), filters=_PSI_WORK),
    Group(
        "reclaim",
        "vmscan",
        (
            "mm_vmscan_direct_reclaim_begin",
            "mm_vmscan_direct_reclaim_end",
            "mm_vmscan_memcg_reclaim_begin",
            "mm_vmscan_memcg_reclaim_end",
            "mm_vmscan_node_reclaim_begin",
            "mm_vmscan_node_reclaim_end",
            "mm_vmscan_kswapd_wake",
            "mm_vmscan_kswapd_sleep",
        ),
    ),
    Group(
        "compaction",
        "compaction",
        (
            "mm_compaction_begin",
            "mm_compaction_end",
            "mm_compaction_try_to_compact_pages",
            "mm_compaction_kcompactd_wake",
            "mm_compaction_kcompactd_sleep",
        ),
    ),
)

WHY: Final = (
    Group("system calls", "raw_syscalls", ("sys_enter", "sys_exit")),
    Group("page faults", "exceptions", ("page_fault_user", "page_fault_kernel")),
    Group("children", "sched", ("sched_process_wait",)),
    Group("timers", "timer", ("hrtimer_start", "timer_start", "timer_expire_entry")),
)
"""Events about the sleeps of chosen tasks, which are too many to be recorded of all tasks."""

# The bits of TASK_REPORT (include/linux/sched.h): not those of preempted tasks and of idle threads of the kernel.
SLEEP_STACKS: Final = "stacktrace if prev_state & 127"
"""Trigger of `sched_switch`: the kernel stack of each task that goes to sleep."""
MOST_THREADS: Final = 64
"""Threads that a filter names; the kernel takes a page of text."""


def of_tasks(comms: Iterable[str], pids: Iterable[int]) -> str:
    """The filter for events in the context of tasks, by name and by number; empty for all tasks.

    Raises ValueError, one sentence, for a name that a filter cannot hold and for more tasks than it can.
    """
    terms = [f"common_pid == {pid}" for pid in pids]
    for comm in comms:
        size = len(comm.encode(errors="surrogateescape"))
        if not 0 < size <= 15 or any(character in comm for character in '"\\\n'):  # noqa: PLR2004
            raise ValueError(
                f"{comm!r} cannot be filtered: a name has 1 to 15 bytes and no quote, backslash or line break"
            )
        terms.append(f'comm == "{comm}"')
    if len(terms) > MOST_THREADS:
        raise ValueError(f"system calls of {len(terms)} tasks were requested; choose at most {MOST_THREADS}")
    return " || ".join(terms)


class UnknownEventError(ValueError):
    """An event was requested by a name that the kernel does not know."""


@dataclass(frozen=True)
class Choice:
    """The events to record, and those of the table that this kernel does not have."""

    events: tuple[Event, ...]
    missing: tuple[str, ...] = field(default=())


def choose(
    folder: Path, *, light: bool, more: Iterable[str] = (), syscalls: bool = True, why: str | None = None
) -> Choice:
    """The events below tracefs' `events` folder that the table names, and `more` by name, `system:name` or `system:*`.

    Without `syscalls` the table's events of system calls are left out: while one is on, every call of every task takes the
    kernel's slower way (SYSCALL_WORK_SYSCALL_TRACEPOINT). With `why`, a filter for tasks, also the events of `WHY`.
    Raises UnknownEventError when one of `more` is not there.
    """
    events: dict[str, Event] = {}
    missing: list[str] = []
    for group in GROUPS if syscalls else (group for group in GROUPS if group.system != "syscalls"):
        for name in group.light if light else group.names:
            event = Event(group.system, name, group.filters)
            if _there(folder, event):
                events[event.full_name] = event
            else:
                missing.append(event.full_name)
    for group in () if why is None else WHY:
        for name in group.names:
            # Timers expire in interrupts, whatever task runs.
            ours = group.system != "timer"
            event = Event(group.system, name, (why,) if why and ours else ())
            if _there(folder, event):
                events[event.full_name] = event
            else:
                missing.append(event.full_name)
    for wanted in more:
        for event in _by_name(folder, wanted):
            # Asked for by name: all of it, not the part that the recipe filters.
            events[event.full_name] = event
    return Choice(tuple(events.values()), tuple(missing))


def _there(folder: Path, event: Event) -> bool:
    # An event without an `enable` file has a format but cannot be recorded (all of system ftrace).
    return (folder / event.system / event.name / "enable").exists()


def _by_name(folder: Path, wanted: str) -> list[Event]:
    system, _, name = wanted.rpartition(":")
    pattern = name.replace("[", "[[]").replace("?", "[?]")
    if any("/" in part or ".." in part for part in (system, name)) or not name:
        raise UnknownEventError(f"{wanted!r} is not an event name: expected name, system:name or system:*")
    found = [
        Event(path.parent.parent.name, path.parent.name)
        for path in sorted(folder.glob(f"{system or '*'}/{pattern}/enable"))
    ]
    if not found:
        raise UnknownEventError(
            f"this kernel has no event {wanted!r}; its events are listed in {folder.parent}/available_events"
        )
    return found
