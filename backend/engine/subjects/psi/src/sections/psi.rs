//! Pressure.

use std::sync::Arc;

use numalens_bundle::Error;
use numalens_replay::evidence::Evidence;
use numalens_replay::states::Groups;
use numalens_subject::section::{self, Parts, lost_events, replay};
use numalens_subject::{Context, Shared, Stop, Window};

use crate::findings::{Watch, Watched};
use crate::options::{Pressure, PressureSeries};
use crate::result::{Or, Residual, Residuals, Totals};
use crate::sections::sampled::pressure_samples;
use crate::{Input, Options, Psi, Query, SampleSeries};
use numalens_core::provenance::Label;
use numalens_subject::metrics::{self, Basis, Better, Metric, Metrics, content, figures};

pub(super) fn psi(open: &Context, window: Window, options: PressureSeries) -> Result<Psi, Stop> {
    let PressureSeries {
        psi_rules,
        hz,
        points,
    } = options;
    let mut psi = replayed(open, window, &Pressure { psi_rules, hz })?;
    let series = &mut psi.series;
    for series in [&mut series.cpu, &mut series.memory, &mut series.io] {
        section::evenly(series, points);
    }
    Ok(psi)
}

/// The pressure.
///
/// # Errors
///
/// Stops when an input is missing or a log cannot be read.
pub fn replayed(open: &Context, window: Window, options: &Pressure) -> Result<Psi, Stop> {
    let given = PressureInputs::of(open, window, options)?;
    Ok(given.replayed()?.psi.clone())
}

/// Replay of a window's states.
pub(super) struct PressureReplay {
    pub(super) psi: Psi,
    /// For the detectors.
    pub(super) watched: Watched,
}

impl Shared for PressureReplay {
    fn heap_bytes(&self) -> usize {
        /// Size of a resource or a list of a cgroup.
        const OF_GROUP: usize = 4 << 10;
        let series = &self.psi.series;
        let series = [&series.cpu, &series.memory, &series.io];
        let points: usize = series.into_iter().map(Vec::heap_bytes).sum();
        let episodes = self.watched.groups.iter().map(|group| {
            let lists = [&group.mem_full, &group.throttled];
            let lists = lists.into_iter().chain(&group.spikes).map(Vec::heap_bytes);
            OF_GROUP + lists.sum::<usize>() + group.mem_full_stretches.heap_bytes()
        });
        points + episodes.sum::<usize>()
    }
}

/// Inputs of a pressure query.
pub(super) struct PressureInputs<'a> {
    open: &'a Context,
    parts: &'a Parts,
    evidence: &'a Evidence,
    window: Window,
    requested: Pressure,
    options: Options,
    /// Node of each CPU by its number, -1 when not known.
    pub(super) node_of: Vec<i32>,
    /// Number and path of the cgroups.
    pub(super) groups: Vec<(u32, &'a str)>,
    pub(super) samples: Arc<Vec<SampleSeries>>,
}

impl<'a> PressureInputs<'a> {
    pub(super) fn of(open: &'a Context, window: Window, options: &Pressure) -> Result<Self, Stop> {
        let (parts, evidence) = replay(open)?;
        let nodes = open.index.nodes();
        let cpus = nodes.iter().flat_map(|node| &node.cpus);
        let cpus = cpus.max().map_or(0, |&cpu| cpu as usize + 1);
        let mut node_of = vec![-1; cpus];
        for node in nodes {
            for &cpu in &node.cpus {
                node_of[cpu as usize] = node.nid as i32;
            }
        }
        let groups = parts.groups.iter().flat_map(Groups::iter);
        Ok(Self {
            open,
            parts,
            evidence,
            window,
            requested: *options,
            options: Options {
                rules: options.psi_rules.map(|rules| rules.name().to_owned()),
                hz: options.hz,
            },
            node_of,
            groups: groups.collect(),
            samples: pressure_samples(open)?,
        })
    }

