//! How idle the machine was, in windows of a second, from the states and from samples of `/proc/stat` (seed 002: mean, standard
//! deviation, least and most).
//!
//! `/proc/stat` counts busy time by ticks, and idle time exactly while nohz is on (`get_cpu_idle_time_us`), else by ticks as
//! well. Where ticks are lost, as in a virtual machine that the host stops, fewer are counted than time has passed, and idle
//! shares of what was counted are too high. So what is compared is what both sides measure in the same way ([`compare`]).

use serde::Serialize;

use crate::states::{MACHINE, OnCpu, StateRow};

/// Width of a window when no samples set its edges, ns.
pub const WINDOW_NS: u64 = 1_000_000_000;

/// A line of `/proc/stat`, in its ticks of 1/100 s.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StatSample {
    /// When it was read, ns of the reference clock.
    pub t_ns: u64,
    /// The CPU; -1 for all together.
    pub cpu: i32,
    /// Time in user mode, niced included.
    pub user: u64,
    /// Time in the kernel.
    pub system: u64,
    /// Idle time.
    pub idle: u64,
    /// Idle time with a task in `in_iowait`.
    pub iowait: u64,
    /// Time in interrupts and softirqs.
    pub irq: u64,
    /// Time that the host took.
    pub steal: u64,
}

impl StatSample {
    fn all(&self) -> u64 {
        let parts = [
            self.user,
            self.system,
            self.idle,
            self.iowait,
            self.irq,
            self.steal,
        ];
        parts.into_iter().fold(0, u64::saturating_add)
    }
}

/// Idle time in a window.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct IdleWindow {
    /// From, ns of the reference clock.
    pub from_ns: u64,
    /// To, ns.
    pub to_ns: u64,
    /// Idle without `in_iowait`, percent of the time of all CPUs.
    pub idle_percent: f64,
    /// Idle with `in_iowait`, percent.
    pub iowait_percent: f64,
    /// Of the ticks, those that met an idle CPU, percent; `None` without ticks.
    pub tick_percent: Option<f64>,
}

/// Idle time between two samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SampledWindow {
    /// From, ns of the reference clock.
    pub from_ns: u64,
    /// To, ns.
    pub to_ns: u64,
    /// Idle, percent of what was counted: what `vmstat` prints.
    pub share_percent: f64,
    /// Idle, percent of the time that passed on all CPUs.
    pub time_percent: f64,
    /// What was counted, percent of that time; ticks are lost where it is below 100.
    pub counted_percent: f64,
}

/// Ticks of `/proc/stat` per second (`USER_HZ`).
const USER_HZ: f64 = 100.0;

/// Statistics of idle percentages.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct IdleStatistics {
    /// How many windows.
    pub windows: usize,
    /// Mean, percent.
    pub mean: f64,
    /// Standard deviation of the sample (n - 1), points.
    pub stdev: f64,
    /// Least, percent.
    pub min: f64,
    /// Most, percent.
    pub max: f64,
}

impl IdleStatistics {
    /// Of these percentages; `None` when there is none.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let count = values.len();
        if count == 0 {
            return None;
        }
        let all = || values.iter().copied();
        let mean = all().sum::<f64>() / count as f64;
        let squares: f64 = all().map(|value| (value - mean) * (value - mean)).sum();
        Some(Self {
            windows: count,
            mean,
            stdev: (squares / count.saturating_sub(1).max(1) as f64).sqrt(),
            min: all().fold(f64::INFINITY, f64::min),
            max: all().fold(f64::NEG_INFINITY, f64::max),
        })
    }
}

/// The windows between samples of all `cpus` CPUs together; samples whose counts go back are left out.
#[must_use]
pub fn sampled(samples: &[StatSample], cpus: usize) -> Vec<SampledWindow> {
    let mut all = samples.iter().filter(|sample| sample.cpu < 0);
    let Some(mut last) = all.next() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for next in all {
        let span = next.all().saturating_sub(last.all());
        if next.t_ns > last.t_ns && span > 0 && next.idle >= last.idle {
            let idle = (next.idle - last.idle) as f64 * 100.0;
            let passed = (next.t_ns - last.t_ns) as f64 / 1e9 * USER_HZ * cpus.max(1) as f64;
            found.push(SampledWindow {
                from_ns: last.t_ns,
                to_ns: next.t_ns,
                share_percent: idle / span as f64,
                time_percent: idle / passed,
                counted_percent: span as f64 * 100.0 / passed,
            });
        }
        last = next;
    }
    found
}

/// Edges of windows of [`WINDOW_NS`]; a rest shorter than a window is left out.
#[must_use]
pub fn seconds(from_ns: u64, to_ns: u64) -> Vec<(u64, u64)> {
    let count = to_ns.saturating_sub(from_ns) / WINDOW_NS;
    (0..count)
        .map(|at| {
            let begin = from_ns + at * WINDOW_NS;
            (begin, begin + WINDOW_NS)
        })
        .collect()
}

#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    from_ns: u64,
    to_ns: u64,
    /// Idle and iowait of all CPUs, CPU-ns.
    ns: [u64; 2],
    /// Ticks, and those that met an idle CPU.
    ticks: [u64; 2],
}

/// Adds up idle time from states.
#[derive(Debug)]
pub struct IdleMeter {
    /// The windows, ascending.
    windows: Vec<Sums>,
    at: usize,
    cpus: Vec<[bool; 2]>,
    rates: [u64; 2],
    now_ns: u64,
}

