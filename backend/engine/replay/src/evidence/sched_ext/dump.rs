//! Text that the kernel prints when it disables a BPF scheduler: the lines of `sched_ext_dump` (`scx_dump_state`,
//! `scx_dump_cpu`, `scx_dump_task`, `kernel/sched/ext.c`, 6.12 to 7.2).

use schemars::JsonSchema;
use serde::Serialize;

/// CPUs and tasks of a dump that are kept, each.
const MOST: usize = 4096;
/// Longest text that is kept, bytes.
const LONGEST: usize = 1024;

/// A dump.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ScxDump {
    /// The time of its first line, ns of the reference clock.
    #[serde(serialize_with = "numalens_core::json::Moment::serialize")]
    #[schemars(with = "numalens_core::json::Moment")]
    pub ts_ns: u64,
    /// The scheduler's name, where the kernel prints it (7.1); null before.
    pub scheduler: Option<String>,
    /// True for a sub-scheduler.
    pub sub: bool,
    /// Kind of the exit (`enum scx_exit_kind`): 64 to 68 unloaded, 1024 and above an error, 1026 a stall that the watchdog
    /// found; 0 a dump without an exit (`SysRq-D`).
    pub kind: u32,
    /// The CPU that caused it, where the kernel prints it; null before.
    pub cpu: Option<u32>,
    /// The task that was running at that time.
    pub by: ScxTaskName,
    /// Reason in the kernel's words.
    pub reason: String,
    /// The task that the watchdog found, and for how long it had not run, ms.
    pub stalled: Option<ScxStalled>,
    /// State of each CPU. The kernel leaves out CPUs without work.
    pub cpus: Vec<ScxCpu>,
    /// The tasks that were runnable.
    pub tasks: Vec<ScxTask>,
    /// True if the kernel's buffer was too small for the dump, or the text exceeds the limit here.
    pub truncated: bool,
}

/// A task by name and pid.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ScxTaskName {
    /// Name of the task.
    pub comm: String,
    /// Pid of the task.
    pub pid: i32,
}

/// A task that did not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ScxStalled {
    /// Task that did not run.
    pub task: ScxTaskName,
    /// For how long, ms.
    pub ms: u64,
}

/// A CPU of a dump.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ScxCpu {
    /// Number of the CPU.
    pub cpu: u32,
    /// Tasks of the class on its runqueue.
    pub nr_running: u32,
    /// Task that ran there; pid 0 is idle.
    pub current: ScxTaskName,
    /// Of which class, as `ext_sched_class`.
    pub class: String,
}

/// A runnable task of a dump.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ScxTask {
    /// The CPU on whose list it is.
    pub cpu: u32,
    /// Runnable task.
    pub task: ScxTaskName,
    /// True if the task was running there.
    pub running: bool,
    /// Since when it was runnable, ms before the dump.
    pub runnable_ms: u64,
    /// DSQ of the task; null without one.
    pub dsq: Option<String>,
    /// Kind of that DSQ.
    pub dsq_kind: DsqKind,
    /// Affinity of the task, as a mask.
    pub cpus: Option<String>,
}

/// Owner of a dispatch queue, by its number (`enum scx_dsq_id_flags`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DsqKind {
    /// No queue, and the kernel does not say that the scheduler has the task.
    #[default]
    None,
    /// No queue, and the scheduler has the task (`SCX_OPSS_QUEUED`).
    Scheduler,
    /// A queue that the scheduler created.
    User,
    /// The one that all CPUs take from.
    Global,
    /// A CPU's own.
    Local,
    /// Queue for bypassing, after the scheduler failed.
    Bypass,
}

/// State of tasks that the BPF scheduler has and did not dispatch (`SCX_OPSS_QUEUED`, `kernel/sched/ext_internal.h`).
const QUEUED: u64 = 2;

