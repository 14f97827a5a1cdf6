//! Idle time of windows, from states and ticks.

use numalens_replay::states::{MACHINE, OnCpu, StateRow};

use crate::ilb::idle::IdleWindow;

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
    /// When it became idle or was last interrupted by a tick, ns (`ts->idle_entrytime`).
    entry_ns: u64,
}

impl Cpu {
    /// What it adds to each rate.
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

    /// Takes in a state of the machine; times ascend.
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

    /// Takes in that an idle CPU stops its tick; times of states, ticks and stops ascend together.
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

    /// Takes in a tick of a CPU; times of states, ticks and stops ascend together.
    #[inline]
    pub fn tick(&mut self, t_ns: u64, cpu: u32) {
        // A tick changes nobody's rate, so that within a window the sums can wait.
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
                let told = ticks > 0;
                let ticked_ns = window.running_ticks.saturating_mul(jiffy_ns);
                let dyntick_ns = window.stopped_ns.saturating_add(ticked_ns);
                IdleWindow {
                    from_ns: window.from_ns,
                    to_ns: window.to_ns,
                    idle_percent: percent(window.ns[0]),
                    iowait_percent: percent(window.ns[1]),
                    tick_percent: told.then(|| idle_ticks as f64 * 100.0 / ticks as f64),
                    dyntick_percent: told.then(|| percent(dyntick_ns)),
                }
            })
            .collect()
    }
}
