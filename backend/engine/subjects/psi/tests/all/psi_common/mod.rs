//! Hand-made states for the tests of pressure and findings.
#![allow(dead_code, clippy::unwrap_used)]

use numalens_core::kernel_version::KernelVersion;
use numalens_core::provenance::{Label, Source};
use numalens_psi::{Config, GroupTotals, Pressure, Replay, Rules};
use numalens_replay::evidence::{Doubts, Evidence, Instant, InstantKind};
use numalens_replay::states::{OnCpu, State, StateRow};

pub(crate) const MS: u64 = 1_000_000;
pub(crate) const S: u64 = 1_000_000_000;

pub(crate) fn rules(name: &str) -> &'static Rules {
    Rules::named(name).unwrap()
}

pub(crate) fn config(name: &str, hz: u32, cpus: usize) -> Config {
    Config {
        rules: rules(name),
        hz,
        from_ns: 0,
        node_of: vec![0; cpus],
        tick_anchor_ns: 0,
        seed: None,
        marks: Vec::new(),
        worker_traced: true,
    }
}

/// Nobody there.
pub(crate) fn idle() -> State {
    State {
        on: OnCpu::Idle,
        ..State::default()
    }
}

/// A task on the CPU and so many runnable in all.
pub(crate) fn busy(running: u16) -> State {
    State {
        on: OnCpu::Task,
        running,
        ..State::default()
    }
}

pub(crate) fn row(ts_ns: u64, cpu: u32, state: State) -> StateRow {
    of(0, ts_ns, cpu, state)
}

pub(crate) fn of(group: u32, ts_ns: u64, cpu: u32, state: State) -> StateRow {
    StateRow {
        ts_ns,
        cpu,
        group,
        state,
    }
}

pub(crate) fn read(ts_ns: u64) -> Instant {
    Instant {
        ts_ns,
        group: 0,
        kind: InstantKind::Read,
    }
}

pub(crate) fn worker(ts_ns: u64) -> Instant {
    Instant {
        ts_ns,
        group: 0,
        kind: InstantKind::Worker,
    }
}

pub(crate) fn replay(config: Config, instants: &[Instant], rows: &[StateRow], to: u64) -> Replay {
    let mut pressure = Pressure::new(config, instants);
    for row in rows {
        pressure.row(row);
    }
    pressure.finish(to)
}

pub(crate) fn machine(replay: &Replay) -> &GroupTotals {
    assert_eq!(replay.groups[0].group, 0);
    &replay.groups[0]
}

pub(crate) fn source(label: Label) -> Source {
    Source {
        name: "test".into(),
        label,
        missing: Vec::new(),
    }
}

/// Everything known.
pub(crate) fn evidence(kernel: (u16, u16)) -> Evidence {
    Evidence {
        offline: Vec::new(),
        sched_ext: None,
        doubts: Doubts::default(),
        kernel: Some(KernelVersion {
            major: kernel.0,
            minor: kernel.1,
        }),
        hz: 250,
        hz_source: source(Label::Observed),
        run_state: source(Label::Replayed),
        iowait: Some(source(Label::Observed)),
        io_device: None,
        memstall: Some(source(Label::Observed)),
        irq: None,
        cgroups: Some(source(Label::Observed)),
        worker: Some(source(Label::Observed)),
    }
}
