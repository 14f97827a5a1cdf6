//! What sleeps are for and who was behind them, each rule with a case and a look-alike; and requests.
#![allow(clippy::unwrap_used, missing_docs)]

use std::fmt::Write;
use std::sync::Arc;

use numalens_bundle::{IngestRequest, Memory, Open, Progress, ingest};
use numalens_columns::ByteSource;
use numalens_off_cpu::{By, Explained, Ledger, Question, SlowCause, State, explain};

/// A task: its name and pid.
type Task = (&'static str, i32);

const IDLE: Task = ("<idle>", 0);
const SERVER: Task = ("server", 10);
const WORKER: Task = ("server", 11);
const CLIENT: Task = ("client", 20);
const KEEPER: Task = ("keeper", 30);
const HOG: Task = ("hog", 40);
/// Another process of the server's program.
const SECOND: Task = ("server", 51);

/// Context of an event, as its flags say.
#[derive(Clone, Copy)]
enum On {
    Task,
    Interrupt,
    Softirq,
}

/// Recording as text, times in µs after second 1; whether it has the processes of tasks; and samples by the names of their files.
struct Trace(String, bool, Vec<(&'static str, String)>);

impl Trace {
    fn new() -> Self {
        Self("# tracer: nop\n#\n".to_owned(), false, Vec::new())
    }

    fn event(&mut self, us: u64, cpu: u32, task: Task, on: On, event: &str) -> &mut Self {
        let flags = match on {
            On::Task => "d..2.",
            On::Interrupt => "d.h2.",
            On::Softirq => "d.s2.",
        };
        let (comm, pid) = task;
        // The option `record-tgid`: processes have round numbers.
        let process = if self.1 {
            format!("({})", pid / 10 * 10)
        } else {
            String::new()
        };
        writeln!(
            self.0,
            " {comm}-{pid} {process}[{cpu:03}] {flags} 1.{us:06}: {event}"
        )
        .unwrap();
        self
    }

    /// The stack of the last event, which is one of a task on a CPU.
    fn stack(&mut self, us: u64, cpu: u32, task: Task, functions: &[&str]) -> &mut Self {
        let frames = functions.join("\n => ");
        self.event(
            us,
            cpu,
            task,
            On::Task,
            &format!("<stack trace>\n => {frames}"),
        )
    }

    fn switch(&mut self, us: u64, cpu: u32, from: Task, state: &str, to: Task) -> &mut Self {
        let name = |task: Task| if task.1 == 0 { "swapper" } else { task.0 };
        let event = format!(
            "sched_switch: prev_comm={} prev_pid={} prev_prio=120 prev_state={state} ==> next_comm={} next_pid={} next_prio=120",
            name(from),
            from.1,
            name(to),
            to.1
        );
        self.event(us, cpu, from, On::Task, &event)
    }

    fn wake(&mut self, us: u64, cpu: u32, by: Task, on: On, woken: Task) -> &mut Self {
        let event = |name: &str| {
            format!(
                "{name}: comm={} pid={} prio=120 target_cpu={:03}",
                woken.0,
                woken.1,
                woken.1 % 2
            )
        };
        self.event(us, cpu, by, on, &event("sched_waking"));
        self.event(us, cpu, by, on, &event("sched_wakeup"))
    }

    /// A softirq of a CPU that wakes a task.
    fn softirq(
        &mut self,
        us: u64,
        cpu: u32,
        below: Task,
        vector: (u32, &str),
        woken: Task,
    ) -> &mut Self {
        let (vec, action) = vector;
        self.event(
            us,
            cpu,
            below,
            On::Softirq,
            &format!("softirq_entry: vec={vec} [action={action}]"),
        );
        self.wake(us + 1, cpu, below, On::Softirq, woken);
        self.event(
            us + 2,
            cpu,
            below,
            On::Softirq,
            &format!("softirq_exit: vec={vec} [action={action}]"),
        )
    }

    /// Adds a sample at a time, of which `rest` are the fields.
    fn sample(&mut self, us: u64, file: &'static str, rest: &str) {
        let ns = 1_000_000_000 + us * 1_000;
        let line =
            format!("{{\"idx\":0,\"mono_ns\":{ns},\"real_ns\":{ns},\"boot_ns\":{ns},{rest}}}\n");
        match self.2.iter_mut().find(|it| it.0 == file) {
            Some((_, text)) => text.push_str(&line),
            None => self.2.push((file, line)),
        }
    }

    fn open(&self) -> Open {
        let files = Memory::default();
        let text = ("trace.txt", self.0.clone());
        let inputs = [text].into_iter().chain(self.2.iter().cloned());
        let inputs = inputs.map(|(name, text)| {
            let source: Box<dyn ByteSource> = Box::new(text.into_bytes());
            (name.to_owned(), source)
        });
        let request = IngestRequest {
            inputs: inputs.collect(),
            ..IngestRequest::default()
        };
        ingest(request, &files, &mut Progress::new(None)).unwrap();
        Open::new(Arc::new(files)).unwrap()
    }

    /// The cause of the longest sleep of a task, and who was behind it.
    fn sleep(&self, task: Task) -> (&'static str, Option<String>) {
        let open = self.open();
        let ledger = Ledger::new(&open).unwrap();
        let pieces = ledger.pieces(task.1, 0, u64::MAX).unwrap();
        let asleep = pieces
            .iter()
            .filter(|it| it.cause.state() == State::Asleep && it.by != By::Unknown);
        let longest = asleep.max_by_key(|it| it.ns()).unwrap();
        (longest.cause.entry().id, ledger.name(longest.by))
    }

    /// Time that a task slept for no known cause, µs.
    fn slept_unknown_us(&self, task: Task) -> u64 {
        let open = self.open();
        let pieces = Ledger::new(&open).unwrap().pieces(task.1, 0, u64::MAX);
        let unknown = pieces.unwrap().into_iter().filter(|it| {
            it.cause.state() == State::Asleep && it.by == By::Unknown && it.ns() > 1_000_000
        });
        unknown.map(|it| it.ns() / 1_000).sum()
    }

    fn explain(&self, task: &str, log: &str) -> Explained {
        let question = Question {
            task: Some(task.to_owned()),
            slow: Some(50.0),
            ..Question::default()
        };
        explain(&self.open(), &question, Some(("log.csv", log))).unwrap()
    }
}

fn by(cause: &'static str, name: &str) -> (&'static str, Option<String>) {
    (cause, Some(name.to_owned()))
}

/// The server runs on CPU 0 from 0 on and sleeps at `us`; CPU 1 is idle.
fn slept_at(us: u64, state: &str) -> Trace {
    let mut trace = Trace::new();
    trace.switch(0, 0, IDLE, "R", SERVER);
    trace.switch(1, 1, HOG, "S", IDLE);
    trace.switch(us, 0, SERVER, state, IDLE);
    trace
}

/// A recording as [`slept_at`] makes, with the processes of tasks.
fn slept_with_processes(us: u64, state: &str) -> Trace {
    let mut trace = Trace::new();
    trace.1 = true;
    trace.switch(0, 0, IDLE, "R", SERVER);
    trace.switch(1, 1, HOG, "S", IDLE);
    trace.switch(us, 0, SERVER, state, IDLE);
    trace
}

/// The server gets its CPU at `us`, and the recording ends 1 ms later.
fn goes_on(trace: &mut Trace, us: u64) {
    trace.switch(us, 0, IDLE, "R", SERVER);
    trace.switch(us + 1_000, 0, SERVER, "S", IDLE);
}

#[test]
fn a_disk_ends_sleeps_by_its_interrupt() {
    let mut trace = slept_at(100, "D");
    let entry = "irq_handler_entry: irq=36 name=virtio1-req.0";
    trace.event(5_000, 0, IDLE, On::Interrupt, entry);
    trace.wake(5_001, 0, IDLE, On::Interrupt, SERVER);
    trace.event(
        5_002,
        0,
        IDLE,
        On::Interrupt,
        "irq_handler_exit: irq=36 ret=handled",
    );
    goes_on(&mut trace, 5_010);
    assert_eq!(trace.sleep(SERVER), by("disk", "virtio1-req.0"));

    // Blocked is not yet a disk: here a task let go of something.
    let mut trace = slept_at(100, "D");
    trace.switch(4_000, 1, IDLE, "R", KEEPER);
    trace.wake(5_001, 1, KEEPER, On::Task, SERVER);
    goes_on(&mut trace, 5_010);
    assert_eq!(trace.sleep(SERVER), by("kernel_lock", "keeper"));
}

#[test]
fn packets_of_the_loopback_device_come_from_the_task_that_sends_them() {
    let mut trace = slept_at(100, "S");
    trace.switch(4_000, 1, IDLE, "R", CLIENT);
    trace.softirq(5_000, 1, CLIENT, (3, "NET_RX"), SERVER);
    goes_on(&mut trace, 5_010);
    assert_eq!(trace.sleep(SERVER), by("socket", "client"));

    let mut trace = slept_at(100, "S");
    trace.softirq(5_000, 1, IDLE, (3, "NET_RX"), SERVER);
    goes_on(&mut trace, 5_010);
    assert_eq!(trace.sleep(SERVER), by("socket", "NET_RX"));
}

#[test]
fn a_lock_is_held_by_the_last_one_who_did_not_wait_for_it() {
    let mut trace = slept_at(100, "S");
    // The other worker waits for the lock, too, and gets it first.
    trace.switch(200, 1, IDLE, "R", WORKER);
    trace.switch(300, 1, WORKER, "S", IDLE);
    trace.switch(8_000, 1, IDLE, "R", KEEPER);
    trace.wake(8_010, 1, KEEPER, On::Task, WORKER);
    trace.switch(8_020, 1, KEEPER, "S", WORKER);
    trace.wake(8_030, 1, WORKER, On::Task, SERVER);
    goes_on(&mut trace, 8_040);
    assert_eq!(trace.sleep(SERVER), by("thread", "keeper"));

    // A worker that slept until a timer held the lock itself.
    let mut trace = slept_at(100, "S");
    trace.switch(200, 1, IDLE, "R", WORKER);
    trace.switch(300, 1, WORKER, "S", IDLE);
    trace.softirq(8_000, 1, IDLE, (1, "TIMER"), WORKER);
    trace.switch(8_020, 1, IDLE, "R", WORKER);
    trace.wake(8_030, 1, WORKER, On::Task, SERVER);
    goes_on(&mut trace, 8_040);
    assert_eq!(trace.sleep(SERVER), by("thread", "server"));
}

#[test]
fn a_wait_that_is_repeated_after_its_timeout_is_one_wait() {
    let waits_again = |wakes: bool| {
        let mut trace = slept_at(100, "S");
        trace.softirq(5_000, 0, IDLE, (1, "TIMER"), SERVER);
        trace.switch(5_010, 0, IDLE, "R", SERVER);
        if wakes {
            trace.wake(5_020, 0, SERVER, On::Task, CLIENT);
        }
        trace.switch(5_030, 0, SERVER, "S", IDLE);
        trace.switch(5_040, 1, IDLE, "R", KEEPER);
        trace.wake(5_200, 1, KEEPER, On::Task, SERVER);
        goes_on(&mut trace, 5_210);
        trace
    };
    assert_eq!(waits_again(false).sleep(SERVER), by("thread", "keeper"));
    // It did something when its time had come: that sleep was for its own sake.
    assert_eq!(waits_again(true).sleep(SERVER), by("timer", "timer"));
}

#[test]
fn a_sleep_in_another_call_is_another_wait() {
    let waits_again = |call: &str| {
        let mut trace = Trace::new();
        trace.switch(0, 0, IDLE, "R", SERVER);
        trace.switch(1, 1, HOG, "S", IDLE);
        trace.event(50, 0, SERVER, On::Task, call);
        trace.switch(100, 0, SERVER, "S", IDLE);
        trace.softirq(5_000, 0, IDLE, (1, "TIMER"), SERVER);
        trace.switch(5_010, 0, IDLE, "R", SERVER);
        let futex = "sys_enter_futex: uaddr=0x7f5c op=128 val=2";
        trace.event(5_020, 0, SERVER, On::Task, futex);
        trace.switch(5_030, 0, SERVER, "S", IDLE);
        trace.switch(5_040, 1, IDLE, "R", KEEPER);
        trace.wake(5_200, 1, KEEPER, On::Task, SERVER);
        goes_on(&mut trace, 5_210);
        trace
    };
    let trace = waits_again("sys_enter_nanosleep: rqtp=0x7ffe rmtp=0x0");
    assert_eq!(resource(&trace, SERVER), by("timer", "nanosleep"));
    let trace = waits_again("sys_enter_poll: ufds=0x7ffe nfds=1 timeout_msecs=5");
    assert_eq!(resource(&trace, SERVER), by("timer", "poll"));
    let trace = waits_again("sys_enter_futex: uaddr=0x7f5c op=128 val=2");
    assert_eq!(resource(&trace, SERVER), by("user_lock", "futex 0x7f5c"));
}

#[test]
fn a_lock_that_nobody_released_was_a_wait_until_a_time() {
    let waits = |released: bool| {
        let mut trace = slept_at(100, "S");
        trace.stack(
            101,
            0,
            SERVER,
            &["schedule", "futex_wait_queue", "do_futex"],
        );
        if released {
            trace.switch(4_000, 1, IDLE, "R", KEEPER);
            trace.wake(5_000, 1, KEEPER, On::Task, SERVER);
        } else {
            trace.softirq(5_000, 0, IDLE, (1, "TIMER"), SERVER);
        }
        goes_on(&mut trace, 5_010);
        trace
    };
    assert_eq!(waits(true).sleep(SERVER), by("user_lock", "keeper"));
    assert_eq!(waits(false).sleep(SERVER), by("timer", "timer"));
}

#[test]
fn programs_that_share_a_lock_wait_for_the_one_that_did_not_wait() {
    let released = |wakes: bool| {
        let mut trace = slept_with_processes(100, "S");
        trace.switch(200, 1, IDLE, "R", SECOND);
        if wakes {
            trace.wake(250, 1, SECOND, On::Task, KEEPER);
        }
        trace.switch(300, 1, SECOND, "S", IDLE);
        trace.switch(8_000, 1, IDLE, "R", KEEPER);
        trace.wake(8_010, 1, KEEPER, On::Task, SECOND);
        trace.switch(8_020, 1, KEEPER, "S", SECOND);
        trace.wake(8_030, 1, SECOND, On::Task, SERVER);
        goes_on(&mut trace, 8_040);
        trace.sleep(SERVER)
    };
    assert_eq!(released(false), by("user_lock", "keeper"));
    // It had asked the keeper for something: it held the lock itself.
    assert_eq!(released(true), by("user_lock", "server"));
}

#[test]
fn one_that_mostly_wakes_without_a_request_shares_a_lock() {
    // Processes are not recorded. The worker wakes the keeper and sleeps until that one wakes it.
    let released = |requests: bool| {
        let mut trace = slept_at(100, "S");
        trace.switch(200, 1, IDLE, "R", WORKER);
        for us in [300, 600, 900] {
            if requests {
                trace.wake(us, 1, WORKER, On::Task, KEEPER);
            }
            trace.switch(us + 10, 1, WORKER, "S", KEEPER);
            trace.wake(us + 100, 1, KEEPER, On::Task, WORKER);
            trace.switch(us + 110, 1, KEEPER, "S", WORKER);
        }
        trace.wake(1_200, 1, WORKER, On::Task, KEEPER);
        trace.switch(1_210, 1, WORKER, "S", KEEPER);
        trace.wake(8_010, 1, KEEPER, On::Task, WORKER);
        trace.switch(8_020, 1, KEEPER, "S", WORKER);
        trace.wake(8_030, 1, WORKER, On::Task, SERVER);
        goes_on(&mut trace, 8_040);
        trace.sleep(SERVER)
    };
    assert_eq!(released(false), by("thread", "keeper"));
    // One that answers is asked: the worker held the lock itself.
    assert_eq!(released(true), by("thread", "server"));
}

/// The server waits for a lock of the worker. That one has answered a browser, works for the client, and sleeps until a task wakes it: the
/// keeper, which it asked, or the client, which has its answer.
fn behind_worker(last: Task) -> (&'static str, Option<String>) {
    let mut trace = Trace::new();
    trace.1 = true;
    trace.switch(0, 0, IDLE, "R", SERVER);
    trace.switch(1, 1, HOG, "S", WORKER);
    let browser = ("browser", 71);
    trace.switch(3, 1, WORKER, "S", browser);
    trace.wake(20, 1, browser, On::Task, WORKER);
    trace.switch(25, 1, browser, "S", WORKER);
    trace.wake(30, 1, WORKER, On::Task, browser);
    trace.switch(35, 1, WORKER, "S", browser);
    trace.switch(40, 1, browser, "S", CLIENT);
    trace.wake(100, 1, CLIENT, On::Task, WORKER);
    trace.switch(110, 1, CLIENT, "S", WORKER);
    trace.wake(120, 1, WORKER, On::Task, last);
    trace.switch(130, 1, WORKER, "S", IDLE);
    trace.switch(200, 0, SERVER, "S", last);
    trace.wake(8_010, 0, last, On::Task, WORKER);
    trace.switch(8_020, 1, IDLE, "R", WORKER);
    trace.wake(8_030, 1, WORKER, On::Task, SERVER);
    trace.switch(8_040, 0, last, "S", SERVER);
    trace.switch(9_040, 0, SERVER, "S", IDLE);
    let log = format!("start_us,duration_us,tid\n1000190,7900,{}\n", SERVER.1);
    let first = trace.explain("server", &log).requests.unwrap().slow.causes;
    (first[0].cause, first[0].by.clone())
}

#[test]
fn the_holder_of_a_lock_is_followed_to_the_service_that_works_for_it() {
    assert_eq!(behind_worker(KEEPER), by("process", "keeper"));
    // A session that keeps a lock while its client pauses waits for no answer.
    assert_eq!(behind_worker(CLIENT), by("thread", "server"));
}

#[test]
fn threads_that_write_to_one_full_pipe_wait_for_its_reader() {
    let mut trace = slept_with_processes(100, "S");
    trace.stack(101, 0, SERVER, &["schedule", "pipe_write", "vfs_write"]);
    trace.switch(200, 1, IDLE, "R", WORKER);
    trace.switch(300, 1, WORKER, "S", IDLE);
    trace.stack(301, 1, WORKER, &["schedule", "pipe_write", "vfs_write"]);
    trace.switch(8_000, 1, IDLE, "R", KEEPER);
    trace.wake(8_010, 1, KEEPER, On::Task, WORKER);
    trace.switch(8_020, 1, KEEPER, "S", WORKER);
    trace.wake(8_030, 1, WORKER, On::Task, SERVER);
    goes_on(&mut trace, 8_040);
    assert_eq!(trace.sleep(SERVER), by("pipe", "keeper"));
}

#[test]
fn a_child_wakes_its_parent_as_the_last_thing_that_it_does() {
    let ends = |sleeps: bool| {
        let mut trace = slept_with_processes(100, "S");
        trace.switch(4_000, 1, IDLE, "R", KEEPER);
        trace.wake(5_000, 1, KEEPER, On::Task, SERVER);
        if sleeps {
            trace.switch(5_100, 1, KEEPER, "S", IDLE);
            trace.switch(5_500, 1, IDLE, "R", KEEPER);
        }
        trace.switch(6_000, 1, KEEPER, "X", IDLE);
        goes_on(&mut trace, 6_010);
        trace.sleep(SERVER)
    };
    assert_eq!(ends(false), by("child", "keeper"));
    assert_eq!(ends(true), by("process", "keeper"));
}

#[test]
fn a_waker_without_context_may_have_been_interrupted() {
    let mut trace = slept_at(100, "D");
    trace.switch(900, 1, IDLE, "R", KEEPER);
    trace.wake(9_000, 1, KEEPER, On::Task, SERVER);
    goes_on(&mut trace, 9_010);
    assert_eq!(trace.sleep(SERVER), by("kernel_lock", "keeper"));
    assert_eq!(trace.slept_unknown_us(SERVER), 0);
    trace.0 = trace.0.replace(" d..2. ", " ");
    assert_eq!(trace.slept_unknown_us(SERVER), 9_000 - 100);
}

#[test]
fn a_frozen_task_was_woken_for_it() {
    // The keeper wakes the server, which runs for some time and blocks. It is woken by the keeper or by another process of that name,
    // which begins then.
    let thawed = |ran_us: u64, by: Task| {
        let mut trace = slept_at(100, "S");
        trace.switch(900, 1, IDLE, "R", KEEPER);
        trace.wake(1_000, 1, KEEPER, On::Task, SERVER);
        trace.switch(1_010, 0, IDLE, "R", SERVER);
        trace.switch(1_010 + ran_us, 0, SERVER, "D", IDLE);
        if by != KEEPER {
            let new = format!("comm={} pid={} prio=120 target_cpu=001", by.0, by.1);
            trace.event(
                8_500,
                1,
                KEEPER,
                On::Task,
                &format!("sched_wakeup_new: {new}"),
            );
            trace.switch(8_510, 1, KEEPER, "S", by);
        }
        trace.wake(9_000, 1, by, On::Task, SERVER);
        goes_on(&mut trace, 9_010);
        trace.sleep(SERVER)
    };
    let other = ("keeper", 31);
    assert_eq!(thawed(5, other), by("frozen", "keeper"));
    // It did something before it blocked, so it was woken for that.
    assert_eq!(thawed(2_005, other), by("kernel_lock", "keeper"));
    // One that ran in the meantime may have held a lock.
    assert_eq!(thawed(5, KEEPER), by("kernel_lock", "keeper"));
}

#[test]
fn who_slept_interruptibly_held_no_lock_of_the_kernel_and_thawed_the_task() {
    let ended = |state: &str, asks: bool| {
        let mut trace = slept_at(100, "S");
        trace.switch(900, 1, IDLE, "R", CLIENT);
        trace.wake(1_000, 1, CLIENT, On::Task, SERVER);
        trace.switch(1_010, 0, IDLE, "R", SERVER);
        if asks {
            trace.wake(1_012, 0, SERVER, On::Task, KEEPER);
        }
        trace.switch(1_020, 1, CLIENT, "S", KEEPER);
        trace.switch(1_025, 0, SERVER, "D", IDLE);
        trace.switch(1_030, 1, KEEPER, state, IDLE);
        trace.wake(8_000, 1, IDLE, On::Interrupt, KEEPER);
        trace.switch(8_010, 1, IDLE, "R", KEEPER);
        trace.wake(9_000, 1, KEEPER, On::Task, SERVER);
        goes_on(&mut trace, 9_010);
        trace.sleep(SERVER)
    };
    assert_eq!(ended("S", false), by("frozen", "keeper"));
    // It slept with the lock.
    assert_eq!(ended("D", false), by("kernel_lock", "keeper"));
    // Nothing shows what it waited for when it was asked.
    assert_eq!(ended("S", true), by("kernel_lock", "keeper"));
}

#[test]
fn a_file_system_in_a_program_answers_those_that_block() {
    let ended = |state: &str| {
        let mut trace = Trace::new();
        trace.switch(0, 0, IDLE, "R", SERVER);
        trace.switch(1, 1, HOG, "S", KEEPER);
        trace.switch(50, 1, KEEPER, state, IDLE);
        trace.wake(90, 0, SERVER, On::Task, KEEPER);
        trace.switch(100, 0, SERVER, "D", IDLE);
        trace.switch(110, 1, IDLE, "R", KEEPER);
        trace.wake(8_000, 1, KEEPER, On::Task, SERVER);
        goes_on(&mut trace, 8_010);
        trace.sleep(SERVER)
    };
    assert_eq!(ended("S"), by("process", "keeper"));
    // Both wait for one lock in turn.
    assert_eq!(ended("D"), by("kernel_lock", "keeper"));
}

#[test]
fn a_sleep_ends_where_the_task_was_woken_though_its_switch_is_missing() {
    let mut trace = slept_at(100, "S");
    trace.switch(4_000, 1, IDLE, "R", CLIENT);
    trace.softirq(8_000, 1, CLIENT, (3, "NET_RX"), SERVER);
    // It ran and blocked, and only that it left is recorded.
    trace.switch(8_100, 0, SERVER, "D", IDLE);
    trace.softirq(8_200, 0, IDLE, (4, "BLOCK"), SERVER);
    goes_on(&mut trace, 8_210);
    assert_eq!(trace.sleep(SERVER), by("socket", "client"));
}

#[test]
fn a_holder_in_the_service_is_followed_to_its_disk_and_another_one_is_named() {
    let held_by = |holder: Task| {
        let mut trace = slept_at(1_000, "S");
        trace.switch(1_200, 1, IDLE, "R", holder);
        trace.switch(1_300, 1, holder, "D", IDLE);
        trace.softirq(8_000, 1, IDLE, (4, "BLOCK"), holder);
        trace.switch(8_020, 1, IDLE, "R", holder);
        trace.wake(8_030, 1, holder, On::Task, SERVER);
        goes_on(&mut trace, 8_040);
        let answer = trace.explain("server", "start_us,duration_us\n1000900,8100\n");
        let first = answer.requests.unwrap().slow.causes.remove(0);
        (first.cause, first.by)
    };
    assert_eq!(held_by(WORKER), by("disk", "BLOCK"));
    assert_eq!(held_by(KEEPER), by("thread", "keeper"));
}

#[test]
fn what_the_holder_of_a_lock_did_is_part_of_the_sentence() {
    let sentence = |sleeps: bool| {
        let mut trace = slept_at(1_000, "S");
        trace.switch(1_200, 1, IDLE, "R", KEEPER);
        if sleeps {
            trace.switch(1_300, 1, KEEPER, "S", IDLE);
            trace.softirq(8_000, 1, IDLE, (1, "TIMER"), KEEPER);
            trace.switch(8_020, 1, IDLE, "R", KEEPER);
        }
        trace.wake(8_030, 1, KEEPER, On::Task, SERVER);
        goes_on(&mut trace, 8_040);
        let answer = trace.explain("server", "start_us,duration_us\n1000900,8100\n");
        answer.requests.unwrap().worst.remove(0).summary
    };
    let (slept, ran) = (sentence(true), sentence(false));
    assert!(
        slept.contains(". During the wait, keeper was asleep, waiting for a timer"),
        "{slept}"
    );
    assert!(
        ran.contains(". During the wait, keeper was running"),
        "{ran}"
    );
}

#[test]
fn states_tell_who_was_stopped_or_traced() {
    for (state, cause) in [("T", "stopped"), ("t", "traced")] {
        let mut trace = slept_at(100, state);
        trace.switch(4_000, 1, IDLE, "R", KEEPER);
        trace.wake(5_000, 1, KEEPER, On::Task, SERVER);
        goes_on(&mut trace, 5_010);
        assert_eq!(trace.sleep(SERVER), by(cause, "keeper"));
    }
}

/// The server sleeps from 100 to 5 000 µs, and the keeper wakes it.
fn woken_by_keeper(state: &str, before: &[(u64, Task, &str)]) -> Trace {
    let mut trace = Trace::new();
    trace.switch(0, 0, IDLE, "R", SERVER);
    trace.switch(1, 1, HOG, "S", IDLE);
    for &(us, task, event) in before.iter().filter(|it| it.0 < 100) {
        trace.event(us, task.1 as u32 % 2, task, On::Task, event);
    }
    trace.switch(100, 0, SERVER, state, IDLE);
    trace.switch(4_000, 1, IDLE, "R", KEEPER);
    for &(us, task, event) in before.iter().filter(|it| (100..5_000).contains(&it.0)) {
        trace.event(us, 1, task, On::Task, event);
    }
    trace.wake(5_000, 1, KEEPER, On::Task, SERVER);
    trace.switch(5_010, 0, IDLE, "R", SERVER);
    for &(us, task, event) in before.iter().filter(|it| it.0 >= 5_010) {
        trace.event(us, 0, task, On::Task, event);
    }
    trace.switch(6_000, 0, SERVER, "S", IDLE);
    trace
}

fn resource(trace: &Trace, task: Task) -> (&'static str, Option<String>) {
    let open = trace.open();
    let ledger = Ledger::new(&open).unwrap();
    let pieces = ledger.pieces(task.1, 0, u64::MAX).unwrap();
    let longest = pieces.iter().filter(|it| it.cause.state() == State::Asleep);
    let longest = longest.max_by_key(|it| it.ns()).unwrap();
    (
        longest.cause.entry().id,
        ledger.resource(longest.resource).unwrap(),
    )
}

#[test]
fn a_system_call_tells_what_the_task_sleeps_for() {
    let futex = (50, SERVER, "sys_enter_futex: uaddr=0x7f5c op=128 val=2");
    let trace = woken_by_keeper("S", &[futex]);
    assert_eq!(resource(&trace, SERVER), by("user_lock", "futex 0x7f5c"));
    // The call had returned before the task slept.
    let returned = (60, SERVER, "sys_exit_futex: ret=0");
    let trace = woken_by_keeper("S", &[futex, returned]);
    assert_eq!(resource(&trace, SERVER), ("thread", None));
    // A page fault in the call.
    let trace = woken_by_keeper("D", &[futex]);
    assert_eq!(resource(&trace, SERVER).0, "kernel_lock");
    // A read may be of anything.
    let read = (50, SERVER, "sys_enter_read: fd=5 count=10");
    let trace = woken_by_keeper("S", &[read]);
    assert_eq!(resource(&trace, SERVER), by("thread", "read (fd 5)"));
}

#[test]
fn who_started_a_timer_or_queued_a_work_is_named() {
    let kworker = ("kworker/1:1", 50);
    let by_work = |ended: bool| {
        let mut trace = slept_at(100, "D");
        trace.switch(2_000, 1, IDLE, "R", KEEPER);
        let queue = "workqueue_queue_work: work=0x10 function=wb_workfn req_cpu=1";
        trace.event(3_000, 1, KEEPER, On::Task, queue);
        trace.switch(4_000, 1, KEEPER, "S", kworker);
        let start = "workqueue_execute_start: work=0x10 function=wb_workfn";
        trace.event(4_500, 1, kworker, On::Task, start);
        if ended {
            let end = "workqueue_execute_end: work=0x10 function=wb_workfn";
            trace.event(4_900, 1, kworker, On::Task, end);
        }
        trace.wake(5_000, 1, kworker, On::Task, SERVER);
        goes_on(&mut trace, 5_010);
        resource(&trace, SERVER)
    };
    assert_eq!(
        by_work(false),
        by("disk", "kworker/1:1, work that keeper (30) queued")
    );
    assert_eq!(by_work(true), by("disk", "kworker/1:1"));

    let by_timer = |expired_us: u64| {
        let mut trace = slept_at(100, "S");
        trace.switch(2_000, 1, IDLE, "R", KEEPER);
        let start = "hrtimer_start: hrtimer=0x20 function=it_real_fn expires=1";
        trace.event(3_000, 1, KEEPER, On::Task, start);
        trace.switch(4_000, 1, KEEPER, "S", IDLE);
        let expire = "hrtimer_expire_entry: hrtimer=0x20 function=it_real_fn now=1";
        trace.event(expired_us, 1, IDLE, On::Interrupt, expire);
        trace.wake(5_000, 1, IDLE, On::Interrupt, SERVER);
        goes_on(&mut trace, 5_010);
        resource(&trace, SERVER)
    };
    assert_eq!(
        by_timer(4_999),
        by("timer", "timer that keeper (30) started")
    );
    assert_eq!(by_timer(4_500), ("timer", None));
}

#[test]
fn contention_and_reclaim_hold_whole_sleeps() {
    let contention = |end| {
        [
            (90, SERVER, "contention_begin: lock_addr=0xff10 flags=32"),
            (end, SERVER, "contention_end: lock_addr=0xff10 ret=0"),
        ]
    };
    let trace = woken_by_keeper("D", &contention(5_020));
    assert_eq!(resource(&trace, SERVER), by("kernel_lock", "mutex 0xff10"));
    // It had the lock when it slept: nothing names what it slept for then.
    let trace = woken_by_keeper("D", &contention(95));
    assert_eq!(resource(&trace, SERVER), ("kernel_lock", None));

    let reclaim = [
        (
            90,
            SERVER,
            "mm_vmscan_memcg_reclaim_begin: order=0 gfp_flags=GFP_KERNEL",
        ),
        (
            5_020,
            SERVER,
            "mm_vmscan_memcg_reclaim_end: nr_reclaimed=32",
        ),
    ];
    let trace = woken_by_keeper("D", &reclaim);
    assert_eq!(
        resource(&trace, SERVER),
        by("memory", "reclaim of its memory cgroup")
    );
}

#[test]
fn clients_that_wake_a_server_do_not_answer_for_its_backend() {
    const OTHER: Task = ("client", 21);
    let woken_by = |second: Task| {
        let mut trace = slept_at(100, "S");
        trace.switch(900, 1, IDLE, "R", CLIENT);
        trace.wake(1_000, 1, CLIENT, On::Task, SERVER);
        trace.switch(1_010, 0, IDLE, "R", SERVER);
        trace.switch(1_020, 1, CLIENT, "S", IDLE);
        trace.switch(1_050, 0, SERVER, "S", IDLE);
        trace.switch(7_000, 1, IDLE, "R", second);
        trace.softirq(7_010, 1, second, (3, "NET_RX"), SERVER);
        trace.switch(7_020, 0, IDLE, "R", SERVER);
        trace.switch(7_050, 0, SERVER, "S", IDLE);
        trace.switch(7_060, 1, second, "S", KEEPER);
        trace.softirq(9_000, 1, KEEPER, (3, "NET_RX"), SERVER);
        trace.switch(9_010, 0, IDLE, "R", SERVER);
        trace.wake(9_020, 0, SERVER, On::Task, CLIENT);
        trace.switch(9_030, 0, SERVER, "S", IDLE);
        trace.switch(9_040, 1, KEEPER, "S", CLIENT);
        let answer = trace.explain("server", "start_us,duration_us\n1000990,8050\n");
        let first = answer.requests.unwrap().slow.causes.remove(0);
        (first.cause, first.by, first.percent > 90)
    };
    let (_, by, all) = woken_by(OTHER);
    assert_eq!((by.as_deref(), all), (Some("keeper"), true));
    // The one that waits for the answer sent the rest of its question late.
    let (_, by, all) = woken_by(CLIENT);
    assert_eq!((by.as_deref(), all), (Some("client"), false));
}

/// The server is woken 40 ms before each time of `ends`, in ms after second 1, and runs then; on both CPUs others run all the time. Its
/// requests take these 40 ms. `last` runs before it, and leaves its CPU in a state. The others run on after `pause_us`.
fn waits_until(ends: &[u64], last: (Task, &str), pause_us: u64) -> Explained {
    let mut trace = Trace::new();
    let mut log = "start_us,duration_us\n".to_owned();
    trace.switch(0, 0, IDLE, "R", SERVER);
    trace.switch(1, 1, IDLE, "R", CLIENT);
    trace.switch(10, 0, SERVER, "S", HOG);
    for ms in ends {
        let us = ms * 1_000;
        trace.wake(us - 40_000, 1, CLIENT, On::Task, SERVER);
        for step in 1..10 {
            let at = us - 40_000 + step * 4_000;
            trace.switch(at - 2_000, 0, HOG, "R", KEEPER);
            trace.switch(at, 0, KEEPER, "R", HOG);
        }
        trace.switch(us - 100, 0, HOG, "R", last.0);
        trace.switch(us, 0, last.0, last.1, SERVER);
        trace.wake(us + 100, 0, SERVER, On::Task, CLIENT);
        if pause_us > 0 {
            trace.switch(us + 110, 0, SERVER, "S", IDLE);
            trace.switch(us + 110 + pause_us, 0, IDLE, "R", HOG);
        } else {
            trace.switch(us + 110, 0, SERVER, "S", HOG);
        }
        writeln!(log, "{},40105", 1_000_000 + us - 40_000).unwrap();
    }
    trace.switch(990_000, 1, CLIENT, "S", IDLE);
    trace.explain("server", &log)
}

#[test]
fn waits_that_end_each_100_ms_are_those_of_a_quota() {
    let cause = |answer: &Explained| {
        let slow = &answer.requests.as_ref().unwrap().slow;
        slow.causes[0].cause
    };
    let each: Vec<u64> = (1..=9).map(|at| at * 100 + at % 3).collect();
    let found = waits_until(&each, (KEEPER, "R"), 0);
    assert_eq!(cause(&found), "throttled");
    assert_eq!(found.requests.as_ref().unwrap().slow.causes[0].by, None);
    let note = found.notes.iter().find(|note| note.contains("quota"));
    assert!(note.is_some(), "{:?}", found.notes);
    // At any time.
    let any: Vec<u64> = (1..=9).map(|at| at * 93).collect();
    assert_eq!(cause(&waits_until(&any, (KEEPER, "R"), 0)), "busy");
    // Few do, which may be by chance.
    assert_eq!(cause(&waits_until(&each[..7], (KEEPER, "R"), 0)), "busy");
    // The waits end when a task that works every 100 ms sleeps.
    assert_eq!(cause(&waits_until(&each, (KEEPER, "S"), 0)), "busy");
    // The others stop when their own quota is used up, until its next period.
    let neighbors = waits_until(&each, (KEEPER, "R"), 40_000);
    assert_eq!(cause(&neighbors), "busy");
    assert!(
        neighbors.notes.iter().all(|note| !note.contains("quota")),
        "{:?}",
        neighbors.notes
    );
    // They continue a little later, after another task.
    assert_eq!(
        cause(&waits_until(&each, (KEEPER, "R"), 10_000)),
        "throttled"
    );
}

/// The server runs for 12 ms of each 100 ms and is preempted by the hog then. Its cgroup has a quota in µs per 100 ms, if one.
fn with_quota(quota: &str, throttled_us: u64) -> Vec<SlowCause> {
    let mut trace = Trace::new();
    for period in 0..6 {
        let files = format!(
            "\"files\":{{\"/sys/fs/cgroup/db/cgroup.procs\":\"{}\\n\",\"/sys/fs/cgroup/db/cpu.max\":\"{quota} 100000\\n\",\"/sys/fs/cgroup/db/cpu.stat\":\"nr_periods {period}\\nnr_throttled {}\\nthrottled_usec {}\\n\"}}",
            SERVER.1,
            period * throttled_us.min(1),
            period * throttled_us
        );
        trace.sample(period * 100_000, "cgroup.jsonl", &files);
    }
    let mut log = "start_us,duration_us,tid\n".to_owned();
    trace.switch(0, 1, IDLE, "R", KEEPER);
    trace.switch(10, 0, IDLE, "R", SERVER);
    for period in 0..5 {
        let us = period * 100_000 + 10;
        trace.switch(us + 12_000, 0, SERVER, "R", HOG);
        trace.switch(us + 100_000, 0, HOG, "R", SERVER);
        writeln!(log, "{},88100,{}", 1_000_000 + us + 11_950, SERVER.1).unwrap();
    }
    trace.switch(502_000, 0, SERVER, "S", IDLE);
    trace.explain("server", &log).requests.unwrap().slow.causes
}

#[test]
fn a_task_without_quota_waits_for_nobody_that_runs_meanwhile() {
    let first = |causes: Vec<SlowCause>| (causes[0].cause, causes[0].by.clone());
    let causes = with_quota("10000", 88_000);
    assert!(causes[0].percent > 80, "{causes:?}");
    assert_eq!(first(causes), ("throttled", None));
    // Without a quota, it waits for the one that runs.
    assert_eq!(first(with_quota("max", 0)), by("busy", "hog"));
}

#[test]
fn a_task_that_blocks_in_a_page_fault_waits_for_the_page() {
    let fault = (
        80,
        SERVER,
        "page_fault_user: address=0x7f0000001000 ip=0x401000 error_code=0x4",
    );
    let trace = woken_by_keeper("D", &[fault]);
    assert_eq!(resource(&trace, SERVER), by("kernel_lock", "page fault"));
    // A task that calls the kernel afterwards has left the fault, and a task in a fault does not sleep interruptibly.
    let call = (90, SERVER, "sys_enter_fsync: fd=5");
    let trace = woken_by_keeper("D", &[fault, call]);
    assert_eq!(resource(&trace, SERVER), by("disk", "fsync (fd 5)"));
    let trace = woken_by_keeper("S", &[fault]);
    assert_eq!(resource(&trace, SERVER), ("thread", None));
}

/// An interrupt without a handler wakes the server that was blocked; `completed` is when a request of a disk ends.
fn woken_by_interrupt(completed: Option<u64>) -> Trace {
    let mut trace = slept_at(100, "D");
    let issue = "block_rq_issue: 8,0 R 4096 () 1234 + 8 none,0,0 [server]";
    let complete = "block_rq_complete: 8,0 R () 1234 + 8 none,0,0 [0]";
    trace.event(200, 1, IDLE, On::Task, issue);
    if let Some(us) = completed {
        trace.event(us, 0, IDLE, On::Interrupt, complete);
    }
    trace.wake(5_000, 0, IDLE, On::Interrupt, SERVER);
    goes_on(&mut trace, 5_010);
    trace
}

#[test]
fn blocked_is_a_disk_if_a_request_ended_and_not_if_none_did() {
    assert_eq!(
        resource(&woken_by_interrupt(Some(4_990)), SERVER),
        by("disk", "device 8:0")
    );
    // A request of another client ended long before.
    assert_eq!(
        resource(&woken_by_interrupt(Some(3_000)), SERVER),
        ("unknown", None)
    );
    // Without requests in the recording, the state is all there is.
    assert_eq!(resource(&woken_by_interrupt(None), SERVER), ("disk", None));
}

#[test]
fn devices_have_queue_and_service_apart() {
    let open = woken_by_interrupt(Some(4_990)).open();
    let devices = Ledger::new(&open).unwrap().devices(0, u64::MAX).unwrap();
    assert_eq!(devices.len(), 1);
    assert_eq!(devices[0].number, "8:0");
    assert_eq!(
        (devices[0].queue_ns, devices[0].service_ns),
        (None, 4_790_000)
    );
}

#[test]
fn a_cgroup_is_frozen_from_one_write_to_the_next() {
    let freeze = (50, KEEPER, "cgroup_freeze: root=0 id=5 level=1 path=/db");
    let thaw = (
        4_900,
        KEEPER,
        "cgroup_unfreeze: root=0 id=5 level=1 path=/db",
    );
    let trace = woken_by_keeper("S", &[freeze, thaw]);
    assert_eq!(resource(&trace, SERVER), by("frozen", "/db"));
    // Another cgroup was thawed, which was not frozen before.
    let other = (
        4_900,
        KEEPER,
        "cgroup_unfreeze: root=0 id=6 level=1 path=/web",
    );
    let trace = woken_by_keeper("S", &[freeze, other]);
    assert_eq!(resource(&trace, SERVER), ("thread", None));
}

#[test]
fn who_stopped_a_task_is_named_where_signals_are_recorded() {
    let stop = (
        50,
        KEEPER,
        "signal_generate: sig=19 errno=0 code=0 comm=server pid=10 grp=1 res=0",
    );
    let trace = woken_by_keeper("T", &[stop]);
    assert_eq!(
        resource(&trace, SERVER),
        by("stopped", "SIGSTOP from keeper")
    );
    let other = (
        50,
        KEEPER,
        "signal_generate: sig=15 errno=0 code=0 comm=server pid=10 grp=1 res=0",
    );
    let trace = woken_by_keeper("T", &[other]);
    assert_eq!(resource(&trace, SERVER), ("stopped", None));
}

/// The client sends at 1000 and 3000 µs and has its answers 150 µs after the server runs; the second time a hog keeps the server from its CPU.
fn two_requests() -> Trace {
    let mut trace = Trace::new();
    trace.switch(0, 0, SERVER, "S", IDLE);
    trace.switch(1, 1, IDLE, "R", CLIENT);
    trace.softirq(1_000, 1, CLIENT, (3, "NET_RX"), SERVER);
    trace.switch(1_010, 0, IDLE, "R", SERVER);
    trace.switch(1_020, 1, CLIENT, "S", IDLE);
    trace.softirq(1_100, 0, SERVER, (3, "NET_RX"), CLIENT);
    trace.switch(1_110, 0, SERVER, "S", IDLE);
    trace.switch(1_120, 1, IDLE, "R", CLIENT);
    trace.switch(2_000, 0, IDLE, "R", HOG);
    trace.softirq(3_000, 1, CLIENT, (3, "NET_RX"), SERVER);
    trace.switch(3_020, 1, CLIENT, "S", IDLE);
    trace.switch(9_000, 0, HOG, "S", SERVER);
    trace.softirq(9_100, 0, SERVER, (3, "NET_RX"), CLIENT);
    trace.switch(9_110, 0, SERVER, "S", IDLE);
    trace.switch(9_120, 1, IDLE, "R", CLIENT);
    trace.switch(9_900, 1, CLIENT, "S", IDLE);
    trace
}

#[test]
fn slow_requests_add_up_and_name_who_ran() {
    let log = "start_us,duration_us\n1000995,130\n1002995,6130\n";
    let answer = two_requests().explain("server", log);
    let requests = answer.requests.unwrap();
    assert_eq!((requests.count, requests.slow.count), (2, 1));
    let total: f64 = requests.slow.causes.iter().map(|it| it.ms).sum();
    assert!((total - 6.13).abs() < 1e-6, "{total}");
    let first = &requests.slow.causes[0];
    assert_eq!(
        (first.state, first.by.as_deref()),
        ("runnable", Some("hog"))
    );
    let typical = &requests.typical;
    assert_eq!(typical.count, 1);
    let total: f64 = typical.causes.iter().map(|it| it.ms).sum();
    assert!((total - 0.13).abs() < 1e-6, "{total}");
    assert!(
        typical
            .causes
            .iter()
            .all(|it| it.by.as_deref() != Some("hog"))
    );
    assert!(answer.summary.contains("runnable"), "{}", answer.summary);
    let parts = &requests.worst[0].parts;
    assert!(parts.windows(2).all(|two| two[0].to_ns == two[1].from_ns));
}

#[test]
fn a_request_is_served_by_the_thread_that_its_client_woke() {
    let mut trace = Trace::new();
    let other = ("client", 21);
    trace.switch(0, 0, SERVER, "S", IDLE);
    trace.switch(1, 1, WORKER, "S", CLIENT);
    trace.softirq(1_000, 1, CLIENT, (3, "NET_RX"), SERVER);
    trace.switch(1_010, 0, IDLE, "R", SERVER);
    trace.switch(1_020, 1, CLIENT, "S", IDLE);
    trace.switch(1_050, 0, SERVER, "S", IDLE);
    // Another client has its answer from another thread just before the first one.
    trace.switch(8_800, 1, IDLE, "R", other);
    trace.softirq(8_900, 1, other, (3, "NET_RX"), WORKER);
    trace.switch(8_920, 1, other, "S", WORKER);
    trace.switch(8_990, 0, IDLE, "R", KEEPER);
    trace.softirq(9_000, 0, KEEPER, (3, "NET_RX"), SERVER);
    trace.switch(9_010, 0, KEEPER, "S", SERVER);
    trace.softirq(9_050, 0, SERVER, (3, "NET_RX"), CLIENT);
    trace.switch(9_060, 0, SERVER, "S", IDLE);
    trace.softirq(9_090, 1, WORKER, (3, "NET_RX"), other);
    trace.switch(9_100, 1, WORKER, "S", CLIENT);
    trace.switch(9_900, 1, CLIENT, "S", other);
    let answer = trace.explain("server", "start_us,duration_us\n1000995,8110\n");
    let first = answer.requests.unwrap().slow.causes.remove(0);
    assert_eq!((first.cause, first.by), by("socket", "keeper"));
}

#[test]
fn a_client_that_waits_for_a_cpu_sends_its_request_late() {
    let served = |state: &str| {
        let mut trace = Trace::new();
        let other = ("client", 21);
        trace.switch(0, 0, SERVER, "S", IDLE);
        trace.switch(1, 1, WORKER, "S", CLIENT);
        trace.switch(1_000, 1, CLIENT, state, HOG);
        if state == "S" {
            trace.wake(3_900, 1, HOG, On::Task, CLIENT);
        }
        trace.switch(4_000, 1, HOG, "R", CLIENT);
        trace.softirq(4_010, 1, CLIENT, (3, "NET_RX"), SERVER);
        trace.switch(4_020, 0, IDLE, "R", SERVER);
        trace.switch(4_030, 1, CLIENT, "S", HOG);
        trace.switch(4_050, 0, SERVER, "S", IDLE);
        trace.switch(8_800, 1, HOG, "S", other);
        trace.softirq(8_900, 1, other, (3, "NET_RX"), WORKER);
        trace.switch(8_920, 1, other, "S", WORKER);
        trace.switch(8_990, 0, IDLE, "R", KEEPER);
        trace.softirq(9_000, 0, KEEPER, (3, "NET_RX"), SERVER);
        trace.switch(9_010, 0, KEEPER, "S", SERVER);
        trace.softirq(9_050, 0, SERVER, (3, "NET_RX"), CLIENT);
        trace.switch(9_060, 0, SERVER, "S", IDLE);
        trace.softirq(9_090, 1, WORKER, (3, "NET_RX"), other);
        trace.switch(9_100, 1, WORKER, "S", CLIENT);
        trace.switch(9_900, 1, CLIENT, "S", other);
        let answer = trace.explain("server", "start_us,duration_us\n1000995,8110\n");
        let causes = answer.requests.unwrap().slow.causes;
        causes.iter().any(|it| it.by.as_deref() == Some("keeper"))
    };
    assert!(served("R"));
    // One that sleeps has not begun the request.
    assert!(!served("S"));
}

#[test]
fn a_service_that_waits_for_its_client_is_said_to() {
    let said = |sender: Task| {
        let mut trace = Trace::new();
        trace.switch(0, 0, SERVER, "S", IDLE);
        trace.switch(1, 1, IDLE, "R", CLIENT);
        trace.softirq(1_000, 1, CLIENT, (3, "NET_RX"), SERVER);
        trace.switch(1_010, 0, IDLE, "R", SERVER);
        trace.switch(1_020, 1, CLIENT, "R", sender);
        trace.switch(1_050, 0, SERVER, "S", IDLE);
        trace.softirq(8_000, 1, sender, (3, "NET_RX"), SERVER);
        trace.switch(8_010, 0, IDLE, "R", SERVER);
        trace.switch(8_020, 1, sender, "S", IDLE);
        trace.softirq(9_050, 0, SERVER, (3, "NET_RX"), CLIENT);
        trace.switch(9_060, 0, SERVER, "S", IDLE);
        let answer = trace.explain("server", "start_us,duration_us\n1000995,8060\n");
        answer.summary
    };
    let own = said(CLIENT);
    assert!(
        own.contains("waiting for data from client, its client"),
        "{own}"
    );
    let other = said(KEEPER);
    assert!(other.contains("waiting for data from keeper."), "{other}");
}

#[test]
fn what_kept_another_service_from_its_answer_is_part_of_the_sentence() {
    let sentence = |state: &str| {
        let mut trace = Trace::new();
        trace.switch(0, 0, IDLE, "R", SERVER);
        trace.switch(1, 1, HOG, "S", IDLE);
        trace.switch(900, 1, IDLE, "R", KEEPER);
        trace.switch(920, 1, KEEPER, state, IDLE);
        trace.switch(1_000, 0, SERVER, "S", IDLE);
        trace.switch(7_990, 1, IDLE, "R", HOG);
        trace.wake(8_000, 1, HOG, On::Task, KEEPER);
        trace.switch(8_010, 1, HOG, "S", KEEPER);
        trace.softirq(8_030, 1, KEEPER, (3, "NET_RX"), SERVER);
        goes_on(&mut trace, 8_040);
        let answer = trace.explain("server", "start_us,duration_us\n1000900,8100\n");
        answer.summary
    };
    let (stopped, slept) = (sentence("T"), sentence("S"));
    assert!(
        stopped.contains(
            "of their time waiting for keeper, which was asleep, stopped by a signal until hog continued it"
        ),
        "{stopped}"
    );
    assert!(!slept.contains("stopped"), "{slept}");
}

/// The server asks the keeper, which asks the worker of another program where `asks` is set, and sleeps in a state, until `ends` adds the
/// events that end that.
fn behind_keeper(state: &str, other: Task, asks: bool, ends: impl Fn(&mut Trace)) -> Explained {
    let mut trace = Trace::new();
    trace.switch(0, 0, IDLE, "R", SERVER);
    trace.switch(1, 1, HOG, "S", other);
    trace.switch(2, 1, other, state, IDLE);
    trace.softirq(1_000, 0, SERVER, (3, "NET_RX"), KEEPER);
    trace.switch(1_010, 0, SERVER, "S", IDLE);
    trace.switch(1_020, 1, IDLE, "R", KEEPER);
    if asks {
        trace.softirq(1_030, 1, KEEPER, (3, "NET_RX"), other);
        trace.switch(1_040, 1, KEEPER, "S", other);
        trace.switch(1_050, 1, other, state, IDLE);
    } else {
        trace.switch(1_040, 1, KEEPER, state, IDLE);
    }
    ends(&mut trace);
    trace.switch(8_050, 1, IDLE, "R", KEEPER);
    trace.softirq(8_060, 1, KEEPER, (3, "NET_RX"), SERVER);
    trace.switch(8_070, 0, IDLE, "R", SERVER);
    trace.switch(9_000, 0, SERVER, "S", IDLE);
    trace.switch(9_010, 1, KEEPER, "S", IDLE);
    trace.explain("server", "start_us,duration_us\n1000900,8050\n")
}

const BACKEND: Task = ("backend", 60);

#[test]
fn the_last_cause_of_a_chain_of_services_is_named() {
    let first = |answer: &Explained| {
        let cause = &answer.requests.as_ref().unwrap().slow.causes[0];
        let by = cause.by.clone();
        (cause.cause, by, cause.through.clone(), cause.provenance)
    };
    let through = |name: &str| Some(name.to_owned());
    // The service that was asked waited for its disk.
    let found = behind_keeper("D", BACKEND, false, |trace| {
        trace.softirq(8_000, 1, IDLE, (4, "BLOCK"), KEEPER);
    });
    let disk = ("disk", Some("BLOCK".to_owned()));
    assert_eq!(
        first(&found),
        (disk.0, disk.1.clone(), through("keeper"), "inferred")
    );
    let said = "of their time waiting for keeper, which was asleep, waiting for a disk";
    assert!(found.summary.contains(said), "{}", found.summary);
    // The one that this asked did.
    let found = behind_keeper("D", BACKEND, true, |trace| {
        trace.softirq(8_000, 1, IDLE, (4, "BLOCK"), BACKEND);
        trace.switch(8_010, 1, IDLE, "R", BACKEND);
        trace.softirq(8_020, 1, BACKEND, (3, "NET_RX"), KEEPER);
        trace.switch(8_030, 1, BACKEND, "S", IDLE);
    });
    assert_eq!(
        first(&found),
        (disk.0, disk.1, through("backend"), "inferred")
    );
    // A timer of its own is what the service does.
    let found = behind_keeper("S", BACKEND, false, |trace| {
        trace.softirq(8_000, 1, IDLE, (1, "TIMER"), KEEPER);
    });
    assert_eq!(first(&found).0, "socket");
    assert_eq!(first(&found).2, None);
}

#[test]
fn a_service_that_waits_for_another_client_is_not_behind_it() {
    // The backend is not asked: it sends a request, as clients do.
    let found = behind_keeper("S", BACKEND, false, |trace| {
        trace.softirq(7_900, 1, IDLE, (4, "BLOCK"), BACKEND);
        trace.switch(7_910, 1, IDLE, "R", BACKEND);
        trace.softirq(8_000, 1, BACKEND, (3, "NET_RX"), KEEPER);
        trace.switch(8_010, 1, BACKEND, "S", IDLE);
    });
    let cause = &found.requests.unwrap().slow.causes[0];
    assert_eq!(
        (cause.cause, cause.by.as_deref()),
        ("socket", Some("keeper"))
    );
}

const KWORKER: Task = ("kworker/1:1", 71);

#[test]
fn a_thread_of_the_kernel_that_waits_for_a_cpu_holds_up_the_task_whose_work_it_has() {
    // The server sleeps until the thread has done its work. The thread is runnable at 0.1 ms and gets a CPU at `us`.
    let first = |us| {
        let mut trace = slept_at(100, "D");
        trace.switch(102, 1, IDLE, "R", HOG);
        trace.wake(105, 1, HOG, On::Task, KWORKER);
        trace.switch(us, 1, HOG, "R", KWORKER);
        trace.wake(8_000, 1, KWORKER, On::Task, SERVER);
        trace.switch(8_010, 1, KWORKER, "I", HOG);
        goes_on(&mut trace, 8_020);
        let answer = trace.explain("server", "start_us,duration_us\n1000050,7980\n");
        let cause = &answer.requests.as_ref().unwrap().slow.causes[0];
        (cause.state, cause.by.clone(), cause.through.clone())
    };
    let name = |name: &str| Some(name.to_owned());
    assert_eq!(first(7_900), ("runnable", name("hog"), name("kworker/1:1")));
    // It worked all the time.
    assert_eq!(first(110), ("asleep", name("kworker/1:1"), None));
}

/// The server waits on CPU 0 behind two hogs, while as many tasks as `others` are on CPU 1. Its affinity is sampled if `mask` is given.
fn on_cpu_0(others: &[Task], mask: Option<&str>) -> (&'static str, &'static str) {
    let mut trace = Trace::new();
    let cpus = "/sys/devices/system/node/node0/cpulist: 0-1\n";
    trace.2.push(("topology.txt", cpus.to_owned()));
    if let Some(mask) = mask {
        let (comm, pid) = SERVER;
        trace.sample(
            0,
            "tasks.jsonl",
            &format!(
                "\"pid\":{pid},\"tid\":{pid},\"comm\":\"{comm}\",\"stat\":\"{pid} ({comm}) R{}\",\"cpus_allowed\":\"{mask}\"",
                " 0".repeat(49)
            ),
        );
    }
    let hogs = [HOG, ("hog", 41)];
    trace.switch(0, 0, IDLE, "R", SERVER);
    trace.switch(1, 1, IDLE, "R", KEEPER);
    for (at, task) in (10..).step_by(10).zip(hogs) {
        trace.wake(at, 1, KEEPER, On::Task, task);
        trace.event(
            at + 1,
            1,
            KEEPER,
            On::Task,
            &format!(
                "sched_migrate_task: comm={} pid={} prio=120 orig_cpu={} dest_cpu=0",
                task.0,
                task.1,
                task.1 % 2
            ),
        );
    }
    trace.switch(100, 0, SERVER, "R", hogs[0]);
    // An idle CPU is what shows that the task may not use it.
    trace.switch(200, 1, KEEPER, "S", IDLE);
    trace.switch(3_000, 1, IDLE, "R", KEEPER);
    for (at, task) in (3_100..).step_by(10).zip(others) {
        trace.wake(at, 1, KEEPER, On::Task, *task);
        trace.event(
            at + 1,
            1,
            KEEPER,
            On::Task,
            &format!(
                "sched_migrate_task: comm={} pid={} prio=120 orig_cpu={} dest_cpu=1",
                task.0,
                task.1,
                task.1 % 2
            ),
        );
    }
    for step in 0..20 {
        let us = 4_000 + step * 8_000;
        trace.switch(us, 0, hogs[0], "R", hogs[1]);
        trace.switch(us + 4_000, 0, hogs[1], "R", hogs[0]);
    }
    trace.switch(170_000, 0, hogs[0], "R", SERVER);
    trace.switch(170_500, 0, SERVER, "S", hogs[0]);
    trace.switch(
        171_000,
        1,
        KEEPER,
        "R",
        others.first().copied().unwrap_or(IDLE),
    );
    let answer = trace.explain("server", "start_us,duration_us\n1000050,170300\n");
    let slow = answer.requests.unwrap().slow;
    (slow.causes[0].cause, slow.causes[0].provenance)
}

#[test]
fn a_task_with_few_cpus_waits_for_its_affinity_while_others_have_shorter_queues() {
    assert_eq!(on_cpu_0(&[], Some("0")), ("pinned", "inferred"));
    // Elsewhere it would have waited as long.
    let two = [("load", 70), ("load", 71)];
    assert_eq!(on_cpu_0(&two, Some("0")).0, "busy");
    assert_eq!(on_cpu_0(&two[..1], Some("0")).0, "busy");
    // It may go elsewhere, as far as is known.
    assert_eq!(on_cpu_0(&[], Some("0-1")).0, "busy");
    assert_eq!(on_cpu_0(&[], None).0, "busy");
}

#[test]
fn refaults_are_part_of_the_sentence_about_a_disk() {
    let said = |pages: [u64; 2], event: (u32, &str)| {
        let mut trace = slept_at(1_000, "D");
        for (us, pages) in [(0, pages[0]), (9_000, pages[1])] {
            let rest = format!(
                "\"vmstat\":\"workingset_refault_anon 5\\nworkingset_refault_file {pages}\\n\""
            );
            trace.sample(us, "vmstat.jsonl", &rest);
        }
        trace.softirq(8_000, 0, IDLE, event, SERVER);
        goes_on(&mut trace, 8_040);
        let answer = trace.explain("server", "start_us,duration_us\n1000900,8100\n");
        answer.summary
    };
    let found = said([100, 23_785], (4, "BLOCK"));
    assert!(
        found.contains("waiting for a disk; 23685 recently reclaimed pages were read back"),
        "{found}"
    );
    // Few are no reason, and many none for another cause.
    assert!(!said([100, 200], (4, "BLOCK")).contains("refault"));
    assert!(!said([100, 23_785], (9, "RCU")).contains("refault"));
}

#[test]
fn a_log_without_requests_stands_for_one_that_did_not_end() {
    let answer = two_requests().explain("server", "");
    let requests = answer.requests.unwrap();
    assert_eq!((requests.count, requests.slow.count), (1, 1));
    assert!(
        answer.notes[0].contains("has no request"),
        "{}",
        answer.notes[0]
    );
}

#[test]
fn requests_elsewhere_and_tasks_that_are_not_there_are_one_sentence() {
    let open = two_requests().open();
    let ask = |task: &str, log| {
        let question = Question {
            task: Some(task.to_owned()),
            ..Question::default()
        };
        explain(&open, &question, log).unwrap_err().to_string()
    };
    let elsewhere = ask("server", Some(("log.csv", "start_s,duration_s\n70,1\n")));
    assert!(
        elsewhere.starts_with("log.csv: no request lies in the recording"),
        "{elsewhere}"
    );
    assert_eq!(
        ask("nobody", None),
        "no task \"nobody\" ran in this recording"
    );
    assert!(
        ask("server", Some(("log.csv", "1,2\nx,y")))
            .starts_with("log.csv: line 2: expected a start")
    );
}

#[test]
fn a_pid_is_one_task_and_no_process() {
    let open = two_requests().open();
    let ask = |pid| {
        let question = Question {
            pid: Some(pid),
            ..Question::default()
        };
        explain(&open, &question, None)
    };
    let one = ask(SERVER.1).unwrap().task;
    assert_eq!((one.pid, one.count), (SERVER.1, 1));
    for nobody in [0, 4711] {
        let error = ask(nobody).unwrap_err().to_string();
        assert_eq!(
            error,
            format!("no task of the pid {nobody} ran in this recording")
        );
    }
}

#[test]
fn each_nanosecond_of_a_task_has_one_cause() {
    let open = two_requests().open();
    let ledger = Ledger::new(&open).unwrap();
    let (origin, end) = (open.index.origin_ns(), open.index.end_ns());
    for task in [SERVER, CLIENT, HOG] {
        let pieces = ledger.pieces(task.1, 0, u64::MAX).unwrap();
        assert_eq!(
            (pieces[0].from_ns, pieces.last().unwrap().to_ns),
            (origin, end)
        );
        assert!(pieces.windows(2).all(|two| two[0].to_ns == two[1].from_ns));
    }
}
