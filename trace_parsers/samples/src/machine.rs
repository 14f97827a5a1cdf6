//! Common part of all inputs of samples: lines go to the reader of their file.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::cgroup::{self, Membership};
use crate::files::{Content, File, Hint};
use crate::numa_group::GroupRows;
use crate::number::{Odd, quoted};
use crate::pressure::{self, PressureRows, Resource};
use crate::proc_sched::SchedRows;
use crate::rows::Rows;
use crate::schedstat::Schedstat;
use crate::stamp::{Stamp, StampLine, Zone};
use crate::{automig, numa_maps, sched_ext, system, task_stat};

/// Different notes of one sort that are kept.
const NOTES: usize = 8;

/// The state of a read.
pub(crate) struct Machine {
    pub(crate) rows: Rows,
    pressure: PressureRows,
    group: GroupRows,
    membership: Membership,
    sched: SchedRows,
    schedstat: Schedstat,
    /// Hints in the input's own name.
    pub(crate) hint: Hint,
    /// Owner of the current lines, in text.
    pub(crate) place: Place,
    /// The last line's file, by which another file's beginning is seen.
    last: Option<Rc<File>>,
    /// Lines of pressure that had no name since the last stamp: `some`, `full`.
    nameless: [bool; 2],
    /// The cling degree that was read along with the groups.
    pub(crate) degree: Option<i64>,
    resolution_ns: Option<u64>,
    no_zone: bool,
    zones: BTreeSet<String>,
    unused: BTreeSet<String>,
}

