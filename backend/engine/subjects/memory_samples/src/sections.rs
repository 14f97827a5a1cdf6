//! Memory samples of a window: loads by where their data came from, per node, task and step, and what became of the
//! memory of tasks that moved.

use std::collections::{BTreeMap, HashMap, HashSet};

use numalens_core::json::Moment;
use numalens_core::provenance::Label;
use numalens_machine::sections::threads::Processes;
use numalens_replay::memory_samples::MemorySample;
use numalens_replay::migrations::How;
use numalens_replay::numa::Reason;
use numalens_subject::findings::Finding;
use numalens_subject::logs::NumaInputs;
use numalens_subject::options::{Step as StepOption, within};
use numalens_subject::vmstat::{self, VmstatSamples};
use numalens_subject::window::{LOST_EVENTS, step_of};
use numalens_subject::{Context, Stop, Window, optional, subject};
use schemars::JsonSchema;
use serde::Serialize;

use crate::findings::{self, MemoryMoveFacts, MemorySampleFacts, detect};
use crate::{
    CacheLine, CacheLines, LoadSource, Loads, Machine, MemoryOutcome, Moves, Pages, Paid, Phase,
    Sum, judge,
};

/// Reason for an empty section.
const NOT_RECORDED: &str = "no sample shows where a load found its data: record with perf mem record -a --phys-data, or perf c2c record, on a machine with PEBS, IBS or SPE";
/// Input that would show the pages themselves.
const PHYS_ADDR: &str = "physical addresses of the pages that were used on both nodes";
/// Input that would show threads with shared addresses.
const PROCESSES: &str = "the process of some threads";
/// Steps unless their length is given.
const STEPS: u64 = 40;
/// Tasks and moves that are listed.
const MOST_ROWS: usize = 200;
/// Tasks whose loads are added up.
const MOST_TASKS: usize = 1 << 16;

/// Memory samples of a window. A mean latency is one of sampled loads, and null where none was recorded.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MemorySamples")]
pub(super) struct Answer {
    /// Samples.
    samples: u64,
    /// Other samples: stores, and events that show only where memory is.
    stores: u64,
    /// See `stores`.
    without_source: u64,
    /// The loads.
    loads: Loads,
    /// The loads by the node of the CPU.
    nodes: Vec<NodeLoads>,
    /// Samples by the nodes of the CPU and of the memory, by its physical address; null where that was not recorded.
    between: Option<Vec<NodePair>>,
    /// Loads from memory whose physical address is of another node than the machine said, so far as both are known.
    contradicted: u64,
    /// Tasks with most loads.
    tasks: Vec<TaskLoads>,
    /// Tasks that are left out.
    tasks_left_out: u64,
    /// Cache lines that loads found in other cores' caches, those first that these had modified most often.
    lines: Vec<CacheLine>,
    /// Lines that are left out.
    lines_left_out: u64,
    /// Inputs that would improve the identification of lines.
    lines_missing: Vec<String>,
    /// Length of a step, ns.
    step_ns: u64,
    /// The steps with loads, migrations to another node, or migrated pages.
    steps: LoadSteps,
    /// Actions of the kernel in the window.
    meanwhile: Meanwhile,
    /// Tasks that were sampled on one node and then on another.
    moves: Vec<Move>,
    /// Moves that are left out.
    moves_left_out: u64,
    /// Provenance; moves have their own.
    label: Label,
    /// Inputs that would improve the provenance.
    missing: Vec<String>,
}

/// Loads of the CPUs of a node.
#[derive(Serialize, JsonSchema)]
pub(super) struct NodeLoads {
    nid: u32,
    loads: Loads,
}

/// Samples of CPUs of one node that touched memory of another, or of the same.
#[derive(Serialize, JsonSchema)]
pub(super) struct NodePair {
    /// The CPU's.
    cpu_nid: u32,
    /// The memory's.
    memory_nid: u32,
    /// All samples, including stores and others.
    samples: u64,
    /// Loads from caches and memory.
    loads: Sum,
}

