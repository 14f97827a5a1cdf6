//! Evidence of the replay besides the scheduler's events, collected from the decoded tables and the aligned samples.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufWriter;

use arrow_array::RecordBatch;
use numalens_core::columns::{i32s, u64s};
use numalens_core::kernel_version::KernelVersion;
use numalens_core::provenance::Source;
use numalens_events::Kind as EventKind;
use numalens_replay::evidence::{
    Aggregations, Births, Call, Calls, Course, CpuSpan, Doubts, Edge, Evidence, Fared, Hotplug,
    Hotplugged, HzEvidence, Instant, InstantKind, IowaitEvidence, IowaitFrom, LOST_EVENTS, Limited,
    Limits, MIGRATE_TASK, Membership, Missed, ReadAt, Reads, Reasons, Requests, SchedExt,
    SchedExtEvidence, Seen, WAKEUP_NEW, write_instants,
};
use numalens_replay::pass::PassInputs;
use numalens_replay::run_state::{Inputs, Iowaits, Stats};
use numalens_replay::states::{Groups, MACHINE};

use super::decode::Decoded;
use super::files::{Folder, close};
use super::index::{Extra, ReplayInputs};
use super::numa;
use super::sink::Written;
use super::unseen::Mended;
use super::window;
use crate::bundle::{INSTANTS, Input, SampleTable};
use crate::error::Error;

/// Rows of an event that are looked at for the rate of jiffies.
const HZ_ROWS: usize = 2_000_000;

/// Times at which a CPU was offline that are noted one by one.
const MOST_OFFLINE: usize = 10;

/// The evidence before the replay.
pub(super) struct Gathered {
    seen: Seen,
    kernel: Option<KernelVersion>,
    hz: (u32, Source),
    iowait: Option<Source>,
    io_device: Option<String>,
    memstall: Option<Source>,
    cgroups: Option<Source>,
    worker: Option<Source>,
    /// Seen aggregations of the machine's pressure.
    machine: Vec<(u64, InstantKind)>,
    /// Reads of samplers.
    reads: Vec<ReadAt>,
    /// CPUs of the recordings, and their first and last event, ns.
    cpus: u64,
    span_ns: (u64, u64),
    /// Inputs that are missing from a time on, ns.
    since: Vec<(String, u64)>,
    mended: Mended,
    offline: Vec<CpuSpan>,
    sched_ext: Option<SchedExt>,
}

/// Offline times of CPUs.
pub(super) fn hotplug(folder: Folder<'_>, recordings: &[Decoded]) -> Result<Hotplugged, Error> {
    let mut hotplug = Hotplug::default();
    for recording in recordings {
        let tables = recording.tables.iter();
        for table in tables.filter(|table| Hotplug::reads(&table.event)) {
            for batch in folder.batches(&table.file, None)? {
                hotplug.observe(&table.event, &batch?);
            }
        }
    }
    Ok(hotplug.finish())
}

