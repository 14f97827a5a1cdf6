//! Which group objects there were, and which attempts belong to them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use numalens_replay::numa::Attempt;

use crate::cling::events::{Applied, Fate, Grouping, Inputs, failed};
use crate::cling::group::NO_NODE;
use crate::cling::history::GroupId;

/// A group object.
#[derive(Debug, Clone)]
pub(super) struct Object {
    pub(super) id: GroupId,
    /// Its ids, or its cgroup.
    pub(super) keys: BTreeSet<i64>,
    /// It was not there before, ns.
    pub(super) from_ns: u64,
    /// It was there at the latest, ns.
    pub(super) surely_ns: u64,
    /// Whether all was 0 at its begin; else it was there before anything is known.
    pub(super) fresh: bool,
    /// When its file was set to 0: its timer ends, its members stay (`docs/algorithms/cling.md`, G7).
    pub(super) disabled_ns: Option<u64>,
    /// Places of its readings.
    pub(super) readings: Vec<usize>,
    /// Attempts of which it is not known how they ended.
    pub(super) unknown: usize,
    /// Places of its attempts, by when they end.
    pub(super) attempts: Vec<usize>,
}

/// The objects that readings show, or one for each id or cgroup that has attempts.
pub(super) fn find(inputs: &Inputs<'_>, grouping: &Grouping<'_>) -> Vec<Object> {
    if matches!(grouping, Grouping::Readings) {
        let mut found = by_readings(inputs);
        for (number, object) in (1..).zip(&mut found) {
            object.id.number = number;
        }
        return found;
    }
    let mut first: BTreeMap<i64, u64> = BTreeMap::new();
    for attempt in inputs.attempts {
        if let Some(key) = key(attempt, grouping) {
            first.entry(key).or_insert(attempt.start_ns);
        }
    }
    let made = (1..).zip(first).map(|(number, (key, t_ns))| {
        let mut object = object(t_ns, true);
        object.id.number = number;
        match grouping {
            Grouping::Cgroup { path, .. } => {
                object.id.number = u32::try_from(key).unwrap_or(number);
                object.id.cgroup = path(object.id.number);
            }
            _ => object.id.gid = i32::try_from(key).unwrap_or(0),
        }
        object.keys.insert(key);
        object
    });
    made.collect()
}

/// What tells an attempt's group; `None` for none.
fn key(attempt: &Attempt, grouping: &Grouping<'_>) -> Option<i64> {
    match grouping {
        Grouping::Cgroup { of, .. } => of(attempt.pid, attempt.start_ns).map(i64::from),
        _ => (attempt.ngid > 0).then_some(i64::from(attempt.ngid)),
    }
}

fn object(from_ns: u64, fresh: bool) -> Object {
    Object {
        id: GroupId {
            number: 0,
            gid: 0,
            cgroup_id: None,
            cgroup: None,
        },
        keys: BTreeSet::new(),
        from_ns,
        surely_ns: from_ns,
        fresh,
        disabled_ns: None,
        readings: Vec::new(),
        unknown: 0,
        attempts: Vec::new(),
    }
}

fn by_readings(inputs: &Inputs<'_>) -> Vec<Object> {
    let mut found: Vec<Object> = Vec::new();
    // The object of each cgroup, and when its file was last seen disabled.
    let mut open: HashMap<&str, usize> = HashMap::new();
    let mut disabled: HashMap<&str, u64> = HashMap::new();
    for (at, reading) in inputs.readings.iter().enumerate() {
        let path = reading.cgroup.as_str();
        let current = open.get(path).copied();
        if !reading.enabled {
            disabled.insert(path, reading.t1_ns);
            if let Some(object) = current.and_then(|at| found.get_mut(at)) {
                object.disabled_ns.get_or_insert(reading.t0_ns);
            }
            continue;
        }
        let live = current.filter(|&at| {
            found
                .get(at)
                .is_some_and(|object| object.disabled_ns.is_none())
        });
        let live = live.unwrap_or_else(|| {
            let before = disabled.get(path).copied();
            let mut new = object(before.unwrap_or(reading.t0_ns), before.is_some());
            new.surely_ns = reading.t0_ns;
            new.id.cgroup = Some(reading.cgroup.clone());
            found.push(new);
            open.insert(path, found.len() - 1);
            found.len() - 1
        });
        if let Some(object) = found.get_mut(live) {
            object.readings.push(at);
            if reading.gid > 0 {
                object.keys.insert(i64::from(reading.gid));
                object.id.gid = reading.gid;
            }
        }
    }
    found
}

/// Gives each attempt to its group.
pub(super) fn assign(
    inputs: &Inputs<'_>,
    grouping: &Grouping<'_>,
    objects: &mut [Object],
) -> Vec<Applied> {
    let mut by_key: HashMap<i64, Vec<usize>> = HashMap::new();
    for (at, object) in objects.iter().enumerate() {
        for &key in &object.keys {
            by_key.entry(key).or_default().push(at);
        }
    }
    let mut all = Vec::with_capacity(inputs.attempts.len());
    for (place, attempt) in inputs.attempts.iter().enumerate() {
        let key = key(attempt, grouping);
        let group = key.and_then(|key| by_key.get(&key)).and_then(|of| {
            let began = |at: &&usize| {
                objects
                    .get(**at)
                    .is_some_and(|object| object.from_ns <= attempt.end_ns)
            };
            // The events may stand before the moment from which on the group is known.
            of.iter().rev().find(began).or_else(|| of.first()).copied()
        });
        let failed = failed(attempt);
        let fate = match group {
            _ if key.is_none() => Fate::NoGroup,
            None => Fate::OtherGroup,
            Some(_) if failed.is_none() => Fate::UnknownVerdict,
            Some(_) if attempt.target_nid < 0 => Fate::UnknownTarget,
            Some(_) => Fate::Counted,
        };
        let object = group.and_then(|at| objects.get_mut(at));
        all.push(Applied {
            attempt: place,
            t_ns: attempt.end_ns,
            pid: attempt.pid,
            group: object.as_ref().map(|object| object.id.number),
            nid: attempt.target_nid.max(NO_NODE),
            from_reading: false,
            failed,
            fate,
        });
        // Readings may tell which node it was.
        match (object, fate) {
            (Some(object), Fate::Counted | Fate::UnknownTarget) => object.attempts.push(place),
            (Some(object), Fate::UnknownVerdict) => object.unknown += 1,
            _ => {}
        }
    }
    for object in objects {
        let end = |place: &usize| {
            inputs
                .attempts
                .get(*place)
                .map_or(0, |attempt| attempt.end_ns)
        };
        object.attempts.sort_by_key(end);
    }
    all
}