impl DsqKind {
    /// By the number of a DSQ.
    fn of(id: u64) -> Self {
        match id {
            0x8000_0000_0000_0001 => Self::Global,
            0x8000_0000_0000_0002 => Self::Local,
            0x8000_0000_0000_0003 => Self::Bypass,
            id if id >> 62 == 3 => Self::Local,
            _ => Self::User,
        }
    }
}

/// Reads the lines of one CPU's dumps in their order.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// The line before, which may name the scheduler.
    before: String,
    open: Option<ScxDump>,
    /// The next line is the reason.
    reason: bool,
    cpu: u32,
}

impl Reader {
    /// Takes a line; gives a dump that it ends.
    pub(super) fn line(&mut self, ts_ns: u64, line: &str) -> Option<ScxDump> {
        let line = line.trim();
        if let Some((head, kind)) = line.rsplit_once("] triggered exit kind ") {
            let ended = self.open.take();
            self.open = Some(begun(ts_ns, &self.before, head, kind));
            (self.reason, self.cpu) = (true, 0);
            return ended;
        }
        if let Some(dump) = &mut self.open {
            if std::mem::take(&mut self.reason) {
                dump.reason = kept(line);
                dump.stalled = stalled(line);
            } else {
                Self::body(dump, &mut self.cpu, line);
            }
        }
        self.before.clear();
        self.before.push_str(&kept(line));
        None
    }

    /// Returns the dump that is open at the end.
    pub(super) fn finish(self) -> Option<ScxDump> {
        self.open
    }

    fn body(dump: &mut ScxDump, cpu: &mut u32, line: &str) {
        if line.contains("TRUNCATED") {
            dump.truncated = true;
        } else if let Some((number, rest)) = cpu_line(line) {
            *cpu = number;
            let nr_running = word(rest, "nr_run=").unwrap_or_default();
            push(
                &mut dump.cpus,
                &mut dump.truncated,
                ScxCpu {
                    cpu: number,
                    nr_running: nr_running.parse().unwrap_or(0),
                    ..ScxCpu::default()
                },
            );
        } else if let Some(current) = line.strip_prefix("curr=") {
            let last = dump.cpus.last_mut().filter(|last| last.cpu == *cpu);
            if let (Some(last), Some((who, class))) = (last, current.rsplit_once(" class=")) {
                last.current = named(who).unwrap_or_default();
                last.class = kept(class);
            }
        } else if let Some(task) = task_line(line, *cpu) {
            push(&mut dump.tasks, &mut dump.truncated, task);
        } else if let Some(task) = dump.tasks.last_mut() {
            details(task, line);
        }
    }
}

fn push<T>(list: &mut Vec<T>, truncated: &mut bool, one: T) {
    if list.len() < MOST {
        list.push(one);
    } else {
        *truncated = true;
    }
}

