//! Cgroups of tasks, and the values of a cgroup's own files.

use crate::SampleTableId;
use crate::files::{File, MOUNT, PsColumns, ValueForm, group_of};
use crate::numa_maps::node_key;
use crate::number::{MAX_NODES, Odd, decimal, number, short};
use crate::rows::Rows;
use crate::system;

/// The lines of one `/proc/PID/cgroup`. A task is in one group of each hierarchy; the one that schedules CPU time
/// counts, else the unified one.
#[derive(Debug, Default)]
pub(crate) struct Membership {
    found: Option<(File, String, bool)>,
}

/// Controllers and group of a line: `0::/path`, `4:cpu,cpuacct:/path` (cgroups(7)).
pub(crate) fn hierarchy(line: &str) -> Option<(&str, &str)> {
    let (number, rest) = line.split_once(':')?;
    let (controllers, path) = rest.split_once(':')?;
    let plain = controllers.bytes().all(|byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b',' | b'_' | b'=' | b'-' | b'.')
    });
    let unified = number == "0" && controllers.is_empty();
    let fits = unified || !controllers.is_empty() && number.parse::<u16>().is_ok_and(|id| id > 0);
    (fits && plain && path.starts_with('/')).then_some((controllers, path))
}

/// Returns whether the controllers of a hierarchy are those of CPU time.
fn schedules(controllers: &str) -> bool {
    controllers.split(',').any(|name| name == "cpu")
}

impl Membership {
    pub(crate) fn line(&mut self, file: &File, line: &str, rows: &mut Rows) -> Result<(), Odd> {
        let odd = || Odd::new("a line of /proc/PID/cgroup such as 0::/path", line);
        let (controllers, path) = hierarchy(line).ok_or_else(odd)?;
        let path = short(path)?;
        if self.found.as_ref().is_some_and(|(other, ..)| other != file) {
            self.finish(rows);
        }
        let schedules = schedules(controllers);
        let before = self.found.as_ref().map(|(.., schedules)| *schedules);
        if schedules || controllers.is_empty() && before != Some(true) {
            // The same hierarchy again is the same file at another instant.
            if before == Some(schedules) {
                self.finish(rows);
            }
            self.found = Some((file.clone(), path.to_owned(), schedules));
        }
        Ok(())
    }

    pub(crate) fn finish(&mut self, rows: &mut Rows) {
        if let Some((file, path, _)) = self.found.take() {
            task(&path, file.pid, file.tid, rows);
        }
    }
}

fn task(cgroup: &str, pid: Option<i64>, tid: Option<i64>, rows: &mut Rows) {
    rows.sampled(
        SampleTableId::CgroupTasks,
        &format!("{pid:?} {tid:?} {cgroup}"),
    );
    rows.push(SampleTableId::CgroupTasks, cells![cgroup, pid, tid]);
}

/// A task's number; 0 is a task outside of the reader's PID namespace (cgroups(7)) and cannot be named.
fn task_id(text: &str) -> Result<Option<i64>, Odd> {
    let id: u32 = number(text, "the number of a task")?;
    Ok((id > 0).then_some(i64::from(id)))
}

/// A line of `cgroup.procs` or `cgroup.threads`.
pub(crate) fn member(file: &File, threads: bool, line: &str, rows: &mut Rows) -> Result<(), Odd> {
    let id = task_id(line)?;
    let (pid, tid) = if threads { (None, id) } else { (id, None) };
    task(&file.cgroup, pid, tid, rows);
    Ok(())
}

/// The columns of a `ps` head such as `PID TID CGROUP`.
pub(crate) fn ps_head(line: &str) -> Option<PsColumns> {
    let names: Vec<&str> = line.split_whitespace().take(9).collect();
    let at = |wanted: &[&str]| names.iter().position(|name| wanted.contains(name));
    let columns = PsColumns {
        pid: at(&["PID"]),
        tid: at(&["TID", "SPID", "LWP"]),
        count: names.len(),
    };
    let fits = names.last() == Some(&"CGROUP") && (columns.pid.is_some() || columns.tid.is_some());
    fits.then_some(columns)
}

