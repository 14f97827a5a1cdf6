//! The one pass over the NUMA events, which writes their logs.

use std::collections::HashMap;

use numalens_core::topology::Node;
use numalens_core::{EngineError, FileSink};
use numalens_events::NumaKind;

use super::page_calls::Calls;
use super::{
    ATTEMPTS_FILE, Attempt, AttemptsWriter, Classifier, ClingLine, LINES_FILE, Leaning, LineRow,
    LinesWriter, NumaEvent, NumaMerge, PAGE_RUNS_FILE, PAGES_FILE, PagesWriter, Preferred, Summary,
};
use crate::migrations::Migration;

/// How many events pass between two calls of the progress function.
const PROGRESS_EVENTS: u64 = 1 << 16;

/// What the pass is given besides the events.
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
    sink: &mut dyn FileSink,
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
    let mut calls = Calls::new((origin, end), &mut logs.pages, &mut logs.summary.counts);
    while events.next_pages(&mut calls)? {
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

/// Finds settings of a preferred node that a probe and a line of the kernel tell both. The probe is on the function's entry
/// and the line inside, so that nothing else of the task lies between them.
#[derive(Default)]
struct Twins {
    /// What a probe recorded of a task and no line has yet.
    probed: HashMap<i32, i32>,
}

impl Twins {
    /// Whether nothing has recorded this yet.
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