/// Collects all evidence; `hz` is the user's value. Returns the evidence and its inputs for the replay.
pub(super) fn gather(
    folder: Folder<'_>,
    recordings: &[Decoded],
    listed: &[Input],
    samples: &[SampleTable],
    hz: Option<u32>,
    cpus: &[u32],
    hotplug: Hotplugged,
) -> Result<(Gathered, ReplayInputs), Error> {
    let mut seen = Seen::default();
    for recording in recordings {
        for table in &recording.tables {
            seen.event(&table.system, &table.event, table.rows);
        }
        if !recording.lost.is_empty() {
            seen.lost();
        }
        if recording.some_tasks {
            seen.some_tasks();
        }
    }
    let iowait = seen.iowait();
    let stalls = seen.stalls();
    let tables = Tables::look(folder, recordings, seen.moves())?;
    let changes = tables.affinity.finish();
    let mut sched_ext = tables.sched_ext;
    let looked = Sampled::look(folder, samples, &tables.births, &changes, &mut sched_ext)?;
    let (sched_ext, ext_tasks) = sched_ext.finish();
    let (requests, io_device) = tables.requests.finish();
    // Several buffers may have recorded the same events: the intervals are joined.
    let iowaits = match &iowait {
        Some((IowaitFrom::Stat, _)) => Iowaits::recorded(tables.iowaits.finish()),
        Some((IowaitFrom::Reason, _)) => Iowaits::blocked(tables.reasons.finish()),
        Some((IowaitFrom::Requests, _)) => Iowaits::blocked(requests),
        None => Iowaits::default(),
    };
    let mut extra = Vec::new();
    for recording in recordings {
        for table in &recording.tables {
            let marks = stalls.iter().flat_map(|stalls| &stalls.events);
            let mark = marks
                .filter(|(system, event, _)| *system == table.system && *event == table.event)
                .map(|(_, _, edge)| *edge)
                .next();
            extra.extend(mark.map(|edge| Extra {
                input: recording.input,
                system: table.system.clone(),
                event: table.event.clone(),
                kind: match edge {
                    Edge::Enter => EventKind::StallEnter,
                    Edge::Leave => EventKind::StallLeave,
                },
            }));
        }
    }
    let (machine, worker) = tables.aggregations.finish();
    let Hotplugged { offline, inactive } = hotplug;
    let mut recording_since = recording_since(recordings, listed, cpus);
    // The first switch of a CPU that was offline before shows nothing of the time before.
    for off in offline.iter().filter(|off| off.from_ns == 0) {
        recording_since.remove(&off.cpu);
    }
    let rate = tables.hz.decide(hz);
    let given = ReplayInputs {
        inputs: PassInputs {
            run_state: Inputs {
                iowaits,
                members: looked.members.clone(),
                throttled: looked.limited.throttled,
                allowed: looked.limited.allowed,
                quotas: looked.limited.quotas,
                numa_balanced: tables.numa_balanced.iter().copied().collect(),
                kernel_threads: looked.limited.kernel_threads,
                starved: looked.limited.starved,
                offline: offline.clone(),
                inactive,
                enqueued_before_wakeup: true,
                date_missing_wakeups: true,
                sched_ext: ext_tasks,
                hz: rate.0,
                ..Inputs::default()
            },
            preferred: numa::preferred(folder, samples)?,
        },
        recording_since,
        extra,
        ..ReplayInputs::default()
    };
    let kernels = listed.iter().filter_map(|input| input.recording.as_ref());
    let mut kernels = kernels.filter_map(|recording| recording.kernel.as_deref());
    let gathered = Gathered {
        kernel: kernels.find_map(KernelVersion::of),
        hz: rate,
        iowait: iowait.map(|(_, source)| source),
        io_device,
        memstall: stalls.map(|stalls| stalls.source),
        cgroups: seen.cgroups(!looked.members.is_empty()),
        worker,
        machine,
        reads: looked.reads,
        cpus: cpus.len() as u64,
        span_ns: recorded(listed).unwrap_or_default(),
        since: since(folder, recordings)?,
        seen,
        mended: Mended::default(),
        offline,
        sched_ext,
    };
    Ok((gathered, given))
}

impl Gathered {
    /// Records switches that were added; returns the note about them.
    pub(super) fn mended(&mut self, mended: Mended) -> Option<String> {
        let found = mended.found;
        self.mended = mended;
        (found > 0).then(|| {
            format!(
                "{found} switches are not recorded; their times follow from run times of tasks (sched_stat_runtime) and from the running task at other events."
            )
        })
    }

