//! Searches that contradict the kernel's rules, each as a kernel with a known bug and one without it make them (I19).
#![allow(clippy::unwrap_used)]

use std::fmt::Write;
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
fn search(ms: u64, domain_cpus: u32, moved: u64, idle_beside: Option<u32>) -> Search {
    Search {
        from_ns: ms * MS,
        to_ns: ms * MS + 20_000,
        cpu: 0,
        busy: true,
        domain_cpus,
        moved,
        most_running: 2,
        idle_beside,
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

/// 6d7e478 (6.7): beside the idle sibling, the CPU that balances for its group searched, too.
#[test]
fn a_busy_cpu_leaves_searches_to_an_idle_one_of_its_group() {
    let buggy: Vec<Search> = (0..5).map(|at| search(at, 4, 1, Some(1))).collect();
    assert_eq!(named(&buggy, &[]), ["BUSY_PULL"]);
    // Searches that move nothing may have ended there; a group without an idle CPU is its busy one's to balance.
    let fixed = (0..9).map(|at| search(at, 4, at % 2, (at % 2 == 0).then_some(1)));
    assert!(named(&fixed.collect::<Vec<_>>(), &[]).is_empty());
}

/// "Missing scheduling domains" (EuroSys 2016): domains across nodes were not built again when a CPU came back.
#[test]
fn a_cpu_that_comes_back_brings_its_domains() {
    let off = [CpuSpan {
        cpu: 3,
        from_ns: 1_000 * MS,
        to_ns: Some(1_100 * MS),
    }];
    let wide = |from: u64, to: u64| (from..to).step_by(50).map(|ms| search(ms, 4, 0, None));
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
    // Without a CPU that was off, the widest domain may have had nothing to do.
    assert!(named(&all(0), &[]).is_empty());
}

/// CPU 0 runs one of 40 tasks that are bound to it; CPU 1 becomes idle again and again and searches for so many µs.
fn bound(search_us: u64) -> Context {
    let mut text = "# tracer: nop\n#\n".to_owned();
    let mut event = |us: u64, cpu: u32, (comm, pid): (&str, i32), event: &str| {
        writeln!(text, " {comm}-{pid} [{cpu:03}] d..2. 1.{us:06}: {event}").unwrap();
    };
    let switch = |(prev, prev_pid): (&str, i32), (next, next_pid): (&str, i32)| {
        format!(
            "sched_switch: prev_comm={prev} prev_pid={prev_pid} prev_prio=120 prev_state=S ==> next_comm={next} next_pid={next_pid} next_prio=120"
        )
    };
    let (idle, lone) = (("swapper", 0), ("lone", 10));
    event(1, 0, idle, &switch(idle, ("bound", 100)));
    event(2, 1, idle, &switch(idle, lone));
    for pid in 101..140 {
        let woken = format!("sched_wakeup: comm=bound pid={pid} prio=120 target_cpu=000");
        event(3 + pid as u64, 0, ("bound", 100), &woken);
    }
    for round in 1..9 {
        let us = round * 2_000;
        let at = "(sched_balance_rq+0x0/0x10)";
        event(
            us,
            1,
            lone,
            &format!("sched_balance_rq: {at} cpu=1 idle=2 span=2"),
        );
        let back = format!("sched_balance_rq_ret: {at} moved=0");
        event(us + search_us, 1, lone, &back);
        event(us + search_us + 1, 1, lone, &switch(lone, idle));
        event(us + 1_500, 1, idle, &switch(idle, lone));
    }
    let files = Memory::default();
    let nodes =
        "# CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n0,0,0,0,,0,0,0,0\n1,1,0,0,,1,1,1,0\n".to_owned();
    let inputs = [("trace.txt", text), ("lscpu-p.txt", nodes)].map(|(name, text)| {
        let source: Box<dyn ByteSource> = Box::new(text.into_bytes());
        (name.to_owned(), source)
    });
    let request = IngestRequest {
        inputs: inputs.into(),
        ..IngestRequest::default()
    };
    ingest(request, &files, &mut Progress::new(None)).unwrap();
    Context::new(Open::new(Arc::new(files)).unwrap())
}

/// 2feab24 (6.10): a search looked at all tasks while all of them were pinned.
#[test]
fn a_search_ends_after_so_many_tasks() {
    let of = |search_us: u64| {
        let open = bound(search_us);
        let window = Window {
            from_ns: open.index.origin_ns(),
            to_ns: open.index.end_ns(),
        };
        found(&open, window).unwrap()
    };
    let buggy = of(400);
    assert_eq!(buggy.len(), 1);
    assert_eq!(
        buggy[0].summary,
        "8 searches for tasks took 3.2 ms and moved none, the longest 0.4 ms on CPU 1, while a CPU had up to 40 runnable tasks. \
         A search may look at 32 of them (detach_tasks)."
    );
    assert!(of(40).is_empty());
}
