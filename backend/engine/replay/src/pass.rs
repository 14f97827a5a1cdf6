//! The one pass over the events: everything that is written of a bundle's events is written here.

use std::mem;

use numalens_core::tasks::Tasks;
use numalens_core::{EngineError, FileSink};
use numalens_events::Merge;

use crate::migrations::{MIGRATIONS_FILE, Migration, MigrationsWriter};
use crate::run_state::{Inputs, Observer, Replay, Slice, Unknown};
use crate::states::{
    GROUPS_FILE, GroupsWriter, MACHINE, MACHINE_FILE, MachineWriter, NAMES_FILE, StateRow,
};
use crate::timeline::{Builder, Config, Summary};
use crate::waits::{
    CAUSES_FILE, CauseNs, CauseSpan, REQUESTS_FILE, Request, RequestsWriter, SPANS_FILE,
    SpansWriter, WAITS_FILE, WaitRow, WaitsWriter,
};

/// How many events pass between two looks at how much there is to write.
const LOOK_EVENTS: u64 = 1 << 8;
/// How many events pass between two calls of the progress function.
const PROGRESS_EVENTS: u64 = 1 << 16;

/// Replays the merged events and writes the timeline's index, the log of states, the waits, and the cgroups if there are
/// any. What is held in memory does not grow with the events.
///
/// `progress` gets the number of events replayed so far and says whether to go on.
///
/// # Errors
/// A table could not be read, a file could not be written, or `progress` said to stop.
pub fn run(
    mut events: Merge<'_>,
    config: &Config,
    inputs: Inputs,
    sink: &mut dyn FileSink,
    progress: &mut dyn FnMut(u64) -> bool,
) -> Result<Summary, EngineError> {
    let (origin, end) = (config.origin_ns, config.end_ns.max(config.origin_ns));
    let mut files = Files::new(config, sink)?;
    let mut replay = Replay::new(origin, config.cpus, &config.nodes, config.recorded, inputs);
    let mut done = 0_u64;
    while let Some((now, cpu, event)) = events.next_event()? {
        replay.event(now.clamp(origin, end), cpu, &event, &mut files);
        done += 1;
        if done.is_multiple_of(LOOK_EVENTS) {
            files.flush(sink)?;
            if done.is_multiple_of(PROGRESS_EVENTS) && !progress(done) {
                return Err(EngineError::Stopped);
            }
        }
    }
    let finished = replay.finish(end, &mut files);
    files.flush(sink)?;
    if !finished.groups.is_empty() {
        // Both files or none, also when none of the cgroups' tasks was seen.
        files.begin_groups(sink)?;
        finished.groups.write(sink.create(NAMES_FILE)?)?.flush()?;
    }
    let states_full = files.timeline.states_full;
    files.finish(sink)?;
    Ok(Summary {
        tasks: finished.tasks,
        groups: finished.groups,
        stats: finished.stats,
        order: events.order(),
        states_full,
    })
}

/// The files being written.
struct Files {
    timeline: Builder,
    machine: MachineWriter,
    groups: Option<GroupsWriter>,
    /// Rows of cgroups that came before their file was begun: most recordings know no cgroups.
    early: Vec<StateRow>,
    waits: WaitsWriter,
    requests: RequestsWriter,
    spans: SpansWriter,
    migrations: MigrationsWriter,
}

impl Files {
    fn new(config: &Config, sink: &mut dyn FileSink) -> Result<Self, EngineError> {
        Ok(Self {
            timeline: Builder::new(config, sink)?,
            machine: MachineWriter::new(sink.create(MACHINE_FILE)?)?,
            groups: None,
            early: Vec::new(),
            waits: WaitsWriter::new(sink.create(WAITS_FILE)?, sink.create(CAUSES_FILE)?)?,
            requests: RequestsWriter::new(sink.create(REQUESTS_FILE)?)?,
            spans: SpansWriter::new(sink.create(SPANS_FILE)?)?,
            migrations: MigrationsWriter::new(sink.create(MIGRATIONS_FILE)?)?,
        })
    }

    fn flush(&mut self, sink: &mut dyn FileSink) -> Result<(), EngineError> {
        let timeline = &mut self.timeline;
        self.machine.flush(|row| timeline.state(row))?;
        timeline.flush()?;
        self.waits.flush()?;
        self.requests.flush()?;
        self.spans.flush()?;
        self.migrations.flush()?;
        if !self.early.is_empty() {
            self.begin_groups(sink)?;
        }
        let groups = self.groups.as_mut();
        groups.map_or(Ok(()), |groups| groups.flush(|_| ()))
    }

    fn begin_groups(&mut self, sink: &mut dyn FileSink) -> Result<(), EngineError> {
        if self.groups.is_none() {
            let mut groups = GroupsWriter::new(sink.create(GROUPS_FILE)?)?;
            for row in mem::take(&mut self.early) {
                groups.push(&row);
            }
            self.groups = Some(groups);
        }
        Ok(())
    }

    fn finish(mut self, sink: &mut dyn FileSink) -> Result<(), EngineError> {
        self.machine.finish(|row| self.timeline.state(row))?;
        self.timeline.finish(sink)?;
        let groups = self.groups;
        groups.map_or(Ok(()), |groups| groups.finish(|_| ()))?;
        self.waits.finish()?;
        self.requests.finish()?;
        self.spans.finish()?;
        self.migrations.finish()
    }
}

impl Observer for Files {
    #[inline]
    fn slice(&mut self, slice: &Slice<'_>, tasks: &mut Tasks) {
        self.timeline.slice(slice, tasks);
    }

    fn unknown(&mut self, cpu: u32, from_ns: u64, to_ns: u64, why: Unknown) {
        self.timeline.unknown(cpu, from_ns, to_ns, why);
    }

    #[inline]
    fn state(&mut self, row: &StateRow) {
        if row.group == MACHINE {
            self.machine.push(row);
        } else if let Some(groups) = &mut self.groups {
            groups.push(row);
        } else {
            self.early.push(*row);
        }
    }

    fn migration(&mut self, migration: &Migration) {
        self.migrations.push(migration);
    }

    #[inline]
    fn request(&mut self, request: &Request) {
        self.requests.push(request);
    }

    fn span(&mut self, span: &CauseSpan) {
        self.spans.push(span);
    }

    #[inline]
    fn wait(&mut self, wait: &WaitRow, causes: &[CauseNs]) {
        self.waits.push(wait, causes);
    }
}
