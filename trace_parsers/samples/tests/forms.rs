//! Every form of the other texts, as the kernel and the tools print it.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod support;

use numalens_samples::{SampleKind, SampleTableId as T, sniff};
use support::{refusal, text};

const PRESSURE: &str = "some avg10=1.50 avg60=2.00 avg300=3.25 total=1000\n";

#[test]
fn one_input_may_have_several_files() {
    let input = format!(
        "1795256520\n==> /proc/pressure/cpu <==\n{PRESSURE}\n==> /proc/vmstat <==\nnr_free_pages 7\n\n\
         ==> /proc/stat <==\ncpu  1 2 3 4\ncpu0 1 2 3 4\nctxt 9\n\n==> /proc/loadavg <==\n0.10 0.20 0.30 1/20 99\n\n\
         ==> /sys/fs/cgroup/a/memory.current <==\n1795256520\n==> /sys/fs/cgroup/a/cgroup.procs <==\n12\n13\n"
    );
    let (kept, summary) = text(&input, "x");
    let counts: Vec<(&str, u64)> = summary.counts.into_iter().collect();
    assert_eq!(
        counts,
        [
            ("cgroup_stat", 1),
            ("cgroup_tasks", 2),
            ("loadavg", 1),
            ("psi", 1),
            ("stat", 2),
            ("vmstat", 1)
        ]
    );
    assert_eq!((summary.kind, summary.samples), (SampleKind::Psi, 1));
    let at = "real_ns=1795256520000000000";
    assert_eq!(
        kept.rows(T::Stat)[1],
        format!("{at} cpu=0 user=1 nice=2 system=3 idle=4")
    );
    assert_eq!(
        kept.rows(T::CgroupStat),
        [format!(
            "{at} cgroup=/a file=memory.current name= value=1795256520.0"
        )]
    );
}

#[test]
fn counters_of_nodes() {
    let input = "/sys/devices/system/node/node0/numastat:numa_hit 5\n\
                 /sys/devices/system/node/node3/vmstat:nr_free_pages 6\n";
    assert_eq!(
        text(input, "x").0.rows(T::Vmstat),
        [
            "name=numa_hit value=5 nid=0",
            "name=nr_free_pages value=6 nid=3"
        ]
    );
    let signed = text("nr_free_pages 1\nnr_dirty -3\n", "x").0;
    assert_eq!(signed.rows(T::Vmstat)[1], "name=nr_dirty value=-3");
}

/// The first versions of the series print less.
#[test]
fn numa_groups_of_every_version() {
    let head = "==> /sys/fs/cgroup/cpu,cpuacct/ng_A/cpu.numa_group <==\n";
    let second = format!(
        "{head}id 745 nr_tasks 7 active_nodes 1\nnode 0 mem_private 1 mem_shared 2 cpu_private 3 cpu_shared 4\n"
    );
    let group = "cgroup=/ng_A enabled=true gid=745 nr_tasks=7 active_nodes=1";
    let faults = "nid=0 mem_private=2 mem_shared=1 cpu_private=4 cpu_shared=3 \
                  mem_private_raw=1 mem_shared_raw=2 cpu_private_raw=3 cpu_shared_raw=4";
    assert_eq!(
        text(&second, "x").0.rows(T::NumaGroup),
        [format!("{group} {faults}")]
    );
    let fifth = format!(
        "{head}id 745 nr_tasks 7 active_nodes 1 busiest_nid -1\n\
         node 0 mem_private 1 mem_shared 2 cpu_private 3 cpu_shared 4 migrate_stat 1536 2048 74\n"
    );
    assert_eq!(
        text(&fifth, "x").0.rows(T::NumaGroup),
        [format!(
            "{group} busiest_nid=-1 {faults} failure_scaled=1536 total_scaled=2048 ratio_percent=74"
        )]
    );
    let bare = format!(
        "{head}id 745 nr_tasks 7 active_nodes 1\n==> /sys/fs/cgroup/ng_B/cpu.numa_group <==\ndisabled\n"
    );
    assert_eq!(
        text(&bare, "x").0.rows(T::NumaGroup),
        [group.to_owned(), "cgroup=/ng_B enabled=false".to_owned()]
    );
}

