//! Searches that contradict the kernel's rules, each as a kernel with a known bug and one without it make them (I19).
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use numalens_bundle::{IngestRequest, Memory, Open, Progress, ingest};
use numalens_columns::ByteSource;
use numalens_core::kernel_version::KernelVersion;
use numalens_events::Kinds;
use numalens_idle_balancing::Curve;
use numalens_idle_balancing::findings::{IdleBalancingFacts, detect};
use numalens_idle_balancing::searches::Search;
use numalens_idle_balancing::sections::ilb::found;
use numalens_replay::evidence::CpuSpan;
use numalens_subject::{Context, Window};

const MS: u64 = 1_000_000;

/// A busy CPU's search of four CPUs at a time.
fn search(ms: u64, domain_cpus: u32, moved: u64, idle_neighbor: Option<u32>) -> Search {
    Search {
        from_ns: ms * MS,
        to_ns: ms * MS + 20_000,
        cpu: 0,
        target: 0,
        busy: true,
        idle: false,
        domain_cpus,
        moved,
        idle_neighbor,
        bound: 0,
        left: None,
    }
}

fn named(searches: &[Search], offline: &[CpuSpan]) -> Vec<&'static str> {
    let mut waste = Curve::default();
    waste.set(0, 1);
    let found = detect(&IdleBalancingFacts {
        from_ns: 0,
        to_ns: 4_000 * MS,
        cpus: 4,
        hz: 250,
        kernel: Some(KernelVersion { major: 6, minor: 6 }),
        what_if: false,
        kinds: Kinds::default(),
        kicks: &[],
        passes: &[],
        searches,
        offline,
        annotations: &[],
        waste: &waste,
        idle: &Curve::default(),
    });
    found.iter().map(|finding| finding.id).collect()
}

/// 6d7e478 (6.7): besides the idle sibling, the CPU that balances for its group searched, too.
#[test]
fn a_busy_cpu_leaves_searches_to_an_idle_one_of_its_group() {
    let mut buggy: Vec<Search> = (0..5).map(|at| search(at, 4, 1, Some(1))).collect();
    // The idle CPU may be isolated, unless it searches the same domain.
    assert!(named(&buggy, &[]).is_empty());
    let neighbor = |domain_cpus| Search {
        cpu: 1,
        target: 1,
        busy: false,
        ..search(9, domain_cpus, 0, None)
    };
    buggy.push(neighbor(2));
    assert!(named(&buggy, &[]).is_empty());
    buggy.push(neighbor(4));
    assert_eq!(named(&buggy, &[]), ["BUSY_PULL"]);
    // Searches that move nothing may have ended there; a group without an idle CPU is its busy one's to balance.
    let fixed = (0..9).map(|at| search(at, 4, at % 2, (at % 2 == 0).then_some(1)));
    let fixed: Vec<Search> = fixed.chain([neighbor(4)]).collect();
    assert!(named(&fixed, &[]).is_empty());
}

/// 2feab24 (6.10): a search looked at all tasks that are bound to a CPU, not at 32 of them.
#[test]
fn a_search_looks_at_no_more_pinned_tasks_than_it_may() {
    let of = |ms: u64, us: u64, bound: u32| {
        let one = search(ms, 4, 0, None);
        Search {
            to_ns: one.from_ns + us * 1000,
            bound,
            ..one
        }
    };
    let all = |long_us: u64, bound: u32| {
        let before = (0..10).map(|at| of(at, 10, 0));
        let later = (10..400).map(|at| of(at, long_us, bound));
        before.chain(later).collect::<Vec<_>>()
    };
    assert_eq!(named(&all(600, 600), &[]), ["LONG_SEARCH"]);
    // The fixed kernel looks at 32 of them: these are the times of a guest of 7.2.13 with 577 tasks. With few tasks something else
    // makes searches long; so does a slow machine.
    assert!(named(&all(42, 577), &[]).is_empty());
    assert!(named(&all(600, 32), &[]).is_empty());
    let slow: Vec<Search> = (0..400)
        .map(|at| of(at, 600, 600 * (at as u32 % 2)))
        .collect();
    assert!(named(&slow, &[]).is_empty());
}

