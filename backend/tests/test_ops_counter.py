"""The second count gives what mmtests' monitor gave for two made-up traces (docs/algorithms/numa_balancing.md, N16.1 and N16.6)."""

from tests.ops_counter import Counter, count

NUMACTL = "available: 2 nodes (0-1)\nnode 0 cpus: 0 1 2 3\nnode 0 size: 1 MB\nnode 1 cpus: 4 5 6 7\n"


def line(task: str, event: str, details: str) -> str:
    return f"   {task} [001]  1.000001: {event}: {details}"


def pair(src: int, src_cpu: int, dst: int, dst_cpu: int) -> str:
    nid = dst_cpu // 4 if dst_cpu >= 0 else -1
    group = 7 if dst else 0
    return (
        f"src_pid={src} src_tgid={src} src_ngid=7 src_cpu={src_cpu} src_nid={src_cpu // 4} "
        f"dst_pid={dst} dst_tgid={dst} dst_ngid={group} dst_cpu={dst_cpu} dst_nid={nid}"
    )


def single(pid: int, src: int, dst: int) -> str:
    return f"pid={pid} tgid={pid} ngid=7 src_cpu={src} src_nid={src // 4} dst_cpu={dst} dst_nid={dst // 4}"


def goes(pid: int, orig: int, dest: int) -> str:
    return f"comm=task pid={pid} prio=120 orig_cpu={orig} dest_cpu={dest}"


def counted(lines: list[str]) -> Counter:
    return count(lines, NUMACTL)


def test_the_first_worked_example() -> None:
    counter = counted(
        [
            line("task-101", "sched_stick_numa", pair(101, 0, 0, -1)),
            line("task-101", "sched_stick_numa", pair(101, 0, 0, 5)),
            line("task-102", "sched_stick_numa", pair(102, 1, 203, 6)),
            line("task-101", "sched_move_numa", single(101, 0, 5)),
            line("migration/0-17", "sched_migrate_task", goes(101, 0, 5)),
            line("task-102", "sched_swap_numa", pair(102, 1, 203, 6)),
            line("migration/1-18", "sched_migrate_task", goes(102, 1, 6)),
            line("migration/6-19", "sched_migrate_task", goes(203, 6, 1)),
            line("other-300", "sched_migrate_task", goes(300, 6, 2)),
            line("other-300", "sched_migrate_task", goes(300, 2, 3)),
        ]
    )
    result = counter.result()
    assert result["mmtests"] == {
        "Migrate failed no CPU": 1,
        "Migrate failed move to   idle": 1,
        "Migrate failed swap task fail": 1,
        "Task Migrate retry": 1,
        "Task Migrate retry failed": 1,
        "Task Migrated idle CPU": 1,
        "Task Migrated swapped": 1,
        "Task Migrated swapped within group": 1,
        "Load Balance cross NUMA": 1,
    }


def test_the_second_worked_example_has_the_quirks() -> None:
    silent = pair(1, 0, 0, -1)
    tasks = ["<...>-103", "java-103", "C2 Compil/0-104", "my thread-1-105", "my_thread-105"]
    old = line("java-100", "sched_stick_numa", single(100, 0, 5))
    kworker = line("kworker/u8:1-55", "sched_migrate_task", goes(55, 0, 5))
    counter = counted([old, kworker, *(line(task, "sched_stick_numa", silent) for task in tasks)])
    assert counter.rows == {"Migrate failed no CPU": 5, "Load Balance cross NUMA": 1}
    assert counter.warnings == 1