#[test]
fn a_loop_over_one_numa_group() {
    let input = "1795256520\ndisabled\n1795256521\nid 0 nr_tasks 0 active_nodes 0 busiest_nid -1\n\
                 node 0 mem_private 0 mem_shared 0 cpu_private 0 cpu_shared 0 migrate_stat 0 0 0\n";
    let (kept, summary) = text(input, "x");
    assert_eq!(
        (summary.kind, summary.samples, summary.rows),
        (SampleKind::NumaGroup, 2, 2)
    );
    assert!(
        kept.rows(T::NumaGroup)[1]
            .starts_with("real_ns=1795256521000000000 cgroup=. enabled=true gid=0")
    );
    assert_eq!(
        sniff(b"disabled\n"),
        None,
        "one word that other texts have, too"
    );
}

#[test]
fn automigration_rows_with_and_without_stamps() {
    let row = "1 2 3 | 4 5 6 7 | 8 9 10 11\n";
    let values = "loc_checked=1 misplaced=2 migrated=3 tasks_migrated=4 scanned=5 selected=6 failed=7 \
                  added=8 removed=9 duplicates=10 refs_freed=11";
    for (stamp, column) in [
        ("", ""),
        ("1795256520 ", "real_ns=1795256520000000000 "),
        ("2026-11-21T10:22:00Z ", "real_ns=1795256520000000000 "),
        ("3480.25 ", "boot_ns=3480250000000 "),
        (
            "Sat Nov 21 10:22:00 UTC 2026\n",
            "real_ns=1795256520000000000 ",
        ),
    ] {
        let (kept, summary) = text(&format!("{stamp}{row}{stamp}{row}"), "x");
        let expected = format!("{column}{values}");
        assert_eq!(
            kept.rows(T::Automig),
            [expected.clone(), expected],
            "{stamp}"
        );
        assert_eq!(
            (summary.kind, summary.samples),
            (SampleKind::Automig, 2),
            "{stamp}"
        );
    }
    assert!(
        refusal(&format!("{row}1 2 3 | 4 5 | 6\n"), "x")
            .starts_with("line 2: expected 3, 4 and 4 counts")
    );
}

#[test]
fn mappings_of_every_policy() {
    let input = "7f0000000000 bind:0-1 file=/a\\040b huge anon=1 dirty=2 mapped=3 mapmax=4 swapcache=5 active=6 \
                 writeback=7 N0=8 N1=9 kernelpagesize_kB=2048\n\
                 7f0000001000 prefer (many):0,2 stack:77 N2=1 kernelpagesize_kB=4\n\
                 7f0000002000 weighted interleave:0-1 heap\n\
                 7f0000003000 bind=static:0 newfield=3\n";
    let rows = text(input, "/proc/12/numa_maps").0.rows(T::NumaMaps);
    let first = "pid=12 address=139637976727552 policy=bind:0-1 what=file=/a\\040b huge=true anon=1 dirty=2 mapped=3 \
                 mapmax=4 swapcache=5 active=6 writeback=7 page_kb=2048";
    assert_eq!(rows[0], format!("{first} nid=0 pages=8"));
    assert_eq!(rows[1], format!("{first} nid=1 pages=9"));
    assert_eq!(
        rows[2],
        "pid=12 address=139637976731648 policy=prefer (many):0,2 what=stack:77 huge=false page_kb=4 nid=2 pages=1"
    );
    assert_eq!(
        rows[3],
        "pid=12 address=139637976735744 policy=weighted interleave:0-1 what=heap huge=false pages=0"
    );
    assert_eq!(rows.len(), 5);
}

