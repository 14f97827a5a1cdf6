//! `LTTng`'s kernel events as `babeltrace2` prints them (`sink.text.pretty`):
//! `[time] (+difference) host name: { cpu_id = 1 }, { context }, { field = value, ... }`.

use memchr::memmem;
use numalens_columns::ColumnType;

use crate::bytes::{decimal, skip_blanks};
use crate::catalogue::Version;
use crate::line::{Head, Named};
use crate::stamp::StampForm;
use crate::template::{Value, fit, number};

/// A day, ns.
const DAY_NS: u64 = 86_400 * 1_000_000_000;
/// Limit of CPU numbers; larger numbers are invalid.
const MAX_CPU: u64 = 1 << 16;
/// Number that `LTTng` subtracts from a priority (`MAX_RT_PRIO`; lttng-modules, `instrumentation/events/sched.h`).
const PRIO_BASE: u64 = 100;

/// Reads a line up to the event's name.
pub(crate) fn head(line: &[u8]) -> Option<Head<'_>> {
    let close = memchr::memchr(b']', line.get(..64.min(line.len()))?)?;
    let (ts_ns, form) = stamp(line.get(1..close).filter(|_| line.first() == Some(&b'['))?)?;
    let mut at = skip_blanks(line, close + 1);
    if line[at..].starts_with(b"(+") {
        at = skip_blanks(line, at + memchr::memchr(b')', &line[at..])? + 1);
    }
    let colon = at + memmem::find(&line[at..], b": {")?;
    // The host's name may be before the event's.
    let start = line[at..colon]
        .iter()
        .rposition(|&byte| byte == b' ')
        .map_or(at, |blank| at + blank + 1);
    let rest = &line[start..];
    let groups = Groups::of(&rest[colon - start + 2..])?;
    let in_packet = |name: &[u8]| value_of(groups.packet, name);
    let cpu = whole(in_packet(b"cpu_id")?).filter(|&cpu| cpu < MAX_CPU)?;
    let of_task = |name: &[u8]| {
        let value = groups.contexts.and_then(|text| value_of(text, name))?;
        whole(value).and_then(|id| i32::try_from(id as i64).ok())
    };
    Some(Head {
        instance: b"",
        pid: of_task(b"tid").unwrap_or(-1),
        known_pid: of_task(b"tid").is_some(),
        tgid: of_task(b"pid"),
        cpu: cpu as u32,
        flags: None,
        ts_ns,
        form,
        period: None,
        rest,
    })
}

/// The event's name; its details are the inside of the last group.
pub(crate) fn named(rest: &[u8]) -> Option<Named<'_>> {
    let colon = memmem::find(rest, b": {")?;
    let groups = Groups::of(&rest[colon + 2..])?;
    let key = &rest[..colon];
    let (system, event) = match memchr::memchr(b':', key) {
        Some(at) => (Some(&key[..at]), &key[at + 1..]),
        None => (None, key),
    };
    (!event.is_empty()).then_some(Named {
        system,
        event,
        key,
        details: groups.payload,
    })
}

/// `14:23:41.123456789`, with a date before it or not, or seconds (`--clock-seconds`).
fn stamp(text: &[u8]) -> Option<(u64, StampForm)> {
    let point = text.iter().rposition(|&byte| byte == b'.')?;
    let (part, end) = decimal(text, point + 1)?;
    if end != text.len() || end - point - 1 != 9 {
        return None;
    }
    let (days, clock) = match text.iter().position(|&byte| byte == b' ') {
        Some(blank) => (Some(days(&text[..blank])?), &text[blank + 1..point]),
        None => (None, &text[..point]),
    };
    let mut words = clock.split(|&byte| byte == b':').map(|word| {
        let (number, end) = decimal(word, 0)?;
        (end == word.len()).then_some(number)
    });
    let first = words.next()??;
    let seconds = match (words.next(), words.next(), words.next()) {
        (None, ..) if days.is_none() => return ns(first, part).map(|ns| (ns, StampForm::Nano)),
        (Some(Some(minutes)), Some(Some(seconds)), None)
            if first < 24 && minutes < 60 && seconds < 61 =>
        {
            first * 3600 + minutes * 60 + seconds
        }
        _ => return None,
    };
    let form = if days.is_some() {
        StampForm::Nano
    } else {
        StampForm::OfDay
    };
    Some((ns(days.unwrap_or(0) * 86_400 + seconds, part)?, form))
}

fn ns(seconds: u64, part: u64) -> Option<u64> {
    seconds.checked_mul(1_000_000_000)?.checked_add(part)
}

/// Days from 1970 to a date `2026-11-26`, by the Gregorian calendar.
fn days(text: &[u8]) -> Option<u64> {
    let mut words = text.split(|&byte| byte == b'-').map(whole);
    let (year, month, day) = (words.next()??, words.next()??, words.next()??);
    let fits = (1970..3000).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !fits || words.next().is_some() {
        return None;
    }
    // Years that begin with March have the leap day at their end.
    let (year, month) = if month < 3 {
        (year - 1, month + 9)
    } else {
        (year, month - 3)
    };
    let until = |year: u64| year * 365 + year / 4 - year / 100 + year / 400;
    Some(until(year) + (month * 153 + 2) / 5 + day - 1 - (until(1969) + 306))
}

