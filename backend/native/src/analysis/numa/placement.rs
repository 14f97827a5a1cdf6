//! CPU time and memory by numa group and node.

use std::collections::BTreeMap;

use numalens_engine::placement::{Config, Membership, Placement, Ranking, Whose, resident};
use numalens_engine::tasks::TaskId;
use numalens_engine::utilisation::merged;
use numalens_engine::window::SliceRef;
use serde_json::{Value, json};

use super::super::options::{Placed, parse};
use super::super::{Answer, Window, unavailable, value};
use super::known::Known;
use super::samples;
use crate::bundle::Open;
use crate::error::Error;

pub(in super::super) fn placement(open: &Open, window: Window, options: &str) -> Answer {
    let options: Placed = parse("placement", options)?;
    let step_ns = options.step().within(window.from_ns, window.to_ns)?;
    let known = match Known::of(open)? {
        Ok(known) => known,
        Err(reason) => return Ok(unavailable(reason)),
    };
    let index = &open.index;
    let attempts = known.attempts(index.origin_ns(), index.end_ns())?;
    let members = Membership::of_attempts(&attempts);
    let mut ranking = Ranking::new(Config {
        nodes: known.nodes(),
        from_ns: window.from_ns,
        to_ns: window.to_ns,
        step_ns,
        source: known.evidence.run_state.clone(),
        members: &members,
    });
    let pid = |task: TaskId| index.task(task).map_or(-1, |(pid, _)| pid);
    for slice in stays(&known, window)? {
        ranking.slice(&slice, pid(slice.task));
    }
    let mut meter = ranking.meter(options.groups());
    for slice in stays(&known, window)? {
        meter.slice(&slice, pid(slice.task));
    }
    let maps = samples::maps(open)?;
    let memory = resident(&maps, known.nodes(), &members, window.to_ns, meter.shown());
    let told = meter.finish(memory);
    named(&told, &names(open)?)
}

/// The stays of all CPUs by their starts.
fn stays<'a>(
    known: &Known<'a>,
    window: Window,
) -> Result<impl Iterator<Item = SliceRef> + use<'a>, Error> {
    let index = &known.open.index;
    let cpus = known.nodes().iter().flat_map(|node| &node.cpus);
    let lanes = cpus.map(|&cpu| index.slices(cpu, window.from_ns, window.to_ns));
    Ok(merged(lanes.collect::<Result<_, _>>()?))
}

/// The cgroup of each numa group, where the kernel has such and it was read.
fn names(open: &Open) -> Result<BTreeMap<i32, String>, Error> {
    let mut names = BTreeMap::new();
    for reading in samples::groups(open)? {
        if reading.gid > 0 {
            names.insert(reading.gid, reading.cgroup.clone());
        }
    }
    Ok(names)
}

/// The answer with names of groups.
fn named(told: &Placement, names: &BTreeMap<i32, String>) -> Answer {
    let mut told_value = value(told)?;
    let mut name = |part: &str, whose: Vec<Whose>| {
        let rows = told_value.get_mut(part).and_then(Value::as_array_mut);
        for (row, whose) in rows.into_iter().flatten().zip(whose) {
            let (ngid, cgroup) = match whose {
                Whose::Group(ngid) => (Some(ngid), names.get(&ngid)),
                _ => (None, None),
            };
            row["ngid"] = json!(ngid);
            row["cgroup"] = json!(cgroup);
        }
    };
    name("groups", told.groups.iter().map(|row| row.whose).collect());
    let memory = told.memory.iter().flatten();
    name("memory", memory.map(|row| row.whose).collect());
    Ok(told_value)
}
