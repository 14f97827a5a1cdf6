//! Pressure.

use numalens_bundle::{Error, Open};
use numalens_replay::evidence::Evidence;
use numalens_replay::states::{Groups, StateRow};

use crate::psi::{Input, Options, Psi, Query, SampleSeries};
use crate::sections::options::{Pressure, PressureSeries};
use crate::sections::sampled::pressure_samples;
use crate::sections::section::{self, Parts, Stop, Window, lost_events, replay};

pub(super) fn psi(open: &Open, window: Window, options: PressureSeries) -> Result<Psi, Stop> {
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
pub fn replayed(open: &Open, window: Window, options: &Pressure) -> Result<Psi, Stop> {
    let given = PressureInputs::of(open, window, options)?;
    let mut query = Query::new(given.input()).map_err(Stop::Unavailable)?;
    given.rows(|row| query.row(row))?;
    Ok(query.finish())
}

/// What a query of pressure stands on.
pub(super) struct PressureInputs<'a> {
    parts: &'a Parts,
    evidence: &'a Evidence,
    window: Window,
    options: Options,
    /// Node of each CPU by its number, -1 when not known.
    pub(super) node_of: Vec<i32>,
    /// Number and path of the cgroups.
    pub(super) groups: Vec<(u32, &'a str)>,
    pub(super) samples: Vec<SampleSeries>,
    lost_events: u64,
}

impl<'a> PressureInputs<'a> {
    pub(super) fn of(open: &'a Open, window: Window, options: &Pressure) -> Result<Self, Stop> {
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
            parts,
            evidence,
            window,
            options: Options {
                rules: options.psi_rules.map(|rules| rules.name().to_owned()),
                hz: options.hz,
            },
            node_of,
            groups: groups.collect(),
            samples: pressure_samples(open)?,
            lost_events: lost_events(open, window.from_ns, window.to_ns)?,
        })
    }

    pub(super) fn input(&self) -> Input<'_> {
        Input {
            evidence: self.evidence,
            options: &self.options,
            from_ns: self.window.from_ns,
            to_ns: self.window.to_ns,
            node_of: &self.node_of,
            groups: &self.groups,
            instants: &self.parts.instants,
            samples: &self.samples,
            lost_events: self.lost_events,
            // On the monotonic clock ticks stand at whole multiples of a jiffy.
            tick_anchor_ns: None,
        }
    }

    /// The states of the machine and of the cgroups in the window, in the order of time.
    pub(super) fn rows(&self, row: impl FnMut(&StateRow)) -> Result<(), Error> {
        let Window { from_ns, to_ns } = self.window;
        self.parts.states.scan_all(from_ns, to_ns, row)?;
        Ok(())
    }
}
