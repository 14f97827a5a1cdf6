//! From the clock of a log of requests to that of the recording.

use numalens_bundle::Error;
use numalens_core::provenance::Label;
use numalens_replay::timeline::TaskState;
use serde::Deserialize;

use super::read::REAL_NS;
use super::{Request, Service};
use crate::ledger::Ledger;

/// How far the clock of a recording may be from `CLOCK_MONOTONIC`, ns: the clocks of tracing begin with the machine, too, and are not
/// disciplined (500 ppm of an hour are 1.8 s).
const FARTHEST_NS: i64 = 4_000_000_000;
/// Width of a step of the search, ns.
const STEP_NS: i64 = 50_000;
/// How long it takes at most from the begin of a request to the wake-up, and from the last run to its end, ns.
const REACTION_NS: i64 = 150_000;
/// Requests by which clocks are compared.
const COMPARED: usize = 500;
/// Share of the hits of the best shift, in percent, that one has that fits about as well.
const ALIKE: u64 = 90;
/// Share of the requests that must fit, in percent, so that the shift is taken.
const FITTING: u64 = 25;

/// How the times of a log come onto the recording's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Clock {
    /// ns to be added.
    pub(crate) shift_ns: i64,
    pub(crate) label: Label,
}

#[derive(Deserialize)]
struct Manifest {
    reference: Option<Reference>,
}

#[derive(Deserialize)]
struct Reference {
    clock: String,
}

/// Name of the recording's clock.
pub(crate) fn clock_name(ledger: &Ledger<'_>) -> Option<String> {
    let manifest: Manifest = serde_json::from_str(&ledger.open.manifest).ok()?;
    manifest.reference.map(|reference| reference.clock)
}

/// Finds out how the times of a log come onto the recording's clock.
pub(crate) fn align(
    ledger: &Ledger<'_>,
    service: &Service,
    requests: &[Request],
) -> Result<Clock, Error> {
    let stays = |label| Clock { shift_ns: 0, label };
    if requests.first().is_some_and(|it| it.start_ns >= REAL_NS) {
        return Ok(match real_shift(ledger)? {
            Some(shift_ns) => Clock { shift_ns, label: Label::Replayed },
            None => stays(Label::Inferred),
        });
    }
    match clock_name(ledger).as_deref() {
        // A machine that was never suspended has one time on both.
        Some("mono" | "monotonic" | "boot" | "boottime") => Ok(stays(Label::Observed)),
        _ => Ok(match search(ledger, service, requests)? {
            Some(shift_ns) => Clock { shift_ns, label: Label::Inferred },
            None => stays(Label::Inferred),
        }),
    }
}

/// What is to be added to times since 1970, by the samples that have both clocks.
fn real_shift(ledger: &Ledger<'_>) -> Result<Option<i64>, Error> {
    let mut shift = None;
    let open = ledger.open;
    for table in &open.samples {
        if shift.is_some() {
            break;
        }
        numalens_bundle::samples(open, &table.table, |batch| {
            let real = numalens_bundle::integers(batch, "real_ns");
            let placed = numalens_bundle::integers(batch, "ts_ns");
            for row in 0..batch.num_rows() {
                let pair = numalens_bundle::at(placed, row).zip(numalens_bundle::at(real, row));
                if let Some((placed, real)) = pair.filter(|_| shift.is_none()) {
                    shift = Some(placed - real);
                }
            }
        })?;
    }
    Ok(shift)
}

/// Looks for the shift by which the most requests both begin when a task of the service is woken and end when one has run: requests wake
/// those who serve them. The slowest requests are compared, as the others are alike. Of shifts that fit about as well, the smallest is taken.
fn search(
    ledger: &Ledger<'_>,
    service: &Service,
    requests: &[Request],
) -> Result<Option<i64>, Error> {
    let mut begins = Vec::new();
    let mut ends = Vec::new();
    for &pid in &service.pids {
        for span in ledger.spans(pid)?.all() {
            match span.state {
                TaskState::Woken => begins.push((ledger.origin_ns + span.start) as i64),
                TaskState::Running => ends.push((ledger.origin_ns + span.end) as i64),
                _ => {}
            }
        }
    }
    begins.sort_unstable();
    ends.sort_unstable();
    let (first, last) = (ledger.origin_ns as i64, ledger.open.index.end_ns() as i64);
    let inside = |it: &&Request| it.start_ns as i64 >= first && it.end_ns() as i64 <= last;
    let mut compared: Vec<&Request> = requests.iter().filter(inside).collect();
    compared.sort_unstable_by_key(|it| (std::cmp::Reverse(it.ns), it.start_ns));
    compared.truncate(COMPARED);
    let mut hits = vec![0_u64; (2 * FARTHEST_NS / STEP_NS) as usize];
    for request in &compared {
        let (start, end) = (request.start_ns as i64, request.end_ns() as i64);
        let first = begins.partition_point(|&begin| begin < start - FARTHEST_NS);
        let mut last = usize::MAX;
        for &begin in &begins[first..] {
            let shift = begin - start;
            let bin = ((shift + FARTHEST_NS) / STEP_NS) as usize;
            let Some(hit) = hits.get_mut(bin) else {
                break;
            };
            // It has run until a moment before the end, and is woken a moment after the begin.
            let until = end + shift;
            let ran = ends.partition_point(|&it| it < until - 2 * REACTION_NS);
            let ran = ends.get(ran).is_some_and(|&it| it <= until);
            // Several events in one step are one hit of the request.
            if ran && bin != last {
                *hit += 1;
                last = bin;
            }
        }
    }
    let reaction = (REACTION_NS / STEP_NS) as usize;
    let score = |bin: usize| hits[bin..(bin + reaction).min(hits.len())].iter().sum::<u64>();
    let most = (0..hits.len()).map(score).max().unwrap_or(0);
    if most * 100 < compared.len() as u64 * FITTING || compared.is_empty() {
        return Ok(None);
    }
    let center = (FARTHEST_NS / STEP_NS) as usize;
    let fits = (0..hits.len()).filter(|&bin| score(bin) * 100 >= most * ALIKE);
    let best = fits.min_by_key(|bin| bin.abs_diff(center));
    Ok(best.map(|bin| bin as i64 * STEP_NS - FARTHEST_NS))
}