impl IdleMeter {
    /// `edges` are the windows, which ascend and do not overlap.
    #[must_use]
    pub fn new(edges: &[(u64, u64)], cpus: usize) -> Self {
        let edges = edges.iter().filter(|edge| edge.1 > edge.0);
        let empty = |&(from_ns, to_ns): &(u64, u64)| Sums {
            from_ns,
            to_ns,
            ..Sums::default()
        };
        Self {
            windows: edges.map(empty).collect(),
            at: 0,
            cpus: vec![[false; 2]; cpus],
            rates: [0; 2],
            now_ns: 0,
        }
    }

    /// Takes in a state of the machine; times ascend.
    pub fn row(&mut self, row: &StateRow) {
        if row.group != MACHINE || row.cpu as usize >= self.cpus.len() {
            return;
        }
        self.advance(row.ts_ns);
        let idle = row.state.on == OnCpu::Idle;
        let waits = row.state.iowait > 0;
        let new = [idle && !waits, idle && waits];
        if let Some(cpu) = self.cpus.get_mut(row.cpu as usize) {
            for ((rate, old), new) in self.rates.iter_mut().zip(*cpu).zip(new) {
                *rate = *rate + u64::from(new) - u64::from(old);
            }
            *cpu = new;
        }
    }

    /// Takes in a tick of a CPU; times of states and ticks ascend together.
    pub fn tick(&mut self, t_ns: u64, cpu: u32) {
        self.advance(t_ns);
        let idle = self
            .cpus
            .get(cpu as usize)
            .is_some_and(|cpu| cpu[0] || cpu[1]);
        let window = self.windows.get_mut(self.at);
        if let Some(window) = window.filter(|window| t_ns >= window.from_ns) {
            window.ticks[0] += 1;
            window.ticks[1] += u64::from(idle);
        }
    }

    fn advance(&mut self, ts_ns: u64) {
        while let Some(window) = self.windows.get_mut(self.at) {
            let begin = self.now_ns.max(window.from_ns);
            let end = ts_ns.min(window.to_ns);
            if end > begin {
                for (sum, rate) in window.ns.iter_mut().zip(self.rates) {
                    *sum = sum.saturating_add(rate.saturating_mul(end - begin));
                }
            }
            if ts_ns < window.to_ns {
                break;
            }
            self.at += 1;
        }
        self.now_ns = self.now_ns.max(ts_ns);
    }

    /// The windows; states hold until `to_ns`.
    #[must_use]
    pub fn finish(mut self, to_ns: u64) -> Vec<IdleWindow> {
        self.advance(to_ns);
        let cpus = self.cpus.len().max(1) as f64;
        let windows = self.windows.iter();
        windows
            .map(|window| {
                let all = (window.to_ns - window.from_ns) as f64 * cpus;
                let [ticks, idle_ticks] = window.ticks;
                IdleWindow {
                    from_ns: window.from_ns,
                    to_ns: window.to_ns,
                    idle_percent: window.ns[0] as f64 * 100.0 / all,
                    iowait_percent: window.ns[1] as f64 * 100.0 / all,
                    tick_percent: (ticks > 0).then(|| idle_ticks as f64 * 100.0 / ticks as f64),
                }
            })
            .collect()
    }
}

/// Trace and samples side by side.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct IdleCompared {
    /// Idle time was counted by ticks; else exactly.
    pub by_ticks: bool,
    /// From the recording, in the samples' windows.
    pub trace: IdleStatistics,
    /// From the samples, in the same measure.
    pub sampled: IdleStatistics,
    /// Mean of the recording less that of the samples, points.
    pub mean_difference: f64,
    /// Largest difference of a window, points.
    pub largest: f64,
    /// What the samples counted, mean percent of the time that passed.
    pub counted_percent: f64,
}

/// Compares windows of the same edges; `None` when there is none. With `nohz`, idle time in percent of the time that passed;
/// without, idle ticks in percent of all ticks.
#[must_use]
pub fn compare(
    trace: &[IdleWindow],
    sampled: &[SampledWindow],
    nohz: bool,
) -> Option<IdleCompared> {
    let (mut ours, mut theirs, mut counted, mut largest) = (Vec::new(), Vec::new(), 0.0, 0.0_f64);
    let mut others = sampled.iter().peekable();
    for window in trace {
        let edges = (window.from_ns, window.to_ns);
        let before = |other: &&SampledWindow| (other.from_ns, other.to_ns) < edges;
        while others.next_if(before).is_some() {}
        let same = |other: &&SampledWindow| (other.from_ns, other.to_ns) == edges;
        let Some(other) = others.next_if(same) else {
            continue;
        };
        let pair = if nohz {
            Some((window.idle_percent, other.time_percent))
        } else {
            window
                .tick_percent
                .map(|ticks| (ticks, other.share_percent))
        };
        let Some((our, their)) = pair else { continue };
        largest = largest.max((our - their).abs());
        counted += other.counted_percent;
        ours.push(our);
        theirs.push(their);
    }
    let (trace, sampled) = (IdleStatistics::of(&ours)?, IdleStatistics::of(&theirs)?);
    Some(IdleCompared {
        by_ticks: !nohz,
        trace,
        sampled,
        mean_difference: trace.mean - sampled.mean,
        largest,
        counted_percent: counted / ours.len() as f64,
    })
}