/// Missing scheduling domains (`EuroSys` 2016): domains across nodes were not built again when a CPU came back.
#[test]
fn a_cpu_that_comes_back_brings_its_domains() {
    let off = [CpuSpan {
        cpu: 3,
        from_ns: 1_000 * MS,
        to_ns: Some(1_100 * MS),
    }];
    let wide = |from: u64, to: u64| (from..to).step_by(10).map(|ms| search(ms, 4, 0, None));
    let narrow = || (0..4_000).step_by(20).map(|ms| search(ms, 2, 0, None));
    let all = |to: u64| {
        let mut all: Vec<Search> = narrow()
            .chain(wide(0, 1_000))
            .chain(wide(1_250, to))
            .collect();
        all.sort_by_key(|one| one.from_ns);
        all
    };
    assert_eq!(named(&all(0), &off), ["DOMAINS_NARROWER"]);
    assert!(named(&all(4_000), &off).is_empty());
    // Busy CPUs search so rarely that none may have been due.
    let rare = narrow().chain(wide(0, 1_000).step_by(5));
    assert!(named(&rare.collect::<Vec<_>>(), &off).is_empty());
    // Without a CPU that was off, the widest domain may have had nothing to do.
    assert!(named(&all(0), &[]).is_empty());
}

/// Recording as text: two tasks each share CPUs 2 and 3 for 1 s. CPU 1 is idle and searches the machine each 4 ms, as newly idle,
/// which is the same number in all kernels; with the fix, it pulls a task at its second search.
#[derive(Clone, Copy)]
struct Shared {
    /// Node of CPUs 2 and 3, next to node 0 of the others.
    node: u32,
    /// A task keeps CPU 0.
    runs: bool,
    fixed: bool,
    allowed: &'static str,
}

const GROUPS: Shared = Shared {
    node: 1,
    runs: true,
    fixed: false,
    allowed: "0-3",
};

