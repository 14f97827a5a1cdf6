//! Part of the pass for NUMA events: writes their logs.

use std::collections::{HashMap, VecDeque};

use numalens_core::topology::Node;
use numalens_core::{EngineError, FileSink};
use numalens_events::{NumaKind, Order};

use super::page_calls::Calls;
use super::pages::PageMerge;
use super::{
    ATTEMPTS_FILE, Attempt, AttemptsWriter, Classifier, ClingLine, LINES_FILE, Leaning, LineRow,
    LinesWriter, NumaEvent, NumaTable, PAGE_RUNS_FILE, PAGES_FILE, PagesWriter, Preferred, Summary,
};
use crate::migrations::Migration;

/// Number of events about pages between two calls of the progress function.
const PROGRESS_EVENTS: u64 = 1 << 16;

/// Inputs of the logs besides the events.
#[derive(Debug, Clone, Copy)]
pub struct Config<'a> {
    /// Time of the recording's first event, ns of the reference clock.
    pub origin_ns: u64,
    /// Time of its last event.
    pub end_ns: u64,
    /// The nodes and their CPUs.
    pub nodes: &'a [Node],
    /// Samples of preferred nodes, ascending in time.
    pub preferred: &'a [Preferred],
}

/// Writes the logs of attempts, page migrations and lines. Memory use does not grow with the number of events, only
/// with the number of tasks to place.
pub struct LogsWriter<'a> {
    logs: Logs,
    classifier: Classifier<'a>,
    twins: Twins,
    /// Migrations that no event has followed yet: of one time, events come first, for a migration is what one announced.
    migrations: VecDeque<Migration>,
    span: (u64, u64),
    order: Order,
}

/// Tables about pages, which are read by themselves: they are many, and nothing that the others say depends on them.
pub struct PageTables<'a>(PageMerge<'a>);

