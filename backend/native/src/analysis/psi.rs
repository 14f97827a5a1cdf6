//! Pressure.

use numalens_engine::evidence::Evidence;
use numalens_engine::psi::{Input, Options, Psi, Query, SampleSeries};
use numalens_engine::states::{Groups, StateRow};

use super::data::{Data, Parts, lost_events};
use super::options::{Pressure, parse};
use super::sampled::pressure_samples;
use super::{Answer, Window, unavailable, value};
use crate::bundle::Open;
use crate::error::Error;

pub(super) fn psi(open: &Open, window: Window, options: &str) -> Answer {
    let options: Pressure = parse("psi", options)?;
    match replayed(open, window, options)? {
        Ok(psi) => value(&psi),
        Err(reason) => Ok(unavailable(&reason)),
    }
}

/// The pressure, or why there is none.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn replayed(
    open: &Open,
    window: Window,
    options: Pressure,
) -> Result<Result<Psi, String>, Error> {
    let given = match Given::of(open, window, options)? {
        Ok(given) => given,
        Err(reason) => return Ok(Err(reason.to_owned())),
    };
    let mut query = match Query::new(given.input()) {
        Ok(query) => query,
        Err(reason) => return Ok(Err(reason)),
    };
    given.rows(|row| query.row(row))?;
    Ok(Ok(query.finish()))
}

/// What a query of pressure stands on.
pub(super) struct Given<'a> {
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

impl<'a> Given<'a> {
    /// Collects it; the inner error says why there can be no answer.
    pub(super) fn of(
        open: &'a Open,
        window: Window,
        options: Pressure,
    ) -> Result<Result<Self, &'static str>, Error> {
        let (parts, evidence) = match Data::of(open)? {
            Data::There(parts, evidence) => (parts, evidence),
            Data::Missing(reason) => return Ok(Err(reason)),
        };
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
        Ok(Ok(Self {
            parts,
            evidence,
            window,
            options: Options {
                rules: options.rules,
                hz: options.hz,
            },
            node_of,
            groups: groups.collect(),
            samples: pressure_samples(open)?,
            lost_events: lost_events(open, window.from_ns, window.to_ns)?,
        }))
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