    /// The evidence for the manifest, now that the replay is through.
    pub(super) fn evidence(&self, stats: &Stats, mut course: Course) -> Evidence {
        let fared = Fared {
            missed: Missed {
                switches: self.mended.recorded,
                wakeups: stats.missed_wakeups,
                loose: self.mended.loose.len() as u64,
                gap_ns: stats.gap_ns,
            },
            missed_migrations: stats.missed_migrations,
            silent: self.mended.silent,
            cpu_ns: (self.span_ns.1 - self.span_ns.0).saturating_mul(self.cpus),
        };
        for &ns in &self.mended.loose {
            course.at(ns).loose += 1;
        }
        let run_state = self.seen.run_state(fared);
        let moved = course
            .first_migration
            .map(|ns| (MIGRATE_TASK.to_owned(), ns));
        let since = self.since.iter().cloned().chain(moved);
        let doubts = Doubts {
            since: since
                .filter(|(what, _)| run_state.missing.contains(what))
                .collect(),
            cpus: self.cpus,
            span_ns: self.span_ns,
            course,
        };
        Evidence {
            kernel: self.kernel,
            hz: self.hz.0,
            hz_source: self.hz.1.clone(),
            run_state,
            iowait: self.iowait.clone(),
            io_device: self.io_device.clone(),
            memstall: self.memstall.clone(),
            irq: self.seen.irq(),
            cgroups: self.cgroups.clone(),
            worker: self.worker.clone(),
            offline: self.offline.clone(),
            sched_ext: self.sched_ext.clone(),
            doubts,
        }
    }

    /// A sentence for each time that a CPU was offline, up to [`MOST_OFFLINE`]; `origin_ns` is when the recording begins.
    pub(super) fn offline(&self, origin_ns: u64) -> Vec<String> {
        let after = |ns: u64| format!("{:.3} s", ns.saturating_sub(origin_ns) as f64 / 1e9);
        let said = self.offline.iter().take(MOST_OFFLINE).map(|off| {
            let from = match off.from_ns {
                0 => "the recording's start".to_owned(),
                ns => after(ns),
            };
            let to = off.to_ns.map_or("the recording's end".to_owned(), after);
            format!(
                "CPU {} was offline from {from} to {to} (observed: cpuhp events).",
                off.cpu
            )
        });
        let mut said: Vec<String> = said.collect();
        let more = self.offline.len().saturating_sub(MOST_OFFLINE);
        if more > 0 {
            said.push(format!("CPUs were offline {more} more times."));
        }
        said
    }

    /// Writes the moments of aggregation, by the numbers that the replay gave to the cgroups.
    pub(super) fn write_instants(&self, folder: Folder<'_>, groups: &Groups) -> Result<(), Error> {
        let probed = |kind| self.machine.iter().any(|(_, found)| *found == kind);
        let mut instants: Vec<Instant> = Vec::new();
        for read in &self.reads {
            let group = match read.cgroup.as_str() {
                "/" => Some(MACHINE),
                path => groups.find(path),
            };
            // The kernel's own word for its reads is exact and covers all tasks.
            let known = group == Some(MACHINE) && probed(InstantKind::Read);
            instants.extend(group.filter(|_| !known).map(|group| Instant {
                ts_ns: read.ts_ns,
                group,
                kind: InstantKind::Read,
            }));
        }
        instants.extend(self.machine.iter().map(|&(ts_ns, kind)| Instant {
            ts_ns,
            group: MACHINE,
            kind,
        }));
        instants.sort_unstable();
        instants.dedup();
        let file = BufWriter::new(folder.create(INSTANTS)?);
        Ok(close(write_instants(&instants, file)?)?)
    }
}

/// Evidence from the tables of events.
struct Tables {
    hz: HzEvidence,
    iowaits: IowaitEvidence,
    reasons: Reasons,
    requests: Requests,
    aggregations: Aggregations,
    /// Used only without events for moves between cgroups.
    births: Births,
    affinity: Calls,
    /// Tasks that the NUMA balancer looked at.
    numa_balanced: BTreeSet<i32>,
    sched_ext: SchedExtEvidence,
}