#[test]
fn tasks_name_themselves_or_are_named_by_their_path() {
    let body = "my (odd) task (9, #threads: 2)\n------------------------------\nnr_migrations : 3\n\
                numa_preferred_nid : -1\ncurrent_node=1, numa_group_id=745\n\
                numa_faults node=1 task_private=4 task_shared=0 group_private=5 group_shared=1\n";
    let task = "tid=9 comm=my (odd) task";
    let (kept, summary) = text(body, "sched.txt");
    assert_eq!(summary.kind, SampleKind::ProcSched);
    assert_eq!(
        kept.rows(T::ProcSched),
        [
            format!("{task} name=numa_preferred_nid value=-1.0"),
            format!("{task} name=current_node value=1.0"),
            format!("{task} name=numa_group_id value=745.0"),
        ]
    );
    assert_eq!(
        kept.rows(T::ProcSchedFaults),
        [format!(
            "{task} nid=1 task_private=4 task_shared=0 group_private=5 group_shared=1"
        )]
    );
    let named = format!("==> /proc/7/task/9/sched <==\n{body}");
    assert!(
        text(&named, "x").0.rows(T::ProcSched)[0].starts_with("pid=7 tid=9 comm=my (odd) task ")
    );
}

#[test]
fn membership_of_tasks() {
    for (input, name, row) in [
        ("0::/a.slice\n", "/proc/12/cgroup", "cgroup=/a.slice pid=12"),
        ("/proc/12/cgroup:0::/a\n", "x", "cgroup=/a pid=12"),
        (
            "/proc/12/task/13/cgroup:0::/a\n",
            "x",
            "cgroup=/a pid=12 tid=13",
        ),
        (
            "5:memory:/m\n4:cpu,cpuacct:/c\n1:name=systemd:/s\n0::/u\n",
            "x",
            "cgroup=/c",
        ),
        ("1:name=systemd:/s\n0::/u\n", "x", "cgroup=/u"),
        (
            "/sys/fs/cgroup/a/cgroup.threads:13\n",
            "x",
            "cgroup=/a tid=13",
        ),
        (
            "==> /sys/fs/cgroup/a/cgroup.procs <==\n12\n",
            "x",
            "cgroup=/a pid=12",
        ),
        (
            "    PID     TID CGROUP\n     12      13 0::/a\n",
            "x",
            "cgroup=/a pid=12 tid=13",
        ),
        (
            "  PID CGROUP\n   12 5:memory:/m,4:cpu,cpuacct:/c,1:name=systemd:/s\n",
            "x",
            "cgroup=/c pid=12",
        ),
        ("  PID CGROUP\n   12 5:memory:/m\n", "x", "cgroup=/ pid=12"),
        ("  PID CGROUP\n    2 -\n", "x", "cgroup=/ pid=2"),
    ] {
        let (kept, summary) = text(input, name);
        assert_eq!(kept.rows(T::CgroupTasks), [row], "{input}");
        assert_eq!(summary.kind, SampleKind::CgroupMap, "{input}");
    }
}

#[test]
fn values_of_groups() {
    let input = "/sys/fs/cgroup/a/cpu.stat:usage_usec 5\n/sys/fs/cgroup/a/cpu.max:max 100000\n\
                 /sys/fs/cgroup/a/cpu.weight:100\n/sys/fs/cgroup/a/memory.max:max\n\
                 /sys/fs/cgroup/a/memory.numa_stat:anon N0=4096 N1=0\n/sys/fs/cgroup/a/cgroup.pressure:1\n";
    assert_eq!(
        text(input, "x").0.rows(T::CgroupStat),
        [
            "cgroup=/a file=cpu.stat name=usage_usec value=5.0",
            "cgroup=/a file=cpu.max name=quota text=max",
            "cgroup=/a file=cpu.max name=period value=100000.0",
            "cgroup=/a file=cpu.weight name= value=100.0",
            "cgroup=/a file=memory.max name= text=max",
            "cgroup=/a file=memory.numa_stat name=anon N0 value=4096.0",
            "cgroup=/a file=memory.numa_stat name=anon N1 value=0.0",
            "cgroup=/a file=cgroup.pressure name= value=1.0",
        ]
    );
    let alone = text("usage_usec 5\nuser_usec 3\n", "sys/fs/cgroup/a/cpu.stat");
    assert_eq!(
        alone.0.rows(T::CgroupStat)[1],
        "cgroup=/a file=cpu.stat name=user_usec value=3.0"
    );
}