/// Loads of a task.
#[derive(Serialize, JsonSchema)]
pub(super) struct TaskLoads {
    pid: i32,
    comm: String,
    loads: Loads,
}

/// Steps, as columns of one length.
#[derive(Serialize, JsonSchema, Default)]
pub(super) struct LoadSteps {
    /// Number of the step.
    at: Vec<u32>,
    /// Loads.
    loads: Vec<u64>,
    /// Loads from the memory of the CPU's node.
    local_dram: Vec<u64>,
    /// Loads from another node's memory.
    remote_dram: Vec<u64>,
    /// Loads from another node's cache.
    remote_cache: Vec<u64>,
    /// Loads that found a modified line in another core's cache.
    hitm: Vec<u64>,
    /// Mean latency, cycles.
    cycles: Vec<Option<f64>>,
    /// Migrations of tasks to another node.
    moves: Vec<u64>,
    /// Pages that NUMA balancing migrated.
    pages: Vec<u64>,
}

/// Actions of the kernel in the window; null when not recorded.
#[derive(Serialize, JsonSchema, Default)]
pub(super) struct Meanwhile {
    /// Migrations of tasks to another node.
    moves: Option<u64>,
    /// Attempts of NUMA balancing to place a task.
    attempts: Option<u64>,
    /// Base pages that were migrated.
    pages: Option<u64>,
    /// Number of these pages that NUMA balancing migrated.
    numa_pages: Option<u64>,
    /// Pages that were promoted to a faster tier of memory (`pgpromote_success`), between the samples of `/proc/vmstat` around the window.
    promoted: Option<i64>,
    /// Pages that might have been (`pgpromote_candidate`).
    promotion_candidates: Option<i64>,
    /// Pages that were demoted to a slower tier (`pgdemote_*`).
    demoted: Option<i64>,
}

/// A task that was sampled on one node and then on another.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MemoryMove")]
pub(super) struct Move {
    pid: i32,
    comm: String,
    from_nid: u32,
    to_nid: u32,
    /// Time of the move: the event of its last migration between both samples, otherwise the first sample on the new node.
    moved_ns: Moment,
    /// State of the task then; null when not recorded.
    how: Option<How>,
    /// Last sample there before the next move, or in the window.
    until_ns: Moment,
    /// Loads on the node before.
    before: Phase,
    /// Loads in the first half of its time on the new node.
    early: Phase,
    /// Loads in the second half.
    late: Phase,
    /// Pages that NUMA balancing migrated for it on the new node; null where that was not recorded.
    migrated: Option<u64>,
    /// Pages that it touched, by physical address; null without.
    pages: Option<Pages>,
    /// Outcome for its memory.
    memory: MemoryOutcome,
    /// Benefit of the move: if memory followed, the second half against the first; otherwise the time on the new node
    /// against that before.
    paid: Paid,
    /// Second half compared with the time before.
    #[serde(skip)]
    lasts: Paid,
    label: Label,
    missing: Vec<String>,
}

/// Counts of a step.
#[derive(Default)]
struct Step {
    loads: Loads,
    moves: u64,
    pages: u64,
}

/// Totals of one pass.
struct Tally<'a> {
    machine: Machine<'a>,
    window: Window,
    step_ns: u64,
    answer: Answer,
    nodes: BTreeMap<u32, Loads>,
    between: BTreeMap<(u32, u32), (u64, Sum)>,
    tasks: HashMap<i32, Loads>,
    /// Tasks that were too many to add up.
    others: HashSet<i32>,
    steps: BTreeMap<u32, Step>,
}

