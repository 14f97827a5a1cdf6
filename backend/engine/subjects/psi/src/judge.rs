//! Labels of a query's values, missing inputs, and lines of the files.

use numalens_core::json::Available;
use numalens_core::provenance::{Label, Source};
use numalens_replay::states::MACHINE;

use crate::aggregate::Replay;
use crate::averages::hundredths;
use crate::check::{self, Weather};
use crate::group::{GroupTotals, Point};
use crate::input::{Input, place};
use crate::result::{
    Or, Residual, Residuals, Resource, Resources, Series, SeriesPoint, Totals, WORKER_RUNS,
};
use crate::rules::{CpuFile, Rules};

/// Gives every value its label.
pub(super) struct Judge<'a> {
    pub(super) input: &'a Input<'a>,
    pub(super) rules: &'static Rules,
    pub(super) rules_source: &'a Source,
    pub(super) hz_source: &'a Source,
}

impl Judge<'_> {
    pub(super) fn worker(&self, totals: &GroupTotals) -> Source {
        match &self.input.evidence.worker {
            Some(source) if !totals.worker_modelled => source.clone(),
            _ => Source {
                name: "modelled: 2 s after activity, as the timer wheel rounds".into(),
                label: Label::Inferred,
                missing: vec![WORKER_RUNS.to_owned()],
            },
        }
    }

    /// The label of a value that leans on `sources` besides what all lean on.
    fn label(&self, totals: &GroupTotals, sources: &[&Source]) -> (Label, Vec<String>) {
        let evidence = self.input.evidence;
        let mut missing: Vec<String> = Vec::new();
        let mut inferred = false;
        let worker = self.worker(totals);
        let Input { from_ns, to_ns, .. } = *self.input;
        let run_state = evidence.run_state_in(from_ns, to_ns);
        let sources = sources
            .iter()
            .map(|source| evidence.source_in(source, to_ns));
        let sources: Vec<_> = sources.collect();
        let all = [&run_state, self.hz_source, self.rules_source, &worker];
        for source in all.into_iter().chain(sources.iter().map(|one| &**one)) {
            inferred |= source.label == Label::Inferred;
            missing.extend(source.missing.iter().cloned());
        }
        // Who waits for I/O or memory makes a CPU weigh more, whatever the resource.
        for (source, what) in [(&evidence.iowait, "I/O"), (&evidence.memstall, "memory")] {
            match source {
                None => missing.push(format!("tasks that wait for {what} (they weigh CPUs)")),
                Some(source) => {
                    inferred |= evidence.source_in(source, to_ns).label == Label::Inferred;
                }
            }
        }
        if self.input.lost_events > 0 {
            missing.push(format!("{} lost events", self.input.lost_events));
        }
        if totals.unknown_ns > 0 {
            missing.push(format!(
                "{:.3} s of CPU time without any record",
                totals.unknown_ns as f64 / 1e9
            ));
        }
        missing.sort();
        missing.dedup();
        let label =
            if self.rules_source.label == Label::WhatIf || self.hz_source.label == Label::WhatIf {
                Label::WhatIf
            } else if inferred || !missing.is_empty() {
                Label::Inferred
            } else {
                Label::Replayed
            };
        (label, missing)
    }

    pub(super) fn resources(&self, totals: &GroupTotals) -> Resources {
        Resources {
            cpu: self.resource(Resource::Cpu, totals),
            memory: self.resource(Resource::Memory, totals),
            io: self.resource(Resource::Io, totals),
            irq: self.resource(Resource::Irq, totals),
        }
    }

    fn resource(&self, resource: Resource, totals: &GroupTotals) -> Or<Totals> {
        let evidence = self.input.evidence;
        let (source, reason) = match resource {
            Resource::Cpu => (Some(None), ""),
            Resource::Memory => (
                evidence.memstall.as_ref().map(Some),
                "which tasks were in memory stalls was not recorded",
            ),
            Resource::Io => (
                evidence.iowait.as_ref().map(Some),
                "which sleeps waited for I/O was not recorded",
            ),
            Resource::Irq if !self.rules.irq => (
                None,
                "this kernel does not count interrupt time as pressure",
            ),
            // `psi_account_irqtime` charges what `CONFIG_IRQ_TIME_ACCOUNTING` measured; entries and exits of handlers are
            // not that time, and saying so is better than a number.
            Resource::Irq => (
                None,
                "no event carries the interrupt time that the kernel charges (CONFIG_IRQ_TIME_ACCOUNTING)",
            ),
        };
        let Some(source) = source else {
            return Or::unavailable(reason);
        };
        let mut sources: Vec<&Source> = source.into_iter().collect();
        if totals.group != MACHINE {
            sources.extend(&evidence.cgroups);
        }
        let (label, missing) = self.label(totals, &sources);
        let (some, full) = resource.states();
        let machine = totals.group == MACHINE;
        let zero = machine
            && resource == Resource::Cpu
            && self.rules.cpu_file == CpuFile::FullZeroForMachine;
        Or::Value(Totals {
            available: Available,
            some_us: some.map(|some| totals.totals_ns[some] / 1000),
            full_us: self
                .full(resource, machine)
                .then(|| totals.totals_ns[full] / 1000)
                .or_else(|| zero.then_some(0)),
            label,
            missing,
        })
    }

    /// Returns whether the file of `resource` has a meaningful line `full`.
    fn full(&self, resource: Resource, machine: bool) -> bool {
        let (_, full) = resource.states();
        self.rules.has(full) && (resource != Resource::Cpu || self.rules.shows_cpu_full(machine))
    }

    pub(super) fn series(&self, replay: &Replay, system: &Resources, seeded: bool) -> Series {
        let of = |resource: Resource, available: bool| -> Vec<SeriesPoint> {
            let points = if available {
                replay.series.as_slice()
            } else {
                &[]
            };
            let full = self.full(resource, true);
            points
                .iter()
                .map(|point| series_point(point, resource, full))
                .collect()
        };
        let before = if seeded {
            "averages before the first sample, beyond two decimal places"
        } else {
            "averages before the recording"
        };
        let mut missing = vec![before.to_owned()];
        if replay.left_out > 0 {
            missing.push(format!(
                "{} updates of the averages: long windows have fewer points than updates",
                replay.left_out
            ));
        }
        let what_if = system
            .cpu
            .value()
            .is_some_and(|cpu| cpu.label == Label::WhatIf);
        Series {
            cpu: of(Resource::Cpu, true),
            memory: of(Resource::Memory, system.memory.value().is_some()),
            io: of(Resource::Io, system.io.value().is_some()),
            label: Some(if what_if {
                Label::WhatIf
            } else {
                Label::Inferred
            }),
            missing,
        }
    }

    pub(super) fn residuals(
        &self,
        group: Option<&str>,
        totals: &GroupTotals,
        weather: Weather,
    ) -> Option<Residuals> {
        let window = (self.input.from_ns, self.input.to_ns);
        let of = |resource: Resource, evidence: bool| -> Option<Residual> {
            let files = self.input.samples.iter();
            let series = files
                .filter(|_| evidence)
                .find(|series| series.resource == resource && series.cgroup.as_deref() == group)?;
            check::residual(
                series,
                place(series, self.input.samples),
                totals,
                self.rules,
                weather,
                window,
            )
        };
        let evidence = self.input.evidence;
        let residuals = Residuals {
            cpu: of(Resource::Cpu, true),
            memory: of(Resource::Memory, evidence.memstall.is_some()),
            io: of(Resource::Io, evidence.iowait.is_some()),
        };
        (residuals != Residuals::default()).then_some(residuals)
    }
}

fn series_point(point: &Point, resource: Resource, full: bool) -> SeriesPoint {
    let (some, full_state) = resource.states();
    let some = some.unwrap_or(full_state);
    let avg = |state: usize, k: usize| hundredths(point.avg[state][k]) as f64 / 100.0;
    let full_avg = |k: usize| full.then(|| avg(full_state, k));
    SeriesPoint {
        t_ns: point.t_ns,
        some_avg10: avg(some, 0),
        some_avg60: avg(some, 1),
        some_avg300: avg(some, 2),
        full_avg10: full_avg(0),
        full_avg60: full_avg(1),
        full_avg300: full_avg(2),
        some_total_us: point.totals_ns[some] / 1000,
        full_total_us: full.then(|| point.totals_ns[full_state] / 1000),
    }
}