impl<'a> LogsWriter<'a> {
    /// Begins the logs of the events of `tables`; gives them with the tables about other things than pages, and those about
    /// pages.
    ///
    /// # Errors
    /// A table could not be read, or a file could not be written.
    pub fn new<'t>(
        tables: Vec<NumaTable<'t>>,
        config: &Config<'a>,
        sink: &mut dyn FileSink,
    ) -> Result<(Self, Vec<NumaTable<'t>>, PageTables<'t>), EngineError> {
        let kinds: Vec<NumaKind> = tables.iter().filter_map(NumaTable::kind).collect();
        let mut pages = PageMerge::default();
        let mut others = Vec::new();
        for table in tables {
            if table.pages() {
                pages.begin(table.into_pages())?;
                continue;
            }
            if let Some(marks) = table.same_marks() {
                pages.begin(marks.into_pages())?;
            }
            others.push(table);
        }
        let logs = Self {
            logs: Logs {
                attempts: AttemptsWriter::new(sink.create(ATTEMPTS_FILE)?)?,
                pages: PagesWriter::new(sink.create(PAGE_RUNS_FILE)?, sink.create(PAGES_FILE)?)?,
                lines: LinesWriter::new(sink.create(LINES_FILE)?)?,
                summary: Summary::new(&kinds),
                failed: None,
            },
            classifier: Classifier::new(Leaning {
                nodes: config.nodes,
                preferred: config.preferred,
                returns: kinds.contains(&NumaKind::Return),
            }),
            twins: Twins::default(),
            migrations: VecDeque::new(),
            span: (config.origin_ns, config.end_ns.max(config.origin_ns)),
            order: Order::default(),
        };
        Ok((logs, others, PageTables(pages)))
    }

    /// Adds the next migration; they ascend in time, and all events before it came already.
    #[inline]
    pub fn migration(&mut self, migration: &Migration) {
        self.migrations_before(migration.ts_ns);
        self.migrations.push_back(*migration);
    }

    /// Adds the next event, which `cpu` recorded at `ts_ns`.
    ///
    /// # Errors
    /// A file could not be written.
    pub fn event(&mut self, ts_ns: u64, cpu: u32, event: &NumaEvent) -> Result<(), EngineError> {
        let now = self.order.take(ts_ns).clamp(self.span.0, self.span.1);
        self.migrations_before(now);
        let Self {
            logs, classifier, ..
        } = self;
        logs.summary.event(event);
        match *event {
            NumaEvent::Line {
                current,
                line,
                probe,
            } => {
                if self.twins.first(&line, probe) {
                    classifier.event(now, cpu, event, &mut |attempt| logs.attempt(attempt));
                    logs.line(now, cpu, current, line)?;
                } else {
                    logs.summary.counts.recorded_twice += 1;
                }
                logs.summary.line(&line, probe);
            }
            NumaEvent::SkippedVma => {}
            _ => classifier.event(now, cpu, event, &mut |attempt| logs.attempt(attempt)),
        }
        logs.failed.take().map_or(Ok(()), Err)
    }

    fn migrations_before(&mut self, now: u64) {
        let Self {
            logs, classifier, ..
        } = self;
        while let Some(migration) = self.migrations.front().filter(|next| next.ts_ns < now) {
            classifier.migration(migration, &mut |attempt| logs.attempt(attempt));
            self.migrations.pop_front();
        }
    }

    /// Reads the events about pages and ends the logs. `progress` gets the number of events read so far and returns whether
    /// to continue.
    ///
    /// # Errors
    /// A table could not be read, a file could not be written, or `progress` said to stop.
    pub fn finish(
        mut self,
        pages: PageTables<'_>,
        progress: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Summary, EngineError> {
        self.migrations_before(u64::MAX);
        let Self {
            mut logs,
            mut classifier,
            ..
        } = self;
        classifier.finish(&mut |attempt| logs.attempt(attempt));
        let PageTables(mut pages) = pages;
        let mut calls = Calls::new(self.span, &mut logs.pages, &mut logs.summary.counts);
        let mut done = 0;
        while pages.next(&mut calls)? {
            if let Some(error) = calls.failed.take() {
                return Err(error);
            }
            if calls.events >= PROGRESS_EVENTS {
                done += std::mem::take(&mut calls.events);
                if !progress(done) {
                    return Err(EngineError::Stopped);
                }
            }
        }
        logs.summary.counts.backwards = self.order.backwards + pages.backwards;
        logs.finish()
    }
}

struct Logs {
    attempts: AttemptsWriter,
    pages: PagesWriter,
    lines: LinesWriter,
    summary: Summary,
    /// Error of a failed write.
    failed: Option<EngineError>,
}

impl Logs {
    fn attempt(&mut self, attempt: &Attempt) {
        self.summary.attempt(attempt);
        if let Err(error) = self.attempts.push(attempt) {
            self.failed = Some(error);
        }
    }

    fn line(
        &mut self,
        ts_ns: u64,
        cpu: u32,
        current: i32,
        line: ClingLine,
    ) -> Result<(), EngineError> {
        self.summary.counts.lines += 1;
        self.lines.push(&LineRow {
            ts_ns,
            cpu,
            current,
            line,
        })
    }

    fn finish(self) -> Result<Summary, EngineError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        self.attempts.finish()?;
        self.pages.finish()?;
        self.lines.finish()?;
        Ok(self.summary)
    }
}

/// Finds settings of a preferred node that are recorded by both a probe and a line of the kernel. The probe is on the
/// function's entry and the line inside, so no other event of the task lies between them.
#[derive(Default)]
struct Twins {
    /// Facts that a probe recorded of a task and no line has yet.
    probed: HashMap<i32, i32>,
}

impl Twins {
    /// Returns whether this was not recorded yet.
    fn first(&mut self, line: &ClingLine, probe: bool) -> bool {
        let ClingLine::Setnuma { pid, new, .. } = *line else {
            return true;
        };
        if probe {
            self.probed.insert(pid, new);
            return true;
        }
        self.probed.remove(&pid) != Some(new)
    }
}