    /// Returns the replay of the states.
    pub(super) fn replayed(&self) -> Result<Arc<PressureReplay>, Stop> {
        let Pressure { psi_rules, hz } = self.requested;
        let key = (self.window, psi_rules, hz);
        self.open.shared(key, || self.replay())
    }

    fn replay(&self) -> Result<PressureReplay, Stop> {
        let Window { from_ns, to_ns } = self.window;
        let mut query = Query::new(self.input()?).map_err(Stop::Unavailable)?;
        let (rules, hz) = (query.rules(), query.hz());
        let mut watch = Watch::new(rules, hz, from_ns, to_ns, self.node_of.clone());
        self.parts.states.scan_all(from_ns, to_ns, |row| {
            query.row(row);
            watch.row(row);
        })?;
        Ok(PressureReplay {
            psi: query.finish(),
            watched: watch.finish(),
        })
    }

    fn input(&self) -> Result<Input<'_>, Error> {
        let Window { from_ns, to_ns } = self.window;
        Ok(Input {
            evidence: self.evidence,
            options: &self.options,
            from_ns,
            to_ns,
            node_of: &self.node_of,
            groups: &self.groups,
            instants: &self.parts.instants,
            samples: &self.samples,
            lost_events: lost_events(self.open, from_ns, to_ns)?,
            // On the monotonic clock ticks are at whole multiples of a jiffy.
            tick_anchor_ns: None,
        })
    }
}

/// Figures for comparisons: replayed pressure, and the kernel's own.
pub(super) fn metrics(
    open: &Context,
    window: (u64, u64),
    _step_ns: u64,
) -> Result<Vec<Metrics>, Error> {
    let found = content(psi, open, window, PressureSeries::default(), false)?;
    let rows = figures("psi", &found, |psi, seconds| {
        let (system, residual) = (&psi.system, psi.residual.as_ref());
        let of =
            |each: fn(&Residuals) -> &Option<Residual>| residual.and_then(|all| each(all).as_ref());
        let mut rows = of_resource("cpu", &system.cpu, of(|all| &all.cpu), seconds);
        rows.extend(of_resource(
            "memory",
            &system.memory,
            of(|all| &all.memory),
            seconds,
        ));
        rows.extend(of_resource("io", &system.io, of(|all| &all.io), seconds));
        rows.extend(of_resource("irq", &system.irq, None, seconds));
        rows
    });
    Ok(vec![rows])
}

/// Figures of a resource. Of interrupts the kernel's own counter is not compared.
fn of_resource(
    resource: &str,
    replayed: &Or<Totals>,
    sampled: Option<&Residual>,
    seconds: f64,
) -> Vec<Metric> {
    let ms = |us: u64| us as f64 / 1e3;
    let mut rows = Vec::new();
    let mut row = |name: String, title: String, value| {
        rows.push(Metric::new(name, title, value).of("ms", Better::Lower));
    };
    for (kind, is_full) in [("some", false), ("full", true)] {
        let value = match replayed {
            Or::Unavailable(missing) => Err(missing.reason.clone()),
            Or::Value(totals) => {
                let us = if is_full {
                    totals.full_us
                } else {
                    totals.some_us
                };
                Basis::new(totals.label, &totals.missing, seconds).count(us.map(ms))
            }
        };
        let (name, title) = (
            format!("psi_{resource}_{kind}"),
            format!("{resource} {kind}"),
        );
        row(name.clone(), title.clone(), value);
        if resource == "irq" {
            continue;
        }
        let grown = sampled.and_then(|span| {
            let us = if is_full {
                span.sampled_full_us
            } else {
                Some(span.sampled_some_us)
            };
            Some((ms(us?), span.to_ns - span.from_ns))
        });
        let value = grown.ok_or("the kernel's own counter was not sampled in the window");
        let value = value.map_err(str::to_owned).and_then(|(grown, ns)| {
            Basis::new(Label::Observed, &[""; 0], metrics::seconds(ns)).count(grown)
        });
        row(
            format!("{name}_sampled"),
            format!("{title}, the kernel's own"),
            value,
        );
    }
    rows
}
