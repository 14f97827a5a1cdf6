//! The recorder's files: a JSON object a line, with the texts that the kernel printed.

use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;

use numalens_columns::DecodeError;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

use crate::cgroup;
use crate::files::{Content, File, classify};
use crate::machine::Machine;
use crate::number::{Odd, number};
use crate::pressure::Resource;
use crate::stamp::Stamp;
use crate::summary::Output;
use crate::task_stat;

/// One line. What is missing or null was not read.
#[derive(Debug, Deserialize)]
struct Record {
    idx: Option<i64>,
    mono_ns: Option<i64>,
    real_ns: Option<i64>,
    boot_ns: Option<i64>,
    #[serde(alias = "end_mono_ns")]
    mono_end_ns: Option<i64>,
    cpu: Option<String>,
    memory: Option<String>,
    io: Option<String>,
    irq: Option<String>,
    vmstat: Option<String>,
    stat: Option<String>,
    loadavg: Option<String>,
    schedstat: Option<String>,
    groups: Option<Vec<Group>>,
    cling_degree: Option<String>,
    files: Option<Ordered<Option<String>>>,
    node_vmstat: Option<Ordered<Option<String>>>,
    /// Directories of cgroups with their inodes.
    ids: Option<Ordered<u64>>,
    pid: Option<i64>,
    tid: Option<i64>,
    comm: Option<String>,
    sched: Option<String>,
    numa_maps: Option<String>,
    cgroup: Option<String>,
    /// `Cpus_allowed_list` of a task.
    cpus_allowed: Option<String>,
}

/// One group's file.
#[derive(Debug, Deserialize)]
struct Group {
    path: String,
    t0_ns: Option<i64>,
    t1_ns: Option<i64>,
    text: Option<String>,
}

/// Paths with something about each, in the order of the line.
#[derive(Debug)]
struct Ordered<T>(Vec<(String, T)>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for InOrder<T> {
            type Value = Ordered<T>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object whose keys are paths")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ordered<T>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Ordered(entries))
            }
        }

        deserializer.deserialize_map(InOrder(PhantomData))
    }
}

impl Record {
    fn stamp(&self) -> Stamp {
        Stamp {
            idx: self.idx,
            mono_ns: self.mono_ns,
            real_ns: self.real_ns,
            boot_ns: self.boot_ns,
            trace_ns: None,
            end_mono_ns: self.mono_end_ns,
        }
    }

    /// The task that the record is about.
    fn task(&self, content: Content) -> File {
        let mut file = File::of(content);
        file.pid = self.pid;
        file.tid = self.tid;
        file.comm.clone_from(&self.comm);
        file
    }
}

/// Takes a line.
pub(crate) fn line(machine: &mut Machine, line: &str, out: &mut Output) -> Result<(), DecodeError> {
    if line.trim().is_empty() {
        return Ok(());
    }
    let record: Record = match serde_json::from_str(line) {
        Ok(record) => record,
        Err(error) => {
            // The line in the message would be the one within the object.
            let why = error.to_string();
            let why = why
                .rsplit_once(" at line ")
                .map_or(why.as_str(), |(why, _)| why);
            return out.odd(Odd {
                expected: "a sample as a JSON object".to_owned(),
                found: format!("column {}: {why}", error.column()),
            });
        }
    };
    let stamp = record.stamp();
    let own = record
        .groups
        .iter()
        .flatten()
        .map(|group| own(stamp, group));
    if let Some(odd) = std::iter::once(stamp)
        .chain(own)
        .find_map(|stamp| stamp.odd())
    {
        return out.odd(odd);
    }
    if !stamp.is_empty() {
        machine.resolution(1);
    }
    machine.rows.at(stamp);
    system(machine, &record, out)?;
    task(machine, &record, out)?;
    for (path, text) in [&record.node_vmstat, &record.files]
        .into_iter()
        .flatten()
        .flat_map(|files| &files.0)
    {
        match classify(path) {
            Some(file) => texts(machine, file, text.as_deref(), out)?,
            None => machine.unused(path),
        }
    }
    for (path, inode) in record.ids.iter().flat_map(|ids| &ids.0) {
        if let Err(odd) = cgroup::id(path, &inode.to_string(), &mut machine.rows) {
            out.odd(odd)?;
        }
        machine.rows.write_full(out.sink)?;
    }
    groups(machine, &record, stamp, out)
}