impl Tally<'_> {
    fn step(&mut self, ts_ns: u64) -> &mut Step {
        let at = (ts_ns - self.window.from_ns) / self.step_ns;
        self.steps.entry(at as u32).or_default()
    }

    fn add(&mut self, sample: &MemorySample) {
        self.answer.samples += 1;
        let source = LoadSource::of(sample);
        let (node, memory) = (self.machine.node(sample), self.machine.memory(sample));
        if let Some((node, memory)) = node.zip(memory) {
            let (samples, loads) = self.between.entry((node, memory)).or_default();
            *samples += 1;
            if source.is_some() {
                loads.add(sample.weight);
            }
            let local = match source {
                Some(LoadSource::LocalDram) => Some(true),
                Some(LoadSource::RemoteDram) => Some(false),
                _ => None,
            };
            self.answer.contradicted += u64::from(local.is_some_and(|it| it != (node == memory)));
        }
        let Some(source) = source else {
            let silent = sample.op() == 0;
            self.answer.without_source += u64::from(silent);
            self.answer.stores += u64::from(!silent);
            return;
        };
        self.answer.loads.add(source, sample.weight);
        self.step(sample.ts_ns).loads.add(source, sample.weight);
        if let Some(node) = node {
            let of = self.nodes.entry(node).or_default();
            of.add(source, sample.weight);
        }
        if self.tasks.len() < MOST_TASKS || self.tasks.contains_key(&sample.pid) {
            let of = self.tasks.entry(sample.pid).or_default();
            of.add(source, sample.weight);
        } else {
            self.others.insert(sample.pid);
        }
    }

    /// Adds recorded actions of the kernel in the window: also to the steps and the moves.
    fn meanwhile(&mut self, known: &NumaInputs<'_>, moves: &mut Moves) -> Result<(), Stop> {
        let Window { from_ns, to_ns } = self.window;
        let recorded = |missing: &[String]| missing.iter().all(|one| one == LOST_EVENTS);
        if recorded(&known.migrations_source().missing) {
            let mut count = 0;
            for one in known.migrations(from_ns, to_ns)? {
                let [from, to] = [one.orig_cpu, one.dest_cpu].map(|cpu| self.machine.node_of(cpu));
                if from != to {
                    moves.migration(&one, to);
                    count += 1;
                    self.step(one.ts_ns).moves += 1;
                }
            }
            self.answer.meanwhile.moves = Some(count);
        }
        if recorded(&known.attempts_source().missing) {
            let attempts = known.attempts(from_ns, to_ns)?.len();
            self.answer.meanwhile.attempts = Some(attempts as u64);
        }
        if known.pages_source().is_some() {
            let (mut pages, mut numa_pages) = (0_u64, 0_u64);
            for call in known.pages(from_ns, to_ns)? {
                pages = pages.saturating_add(call.succeeded);
                if call.reason == Reason::NumaMisplaced as u8 {
                    numa_pages = numa_pages.saturating_add(call.succeeded);
                    moves.page_call(call.pid, call.end_ns, call.succeeded);
                    let step = self.step(call.end_ns);
                    step.pages = step.pages.saturating_add(call.succeeded);
                }
            }
            self.answer.meanwhile.pages = Some(pages);
            self.answer.meanwhile.numa_pages = Some(numa_pages);
        }
        Ok(())
    }

    /// Adds the kernel's counters of memory tiers around the window, if sampled.
    fn tiers(&mut self, open: &Context) -> Result<(), Stop> {
        let Window { from_ns, to_ns } = self.window;
        let samples = VmstatSamples::of(open)?;
        let Some((before, after)) = vmstat::span(&samples.readings, from_ns, to_ns) else {
            return Ok(());
        };
        let grown = vmstat::deltas(&before.counters, &after.counters);
        let meanwhile = &mut self.answer.meanwhile;
        meanwhile.promoted = grown.get("pgpromote_success").copied();
        meanwhile.promotion_candidates = grown.get("pgpromote_candidate").copied();
        for (name, count) in &grown {
            if name.starts_with("pgdemote_") {
                let demoted = meanwhile.demoted.unwrap_or(0);
                meanwhile.demoted = Some(demoted.saturating_add(*count));
            }
        }
        Ok(())
    }

    fn finish(self, open: &Context, moves: &Moves, phys: bool) -> Answer {
        let mut answer = self.answer;
        let loads = |(nid, loads)| NodeLoads { nid, loads };
        answer.nodes = self.nodes.into_iter().map(loads).collect();
        let pairs = self.between.into_iter();
        let pairs = pairs.map(|((cpu_nid, memory_nid), (samples, loads))| NodePair {
            cpu_nid,
            memory_nid,
            samples,
            loads,
        });
        answer.between = phys.then(|| pairs.collect());
        let comm = |pid| open.index.comm_of(pid).unwrap_or_default().to_owned();
        let mut tasks: Vec<(i32, Loads)> = self.tasks.into_iter().collect();
        tasks.sort_by_key(|(pid, loads)| (std::cmp::Reverse(loads.all.loads()), *pid));
        answer.tasks_left_out = (tasks.len().saturating_sub(MOST_ROWS) + self.others.len()) as u64;
        tasks.truncate(MOST_ROWS);
        let task = |(pid, loads)| TaskLoads {
            pid,
            comm: comm(pid),
            loads,
        };
        answer.tasks = tasks.into_iter().map(task).collect();
        for (at, step) in self.steps {
            let steps = &mut answer.steps;
            let loads = &step.loads;
            steps.at.push(at);
            steps.loads.push(loads.all.loads());
            steps.local_dram.push(loads.local_dram.loads());
            steps.remote_dram.push(loads.remote_dram.loads());
            steps.remote_cache.push(loads.remote_cache.loads());
            let hitm = loads.local_hitm.loads() + loads.remote_hitm.loads();
            steps.hitm.push(hitm);
            steps.cycles.push(loads.all.cycles());
            steps.moves.push(step.moves);
            steps.pages.push(step.pages);
        }
        let pairs = moves.moves();
        answer.moves_left_out = moves.left_out + pairs.len().saturating_sub(MOST_ROWS) as u64;
        for (before, stay) in pairs.into_iter().take(MOST_ROWS) {
            let judged = judge(before, stay);
            let [early, late] = stay.halves();
            let known = judged.memory == MemoryOutcome::Unknown || judged.by_pages;
            let mut missing = Vec::new();
            if !known {
                missing.push(PHYS_ADDR.to_owned());
            }
            missing.extend(answer.missing.iter().cloned());
            answer.moves.push(Move {
                pid: stay.pid,
                comm: comm(stay.pid),
                from_nid: before.nid,
                to_nid: stay.nid,
                moved_ns: Moment(stay.moved.map_or(stay.from_ns, |moved| moved.0)),
                how: stay.moved.map(|moved| moved.1),
                until_ns: Moment(stay.to_ns),
                before: judged.before,
                early,
                late,
                migrated: answer.meanwhile.numa_pages.map(|_| stay.migrated),
                pages: phys.then_some(stay.pages),
                memory: judged.memory,
                paid: judged.paid,
                lasts: judged.lasts,
                label: label(&missing),
                missing,
            });
        }
        answer
    }
}

