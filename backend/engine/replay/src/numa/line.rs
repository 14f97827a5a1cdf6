//! Reads the lines that a kernel which runs cling prints into the trace.

use std::str::FromStr;

use super::{ClingLine, GroupChange, Site};

/// Prefix of such a line.
const PREFIX: &[u8] = b"cling: ";

/// The line in a printed text; `None` when the cling kernel did not print it.
///
/// A recording as text may have the printing function's name before the line, and `task_numa_cling: cling: decision ...`
/// holds the prefix twice: the line begins behind the one that a known word follows.
#[must_use]
pub fn cling_line(text: &[u8]) -> Option<ClingLine> {
    let mut from = 0;
    while let Some(at) = find(text.get(from..)?, PREFIX) {
        let begin = from + at;
        let before = text.get(..begin)?;
        let rest = text.get(begin + PREFIX.len()..)?;
        if function(before)
            && let Some(line) = read(rest)
        {
            return Some(line);
        }
        from = begin + 1;
    }
    None
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    if text.starts_with(wanted) {
        return Some(0);
    }
    text.windows(wanted.len())
        .position(|window| window == wanted)
}

/// Returns whether the text is empty, or a function's name or address followed by `: `.
fn function(before: &[u8]) -> bool {
    let before = before.trim_ascii_start();
    let Some(name) = before.strip_suffix(b": ") else {
        return before.is_empty();
    };
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.+/".contains(byte);
    !name.is_empty() && name.iter().all(part)
}

fn read(rest: &[u8]) -> Option<ClingLine> {
    let (word, fields) = split(rest.trim_ascii_end())?;
    let mut fields = Fields(fields);
    let line = match word {
        b"enable" => ClingLine::Enable {
            cgroup_id: fields.take("cgroup_id")?,
            degree: fields.take("degree")?,
            scan_period_max_ms: fields.take("scan_period_max")?,
            hz: fields.take("hz")?,
            jiffies: fields.take("jiffies")?,
            grp: fields.take("grp")?,
        },
        b"disable" => ClingLine::Disable {
            gid: fields.take("gid")?,
            nr_tasks: fields.take("nr_tasks")?,
            cgroup_id: fields.take("cgroup_id")?,
            grp: fields.take("grp")?,
        },
        b"join" | b"leave" => ClingLine::Member {
            join: word == b"join",
            gid: fields.take("gid")?,
            pid: fields.take("pid")?,
            kind: join_kind(fields.text("kind")?)?,
            nr_tasks: fields.take("nr_tasks")?,
            grp: fields.take("grp")?,
        },
        b"setnuma" => ClingLine::Setnuma {
            pid: fields.take("pid")?,
            old: Some(fields.take("old")?),
            new: fields.take("new")?,
        },
        _ => return counters(word, &mut fields),
    };
    Some(line)
}

