"""A second count of what the NUMA balancer did, from the text of `trace-cmd report`.

It shares nothing with the engine: other words, other language, other input. Counts come from the lines alone; who is on
which node comes from `numactl -H`. Run it as `python ops_counter.py REPORT NUMACTL`.
"""

import json
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

# `comm-pid [cpu] time: event: key=value ...`; a comm may hold anything, flags are before the time with -l.
LINE = re.compile(
    r"^\s*(?P<comm>.*)-(?P<pid>\d+)\s+\[\d+\]\s+(?:\S+\s+)?(?P<ts>[\d.]+):\s+(?P<event>\S+):\s+(?P<details>.*)$"
)
# What mmtests' monitor reads of the task: the end of comm and pid that has no other characters.
TASK = re.compile(r"([A-Za-z0-9-]*)\s+\[\d+\]")
FIELD = re.compile(r"(\w+)=(\S+)")
NODE = re.compile(r"^node (\d+) cpus:(.*)$", re.MULTILINE)

NO_CPU = "Migrate failed no CPU"
IDLE_FAILED = "Migrate failed move to   idle"
SWAP_FAILED = "Migrate failed swap task fail"
SWAPPED = "Task Migrated swapped"
SWAPPED_LOCAL = "Task Migrated swapped local NID"
SWAPPED_GROUP = "Task Migrated swapped within group"
MOVED = "Task Migrated idle CPU"
RETRIED = "Task Migrate retry"
RETRY_FAILED = "Task Migrate retry failed"
CROSSED = "Load Balance cross NUMA"


def nodes_of(numactl: str) -> dict[int, int]:
    """The node of each CPU."""
    return {int(cpu): int(nid) for nid, cpus in NODE.findall(numactl) for cpu in cpus.split()}


@dataclass
class Counter:
    """Counts lines, once as mmtests does and once as it was."""

    nodes: dict[int, int]
    rows: dict[str, int] = field(default_factory=dict)
    ops: dict[str, int] = field(default_factory=dict)
    warnings: int = 0
    _names: dict[int, str] = field(default_factory=dict)
    _stuck: set[str] = field(default_factory=set)
    _failed: set[int] = field(default_factory=set)
    _tried: dict[int, tuple[str, int, int]] = field(default_factory=dict)
    _waking: set[int] = field(default_factory=set)

    def feed(self, lines: Iterable[str]) -> None:
        """Take lines in the order of the text."""
        for line in lines:
            found = LINE.match(line)
            if found is not None:
                self._event(line, found["event"], dict(FIELD.findall(found["details"])))

    def _row(self, name: str, by: int = 1) -> None:
        self.rows[name] = self.rows.get(name, 0) + by

    def _op(self, name: str, by: int = 1) -> None:
        self.ops[name] = self.ops.get(name, 0) + by

    def _event(self, line: str, event: str, fields: dict[str, str]) -> None:
        task = self._task(line)
        match event:
            case "sched_stick_numa" if "dst_pid" in fields:
                self._stick(task, {key: int(value) for key, value in fields.items()})
            case "sched_stick_numa":
                self.warnings += 1
            case "sched_move_numa":
                self._move({key: int(value) for key, value in fields.items()})
            case "sched_swap_numa":
                self._swap({key: int(value) for key, value in fields.items()})
            case "sched_migrate_task":
                self._migrate(int(fields["pid"]), int(fields["orig_cpu"]), int(fields["dest_cpu"]))
            case "sched_waking":
                self._waking.add(_pid(line, fields))
            case "sched_wakeup" | "sched_wakeup_new":
                self._waking.discard(_pid(line, fields))
            case _:
                pass

    def _task(self, line: str) -> str:
        """Pid and name as the monitor's key for retries has them."""
        found = TASK.search(line)
        parts = found[1].split("-") if found is not None else ["0"]
        pid, name = int(parts[-1] or 0), "-".join(parts[:-1])
        if name:
            self._names[pid] = name
        return f"{pid}-{name or self._names.get(pid, 'UNKNOWN')}"

    def _stick(self, task: str, fields: dict[str, int]) -> None:
        pid, cpu, partner = fields["src_pid"], fields["dst_cpu"], fields["dst_pid"]
        tried = self._tried.pop(pid, None)
        if cpu == -1:
            self._row(NO_CPU)
            self._op("no_cpu")
        elif partner == 0:
            self._row(IDLE_FAILED)
            self._op("move_failed" if tried == ("move", cpu, 0) else "move_refused")
        else:
            self._row(SWAP_FAILED)
            self._op("swap_raced" if tried == ("swap", cpu, partner) else "swap_refused")
        if task in self._stuck:
            self._row(RETRIED)
            self._row(RETRY_FAILED)
        self._stuck.add(task)
        if pid in self._failed:
            self._op("retries")
        self._failed.add(pid)

    def _move(self, fields: dict[str, int]) -> None:
        self._row(MOVED)
        self._row(CROSSED, -1)
        self._op("moves")
        self._tried[fields["pid"]] = ("move", fields["dst_cpu"], 0)

    def _swap(self, fields: dict[str, int]) -> None:
        self._row(SWAPPED)
        self._row(CROSSED, -2)
        self._op("swaps")
        if fields["src_nid"] == fields["dst_nid"]:
            self._row(SWAPPED_LOCAL)
            self._op("swaps_local")
        if 0 < fields["src_ngid"] == fields["dst_ngid"]:
            self._row(SWAPPED_GROUP)
            self._op("swaps_within_group")
        self._tried[fields["src_pid"]] = ("swap", fields["dst_cpu"], fields["dst_pid"])

    def _migrate(self, pid: int, orig: int, dest: int) -> None:
        self._op("migrations")
        if self.nodes.get(orig) == self.nodes.get(dest):
            return
        self._row(CROSSED)
        self._op("cross")
        self._op("cross_waking", int(pid in self._waking))

    def result(self) -> dict[str, object]:
        """Both counts; rows of mmtests that counted nothing are left out."""
        ops = dict(self.ops)
        ops["moves_ok"] = ops.get("moves", 0) - ops.get("move_failed", 0)
        ops["swaps_ok"] = ops.get("swaps", 0) - ops.get("swap_raced", 0)
        ops["lb_cross"] = ops.get("cross", 0) - ops["moves_ok"] - 2 * ops["swaps_ok"]
        return {
            "mmtests": {name: count for name, count in sorted(self.rows.items()) if count},
            "ops": {name: count for name, count in sorted(ops.items()) if count},
        }


def _pid(line: str, fields: dict[str, str]) -> int:
    """The task of a wake-up: `trace-cmd report` prints `comm:pid [prio]` instead of the fields."""
    if "pid" in fields:
        return int(fields["pid"])
    found = re.search(r":(\d+) \[\d+\]", line.split(": ", 2)[-1])
    return int(found[1]) if found is not None else -1


def count(report: Iterable[str], numactl: str) -> Counter:
    """Count a whole report."""
    counter = Counter(nodes_of(numactl))
    counter.feed(report)
    return counter


if __name__ == "__main__":
    with Path(sys.argv[1]).open(encoding="utf-8", errors="replace") as text:
        json.dump(count(text, Path(sys.argv[2]).read_text(encoding="utf-8")).result(), sys.stdout, sort_keys=True)