/// Provenance of a value that missing inputs would improve.
fn label(missing: &[String]) -> Label {
    if missing.is_empty() {
        Label::Observed
    } else {
        Label::Inferred
    }
}

pub(super) fn memory_samples(
    open: &Context,
    window: Window,
    options: StepOption,
) -> Result<Answer, Stop> {
    let Some(summary) = &open.memory_samples else {
        return Err(Stop::unavailable(NOT_RECORDED));
    };
    if summary.samples == 0 {
        return Err(Stop::unavailable(NOT_RECORDED));
    }
    let Window { from_ns, to_ns } = window;
    let lost = open.index.lost_spans();
    let lost = lost
        .iter()
        .any(|&(from, to)| from <= to_ns && to >= from_ns);
    let missing: Vec<String> = lost.then(|| LOST_EVENTS.to_owned()).into_iter().collect();
    let log = open.memory_sample_log()?;
    let step_ns = within(options.step_ns, from_ns, to_ns)?;
    let step_ns = step_ns.unwrap_or_else(|| step_of((from_ns, to_ns), STEPS));
    let mut tally = Tally {
        machine: Machine::new(open.index.nodes(), &open.memory),
        window,
        step_ns,
        answer: Answer {
            samples: 0,
            stores: 0,
            without_source: 0,
            loads: Loads::default(),
            nodes: Vec::new(),
            between: None,
            contradicted: 0,
            tasks: Vec::new(),
            tasks_left_out: 0,
            lines: Vec::new(),
            lines_left_out: 0,
            lines_missing: Vec::new(),
            step_ns,
            steps: LoadSteps::default(),
            meanwhile: Meanwhile::default(),
            moves: Vec::new(),
            moves_left_out: 0,
            label: label(&missing),
            missing,
        },
        nodes: BTreeMap::new(),
        between: BTreeMap::new(),
        tasks: HashMap::new(),
        others: HashSet::new(),
        steps: BTreeMap::new(),
    };
    let mut moves = Moves::default();
    let mut lines = CacheLines::default();
    let processes = Processes::of(open)?;
    let tgid = |sample: &MemorySample| processes.of_pid.get(&sample.pid).copied();
    log.scan(from_ns, to_ns, &mut |sample| {
        tally.add(&sample);
        lines.find(&sample, tgid(&sample));
        if let Some(node) = tally.machine.node(&sample) {
            moves.find(node, &sample);
        }
    })?;
    log.scan(from_ns, to_ns, &mut |sample| {
        lines.tally(&sample, tgid(&sample), tally.machine.node(&sample));
        if let Some(node) = tally.machine.node(&sample) {
            moves.tally(node, tally.machine.memory(&sample), &sample);
        }
    })?;
    if let Some(known) = optional(NumaInputs::of(open))? {
        tally.meanwhile(&known, &mut moves)?;
    }
    tally.tiers(open)?;
    let answer = &mut tally.answer;
    let lacks = [
        (lines.by_thread, PROCESSES),
        (lines.left_out, "lines beyond the first 65,536"),
    ];
    answer.lines_missing = lacks
        .iter()
        .filter(|lack| lack.0)
        .map(|lack| lack.1.to_owned())
        .collect();
    (answer.lines, answer.lines_left_out) = lines.finish(MOST_ROWS);
    let phys = summary.with_phys_addr > 0 && !open.memory.is_empty();
    Ok(tally.finish(open, &moves, phys))
}

