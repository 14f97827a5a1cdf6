//! The bundle's logs of the idle load balancer, opened when first needed.

use numalens_bundle::{Error, Ilb};
use numalens_events::{IlbKind, Kinds};
use numalens_replay::evidence::Evidence;
use numalens_replay::idle_balancing::Events;
use numalens_subject::section::{NO_RECORDING, Parts, replay};
use numalens_subject::{Context, Stop, Window};

use crate::{Config, ModelKind, Study, StudyRequest, study};

/// Everything that the section reads.
pub struct IdleInputs<'a> {
    /// Bundle.
    pub open: &'a Context,
    /// Evidence about the recording.
    pub evidence: &'a Evidence,
    pub(crate) ilb: &'a Ilb,
    /// Kinds of rows in the log.
    pub kinds: Kinds,
    pub(crate) parts: &'a Parts,
    log: &'a Events,
}

/// CPUs whose ticks may be made up, where none are recorded: a tick of each in every jiffy would take longer than anyone waits.
const MOST_MADE_UP: u64 = 50_000_000;

impl<'a> IdleInputs<'a> {
    /// Opens the log.
    ///
    /// # Errors
    ///
    /// Stops without a recording, or when a log cannot be read.
    pub fn of(open: &'a Context) -> Result<Self, Stop> {
        let (parts, evidence) = replay(open)?;
        let Some(ilb) = &open.ilb else {
            return Err(Stop::unavailable(NO_RECORDING));
        };
        Ok(Self {
            open,
            evidence,
            ilb,
            kinds: ilb.kinds.iter().copied().collect(),
            parts,
            log: open.ilb_log()?,
        })
    }

    /// Returns true if searches for tasks were probed.
    #[must_use]
    pub fn has_searches(&self) -> bool {
        self.kinds.has(IlbKind::Search) && self.kinds.has(IlbKind::SearchEnd)
    }

    /// CPUs of the machine, up to the highest number.
    #[must_use]
    pub fn cpus(&self) -> usize {
        let nodes = self.open.index.nodes().iter();
        let highest = nodes.flat_map(|node| &node.cpus).max();
        highest.map_or(0, |&cpu| cpu as usize + 1)
    }

    /// Each CPU's last-level cache. A bundle does not have it: one per node is assumed.
    fn llc(&self) -> Vec<u32> {
        let nodes = self.open.index.nodes();
        let mut llc = vec![0; self.cpus()];
        for (at, node) in nodes.iter().enumerate() {
            for &cpu in &node.cpus {
                if let Some(cache) = llc.get_mut(cpu as usize) {
                    *cache = at as u32;
                }
            }
        }
        llc
    }

    /// Returns why the models cannot run from the start of the recording to the end of the window; None if they can.
    pub(crate) fn too_long(&self, window: Window) -> Option<String> {
        if self.kinds.tick().is_some() {
            return None;
        }
        let ns = window.to_ns - self.open.index.origin_ns();
        let hz = u64::from(self.ilb.jiffies.hz);
        let ticks = (ns / 1_000_000).saturating_mul(hz) / 1000;
        let ticks = ticks.saturating_mul(self.cpus() as u64);
        (ticks > MOST_MADE_UP).then(|| {
            format!(
                "no tick is recorded, and this window would need {ticks} assumed ticks: choose one that ends earlier, or record a probe on trigger_load_balance (sched_balance_trigger since 6.10)"
            )
        })
    }

    /// One pass from the start of the recording to the end of the window; the report covers the window.
    pub(crate) fn study(
        &self,
        window: Window,
        follow: Vec<ModelKind>,
        keep: Option<ModelKind>,
        idle: Vec<Vec<(u64, u64)>>,
    ) -> Result<Study, Error> {
        let config = Config {
            kernel: self.evidence.kernel,
            cpus: self.cpus(),
            llc: self.llc(),
            jiffies: self.ilb.jiffies,
            kinds: self.kinds,
            from_ns: self.open.index.origin_ns(),
            to_ns: window.to_ns,
            count_from_ns: window.from_ns,
            follow,
        };
        let request = StudyRequest { config, keep, idle };
        Ok(study(self.log, &self.parts.states, request)?)
    }
}

// Samples of `/proc/stat` as rows on the reference clock.
