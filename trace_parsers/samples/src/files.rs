//! Kind of a file, by its path: `/proc/pressure/cpu`, `/sys/fs/cgroup/a/cpu.stat`, `/proc/7/sched`.

use crate::number::{LONGEST_TEXT, node};
use crate::pressure::Resource;

/// Content of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// Pressure of one resource; `None` when the path does not say of which.
    Pressure(Option<Resource>),
    /// Counters of memory, of the machine or of one node.
    Vmstat(Option<i32>),
    Stat,
    Loadavg,
    Schedstat,
    /// State and counters of `sched_ext`.
    SchedExt,
    NumaGroup,
    NumaMaps,
    Sched,
    /// `/proc/PID/cgroup`.
    TaskCgroup,
    /// `/proc/PID/stat`.
    TaskStat,
    /// `/proc/PID/status`.
    TaskStatus,
    /// Tasks of a cgroup: processes, or threads.
    Procs,
    Threads,
    /// Values of a cgroup file.
    Values(ValueForm),
    /// Inode and path of cgroups.
    CgroupIds,
    /// `ps -o pid,tid,cgroup`, with the position of `tid` if there is one.
    Ps(PsColumns),
}

/// The columns of a `ps` listing: the group is the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PsColumns {
    pub(crate) pid: Option<usize>,
    pub(crate) tid: Option<usize>,
    pub(crate) count: usize,
}

/// Form of a cgroup file's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueForm {
    /// `name value` lines.
    Pairs,
    /// One number or word.
    Single,
    /// `quota period`, the quota being a number or `max`.
    Quota,
    /// `name N0=value N1=value` lines.
    PerNode,
}

/// A file: its content and its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct File {
    pub(crate) content: Content,
    /// The file's own name.
    pub(crate) name: String,
    /// Path of the cgroup below the mount point, `/` for the root; empty for files of the whole machine. Of `sched_ext`, the
    /// directory of a scheduler.
    pub(crate) cgroup: String,
    pub(crate) pid: Option<i64>,
    pub(crate) tid: Option<i64>,
    pub(crate) comm: Option<String>,
}

impl File {
    pub(crate) fn of(content: Content) -> Self {
        Self {
            content,
            name: String::new(),
            cgroup: String::new(),
            pid: None,
            tid: None,
            comm: None,
        }
    }
}

/// The file that has this path, if it is one that is read.
pub(crate) fn classify(path: &str) -> Option<File> {
    if path.len() > LONGEST_TEXT {
        return None;
    }
    let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
    let parent = dir.rsplit('/').next().unwrap_or_default();
    let mut file = File::of(content(dir, parent, name)?);
    name.clone_into(&mut file.name);
    if file.content == Content::SchedExt {
        let (_, scheduler) = dir.rsplit_once("sched_ext").unwrap_or_default();
        scheduler.trim_matches('/').clone_into(&mut file.cgroup);
    }
    let lists_tasks = matches!(file.content, Content::Procs | Content::Threads);
    if lists_tasks && mounted(dir).is_some_and(|(first, _)| OTHER_HIERARCHIES.contains(&first)) {
        return None;
    }
    match file.content {
        Content::Pressure(_) if !name.contains('.') => {}
        Content::Pressure(_)
        | Content::NumaGroup
        | Content::Values(_)
        | Content::Procs
        | Content::Threads => {
            file.cgroup = group_of(dir);
        }
        Content::NumaMaps
        | Content::Sched
        | Content::TaskCgroup
        | Content::TaskStat
        | Content::TaskStatus => {
            (file.pid, file.tid) = task(dir);
        }
        _ => {}
    }
    Some(file)
}