/// Returns whether a step back in the time of day crosses midnight.
pub(crate) fn over_midnight(form: StampForm, before: u64, now: u64) -> bool {
    form == StampForm::OfDay && before.saturating_sub(now) > DAY_NS / 2
}

/// The groups of a line: `{ packet }, { contexts }, { payload }`, without their braces.
struct Groups<'a> {
    packet: &'a [u8],
    contexts: Option<&'a [u8]>,
    payload: &'a [u8],
}

impl<'a> Groups<'a> {
    fn of(text: &'a [u8]) -> Option<Self> {
        let mut found: Vec<(usize, usize)> = Vec::new();
        let mut at = 0;
        while text.get(at) == Some(&b'{') {
            let end = value_end(text, at)?;
            found.push((at + 1, end - 1));
            at = end;
            if text[at..].starts_with(b", ") {
                at += 2;
            }
        }
        let of = |group: &(usize, usize)| &text[group.0..group.1];
        let (first, last) = (found.first()?, found.last()?);
        if !text[at..].iter().all(u8::is_ascii_whitespace) {
            return None;
        }
        // The context of the stream and that of the event are both about the task.
        let between = found
            .get(1..found.len() - 1)
            .filter(|some| !some.is_empty());
        Some(Self {
            packet: of(first),
            contexts: between.and_then(|some| text.get(some[0].0..some[some.len() - 1].1)),
            payload: if found.len() > 1 { of(last) } else { b"" },
        })
    }
}

/// End of a value that begins at `at`: a text in quotes, a value in braces, or up to a comma or brace.
fn value_end(text: &[u8], at: usize) -> Option<usize> {
    let mut depth = 0_u32;
    let mut quoted = false;
    let mut end = at;
    while let Some(&byte) = text.get(end) {
        match byte {
            b'\\' if quoted => end += 1,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' | b',' if depth == 0 => return Some(end),
            b'}' | b']' | b')' => depth -= 1,
            _ => {}
        }
        end += 1;
        if depth == 0 && !quoted && matches!(byte, b'}' | b']' | b')' | b'"') {
            return Some(end);
        }
    }
    (depth == 0 && !quoted).then_some(end.min(text.len()))
}

/// Calls `take` with each field and its value: what is in quotes without them, of an enumeration its number.
pub(crate) fn fields<'a>(text: &'a [u8], mut take: impl FnMut(&'a [u8], &'a [u8])) {
    let mut at = skip_blanks(text, 0);
    while let Some(equals) = memmem::find(&text[at..], b" = ").map(|n| at + n) {
        let start = equals + 3;
        let Some(end) = value_end(text, start) else {
            return;
        };
        take(&text[at..equals], plain(&text[start..end]));
        let Some(comma) = memchr::memchr(b',', &text[end..]) else {
            return;
        };
        at = skip_blanks(text, end + comma + 1);
    }
}

/// `"text"` as text, `( "NAME" : container = 1 )` as 1; others unchanged.
fn plain(value: &[u8]) -> &[u8] {
    const CONTAINER: &[u8] = b"container = ";
    let value = value.trim_ascii();
    if let [b'"', inside @ .., b'"'] = value {
        return inside;
    }
    let number = value
        .strip_prefix(b"(")
        .and_then(|inside| inside.strip_suffix(b")"))
        .and_then(|inside| {
            memmem::rfind(inside, CONTAINER).map(|at| &inside[at + CONTAINER.len()..])
        });
    number.map_or(value, <[u8]>::trim_ascii)
}

fn value_of<'a>(text: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let mut found = None;
    fields(text, |field, value| {
        // A group that begins within the text has its brace before its first field.
        let field = field.strip_prefix(b"{ ").unwrap_or(field);
        if field == name && found.is_none() {
            found = Some(value);
        }
    });
    found
}

fn whole(text: &[u8]) -> Option<u64> {
    number(text, 0)
        .filter(|&(_, end)| end == text.len())
        .map(|(bits, _)| bits)
}

/// The kernel's name of an event that `LTTng` names with its subsystem (`irq_softirq_entry`), if `known` has it.
pub(crate) fn kernels_name(event: &[u8], known: impl Fn(&[u8]) -> bool) -> &[u8] {
    const SUBSYSTEMS: [&[u8]; 6] = [
        b"irq_",
        b"power_",
        b"timer_",
        b"kmem_",
        b"x86_irq_vectors_",
        b"x86_exceptions_",
    ];
    if known(event) {
        return event;
    }
    let shorter = SUBSYSTEMS
        .iter()
        .filter_map(|subsystem| event.strip_prefix(*subsystem));
    let mut shorter = shorter.filter(|name| known(name));
    shorter.next().unwrap_or(event)
}

