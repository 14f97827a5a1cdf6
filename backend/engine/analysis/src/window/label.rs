//! Who is who, and how good a result is.

use numalens_core::provenance::{Label, Source};
use numalens_core::tasks::TaskId;

/// Which tasks are allowed on which CPUs.
pub(crate) const CPUS_ALLOWED: &str = "cpus_allowed";
/// The events that the recording lost.
pub(crate) const LOST_EVENTS: &str = "lost_events";
/// A switch of each CPU before the time in question.
pub(crate) const SCHED_SWITCH: &str = "sched_switch";
/// The requests to wake tasks.
pub(crate) const SCHED_WAKING: &str = "sched_waking";

/// Looks up what tasks and cgroups are called.
pub trait Names {
    /// Pid and name of a task.
    fn task(&self, task: TaskId) -> (i32, &str);
    /// Path of a cgroup; `/` for the root.
    fn cgroup(&self, group: u32) -> &str;
}

/// The label of what is computed from `source` and would be better with `missing`.
pub(crate) fn lowered(source: &Source, missing: &[&str]) -> (Label, Vec<String>) {
    let mut label = source.label.max(Label::Replayed);
    let mut all = source.missing.clone();
    for &name in missing {
        if !all.iter().any(|known| known == name) {
            all.push(name.to_owned());
        }
    }
    if !all.is_empty() {
        label = label.max(Label::Inferred);
    }
    (label, all)
}