fn content(dir: &str, parent: &str, name: &str) -> Option<Content> {
    let of_task = || parent == "self" || parent == "thread-self" || parent.parse::<u32>().is_ok();
    let of_machine = parent.is_empty() || parent == "proc";
    Some(match name {
        _ if dir.ends_with("kernel/sched_ext") || dir.contains("kernel/sched_ext/") => {
            Content::SchedExt
        }
        "vmstat" | "numastat" if parent.starts_with("node") => {
            Content::Vmstat(Some(node(&parent[4..]).ok()?))
        }
        "vmstat" if of_machine => Content::Vmstat(None),
        "stat" if of_machine => Content::Stat,
        "loadavg" if of_machine => Content::Loadavg,
        "schedstat" if of_machine => Content::Schedstat,
        "cpu.numa_group" => Content::NumaGroup,
        "numa_maps" if of_task() || parent.is_empty() => Content::NumaMaps,
        "sched" if of_task() => Content::Sched,
        "cgroup" if of_task() => Content::TaskCgroup,
        "stat" if of_task() => Content::TaskStat,
        "status" if of_task() => Content::TaskStatus,
        "cgroup.procs" => Content::Procs,
        "cgroup.threads" | "tasks" => Content::Threads,
        "cpu.stat" | "memory.stat" | "memory.events" | "cgroup.events" | "cgroup.stat" => {
            Content::Values(ValueForm::Pairs)
        }
        "cpu.max" => Content::Values(ValueForm::Quota),
        "memory.numa_stat" => Content::Values(ValueForm::PerNode),
        "cpu.weight"
        | "cpu.weight.nice"
        | "cpu.idle"
        | "cpu.max.burst"
        | "cpu.shares"
        | "cpu.cfs_quota_us"
        | "cpu.cfs_period_us"
        | "cpu.cfs_burst_us"
        | "cpu.rt_runtime_us"
        | "cpu.rt_period_us"
        | "memory.current"
        | "memory.peak"
        | "memory.min"
        | "memory.low"
        | "memory.high"
        | "memory.max"
        | "memory.swap.current"
        | "memory.swap.max"
        | "cpuset.cpus"
        | "cpuset.cpus.effective"
        | "cpuset.cpus.partition"
        | "cpuset.cpus.isolated"
        | "cpuset.effective_cpus"
        | "cpuset.sched_load_balance"
        | "cpuset.mems"
        | "cpuset.mems.effective"
        | "cgroup.pressure" => Content::Values(ValueForm::Single),
        _ => {
            let resource = match name.strip_suffix(".pressure") {
                Some(resource) => resource,
                None if parent == "pressure" || dir.is_empty() => name,
                None => return None,
            };
            Content::Pressure(Some(Resource::of(resource)?))
        }
    })
}

/// Mount point of cgroups.
pub(crate) const MOUNT: &str = "sys/fs/cgroup";

/// Directories below the mount point that hierarchies of the first version have by convention (systemd makes them):
/// those whose groups are about CPU time or memory, and the unified one next to them.
const HIERARCHIES: [&str; 7] = [
    "cpu,cpuacct",
    "cpuacct,cpu",
    "cpu",
    "cpuacct",
    "cpuset",
    "memory",
    "unified",
];

/// Controllers whose groups are unrelated to the CPUs of a task.
const OTHER_HIERARCHIES: [&str; 13] = [
    // Next to hierarchies of version 1, which have the controllers.
    "unified",
    "systemd",
    "freezer",
    "devices",
    "blkio",
    "pids",
    "net_cls",
    "net_prio",
    "net_cls,net_prio",
    "perf_event",
    "hugetlb",
    "rdma",
    "misc",
];

/// The first directory below the mount point and the rest.
fn mounted(dir: &str) -> Option<(&str, &str)> {
    let at = dir.find(MOUNT)? + MOUNT.len();
    let below = dir[at..].trim_matches('/');
    Some(below.split_once('/').unwrap_or((below, "")))
}

/// The cgroup of a directory.
pub(crate) fn group_of(dir: &str) -> String {
    match mounted(dir) {
        Some((first, rest)) if HIERARCHIES.contains(&first) => format!("/{rest}"),
        Some((first, "")) => format!("/{first}"),
        Some((first, rest)) => format!("/{first}/{rest}"),
        None => match dir.trim_start_matches("./") {
            "" | "." => ".".to_owned(),
            dir if dir.starts_with('/') => dir.to_owned(),
            dir => format!("/{dir}"),
        },
    }
}

/// Process and thread of `/proc/PID` or `/proc/PID/task/TID`.
fn task(dir: &str) -> (Option<i64>, Option<i64>) {
    let id = |text: Option<&str>| {
        text.and_then(|text| text.parse::<u32>().ok())
            .map(i64::from)
    };
    let mut parts = dir.rsplit('/');
    let own = id(parts.next());
    if parts.next() == Some("task") {
        (id(parts.next()), own)
    } else {
        (own, None)
    }
}

