//! Cgroups of tasks over time, from their waits.

use std::collections::HashMap;

use numalens_bundle::Error;
use numalens_subject::logs::NumaInputs;

use crate::events::Grouping;

type Of = Box<dyn Fn(i32, u64) -> Option<u32> + Send + Sync>;

type Path = Box<dyn Fn(u32) -> Option<String> + Send + Sync>;

/// The cgroups of tasks over time. What had to wait for no CPU is not among them.
pub(super) struct Cgroups {
    of: Of,
    path: Path,
}

impl Cgroups {
    pub(super) fn of(known: &NumaInputs<'_>) -> Result<Self, Error> {
        let mut steps: HashMap<i32, Vec<(u64, u32)>> = HashMap::new();
        let (from, to) = (known.open.index.origin_ns(), known.open.index.end_ns());
        known.parts.waits.scan(from, to, |wait, _| {
            let Some((pid, _)) = known.open.index.task(wait.task) else {
                return;
            };
            let steps = steps.entry(pid).or_default();
            if steps.last().is_none_or(|last| last.1 != wait.group) {
                steps.push((wait.start_ns, wait.group));
            }
        })?;
        let paths: HashMap<u32, String> = steps
            .values()
            .flatten()
            .map(|&(_, group)| {
                let path = known.parts.groups.as_ref().map(|groups| groups.path(group));
                (group, path.unwrap_or("/").to_owned())
            })
            .collect();
        Ok(Self {
            // What was recorded first of a task also held before.
            of: Box::new(move |pid, t_ns| {
                let steps = steps.get(&pid)?;
                let after = steps.partition_point(|step| step.0 <= t_ns);
                steps.get(after.saturating_sub(1)).map(|step| step.1)
            }),
            path: Box::new(move |group| paths.get(&group).cloned()),
        })
    }

    pub(super) fn grouping(&self) -> Grouping<'_> {
        Grouping::Cgroup {
            of: &*self.of,
            path: &*self.path,
        }
    }
}