/// `LTTng`'s name of a field of the kernel: its `tid` is the kernel's `pid`, while its `pid` is the process.
fn tid_of(field: &str) -> Option<String> {
    let before = field.strip_suffix("pid")?;
    (before.is_empty() || before.ends_with('_')).then(|| format!("{before}tid"))
}

/// A known event's values by slot; false where the payload has not all fields of the version.
pub(crate) fn apply<'a>(
    payload: &'a [u8],
    system: &str,
    version: &Version,
    values: &mut Vec<Value<'a>>,
) -> bool {
    values.clear();
    let mut found: Vec<(&[u8], &[u8])> = Vec::new();
    fields(payload, |name, value| found.push((name, value)));
    for field in &version.fields {
        let tid = tid_of(&field.name).filter(|_| system == "sched");
        let named = |name: &str| found.iter().find(|known| known.0 == name.as_bytes());
        let value = tid
            .as_deref()
            .and_then(named)
            .or_else(|| named(&field.name));
        let Some(&(_, text)) = value else {
            return false;
        };
        if field.ty == ColumnType::Text {
            values.push(Value::Text(text));
            continue;
        }
        let Some(bits) = whole(text) else {
            return false;
        };
        let prio = system == "sched" && field.name.ends_with("prio");
        let (bits, negative) = if prio {
            let bits = bits.wrapping_add(PRIO_BASE);
            (bits, (bits as i64) < 0)
        } else {
            (bits, text.starts_with(b"-"))
        };
        let Some(bits) = fit(bits, negative, &field.ty) else {
            return false;
        };
        values.push(Value::Bits(bits));
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let text_of = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        fields(text.as_bytes(), |name, value| {
            found.push((text_of(name), text_of(value)));
        });
        found
    }

    #[test]
    fn stamps_of_every_kind() {
        let of = |text: &str| stamp(text.as_bytes());
        assert_eq!(
            of("00:00:01.000000002"),
            Some((1_000_000_002, StampForm::OfDay))
        );
        assert_eq!(of("1.000000002"), Some((1_000_000_002, StampForm::Nano)));
        assert_eq!(
            of("1970-01-02 00:00:00.000000000"),
            Some((DAY_NS, StampForm::Nano))
        );
        let leap = |text| of(text).map(|stamp| stamp.0 / DAY_NS);
        assert_eq!(leap("2000-03-01 00:00:00.000000000"), Some(11_017));
        assert_eq!(leap("2026-11-26 23:59:59.000000000"), Some(20_783));
        for bad in [
            "1.0",
            "24:00:00.000000000",
            "1:2.000000000",
            "1970-13-01 0:0:0.000000000",
            "x.000000000",
            "99999999999999999999.000000000",
            "18446744073709551615.000000000",
            "0-1-1 1.000000000",
        ] {
            assert_eq!(of(bad), None, "{bad}");
        }
        assert!(over_midnight(StampForm::OfDay, DAY_NS - 1, 5));
        assert!(!over_midnight(StampForm::OfDay, 2 * 3_600_000_000_000, 5));
    }

    #[test]
    fn values_may_hold_what_separates_them() {
        assert_eq!(
            all(
                r#" comm = "a, b = { \"c", tid = -1, state = ( "A" | "B" : container = 3 ), list = [ [0] = 1, [1] = 2 ] "#
            ),
            [
                ("comm", r#"a, b = { \"c"#),
                ("tid", "-1"),
                ("state", "3"),
                ("list", "[ [0] = 1, [1] = 2 ]")
            ]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
        );
        assert_eq!(all(" "), []);
        assert_eq!(all(" cut = \"no end"), []);
    }

    #[test]
    fn the_task_stands_in_a_context() {
        let line = br#"[10:00:00.000000001] (+?.?????????) box sched_waking: { cpu_id = 3 }, { perf_cpu_cycles = 7 }, { pid = 70, tid = 71 }, { comm = "x: {", tid = 9 }"#;
        let found = head(line).unwrap();
        assert_eq!((found.cpu, found.pid, found.tgid), (3, 71, Some(70)));
        let found = named(found.rest).unwrap();
        assert_eq!((found.event, found.system), (&b"sched_waking"[..], None));
        assert_eq!(found.details, br#" comm = "x: {", tid = 9 "#);
        let without =
            br#"[10:00:00.000000001] sched_waking: { cpu_id = 3 }, { comm = "x", tid = 9 }"#;
        let found = head(without).unwrap();
        assert_eq!((found.pid, found.known_pid, found.tgid), (-1, false, None));
        for bad in [
            &br"[10:00:00.000000001] (+0.1) box event: { x = 3 }, { }"[..],
            b"[10:00:00.000000001] (+0.1) box event: { cpu_id = 1 }, { a = 1",
            b"[10:00:00.000000001] (+0.1) box event: { cpu_id = 99999999 }, { }",
            b"[10:00:00.000000001] event",
            b"[]",
            b"[",
            b"",
        ] {
            assert!(head(bad).is_none(), "{}", String::from_utf8_lossy(bad));
        }
    }
}
