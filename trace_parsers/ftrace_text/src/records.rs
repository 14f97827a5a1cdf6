//! The records of a text: events with their lines, marks of lost events, and other lines.

use memchr::memmem;

use crate::bytes::{decimal, shown, skip_blanks, trim_end};
use crate::event_name::named;
use crate::head::head;
use crate::line::{Form, Head, Layout, Named};
use crate::lines::{Line, Lines};

/// One event with what belongs to it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Event<'a> {
    pub(crate) head: Head<'a>,
    pub(crate) named: Named<'a>,
    /// The callchain's lines (`perf script`).
    pub(crate) chain: &'a [u8],
    /// Offset of its first byte.
    pub(crate) start: usize,
    /// Line number of its first line.
    pub(crate) line: u64,
}

/// Record of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Record<'a> {
    Event(Event<'a>),
    /// Events of a CPU are missing here; `None` without a number.
    Lost {
        cpu: u32,
        count: Option<u64>,
    },
    /// A line that begins with `#`, names the CPUs, or describes an action of a tool.
    Note(Line<'a>),
    /// No line of this form.
    Unfit(Line<'a>),
}

/// Place where a text was cut within a record: the remaining lines of the record are left out.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cut {
    /// The last line that is the rest of a record whose beginning is missing; 0 when there is none.
    first: u64,
    begun: bool,
    /// The text ends within its last line.
    pub(crate) end: bool,
}

impl Cut {
    /// Returns whether the text begins within a record.
    pub(crate) fn start(self) -> bool {
        self.first > 0
    }

    /// Takes the next record in the order of the text; returns whether it is the rest of one without a start.
    #[inline]
    pub(crate) fn is_rest(&mut self, record: &Record<'_>) -> bool {
        let Record::Unfit(line) = record else {
            self.begun = true;
            return false;
        };
        // The first line of all, then the frames of a stack that belong to it.
        let follows = line.text.starts_with(b"\t") || line.text.starts_with(b" => ");
        let rest = !self.begun && !line.cut && (line.number == 1 || (self.first > 0 && follows));
        if rest {
            self.first = line.number;
        }
        rest
    }
}

/// Walks the records of a text.
#[derive(Debug)]
pub(crate) struct Records<'a, 'l> {
    bytes: &'a [u8],
    pub(crate) lines: Lines<'a>,
    layout: &'l Layout,
}

impl<'a, 'l> Records<'a, 'l> {
    pub(crate) fn new(bytes: &'a [u8], at: usize, before: u64, layout: &'l Layout) -> Self {
        Self {
            bytes,
            lines: Lines::new(bytes, at, before),
            layout,
        }
    }

    /// Returns whether the text ends within the line that was read last.
    pub(crate) fn ends_in_line(&self) -> bool {
        self.lines.at == self.bytes.len() && self.bytes.last() != Some(&b'\n')
    }

    fn event(&mut self, line: Line<'a>) -> Option<Record<'a>> {
        let head = head(line.text, self.layout).filter(|_| !line.cut)?;
        if self.layout.form == Form::Perf && head.rest.starts_with(b"PERF_RECORD_") {
            return Some(side_record(&head, line));
        }
        let mut named = named(head.rest, self.layout.form)?;
        let mut chain: &[u8] = &[];
        if self.layout.form == Form::Perf {
            chain = self.chain();
        } else if self.layout.form != Form::Lttng && has_more_lines(named.event) {
            named.details = self.message(named.details);
        }
        Some(Record::Event(Event {
            head,
            named,
            chain,
            start: line.start,
            line: line.number,
        }))
    }

    /// The lines that the function graph tracer writes when a CPU goes to another task: ` 0)   worker-501   =>    hog-600` between dashes.
    fn is_switch_of_graph(&self, text: &[u8]) -> bool {
        let text = text.trim_ascii();
        self.layout.form == Form::Graph
            && ((text.len() > 8 && text.iter().all(|&byte| byte == b'-'))
                || decimal(text, 0).is_some_and(|(_, end)| {
                    text[end..].starts_with(b")") && memmem::find(text, b" => ").is_some()
                }))
    }

    /// The lines of a callchain: they begin with a tab.
    fn chain(&mut self) -> &'a [u8] {
        let start = self.lines.at;
        while self.bytes.get(self.lines.at) == Some(&b'\t') {
            self.lines.next();
        }
        &self.bytes[start..self.lines.at]
    }

    /// The details of an event whose text may have newlines: up to the next line that is something of its own.
    fn message(&mut self, details: &'a [u8]) -> &'a [u8] {
        let start = details.as_ptr() as usize - self.bytes.as_ptr() as usize;
        let mut end = start + details.len();
        let mut walk = self.lines.clone();
        while let Some(line) = walk.next() {
            if line.cut || walk.at - start > crate::bytes::MAX_LINE {
                break;
            }
            if line.text.is_empty() {
                continue;
            }
            if is_note(line.text)
                || self.is_switch_of_graph(line.text)
                || lost(line.text).is_some()
                || head(line.text, self.layout).is_some()
            {
                break;
            }
            end = line.start + line.text.len();
            self.lines = walk.clone();
        }
        &self.bytes[start..end]
    }
}

impl<'a> Iterator for Records<'a, '_> {
    type Item = Record<'a>;

    #[inline]
    fn next(&mut self) -> Option<Record<'a>> {
        loop {
            let line = self.lines.next()?;
            // Where names are not set to the right of a column a task's name may begin with it too.
            if line.text.first() == Some(&b'#') && self.layout.form == Form::Bracket {
                return Some(Record::Note(line));
            }
            if let Some(event) = self.event(line) {
                return Some(event);
            }
            if self.is_switch_of_graph(line.text) {
                return Some(Record::Note(line));
            }
            if !trim_end(line.text).is_empty() {
                return Some(other(line));
            }
        }
    }
}