/// Pressure and counters of the machine.
fn system(machine: &mut Machine, record: &Record, out: &mut Output) -> Result<(), DecodeError> {
    for (resource, text) in [
        (Resource::Cpu, &record.cpu),
        (Resource::Memory, &record.memory),
        (Resource::Io, &record.io),
        (Resource::Irq, &record.irq),
    ] {
        let content = Content::Pressure(Some(resource));
        texts(machine, File::of(content), text.as_deref(), out)?;
    }
    texts(
        machine,
        File::of(Content::Vmstat(None)),
        record.vmstat.as_deref(),
        out,
    )?;
    // In a task's record, this is `/proc/PID/stat`.
    if record.pid.is_none() && record.tid.is_none() {
        texts(
            machine,
            File::of(Content::Stat),
            record.stat.as_deref(),
            out,
        )?;
    }
    for (content, text) in [
        (Content::Loadavg, &record.loadavg),
        (Content::Schedstat, &record.schedstat),
    ] {
        texts(machine, File::of(content), text.as_deref(), out)?;
    }
    Ok(())
}

fn task(machine: &mut Machine, record: &Record, out: &mut Output) -> Result<(), DecodeError> {
    for (content, text) in [
        (Content::Sched, &record.sched),
        (Content::NumaMaps, &record.numa_maps),
        (Content::TaskCgroup, &record.cgroup),
    ] {
        texts(machine, record.task(content), text.as_deref(), out)?;
    }
    // Those that were sampled for their memory have no list of CPUs.
    if let Some(cpus) = record.cpus_allowed.as_deref() {
        let file = record.task(Content::TaskStat);
        let stat = record.stat.as_deref();
        if let Err(odd) = task_stat::sampled(&file, stat, Some(cpus), &mut machine.rows) {
            out.odd(odd)?;
        }
        machine.rows.write_full(out.sink)?;
    }
    Ok(())
}

/// The groups' files, each with stamps of its own.
fn groups(
    machine: &mut Machine,
    record: &Record,
    stamp: Stamp,
    out: &mut Output,
) -> Result<(), DecodeError> {
    let Some(groups) = &record.groups else {
        return Ok(());
    };
    machine.degree = match record.cling_degree.as_deref().map(str::trim) {
        None | Some("") => None,
        Some(text) => match number(text, "a cling degree") {
            Ok(degree) => Some(degree),
            Err(odd) => {
                out.odd(odd)?;
                None
            }
        },
    };
    for group in groups {
        machine.rows.restamp(own(stamp, group));
        match classify(&group.path) {
            Some(file) => texts(machine, file, group.text.as_deref(), out)?,
            None => machine.unused(&group.path),
        }
    }
    machine.rows.restamp(stamp);
    Ok(())
}

/// The timestamps of one group: the wall clock advanced as far as the monotonic one since the record's own timestamps.
fn own(record: Stamp, group: &Group) -> Stamp {
    let Some(t0) = group.t0_ns else {
        return record;
    };
    let moved = record.mono_ns.and_then(|mono| t0.checked_sub(mono));
    let shift = |ns: Option<i64>| ns?.checked_add(moved?);
    Stamp {
        mono_ns: Some(t0),
        real_ns: shift(record.real_ns),
        boot_ns: shift(record.boot_ns),
        end_mono_ns: group.t1_ns,
        ..record
    }
}

/// Takes the content of a file line by line.
fn texts(
    machine: &mut Machine,
    file: File,
    text: Option<&str>,
    out: &mut Output,
) -> Result<(), DecodeError> {
    let Some(text) = text else {
        return Ok(());
    };
    let file = Rc::new(file);
    machine.begin_file();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Err(odd) = machine.feed(&file, line) {
            out.odd(odd)?;
        }
        machine.rows.write_full(out.sink)?;
    }
    machine.settle();
    Ok(())
}
