"""What `--probe pelt` reads of the averages of runqueues takes the place of what the NUMA balancer's replay leaves open."""

from pathlib import Path

import numalens_native as native
import pytest

from numalens.jobs.reading import read_inputs
from tests.sql_helpers import section

QUEUE = "cfs_rq=18446612682070000000"
LSCPU = "# CPU,Core,Socket,Node\n0,0,0,0\n1,1,0,0\n2,2,1,1\n3,3,1,1\n"
STICK = "src_pid=100 src_tgid=100 src_ngid=0 src_cpu=0 src_nid=0 dst_pid=0 dst_tgid=0 dst_ngid=0 dst_cpu=-1 dst_nid=1"


def cfs(cpu: int, util: int, estimated: int, runnable: int, parent: int = 0) -> str:
    return (
        f"pelt_cfs_tp: (__traceiter_pelt_cfs_tp+0x4/0x50) cpu={cpu} {QUEUE} parent={parent} load_avg=900 runnable_avg={runnable} "
        f"util_avg={util} capacity=1024 util_est={estimated}"
    )


def estimated(cpu: int, util: int, parent: int = 0) -> str:
    return f"sched_util_est_cfs_tp: (__probestub+0x4/0x50) cpu={cpu} {QUEUE} parent={parent} util_est={util}"


def attempt(read: list[str], folder: Path) -> tuple[list[str], str]:
    """What node 1, with a task on each of its CPUs, was when a task of node 0 was to go there, and what the newest rules say."""
    switches = "".join(
        f"<idle>-0 [00{cpu}] d..2. 10.00000{cpu}: sched_switch: prev_comm=swapper/{cpu} prev_pid=0 prev_prio=120 prev_state=R ==> "
        f"next_comm=t next_pid={100 + cpu} next_prio=120\n"
        for cpu in range(4)
    )
    probes = "".join(f"t-101 [001] d..2. 10.001000: {one}\n" for one in read)
    end = (
        f"t-100 [000] d..2. 10.002000: sched_stick_numa: {STICK}\n"
        "t-100 [000] d..2. 10.003000: sched_switch: prev_comm=t prev_pid=100 prev_prio=120 prev_state=S ==> next_comm=swapper/0 "
        "next_pid=0 next_prio=120\n"
    )
    (folder / "trace.txt").write_text(switches + probes + end)
    (folder / "lscpu-p.txt").write_text(LSCPU)
    inputs = [(name, str(folder / name)) for name in ("trace.txt", "lscpu-p.txt")]
    read_inputs(inputs, folder / "bundle", folder / "scratch")
    (explained,) = section(native.Bundle(str(folder / "bundle")), "numa_balancing")["attempts"]
    node = next(node for node in explained["explanation"]["nodes"] if node["nid"] == 1)
    answer = next(answer for answer in explained["explanation"]["answers"] if answer["recorded"])
    return node["node_type"], answer["maymove"]


@pytest.mark.parametrize(
    ("read", "types", "maymove"),
    [
        # Room, so that tasks are counted: a third one there and one left here are an imbalance.
        ([cfs(2, 300, 0, 300), cfs(3, 300, 0, 300)], ["has_spare"], "denied"),
        # A look-alike that waited for its CPU, and one that is expected to use more, as is reported later.
        ([cfs(2, 300, 0, 2000), cfs(3, 300, 0, 300)], ["fully_busy"], "load_test"),
        ([cfs(2, 300, 0, 300), cfs(3, 300, 0, 300), estimated(3, 1800)], ["fully_busy"], "load_test"),
        # The averages of a cgroup's queue are not those of its CPU.
        ([cfs(2, 300, 0, 300), cfs(3, 300, 0, 300, parent=7)], ["has_spare", "fully_busy"], "unknown"),
        ([cfs(2, 300, 0, 300), cfs(3, 300, 0, 300), cfs(3, 300, 0, 9000, parent=7)], ["has_spare"], "denied"),
        ([], ["has_spare", "fully_busy"], "unknown"),
    ],
)
def test_averages_say_whether_a_node_has_room(read: list[str], types: list[str], maymove: str, tmp_path: Path) -> None:
    assert attempt(read, tmp_path) == (types, maymove)
