//! The one pass over the NUMA events, which writes their logs.

use std::collections::HashMap;

use super::pages::PageSink;
use super::{
    ATTEMPTS_FILE, Attempt, AttemptsWriter, Classifier, ClingLine, LINES_FILE, Leaning, LineRow,
    LinesWriter, Migration, NumaEvent, NumaKind, NumaMerge, PAGE_RUNS_FILE, PAGES_FILE, PageBatch,
    PagesWriter, Preferred, Summary,
};
use crate::EngineError;
use crate::timeline::IndexSink;
use crate::topology::Node;

/// How many events pass between two calls of the progress function.
const PROGRESS_EVENTS: u64 = 1 << 16;

/// What the pass is told besides the events.
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

/// Reads the merged events and the migrations, which ascend in time, and writes the logs of attempts, page migrations and
/// lines. What is held in memory does not grow with the events, only with the tasks that were to be placed.
///
/// `progress` gets the number of events read so far and says whether to go on.
///
/// # Errors
/// A table could not be read, a file could not be written, or `progress` said to stop.
pub fn pass(
    mut events: NumaMerge<'_>,
    migrations: impl IntoIterator<Item = Migration>,
    config: &Config<'_>,
    sink: &mut dyn IndexSink,
    progress: &mut dyn FnMut(u64) -> bool,
) -> Result<Summary, EngineError> {
    let (origin, end) = (config.origin_ns, config.end_ns.max(config.origin_ns));
    let mut logs = Logs {
        attempts: AttemptsWriter::new(sink.create(ATTEMPTS_FILE)?)?,
        pages: PagesWriter::new(sink.create(PAGE_RUNS_FILE)?, sink.create(PAGES_FILE)?)?,
        lines: LinesWriter::new(sink.create(LINES_FILE)?)?,
        summary: Summary::new(&events),
        failed: None,
    };
    let mut classifier = Classifier::new(Leaning {
        nodes: config.nodes,
        preferred: config.preferred,
        returns: events.has(NumaKind::Return),
    });
    let mut twins = Twins::default();
    let mut migrations = migrations.into_iter();
    let mut next = migrations.next();
    let mut done = 0_u64;
    while let Some((now, cpu, event)) = events.next_event()? {
        let now = now.clamp(origin, end);
        // Of one time, events come first: a migration is what an event announced.
        while let Some(migration) = next.filter(|migration| migration.ts_ns < now) {
            classifier.migration(&migration, &mut |attempt| logs.attempt(attempt));
            next = migrations.next();
        }
        logs.summary.event(&event);
        match event {
            NumaEvent::Line {
                current,
                line,
                probe,
            } => {
                if twins.first(&line, probe) {
                    classifier.event(now, cpu, &event, &mut |attempt| logs.attempt(attempt));
                    logs.line(now, cpu, current, line)?;
                } else {
                    logs.summary.counts.told_twice += 1;
                }
                logs.summary.line(&line, probe);
            }
            NumaEvent::SkippedVma => {}
            _ => classifier.event(now, cpu, &event, &mut |attempt| logs.attempt(attempt)),
        }
        if let Some(error) = logs.failed.take() {
            return Err(error);
        }
        done += 1;
        if done.is_multiple_of(PROGRESS_EVENTS) && !progress(done) {
            return Err(EngineError::Stopped);
        }
    }
    for migration in next.into_iter().chain(migrations) {
        classifier.migration(&migration, &mut |attempt| logs.attempt(attempt));
    }
    classifier.finish(&mut |attempt| logs.attempt(attempt));
    let mut calls = Calls {
        span: (origin, end),
        begun: Begun::default(),
        logs: &mut logs,
        told: 0,
    };
    while events.next_pages(&mut calls)? {
        if let Some(error) = calls.logs.failed.take() {
            return Err(error);
        }
        if calls.told >= PROGRESS_EVENTS {
            done += std::mem::take(&mut calls.told);
            if !progress(done) {
                return Err(EngineError::Stopped);
            }
        }
    }
    logs.summary.counts.backwards = events.backwards();
    logs.finish()
}

struct Logs {
    attempts: AttemptsWriter,
    pages: PagesWriter,
    lines: LinesWriter,
    summary: Summary,
    /// Why something could not be written.
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

    #[inline]
    fn call(&mut self, batch: &PageBatch) {
        let counts = &mut self.summary.counts;
        if batch.src_nid < 0 {
            counts.page_batches += 1;
            counts.timed_batches += u64::from(batch.start_ns.is_some());
        } else {
            counts.misplaced += 1;
        }
        if let Err(error) = self.pages.push(batch) {
            self.failed = Some(error);
        }
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

/// Batches of pages that have begun, by their task: a task migrates one at a time.
#[derive(Default)]
struct Begun {
    /// Begun by a task whose pid ends like the place; there are many batches and few at a time.
    near: Vec<Option<(i32, u64)>>,
    /// Those whose place was taken.
    far: HashMap<i32, u64>,
}

/// Places of batches, a power of two.
const NEAR: usize = 1 << 8;

impl Begun {
    fn begin(&mut self, pid: i32, now: u64) {
        if self.near.is_empty() {
            self.near.resize(NEAR, None);
        }
        let place = &mut self.near[pid as usize % NEAR];
        if let Some((other, since)) = place.filter(|(other, _)| *other != pid) {
            self.far.insert(other, since);
        }
        if !self.far.is_empty() {
            self.far.remove(&pid);
        }
        *place = Some((pid, now));
    }

    fn end(&mut self, pid: i32) -> Option<u64> {
        let place = self.near.get_mut(pid as usize % NEAR)?;
        if place.is_some_and(|(other, _)| other == pid) {
            return place.take().map(|begun| begun.1);
        }
        self.far.remove(&pid)
    }
}

/// Writes the calls that migrated pages.
struct Calls<'a> {
    span: (u64, u64),
    begun: Begun,
    logs: &'a mut Logs,
    /// Events since the last progress.
    told: u64,
}

impl PageSink for Calls<'_> {
    #[inline]
    fn start(&mut self, now: u64, pid: i32) {
        self.told += 1;
        self.begun.begin(pid, now.clamp(self.span.0, self.span.1));
    }

    #[inline]
    fn end(&mut self, mut call: PageBatch, begins: bool) {
        self.told += 1;
        call.end_ns = call.end_ns.clamp(self.span.0, self.span.1);
        if begins {
            call.start_ns = self.begun.end(call.pid);
        }
        self.logs.call(&call);
    }

    /// A begin may not belong to the next end.
    fn lost(&mut self) {
        self.begun.near.clear();
        self.begun.far.clear();
    }
}

/// Finds settings of a preferred node that a probe and a line of the kernel tell both. The probe is on the function's entry
/// and the line inside, so that nothing else of the task lies between them.
#[derive(Default)]
struct Twins {
    /// What a probe told of a task and no line has told yet.
    probed: HashMap<i32, i32>,
}

impl Twins {
    /// Whether nothing has told this yet.
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
