//! Reasons of placements, each with a case and a look-alike, on two nodes.
#![allow(clippy::unwrap_used, missing_docs)]

use std::fmt::Write;
use std::sync::Arc;

use numalens_bundle::{IngestRequest, Memory, Open, Progress, ingest};
use numalens_columns::ByteSource;
use numalens_wakeup_placement::{MissedIdle, PlacementOptions, Replay, wakeup_placement};

/// A task: its name and pid.
type Task = (&'static str, i32);

const IDLE: Task = ("swapper", 0);
const MAIN: Task = ("main", 10);
const WORKER: Task = ("worker", 20);
const HOG: Task = ("hog", 30);
const BOUND: Task = ("kworker/1:1", 40);

const TOPOLOGY: &str = "# CPU,Core,Socket,Node,,L1d,L1i,L2,L3
0,0,0,0,,0,0,0,0
1,1,0,0,,1,1,1,0
2,2,1,1,,2,2,2,1
3,3,1,1,,3,3,3,1
4,4,1,1,,4,4,4,1
5,5,1,1,,5,5,5,1
";

/// Recording as text; times in µs after second 1.
struct Trace {
    text: String,
    cpus: usize,
    /// Samples of tasks, if there are any.
    samples: String,
}

impl Trace {
    /// CPU 0 runs the main task, the others what is given.
    fn new<const OTHERS: usize>(running: [Task; OTHERS]) -> Self {
        let text = "# tracer: nop\n#\n".to_owned();
        let samples = String::new();
        let cpus = running.len() + 1;
        let mut trace = Self {
            text,
            cpus,
            samples,
        };
        trace.switch(1, 0, IDLE, "R", MAIN);
        for (cpu, task) in (1..).zip(running) {
            let from = if task == IDLE {
                (HOG.0, 90 + cpu as i32)
            } else {
                IDLE
            };
            trace.switch(u64::from(cpu) + 1, cpu, from, "S", task);
        }
        trace
    }

    fn event(&mut self, us: u64, cpu: u32, task: Task, event: &str) -> &mut Self {
        let ((comm, pid), text) = (task, &mut self.text);
        writeln!(text, " {comm}-{pid} [{cpu:03}] d..2. 1.{us:06}: {event}").unwrap();
        self
    }

    fn switch(&mut self, us: u64, cpu: u32, from: Task, state: &str, to: Task) -> &mut Self {
        let event = format!(
            "sched_switch: prev_comm={} prev_pid={} prev_prio=120 prev_state={state} ==> next_comm={} next_pid={} next_prio=120",
            from.0, from.1, to.0, to.1
        );
        self.event(us, cpu, from, &event)
    }

    /// The main task on CPU 0 wakes a task, which comes from one CPU to another.
    fn wake(&mut self, us: u64, woken: Task, from: u32, to: u32) -> &mut Self {
        let (comm, pid) = woken;
        let event = |name: &str, cpu: u32| {
            format!("{name}: comm={comm} pid={pid} prio=120 target_cpu={cpu:03}")
        };
        self.event(us, 0, MAIN, &event("sched_waking", from));
        if from != to {
            let moved = format!(
                "sched_migrate_task: comm={comm} pid={pid} prio=120 orig_cpu={from} dest_cpu={to}"
            );
            self.event(us + 1, 0, MAIN, &moved);
        }
        self.event(us + 2, 0, MAIN, &event("sched_wakeup", to))
    }

    fn open(&self) -> Open {
        let files = Memory::default();
        let topology = TOPOLOGY.split_inclusive('\n').take(self.cpus + 1);
        let inputs = [
            ("trace.txt", self.text.clone()),
            ("lscpu-p.txt", topology.collect()),
            ("tasks.jsonl", self.samples.clone()),
        ];
        let given = inputs.into_iter().filter(|input| !input.1.is_empty());
        let given = given.map(|(name, text)| {
            let source: Box<dyn ByteSource> = Box::new(text.into_bytes());
            (name.to_owned(), source)
        });
        let request = IngestRequest {
            inputs: given.collect(),
            ..IngestRequest::default()
        };
        ingest(request, &files, &mut Progress::new(None)).unwrap();
        Open::new(Arc::new(files)).unwrap()
    }

    /// Reasons of the last placement of a task, and by which rule it missed an idle CPU.
    fn last(&self, task: Task) -> (Vec<&'static str>, Option<&'static str>) {
        let open = self.open();
        let replay = Replay::new(&open, open.evidence.as_ref().unwrap()).unwrap();
        let window = (open.index.origin_ns(), open.index.end_ns());
        let mut last = None;
        replay
            .run(window, |decision, _| {
                if decision.pid == task.1 {
                    let reasons = decision.reasons.iter().map(|one| one.entry().id);
                    let missed = decision.missed.map(|missed| missed.by.entry().id);
                    last = Some((reasons.collect(), missed));
                }
            })
            .unwrap();
        last.unwrap()
    }
}

/// The worker slept on CPU 1, where something runs now, and is woken at 200 µs.
fn woken_on_1(on_1: Task, others: [Task; 2], to: u32) -> Trace {
    let mut trace = Trace::new([WORKER, others[0], others[1]]);
    trace.switch(100, 1, WORKER, "S", on_1);
    trace.wake(200, WORKER, 1, to);
    trace.switch(400, to, if to == 1 { on_1 } else { IDLE }, "S", WORKER);
    trace.switch(500, to, WORKER, "S", IDLE);
    trace
}

const OTHER: Task = ("other", 31);
const THIRD: Task = ("third", 32);

#[test]
fn an_idle_previous_cpu_takes_the_task() {
    let trace = woken_on_1(IDLE, [IDLE, IDLE], 1);
    assert_eq!(trace.last(WORKER), (vec!["previous_idle"], None));
    // Nothing explains why it leaves an idle CPU for another one.
    let trace = woken_on_1(IDLE, [IDLE, IDLE], 2);
    assert_eq!(trace.last(WORKER), (vec![], None));
}

#[test]
fn a_busy_previous_cpu_is_kept_where_its_cache_has_no_idle_one() {
    let trace = woken_on_1(HOG, [IDLE, OTHER], 1);
    assert_eq!(trace.last(WORKER), (vec!["no_idle"], Some("other_node")));
    // The same while all CPUs are busy.
    let trace = woken_on_1(HOG, [THIRD, OTHER], 1);
    assert_eq!(trace.last(WORKER), (vec!["no_idle"], None));
}

#[test]
fn a_task_that_comes_to_its_waker_was_drawn() {
    let trace = woken_on_1(HOG, [IDLE, IDLE], 0);
    let expected = (vec!["sync", "affine"], Some("waker_preferred"));
    assert_eq!(trace.last(WORKER), expected);
    // With an idle previous CPU below the same cache, that one is taken.
    let trace = woken_on_1(IDLE, [IDLE, IDLE], 0);
    assert_eq!(trace.last(WORKER).0, Vec::<&str>::new());
}

#[test]
fn a_search_finds_idle_cpus_of_the_cache_only() {
    // The worker slept on CPU 2, its waker on CPU 0 runs alone.
    let drawn = |on_3: Task, to: u32| {
        let mut trace = Trace::new([IDLE, WORKER, on_3]);
        trace.switch(100, 2, WORKER, "S", HOG);
        trace.wake(200, WORKER, 2, to);
        trace.switch(400, to, IDLE, "S", WORKER);
        trace.last(WORKER)
    };
    assert_eq!(drawn(IDLE, 3).0, ["recent", "idle_in_llc"]);
    assert_eq!(drawn(IDLE, 1).0, ["recent", "idle_in_waker_llc"]);
    assert_eq!(drawn(OTHER, 3).0, Vec::<&str>::new());
}

#[test]
fn a_sleeping_task_may_still_be_queued() {
    // CPU 0 is busy with the waker; CPU 1, of the same cache, was idle.
    let mut trace = Trace::new([IDLE, IDLE, IDLE]);
    trace.switch(50, 0, MAIN, "S", WORKER);
    trace.switch(100, 0, WORKER, "S", MAIN);
    trace.wake(200, WORKER, 0, 0);
    trace.switch(400, 0, MAIN, "S", WORKER);
    let either = vec!["delayed_dequeue", "search_ended"];
    assert_eq!(trace.last(WORKER), (either, Some("unknown")));
}

#[test]
fn a_sleeping_task_may_be_moved() {
    // It sleeps on CPU 1; a balancer takes it to CPU 2, where it is woken.
    let woken = |moved: bool| {
        let mut trace = woken_on_1(HOG, [IDLE, IDLE], 2);
        if moved {
            let text = "sched_migrate_task: comm=worker pid=20 prio=120 orig_cpu=1 dest_cpu=2";
            let at = trace.text.find(" main-10 [000] d..2. 1.000200").unwrap();
            let line = format!(" <idle>-0 [002] d..2. 1.000150: {text}\n");
            trace.text.insert_str(at, &line);
            trace.text = trace.text.replace(
                "1.000200: sched_waking: comm=worker pid=20 prio=120 target_cpu=001",
                "1.000200: sched_waking: comm=worker pid=20 prio=120 target_cpu=002",
            );
            let own = trace.text.find(" main-10 [000] d..2. 1.000201").unwrap();
            let end = own + trace.text[own..].find('\n').unwrap() + 1;
            trace.text.replace_range(own..end, "");
        }
        trace.last(WORKER).0
    };
    assert_eq!(woken(true), ["previous_idle"]);
    assert_eq!(woken(false), Vec::<&str>::new());
}

#[test]
fn a_kernel_thread_is_bound_after_its_fork() {
    let kthreadd = ("kthreadd", 2, 0);
    assert_eq!(
        forked_as("kworker/1:1", kthreadd, "0-5", 3).0,
        ["fork_idle"]
    );
    // An affinity that was recorded holds from the fork on.
    assert_eq!(forked(("worker", 2, 0), "1", 3).0, Vec::<&str>::new());
}

#[test]
fn a_bound_kernel_thread_misses_nothing() {
    let mut trace = Trace::new([BOUND, IDLE, IDLE]);
    trace.switch(100, 1, BOUND, "S", HOG);
    trace.wake(200, BOUND, 1, 1);
    trace.switch(400, 1, HOG, "S", BOUND);
    assert_eq!(trace.last(BOUND), (vec!["pinned"], None));
}

#[test]
fn a_section_counts_each_placement_once() {
    let trace = woken_on_1(HOG, [IDLE, OTHER], 1);
    let open = trace.open();
    let evidence = open.evidence.as_ref().unwrap();
    let window = (open.index.origin_ns(), open.index.end_ns());
    let mut missed = MissedIdle::default();
    let options = PlacementOptions::default();
    let section = wakeup_placement(&open, evidence, window, options, &mut missed).unwrap();
    assert_eq!(
        (section.wakeups, section.certain, section.unexplained),
        (1, 1, 0)
    );
    assert_eq!(section.missed.len(), 1);
    assert_eq!(section.missed[0].wait_ns, 200_000);
    assert_eq!(section.listed[0].idle_cpu, Some(2));
    // Nothing recorded shows that the worker may run on CPU 2.
    assert_eq!(missed, MissedIdle::default());
}

/// The task on a CPU, which may use some CPUs, forks while CPU 2 is busy and all others are idle; the child comes to a CPU.
fn forked(
    parent: (&'static str, i32, u32),
    allowed: &str,
    to: u32,
) -> (Vec<&'static str>, Option<&'static str>) {
    forked_as(WORKER.0, parent, allowed, to)
}

/// The same with the name of the child when it runs.
fn forked_as(
    name: &'static str,
    (comm, pid, on): (&'static str, i32, u32),
    allowed: &str,
    to: u32,
) -> (Vec<&'static str>, Option<&'static str>) {
    let others = [IDLE, HOG, IDLE, IDLE, IDLE];
    let mut trace = Trace::new(others);
    let child = WORKER.1;
    for (us, event) in [
        (
            200,
            format!(
                "sched_process_fork: comm={comm} pid={pid} child_comm={comm} child_pid={child}"
            ),
        ),
        (
            210,
            format!("sched_wakeup_new: comm={comm} pid={child} prio=120 target_cpu={to:03}"),
        ),
    ] {
        trace.event(us, on, (comm, pid), &event);
    }
    let begun = (name, child);
    trace.switch(900, to, others[to as usize - 1], "S", begun);
    let stat = format!("{pid} ({comm}) R 1 1 1 0 -1{}", " 0".repeat(44));
    let at = 1_000_100_000;
    trace.samples = format!(
        "{{\"idx\":0,\"mono_ns\":{at},\"real_ns\":{at},\"boot_ns\":{at},\"pid\":{pid},\"tid\":{pid},\"comm\":\"{comm}\",\"stat\":\"{stat}\",\"cpus_allowed\":\"{allowed}\"}}\n"
    );
    trace.last(WORKER)
}

/// 82d6e01 (6.19): idle CPUs that the task may not use counted for a group.
#[test]
fn idle_cpus_that_a_new_task_may_not_use_do_not_count() {
    let main = (MAIN.0, MAIN.1, 0);
    // Node 1 has CPUs 2 to 5, of which the task may use CPU 2 only.
    let expected = (vec!["fork_least_loaded"], Some("fork_affinity"));
    assert_eq!(forked(main, "0-2", 2), expected);
    // The parent runs on node 1, where the kernel lets a few tasks stay.
    let expected = (vec!["fork_least_loaded"], Some("fork"));
    assert_eq!(forked((HOG.0, HOG.1, 2), "0-2", 2), expected);
    // The task may use all of them; an idle CPU takes it.
    assert_eq!(forked(main, "0-5", 2), (vec![], Some("unknown")));
    assert_eq!(forked(main, "0-2", 1), (vec!["fork_idle"], None));
}

/// What other rules may have changed about the wakeups of a recording: their names, and wakeups that would and may differ.
fn what_ifs(trace: &Trace) -> Vec<(&'static str, u64, u64, Vec<&'static str>)> {
    let open = trace.open();
    let evidence = open.evidence.as_ref().unwrap();
    let window = (open.index.origin_ns(), open.index.end_ns());
    let (options, mut missed) = (PlacementOptions::default(), MissedIdle::default());
    let section = wakeup_placement(&open, evidence, window, options, &mut missed).unwrap();
    let rows = section.what_ifs.iter().map(|row| {
        let reasons = row.reasons.iter().map(|one| one.reason.entry().id);
        let rules = row.rules.entry().id;
        (rules, row.differ, row.uncertain, reasons.collect())
    });
    rows.collect()
}

#[test]
fn kernels_without_delayed_dequeue_search_idle_cpus() {
    let mut trace = Trace::new([IDLE, IDLE, IDLE]);
    trace.switch(50, 0, MAIN, "S", WORKER);
    trace.switch(100, 0, WORKER, "S", MAIN);
    trace.wake(200, WORKER, 0, 0);
    trace.switch(400, 0, MAIN, "S", WORKER);
    // The previous CPU is the waker's, so only the search of its cache is left, which finds CPU 1.
    let expected = ("before_6_12", 0, 1, vec!["recent", "idle_in_llc"]);
    assert_eq!(what_ifs(&trace), [expected]);
    // Where no CPU of the cache is idle, the task stays there by both rules.
    assert_eq!(what_ifs(&woken_on_1(HOG, [IDLE, OTHER], 1)), []);
}

#[test]
fn cling_keeps_tasks_on_the_node_that_they_prefer() {
    // The worker came to node 1 by an attempt of the NUMA balancer, sleeps on its CPU 2, and is drawn to CPU 0.
    let drawn = |dst_nid: u32| {
        let mut trace = Trace::new([IDLE, WORKER, OTHER]);
        let (src, dst) = (1 - dst_nid, dst_nid);
        let moved = format!(
            "sched_move_numa: pid=20 tgid=20 ngid=0 src_cpu={} src_nid={src} dst_cpu={} dst_nid={dst}",
            2 * src,
            2 * dst
        );
        trace.event(50, 2, WORKER, &moved);
        trace.switch(100, 2, WORKER, "S", HOG);
        trace.wake(200, WORKER, 2, 0);
        trace.switch(400, 0, IDLE, "S", WORKER);
        let mut found = what_ifs(&trace);
        found.retain(|one| one.0 == "cling_on");
        found
    };
    assert_eq!(drawn(1), [("cling_on", 1, 0, vec!["cling"])]);
    assert_eq!(drawn(0), []);
}