impl Machine {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            rows: Rows::new(),
            pressure: PressureRows::default(),
            group: GroupRows::default(),
            membership: Membership::default(),
            sched: SchedRows::default(),
            schedstat: Schedstat::default(),
            hint: Hint::of(name),
            place: Place::default(),
            last: None,
            nameless: [false; 2],
            degree: None,
            resolution_ns: None,
            no_zone: false,
            zones: BTreeSet::new(),
            unused: BTreeSet::new(),
        }
    }

    /// A line of text that says when the following ones were read.
    pub(crate) fn stamped(&mut self, line: &StampLine) {
        self.settle();
        self.nameless = [false; 2];
        self.rows.next_instant(line.stamp);
        self.resolution(line.resolution_ns);
        match &line.zone {
            Zone::Exact => {}
            Zone::Missing => self.no_zone = true,
            Zone::Named(name) => keep(&mut self.zones, name),
        }
    }

    /// Sets the time of the following line in a trace.
    pub(crate) fn in_trace(&mut self, idx: Option<i64>, trace_ns: Option<i64>) {
        self.rows.restamp(Stamp {
            idx,
            trace_ns,
            ..Stamp::default()
        });
    }

    /// Stamps come in steps of so many ns.
    pub(crate) fn resolution(&mut self, ns: u64) {
        self.resolution_ns = self.resolution_ns.max(Some(ns));
    }

    pub(crate) fn resolution_ns(&self) -> Option<u64> {
        self.resolution_ns
    }

    /// Ends what is being put together out of several lines.
    pub(crate) fn settle(&mut self) {
        self.pressure.finish(&mut self.rows);
        self.group.finish(&mut self.rows);
        self.membership.finish(&mut self.rows);
    }

    /// Another file begins.
    pub(crate) fn begin_file(&mut self) {
        self.settle();
        self.sched.reset();
        self.nameless = [false; 2];
        self.last = None;
    }

    /// A file that is not read.
    pub(crate) fn unused(&mut self, path: &str) {
        keep(&mut self.unused, path);
    }

    /// The last file that a line belonged to.
    pub(crate) fn last(&self) -> Option<&Rc<File>> {
        self.last.as_ref()
    }

    /// The following lines continue this file.
    pub(crate) fn remember(&mut self, file: Rc<File>) {
        self.last = Some(file);
    }

    /// Takes a line of a file.
    pub(crate) fn feed(&mut self, file: &Rc<File>, line: &str) -> Result<(), Odd> {
        if !self
            .last
            .as_ref()
            .is_some_and(|last| Rc::ptr_eq(last, file) || last == file)
        {
            self.sched.reset();
            self.last = Some(Rc::clone(file));
        }
        let rows = &mut self.rows;
        match file.content {
            Content::Pressure(resource) => self.pressure_line(file, resource, line),
            Content::Vmstat(nid) => system::vmstat(file, nid, line, rows),
            Content::Stat => system::stat(line, rows),
            Content::Loadavg => system::loadavg(line, rows),
            Content::Schedstat => self.schedstat.line(line, rows),
            Content::SchedExt => sched_ext::line(file, line, rows),
            Content::NumaGroup => self.group.line(&file.cgroup, self.degree, line, rows),
            Content::NumaMaps => numa_maps::line(file, line, rows),
            Content::Sched => self.sched.line(file, line, rows),
            Content::TaskCgroup => self.membership.line(file, line, rows),
            Content::TaskStat => task_stat::sampled(file, Some(line), None, rows),
            Content::TaskStatus => task_stat::status(file, line, rows),
            Content::Procs => cgroup::member(file, false, line, rows),
            Content::Threads => cgroup::member(file, true, line, rows),
            Content::Values(form) => cgroup::values(file, form, line, rows),
            Content::CgroupIds => {
                let (inode, dir) = cgroup::id_line(line)
                    .ok_or_else(|| Odd::new("an inode and a cgroup's directory", line))?;
                cgroup::id(dir, inode, rows)
            }
            Content::Ps(columns) => cgroup::ps(columns, line, rows),
        }
    }

    fn pressure_line(
        &mut self,
        file: &File,
        resource: Option<Resource>,
        line: &str,
    ) -> Result<(), Odd> {
        let share = pressure::share(line)
            .ok_or_else(|| Odd::new("a pressure line (some or full, avg10=...)", line))?;
        let resource = match resource {
            Some(resource) => resource,
            None => self.nameless(share.0, line)?,
        };
        self.pressure
            .line(&file.cgroup, resource, share, &mut self.rows)
    }

    /// The resource of a line that does not say it: what the input's name hints at, for one file in each sample.
    fn nameless(&mut self, share: pressure::Share, line: &str) -> Result<Resource, Odd> {
        let resource = self.place.resource().or(self.hint.resource).ok_or_else(|| {
            let ways = "the resource's name before each line (grep . /proc/pressure/*) or in the file's name";
            Odd::new(ways, line)
        })?;
        let seen = &mut self.nameless[share as usize];
        if *seen && !self.rows.stamp().is_empty() {
            let one = "one unnamed pressure file for each stamp, or names before the lines (grep . /proc/pressure/*)";
            return Err(Odd::new(one, line));
        }
        *seen = true;
        Ok(resource)
    }

    /// Takes a line of the table of auto-migration statistics.
    pub(crate) fn automig_line(&mut self, line: &str) -> Result<(), Odd> {
        match automig::parse(line)? {
            Some(row) => {
                if let Some(stamp) = &row.stamp {
                    self.stamped(stamp);
                }
                row.push(&mut self.rows);
                Ok(())
            }
            None if !line.contains('|') || automig::is_head(line) => Ok(()),
            None => Err(Odd::new("3, 4 and 4 counts with bars between them", line)),
        }
    }

    /// Returns notes about assumptions and unused parts, one sentence each.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.no_zone {
            notes.push("Timestamps without a time zone are treated as UTC.".to_owned());
        }
        for zone in &self.zones {
            let zone = quoted(zone);
            notes.push(format!(
                "Unknown UTC offset for time zone {zone}; timestamps are treated as UTC."
            ));
        }
        if !self.unused.is_empty() {
            let names: Vec<&str> = self.unused.iter().map(String::as_str).collect();
            notes.push(format!("Files that are not used: {}.", names.join(", ")));
        }
        notes
    }
}

fn keep(names: &mut BTreeSet<String>, name: &str) {
    if names.len() < NOTES && name.len() <= 256 {
        names.insert(name.to_owned());
    }
}

/// Owner of the following lines.
#[derive(Debug, Default)]
pub(crate) enum Place {
    /// Nothing said so yet: each line is looked at.
    #[default]
    Unknown,
    /// A head said so.
    File(Rc<File>),
    /// A head named a file that is not one of the kernel's; its name is a hint.
    Hint(Hint),
    /// A head named a file of the kernel's that is not read.
    Unused,
}

impl Place {
    pub(crate) fn resource(&self) -> Option<Resource> {
        match self {
            Self::Hint(hint) => hint.resource,
            _ => None,
        }
    }
}