impl Tables {
    fn look(folder: Folder<'_>, recordings: &[Decoded], moves: bool) -> Result<Self, Error> {
        let mut found = Self {
            hz: HzEvidence::default(),
            iowaits: IowaitEvidence::default(),
            reasons: Reasons::default(),
            requests: Requests::default(),
            aggregations: Aggregations::default(),
            births: Births::default(),
            affinity: Calls::new("sched_setaffinity", None),
            numa_balanced: BTreeSet::new(),
            sched_ext: SchedExtEvidence::default(),
        };
        for recording in recordings {
            for line in &recording.lines.rates {
                found.hz.text(line);
            }
            for table in &recording.tables {
                found.table(folder, table, moves)?;
            }
        }
        Ok(found)
    }

    fn table(&mut self, folder: Folder<'_>, table: &Written, moves: bool) -> Result<(), Error> {
        let (system, event) = (table.system.as_str(), table.event.as_str());
        if let Some(columns) = HzEvidence::columns(event) {
            let columns: Vec<&str> = ["ts_ns", "cpu"].iter().chain(columns).copied().collect();
            let mut rows = 0;
            for batch in folder.batches(&table.file, Some(&columns))? {
                let batch = batch?;
                self.hz.observe(event, &batch);
                rows += batch.num_rows();
                if rows >= HZ_ROWS {
                    break;
                }
            }
        } else if event == "sched_stat_iowait" {
            for batch in folder.batches(&table.file, Some(&IowaitEvidence::COLUMNS))? {
                self.iowaits.observe(&batch?);
            }
        } else if event == "sched_blocked_reason" {
            for batch in folder.batches(&table.file, None)? {
                self.reasons.observe(&batch?);
            }
        } else if Requests::reads(event) {
            for batch in folder.batches(&table.file, None)? {
                self.requests.observe(event, &batch?);
            }
        } else if event == "sched_process_fork" && !moves {
            for batch in folder.batches(&table.file, Some(&Births::COLUMNS))? {
                self.births.observe(&batch?);
            }
        } else if system == "sched" && event.contains("numa") {
            for batch in folder.batches(&table.file, None)? {
                let batch = batch?;
                let pids = ["pid", "src_pid", "dst_pid"].iter();
                let pids = pids.filter_map(|name| i32s(&batch, name));
                self.numa_balanced
                    .extend(pids.flat_map(|pids| pids.to_vec()));
            }
        } else if self.affinity.reads(system, event) {
            for batch in folder.batches(&table.file, None)? {
                self.affinity.observe(event, &batch?);
            }
        } else if SchedExtEvidence::reads(system, event) {
            for batch in folder.batches(&table.file, None)? {
                self.sched_ext.observe(event, &batch?);
            }
        } else if Aggregations::reads(system, event) {
            for batch in folder.batches(&table.file, None)? {
                self.aggregations.observe(system, event, &batch?);
            }
        }
        Ok(())
    }
}

/// Evidence from the tables of samples.
struct Sampled {
    members: Vec<numalens_replay::run_state::Member>,
    limited: Limited,
    reads: Vec<ReadAt>,
}

impl Sampled {
    fn look(
        folder: Folder<'_>,
        samples: &[SampleTable],
        born: &Births,
        changes: &[Call],
        sched_ext: &mut SchedExtEvidence,
    ) -> Result<Self, Error> {
        let mut members = Membership::default();
        let mut limits = Limits::new(changes);
        let mut reads = Reads::default();
        for table in samples {
            let each = |look: &mut dyn FnMut(&RecordBatch)| each(folder, table, look);
            match table.table.as_str() {
                "cgroup_tasks" => each(&mut |batch| members.observe(batch))?,
                "cgroup_stat" => each(&mut |batch| limits.observe(batch))?,
                "task_stat" => each(&mut |batch| {
                    members.threads(batch);
                    limits.tasks(batch);
                    sched_ext.tasks(batch);
                })?,
                "sched_ext" => each(&mut |batch| sched_ext.samples(batch))?,
                "psi" => each(&mut |batch| reads.observe(batch))?,
                _ => {}
            }
        }
        Ok(Self {
            members: members.finish(born),
            limited: limits.finish(),
            reads: reads.finish(),
        })
    }
}

