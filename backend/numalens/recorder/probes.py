"""Probes on functions of the kernel without a tracepoint, set for a recording and removed after it.

They are events of the group `numalens` in `dynamic_events` (Documentation/trace/kprobetrace.rst, fprobetrace.rst). All
recorders of a machine share them: the kernel refuses to remove one that is still recorded somewhere, and the last one that ends
removes it.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Final

from numalens.recorder.btf import VMLINUX, Layout, layout
from numalens.recorder.events import Event
from numalens.recorder.files import read_text
from numalens.recorder.tracefs import CannotRecordError
from numalens.recorder.watchdog import PROBES, append, dynamic_events

RETURN: Final = "_ret"
# Tasks that are inside the function at a time: it runs preemptible, so that many may be (Documentation/trace/kprobes.rst).
MOST_INSIDE: Final = 256


@dataclass(frozen=True)
class Probe:
    """A function, or a tracepoint without an event, and its recorded values."""

    names: tuple[str, ...]
    """Names in kernels; if one has several, the first counts."""
    arguments: tuple[str, ...] = ()
    """Values fetched at its entry, the most important first.

    `{rq.cpu}` is a member's offset, `{nohz.a|b}` that of the first that exists. `{task_struct.pid-task_struct.se}` is the
    distance between two members, and `{cfs_rq.avg+sched_avg.load_avg}` a member of a member. Values that a kernel rejects are
    left out, from the end on.
    """
    results: tuple[str, ...] = ()
    """Values fetched at its return, in the same form."""
    entry: bool = True
    """True if its entry is recorded."""
    returns: bool = True
    """True if its return is recorded."""
    needed: bool = False
    """Without it the preset is refused."""
    bare: bool = True
    """True if it is useful without fetched values."""
    tracepoint: bool = False
    unless: str = ""
    """Event with the same information; where the kernel has it, nothing is probed."""


_RQ_CPU: Final = "cpu=+{rq.cpu}($arg1):s32"
_TICK: Final = (
    (
        "nr_running=+{rq.nr_running}($arg1):u32 idle_balance=+{rq.idle_balance}($arg1):u8 "
        "next_balance=+{rq.next_balance}($arg1):u64"
    ),
    "capacity=+{rq.cpu_capacity}($arg1):u64 imbalance_pct=+{sched_domain.imbalance_pct}(+{rq.sd}($arg1)):u32",
    (
        "jiffies=@jiffies:u64 nohz_next_balance=@nohz+{nohz.next_balance}:u64 nohz_next_blocked=@nohz+{nohz.next_blocked}:u64 "
        "has_blocked=@nohz+{nohz.has_blocked|has_blocked_load}:s32 needs_update=@nohz+{nohz.needs_update}:s32"
    ),
)
_CALL: Final = "cpu=$arg1:s32 func=+{__call_single_data.func}($arg2):symbol"
# Flags that say whether it is a wake-up, in a union without a name.
_CALL_TYPE: Final = "cpu=$arg1:s32 type=+{__call_single_node.}($arg2):u32"
_ENTITY: Final = (
    "cpu=+{rq.cpu}(+{cfs_rq.rq}($arg1)):s32 cfs_rq=$arg1:u64 entity=$arg2:u64 parent=+{sched_entity.parent}($arg2):u64 "
    "group=+{sched_entity.my_q}($arg2):u64 pid=+{task_struct.pid-task_struct.se}($arg2):s32 "
    "vruntime=+{sched_entity.vruntime}($arg2):u64 deadline=+{sched_entity.deadline}($arg2):u64 "
    "slice=+{sched_entity.slice}($arg2):u64 weight=+{sched_entity.load}($arg2):u64"
)
_QUEUE: Final = "(+{sched_entity.cfs_rq}($retval))"
_CURRENT: Final = "(+{cfs_rq.curr}" + _QUEUE + ")"
# Of the queue's sums the first name is that of 6.19 and 7.0, and of what was brought from there into older kernels.
_PICK: Final = (
    (
        "cpu=+{rq.cpu}(+{cfs_rq.rq}" + _QUEUE + "):s32 cfs_rq=+{sched_entity.cfs_rq}($retval):u64 entity=$retval:u64 "
        "vruntime=+{sched_entity.vruntime}($retval):u64 deadline=+{sched_entity.deadline}($retval):u64 "
        "zero=+{cfs_rq.zero_vruntime|min_vruntime}" + _QUEUE + ":u64 "
        "sum=+{cfs_rq.sum_w_vruntime|avg_vruntime}"
        + _QUEUE
        + ":s64 load=+{cfs_rq.sum_weight|avg_load}"
        + _QUEUE
        + ":s64 "
        "current=+{cfs_rq.curr}" + _QUEUE + ":u64 current_on_rq=+{sched_entity.on_rq}" + _CURRENT + ":u8 "
        "current_vruntime=+{sched_entity.vruntime}" + _CURRENT + ":u64 "
        "current_deadline=+{sched_entity.deadline}" + _CURRENT + ":u64 "
        "current_weight=+{sched_entity.load}" + _CURRENT + ":u64"
    ),
    "shift=+{cfs_rq.sum_shift}" + _QUEUE + ":u8",
)


def _averages(average: str) -> str:
    """Fetched values of a `struct sched_avg`, a member."""
    members = ("load_avg", "runnable_avg", "util_avg")
    return " ".join(f"{one}=+{{{average}+sched_avg.{one}}}($arg1):u64" for one in members)


def _pelt(name: str, average: str) -> Probe:
    """A tracepoint that is given a runqueue of which `average` has changed."""
    return Probe((name,), (f"{_RQ_CPU} {_averages(average)}",), bare=False, tracepoint=True)


_QUEUE_CPU: Final = "cpu=+{rq.cpu}(+{cfs_rq.rq}($arg1)):s32 cfs_rq=$arg1:u64"
# The queue of the root group has no parent; the rest is what balancing reads of it.
_QUEUE_KIND: Final = "parent=+{task_group.parent}(+{cfs_rq.tg}($arg1)):u64"
# Up to 6.7 a structure of its own, which begins with what tasks on the queue are expected to use.
_ESTIMATED: Final = "util_est=+{cfs_rq.avg+sched_avg.util_est}($arg1):u32"
_ENTITY_OF: Final = (
    "cpu=+{rq.cpu}(+{cfs_rq.rq}(+{sched_entity.cfs_rq}($arg1))):s32 entity=$arg1:u64 group=+{sched_entity.my_q}($arg1):u64 "
    "pid=+{task_struct.pid-task_struct.se}($arg1):s32"
)
_DOMAIN_SHARED: Final = "(+{sched_domain.shared}($arg2))"
PRESETS: Final = {
    "numa": (Probe(("task_numa_work",), needed=True),),
    # kernel/sched/fair.c and core.c; the names of before 6.10 come second.
    "ilb": (
        Probe(("nohz_csd_func",), ("nohz_flags=+{rq.nohz_flags}($arg1):u32",), needed=True),
        Probe(("_nohz_idle_balance",), ("flags=$arg2:u32",)),
        Probe(("sched_balance_trigger", "trigger_load_balance"), _TICK, returns=False),
        Probe(("nohz_balance_enter_idle",), ("cpu=$arg1:s32",), returns=False),
        # kernel/smp.c and core.c, before 6.5: which CPU kicks or wakes which, and which takes the tasks that were woken so.
        Probe(("smp_call_function_single_async",), (_CALL,), returns=False, bare=False, unless="csd/csd_queue_cpu"),
        Probe(("__smp_call_single_queue",), (_CALL_TYPE,), returns=False, bare=False, unless="csd/csd_queue_cpu"),
        Probe(("sched_ttwu_pending",), returns=False, unless="csd/csd_function_entry"),
        Probe(("nohz_balancer_kick",), returns=False),
        Probe(("kick_ilb",), ("flags=$arg1:u32",), returns=False),
        Probe(("sched_balance_domains", "rebalance_domains"), (_RQ_CPU,)),
        Probe(("sched_balance_newidle", "newidle_balance"), (_RQ_CPU,), ("moved=$retval:s32",)),
        Probe(
            ("sched_balance_rq", "load_balance"),
            ("cpu=$arg1:s32 idle=$arg4:u32", "span=+{sched_domain.span_weight}($arg3):u32"),
            ("moved=$retval:s32",),
        ),
        Probe(
            ("sched_update_nr_running_tp",),
            ("cpu=+{rq.cpu}($arg1):s32 change=$arg2:s32 nr_running=+{rq.nr_running}($arg1):u32",),
            bare=False,
            tracepoint=True,
        ),
    ),
    # kernel/sched/fair.c of 6.6 and later: who becomes one to be picked, and who is picked of them.
    "eevdf": (
        Probe(("__enqueue_entity",), (_ENTITY,), returns=False, needed=True, bare=False),
        # 6.19 and 7.0 have it as __pick_eevdf, which wakeups call as well.
        Probe(("__pick_eevdf", "pick_eevdf"), results=_PICK, entry=False, needed=True, bare=False),
    ),
    # kernel/sched/fair.c of 5.15 and later: which CPU a wakeup or fork selects, from where it searches, and how far.
    "placement": (
        Probe(
            ("select_task_rq_fair",),
            ("pid=+{task_struct.pid}($arg1):s32 prev=$arg2:s32 wake_flags=$arg3:u32",),
            ("chosen=$retval:s32",),
            needed=True,
            bare=False,
        ),
        Probe(
            ("wake_affine",),
            ("waker_cpu=$arg3:s32 prev=$arg4:s32 sync=$arg5:s32",),
            ("chosen=$retval:s32",),
            bare=False,
        ),
        Probe(("select_idle_sibling",), ("prev=$arg2:s32 target=$arg3:s32",), ("chosen=$retval:s32",), bare=False),
        Probe(
            ("select_idle_cpu",),
            ("target=$arg4:s32", "nr_idle_scan=+{sched_domain_shared.nr_idle_scan}" + _DOMAIN_SHARED + ":s32"),
            ("chosen=$retval:s32",),
            bare=False,
        ),
    ),
    # include/trace/events/sched.h: tracepoints that are no events, whenever an average of kernel/sched/pelt.c changes.
    "pelt": (
        Probe(
            ("pelt_cfs_tp",),
            (
                f"{_QUEUE_CPU} {_QUEUE_KIND} {_averages('cfs_rq.avg')} capacity=+{{rq.cpu_capacity}}(+{{cfs_rq.rq}}($arg1)):u64",
                _ESTIMATED,
            ),
            needed=True,
            bare=False,
            tracepoint=True,
        ),
        _pelt("pelt_rt_tp", "rq.avg_rt"),
        _pelt("pelt_dl_tp", "rq.avg_dl"),
        _pelt("pelt_irq_tp", "rq.avg_irq"),
        Probe(("pelt_se_tp",), (f"{_ENTITY_OF} {_averages('sched_entity.avg')}",), bare=False, tracepoint=True),
        Probe(
            ("sched_util_est_cfs_tp",),
            (f"{_QUEUE_CPU} {_QUEUE_KIND} {_ESTIMATED}",),
            bare=False,
            tracepoint=True,
        ),
        Probe(
            ("sched_util_est_se_tp",),
            (f"{_ENTITY_OF} util_est=+{{sched_entity.avg+sched_avg.util_est}}($arg1):u32",),
            bare=False,
            tracepoint=True,
        ),
        Probe(("sched_overutilized_tp",), ("overutilized=$arg2:u8",), bare=False, tracepoint=True),
    ),
}
"""Probed functions, by purpose."""
_STRUCTURES: Final = (
    *("rq", "sched_domain", "cfs_rq", "sched_entity", "task_struct"),
    *("sched_avg", "sched_domain_shared", "task_group", "__call_single_node", "__call_single_data"),
)
# The variable `nohz` (kernel/sched/fair.c) is of a structure without a name.
_UNNAMED: Final = {"nohz": "idle_cpus_mask"}


class UnknownProbeError(ValueError):
    """A requested preset does not exist."""


def probes(wanted: Iterable[str]) -> tuple[Probe, ...]:
    """Probes of some presets, each once. Raises UnknownProbeError."""
    found: dict[Probe, None] = {}
    for name in wanted:
        if name not in PRESETS:
            raise UnknownProbeError(f"--probe {name} is not known; available: {', '.join(PRESETS)}")
        found.update(dict.fromkeys(PRESETS[name]))
    return tuple(found)


def symbol(function: str, symbols: str) -> str | None:
    """Name of a function in `/proc/kallsyms`, where compilers add `.isra.0`; None when it does not exist.

    The compiler's `.cold` parts of rarely run code are not functions: they are jumped to.
    """
    found = re.findall(rf"^\S+ [tT] ({re.escape(function)}(?:\.\S+)?)(?=\s|$)", symbols, re.MULTILINE)
    whole = [name for name in found if ".cold" not in name]
    return min(whole, key=len, default=None)


def _offset(member: str, members: Layout) -> int | None:
    """Offset of a member, or of the first of several that exists, in bytes."""
    name, _, choice = member.partition(".")
    return next((members[name][one] for one in choice.split("|") if one in members.get(name, {})), None)


def fetched(arguments: Iterable[str], members: Layout) -> Iterator[str]:
    """Possible arguments of an entry on this kernel, the longest first; the last one is empty."""
    known: list[str] = []
    for group in arguments:
        parts: list[str] = []
        for part in re.split(r"(\{[^}]*\})", group):
            if part.startswith("{"):
                signed = re.findall(r"([+-]?)([^+-]+)", part[1:-1])
                offsets = [(sign, _offset(one, members)) for sign, one in signed]
                known_all = [-one if sign == "-" else one for sign, one in offsets if one is not None]
                parts.append(str(sum(known_all)) if len(known_all) == len(offsets) else "")
            else:
                parts.append(part)
        if all(parts[1::2]):
            known.append("".join(parts))
    for count in range(len(known), -1, -1):
        yield " ".join(known[:count])


def definitions(probe: Probe, function: str, name: str, members: Layout) -> Iterator[tuple[tuple[str, str], ...]]:
    """The ways to set a probe: event and line of each part; by kprobes, else by fprobes (6.4), of tracepoints as such (6.5)."""
    back = f"{function}{RETURN}"
    ways = list(product(fetched(probe.arguments, members), fetched(probe.results, members)))
    if not probe.bare:
        ways = [way for way in ways if any(way)]
    for kind in "t" if probe.tracepoint else "pf":
        for arguments, results in ways:
            parts = []
            if probe.entry:
                parts.append((function, f"{kind}:{PROBES}/{function} {name} {arguments}".rstrip()))
            if probe.returns and not probe.tracepoint:
                returns = (
                    f"r{MOST_INSIDE}:{PROBES}/{back} {name}" if kind == "p" else f"f:{PROBES}/{back} {name}%return"
                )
                parts.append((back, f"{returns} {results}".rstrip()))
            yield tuple(parts)


def install(
    tracefs: Path, wanted: Iterable[Probe], symbols: str | None = None, btf: Path = VMLINUX
) -> tuple[tuple[Event, ...], list[str]]:
    """Sets probes; returns their events, and the functions that the kernel does not allow to be probed.

    `symbols` is the text of `/proc/kallsyms`, `btf` the kernel's description of types. Raises CannotRecordError.
    """
    file = dynamic_events(tracefs)
    if file is None:
        raise CannotRecordError(
            "this kernel has no probes (CONFIG_KPROBE_EVENTS is off); record without --probe, or on a kernel that has them"
        )
    wanted = tuple(probe for probe in wanted if not probe.unless or not (tracefs / "events" / probe.unless).exists())
    symbols = symbols if symbols is not None else read_text("/proc/kallsyms") or ""
    members: Layout = {}
    if any("{" in one for probe in wanted for one in (*probe.arguments, *probe.results)) and btf.exists():
        members = layout(btf.read_bytes(), _STRUCTURES, _UNNAMED)
    events: list[Event] = []
    lacking: list[str] = []
    for probe in wanted:
        try:
            events += _set(tracefs, file, probe, symbols, members)
        except CannotRecordError:
            if probe.needed:
                raise
            lacking.append(probe.names[0])
    return tuple(events), lacking


def _set(tracefs: Path, file: Path, probe: Probe, symbols: str, members: Layout) -> list[Event]:
    there = ((one, one if probe.tracepoint else symbol(one, symbols)) for one in probe.names)
    function, name = next(((one, name) for one, name in there if name is not None), (probe.names[0], None))
    if name is None:
        raise CannotRecordError(
            f"this kernel has no function {function}, on which --probe sets a probe; record without --probe"
        )
    error: OSError | None = None
    ways = list(definitions(probe, function, name, members))
    if not ways:
        raise CannotRecordError(
            f"what --probe reads of {function} is not in this kernel's BTF (CONFIG_DEBUG_INFO_BTF, CONFIG_FAIR_GROUP_SCHED); "
            "record without --probe"
        )
    for way in ways:
        try:
            for event, line in way:
                if not (tracefs / "events" / PROBES / event).exists():
                    append(file, line)
        except OSError as refused:
            error = error or refused
        else:
            return [Event(PROBES, event) for event, _ in way]
    reason = "" if error is None else f" ({error.strerror})"
    if probe.tracepoint:
        raise CannotRecordError(
            f"this kernel sets no probe on the tracepoint {function}{reason}, as kernels from 6.5 on with CONFIG_FPROBE_EVENTS do; "
            "record without --probe"
        )
    raise CannotRecordError(
        f"this kernel sets no probe on {function}{reason}: CONFIG_KPROBE_EVENTS and CONFIG_FPROBE_EVENTS are off, or "
        "the function cannot be probed; record without --probe"
    )
