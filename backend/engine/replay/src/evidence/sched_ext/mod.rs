//! Evidence of `sched_ext`, the scheduling class of BPF schedulers (`kernel/sched/ext.c`, 6.12 to 7.2): its tracepoints
//! (`include/trace/events/sched_ext.h`), samples of `/sys/kernel/sched_ext`, and tasks of policy `SCHED_EXT`.

mod dump;

use std::collections::{BTreeMap, BTreeSet};

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};
use numalens_core::columns::{Texts, i32s, i64s, u32s, u64s};
use numalens_core::json::{Moment, OptionalMoment};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::dump::Reader;
pub use self::dump::{DsqKind, ScxCpu, ScxDump, ScxStalled, ScxTask, ScxTaskName};
use crate::run_state::{ExtTask, SchedExtInputs, ScxSpan, ScxStall};

/// `SCHED_EXT` (`include/uapi/linux/sched.h`).
const POLICY: i64 = 7;
/// Dumps, exits and balancing steps that are kept, each.
const MOST: usize = 64;
/// Names of counters that are kept.
const MOST_NAMES: usize = 256;
/// Lines of dumps that are kept.
const MOST_LINES: usize = 1 << 16;

/// Facts about `sched_ext` over the whole recording.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchedExt {
    /// Loaded schedulers, ascending by time.
    pub loaded: Vec<ScxLoaded>,
    /// Lines that the kernel printed when it disabled a scheduler, with their times; lines of one dump are adjacent.
    pub lines: Vec<(u64, String)>,
    /// Ends of schedulers (`sched_ext_exit`): time, name where the event has it, level (0 the root's) and `enum scx_exit_kind`.
    pub exits: Vec<(u64, Option<String>, i32, u32)>,
    /// Kernel counters by name, if `sched_ext_event` was recorded.
    pub counted: BTreeMap<String, i64>,
    /// Steps of balancing between the queues of a node's CPUs while the scheduler is bypassed (`bypass_lb_node`): time, node, tasks in the
    /// queues, and those that came to another.
    pub bypass: Vec<(u64, u32, u32, u32)>,
    /// Tasks that had policy `SCHED_EXT` at a sample.
    pub policy_tasks: u64,
    /// True if `/sys/kernel/sched_ext` was sampled.
    pub sampled: bool,
}

impl SchedExt {
    /// Returns the kernel's dumps of disabled schedulers, ascending by time.
    #[must_use]
    pub fn dumps(&self) -> Vec<ScxDump> {
        let mut reader = Reader::default();
        let lines = self.lines.iter();
        let ended = lines.filter_map(|(ts_ns, line)| reader.line(*ts_ns, line));
        let mut dumps: Vec<ScxDump> = ended.collect();
        dumps.extend(reader.finish());
        dumps.sort_by_key(|dump| dump.ts_ns);
        dumps.truncate(MOST);
        dumps
    }
}

/// A time in which a scheduler was loaded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScxLoaded {
    /// Start, ns of the reference clock; 0 when already loaded at the first evidence.
    #[serde(serialize_with = "Moment::serialize")]
    #[schemars(with = "Moment")]
    pub from_ns: u64,
    /// Until when; null when no end is recorded.
    #[serde(serialize_with = "OptionalMoment::serialize")]
    #[schemars(with = "OptionalMoment")]
    pub to_ns: Option<u64>,
    /// The scheduler's name (`ops`); null when not recorded.
    pub ops: Option<String>,
    /// True if it has all tasks of the fair class's policies; false if only those of `SCHED_EXT` (`SCX_OPS_SWITCH_PARTIAL`);
    /// null when not recorded.
    pub switch_all: Option<bool>,
}

/// Collects events and samples.
#[derive(Debug, Default)]
pub struct SchedExtEvidence {
    /// CPU, time, number and text of the lines of dumps.
    lines: Vec<(u32, u64, u64, String)>,
    found: SchedExt,
    /// First and last sign of a loaded scheduler in the events.
    signs: Option<(u64, u64)>,
    /// By time: state, name, and whether it has all tasks.
    sampled: BTreeMap<u64, Sampled>,
    /// Policies of tasks that ever had `SCHED_EXT`, by time.
    policies: BTreeMap<i32, BTreeMap<u64, bool>>,
}

#[derive(Debug, Default)]
struct Sampled {
    state: Option<String>,
    ops: Option<String>,
    switch_all: Option<bool>,
}

impl SchedExtEvidence {
    /// Returns whether an event is needed.
    #[must_use]
    pub fn reads(system: &str, event: &str) -> bool {
        system == "sched_ext" && event.starts_with("sched_ext_")
    }