/// The text, or its beginning.
fn kept(text: &str) -> String {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

/// A dump from its first line, the line before, and the text after "triggered exit kind".
fn begun(ts_ns: u64, before: &str, head: &str, kind: &str) -> ScxDump {
    let kind = kind.trim_end_matches(':');
    let (kind, cpu) = kind.split_once(" on CPU ").unwrap_or((kind, ""));
    // "NAME: root", or "NAME: sub1-42 /path".
    let scheduler = before.rsplit_once(": ");
    let scheduler = scheduler.filter(|(_, place)| *place == "root" || place.starts_with("sub"));
    ScxDump {
        ts_ns,
        scheduler: scheduler.map(|(name, _)| name.to_owned()),
        sub: scheduler.is_some_and(|(_, place)| place != "root"),
        kind: kind.parse().unwrap_or(0),
        cpu: cpu.parse().ok(),
        by: named(&format!("{head}]")).unwrap_or_default(),
        ..ScxDump::default()
    }
}

/// "comm[pid]", the name of which may have brackets itself.
fn named(text: &str) -> Option<ScxTaskName> {
    let (comm, pid) = text.trim().strip_suffix(']')?.rsplit_once('[')?;
    Some(ScxTaskName {
        comm: kept(comm),
        pid: pid.parse().ok()?,
    })
}

/// "runnable task stall (held[159] failed to run for 2.104s)" (`check_rq_for_timeouts`).
fn stalled(reason: &str) -> Option<ScxStalled> {
    let (who, time) = reason.split_once(" failed to run for ")?;
    let (_, who) = who.split_once('(')?;
    let (seconds, ms) = time.strip_suffix("s)")?.split_once('.')?;
    let seconds: u64 = seconds.parse().ok()?;
    let ms = seconds.checked_mul(1000)?.checked_add(ms.parse().ok()?)?;
    Some(ScxStalled {
        task: named(who)?,
        ms,
    })
}

/// `CPU 2   : nr_run=1 flags=0x1 ...`.
fn cpu_line(line: &str) -> Option<(u32, &str)> {
    let (cpu, rest) = line.strip_prefix("CPU ")?.split_once(':')?;
    Some((cpu.trim().parse().ok()?, rest))
}

/// "*R held[159] *root -2104ms"; before 7.1 without the scheduler.
fn task_line(line: &str, cpu: u32) -> Option<ScxTask> {
    let (rest, ms) = line.strip_suffix("ms")?.rsplit_once(' ')?;
    let runnable: i64 = ms.parse().ok().filter(|_| ms.starts_with(['+', '-']))?;
    let running = rest.starts_with('*');
    let (state, who) = rest.trim_start_matches('*').split_once(' ')?;
    if state.chars().count() != 1 {
        return None;
    }
    let who = match named(who) {
        Some(who) => who,
        None => named(who.rsplit_once(' ')?.0)?,
    };
    Some(ScxTask {
        cpu,
        task: who,
        running,
        runnable_ms: if runnable < 0 {
            runnable.unsigned_abs()
        } else {
            0
        },
        ..ScxTask::default()
    })
}

/// The value after a name in a line.
fn word<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.split_whitespace()
        .find_map(|word| word.strip_prefix(name))
}

