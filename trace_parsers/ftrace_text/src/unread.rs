//! Trace text that is not read, and what to do instead.

use crate::head::head;
use crate::layout::find;
use crate::line::{Form, Layout};
use crate::lines::{Line, Lines};

/// Number of inspected lines of a text.
const LINES: usize = 8;
/// Longest of them, bytes.
const LONGEST: usize = 1024;

/// Returns the problem of a trace text that cannot be read as a whole: expected, found. `None` for readable text, and for
/// other text.
#[must_use]
pub fn unread(head: &[u8]) -> Option<(String, String)> {
    if find(head, head.len() < crate::layout::HEAD).is_some() {
        return None;
    }
    let text = |line: &Line<'_>| !line.text.is_empty() && !line.text.starts_with(b"#");
    let lines = Lines::new(head, 0, 0);
    if lines
        .clone()
        .filter(text)
        .take(LINES)
        .any(|line| lacks_cpu(line.text))
    {
        return Some((
            "perf script text with CPUs (perf script -F +cpu)".to_owned(),
            "perf script text without them".to_owned(),
        ));
    }
    let mut lines = lines.take_while(|line| line.text.starts_with(b"#"));
    let tracer = lines.find_map(|line| line.text.strip_prefix(b"# tracer: "))?;
    let tracer = String::from_utf8_lossy(&tracer[..tracer.len().min(40)]);
    let expected = match tracer.trim() {
        "nop" => return None,
        "function_graph" => {
            "function graph text with times and CPUs (echo funcgraph-abstime funcgraph-cpu > trace_options)"
        }
        _ => {
            "events, such as sched_switch (echo nop > current_tracer, echo 1 > events/sched/enable)"
        }
    };
    let found = format!("text of the tracer {:?} alone", tracer.trim());
    Some((expected.to_owned(), found))
}

/// Returns whether this becomes an event of `perf script` with a CPU before its time.
fn lacks_cpu(line: &[u8]) -> bool {
    let layout = Layout::new(Form::Perf);
    let line = &line[..line.len().min(LONGEST)];
    let mut words = (1..line.len()).filter(|&at| line[at - 1] == b' ' && line[at].is_ascii_digit());
    words.any(|at| {
        let line = [&line[..at], b"[000] ", &line[at..]].concat();
        let read = head(&line, &layout);
        read.is_some_and(|head| crate::event_name::named(head.rest, Form::Perf).is_some())
    })
}