    /// Looks at events.
    pub fn observe(&mut self, event: &str, batch: &RecordBatch) {
        let (Some(times), Some(cpus)) = (u64s(batch, "ts_ns"), u32s(batch, "cpu")) else {
            return;
        };
        let text = |name| Texts::find(batch, name);
        let number = |name| i32s(batch, name);
        match event {
            "sched_ext_dump" => {
                if let (Some(lines), Some(seqs)) = (text("line"), u64s(batch, "seq")) {
                    for row in 0..batch.num_rows() {
                        if self.lines.len() < MOST_LINES {
                            let line = String::from_utf8_lossy(lines.get(row)).into_owned();
                            self.lines.push((cpus[row], times[row], seqs[row], line));
                        }
                    }
                }
            }
            "sched_ext_event" => {
                if let (Some(names), Some(deltas)) = (text("name"), i64s(batch, "delta")) {
                    for row in 0..batch.num_rows() {
                        self.sign(times[row]);
                        self.count(&String::from_utf8_lossy(names.get(row)), deltas[row]);
                    }
                }
            }
            "sched_ext_exit" => {
                if let Some(kinds) = number("kind") {
                    let (names, levels) = (text("name"), number("level"));
                    let all = (0..batch.num_rows()).map(|row| {
                        let name = names
                            .as_ref()
                            .map(|names| String::from_utf8_lossy(names.get(row)).into_owned());
                        let level = levels.as_ref().map_or(0, |levels| levels[row]);
                        (times[row], name, level, kinds[row] as u32)
                    });
                    let room = MOST.saturating_sub(self.found.exits.len());
                    self.found.exits.extend(all.take(room));
                }
            }
            "sched_ext_bypass_lb" => {
                if let (Some(nodes), Some(tasks), Some(balanced)) =
                    (number("node"), number("nr_tasks"), number("nr_balanced"))
                {
                    let all = (0..batch.num_rows()).map(|row| {
                        let [node, tasks, balanced] =
                            [&nodes, &tasks, &balanced].map(|of| of[row] as u32);
                        (times[row], node, tasks, balanced)
                    });
                    let room = MOST.saturating_sub(self.found.bypass.len());
                    self.found.bypass.extend(all.take(room));
                }
            }
            _ => {}
        }
    }

    fn sign(&mut self, ts_ns: u64) {
        let (first, last) = self.signs.unwrap_or((ts_ns, ts_ns));
        self.signs = Some((first.min(ts_ns), last.max(ts_ns)));
    }

    fn count(&mut self, name: &str, delta: i64) {
        let counted = &mut self.found.counted;
        if counted.len() < MOST_NAMES || counted.contains_key(name) {
            let sum = counted.entry(name.to_owned()).or_default();
            *sum = sum.saturating_add(delta);
        }
    }

    /// Looks at placed samples of `/sys/kernel/sched_ext`; rows without a time say nothing.
    pub fn samples(&mut self, batch: &RecordBatch) {
        let text = |name: &str| batch.column_by_name(name)?.as_string_opt::<i32>();
        let number = |name: &str| batch.column_by_name(name)?.as_primitive_opt::<Int64Type>();
        let (Some(times), Some(schedulers), Some(names)) =
            (number("ts_ns"), text("scheduler"), text("name"))
        else {
            return;
        };
        let (values, texts) = (number("value"), text("text"));
        for row in 0..batch.num_rows() {
            let time = times.is_valid(row).then(|| u64::try_from(times.value(row)));
            let Some(Ok(time)) = time else { continue };
            self.found.sampled = true;
            let word = texts.filter(|texts| texts.is_valid(row));
            let word = word.map(|texts| texts.value(row).to_owned());
            let value = values.filter(|values| values.is_valid(row));
            match (schedulers.value(row), names.value(row)) {
                ("", "state") => self.sampled.entry(time).or_default().state = word,
                ("", "switch_all") => {
                    self.sampled.entry(time).or_default().switch_all =
                        value.map(|values| values.value(row) != 0);
                }
                ("root", "ops") => self.sampled.entry(time).or_default().ops = word,
                _ => {}
            }
        }
    }

    /// Looks at placed samples of tasks.
    pub fn tasks(&mut self, batch: &RecordBatch) {
        let number = |name: &str| batch.column_by_name(name)?.as_primitive_opt::<Int64Type>();
        let (Some(times), Some(pids), Some(tids), Some(policies)) = (
            number("ts_ns"),
            number("pid"),
            number("tid"),
            number("policy"),
        ) else {
            return;
        };
        for row in (0..batch.num_rows()).filter(|&row| policies.is_valid(row)) {
            let ids = if tids.is_valid(row) { tids } else { pids };
            let ext = policies.value(row) == POLICY;
            let time = times.is_valid(row).then(|| u64::try_from(times.value(row)));
            if let (Ok(task), Some(Ok(time))) = (i32::try_from(ids.value(row)), time)
                && (ext || self.policies.contains_key(&task))
            {
                self.policies.entry(task).or_default().insert(time, ext);
            }
        }
    }

