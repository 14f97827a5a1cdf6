//! One event's line up to its name: who, where, when.

use memchr::memchr;

use crate::bytes::{decimal, hexadecimal, number_at_end, skip_blanks, trim_end, word_end};
use crate::flags::{FlagColumn, decode, flags_at, is_flags};
use crate::line::{Form, Head, Layout};
use crate::stamp::{StampForm, stamp_at, stamp_column};

/// Reads a line of the layout's form; `None` for other lines.
#[inline]
pub(crate) fn head<'a>(line: &'a [u8], layout: &Layout) -> Option<Head<'a>> {
    match layout.form {
        Form::Bracket => bracket(line, layout),
        Form::Latency => latency(line, layout),
        Form::Perf => perf(line),
        Form::Lttng => crate::lttng::head(line),
        Form::Graph => graph(line, layout),
    }
}

/// The first `[cpu]` at which everything around it fits, so that brackets in a task's name do not matter.
#[inline]
fn at_cpu<'a>(
    line: &'a [u8],
    fits: impl Fn(u32, usize, usize) -> Option<Head<'a>>,
) -> Option<Head<'a>> {
    let mut from = 0;
    while let Some(open) = memchr(b'[', line.get(from..)?).map(|n| from + n) {
        from = open + 1;
        if let Some((cpu, close)) = decimal(line, open + 1)
            && close - open > 3
            && line.get(close) == Some(&b']')
            && let Ok(cpu) = u32::try_from(cpu)
            && cpu < MAX_CPU
            && let Some(head) = fits(cpu, open, close + 1)
        {
            return Some(head);
        }
    }
    None
}

/// Limit of CPU numbers; larger numbers are invalid.
const MAX_CPU: u32 = 1 << 16;

fn bracket<'a>(line: &'a [u8], layout: &Layout) -> Option<Head<'a>> {
    at_cpu(line, |cpu, open, close| {
        let (task, before) = tgid_at_end(&line[..open]);
        let (pid, start) = number_at_end(task)?;
        if start == 0 || task[start - 1] != b'-' {
            return None;
        }
        let at = skip_blanks(line, close);
        if at == close {
            return None;
        }
        let (behind, at) = tgid_at(line, at);
        let (flags, at) = flags_then(line, at, &layout.flag_columns);
        let (ts_ns, form, at) = stamp_column(line, at)?;
        let at = difference(line, skip_blanks(line, at));
        Some(Head {
            instance: instance(line, start - 1, layout, 16),
            pid,
            known_pid: true,
            tgid: before.or(behind),
            cpu,
            flags,
            ts_ns,
            form,
            period: None,
            rest: &line[at..],
        })
    })
}

/// `comm-pid cpu+flags`: the first dash after which everything fits.
fn latency<'a>(line: &'a [u8], layout: &Layout) -> Option<Head<'a>> {
    let mut from = 0;
    while let Some(dash) = memchr(b'-', line.get(from..)?).map(|n| from + n) {
        from = dash + 1;
        if let Some(head) = latency_at(line, dash, layout) {
            return Some(head);
        }
    }
    None
}

fn latency_at<'a>(line: &'a [u8], dash: usize, layout: &Layout) -> Option<Head<'a>> {
    let (pid, at) = decimal(line, dash + 1)?;
    let pid = i32::try_from(pid).ok()?;
    let digits = skip_blanks(line, at);
    let (cpu, end) = decimal(line, digits)?;
    let cpu = u32::try_from(cpu).ok().filter(|&cpu| cpu < MAX_CPU)?;
    if digits == at {
        return None;
    }
    let (flags, end) = match flags_at(line, end) {
        Some((word, end)) => (Some(decode(word, &layout.flag_columns)), end),
        // Raw fields (`-R -l`) have the number of the flags alone, without the preemption depth.
        None => (
            None,
            hexadecimal(line, end + 1)
                .filter(|_| line[end..].starts_with(b"-0x"))?
                .1,
        ),
    };
    let (ts_ns, form, end) = stamp_column(line, skip_blanks(line, end))?;
    let at = difference(line, skip_blanks(line, end));
    Some(Head {
        instance: instance(line, dash, layout, 8),
        pid,
        known_pid: true,
        tgid: None,
        cpu,
        flags,
        ts_ns,
        form,
        period: None,
        rest: &line[at..],
    })
}

fn perf(line: &[u8]) -> Option<Head<'_>> {
    at_cpu(line, |cpu, open, close| {
        let task = trim_end(&line[..open]);
        let (tid, start) = task_id(task)?;
        let (pid, start) = match task[..start].strip_suffix(b"/") {
            Some(task) => {
                let (pid, start) = task_id(task)?;
                (Some(pid), start)
            }
            None => (None, start),
        };
        if start > 0 && !matches!(task[start - 1], b' ' | b'\t') {
            return None;
        }
        let at = skip_blanks(line, close);
        let (ts_ns, form, at) = stamp_column(line, at).filter(|_| at > close)?;
        let at = skip_blanks(line, at);
        let (period, at) = match decimal(line, at) {
            Some((period, end)) if skip_blanks(line, end) > end => {
                (Some(period), skip_blanks(line, end))
            }
            _ => (None, at),
        };
        Some(Head {
            instance: b"",
            pid: tid,
            known_pid: true,
            tgid: pid,
            cpu,
            flags: None,
            ts_ns,
            form,
            period,
            rest: &line[at..],
        })
    })
}

