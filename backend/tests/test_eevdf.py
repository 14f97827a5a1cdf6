"""Why a pick of the fair class left a task that waits."""

from pathlib import Path

import numalens_native as native
import pytest

from numalens.jobs.reading import read_inputs
from tests.sql_helpers import section

MS = 10**6
ON = "(__enqueue_entity+0x4/0x4d0)"
BACK = "(pick_next_task_fair+0x59/0x90 <- pick_eevdf)"
# Addresses are beyond what a signed number holds.
BASE = 18446612682070000000
ROOT, OF_GROUP, A, B, G = (BASE + number for number in range(5))


def entity(
    of: int, pid: int, vruntime: int, deadline: int, queue: int = ROOT, parent: int = 0, slice_ms: int = 3
) -> str:
    group = OF_GROUP if of == G else 0
    return (
        f"__enqueue_entity: {ON} cpu=0 cfs_rq={queue} entity={of} parent={parent} group={group} pid={pid} "
        f"vruntime={vruntime} deadline={deadline} slice={slice_ms * MS} weight=1048576"
    )


def pick(of: int, deadline: int, others: int, current: int = A, queue: int = ROOT, **more: int) -> str:
    """Of a base of 1000; a, which has the CPU, is at 1100; the others' sum is that of one entity at `others`."""
    fields = {"current_on_rq": 1, "current_vruntime": 1100, "current_deadline": 4100, "current_weight": 1048576} | more
    values = " ".join(f"{name}={value}" for name, value in fields.items())
    return (
        f"pick_eevdf_ret: {BACK} cpu=0 cfs_rq={queue} entity={of} vruntime=0 deadline={deadline} zero=1000 "
        f"sum={(others - 1000) * 1024} load=1024 current={current} {values}"
    )


def waits(put: list[str], picked: str, folder: Path, end: str = "R", late: bool = False) -> dict[str, dict[str, int]]:
    """By task what its waits were spent on: b is put on the queue and woken at 2 ms, a pick comes before that is recorded, or late,
    b runs at 12 ms."""
    pick_line = f"a-7 [000] d..2. 10.002000: {picked}\n"
    lines = f"""
<idle>-0 [000] d..2. 10.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=7 next_prio=120
a-7 [000] d..2. 10.002000: sched_waking: comm=b pid=8 prio=120 target_cpu=000
{"".join(f"a-7 [000] d..2. 10.002000: {one}" + chr(10) for one in put)}{"" if late else pick_line}a-7 [000] d..2. 10.002000: sched_wakeup: comm=b pid=8 prio=120 target_cpu=000
{pick_line if late else ""}a-7 [000] d..2. 10.012000: {pick(B, 4000, 1050)}
a-7 [000] d..2. 10.012000: sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state={end} ==> next_comm=b next_pid=8 next_prio=120
b-8 [000] d..2. 10.017000: sched_switch: prev_comm=b prev_pid=8 prev_prio=120 prev_state=S ==> next_comm=a next_pid=7 next_prio=120
a-7 [000] d..2. 10.018000: sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
"""  # noqa: E501  (trace-cmd's lines)
    own = folder / "made"
    own.mkdir()
    (own / "trace.txt").write_text(lines.lstrip())
    read_inputs([("trace.txt", str(own / "trace.txt"))], own / "bundle", own / "scratch")
    latency = section(native.Bundle(str(own / "bundle")), "latency")
    return {
        "b": {each["cause"]: each["ns"] for each in latency["causes"]},
        "a": {each["cause"]: each["ns"] for each in latency["preempted"]["causes"]},
    }


@pytest.mark.parametrize(
    ("vruntime", "deadline", "picked", "cause"),
    [
        # The average of 1100 and 1300 is 1200.
        (1300, 4300, pick(A, 4100, 1300), "not_eligible"),
        (1050, 4200, pick(A, 4100, 1050), "later_deadline"),
        (1050, 4050, pick(A, 4100, 1050), "slice_protected"),
        # A look-alike: it was picked, and preempts soon.
        (1050, 4050, pick(B, 4050, 1050), "busy"),
        # Not of its queue.
        (1300, 4300, pick(A, 4100, 1300, queue=OF_GROUP), "busy"),
        # Another that did not have the CPU, of a later deadline: a buddy.
        (1050, 4050, pick(G, 4100, 1050), "busy"),
    ],
)
def test_a_wait_says_why_the_pick_left_it(
    vruntime: int, deadline: int, picked: str, cause: str, tmp_path: Path
) -> None:
    assert waits([entity(B, 8, vruntime, deadline)], picked, tmp_path)["b"] == {cause: 10 * MS}


BUDDY = pick(G, 4100, 1050)


@pytest.mark.parametrize(
    ("running_ms", "vruntime", "deadline", "picked", "late", "cause"),
    [
        # 6.19 and 7.0: the buddy is picked although the wakeup asks who may preempt the longer slice (fixed by 78cde54).
        (20, 1050, 4050, BUDDY, False, "short_behind_buddy"),
        # The fixed kernel leaves the buddy out.
        (20, 1050, 4050, pick(B, 4050, 1050), False, "busy"),
        # Look-alikes: a slice of the same length, a later deadline, too much run time, a pick that is not for the wakeup.
        (3, 1050, 4050, BUDDY, False, "busy"),
        (20, 1050, 4150, pick(G, 4200, 1050), False, "busy"),
        (20, 1300, 4050, pick(G, 4100, 1300), False, "not_eligible"),
        (20, 1050, 4050, BUDDY, True, "busy"),
    ],
)
def test_a_short_slice_is_not_left_for_a_buddy(
    running_ms: int, vruntime: int, deadline: int, picked: str, late: bool, cause: str, tmp_path: Path
) -> None:
    put = [entity(A, 7, 1000, 4100, slice_ms=running_ms), entity(B, 8, vruntime, deadline)]
    assert waits(put, picked, tmp_path, late=late)["b"] == {cause: 10 * MS}


@pytest.mark.parametrize(
    ("shift", "cause"),
    # By the sum's own weights the average is 1200 or nearly that of the one on the CPU alone, 1100.
    [(10, "later_deadline"), (0, "not_eligible")],
)
def test_weights_are_those_of_the_sums(shift: int, cause: str, tmp_path: Path) -> None:
    picked = pick(A, 4100, 1300, shift=shift)
    assert waits([entity(B, 8, 1150, 4300)], picked, tmp_path)["b"] == {cause: 10 * MS}


def test_who_had_the_cpu_and_is_left_waits_for_the_same_reasons(tmp_path: Path) -> None:
    both = [entity(A, 7, 900, 9000), entity(B, 8, 1050, 4000)]
    # At 12 ms b is picked; a, at 1100, is above the average of 1075 then, whatever it was when it was put on the queue.
    assert waits(both, pick(A, 4100, 1050), tmp_path)["a"] == {"not_eligible": 5 * MS}


def test_of_a_cgroup_the_entity_that_is_on_the_queue_counts(tmp_path: Path) -> None:
    put = [entity(B, 8, 7, 9, queue=OF_GROUP, parent=G), entity(G, 0, 1050, 4300)]
    assert waits(put, pick(A, 4100, 1050), tmp_path)["b"] == {"later_deadline": 10 * MS}


def test_without_what_was_put_on_the_queue_nothing_is_said(tmp_path: Path) -> None:
    assert waits([], pick(A, 4100, 1300), tmp_path)["b"] == {"busy": 10 * MS}