/// The lines below a task.
fn details(task: &mut ScxTask, line: &str) {
    if let Some(state) = word(line, "ops_state/qseq=") {
        let state = state.split('/').next().unwrap_or_default();
        if state.parse() == Ok(QUEUED) && task.dsq.is_none() {
            task.dsq_kind = DsqKind::Scheduler;
        }
    }
    if let Some(id) = word(line, "dsq_id=")
        && let Some(number) = id
            .strip_prefix("0x")
            .and_then(|hex| u64::from_str_radix(hex, 16).ok())
    {
        task.dsq = Some(id.to_owned());
        task.dsq_kind = DsqKind::of(number);
    }
    if let Some(cpus) = line
        .starts_with("cpus=")
        .then(|| word(line, "cpus="))
        .flatten()
    {
        task.cpus = Some(kept(cpus));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<ScxDump> {
        let mut reader = Reader::default();
        let mut found: Vec<ScxDump> = (100..)
            .zip(text.lines())
            .filter_map(|(at, line)| reader.line(at, line))
            .collect();
        found.extend(reader.finish());
        found
    }

    #[test]
    fn a_dump_of_7_2_says_who_stalled_where_and_what_ran() {
        let found = read(
            "hold: root\nkworker/u17:2[155] triggered exit kind 1026 on CPU 2:\n  runnable task stall (held[159] failed to run for 2.104s)\n\n\
             Backtrace:\n  __scx_exit+0x4f/0x70\n\nCPU states\n----------\n\nCPU 2   : nr_run=1 flags=0x1 cpu_rel=0 ksync=57\n          \
             curr=swapper/2[0] class=idle_sched_class\n\n  R held[159] *root -2104ms\n      scx_state/flags=4/0xb dsq_flags=0x0 \
             ops_state/qseq=0/0\n      sticky/holding_cpu=-1/-1 dsq_id=0x4e1d\n      dsq_vtime=0 slice=20000000 weight=100\n      cpus=f \
             no_mig=0\n\n    p9_client_walk+0x86/0x2d0 [9pnet]\n\nCPU 1   : nr_run=1 flags=0x1 cpu_rel=0 ksync=118\n          \
             curr=a b[c][155] class=ext_sched_class\n\n *R a b[c][155] *root +0ms\n      scx_state/flags=4/0xd dsq_flags=0x0 \
             ops_state/qseq=0/0\n      sticky/holding_cpu=-1/-1 dsq_id=(n/a)\n\nEvent counters\n--------------\n",
        );
        let [dump] = &found[..] else {
            panic!("{found:?}")
        };
        assert_eq!((dump.ts_ns, dump.kind, dump.cpu), (101, 1026, Some(2)));
        assert_eq!(dump.scheduler.as_deref(), Some("hold"));
        let stalled = dump.stalled.as_ref().unwrap();
        assert_eq!((stalled.task.pid, stalled.ms), (159, 2104));
        let cpus: Vec<_> = dump
            .cpus
            .iter()
            .map(|cpu| (cpu.cpu, cpu.current.pid, cpu.class.as_str()))
            .collect();
        assert_eq!(
            cpus,
            [(2, 0, "idle_sched_class"), (1, 155, "ext_sched_class")]
        );
        let tasks: Vec<_> = dump
            .tasks
            .iter()
            .map(|it| {
                (
                    it.cpu,
                    it.task.comm.as_str(),
                    it.running,
                    it.runnable_ms,
                    it.dsq.as_deref(),
                    it.dsq_kind,
                )
            })
            .collect();
        assert_eq!(
            tasks,
            [
                (2, "held", false, 2104, Some("0x4e1d"), DsqKind::User),
                (1, "a b[c]", true, 0, None, DsqKind::None),
            ]
        );
        assert_eq!(dump.tasks[0].cpus.as_deref(), Some("f"));
    }

    #[test]
    fn older_forms_and_what_the_scheduler_has() {
        let found = read(
            "a[1] triggered exit kind 64:\n  unregistered from user space ()\nCPU 0   : nr_run=2 flags=0x0 ops_qseq=7\n  R x[7] -30ms\n      \
             scx_state/flags=3/0x1 dsq_flags=0x0 ops_state/qseq=2/9\n      sticky/holding_cpu=-1/-1 dsq_id=(n/a) dsq_vtime=0\n  R y[8] \
             -5ms\n      sticky/holding_cpu=-1/-1 dsq_id=0xc000000000000003\n~~~~ TRUNCATED ~~~~\nb[2] triggered exit kind 0:\n  SysRq-D ()\n",
        );
        assert_eq!(found.len(), 2);
        assert_eq!(
            (found[0].scheduler.as_deref(), found[0].truncated),
            (None, true)
        );
        let kinds: Vec<_> = found[0].tasks.iter().map(|task| task.dsq_kind).collect();
        assert_eq!(kinds, [DsqKind::Scheduler, DsqKind::Local]);
        assert_eq!((found[1].kind, found[1].by.pid), (0, 2));
    }

    #[test]
    fn hostile_lines_are_no_tasks_and_keep_their_limits() {
        let long = "x".repeat(1 << 16);
        let mut text = format!("{long}[9] triggered exit kind 99999999999 on CPU -1:\n{long}é\n");
        for line in [
            "CPU 4294967296: nr_run=1",
            "R [ms",
            "*ms",
            " +ms",
            "RR a[1] -1ms",
            "R a[x] -1ms",
            "curr=",
            "dsq_id=0x",
            "é[1] -1ms",
        ] {
            text.push_str(line);
            text.push('\n');
        }
        text.push_str(&"R t[1] -9223372036854775808ms\n".repeat(MOST + 2));
        let found = read(&text);
        assert!(found[0].reason.len() <= LONGEST);
        assert_eq!((found[0].tasks.len(), found[0].truncated), (MOST, true));
        assert_eq!(found[0].tasks[0].runnable_ms, 1 << 63);
    }
}
