//! The idle load balancer: what it did, with an arrow from where a kick was sent to where it was to balance.

use numalens_bundle::Error;
use numalens_engine::kicks;
use numalens_idle_balancing::Event;
use numalens_perfetto_packets::{Argument, Mark, Value};
use numalens_subject::{Context, Window};

use super::{MOST, Tracks, cut, known, word};

pub(super) fn write(
    tracks: &mut Tracks<'_>,
    root: u64,
    bundle: &Context,
    window: Window,
) -> Result<(), Error> {
    let Some(found) = kicks(bundle, window)? else {
        return Ok(());
    };
    let events = found.events;
    let description = format!(
        "{}{}",
        known(found.label, &found.missing),
        cut("events", events.len())
    );
    let parent = tracks.track(root, 4, "Idle load balancer", &description);
    let sent = tracks.track(
        parent,
        0,
        "Kicks sent",
        "Kicks by the sending CPU, where known; passes; and blocked ticks.",
    );
    let came = tracks.track(parent, 1, "Kicks arrived", "Outcome on the kicked CPU.");
    for event in events.iter().take(MOST) {
        write_event(tracks, sent, came, event)?;
    }
    Ok(())
}

fn write_event(tracks: &mut Tracks<'_>, sent: u64, came: u64, event: &Event) -> Result<(), Error> {
    let [kind, label] = [word(&event.kind), word(&event.label)];
    let fate = event.fate.as_ref().map(word);
    let why = event.why.as_ref().map(word);
    let mut arguments: Vec<Argument<'_>> =
        vec![("kind", Value::Text(&kind)), ("label", Value::Text(&label))];
    arguments.extend(fate.as_deref().map(|fate| ("fate", Value::Text(fate))));
    arguments.extend(event.cpu.map(|cpu| ("cpu", Value::Int(cpu.into()))));
    arguments.extend(event.target.map(|cpu| ("target", Value::Int(cpu.into()))));
    arguments.extend(why.as_deref().map(|why| ("why", Value::Text(why))));
    let jiffies = event
        .jiffies
        .and_then(|jiffies| i64::try_from(jiffies).ok());
    arguments.extend(jiffies.map(|jiffies| ("jiffies", Value::Int(jiffies))));
    let arrived = event.arrived_ns.filter(|arrived| *arrived >= event.t_ns);
    tracks.flows += 1;
    let mark = Mark {
        name: &kind,
        category: "ilb",
        arguments: &arguments,
        flow: arrived.map(|_| tracks.flows),
        ends: None,
    };
    tracks.instant(sent, event.t_ns, &mark)?;
    let Some(arrived) = arrived else {
        return Ok(());
    };
    let mark = Mark {
        name: fate.as_deref().unwrap_or_default(),
        flow: None,
        ends: Some(tracks.flows),
        ..mark
    };
    tracks.instant(came, arrived, &mark)
}