fn each(
    folder: Folder<'_>,
    table: &SampleTable,
    look: &mut dyn FnMut(&RecordBatch),
) -> Result<(), Error> {
    for batch in folder.batches(&table.file, None)? {
        look(&batch?);
    }
    Ok(())
}

/// Returns the inputs that are missing from a time on: lost events, and wakeups of new tasks, which matter from the first fork on.
fn since(folder: Folder<'_>, recordings: &[Decoded]) -> Result<Vec<(String, u64)>, Error> {
    let lost = recordings.iter().flat_map(|decoded| &decoded.lost);
    let lost = lost.map(|mark| mark.ts_ns).min();
    let mut forked = None;
    let tables = recordings.iter().flat_map(|decoded| &decoded.tables);
    for table in tables.filter(|table| table.event == "sched_process_fork" && table.rows > 0) {
        if let Some(batch) = folder.batches(&table.file, Some(&["ts_ns"]))?.next() {
            let batch = batch?;
            let first = u64s(&batch, "ts_ns").and_then(|times| times.iter().min().copied());
            forked = forked.into_iter().chain(first).min();
        }
    }
    let named = [(LOST_EVENTS, lost), (WAKEUP_NEW, forked)];
    let named = named
        .into_iter()
        .filter_map(|(what, ns)| Some((what.to_owned(), ns?)));
    Ok(named.collect())
}

/// First and last event of all recordings.
fn recorded(listed: &[Input]) -> Option<(u64, u64)> {
    let recordings = listed.iter().filter_map(|input| input.recording.as_ref());
    let spans = recordings.flat_map(|recording| &recording.cpu_spans);
    let spans = spans.filter(|span| span.events > 0);
    let (first, last): (Vec<u64>, Vec<u64>) =
        spans.map(|span| (span.first_ns, span.last_ns)).unzip();
    first.into_iter().min().zip(last.into_iter().max())
}

/// From when each CPU's switches were recorded. Recording begins on all CPUs at once, and an idle one has its first
/// event later; unless events at its beginning are missing.
fn recording_since(recordings: &[Decoded], listed: &[Input], cpus: &[u32]) -> BTreeMap<u32, u64> {
    let mut first: Option<(u64, &Decoded)> = None;
    for recording in recordings {
        let switches = recording
            .tables
            .iter()
            .filter(|table| EventKind::of(&table.system, &table.event) == Some(EventKind::Switch))
            .max_by_key(|table| table.rows);
        let buffer = switches.and_then(|table| {
            let by_buffer = table.by_buffer.iter().enumerate();
            by_buffer
                .max_by_key(|&(at, &rows)| (rows, std::cmp::Reverse(at)))
                .map(|(at, _)| at)
        });
        let facts = listed
            .get(recording.input as usize)
            .and_then(|input| input.recording.as_ref());
        let since = buffer.zip(facts).and_then(|(at, facts)| {
            let buffers = facts.buffers.iter();
            buffers
                .filter(|buffer| usize::from(buffer.index) == at)
                .find_map(|buffer| buffer.first_ns)
        });
        if let Some(since) = since
            && first.is_none_or(|(earliest, _)| since < earliest)
        {
            first = Some((since, recording));
        }
    }
    let Some((since, recording)) = first else {
        return BTreeMap::new();
    };
    let Some(input) = listed.get(recording.input as usize) else {
        return BTreeMap::new();
    };
    let begins = |cpu: u32| match window::complete_from(input, recording, cpu) {
        (own, true) => own,
        _ if !input.kind.cpu_by_cpu => Some(since),
        (begun, _) => begun,
    };
    cpus.iter()
        .filter_map(|&cpu| Some((cpu, begins(cpu)?)))
        .collect()
}