#[test]
fn records_may_miss_anything() {
    let (kept, summary) = text(
        "{\"idx\":1,\"mono_ns\":5}\n{\"mono_ns\":6,\"cpu\":\"some total=4\\n\",\"memory\":null,\"new\":[1]}\n\n{\"cpu\":\"\"}\n",
        "x",
    );
    assert_eq!(
        kept.rows(T::Psi),
        ["mono_ns=6 cgroup= resource=cpu some_total_us=4"]
    );
    assert_eq!((summary.kind, summary.samples), (SampleKind::Psi, 1));
    let (kept, _) = text(
        "{\"idx\":3,\"groups\":[{\"path\":\"/sys/fs/cgroup/a/cpu.numa_group\",\"text\":\"disabled\\n\"},\
         {\"path\":\"/sys/fs/cgroup/b/cpu.numa_group\"}]}\n",
        "x",
    );
    assert_eq!(kept.rows(T::NumaGroup), ["idx=3 cgroup=/a enabled=false"]);
}

#[test]
fn records_of_a_recorder_that_knows_more() {
    let (kept, summary) = text(
        "{\"idx\":1,\"mono_ns\":5,\"files\":{\"/proc/7/cgroup\":\"0::/a\\n\",\"/sys/fs/cgroup/a/irq.pressure\":null},\
         \"ids\":{\"/sys/fs/cgroup\":1,\"/sys/fs/cgroup/a\":18446744073709551615},\"mono_end_ns\":6}\n\
         {\"idx\":1,\"mono_ns\":5,\"node_vmstat\":{\"/sys/devices/system/node/node1/vmstat\":\"nr_free_pages 2\\n\"},\
         \"mono_end_ns\":7}\n",
        "x",
    );
    let at = "idx=1 mono_ns=5 end_mono_ns=6";
    assert_eq!(kept.rows(T::CgroupTasks), [format!("{at} cgroup=/a pid=7")]);
    assert_eq!(
        kept.rows(T::CgroupStat),
        [
            format!("{at} cgroup=/ file=cgroup.id name= value=1.0 text=1"),
            format!(
                "{at} cgroup=/a file=cgroup.id name= value=1.8446744073709552e19 text=18446744073709551615"
            ),
        ]
    );
    assert_eq!(
        kept.rows(T::Vmstat),
        ["idx=1 mono_ns=5 end_mono_ns=7 name=nr_free_pages value=2 nid=1"]
    );
    assert_eq!(summary.samples, 1, "lines of one instant are one sample");
}

#[test]
fn other_texts_are_no_samples() {
    for other in [
        "",
        "\n\n",
        "hello\n",
        "{}\n",
        "{\"a\":1}\n",
        "{\"idx\":1,\"name\":\"x\"}\n",
        "{\"cpu\":\"some avg10=0\"}\n",
        "{\n  \"mono_ns\": 1,\n  \"cpu\": \"some avg10=0.00\"\n}\n",
        "{\"traceEvents\":[{\"name\":\"a\",\"ts\":1}]}",
        "[1,2]\n",
        "1795256520\n1795256521\n",
        "12\n13\n",
        "errors 5\nwarnings 6\n",
        "Nov 21 10:22:00 machine kernel: some words 5\n",
        "Sat Nov 21 10:22:00 UTC 2026\nstarting up\n",
        "# tracer: nop\n#\n# entries-in-buffer/entries-written: 1/1   #P:2\n",
        "cpus=2\n    sleep-12 [000] 1.5: sched_switch: prev_comm=sleep\n",
        "# CPU,Core,Socket,Node\n0,0,0,0\n",
        "available: 2 nodes (0-1)\nnode 0 cpus: 0 1\n",
        "/sys/devices/system/node/online: 0-1\n/sys/devices/system/node/node0/cpulist: 0-3\n",
        "/sys/devices/system/node/node0/vmstat:nr_free_pages 6\n/sys/devices/system/node/node0/cpulist:0-3\n",
        "00400000-00401000 r-xp 00000000 00:01 5 /bin/true\n",
        "MemTotal:       24689452 kB\nMemFree:        3859300 kB\n",
        "a | b\n1 2 3 | 4\n",
        "some words that begin like pressure\n",
        "id nr_tasks\n",
        "\u{0}psi\n",
    ] {
        assert_eq!(sniff(other.as_bytes()), None, "{other}");
    }
}

