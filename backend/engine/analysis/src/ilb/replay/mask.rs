//! Which CPUs are in the idle mask, over time.

use serde::Serialize;

/// A CPU is in the idle mask: its tick is stopped, and it may be kicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MaskSpan {
    /// Which CPU.
    pub cpu: u32,
    /// From, ns of the reference clock.
    pub from_ns: u64,
    /// To, ns.
    pub to_ns: u64,
}

#[derive(Debug)]
pub(super) struct Mask {
    /// Since when each CPU is in it.
    since: Vec<Option<u64>>,
    /// What ends before is not told, ns.
    from_ns: u64,
    done: Vec<MaskSpan>,
}

impl Mask {
    pub(super) fn new(cpus: usize, from_ns: u64) -> Self {
        Self {
            since: vec![None; cpus],
            from_ns,
            done: Vec::new(),
        }
    }

    pub(super) fn enter(&mut self, cpu: u32, now_ns: u64) {
        if let Some(since) = self.since.get_mut(cpu as usize) {
            since.get_or_insert(now_ns);
        }
    }

    #[inline]
    pub(super) fn leave(&mut self, cpu: u32, now_ns: u64) {
        let since = self.since.get_mut(cpu as usize);
        if let Some(since) = since
            .and_then(Option::take)
            .filter(|_| now_ns > self.from_ns)
        {
            self.done.push(MaskSpan {
                cpu,
                from_ns: since.max(self.from_ns),
                to_ns: now_ns,
            });
        }
    }

    pub(super) fn finish(mut self, now_ns: u64) -> Vec<MaskSpan> {
        for cpu in 0..self.since.len() {
            self.leave(cpu as u32, now_ns);
        }
        self.done
    }
}