/// Returns the findings about memory that did not follow; nothing without sampled loads.
///
/// # Errors
///
/// Stops when an input is missing or a log cannot be read.
fn found(open: &Context, window: Window) -> Result<Vec<Finding>, Stop> {
    let answer = memory_samples(open, window, StepOption { step_ns: None });
    let Some(answer) = optional(answer)? else {
        return Ok(Vec::new());
    };
    let facts = |one: Move| MemoryMoveFacts {
        pid: one.pid,
        comm: one.comm,
        from_nid: one.from_nid,
        to_nid: one.to_nid,
        stay_ns: (one.moved_ns.0, one.until_ns.0),
        memory: one.memory,
        lasts: one.lasts,
        cycles: [one.before.all.cycles(), one.late.all.cycles()],
        remote_share: one.late.remote_share,
        label: one.label,
        missing: one.missing,
    };
    let moves: Vec<MemoryMoveFacts> = answer.moves.into_iter().map(facts).collect();
    let Window { from_ns, to_ns } = window;
    Ok(detect(&MemorySampleFacts {
        from_ns,
        to_ns,
        moves: &moves,
    }))
}

subject! {
    kinds: findings::KINDS, found: found;
    "memory_samples", memory_samples, false, Some(
        "Sampled loads by source (local and remote memory, caches, HITM) and latency, per node, task and step. Also whether memory followed tasks that moved, and whether that paid off."
    );
}