/// Hints in the name of an input, if its text has none.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hint {
    /// The name is that of a file that is read, as in a bundle of copies.
    pub(crate) file: Option<File>,
    pub(crate) resource: Option<Resource>,
    pub(crate) pid: Option<i64>,
}

impl Hint {
    pub(crate) fn of(name: &str) -> Self {
        let last = name.rsplit('/').next().unwrap_or_default();
        let file = classify(name);
        let pid = match &file {
            Some(file) => file.pid,
            None => digits(last).filter(|_| {
                ["numa_maps", "sched", "cgroup"]
                    .iter()
                    .any(|word| last.contains(word))
            }),
        };
        Self {
            resource: hinted_resource(last).or_else(|| hinted_resource(name)),
            file,
            pid,
        }
    }
}

/// The only resource that a name mentions. `io` is part of too many words to be looked for inside of them.
fn hinted_resource(name: &str) -> Option<Resource> {
    let mut found = None;
    for resource in Resource::ALL {
        let word = resource.name();
        let there = if resource == Resource::Io {
            name.split(|c: char| !c.is_ascii_alphanumeric())
                .any(|part| part == word)
        } else {
            name.contains(word)
        };
        if there && found.replace(resource).is_some() {
            return None;
        }
    }
    found
}

/// The only number in a name.
fn digits(name: &str) -> Option<i64> {
    let mut numbers = name
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty());
    let number = numbers.next()?.parse::<u32>().ok()?;
    numbers.next().is_none().then_some(i64::from(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str) -> (Content, String, Option<i64>, Option<i64>) {
        let file = classify(path).expect(path);
        (file.content, file.cgroup, file.pid, file.tid)
    }

    #[test]
    fn paths_tell_content_and_owner() {
        let cpu = Content::Pressure(Some(Resource::Cpu));
        for path in [
            "/proc/pressure/cpu",
            "proc/pressure/cpu",
            "pressure/cpu",
            "cpu",
        ] {
            assert_eq!(of(path), (cpu, String::new(), None, None), "{path}");
        }
        for (path, cgroup) in [
            ("/sys/fs/cgroup/cpu.pressure", "/"),
            ("/sys/fs/cgroup/a/b/cpu.pressure", "/a/b"),
            ("cpu.pressure", "."),
            ("./a/cpu.pressure", "/a"),
            ("a/cpu.pressure", "/a"),
        ] {
            assert_eq!(of(path).1, cgroup, "{path}");
        }
        assert_eq!(
            of("/sys/fs/cgroup/cpu,cpuacct/ng_A/cpu.numa_group").1,
            "/ng_A"
        );
        assert_eq!(
            of("/sys/devices/system/node/node3/vmstat").0,
            Content::Vmstat(Some(3))
        );
        assert_eq!(of("/proc/7/task/9/numa_maps").3, Some(9));
        assert_eq!(
            of("/proc/7/sched"),
            (Content::Sched, String::new(), Some(7), None)
        );
        assert_eq!(of("/proc/7/stat").0, Content::TaskStat);
        assert_eq!(of("/proc/7/task/9/status").3, Some(9));
        assert_eq!(
            of("/sys/fs/cgroup/a/cgroup.pressure").0,
            Content::Values(ValueForm::Single)
        );
        for path in [
            "/proc/cpuinfo",
            "/sys/devices/system/node/node0/cpulist",
            "/sys/fs/cgroup/pids/a/cgroup.procs",
            "/sys/fs/cgroup/unified/cgroup.threads",
            "x",
            "",
            "7",
        ] {
            assert_eq!(classify(path), None, "{path}");
        }
    }

    #[test]
    fn names_hint_at_one_resource() {
        for (name, resource) in [
            ("psi-cpu.log", Some(Resource::Cpu)),
            ("memory.txt", Some(Resource::Memory)),
            ("cpu/io.log", Some(Resource::Io)),
            ("pression-session.txt", None),
            ("cpu-and-memory.txt", None),
        ] {
            assert_eq!(Hint::of(name).resource, resource, "{name}");
        }
        assert_eq!(Hint::of("numa_maps.123").pid, Some(123));
        assert_eq!(Hint::of("/proc/123/numa_maps").pid, Some(123));
        assert_eq!(Hint::of("cpu.123").pid, None);
    }
}