/// A line of `ps -o pid,tid,cgroup`; `-` means a group that `ps` does not show: the root.
pub(crate) fn ps(columns: PsColumns, line: &str, rows: &mut Rows) -> Result<(), Odd> {
    // What follows looks at the line several times.
    let words: Vec<&str> = short(line)?.split_whitespace().collect();
    if words.len() != columns.count {
        return Err(Odd::new(format!("{} columns", columns.count), line));
    }
    let id = |at: Option<usize>| at.map_or(Ok(None), |at| task_id(words[at]));
    let (pid, tid) = (id(columns.pid)?, id(columns.tid)?);
    let group = words[columns.count - 1];
    let cgroup = if group == "-" {
        Some("/")
    } else {
        listed(group)
    };
    let cgroup = cgroup.ok_or_else(|| Odd::new("a cgroup such as 0::/path", group))?;
    task(short(cgroup)?, pid, tid, rows);
    Ok(())
}

/// The group in a list of hierarchies, which are joined by commas as are the controllers of one. `ps` leaves those out
/// in which the task is in the root.
fn listed(list: &str) -> Option<&str> {
    let mut group = None;
    for (start, _) in list.match_indices(|c: char| c.is_ascii_digit()) {
        if start > 0 && !list[..start].ends_with(',') {
            continue;
        }
        match hierarchy(&list[start..]) {
            Some((controllers, path)) if schedules(controllers) => {
                return Some(path.split_once(',').map_or(path, |(path, _)| path));
            }
            Some(("", path)) => group = Some(path),
            Some(_) => group = group.or(Some("/")),
            None => {}
        }
    }
    group
}

/// Inode and directory of a line such as `212 /sys/fs/cgroup/dist/`.
pub(crate) fn id_line(line: &str) -> Option<(&str, &str)> {
    let (inode, path) = line.trim_start().split_once(' ')?;
    let path = path.trim();
    inode.parse::<u64>().ok()?;
    path.contains(MOUNT).then_some((inode, path))
}

/// The number of a cgroup, which is the inode of its directory (`cgroup_id` in the kernel).
pub(crate) fn id(dir: &str, inode: &str, rows: &mut Rows) -> Result<(), Odd> {
    let cgroup = group_of(short(dir)?.trim_end_matches('/'));
    value(
        rows,
        &cgroup,
        "cgroup.id",
        "",
        decimal(inode, "an inode").ok(),
        Some(inode),
    );
    Ok(())
}

/// A line of a file of values.
pub(crate) fn values(file: &File, form: ValueForm, line: &str, rows: &mut Rows) -> Result<(), Odd> {
    let (cgroup, name) = (file.cgroup.as_str(), file.name.as_str());
    match form {
        ValueForm::Pairs => {
            let (key, count) =
                system::pair(line).ok_or_else(|| Odd::new("a counter's name and value", line))?;
            let count = decimal(count, "a number")?;
            value(rows, cgroup, name, short(key)?, Some(count), None);
        }
        ValueForm::Single => number_or_text(rows, file, "", line)?,
        ValueForm::Quota => {
            let (quota, period) = line
                .split_once(' ')
                .ok_or_else(|| Odd::new("a quota and a period", line))?;
            number_or_text(rows, file, "quota", quota)?;
            number_or_text(rows, file, "period", period.trim())?;
        }
        ValueForm::PerNode => per_node(file, line, rows)?,
    }
    Ok(())
}

/// `anon N0=147456 N1=0`
fn per_node(file: &File, line: &str, rows: &mut Rows) -> Result<(), Odd> {
    let mut words = line.split_whitespace();
    let kind = short(words.next().unwrap_or_default())?;
    for (word, at) in words.zip(0..) {
        let (key, count) = word.split_once('=').unwrap_or((word, ""));
        if at >= MAX_NODES || node_key(key).is_none() || key.len() > 5 {
            return Err(Odd::new("bytes by node such as N0=4096", word));
        }
        let count = decimal(count, "a number of bytes")?;
        let name = format!("{kind} {key}");
        value(rows, &file.cgroup, &file.name, &name, Some(count), None);
    }
    Ok(())
}

fn number_or_text(rows: &mut Rows, file: &File, name: &str, text: &str) -> Result<(), Odd> {
    let text = short(text)?;
    let number = decimal(text, "").ok();
    let word = if number.is_none() { Some(text) } else { None };
    value(rows, &file.cgroup, &file.name, name, number, word);
    Ok(())
}

fn value(
    rows: &mut Rows,
    cgroup: &str,
    file: &str,
    name: &str,
    number: Option<f64>,
    text: Option<&str>,
) {
    rows.sampled(
        SampleTableId::CgroupStat,
        &format!("{cgroup}/{file} {name}"),
    );
    rows.push(
        SampleTableId::CgroupStat,
        cells![cgroup, file, name, number, text],
    );
}
