//! The rules of `select_task_rq_fair` (`docs/algorithms/wakeup_placement.md`).

mod fork;
mod missed;
mod reasons;
mod recent;
mod select;
mod what_if;

pub(crate) use fork::fork;
pub(crate) use missed::missed;
pub use reasons::Reasons;
pub(crate) use recent::Recent;
pub(crate) use select::{Class, Probed, Wakeup, elsewhere, wakeup};
pub use what_if::Other;
pub(crate) use what_if::{other_version, with_cling, without_cling};

use numalens_core::CpuSet;
use numalens_core::kernel_version::KernelVersion;

use crate::lanes::Status;
use crate::machine::Machine;

/// Differences between kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rules {
    /// Sleeping tasks may stay queued (`DELAY_DEQUEUE`, 6.12).
    pub(crate) delayed_dequeue: bool,
    /// A wakeup may stack on a per-CPU kernel thread (5.8).
    pub(crate) kthread_stack: bool,
}

impl Rules {
    /// Rules of a kernel; of the latest one where the version is not known.
    #[must_use]
    pub(crate) fn of(kernel: Option<KernelVersion>) -> Self {
        let from = |major, minor| kernel.is_none_or(|it| (it.major, it.minor) >= (major, minor));
        Self {
            delayed_dequeue: from(6, 12),
            kthread_stack: from(5, 8),
        }
    }
}

/// CPUs that a task may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Affinity {
    /// The CPUs; `None` for all.
    pub(crate) cpus: Option<CpuSet>,
    /// True if a sample or an event says so.
    pub(crate) observed: bool,
}

impl Affinity {
    /// Returns whether the task may use a CPU, as far as is known.
    #[must_use]
    pub(crate) fn has(&self, cpu: u32) -> bool {
        self.cpus.as_ref().is_none_or(|cpus| cpus.contains(cpu))
    }

    /// The only CPU that the task may use.
    #[must_use]
    pub(crate) fn only(&self) -> Option<u32> {
        let cpus = self.cpus.as_ref().filter(|cpus| cpus.len() == 1)?;
        cpus.iter().next()
    }
}

/// The machine at the time of a decision.
pub(crate) struct Scene<'a> {
    /// Cores, caches and nodes.
    pub(crate) machine: &'a Machine,
    /// The kernel's rules.
    pub(crate) rules: Rules,
    /// Returns the state of a CPU.
    pub(crate) status: &'a dyn Fn(u32) -> Status,
}

impl Scene<'_> {
    /// Returns the state of a CPU.
    #[must_use]
    pub(crate) fn of(&self, cpu: u32) -> Status {
        (self.status)(cpu)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_follow_the_kernel() {
        let of = |text| Rules::of(KernelVersion::of(text));
        let old = of("5.4.0");
        assert!(!old.kthread_stack && !old.delayed_dequeue);
        let stable = of("6.1.0");
        assert!(stable.kthread_stack && !stable.delayed_dequeue);
        assert!(of("6.12.0").delayed_dequeue && of("7.2.0").delayed_dequeue);
        // Nothing is ruled out where the kernel is not known.
        assert!(Rules::of(None).delayed_dequeue);
    }
}