/// A line of the function graph tracer, with the trace option `funcgraph-abstime`.
fn graph<'a>(line: &'a [u8], layout: &Layout) -> Option<Head<'a>> {
    let (ts_ns, form, at) = stamp_at(line, skip_blanks(line, 0))?;
    let at = skip_blanks(line, at);
    if form != StampForm::Micro || line.get(at) != Some(&b'|') {
        return None;
    }
    let (cpu, at) = decimal(line, skip_blanks(line, at + 1))?;
    let cpu = u32::try_from(cpu).ok().filter(|&cpu| cpu < MAX_CPU)?;
    let mut rest = line.get(at..)?.strip_prefix(b")")?;
    let (mut pid, mut flags) = (None, None);
    while let Some(bar) = memchr(b'|', rest) {
        let column = rest[..bar].trim_ascii();
        let task = number_at_end(column)
            .filter(|&(_, start)| pid.is_none() && start > 0 && column[start - 1] == b'-');
        if let Some((task, _)) = task {
            pid = Some(task);
        } else if is_flags(column) {
            flags = Some(decode(column, &layout.flag_columns));
        } else if !column
            .iter()
            .all(|byte| byte.is_ascii_digit() || b"!+#*@$. us".contains(byte))
        {
            break;
        }
        rest = &rest[bar + 1..];
    }
    Some(Head {
        instance: b"",
        pid: pid.unwrap_or(-1),
        known_pid: pid.is_some(),
        tgid: None,
        cpu,
        flags,
        ts_ns,
        form,
        period: None,
        rest: trim_end(rest).trim_ascii_start(),
    })
}

/// A task's number at the end of the text, and where it begins; -1 is that of a task that is gone.
#[inline]
fn task_id(text: &[u8]) -> Option<(i32, usize)> {
    let (id, start) = number_at_end(text)?;
    let gone = text[..start].ends_with(b" -") || text[..start].ends_with(b"/-");
    Some(if gone { (-id, start - 1) } else { (id, start) })
}

/// The flags column, when there is one before the stamp.
#[inline]
fn flags_then(line: &[u8], at: usize, columns: &[FlagColumn]) -> (Option<(u8, u8)>, usize) {
    match flags_at(line, at) {
        Some((word, end)) => (Some(decode(word, columns)), skip_blanks(line, end)),
        None => (None, at),
    }
}

/// Steps over the time since the event before, `(+27)`, which `--ts-diff` adds.
#[inline]
fn difference(line: &[u8], at: usize) -> usize {
    if line.get(at..at + 2) != Some(b"(+") {
        return at;
    }
    match decimal(line, at + 2) {
        Some((_, end)) if line.get(end) == Some(&b')') => skip_blanks(line, end + 1),
        _ => at,
    }
}

/// `( 2913)` or `(-------)` at the end of the task column, and the column without it.
#[inline]
fn tgid_at_end(text: &[u8]) -> (&[u8], Option<i32>) {
    let text = trim_end(text);
    if text.last() != Some(&b')') {
        return (text, None);
    }
    let Some(open) = text.iter().rposition(|&byte| byte == b'(') else {
        return (text, None);
    };
    match thread_group(&text[open + 1..text.len() - 1]) {
        Some(tgid) => (trim_end(&text[..open]), Some(tgid)),
        None => (text, None),
    }
}

/// The same after the CPU, where older kernels have it.
#[inline]
fn tgid_at(line: &[u8], at: usize) -> (Option<i32>, usize) {
    if line.get(at) != Some(&b'(') {
        return (None, at);
    }
    let close = memchr(b')', &line[at..]).map(|n| at + n);
    match close.and_then(|close| Some((thread_group(&line[at + 1..close])?, close))) {
        Some((tgid, close)) => (Some(tgid), skip_blanks(line, close + 1)),
        None => (None, at),
    }
}

fn thread_group(inside: &[u8]) -> Option<i32> {
    if !inside.is_empty() && inside.iter().all(|&byte| byte == b'-') {
        return Some(-1);
    }
    let at = skip_blanks(inside, 0);
    let (tgid, end) = decimal(inside, at)?;
    i32::try_from(tgid).ok().filter(|_| end == inside.len())
}

/// The instance's name before the task column, which is `width` wide and ends at `dash`.
///
/// A task's name has at most 15 bytes and is right-aligned in its column, so a line of the top level begins with a blank. In
/// the latency form names are cut to the column, so the dash's position decides.
#[inline]
fn instance<'a>(line: &'a [u8], dash: usize, layout: &Layout, width: usize) -> &'a [u8] {
    if !layout.prefixes || dash <= width || matches!(line.first(), None | Some(b' ' | b'\t')) {
        return b"";
    }
    let name = &line[..word_end(line, 0)];
    match name.split_last() {
        Some((b':', name)) if !name.is_empty() => name,
        _ => b"",
    }
}
