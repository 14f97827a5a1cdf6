//! The event's system and name, and where its details begin.

use memchr::{memchr, memmem};
use numalens_columns::perf_event_name;

use crate::bytes::{skip_blanks, word_end};
use crate::line::{Form, Named};

/// System of events that nothing names.
pub(crate) const UNKNOWN: &[u8] = b"unknown";
/// System of perf's own events, which are not tracepoints.
pub(crate) const PERF: &[u8] = b"perf";
/// Longest event name that is taken for one.
const MAX_NAME: usize = 128;

/// Splits the text after the timestamp. `None` if the form needs a name and there is none.
#[inline]
pub(crate) fn named(rest: &[u8], form: Form) -> Option<Named<'_>> {
    match form {
        Form::Perf => perf(rest),
        Form::Lttng => crate::lttng::named(rest),
        Form::Bracket | Form::Latency => Some(ftrace(rest)),
        Form::Graph => Some(graph(rest)),
    }
}

/// Text after the columns of the function graph: events are in a comment, `/* sched_switch: ... */`.
fn graph(rest: &[u8]) -> Named<'_> {
    let comment = rest.strip_prefix(b"/* ");
    if let Some(event) = comment.and_then(|rest| rest.strip_suffix(b" */")) {
        return ftrace(event);
    }
    let event: &[u8] = if rest.starts_with(b"}") {
        b"funcgraph_exit"
    } else {
        b"funcgraph_entry"
    };
    Named {
        system: None,
        event,
        key: event,
        details: rest,
    }
}

fn ftrace(rest: &[u8]) -> Named<'_> {
    if let Some(colon) = memchr(b':', &rest[..rest.len().min(MAX_NAME)])
        && colon > 0
        && matches!(rest.get(colon + 1), None | Some(b' ' | b'\t' | b'\r'))
        && rest[..colon].iter().all(|&byte| in_name(byte))
    {
        let event = &rest[..colon];
        // What is written into trace_marker appears under the name of the kernel's function.
        if event == b"tracing_mark_write" {
            return Named {
                system: None,
                event: b"print",
                key: b"print",
                details: rest,
            };
        }
        return Named {
            system: None,
            event,
            key: event,
            details: &rest[skip_blanks(rest, colon + 1)..],
        };
    }
    let event: &[u8] = if rest.starts_with(b"<stack trace") {
        b"kernel_stack"
    } else if rest.starts_with(b"<user stack trace") {
        b"user_stack"
    } else if memmem::find(rest, b" <-").is_some() {
        b"function"
    } else {
        tracer(rest).unwrap_or(b"text")
    };
    Named {
        system: None,
        event,
        key: event,
        details: rest,
    }
}

/// Name for the output of the tracers `timerlat`, `hwlat` and `osnoise`, which has none (`kernel/trace/trace_output.c`).
fn tracer(rest: &[u8]) -> Option<&'static [u8]> {
    let has = |what: &[u8]| memmem::find(rest, what).is_some();
    match rest.first()? {
        b'#' if has(b" timer_latency ") => Some(b"timerlat"),
        b'#' if has(b" inner/outer(us): ") => Some(b"hwlat"),
        // Runtime, noise, what is left in percent, the longest, and five counters.
        b'0'..=b'9' => {
            let words = rest
                .split(u8::is_ascii_whitespace)
                .filter(|word| !word.is_empty());
            let numbers = rest
                .iter()
                .all(|byte| byte.is_ascii_digit() || b" .\t\r".contains(byte));
            (numbers && words.count() == 9).then_some(&b"osnoise"[..])
        }
        _ => None,
    }
}

#[inline]
fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')
}

fn perf(rest: &[u8]) -> Option<Named<'_>> {
    let end = word_end(rest, 0);
    let name = rest[..end]
        .strip_suffix(b":")
        .filter(|name| !name.is_empty() && end <= MAX_NAME)?;
    let details = &rest[skip_blanks(rest, end)..];
    let key = perf_event_name(name);
    let (system, event) = match memchr(b':', key) {
        _ if key.contains(&b'/') => (Some(PERF), key),
        Some(colon) => (Some(&key[..colon]), &key[colon + 1..]),
        None => {
            // Names of perf's own events have dashes (`page-faults`), those of tracepoints have not.
            let own = key.len() < name.len()
                || key.contains(&b'-')
                || matches!(key, b"cycles" | b"instructions" | b"faults" | b"dummy");
            (own.then_some(PERF), key)
        }
    };
    Some(Named {
        system,
        event,
        key,
        details,
    })
}