type Task = (&'static str, u32);

impl Shared {
    fn event(at_us: u64, cpu: u32, task: Task, event: &str) -> (u64, String) {
        let (comm, pid) = task;
        let line = format!(
            "{comm}-{pid} [{cpu:03}] d..2. 1.{at_us:06}: {event}\n",
            comm = if pid == 0 { "<idle>" } else { comm }
        );
        (at_us, line)
    }

    fn switch(at_us: u64, cpu: u32, from: Task, to: Task, state: &str) -> (u64, String) {
        let event = format!(
            "sched_switch: prev_comm={} prev_pid={} prev_prio=120 prev_state={state} ==> next_comm={} next_pid={} next_prio=120",
            from.0, from.1, to.0, to.1
        );
        Self::event(at_us, cpu, from, &event)
    }

    fn text(&self) -> String {
        let idle = |cpu: usize| (["swapper/0", "swapper/1", "swapper/2", "swapper/3"][cpu], 0);
        let [runs, a, b, c, d, ends] = [
            ("r", 10),
            ("a", 11),
            ("b", 12),
            ("c", 13),
            ("d", 14),
            ("e", 19),
        ];
        let mut queues = [vec![a, b], vec![c, d]];
        let mut rows = Vec::new();
        for (cpu, task) in [runs, ends, a, c].into_iter().enumerate() {
            rows.push(Self::switch(cpu as u64, cpu as u32, idle(cpu), task, "R"));
        }
        rows.push(Self::switch(9, 1, ends, idle(1), "S"));
        if !self.runs {
            rows.push(Self::switch(9, 0, runs, idle(0), "S"));
        }
        for (cpu, [first, second]) in [(2, [a, b]), (3, [c, d])] {
            let event = format!(
                "sched_wakeup: comm={} pid={} prio=120 target_cpu={cpu:03}",
                second.0, second.1
            );
            rows.push(Self::event(10, cpu, first, &event));
        }
        for turn in 1..249 {
            let us = turn * 4_000;
            for (cpu, queue) in (2..).zip(&mut queues) {
                if let [from, to] = queue[..] {
                    rows.push(Self::switch(us, cpu, from, to, "R"));
                    queue.swap(0, 1);
                }
            }
            let us = us + 2_500;
            let pulls = self.fixed && turn == 2;
            let mut own = |us, event: &str| rows.push(Self::event(us, 1, idle(1), event));
            own(us, "softirq_entry: vec=7 [action=SCHED]");
            own(
                us + 1,
                "sched_balance_rq: (a+0x4/0x4d0) cpu=1 idle=2 span=4",
            );
            if pulls {
                own(
                    us + 5,
                    "sched_migrate_task: comm=c pid=13 prio=120 orig_cpu=3 dest_cpu=1",
                );
            }
            let moved = u8::from(pulls);
            own(
                us + 9,
                &format!("sched_balance_rq_ret: (b+0x59/0x90 <- a) moved={moved}"),
            );
            own(us + 10, "softirq_exit: vec=7 [action=SCHED]");
            if pulls {
                queues[1].retain(|task| *task != c);
                rows.push(Self::switch(us + 15, 1, idle(1), c, "R"));
            }
        }
        rows.sort_by_key(|row| row.0);
        rows.into_iter().map(|row| row.1).collect()
    }

    fn found(&self) -> Option<String> {
        let nodes = if self.node == 0 {
            "/sys/devices/system/node/node0/cpulist: 0-3\n"
        } else {
            "/sys/devices/system/node/node0/cpulist: 0-1\n/sys/devices/system/node/node1/cpulist: 2-3\n"
        };
        let clusters = ["0-1", "0-1", "2-3", "2-3"].into_iter().enumerate();
        let clusters = clusters.map(|(cpu, cpus)| {
            format!("/sys/devices/system/cpu/cpu{cpu}/topology/cluster_cpus_list: {cpus}\n")
        });
        let tasks = [("r", 10), ("a", 11), ("b", 12), ("c", 13), ("d", 14)].into_iter();
        let tasks = tasks.map(|(comm, pid)| {
            format!(
                "{{\"idx\":0,\"mono_ns\":1000000000,\"real_ns\":1000000000,\"boot_ns\":1000000000,\"pid\":{pid},\"tid\":{pid},\
                 \"comm\":\"{comm}\",\"stat\":\"{pid} ({comm}) R{}\",\"cpus_allowed\":\"{}\"}}\n",
                " 0".repeat(49),
                self.allowed
            )
        });
        let inputs = [
            ("trace.txt", self.text()),
            (
                "topology.txt",
                nodes.to_owned() + &clusters.collect::<String>(),
            ),
            ("tasks.jsonl", tasks.collect()),
        ];
        let files = Memory::default();
        let inputs = inputs.into_iter().map(|(name, text)| {
            let source: Box<dyn ByteSource> = Box::new(text.into_bytes());
            (name.to_owned(), source)
        });
        let request = IngestRequest {
            inputs: inputs.collect(),
            ..IngestRequest::default()
        };
        ingest(request, &files, &mut Progress::new(None)).unwrap();
        let open = Context::new(Open::new(Arc::new(files)).unwrap());
        let window = Window {
            from_ns: open.index.origin_ns(),
            to_ns: open.index.end_ns(),
        };
        let all = found(&open, window).unwrap();
        let left = all.into_iter().find(|one| one.id == "SEARCH_LEFT_TASKS");
        left.map(|one| one.summary)
    }
}

#[test]
fn an_idle_cpu_that_leaves_tasks_is_named_with_the_rule() {
    let one_node = Shared { node: 0, ..GROUPS };
    let empty_node = Shared {
        runs: false,
        ..GROUPS
    };
    // Group imbalance and group construction (`EuroSys` 2016); two clusters of a node, of which one has one idle CPU more.
    for (case, function) in [
        (&GROUPS, "find_busiest_group"),
        (&empty_node, "build_overlap_sched_groups"),
        (&one_node, "calculate_imbalance"),
    ] {
        let said = case.found().unwrap();
        assert!(said.contains(&format!(": {function})")), "{said}");
        assert_eq!(said.matches(": ").count(), 2, "{said}");
        let fixed = Shared {
            fixed: true,
            ..*case
        };
        assert_eq!(fixed.found(), None);
    }
    // Look-alikes: the tasks may not run on the idle CPU; two idle CPUs of a node are a difference of a whole task.
    let pinned = Shared {
        allowed: "2-3",
        ..GROUPS
    };
    let two_idle = Shared {
        runs: false,
        ..one_node
    };
    assert_eq!((pinned.found(), two_idle.found()), (None, None));
}
