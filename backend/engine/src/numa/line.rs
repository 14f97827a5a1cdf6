//! Reads the lines that a kernel which runs cling prints into the trace.

use super::{ClingLine, Join, Site};

/// What stands before such a line.
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
    text.windows(wanted.len())
        .position(|window| window == wanted)
}

/// Whether the text is nothing, or a function's name or address with `: ` behind it.
fn function(before: &[u8]) -> bool {
    let before = before.trim_ascii_start();
    let Some(name) = before.strip_suffix(b": ") else {
        return before.is_empty();
    };
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.+/".contains(byte);
    !name.is_empty() && name.iter().all(part)
}

fn read(rest: &[u8]) -> Option<ClingLine> {
    let rest = str::from_utf8(rest.trim_ascii_end()).ok()?;
    let (word, fields) = rest.split_once(' ')?;
    let mut fields = Fields(fields);
    let line = match word {
        "enable" => ClingLine::Enable {
            cgroup_id: fields.take("cgroup_id")?,
            degree: fields.take("degree")?,
            scan_period_max_ms: fields.take("scan_period_max")?,
            hz: fields.take("hz")?,
            jiffies: fields.take("jiffies")?,
            grp: fields.take("grp")?,
        },
        "disable" => ClingLine::Disable {
            gid: fields.take("gid")?,
            nr_tasks: fields.take("nr_tasks")?,
            cgroup_id: fields.take("cgroup_id")?,
            grp: fields.take("grp")?,
        },
        "join" | "leave" => ClingLine::Member {
            join: word == "join",
            gid: fields.take("gid")?,
            pid: fields.take("pid")?,
            kind: join_kind(fields.text("kind")?)?,
            nr_tasks: fields.take("nr_tasks")?,
            grp: fields.take("grp")?,
        },
        "setnuma" => ClingLine::Setnuma {
            pid: fields.take("pid")?,
            old: Some(fields.take("old")?),
            new: fields.take("new")?,
        },
        _ => return counters(word, &mut fields),
    };
    Some(line)
}

/// The lines that tell a group's counters, or what they led to.
fn counters(word: &str, fields: &mut Fields<'_>) -> Option<ClingLine> {
    Some(match word {
        "migrate_stat" => ClingLine::MigrateStat {
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
        "timer" => ClingLine::Timer {
            gid: fields.take("gid")?,
            nid: fields.take("nid")?,
            f: fields.take("F")?,
            t: fields.take("T")?,
            q: fields.take("Q")?,
            busiest_nid: fields.take("busiest_nid")?,
            grp: fields.take("grp")?,
        },
        "timer_end" => ClingLine::TimerEnd {
            gid: fields.take("gid")?,
            busiest_nid: fields.take("busiest_nid")?,
            nr_tasks: fields.take("nr_tasks")?,
            degree: fields.take("degree")?,
            period: fields.take("period")?,
            jiffies: fields.take("jiffies")?,
            grp: fields.take("grp")?,
        },
        "show" => ClingLine::Show {
            gid: fields.take("gid")?,
            nid: fields.take("nid")?,
            f: fields.take("F")?,
            t: fields.take("T")?,
            q: fields.take("Q")?,
            busiest_nid: fields.take("busiest_nid")?,
            nr_tasks: fields.take("nr_tasks")?,
            grp: fields.take("grp")?,
        },
        "decision" => ClingLine::Decision {
            site: site(fields.text("site")?)?,
            pid: fields.take("pid")?,
            snid: fields.take("snid")?,
            dnid: fields.take("dnid")?,
            busy: either(fields.text("verdict")?, "busy", "cling")?,
            gid: fields.take("gid")?,
            f: fields.take("F")?,
            t: fields.take("T")?,
            q: fields.take("Q")?,
            busiest_nid: fields.take("busiest_nid")?,
            grp: fields.take("grp")?,
        },
        "pause_prefer" => ClingLine::PausePrefer {
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
        "mem" => ClingLine::Memory {
            gid: fields.take("gid")?,
            pid: fields.take("pid")?,
            snid: fields.take("snid")?,
            dnid: fields.take("dnid")?,
            src_busy: either(fields.text("verdict")?, "src_busy", "dst_busy")?,
            grp: fields.take("grp")?,
        },
        _ => return None,
    })
}

fn site(word: &str) -> Option<Site> {
    Some(match word {
        "wake" => Site::Wake,
        "lb" => Site::LoadBalance,
        "swap" => Site::Swap,
        _ => return None,
    })
}

fn join_kind(word: &str) -> Option<Join> {
    Some(match word {
        "tg" => Join::TaskGroup,
        "switch" => Join::Switch,
        "classic" => Join::Classic,
        "evacuate" => Join::Evacuate,
        "exit" => Join::Exit,
        "exec" => Join::Exec,
        _ => return None,
    })
}

/// Whether it is the one word; `None` when it is neither.
fn either(word: &str, yes: &str, no: &str) -> Option<bool> {
    (word == yes || word == no).then_some(word == yes)
}

/// `key=value` in their order, one space between them.
struct Fields<'a>(&'a str);

impl<'a> Fields<'a> {
    fn text(&mut self, key: &str) -> Option<&'a str> {
        let value = self.0.strip_prefix(key)?.strip_prefix('=')?;
        let (value, rest) = value.split_once(' ').unwrap_or((value, ""));
        self.0 = rest;
        Some(value)
    }

    fn take<T: std::str::FromStr>(&mut self, key: &str) -> Option<T> {
        self.text(key)?.parse().ok()
    }
}
