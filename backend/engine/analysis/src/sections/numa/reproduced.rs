//! How much of what a cling kernel printed and showed a replay comes to that knows less and less of it.

use numalens_bundle::Open;
use numalens_replay::numa::{Attempt, TargetFrom};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cling::compare::{self, Table, compare};
use crate::cling::events::{Events, Inputs, Lateness, replay};
use crate::cling::lines::Checked;
use crate::sections::numa::cling::{Replayed, Told, reached};
use crate::sections::numa::cling_answer::Readings;
use crate::sections::numa::known::Known;
use crate::sections::options::Nothing;
use crate::sections::section::{Stop, Window};

/// What the replay may know besides the scheduler's events: name, probes, readings of `cpu.numa_group`.
const KNOWING: [(&str, bool, bool); 4] = [
    ("events", false, false),
    ("events, readings", false, true),
    ("events, probes", true, false),
    ("events, probes, readings", true, true),
];

/// How many lines were compared.
#[derive(Serialize, JsonSchema)]
struct ComparedLines {
    /// By kind.
    kinds: Vec<Checked>,
    /// Those that the replay does not come to.
    violations_all: usize,
}

/// A replay that knows less than there is.
#[derive(Serialize, JsonSchema)]
struct Way {
    /// What it knows.
    knowing: &'static str,
    /// How much of the printed lines it comes to.
    printed: Option<Table>,
    /// How it comes to the readings.
    readings: Option<Readings>,
}

/// What replays come to that know less and less.
#[derive(Serialize, JsonSchema)]
pub(in super::super) struct Reproduction {
    /// The kernel's lines against their own replay.
    lines: Option<ComparedLines>,
    /// By what they know.
    ways: Vec<Way>,
}

/// Of the whole recording, whatever the window is: counters have a past.
pub(in super::super) fn reproduced(
    open: &Open,
    _: Window,
    _: Nothing,
) -> Result<Reproduction, Stop> {
    let known = Known::of(open)?;
    let told = Told::of(&known)?;
    let replayed = Replayed::of(&known, &told);
    if !replayed.has_cling() {
        return Err(Stop::unavailable(
            "the kernel has no cling, or nothing of it was recorded: neither its lines nor samples of cpu.numa_group",
        ));
    }
    let ways = KNOWING
        .iter()
        .filter(|(_, probes, readings)| {
            (!probes || told.probed()) && (!readings || told.has_readings())
        })
        .map(|&(name, probes, readings)| {
            let (events, table) = knowing(&told, &replayed, probes, readings);
            Way {
                knowing: name,
                printed: table,
                readings: readings.then(|| reached(&events)),
            }
        });
    Ok(Reproduction {
        lines: replayed.lines().map(|lines| ComparedLines {
            kinds: lines.checked.clone(),
            violations_all: lines.violations.len(),
        }),
        ways: ways.collect(),
    })
}

/// The replay of events with probes and readings or without, and how much of the printed lines it comes to.
pub(super) fn knowing(
    told: &Told,
    replayed: &Replayed,
    probes: bool,
    readings: bool,
) -> (Events, Option<Table>) {
    let whole = told.inputs();
    let plain: Vec<Attempt> = if probes {
        Vec::new()
    } else {
        whole.attempts.iter().map(unprobed).collect()
    };
    let inputs = Inputs {
        attempts: if probes { whole.attempts } else { &plain },
        timers: if probes { whole.timers } else { &[] },
        readings: if readings { whole.readings } else { &[] },
        ..whole
    };
    let events = replay(&inputs);
    let table = replayed.lines().map(|lines| {
        compare(&compare::Inputs {
            lines,
            events: &events,
            attempts: inputs.attempts,
            lost: told.lost(),
            jiffy_ns: inputs.clock.jiffy_ns(),
            late_ns: Lateness::default().moved_ns,
        })
    });
    (events, table)
}

/// The attempt as it is without probes.
fn unprobed(attempt: &Attempt) -> Attempt {
    let mut plain = *attempt;
    plain.ret = None;
    if matches!(plain.target_from, TargetFrom::Setnuma | TargetFrom::Entry) {
        (plain.target_nid, plain.target_from) = if plain.dst_nid >= 0 {
            (plain.dst_nid, TargetFrom::Destination)
        } else {
            (-1, TargetFrom::Unknown)
        };
    }
    plain
}
