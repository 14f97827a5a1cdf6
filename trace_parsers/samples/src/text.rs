//! Text recorded by users: loops of `date` and `cat`, copies of files, `grep .` and `head` over several files.

use std::rc::Rc;

use crate::cgroup;
use crate::files::{Content, File, Hint, ValueForm, classify};
use crate::machine::{Machine, Place};
use crate::number::Odd;
use crate::pressure::{self};
use crate::stamp::{self, StampLine};
use crate::{numa_group, numa_maps, proc_sched, system};

/// Kind of a line of text.
enum Look<'a> {
    /// Blank, a comment, or a tool's complaint.
    Nothing,
    /// `==> path <==`
    Head(&'a str),
    /// `path:content`
    Of(File, &'a str),
    /// `path:content` of a file that is not read.
    Unused(&'a str),
    Stamp(StampLine),
    Content,
}

/// Looks at a line; `stamps` says whether it can be a stamp.
fn look(line: &str, stamps: bool) -> Look<'_> {
    const TOOLS: [&str; 5] = ["cat: ", "grep: ", "head: ", "tail: ", "ls: "];
    if line.is_empty() || TOOLS.iter().any(|tool| line.starts_with(tool)) {
        return Look::Nothing;
    }
    if let Some(path) = line
        .strip_prefix("==> ")
        .and_then(|rest| rest.strip_suffix(" <=="))
    {
        return Look::Head(path);
    }
    if let Some((file, content)) = prefixed(line) {
        return Look::Of(file, content);
    }
    if let Some((path, _)) = line.split_once(':').filter(|(path, _)| of_kernel(path)) {
        return Look::Unused(path);
    }
    if stamps && let Some(stamp) = stamp::parse(line) {
        return Look::Stamp(stamp);
    }
    if line.starts_with('#') {
        return Look::Nothing;
    }
    Look::Content
}

/// A path below `/proc` or `/sys`, without blanks.
fn of_kernel(path: &str) -> bool {
    (path.starts_with("/proc/") || path.starts_with("/sys/")) && !path.contains(' ')
}

/// The file and the content of a line as `grep` prints it. Names of cgroups may have colons.
fn prefixed(line: &str) -> Option<(File, &str)> {
    const COLONS: usize = 8;
    line.match_indices(':').take(COLONS).find_map(|(at, _)| {
        let file = classify(&line[..at])?;
        Some((file, line[at + 1..].trim()))
    })
}

/// The content that a line has by its own form, without any name.
fn by_form(line: &str) -> Option<Content> {
    if pressure::share(line).is_some() {
        Some(Content::Pressure(None))
    } else if numa_group::recognises(line) {
        Some(Content::NumaGroup)
    } else if system::stat_cpu(line).is_some() {
        Some(Content::Stat)
    } else if system::is_loadavg(line) {
        Some(Content::Loadavg)
    } else if numa_maps::recognises(line) {
        Some(Content::NumaMaps)
    } else if proc_sched::head(line).is_some() {
        Some(Content::Sched)
    } else if cgroup::hierarchy(line).is_some() {
        Some(Content::TaskCgroup)
    } else if cgroup::id_line(line).is_some() {
        Some(Content::CgroupIds)
    } else if let Some(columns) = cgroup::ps_head(line) {
        Some(Content::Ps(columns))
    } else {
        let (name, _) = system::pair(line)?;
        let of_cgroup = CPU_STAT.contains(&name);
        Some(if of_cgroup {
            Content::Values(ValueForm::Pairs)
        } else {
            Content::Vmstat(None)
        })
    }
}

/// Names in a cgroup's `cpu.stat` (`kernel/cgroup/rstat.c`, `kernel/sched/core.c`).
const CPU_STAT: [&str; 10] = [
    "usage_usec",
    "user_usec",
    "system_usec",
    "nice_usec",
    "nr_periods",
    "nr_throttled",
    "throttled_usec",
    "nr_bursts",
    "burst_usec",
    "core_sched.force_idle_usec",
];

impl Machine {
    /// Takes a line of text.
    pub(crate) fn text_line(&mut self, line: &str) -> Result<(), Odd> {
        let line = line.trim();
        match look(line, !self.wants_value()) {
            Look::Nothing => Ok(()),
            Look::Head(path) => {
                self.head(path);
                Ok(())
            }
            Look::Of(file, "") => {
                self.last_of(file);
                Ok(())
            }
            Look::Of(file, content) => {
                let file = self.last_of(file);
                self.feed(&file, content)
            }
            Look::Unused(path) => {
                self.unused(path);
                Ok(())
            }
            Look::Stamp(stamp) => {
                self.stamped(&stamp);
                Ok(())
            }
            Look::Content => self.content(line),
        }
    }

    /// Returns whether a line is pressure with its resource: `psi cpu some ...`, `/proc/pressure/cpu:some ...`.
    pub(crate) fn is_pressure(line: &str) -> bool {
        let line = line.trim();
        let of_file =
            || prefixed(line).filter(|(file, _)| matches!(file.content, Content::Pressure(_)));
        pressure::named(line).is_some()
            || of_file().is_some_and(|(_, rest)| pressure::share(rest).is_some())
    }

    /// Returns whether a line is of a topology file, which is not a sample.
    pub(crate) fn is_of_topology(line: &str) -> bool {
        let Look::Unused(path) = look(line.trim(), false) else {
            return false;
        };
        path.contains("/devices/system/node/")
            && (path.ends_with("/cpulist") || path.ends_with("/distance"))
    }

    /// Takes a line of an input that has a table of auto-migration statistics; prose around it is passed over.
    pub(crate) fn automig_text(&mut self, line: &str) -> Result<(), Odd> {
        let line = line.trim();
        match stamp::parse(line) {
            Some(stamp) => {
                self.stamped(&stamp);
                Ok(())
            }
            None => self.automig_line(line),
        }
    }

    /// The file as it is known already, so that lines of one file share it.
    fn last_of(&self, file: File) -> Rc<File> {
        match self.last() {
            Some(last) if **last == file => Rc::clone(last),
            _ => Rc::new(file),
        }
    }

    /// A head has just named a file with a single number, which could be taken for a stamp.
    fn wants_value(&self) -> bool {
        let Place::File(file) = &self.place else {
            return false;
        };
        self.last().is_none() && file.content == Content::Values(ValueForm::Single)
    }

    fn head(&mut self, path: &str) {
        self.begin_file();
        self.place = match classify(path) {
            Some(file) => Place::File(Rc::new(file)),
            None if of_kernel(path) => {
                self.unused(path);
                Place::Unused
            }
            None => Place::Hint(Hint::of(path)),
        };
    }

    /// Takes a line that is neither a name nor a stamp.
    fn content(&mut self, line: &str) -> Result<(), Odd> {
        match &self.place {
            Place::File(file) => {
                let file = Rc::clone(file);
                self.feed(&file, line)
            }
            Place::Unused => Ok(()),
            Place::Unknown | Place::Hint(_) => self.nameless_line(line),
        }
    }

    /// Takes a line without a name: its form decides, or it continues the previous one.
    fn nameless_line(&mut self, line: &str) -> Result<(), Odd> {
        if let Some((resource, rest)) = pressure::named(line) {
            let file = self.last_of(File::of(Content::Pressure(Some(resource))));
            return self.feed(&file, rest);
        }
        let Some(file) = self.nameless_file(line) else {
            return Err(Odd::new("a sample of a known kind", line));
        };
        if let Content::Ps(_) = file.content
            && cgroup::ps_head(line).is_some()
        {
            // The head says where the columns are, and has no values itself.
            self.begin_file();
            self.remember(file);
            return Ok(());
        }
        self.feed(&file, line)
    }

    /// The file that a line belongs to by its form, or that it continues.
    fn nameless_file(&self, line: &str) -> Option<Rc<File>> {
        let form = by_form(line);
        let continues = match form {
            None => true,
            // The lines of /proc/stat that are passed over look like counters.
            Some(Content::Vmstat(_)) => {
                let before = self.last().map(|file| file.content);
                before == Some(Content::Stat) && system::passes_in_stat(line)
            }
            Some(_) => false,
        };
        if let Some(last) = self.last().filter(|_| continues) {
            return Some(Rc::clone(last));
        }
        let hint = match &self.place {
            Place::Hint(hint) => hint,
            _ => &self.hint,
        };
        let named = hint.file.as_ref();
        let mut file = match form {
            None => named?.clone(),
            // The input's own name may say more than the line: a cgroup, a node.
            Some(form) => named
                .filter(|file| fits(file.content, form))
                .cloned()
                .unwrap_or_else(|| unnamed(form)),
        };
        file.pid = file.pid.or(hint.pid);
        Some(self.last_of(file))
    }
}

/// Returns whether a file that is known to have one content can have a line of that form. Lines of a name and a number occur
/// in many files.
fn fits(content: Content, form: Content) -> bool {
    matches!(form, Content::Vmstat(_))
        || std::mem::discriminant(&content) == std::mem::discriminant(&form)
}

/// A file of this content that has no name. Values of cgroups belong to the directory they were read in.
fn unnamed(content: Content) -> File {
    let mut file = File::of(content);
    match content {
        Content::Values(_) => {
            "cpu.stat".clone_into(&mut file.name);
            ".".clone_into(&mut file.cgroup);
        }
        Content::NumaGroup => ".".clone_into(&mut file.cgroup),
        _ => {}
    }
    file
}