    /// Returns the facts, if there are any, and the part that the replay uses.
    #[must_use]
    pub fn finish(mut self) -> (Option<SchedExt>, SchedExtInputs) {
        self.lines();
        let dumps = self.found.dumps();
        self.found.exits.sort_by_key(|exit| exit.0);
        self.found.bypass.sort_by_key(|step| step.0);
        self.found.loaded = self.loaded(&dumps);
        self.found.policy_tasks = self.policies.len() as u64;
        let found = &self.found;
        let dumped = dumps.iter().flat_map(|dump| &dump.tasks);
        let mut dumped: BTreeSet<i32> = dumped.map(|task| task.task.pid).collect();
        let stalls = dumps.iter().filter_map(|dump| {
            let stalled = dump.stalled.as_ref()?;
            Some(ScxStall {
                pid: stalled.task.pid,
                from_ns: dump
                    .ts_ns
                    .saturating_sub(stalled.ms.saturating_mul(1_000_000)),
                to_ns: dump.ts_ns,
            })
        });
        let stalls: Vec<ScxStall> = stalls.collect();
        dumped.extend(stalls.iter().map(|stall| stall.pid));
        let inputs = SchedExtInputs {
            loaded: found
                .loaded
                .iter()
                .map(|one| ScxSpan {
                    from_ns: one.from_ns,
                    to_ns: one.to_ns.unwrap_or(u64::MAX),
                    all: one.switch_all == Some(true),
                })
                .collect(),
            tasks: self
                .policies
                .iter()
                .flat_map(|(&pid, seen)| {
                    seen.iter()
                        .map(move |(&from_ns, &ext)| ExtTask { pid, from_ns, ext })
                })
                .collect(),
            dumped: dumped.into_iter().collect(),
            stalls,
        };
        let there = found.sampled
            || found.policy_tasks > 0
            || !(found.lines.is_empty() && found.exits.is_empty() && found.counted.is_empty());
        (there.then_some(self.found), inputs)
    }

    /// Puts the lines together: dumps do not overlap on a CPU.
    fn lines(&mut self) {
        self.lines
            .sort_unstable_by_key(|line| (line.0, line.1, line.2));
        // Several tracing instances may have recorded the same.
        self.lines
            .dedup_by(|a, b| (a.0, a.1, &a.3) == (b.0, b.1, &b.3));
        let lines = std::mem::take(&mut self.lines).into_iter();
        self.found.lines = lines.map(|(_, ts_ns, _, line)| (ts_ns, line)).collect();
    }

    /// Load times of schedulers: by the samples, ended by any record of their end.
    fn loaded(&self, dumps: &[ScxDump]) -> Vec<ScxLoaded> {
        let found = &self.found;
        let dumped = dumps.iter();
        let dumped = dumped.filter(|dump| dump.kind != 0 && !dump.sub);
        let exits = found.exits.iter().filter(|exit| exit.2 == 0);
        let mut ends: Vec<u64> = exits.map(|exit| exit.0).collect();
        ends.extend(dumped.clone().map(|dump| dump.ts_ns));
        ends.sort_unstable();
        let mut spans: Vec<ScxLoaded> = Vec::new();
        let mut open: Option<ScxLoaded> = None;
        let mut first = true;
        for (&at, sample) in &self.sampled {
            let Some(state) = sample.state.as_deref() else {
                continue;
            };
            if let Some(span) = &mut open {
                let end = ends
                    .iter()
                    .copied()
                    .find(|&end| end > span.from_ns && end <= at);
                // While it is being taken away it is bypassed (`disabling`).
                if end.is_some() || state != "enabled" {
                    span.to_ns = Some(end.unwrap_or(at));
                    spans.extend(open.take());
                }
            }
            // Between the kernel's word that it ended and the sample that shows it, the state is still what it was.
            let ended = spans.last().and_then(|last| last.to_ns);
            let settled = ended.is_none_or(|ended| at > ended);
            if state == "enabled" && settled {
                let span = open.get_or_insert_with(|| ScxLoaded {
                    from_ns: if first { 0 } else { at },
                    ..ScxLoaded::default()
                });
                span.ops = span.ops.take().or_else(|| sample.ops.clone());
                span.switch_all = sample.switch_all.or(span.switch_all);
            }
            first = false;
        }
        if let Some(mut span) = open {
            span.to_ns = ends.iter().copied().find(|&end| end > span.from_ns);
            spans.push(span);
        }
        if !found.sampled {
            let names = dumped.filter_map(|dump| dump.scheduler.clone());
            let names: Vec<String> = names.collect();
            let (from, last) = self.signs.unwrap_or((0, 0));
            if !ends.is_empty() || self.signs.is_some() {
                spans.push(ScxLoaded {
                    from_ns: from,
                    to_ns: ends.first().copied().or(Some(last)),
                    ops: names.into_iter().next(),
                    switch_all: None,
                });
            }
        }
        spans
    }
}
