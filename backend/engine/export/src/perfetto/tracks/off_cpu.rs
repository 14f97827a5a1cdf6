//! Sleeps of tasks with their causes, and requests of a service.

use numalens_bundle::Error;
use numalens_engine::{TaskSleep, each_sleep, requests};
use numalens_perfetto_packets::{Argument, Mark, Value};
use numalens_subject::{Context, Stop, Window};

use super::Tracks;
use super::waits::Lanes;

/// Tasks whose sleeps are on one track: each has one that ends at a moment, and Perfetto drops what nests too deeply.
const TASKS: usize = 128;

/// A track of sleeps for each [`TASKS`] tasks, and one of requests where an input is a log of them.
pub(super) fn write(
    tracks: &mut Tracks<'_>,
    root: u64,
    bundle: &Context,
    window: Window,
) -> Result<(), Error> {
    let parent = tracks.track(root, 6, "Sleeps", "Each has the provenance of its cause.");
    let mut lanes = Lanes::new(parent, 0, "Sleeps");
    let (mut last, mut tasks) = (0, 0);
    let sleeps = each_sleep(bundle, window, |pid, sleep| {
        tasks += usize::from(pid != last);
        last = pid;
        let track = lanes.lane(tracks, (tasks - 1) / TASKS);
        let comm = bundle.index.comm_of(pid).unwrap_or_default();
        write_sleep(tracks, track, window, (pid, comm), &sleep)
    });
    match sleeps {
        Err(Stop::Failed(error)) => return Err(error),
        Err(Stop::Unavailable(_)) | Ok(()) => {}
    }
    write_requests(tracks, root, bundle, window)
}

fn ns(ns: u64) -> Value<'static> {
    Value::Int(i64::try_from(ns).unwrap_or(i64::MAX))
}

/// An instant at the end of the sleep, for sleeps overlap: of one that crosses an edge of the window, the part inside.
fn write_sleep(
    tracks: &mut Tracks<'_>,
    track: u64,
    window: Window,
    (pid, comm): (i32, &str),
    sleep: &TaskSleep,
) -> Result<(), Error> {
    let (from_ns, to_ns) = (
        sleep.from_ns.max(window.from_ns),
        sleep.to_ns.min(window.to_ns),
    );
    let mut arguments: Vec<Argument<'_>> = vec![
        ("dur", ns(to_ns - from_ns)),
        ("pid", Value::Int(pid.into())),
        ("comm", Value::Text(comm)),
        ("known_by", Value::Text(sleep.provenance)),
    ];
    let texts = [("state", &sleep.state), ("resource", &sleep.resource)];
    arguments.extend(
        texts
            .into_iter()
            .filter_map(|(name, text)| Some((name, Value::Text(text.as_deref()?)))),
    );
    if let Some(waker) = &sleep.waker {
        arguments.push(("waker_pid", Value::Int(waker.pid.into())));
        arguments.push(("waker", Value::Text(&waker.comm)));
    }
    if let Some(holder) = sleep.holders.first() {
        arguments.push(("holder_pid", Value::Int(holder.pid.into())));
        arguments.push(("holder", Value::Text(&holder.comm)));
    }
    let crossed = [
        ("begun_before", sleep.from_ns < window.from_ns),
        ("open_at_end", sleep.to_ns > window.to_ns),
    ];
    let crossed = crossed.into_iter().filter(|(_, crosses)| *crosses);
    arguments.extend(crossed.map(|(name, crosses)| (name, Value::Bool(crosses))));
    let mark = Mark {
        name: sleep.cause,
        category: "sleep",
        arguments: &arguments,
        ..Mark::default()
    };
    tracks.instant(track, to_ns, &mark)
}

/// An instant at the end of each request, for requests overlap.
fn write_requests(
    tracks: &mut Tracks<'_>,
    root: u64,
    bundle: &Context,
    window: Window,
) -> Result<(), Error> {
    let mut all = match requests(bundle, window) {
        Ok(all) => all,
        Err(Stop::Failed(error)) => return Err(error),
        Err(Stop::Unavailable(_)) => return Ok(()),
    };
    all.points.sort_by_key(|point| point.start_ns + point.ns);
    let parent = tracks.track(root, 7, "Requests", &all.notes.join(" "));
    let mut lanes = Lanes::new(parent, 0, "Requests");
    for point in &all.points {
        let is_slow = point.ns >= all.slow_from_ns;
        let mut arguments = vec![("dur", ns(point.ns)), ("slow", Value::Bool(is_slow))];
        if let Some(cause) = &point.cause {
            arguments.push(("state", Value::Text(cause.state)));
            arguments.push(("cause", Value::Text(cause.cause)));
            arguments.push(("cause_ns", ns(cause.ns)));
            let by = cause.by.as_deref();
            arguments.extend(by.map(|by| ("by", Value::Text(by))));
        }
        let to_ns = point.start_ns + point.ns;
        let mark = Mark {
            name: "request",
            category: "request",
            arguments: &arguments,
            ..Mark::default()
        };
        let track = lanes.at(tracks, to_ns);
        tracks.instant(track, to_ns, &mark)?;
    }
    Ok(())
}
