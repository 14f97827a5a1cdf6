//! Idle time of the machine in windows of a second, from the states and from samples of `/proc/stat` (mean, standard
//! deviation, minimum and maximum).
//!
//! `/proc/stat` counts busy time by ticks; kernel versions count idle time in different ways ([`Counting`]). A virtual machine
//! loses ticks while the host stops it, so the counted idle shares are too high. [`compare`] therefore uses only the quantities
//! that both sides measure in the same way.

use numalens_core::kernel_version::KernelVersion;
use numalens_events::{IlbKind, Kinds};
use numalens_machine::stat::StatSample;
use numalens_replay::states::{MACHINE, OnCpu, StateRow};
use schemars::JsonSchema;
use serde::Serialize;

/// Width of a window when no samples set its edges, ns.
pub const WINDOW_NS: u64 = 1_000_000_000;

/// Method with which the kernel counts idle time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "IdleCounting")]
#[serde(rename_all = "snake_case")]
pub enum Counting {
    /// By ticks, as busy time: `nohz=off`.
    Ticks,
    /// By the clock from the start to the end of the idle task's run (`tick_nohz_start_idle`), ticks or not: nohz
    /// before 7.2.
    Exact,
    /// By the clock while the tick is stopped, by ticks while it runs: nohz from 7.2 on (cf6444c3e1bb, "Unify idle cputime
    /// accounting"). Idle time whose tick runs and is lost is not counted at all.
    Dyntick,
}

impl Counting {
    /// Returns a kernel's method; nohz is on if any CPU stops its tick.
    #[must_use]
    pub fn of(kernel: Option<KernelVersion>, kinds: Kinds) -> Self {
        let nohz = kinds.has(IlbKind::Enter) || kinds.has(IlbKind::TickStop);
        let unified = kernel.is_some_and(|kernel| (kernel.major, kernel.minor) >= (7, 2));
        match (nohz, unified) {
            (false, _) => Self::Ticks,
            (true, false) => Self::Exact,
            (true, true) => Self::Dyntick,
        }
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
    /// Idle without `in_iowait` as [`Counting::Dyntick`] counts it, percent of the time of all CPUs; `None` without ticks.
    pub dyntick_percent: Option<f64>,
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
    /// Counted time, percent of that time; ticks are lost where it is below 100.
    pub counted_percent: f64,
}

/// Ticks of `/proc/stat` per second (`USER_HZ`).
const USER_HZ: f64 = 100.0;

/// Statistics of idle percentages.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct IdleStatistics {
    /// Number of windows.
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
    /// Summarizes percentages; `None` if there are none.
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

/// Windows in which idle time is looked at, at most: those of 18 hours.
const MOST_WINDOWS: u64 = 1 << 16;

/// Edges of windows of [`WINDOW_NS`], or of a multiple if there would be too many; a rest shorter than a window is left out.
#[must_use]
pub fn seconds(from_ns: u64, to_ns: u64) -> Vec<(u64, u64)> {
    let count = to_ns.saturating_sub(from_ns) / WINDOW_NS;
    let width = count.div_ceil(MOST_WINDOWS).max(1);
    (0..count / width)
        .map(|at| {
            let begin = from_ns + at * width * WINDOW_NS;
            (begin, begin + width * WINDOW_NS)
        })
        .collect()
}

/// Trace and samples side by side.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct IdleCompared {
    /// Counting method of both sides.
    pub by: Counting,
    /// From the recording, in the samples' windows.
    pub trace: IdleStatistics,
    /// From the samples, in the same measure.
    pub sampled: IdleStatistics,
    /// Mean of the recording less that of the samples, points.
    pub mean_difference: f64,
    /// Largest difference of a window, points.
    pub largest: f64,
    /// Time counted by the samples, mean percent of the elapsed time.
    pub counted_percent: f64,
}

