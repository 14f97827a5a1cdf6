//! The one pass over the events: everything that is written of a bundle's events is written here.

use std::io::Write;
use std::mem;

use numalens_core::tasks::Tasks;
use numalens_core::{EngineError, FileSink};
use numalens_events::{Event, EventTable, Kinds, Merge, Order, Rows};

use crate::idle_balancing::{self, EVENTS_FILE, IlbRow, IlbTable, Jiffies, JiffyLearner};
use crate::migrations::{MIGRATIONS_FILE, Migration, MigrationsWriter};
use crate::numa::{self, NumaEvent, NumaTable, Preferred};
use crate::run_state::{Inputs, Observer, Replay, Slice, Unknown};
use crate::states::{
    GROUPS_FILE, GroupsWriter, MACHINE, MACHINE_FILE, MachineWriter, NAMES_FILE, StateRow,
};
use crate::timeline::{self, Builder, Config};
use crate::waits::{
    CAUSES_FILE, CauseNs, CauseSpan, MASKS_FILE, PHASES_FILE, Phase, PhasesWriter, REQUESTS_FILE,
    Request, RequestsWriter, SPANS_FILE, SpansWriter, WAITS_FILE, WaitRow, WaitsWriter,
    write_masks,
};

/// Number of rows between two checks of the amount to write.
const LOOK_ROWS: u64 = 1 << 8;
/// Number of rows between two calls of the progress function.
const PROGRESS_ROWS: u64 = 1 << 16;

/// The tables that the pass reads, by who follows them; a table may be given to several.
#[derive(Default)]
pub struct Tables<'a> {
    /// Tables of the scheduler's events.
    pub scheduler: Vec<EventTable<'a>>,
    /// Tables of the NUMA balancers' events.
    pub numa: Vec<NumaTable<'a>>,
    /// Tables of the idle load balancer's events.
    pub idle_balancing: Vec<IlbTable<'a>>,
}

/// Inputs of the pass besides the events.
#[derive(Debug, Default)]
pub struct PassInputs {
    /// Inputs of the run state.
    pub run_state: Inputs,
    /// Samples of tasks' preferred nodes, ascending in time.
    pub preferred: Vec<Preferred>,
}

/// Results of the pass besides the files.
#[derive(Debug)]
pub struct Summary {
    /// Summary of the scheduler's events.
    pub timeline: timeline::Summary,
    /// Summary of the NUMA balancers' events.
    pub numa: numa::Summary,
    /// Kinds of tables of the idle load balancer's events.
    pub idle_balancing: Kinds,
    /// The kernel's jiffies.
    pub jiffies: Jiffies,
}

/// A table of any kind.
enum Table<'a> {
    Scheduler(EventTable<'a>),
    Numa(NumaTable<'a>),
    IdleBalancing(Box<IlbTable<'a>>),
}

/// A row of any kind.
enum Row<'r> {
    Scheduler(u32, Event<'r>),
    Numa(u32, NumaEvent),
    IdleBalancing(IlbRow),
}

impl Rows for Table<'_> {
    type Row<'r>
        = Option<Row<'r>>
    where
        Self: 'r;

    #[inline]
    fn advance(&mut self) -> Result<Option<u64>, EngineError> {
        match self {
            Self::Scheduler(table) => table.advance(),
            Self::Numa(table) => table.advance(),
            Self::IdleBalancing(table) => table.advance(),
        }
    }

    fn rank(&self) -> (u32, u64) {
        match self {
            Self::Scheduler(table) => table.rank(),
            Self::Numa(table) => table.rank(),
            Self::IdleBalancing(table) => table.rank(),
        }
    }

    #[inline]
    fn row(&mut self) -> Option<Row<'_>> {
        match self {
            Self::Scheduler(table) => table.row().map(|(cpu, event)| Row::Scheduler(cpu, event)),
            Self::Numa(table) => table.row().map(|(cpu, event)| Row::Numa(cpu, event)),
            Self::IdleBalancing(table) => table.row().map(Row::IdleBalancing),
        }
    }

    #[inline]
    fn consume(&mut self) {
        match self {
            Self::Scheduler(table) => table.consume(),
            Self::Numa(table) => table.consume(),
            Self::IdleBalancing(table) => table.consume(),
        }
    }
}

