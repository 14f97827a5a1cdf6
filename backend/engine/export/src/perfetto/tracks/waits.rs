//! The waits of tasks for a CPU with their causes, each as the section `latency` counts it.

use std::collections::BTreeSet;

use numalens_bundle::Error;
use numalens_core::tasks::TaskId;
use numalens_engine::Ledger;
use numalens_perfetto_packets::{Argument, Mark, Value};
use numalens_replay::waits::{Cause, WaitPart};
use numalens_subject::waits::Sort;
use numalens_subject::{Context, Stop, Window};

use super::{Tracks, known};

const CATEGORY: &str = "wait";

/// A track for each kind of wait, and one of the tasks that waited: `task` of a wait is `number` of one of them. The track above
/// says whether the waits are recorded, and how they are known or why not.
pub(super) fn write(
    tracks: &mut Tracks<'_>,
    root: u64,
    bundle: &Context,
    window: Window,
) -> Result<(), Error> {
    let ledger = match Ledger::of(bundle, window) {
        Ok(ledger) => ledger,
        Err(Stop::Failed(error)) => return Err(error),
        Err(Stop::Unavailable(reason)) => {
            write_source(tracks, root, window, (false, &format!("{reason}.")))?;
            return Ok(());
        }
    };
    let known_by = known(ledger.label, &ledger.missing);
    let parent = write_source(tracks, root, window, (true, &known_by))?;
    let mut lanes = Sort::ALL.map(|kind| Lanes::new(parent, kind as usize, kind.name()));
    let causes = Cause::ALL.map(|cause| {
        let known = if cause.is_inferred() {
            "inferred"
        } else {
            "cause"
        };
        format!("{known}_{}", cause.name())
    });
    let mut tasks: BTreeSet<TaskId> = BTreeSet::new();
    ledger.each(|part, kind| {
        tasks.insert(part.wait.task);
        let track = lanes[kind as usize].at(tracks, part.to_ns);
        write_wait(tracks, track, &causes, part)
    })?;
    let mut lanes = Lanes::new(parent, Sort::ALL.len(), "Tasks");
    for task in tasks {
        let (pid, comm) = bundle.index.task(task).unwrap_or((-1, ""));
        let mark = Mark {
            name: comm,
            category: CATEGORY,
            arguments: &[
                ("number", Value::Int(task.into())),
                ("pid", Value::Int(pid.into())),
            ],
            ..Mark::default()
        };
        let track = lanes.at(tracks, window.from_ns);
        tracks.instant(track, window.from_ns, &mark)?;
    }
    Ok(())
}

/// Tracks called `name`, `name 2`, ... Instants of one track and moment nest, and Perfetto drops what nests too deeply
/// (`SliceTracker`, 512); tracks of one name are one to it.
pub(super) struct Lanes<'a> {
    parent: u64,
    rank: usize,
    name: &'a str,
    tracks: Vec<u64>,
    /// The latest moment, and how many instants it has.
    last: (u64, usize),
}

/// Instants of one track and moment.
const AT_ONCE: usize = 256;

impl<'a> Lanes<'a> {
    pub(super) fn new(parent: u64, rank: usize, name: &'a str) -> Self {
        Self {
            parent,
            rank,
            name,
            tracks: Vec::new(),
            last: (0, 0),
        }
    }

    /// The track of the next instant. Moments ascend.
    pub(super) fn at(&mut self, tracks: &mut Tracks<'_>, at_ns: u64) -> u64 {
        let before = if self.last.0 == at_ns { self.last.1 } else { 0 };
        self.last = (at_ns, before + 1);
        self.lane(tracks, before / AT_ONCE)
    }

    /// A track by its place, at most the number of those that there are.
    pub(super) fn lane(&mut self, tracks: &mut Tracks<'_>, lane: usize) -> u64 {
        if lane == self.tracks.len() {
            let name = match lane {
                0 => self.name.to_owned(),
                more => format!("{} {}", self.name, more + 1),
            };
            self.tracks
                .push(tracks.track(self.parent, self.rank, &name, ""));
        }
        self.tracks[lane]
    }
}

/// The track above, with an instant: Perfetto leaves out a track that has nothing on it or below it.
fn write_source(
    tracks: &mut Tracks<'_>,
    root: u64,
    window: Window,
    (recorded, known_by): (bool, &str),
) -> Result<u64, Error> {
    let track = tracks.track(root, 5, "Waits", known_by);
    let mark = Mark {
        name: if recorded { "recorded" } else { "not recorded" },
        category: CATEGORY,
        arguments: &[("known_by", Value::Text(known_by))],
        ..Mark::default()
    };
    tracks.instant(track, window.from_ns, &mark)?;
    Ok(track)
}

/// An instant at the wait's end, for waits overlap. What is not so is left out.
fn write_wait(
    tracks: &mut Tracks<'_>,
    track: u64,
    names: &[String; Cause::COUNT],
    part: &WaitPart<'_>,
) -> Result<(), Error> {
    let wait = part.wait;
    let ns = |ns: u64| Value::Int(i64::try_from(ns).unwrap_or(i64::MAX));
    let mut arguments: Vec<Argument<'_>> = vec![
        ("dur", ns(part.ns())),
        ("ended", Value::Text(wait.end.name())),
        ("task", Value::Int(wait.task.into())),
        ("cpu", Value::Int(wait.cpu.into())),
    ];
    let waker = Some(wait.waker_pid).filter(|pid| *pid >= 0);
    arguments.extend(waker.map(|pid| ("waker", Value::Int(pid.into()))));
    let edges = [
        ("begun_before", part.begun_before()),
        ("open_at_end", part.open_at_end()),
    ];
    let crossed = edges.into_iter().filter(|(_, crosses)| *crosses);
    arguments.extend(crossed.map(|(name, crosses)| (name, Value::Bool(crosses))));
    let spent = part.causes.iter();
    arguments.extend(spent.map(|of| (names[of.cause as usize].as_str(), ns(of.ns))));
    let mark = Mark {
        name: wait.from.name(),
        category: CATEGORY,
        arguments: &arguments,
        ..Mark::default()
    };
    tracks.instant(track, part.to_ns, &mark)
}