impl IdleCompared {
    /// Returns the meaning of the difference, as a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let how = match self.by {
            Counting::Ticks => {
                "both as idle ticks in percent of all ticks, since the kernel counts idle time by ticks"
            }
            Counting::Exact => {
                "both as idle time in percent of the time that passed, since the kernel counts idle time by the clock; the kernel leaves out interrupts of idle CPUs, which the trace does not show"
            }
            Counting::Dyntick => {
                "both in percent of the time that passed, by the clock while the tick is stopped and by ticks while it runs, as \
                 the kernel counts since 7.2"
            }
        };
        let lost = if self.counted_percent < 99.0 {
            format!(
                " The samples account for {:.1} % of the time: the machine lost ticks, and what vmstat prints is too high.",
                self.counted_percent
            )
        } else {
            String::new()
        };
        format!(
            "The trace has {:.2} %, the samples {:.2} % in the same {} windows, {how}.{lost}",
            self.trace.mean, self.sampled.mean, self.trace.windows,
        )
    }
}

/// Compares windows of the same edges; `None` when there is none. Where idle time is counted by ticks alone, idle ticks in
/// percent of all ticks; else idle time in percent of the time that passed.
#[must_use]
pub fn compare(
    trace: &[IdleWindow],
    sampled: &[SampledWindow],
    by: Counting,
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
        let pair = match by {
            Counting::Exact => Some((window.idle_percent, other.time_percent)),
            Counting::Dyntick => window
                .dyntick_percent
                .map(|idle| (idle, other.time_percent)),
            Counting::Ticks => window
                .tick_percent
                .map(|ticks| (ticks, other.share_percent)),
        };
        let Some((our, their)) = pair else { continue };
        largest = largest.max((our - their).abs());
        counted += other.counted_percent;
        ours.push(our);
        theirs.push(their);
    }
    let (trace, sampled) = (IdleStatistics::of(&ours)?, IdleStatistics::of(&theirs)?);
    Some(IdleCompared {
        by,
        trace,
        sampled,
        mean_difference: trace.mean - sampled.mean,
        largest,
        counted_percent: counted / ours.len() as f64,
    })
}

// Idle time of windows, from states and ticks.

#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    from_ns: u64,
    to_ns: u64,
    /// Idle and iowait of all CPUs, CPU-ns.
    ns: [u64; 2],
    /// Idle without `in_iowait` while the tick is stopped, CPU-ns.
    stopped_ns: u64,
    /// Ticks, and those that met an idle CPU.
    ticks: [u64; 2],
    /// Ticks that met an idle CPU without `in_iowait` whose tick was not stopped.
    running_ticks: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Cpu {
    /// Idle without and with `in_iowait`.
    idle: [bool; 2],
    stopped: bool,
    /// Time at which it became idle or was last interrupted by a tick, ns (`ts->idle_entrytime`).
    entry_ns: u64,
}

impl Cpu {
    /// Contribution to each rate.
    fn rates(&self) -> [u64; 3] {
        let [idle, waits] = self.idle;
        [idle, waits, idle && self.stopped].map(u64::from)
    }
}

/// Adds up idle time from states.
#[derive(Debug)]
pub struct IdleMeter {
    /// The windows, ascending.
    windows: Vec<Sums>,
    at: usize,
    cpus: Vec<Cpu>,
    /// CPUs that are idle, that are with `in_iowait`, and that are with a stopped tick.
    rates: [u64; 3],
    now_ns: u64,
    jiffy_ns: u64,
}

impl IdleMeter {
    /// `edges` are the windows, which ascend and do not overlap; `hz` is the number of jiffies per second.
    #[must_use]
    pub fn new(edges: &[(u64, u64)], cpus: usize, hz: u32) -> Self {
        let edges = edges.iter().filter(|edge| edge.1 > edge.0);
        let empty = |&(from_ns, to_ns): &(u64, u64)| Sums {
            from_ns,
            to_ns,
            ..Sums::default()
        };
        Self {
            windows: edges.map(empty).collect(),
            at: 0,
            cpus: vec![Cpu::default(); cpus],
            rates: [0; 3],
            now_ns: 0,
            jiffy_ns: 1_000_000_000 / u64::from(hz.max(1)),
        }
    }

    fn change(&mut self, cpu: u32, change: impl FnOnce(&mut Cpu)) {
        let Some(found) = self.cpus.get_mut(cpu as usize) else {
            return;
        };
        let old = found.rates();
        change(found);
        let new = found.rates();
        for ((rate, old), new) in self.rates.iter_mut().zip(old).zip(new) {
            *rate = *rate + new - old;
        }
    }

