//! The one pass over the NUMA events, which writes their logs.

use std::collections::HashMap;

use super::event::PageEvent;
use super::{
    ATTEMPTS_FILE, Attempt, AttemptsWriter, Classifier, ClingLine, LINES_FILE, Leaning, LineRow,
    LinesWriter, Migration, Mode, NumaEvent, NumaKind, NumaMerge, PAGES_FILE, PageBatch,
    PagesWriter, Preferred, Reason, Summary,
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
        pages: PagesWriter::new(sink.create(PAGES_FILE)?)?,
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
    let mut migrations = migrations.into_iter().peekable();
    let mut done = 0_u64;
    while let Some((now, cpu, event)) = events.next_event()? {
        let now = now.clamp(origin, end);
        // Of one time, events come first: a migration is what an event announced.
        while let Some(migration) = migrations.next_if(|migration| migration.ts_ns < now) {
            classifier.migration(&migration, &mut |attempt| logs.attempt(attempt));
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
    for migration in migrations {
        classifier.migration(&migration, &mut |attempt| logs.attempt(attempt));
    }
    classifier.finish(&mut |attempt| logs.attempt(attempt));
    let mut batches = Batches::default();
    while let Some((now, cpu, event)) = events.next_page()? {
        if let Some(batch) = batches.event(now.clamp(origin, end), cpu, &event) {
            logs.batch(&batch)?;
        }
        done += 1;
        if done.is_multiple_of(PROGRESS_EVENTS) && !progress(done) {
            return Err(EngineError::Stopped);
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
    /// Why an attempt could not be written.
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

    fn batch(&mut self, batch: &PageBatch) -> Result<(), EngineError> {
        let counts = &mut self.summary.counts;
        if batch.src_nid < 0 {
            counts.page_batches += 1;
            counts.timed_batches += u64::from(batch.start_ns.is_some());
        } else {
            counts.misplaced += 1;
        }
        self.pages.push(batch)
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
struct Batches {
    /// Begun by a task whose pid ends like the place; there are many batches and few at a time.
    near: Vec<Option<(i32, u64)>>,
    /// Those whose place was taken.
    far: HashMap<i32, u64>,
}

/// Places of batches, a power of two.
const NEAR: usize = 1 << 8;

impl Batches {
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

    /// The batch that ends with the event.
    #[inline]
    fn event(&mut self, now: u64, cpu: u32, event: &PageEvent) -> Option<PageBatch> {
        match *event {
            PageEvent::Start { pid } => {
                self.begin(pid, now);
                None
            }
            PageEvent::End {
                pid,
                succeeded,
                failed,
                reason,
                mode,
            } => Some(PageBatch {
                start_ns: self.end(pid),
                end_ns: now,
                cpu,
                pid,
                succeeded,
                failed,
                reason,
                mode,
                src_nid: -1,
                dst_nid: -1,
            }),
            PageEvent::Misplaced {
                pid,
                src_nid,
                dst_nid,
                pages,
            } => Some(PageBatch {
                start_ns: None,
                end_ns: now,
                cpu,
                pid,
                succeeded: pages,
                failed: 0,
                reason: Reason::NumaMisplaced as u8,
                mode: Mode::Async as u8,
                src_nid,
                dst_nid,
            }),
            // A beginning may not belong to the next end.
            PageEvent::Lost => {
                self.near.clear();
                self.far.clear();
                None
            }
        }
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