/// A line that is not an event.
#[cold]
fn other(line: Line<'_>) -> Record<'_> {
    match lost(line.text) {
        Some((cpu, count)) => Record::Lost { cpu, count },
        None if is_note(line.text) => Record::Note(line),
        None => Record::Unfit(line),
    }
}

/// Events whose text the traced program wrote, so that it may have newlines, and stacks.
#[inline]
fn has_more_lines(event: &[u8]) -> bool {
    matches!(
        event,
        b"print" | b"bprint" | b"bputs" | b"kernel_stack" | b"user_stack" | b"text" | b"raw_data"
    )
}

/// Lines that tools and kernel write between the events.
fn is_note(text: &[u8]) -> bool {
    const BEGINNINGS: [&[u8]; 9] = [
        b"#",
        b"version = ",
        b"registering plugin: ",
        b"overriding event (",
        b"removing override handler for event (",
        b"Average wakeup latency: ",
        b"Maximum Latency: ",
        b"Minimum Latency: ",
        b"RT task timings:",
    ];
    BEGINNINGS
        .iter()
        .any(|beginning| text.starts_with(beginning))
        || cpus(text).is_some()
        || (text.starts_with(b"==> ") && text.ends_with(b" <=="))
        || (text.starts_with(b"CPU ") && text.ends_with(b" is empty"))
        || discarded(text).is_some()
}

/// The number of `cpus=8`, the first line of `trace-cmd report`.
pub(crate) fn cpus(text: &[u8]) -> Option<u32> {
    let digits = text.strip_prefix(b"cpus=")?;
    let (count, end) = decimal(digits, 0)?;
    u32::try_from(count)
        .ok()
        .filter(|_| trim_end(digits).len() == end)
}

/// Warnings of babeltrace2, if they were also written into the text: `Tracer discarded 12 events between ...`.
pub(crate) fn discarded(text: &[u8]) -> Option<u64> {
    const WORDS: &[u8] = b"Tracer discarded ";
    let at = memmem::find(text, WORDS)? + WORDS.len();
    let (count, end) = decimal(text, at)?;
    text[end..].starts_with(b" event").then_some(count)
}

/// `CPU:1 [LOST 12 EVENTS]`, `CPU:1 [LOST EVENTS]` of the kernel; `CPU:1 [12 EVENTS DROPPED]`, `CPU:1 [EVENTS DROPPED]` of
/// trace-cmd. An instance's name may precede.
fn lost(text: &[u8]) -> Option<(u32, Option<u64>)> {
    let text = trim_end(text);
    let at = memmem::find(text, b"CPU:").filter(|_| text.ends_with(b"]"))?;
    let (cpu, end) = decimal(text, at + 4)?;
    let cpu = u32::try_from(cpu).ok()?;
    let inside = &text[skip_blanks(text, end)..text.len() - 1];
    let inside = inside.strip_prefix(b"[")?;
    let number = if let Some(rest) = inside.strip_prefix(b"LOST ") {
        rest.strip_suffix(b"EVENTS")?
    } else {
        inside.strip_suffix(b"EVENTS DROPPED")?
    };
    let number = trim_end(number);
    if number.is_empty() {
        return Some((cpu, None));
    }
    let (count, end) = decimal(number, 0)?;
    (end == number.len()).then_some((cpu, Some(count)))
}

/// Additions of `--show-lost-events`, `--show-task-events` and their like to `perf script`.
fn side_record<'a>(head: &Head<'a>, line: Line<'a>) -> Record<'a> {
    let lost =
        memmem::find(head.rest, b" lost ").filter(|_| head.rest.starts_with(b"PERF_RECORD_LOST"));
    match lost {
        Some(at) => Record::Lost {
            cpu: head.cpu,
            count: decimal(head.rest, at + 6).map(|(count, _)| count),
        },
        None => Record::Note(line),
    }
}

/// Returns what was expected and what was found, for a line that no layout fits.
pub(crate) fn complaint(line: Line<'_>, layout: &Layout) -> (String, String) {
    if line.cut {
        return (
            format!("lines of at most {} bytes", crate::bytes::MAX_LINE),
            format!("a longer one that begins {}", shown(line.text)),
        );
    }
    let form = match layout.form {
        Form::Bracket => "an event line \"task-pid [cpu] flags seconds: event: ...\"",
        Form::Latency => "an event line \"task-pid cpu+flags time: event: ...\"",
        Form::Perf => "an event line \"task pid [cpu] seconds: system:event: ...\"",
        Form::Graph => "a line of the function graph \"seconds | cpu) task-pid | duration | ...\"",
        Form::Lttng => "an event line \"[time] (+difference) host event: { cpu_id = 1 }, ...\"",
    };
    (form.to_owned(), shown(line.text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_lost_events() {
        assert_eq!(lost(b"CPU:1 [LOST 12 EVENTS]"), Some((1, Some(12))));
        assert_eq!(lost(b"CPU:12 [LOST EVENTS]"), Some((12, None)));
        assert_eq!(lost(b"CPU:1 [87 EVENTS DROPPED]"), Some((1, Some(87))));
        assert_eq!(lost(b"CPU:0 [EVENTS DROPPED]"), Some((0, None)));
        assert_eq!(lost(b"CPU:x [EVENTS DROPPED]"), None);
        assert_eq!(lost(b"CPU:0 [SOME EVENTS DROPPED]"), None);
    }
}