/// Replays the merged events and writes the timeline's index, the log of states, the waits, the logs of the balancers,
/// and the cgroups if there are any. Memory use does not grow with the number of events.
///
/// `progress` gets the number of rows read so far and returns whether to continue.
///
/// # Errors
/// A table could not be read, a file could not be written, or `progress` said to stop.
pub fn run(
    tables: Tables<'_>,
    config: &Config,
    inputs: PassInputs,
    sink: &mut dyn FileSink,
    progress: &mut dyn FnMut(u64) -> bool,
) -> Result<Summary, EngineError> {
    let (origin, end) = (config.origin_ns, config.end_ns.max(config.origin_ns));
    let numa_config = numa::Config {
        origin_ns: origin,
        end_ns: end,
        nodes: &config.nodes,
        preferred: &inputs.preferred,
    };
    let (numa, numa_tables, pages) = numa::LogsWriter::new(tables.numa, &numa_config, sink)?;
    let jiffies = JiffyLearner::new(inputs.run_state.hz, config.origin_ns, config.end_ns);
    let out = sink.create(EVENTS_FILE)?;
    let (mut idle_balancing, idle_tables) =
        idle_balancing::LogWriter::new(tables.idle_balancing, jiffies, out)?;
    let kicks = idle_balancing.kinds().arrival();
    let mut files = Files::new(config, numa, sink)?;
    let run_state = inputs.run_state;
    let mut replay = Replay::new(
        origin,
        config.cpus,
        &config.nodes,
        config.recorded,
        run_state,
    );
    let tables = tables.scheduler.into_iter().map(Table::Scheduler);
    let tables = tables.chain(numa_tables.into_iter().map(Table::Numa));
    let tables = tables.chain(
        idle_tables
            .into_iter()
            .map(Box::new)
            .map(Table::IdleBalancing),
    );
    let mut merge = Merge::new(tables.collect())?;
    let (mut order, mut done) = (Order::default(), 0_u64);
    while let Some((ts_ns, row)) = merge.next_row()? {
        match row {
            Some(Row::Scheduler(cpu, event)) => {
                let now = order.take(ts_ns).clamp(origin, end);
                replay.event(now, cpu, &event, &mut files);
            }
            Some(Row::Numa(cpu, event)) => files.numa.event(ts_ns, cpu, &event)?,
            Some(Row::IdleBalancing(row)) => {
                if kicks == Some(row.kind) {
                    let now = order.take(ts_ns).clamp(origin, end);
                    replay.event(now, row.cpu, &Event::Kick, &mut files);
                }
                idle_balancing.row(ts_ns, row)?;
            }
            None => {}
        }
        done += 1;
        if done.is_multiple_of(LOOK_ROWS) {
            files.flush(sink)?;
            if done.is_multiple_of(PROGRESS_ROWS) && !progress(done) {
                return Err(EngineError::Stopped);
            }
        }
    }
    let finished = replay.finish(end, &mut files);
    files.flush(sink)?;
    write_masks(&finished.masks, sink.create(MASKS_FILE)?)?;
    if !finished.groups.is_empty() {
        // Both files or none, also when none of the cgroups' tasks was seen.
        files.begin_groups(sink)?;
        finished.groups.write(sink.create(NAMES_FILE)?)?.flush()?;
    }
    let states_full = files.timeline.states_full;
    let numa = files.finish(sink)?;
    let numa = numa.finish(pages, &mut |pages| progress(done + pages))?;
    let (kinds, jiffies) = idle_balancing.finish()?;
    Ok(Summary {
        timeline: timeline::Summary {
            tasks: finished.tasks,
            groups: finished.groups,
            stats: finished.stats,
            course: finished.course,
            order,
            states_full,
        },
        numa,
        idle_balancing: kinds,
        jiffies,
    })
}

/// Files of the scheduler's events, and the subscribers to migrations.
struct Files<'a> {
    timeline: Builder,
    machine: MachineWriter,
    groups: Option<GroupsWriter>,
    /// Rows of cgroups that came before their file was begun: most recordings know no cgroups.
    early: Vec<StateRow>,
    waits: WaitsWriter,
    requests: RequestsWriter,
    spans: SpansWriter,
    phases: PhasesWriter,
    migrations: MigrationsWriter,
    numa: numa::LogsWriter<'a>,
}

impl<'a> Files<'a> {
    fn new(
        config: &Config,
        numa: numa::LogsWriter<'a>,
        sink: &mut dyn FileSink,
    ) -> Result<Self, EngineError> {
        Ok(Self {
            timeline: Builder::new(config, sink)?,
            machine: MachineWriter::new(sink.create(MACHINE_FILE)?)?,
            groups: None,
            early: Vec::new(),
            waits: WaitsWriter::new(sink.create(WAITS_FILE)?, sink.create(CAUSES_FILE)?)?,
            requests: RequestsWriter::new(sink.create(REQUESTS_FILE)?)?,
            spans: SpansWriter::new(sink.create(SPANS_FILE)?)?,
            phases: PhasesWriter::new(sink.create(PHASES_FILE)?)?,
            migrations: MigrationsWriter::new(sink.create(MIGRATIONS_FILE)?)?,
            numa,
        })
    }

    fn flush(&mut self, sink: &mut dyn FileSink) -> Result<(), EngineError> {
        let timeline = &mut self.timeline;
        self.machine.flush(|row| timeline.state(row))?;
        timeline.flush()?;
        self.waits.flush()?;
        self.requests.flush()?;
        self.spans.flush()?;
        self.phases.flush()?;
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

    fn finish(mut self, sink: &mut dyn FileSink) -> Result<numa::LogsWriter<'a>, EngineError> {
        self.machine.finish(|row| self.timeline.state(row))?;
        self.timeline.finish(sink)?;
        let groups = self.groups;
        groups.map_or(Ok(()), |groups| groups.finish(|_| ()))?;
        self.waits.finish()?;
        self.requests.finish()?;
        self.spans.finish()?;
        self.phases.finish()?;
        self.migrations.finish()?;
        Ok(self.numa)
    }
}

impl Observer for Files<'_> {
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
        self.numa.migration(migration);
    }

    #[inline]
    fn request(&mut self, request: &Request) {
        self.requests.push(request);
    }

    fn span(&mut self, span: &CauseSpan) {
        self.spans.push(span);
    }

    fn phase(&mut self, phase: &Phase) {
        self.phases.push(phase);
    }

    #[inline]
    fn wait(&mut self, wait: &WaitRow, causes: &[CauseNs]) {
        self.waits.push(wait, causes);
    }
}