/// A reading of one CPU as Linux 6.1, 6.12 and 7.2 print it, and what was counted while the CPU was idle and busy.
const DOMAINS: [(u32, &str); 3] = [
    (
        15,
        "domain0 0f 217 216 1 9 2 1 0 217 3 2 0 0 0 0 0 1 5 4 0 0 1 0 0 1 7 1 6 0 0 0 0 0 0 76 3 0",
    ),
    (
        16,
        "domain0 0f 3 2 0 0 0 0 0 1 217 216 1 9 2 1 0 217 5 4 0 0 1 0 0 1 7 1 6 0 0 0 0 0 0 76 3 0",
    ),
    (
        17,
        "domain0 MC 0f 3 2 0 0 0 0 0 0 0 0 1 217 216 1 0 0 9 0 2 1 0 217 5 4 0 0 0 1 0 1 0 0 1 7 1 6 0 0 0 0 0 0 76 3 0",
    ),
];

#[test]
fn all_versions_of_schedstat_are_the_same_rows() {
    for (version, domain) in DOMAINS {
        let input = format!(
            "==> /proc/schedstat <==\nversion {version}\ntimestamp 4294894460\ncpu3 0 0 3789 1846 227 85 2062243144 166646580 2672\n{domain}\n\
             cpu4 0 0 1 1 1 1 1 1 1\n"
        );
        let (kept, summary) = text(&input, "x");
        assert_eq!(summary.kind, SampleKind::Vmstat);
        let name = if version == 17 { "name=MC " } else { "" };
        let row = |kind, counts| format!("cpu=3 domain=0 {name}cpus=0f kind={kind} {counts}");
        let mut rows = kept.rows(T::Schedstat);
        rows.sort();
        assert_eq!(
            rows,
            [
                row("active", "count=7 failed=1 gained=6"),
                row("busy", "count=3 balanced=2 failed=0 gained=0 hot_gained=0"),
                row(
                    "idle",
                    "count=217 balanced=216 failed=1 gained=2 hot_gained=1"
                ),
                row(
                    "newidle",
                    "count=5 balanced=4 failed=0 gained=1 hot_gained=0"
                ),
            ],
            "{version}"
        );
    }
}

#[test]
fn a_schedstat_of_another_version_has_no_rows() {
    let input = "==> /proc/schedstat <==\nversion 18\ncpu0 0 0\ndomain0 0f 1 2 3\n==> /proc/loadavg <==\n0.10 0.20 0.30 1/20 99\n";
    let (kept, _) = text(input, "x");
    assert!(kept.rows(T::Schedstat).is_empty());
    assert_eq!(kept.rows(T::Loadavg).len(), 1);
}

#[test]
fn state_and_counters_of_bpf_schedulers_are_rows() {
    let input = "==> /sys/kernel/sched_ext/state <==\nenabled\n==> /sys/kernel/sched_ext/switch_all <==\n1\n\
                 ==> /sys/kernel/sched_ext/root/ops <==\nhold\n==> /sys/kernel/sched_ext/root/events <==\n\
                 SCX_EV_SELECT_CPU_FALLBACK 0\nSCX_EV_BYPASS_DURATION 34712392\n";
    let (kept, summary) = text(input, "x");
    assert_eq!(summary.kind, SampleKind::Vmstat);
    assert_eq!(
        kept.rows(T::SchedExt),
        [
            "scheduler= name=state text=enabled",
            "scheduler= name=switch_all value=1",
            "scheduler=root name=ops text=hold",
            "scheduler=root name=SCX_EV_SELECT_CPU_FALLBACK value=0",
            "scheduler=root name=SCX_EV_BYPASS_DURATION value=34712392",
        ]
    );
}
