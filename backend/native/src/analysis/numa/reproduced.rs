//! How much of what a cling kernel printed and showed a replay comes to that knows less and less of it.

use numalens_engine::cling::compare::{self, Table, compare};
use numalens_engine::cling::events::{Events, Inputs, Lateness, replay};
use numalens_engine::numa::{Attempt, TargetFrom};
use serde_json::{Value, json};

use super::super::options::{Nothing, parse};
use super::super::{Answer, Window, unavailable};
use super::cling::{Replayed, Told, reached};
use super::known::Known;
use crate::bundle::Open;

/// What the replay may know besides the scheduler's events: name, probes, readings of `cpu.numa_group`.
const KNOWING: [(&str, bool, bool); 4] = [
    ("events", false, false),
    ("events, readings", false, true),
    ("events, probes", true, false),
    ("events, probes, readings", true, true),
];

/// Of the whole recording, whatever the window is: counters have a past.
pub(in super::super) fn reproduced(open: &Open, _window: Window, options: &str) -> Answer {
    let _: Nothing = parse("reproduced", options)?;
    let known = match Known::of(open)? {
        Ok(known) => known,
        Err(reason) => return Ok(unavailable(reason)),
    };
    let told = Told::of(&known)?;
    let replayed = Replayed::of(&known, &told);
    if !replayed.has_cling() {
        return Ok(unavailable(
            "the kernel has no cling, or nothing of it was recorded: neither its lines nor samples of cpu.numa_group",
        ));
    }
    let ways: Vec<Value> = KNOWING
        .iter()
        .filter(|(_, probes, readings)| {
            (!probes || told.probed()) && (!readings || told.has_readings())
        })
        .map(|&(name, probes, readings)| {
            let (events, table) = knowing(&told, &replayed, probes, readings);
            json!({
                "knowing": name,
                "printed": table,
                "readings": readings.then(|| reached(&events)),
            })
        })
        .collect();
    Ok(json!({
        "lines": replayed.lines().map(|lines| json!({
            "kinds": lines.checked,
            "violations_all": lines.violations.len(),
        })),
        "ways": ways,
    }))
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