/// Lines with a group's counters, or with their effects.
fn counters(word: &[u8], fields: &mut Fields<'_>) -> Option<ClingLine> {
    Some(match word {
        b"migrate_stat" => ClingLine::MigrateStat {
            gid: fields.take("gid")?,
            pid: fields.take("pid")?,
            nid: fields.take("nid")?,
            failed: fields.take::<u8>("failed")? != 0,
            f: fields.take("F")?,
            t: fields.take("T")?,
            q: fields.take("Q")?,
            busiest_nid: fields.take("busiest_nid")?,
            grp: fields.take("grp")?,
        },
        b"timer" => ClingLine::Timer {
            gid: fields.take("gid")?,
            nid: fields.take("nid")?,
            f: fields.take("F")?,
            t: fields.take("T")?,
            q: fields.take("Q")?,
            busiest_nid: fields.take("busiest_nid")?,
            grp: fields.take("grp")?,
        },
        b"timer_end" => ClingLine::TimerEnd {
            gid: fields.take("gid")?,
            busiest_nid: fields.take("busiest_nid")?,
            nr_tasks: fields.take("nr_tasks")?,
            degree: fields.take("degree")?,
            period: fields.take("period")?,
            jiffies: fields.take("jiffies")?,
            grp: fields.take("grp")?,
        },
        b"show" => ClingLine::Show {
            gid: fields.take("gid")?,
            nid: fields.take("nid")?,
            f: fields.take("F")?,
            t: fields.take("T")?,
            q: fields.take("Q")?,
            busiest_nid: fields.take("busiest_nid")?,
            nr_tasks: fields.take("nr_tasks")?,
            grp: fields.take("grp")?,
        },
        b"decision" => ClingLine::Decision {
            site: site(fields.text("site")?)?,
            pid: fields.take("pid")?,
            snid: fields.take("snid")?,
            dnid: fields.take("dnid")?,
            busy: either(fields.text("verdict")?, b"busy", b"cling")?,
            gid: fields.take("gid")?,
            f: fields.take("F")?,
            t: fields.take("T")?,
            q: fields.take("Q")?,
            busiest_nid: fields.take("busiest_nid")?,
            grp: fields.take("grp")?,
        },
        b"pause_prefer" => ClingLine::PausePrefer {
            gid: fields.take("gid")?,
            pid: fields.take("pid")?,
            nid: fields.take("nid")?,
            f: fields.take("F")?,
            t: fields.take("T")?,
            q: fields.take("Q")?,
            group_faults: fields.take("group_faults")?,
            max_faults: fields.take("max_faults")?,
            grp: fields.take("grp")?,
        },
        b"mem" => ClingLine::Memory {
            gid: fields.take("gid")?,
            pid: fields.take("pid")?,
            snid: fields.take("snid")?,
            dnid: fields.take("dnid")?,
            src_busy: either(fields.text("verdict")?, b"src_busy", b"dst_busy")?,
            grp: fields.take("grp")?,
        },
        _ => return None,
    })
}

fn site(word: &[u8]) -> Option<Site> {
    Some(match word {
        b"wake" => Site::Wake,
        b"lb" => Site::LoadBalance,
        b"swap" => Site::Swap,
        _ => return None,
    })
}

fn join_kind(word: &[u8]) -> Option<GroupChange> {
    Some(match word {
        b"tg" => GroupChange::TaskGroup,
        b"switch" => GroupChange::Switch,
        b"classic" => GroupChange::Classic,
        b"evacuate" => GroupChange::Evacuate,
        b"exit" => GroupChange::Exit,
        b"exec" => GroupChange::Exec,
        _ => return None,
    })
}

/// Returns whether it is the first of two words; `None` when it is neither.
fn either(word: &[u8], yes: &[u8], no: &[u8]) -> Option<bool> {
    (word == yes || word == no).then_some(word == yes)
}

/// Text before the first space, and after it.
fn split(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = text.iter().position(|byte| *byte == b' ')?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// `key=value` in their order, one space between them.
struct Fields<'a>(&'a [u8]);

// There are many lines, and comparing with a name of known length is a matter of two instructions.
#[allow(clippy::inline_always)]
impl<'a> Fields<'a> {
    #[inline(always)]
    fn text(&mut self, key: &str) -> Option<&'a [u8]> {
        let value = self.0.strip_prefix(key.as_bytes())?;
        let value = value.strip_prefix(b"=")?;
        let (value, rest) = split(value).unwrap_or((value, b""));
        self.0 = rest;
        Some(value)
    }

    #[inline(always)]
    fn take<T: TryFrom<i64> + FromStr>(&mut self, key: &str) -> Option<T> {
        let value = self.0.strip_prefix(key.as_bytes())?;
        let value = value.strip_prefix(b"=")?;
        let Some((number, rest)) = number(value) else {
            // A number that is very long, or none at all.
            return str::from_utf8(self.text(key)?).ok()?.parse().ok();
        };
        self.0 = rest;
        T::try_from(number).ok()
    }
}

/// The number at the start of a text, and the text after the following space. Reads each byte once.
fn number(text: &[u8]) -> Option<(i64, &[u8])> {
    /// Number of digits that always fit into 64 bits.
    const FIT: usize = 18;
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let (mut sum, mut at) = (0, 0);
    while let Some(digit) = digits.get(at).filter(|byte| byte.is_ascii_digit()) {
        if at == FIT {
            return None;
        }
        sum = sum * 10 + i64::from(digit - b'0');
        at += 1;
    }
    let rest = match digits.get(at..)? {
        [] => &[],
        [b' ', rest @ ..] => rest,
        _ => return None,
    };
    let sum = if digits.len() < text.len() { -sum } else { sum };
    (at > 0).then_some((sum, rest))
}
