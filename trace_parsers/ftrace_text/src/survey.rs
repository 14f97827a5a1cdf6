//! The first walk over a text: in which pieces its lines ascend in time, and what it says about itself.
//!
//! Text is usually in time order. Exceptions are joined texts of several CPUs, and CPUs whose clocks differ slightly. A
//! *section* is a piece in which every event is at most [`WINDOW`] events after a later one; such a piece is sorted with a
//! small heap, and all sections are merged.

use std::collections::VecDeque;

use numalens_columns::{ByteSource, DecodeError, EventSink, InputError};

use crate::facts::Facts;
use crate::line::Layout;
use crate::lttng::over_midnight;
use crate::records::{Cut, Event, Record, Records, complaint};
use crate::skips::Skips;

/// Maximum delay of an event within a section, in events.
pub(crate) const WINDOW: usize = 512;
/// Most sections. Joined texts have one per CPU.
const MAX_SECTIONS: usize = 4096;
/// Bytes are given back to the source in steps of this size.
pub(crate) const RELEASE_STEP: usize = 4 << 20;
/// Number of instances that one byte can distinguish.
const MAX_INSTANCES: usize = 256;

/// A piece of the text whose events ascend in time, or nearly.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Section {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Lines before it.
    pub(crate) before: u64,
    /// True if its events are slightly out of order.
    pub(crate) window: bool,
}

/// Results of the first pass.
#[derive(Debug)]
pub(crate) struct Survey {
    pub(crate) sections: Vec<Section>,
    pub(crate) facts: Facts,
    /// Names of the tracing instances, the top level first.
    pub(crate) instances: Vec<Vec<u8>>,
    /// Events have callchains.
    pub(crate) chains: bool,
    /// Number of events with a later one before them.
    pub(crate) backwards: u64,
    pub(crate) cut: Cut,
}

/// Largest stamps of the section so far, as many events back as the window is wide.
#[derive(Debug, Default)]
struct Window {
    maxima: VecDeque<u64>,
    max: u64,
    /// The largest of those that have left the window.
    passed: u64,
}

impl Window {
    /// Takes the next stamp. `None` when it belongs into another section; else whether it is in order.
    #[inline]
    fn take(&mut self, ts: u64) -> Option<bool> {
        if ts < self.passed {
            return None;
        }
        let in_order = ts >= self.max;
        self.max = self.max.max(ts);
        self.maxima.push_back(self.max);
        if self.maxima.len() > WINDOW {
            self.passed = self.maxima.pop_front().unwrap_or(0);
        }
        Some(in_order)
    }
}

/// Walks the whole text once. `progress` is given how many bytes are done.
pub(crate) fn survey(
    source: &dyn ByteSource,
    layout: &Layout,
    skips: &mut Skips,
    sink: &mut dyn EventSink,
    progress: &mut dyn FnMut(u64),
) -> Result<Survey, DecodeError> {
    let bytes = source.bytes();
    let mut walk = Walk {
        survey: Survey {
            sections: Vec::new(),
            facts: Facts::default(),
            instances: vec![Vec::new()],
            chains: false,
            backwards: 0,
            cut: Cut::default(),
        },
        section: Section {
            start: 0,
            end: 0,
            before: 0,
            window: false,
        },
        window: Window::default(),
    };
    let mut records = Records::new(bytes, 0, 0, layout);
    let mut released = 0;
    while let Some(record) = records.next() {
        let rest = walk.survey.cut.is_rest(&record);
        match record {
            Record::Unfit(_) if rest => {}
            Record::Unfit(line) if records.ends_in_line() && !line.cut => {
                walk.survey.cut.end = true;
            }
            Record::Event(event) => walk.event(&event)?,
            Record::Note(line) => walk.survey.facts.note(line.text),
            Record::Lost { .. } => {}
            Record::Unfit(line) => {
                let (expected, found) = complaint(line, layout);
                skips.line(
                    InputError::at_line(line.number, expected, found),
                    None,
                    sink,
                )?;
            }
        }
        if records.lines.at - released >= RELEASE_STEP {
            source.release(released..records.lines.at);
            released = records.lines.at;
            progress(released as u64);
        }
    }
    source.release(released..bytes.len());
    walk.section.end = bytes.len();
    walk.survey.sections.push(walk.section);
    Ok(walk.survey)
}

struct Walk {
    survey: Survey,
    section: Section,
    window: Window,
}

impl Walk {
    #[inline]
    fn event(&mut self, event: &Event<'_>) -> Result<(), InputError> {
        let head = &event.head;
        if over_midnight(head.form, self.window.max, head.ts_ns) {
            return Err(InputError::at_line(
                event.line,
                "times with their day (babeltrace2 --clock-seconds), as the recording crosses midnight",
                "a time of the day alone",
            ));
        }
        match self.window.take(head.ts_ns) {
            Some(true) => {}
            Some(false) => {
                self.section.window = true;
                self.survey.backwards += 1;
            }
            None => self.begin(event)?,
        }
        self.survey.facts.event(head);
        self.survey.chains |= !event.chain.is_empty();
        if !head.instance.is_empty()
            && !self
                .survey
                .instances
                .iter()
                .any(|name| name == head.instance)
        {
            if self.survey.instances.len() == MAX_INSTANCES {
                let most = format!("at most {MAX_INSTANCES} tracing instances");
                return Err(InputError::at_line(event.line, most, "one more"));
            }
            self.survey.instances.push(head.instance.to_vec());
        }
        Ok(())
    }

    /// The event is the first of a new section.
    #[cold]
    fn begin(&mut self, event: &Event<'_>) -> Result<(), InputError> {
        if self.survey.sections.len() + 1 == MAX_SECTIONS {
            let order = format!(
                "events that ascend in time within at most {MAX_SECTIONS} pieces of the text"
            );
            return Err(InputError::at_line(
                event.line,
                order,
                "one more step back in time",
            ));
        }
        self.survey.backwards += 1;
        self.section.end = event.start;
        self.survey.sections.push(self.section);
        self.section = Section {
            start: event.start,
            end: 0,
            before: event.line - 1,
            window: false,
        };
        self.window = Window::default();
        self.window.take(event.head.ts_ns);
        Ok(())
    }
}
