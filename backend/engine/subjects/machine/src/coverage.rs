//! Recorded part of a window.

use numalens_bundle::Error;
use numalens_replay::evidence::OTHER_TASKS;
use numalens_subject::findings::occurrence::Occurrence;
use numalens_subject::{Context, Window, optional};

use crate::sections::utilisation::used;
use crate::utilisation::CpuTime;

/// A smaller share of the CPUs' time without data is ignored, percent.
pub const LEAST_PERCENT: f64 = 1.0;

/// Share of the CPUs' time that is not recorded, percent, without time in which they were offline; 0 where nothing is
/// known of the CPUs, or only what tasks of one process did there.
///
/// # Errors
///
/// A log cannot be read.
pub fn unrecorded(open: &Context, window: Window) -> Result<f64, Error> {
    let (known, unknown) = recorded_ns(open, window)?;
    Ok(if known > 0 {
        unknown as f64 * 100.0 / known.saturating_add(unknown) as f64
    } else {
        0.0
    })
}

/// Longest time of the window in which a task may have run unseen, ns: the CPUs' time that is not recorded, as far as no two
/// CPUs can have run it at a time.
///
/// # Errors
///
/// A log cannot be read.
pub fn unseen_ns(open: &Context, window: Window) -> Result<u64, Error> {
    let (_, unknown) = recorded_ns(open, window)?;
    Ok(unknown.min(window.to_ns.saturating_sub(window.from_ns)))
}

/// The CPUs' time that is recorded, and that is not, ns.
fn recorded_ns(open: &Context, window: Window) -> Result<(u64, u64), Error> {
    let Some(used) = optional(used(open, window, None))? else {
        return Ok((0, 0));
    };
    if used.missing.iter().any(|missing| missing == OTHER_TASKS) {
        return Ok((0, 0));
    }
    let evidence = open.evidence.as_ref();
    let offline = evidence.map_or(&[][..], |evidence| &evidence.offline);
    let off_ns = |cpu: u32| {
        let own = offline.iter().filter(|off| off.cpu == cpu);
        let parts = own.map(|off| {
            let to_ns = off.to_ns.unwrap_or(u64::MAX).min(window.to_ns);
            to_ns.saturating_sub(off.from_ns.max(window.from_ns))
        });
        parts.fold(0, u64::saturating_add)
    };
    let sum = |part: &dyn Fn(&CpuTime) -> u64| {
        let parts = used.cpus.iter().map(part);
        parts.fold(0, u64::saturating_add)
    };
    let known = sum(&|cpu| cpu.busy_ns.saturating_add(cpu.idle_ns));
    let unknown = sum(&|cpu| cpu.unknown_ns.saturating_sub(off_ns(cpu.cpu)));
    Ok((known, unknown))
}

/// Returns whether one of these nodes has no CPU that recorded in a window.
///
/// # Errors
///
/// A log cannot be read.
pub fn is_any_dark(open: &Context, window: Window, nodes: &[i32]) -> Result<bool, Error> {
    if nodes.is_empty() {
        return Ok(false);
    }
    let Some(used) = optional(used(open, window, None))? else {
        return Ok(false);
    };
    let all_dark = |nid: i32| {
        let mut cpus = used.cpus.iter().filter(|cpu| nid.try_into() == Ok(cpu.nid));
        cpus.all(is_dark)
    };
    Ok(nodes.iter().any(|&nid| all_dark(nid)))
}

fn is_dark(cpu: &CpuTime) -> bool {
    cpu.busy_ns == 0 && cpu.idle_ns == 0
}

/// Removes the CPUs of occurrences that recorded nothing in their time.
///
/// # Errors
///
/// A log cannot be read.
pub fn keep_recorded(
    open: &Context,
    window: Window,
    places: &mut [Occurrence],
) -> Result<(), Error> {
    let Some(all) = optional(used(open, window, None))? else {
        return Ok(());
    };
    if all.missing.iter().any(|missing| missing == OTHER_TASKS) {
        return Ok(());
    }
    for place in places {
        let from_ns = place.from_ns.max(window.from_ns);
        let to_ns = place.to_ns.min(window.to_ns);
        let to_ns = to_ns.max(from_ns.saturating_add(1));
        // What is known for more of the window is known for some of this time.
        let mut open_long = all
            .cpus
            .iter()
            .filter(|cpu| cpu.unknown_ns >= to_ns - from_ns);
        if !open_long.any(|cpu| place.cpus.contains(&cpu.cpu)) {
            continue;
        }
        let own = Window { from_ns, to_ns };
        if let Some(used) = optional(used(open, own, None))? {
            let is_dark = |of: u32| used.cpus.iter().any(|cpu| cpu.cpu == of && is_dark(cpu));
            place.cpus.retain(|&cpu| !is_dark(cpu));
        }
    }
    Ok(())
}
