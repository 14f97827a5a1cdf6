//! What the bundle holds of the idle load balancer, opened when first needed.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use numalens_bundle::{Error, Ilb};
use numalens_events::Kinds;
use numalens_replay::evidence::Evidence;
use numalens_replay::idle_balancing::Events;

use crate::context::Context;
use crate::idle_balancing::idle::StatSample;
use crate::idle_balancing::{Config, ModelKind, Study, StudyRequest, study};
use crate::sections::section::{NO_RECORDING, Parts, Stop, at, integers, replay, samples};
use crate::window::Window;

/// Everything that the section reads.
pub(crate) struct IdleInputs<'a> {
    pub(crate) open: &'a Context,
    pub(crate) evidence: &'a Evidence,
    pub(crate) ilb: &'a Ilb,
    pub(crate) kinds: Kinds,
    parts: &'a Parts,
    log: &'a Events,
}

/// CPUs whose ticks may be made up, where none are recorded: a tick of each in every jiffy would take longer than anyone waits.
const MOST_MADE_UP: u64 = 50_000_000;

impl<'a> IdleInputs<'a> {
    pub(crate) fn of(open: &'a Context) -> Result<Self, Stop> {
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

    /// CPUs of the machine, up to the highest number.
    pub(crate) fn cpus(&self) -> usize {
        let nodes = self.open.index.nodes().iter();
        let highest = nodes.flat_map(|node| &node.cpus).max();
        highest.map_or(0, |&cpu| cpu as usize + 1)
    }

    /// Each CPU's last-level cache. Nothing in a bundle tells it: a node is taken to have one.
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

    /// Why the models cannot run over the recording's begin up to the window's end.
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
                "no tick is recorded, and this window would need {ticks} of them to be made up: choose one that ends earlier, or \
                 record a probe on trigger_load_balance (sched_balance_trigger since 6.10)"
            )
        })
    }

    /// One reading of the recording's begin up to the window's end; what is reported is of the window.
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

/// The placed lines of all CPUs together, by time.
pub(crate) fn stat(open: &Context) -> Result<Vec<StatSample>, Error> {
    let mut found = Vec::new();
    samples(open, "stat", |batch| found.extend(rows(batch)))?;
    found.retain(|sample: &StatSample| sample.cpu < 0);
    found.sort_by_key(|sample| sample.t_ns);
    found.dedup_by_key(|sample| sample.t_ns);
    Ok(found)
}

/// What the host took of each CPU between two of its lines: CPU, when those were read, and how much, ns; by CPU and time.
pub(crate) fn steal_of_cpus(open: &Context) -> Result<Vec<(u32, u64, u64, u64)>, Error> {
    let mut found: Vec<StatSample> = Vec::new();
    samples(open, "stat", |batch| found.extend(rows(batch)))?;
    found.sort_by_key(|sample| (sample.cpu, sample.t_ns));
    let pairs = found.windows(2).filter_map(|pair| {
        let [first, last] = pair else { return None };
        let cpu = u32::try_from(first.cpu)
            .ok()
            .filter(|_| first.cpu == last.cpu)?;
        let ticks = last.steal.saturating_sub(first.steal);
        (first.t_ns < last.t_ns).then_some((
            cpu,
            first.t_ns,
            last.t_ns,
            ticks.saturating_mul(TICK_NS),
        ))
    });
    Ok(pairs.collect())
}

/// A tick of `/proc/stat` (`USER_HZ`), ns.
const TICK_NS: u64 = 10_000_000;

/// CPU time that the host took, of all CPUs, between the first and the last sample in a window; `None` when there are not two.
pub(crate) fn steal_ns(open: &Context, from_ns: u64, to_ns: u64) -> Result<Option<u64>, Error> {
    let samples = stat(open)?;
    let mut inside = samples
        .iter()
        .filter(|sample| (from_ns..=to_ns).contains(&sample.t_ns));
    let (first, last) = (inside.next(), inside.next_back());
    let ticks = first
        .zip(last)
        .map(|(first, last)| last.steal.saturating_sub(first.steal));
    Ok(ticks.map(|ticks| ticks.saturating_mul(TICK_NS)))
}

fn rows(batch: &RecordBatch) -> Vec<StatSample> {
    let number = |name: &str, row: usize| -> u64 {
        let Some(array) = batch.column_by_name(name) else {
            return 0;
        };
        if let Some(array) = array.as_primitive_opt::<UInt64Type>() {
            return if array.is_valid(row) {
                array.value(row)
            } else {
                0
            };
        }
        let array = array.as_primitive_opt::<Int64Type>();
        at(array, row).map_or(0, |value| value.max(0) as u64)
    };
    let cpus = batch.column_by_name("cpu");
    let cpus = cpus.and_then(|array| array.as_primitive_opt::<Int32Type>());
    let times = integers(batch, "ts_ns");
    let row = |row: usize| {
        let t_ns = u64::try_from(at(times, row)?).ok()?;
        let cpu = cpus.filter(|cpus| cpus.is_valid(row))?.value(row);
        Some(StatSample {
            t_ns,
            cpu,
            user: number("user", row) + number("nice", row),
            system: number("system", row),
            idle: number("idle", row),
            iowait: number("iowait", row),
            irq: number("irq", row) + number("softirq", row),
            steal: number("steal", row),
        })
    };
    (0..batch.num_rows()).filter_map(row).collect()
}
