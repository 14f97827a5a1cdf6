//! Idle CPUs while tasks wait, as a curve over time.

use numalens_subject::Shared;

/// The sum of `min(idle CPUs, tasks beyond a CPU's first)` over time, CPU-ns (`docs/algorithms/common.md`, K8): an upper bound of
/// what any balancer could have saved, for tasks may be bound to their CPUs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Curve {
    /// From when on, the sum until then, and what is added per ns.
    points: Vec<(u64, u64, u32)>,
}

impl Shared for Curve {
    fn heap_bytes(&self) -> usize {
        self.points.heap_bytes()
    }
}

impl Curve {
    /// From `t_ns` on, `rate` CPUs are wasted. Times ascend.
    pub fn set(&mut self, t_ns: u64, rate: u32) {
        let last = self.points.last();
        let sum = last.map_or(0, |&(since, sum, rate)| {
            sum.saturating_add(u64::from(rate).saturating_mul(t_ns.saturating_sub(since)))
        });
        match self.points.last_mut() {
            Some(last) if last.2 == rate => {}
            Some(last) if last.0 == t_ns => last.2 = rate,
            _ => self.points.push((t_ns, sum, rate)),
        }
    }

    /// The sum until a moment, CPU-ns.
    #[must_use]
    pub fn until(&self, t_ns: u64) -> u64 {
        let at = self.points.partition_point(|point| point.0 <= t_ns);
        let Some(&(since, sum, rate)) = at.checked_sub(1).and_then(|at| self.points.get(at)) else {
            return 0;
        };
        sum.saturating_add(u64::from(rate).saturating_mul(t_ns - since))
    }

    /// The sum between two moments, CPU-ns.
    #[must_use]
    pub fn between(&self, from_ns: u64, to_ns: u64) -> u64 {
        self.until(to_ns).saturating_sub(self.until(from_ns))
    }

    /// Start and end of each time range with waste of at least this length, ns.
    #[must_use]
    pub fn stretches(&self, at_least_ns: u64, end_ns: u64) -> Vec<(u64, u64)> {
        let mut found = Vec::new();
        let mut since = None;
        for &(t_ns, _, rate) in &self.points {
            match (since, rate) {
                (None, 1..) => since = Some(t_ns),
                (Some(from), 0) => {
                    found.push((from, t_ns));
                    since = None;
                }
                _ => {}
            }
        }
        found.extend(since.map(|from| (from, end_ns.max(from))));
        found.retain(|(from, to)| to - from >= at_least_ns);
        found
    }
}