    /// Adds a state of the machine; times ascend.
    #[inline]
    pub fn row(&mut self, row: &StateRow) {
        if row.group != MACHINE || row.cpu as usize >= self.cpus.len() {
            return;
        }
        let idle = row.state.on == OnCpu::Idle;
        let waits = row.state.iowait > 0;
        let known = self.cpus.get(row.cpu as usize);
        if known.is_some_and(|cpu| {
            cpu.idle == [idle && !waits, idle && waits] && (idle || !cpu.stopped)
        }) {
            return;
        }
        self.advance(row.ts_ns);
        self.change(row.cpu, |cpu| {
            let before = cpu.idle[0] || cpu.idle[1];
            cpu.idle = [idle && !waits, idle && waits];
            if !idle {
                cpu.stopped = false;
            } else if !before {
                cpu.entry_ns = row.ts_ns;
            }
        });
    }

    /// Notes that an idle CPU stops its tick; times of states, ticks and stops ascend together.
    pub fn stop(&mut self, t_ns: u64, cpu: u32) {
        self.advance(t_ns);
        let Some(found) = self.cpus.get(cpu as usize).copied() else {
            return;
        };
        if found.stopped || !(found.idle[0] || found.idle[1]) {
            return;
        }
        self.change(cpu, |cpu| cpu.stopped = true);
        // The kernel counts from where the idle loop was entered.
        let window = self.windows.get_mut(self.at);
        if let Some(window) = window.filter(|_| found.idle[0]) {
            let since = found.entry_ns.max(window.from_ns);
            window.stopped_ns += t_ns.saturating_sub(since);
        }
    }

    /// Adds a tick of a CPU; times of states, ticks and stops ascend together.
    #[inline]
    pub fn tick(&mut self, t_ns: u64, cpu: u32) {
        // A tick changes no task's rate, so that within a window the sums can wait.
        let ends = self.windows.get(self.at).map(|window| window.to_ns);
        if ends.is_some_and(|ends| t_ns >= ends) {
            self.advance(t_ns);
        }
        let Some(found) = self.cpus.get_mut(cpu as usize) else {
            return;
        };
        let [idle, waits] = found.idle;
        found.entry_ns = t_ns;
        let running = idle && !found.stopped;
        let window = self.windows.get_mut(self.at);
        if let Some(window) = window.filter(|window| t_ns >= window.from_ns) {
            window.ticks[0] += 1;
            window.ticks[1] += u64::from(idle || waits);
            window.running_ticks += u64::from(running);
        }
    }

    fn advance(&mut self, ts_ns: u64) {
        while let Some(window) = self.windows.get_mut(self.at) {
            let begin = self.now_ns.max(window.from_ns);
            let end = ts_ns.min(window.to_ns);
            if end > begin {
                let [idle, waits, stopped] = self.rates;
                let [idle_ns, waits_ns] = &mut window.ns;
                let sums = [idle_ns, waits_ns, &mut window.stopped_ns];
                for (sum, rate) in sums.into_iter().zip([idle, waits, stopped]) {
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
        let jiffy_ns = self.jiffy_ns;
        let windows = self.windows.iter();
        windows
            .map(|window| {
                let all = (window.to_ns - window.from_ns) as f64 * cpus;
                let [ticks, idle_ticks] = window.ticks;
                let percent = |ns: u64| ns as f64 * 100.0 / all;
                let sampled = ticks > 0;
                let ticked_ns = window.running_ticks.saturating_mul(jiffy_ns);
                let dyntick_ns = window.stopped_ns.saturating_add(ticked_ns);
                IdleWindow {
                    from_ns: window.from_ns,
                    to_ns: window.to_ns,
                    idle_percent: percent(window.ns[0]),
                    iowait_percent: percent(window.ns[1]),
                    tick_percent: sampled.then(|| idle_ticks as f64 * 100.0 / ticks as f64),
                    dyntick_percent: sampled.then(|| percent(dyntick_ns)),
                }
            })
            .collect()
    }
}
