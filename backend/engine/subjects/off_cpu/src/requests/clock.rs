//! From the clock of a log of requests to that of the recording.

use numalens_bundle::Error;
use numalens_replay::timeline::TaskState;
use serde::Deserialize;

use super::server::server;
use super::{Request, Service};
use crate::ledger::{Ledger, WHOLE};
use numalens_requests::REAL_NS;

/// Maximum distance of a recording's clock from `CLOCK_MONOTONIC`, ns: the clocks of tracing also start with the machine, and
/// are not disciplined (500 ppm of an hour are 1.8 s).
const FARTHEST_NS: i64 = 4_000_000_000;
/// Width of a step of the search, ns.
const STEP_NS: i64 = 50_000;
/// Maximum time from the start of a request to the wakeup, and from the last run to its end, ns.
const REACTION_NS: i64 = 150_000;
/// Requests by which clocks are compared.
const COMPARED: usize = 500;
/// Share of the hits of the best shift, in percent, that one has that fits about as well.
const ALIKE: u64 = 95;
/// Maximum weight of a slow request, in typical ones.
const HEAVIEST: u64 = 20;
/// Minimum distance of the best offset from the average, in standard deviations.
const PROMINENT: f64 = 6.0;

/// Alignment of a log's times with the recording's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clock {
    /// Same clock.
    Same,
    /// By samples that have both clocks: ns to be added.
    Sampled(i64),
    /// By when requests and the service meet: ns to be added.
    Fitted(i64),
    /// Unknown.
    Unknown,
}

impl Clock {
    /// ns to be added.
    pub(crate) fn shift_ns(self) -> i64 {
        match self {
            Self::Sampled(shift_ns) | Self::Fitted(shift_ns) => shift_ns,
            Self::Same | Self::Unknown => 0,
        }
    }
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

/// Returns whether the times of a log are since 1970.
pub(super) fn is_real(requests: &[Request]) -> bool {
    requests.first().is_some_and(|it| it.start_ns >= REAL_NS)
}

/// Returns the conversion of a log's times to the recording's clock, if clocks alone determine it.
pub(super) fn shift(ledger: &Ledger<'_>, requests: &[Request]) -> Result<Option<Clock>, Error> {
    if is_real(requests) {
        return Ok(real_shift(ledger)?.map(Clock::Sampled));
    }
    // A machine that was never suspended has one time on both clocks.
    let name = clock_name(ledger);
    let same = matches!(
        name.as_deref(),
        Some("mono" | "monotonic" | "boot" | "boottime")
    );
    Ok(same.then_some(Clock::Same))
}

/// Finds out how the times of a log come onto the recording's clock.
pub(crate) fn align(
    ledger: &Ledger<'_>,
    service: &Service,
    requests: &[Request],
) -> Result<Clock, Error> {
    if let Some(clock) = shift(ledger, requests)? {
        return Ok(clock);
    }
    if is_real(requests) {
        return Ok(Clock::Unknown);
    }
    if let Some((clock, _)) = server(ledger, requests, Some(&service.pids))? {
        return Ok(clock);
    }
    let (begins, ends) = runs(ledger, service)?;
    let found = search(ledger, requests, (&begins, &ends));
    Ok(found.map_or(Clock::Unknown, Clock::Fitted))
}

/// Offset for times since 1970, from the samples that have both clocks.
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

/// Times at which the tasks of a service were woken, and ends of their runs, ns ascending: requests wake the tasks that serve them.
fn runs(ledger: &Ledger<'_>, service: &Service) -> Result<(Vec<i64>, Vec<i64>), Error> {
    let mut begins = Vec::new();
    let mut ends = Vec::new();
    ledger.gather(&service.pids, WHOLE)?;
    for &pid in &service.pids {
        for span in ledger.spans(pid, WHOLE)?.all() {
            match span.state {
                TaskState::Woken => begins.push((ledger.origin_ns + span.start) as i64),
                TaskState::Running => ends.push((ledger.origin_ns + span.end) as i64),
                _ => {}
            }
        }
    }
    begins.sort_unstable();
    ends.sort_unstable();
    Ok((begins, ends))
}

/// Looks for the offset with which the most requests start just before one of the first moments and end just after one of the second
/// ones. The slowest requests are compared, as the others are alike; if these are ambiguous, requests of all lengths are.
pub(super) fn search(
    ledger: &Ledger<'_>,
    requests: &[Request],
    moments: (&[i64], &[i64]),
) -> Option<i64> {
    let (first, last) = (ledger.origin_ns as i64, ledger.open.index.end_ns() as i64);
    let inside = |it: &&Request| it.start_ns as i64 >= first && it.end_ns() as i64 <= last;
    let mut all: Vec<&Request> = requests.iter().filter(inside).collect();
    all.sort_unstable_by_key(|it| (std::cmp::Reverse(it.ns), it.start_ns));
    let typical_ns = all.get(all.len() / 2).map_or(1, |it| it.ns.max(1));
    let slowest = all.iter().take(COMPARED);
    let spread = all.iter().step_by(all.len().div_ceil(COMPARED).max(1));
    let found = Fit::of(slowest, typical_ns, moments).best();
    found.or_else(|| Fit::of(spread, u64::MAX, moments).best())
}

/// Fit of each offset: bins of [`STEP_NS`].
struct Fit {
    scores: Vec<u64>,
    /// By bin, the last request that begins when a task is woken, if this is the shift; the same for its end.
    woken: Vec<u32>,
    ran: Vec<u32>,
}

impl Fit {
    /// Fit of offsets for some requests; one that takes a multiple of the typical time has that weight.
    fn of<'a>(
        requests: impl Iterator<Item = &'a &'a Request>,
        typical_ns: u64,
        moments: (&[i64], &[i64]),
    ) -> Self {
        let bins = (2 * FARTHEST_NS / STEP_NS) as usize;
        let mut fit = Self {
            scores: vec![0; bins],
            woken: vec![0; bins],
            ran: vec![0; bins],
        };
        for (number, request) in (1..).zip(requests) {
            let weight = (request.ns / typical_ns).clamp(1, HEAVIEST);
            fit.add(number, weight, request, moments);
        }
        fit
    }

    /// The bins of the shifts by which a moment of the log and what comes up to a reaction after it (or before it) meet one of `moments`.
    fn bins(moments: &[i64], at: i64, before: bool) -> impl Iterator<Item = usize> + '_ {
        let first = moments.partition_point(|&moment| moment < at - FARTHEST_NS);
        let near = moments[first..].iter();
        let near = near.take_while(move |&&moment| moment < at + FARTHEST_NS);
        near.flat_map(move |moment| {
            let bin = ((moment - at + FARTHEST_NS) / STEP_NS) as usize;
            let reaction = (REACTION_NS / STEP_NS) as usize;
            if before {
                bin..bin + reaction
            } else {
                (bin + 1).saturating_sub(reaction)..bin + 1
            }
        })
    }

    fn add(
        &mut self,
        number: u32,
        weight: u64,
        request: &Request,
        (begins, ends): (&[i64], &[i64]),
    ) {
        for bin in Self::bins(begins, request.start_ns as i64, false) {
            if let Some(woken) = self.woken.get_mut(bin).filter(|it| **it != number) {
                *woken = number;
                self.scores[bin] += weight;
            }
        }
        for bin in Self::bins(ends, request.end_ns() as i64, true) {
            if let Some(ran) = self.ran.get_mut(bin).filter(|it| **it != number) {
                *ran = number;
                // Both ends show more than two requests of which one end fits each.
                self.scores[bin] += if self.woken[bin] == number {
                    3 * weight
                } else {
                    weight
                };
            }
        }
    }

    /// The smallest of the offsets that fit about as well as the best one, if that one is significant.
    fn best(&self) -> Option<i64> {
        let most = self.scores.iter().copied().max()?;
        let count = self.scores.len() as f64;
        let average = self.scores.iter().sum::<u64>() as f64 / count;
        let off = |score: &u64| (*score as f64 - average).powi(2);
        let deviation = (self.scores.iter().map(off).sum::<f64>() / count).sqrt();
        if (most as f64 - average) <= deviation * PROMINENT {
            return None;
        }
        let center = (FARTHEST_NS / STEP_NS) as usize;
        let fits = (0..self.scores.len()).filter(|&bin| self.scores[bin] * 100 >= most * ALIKE);
        let best = fits.min_by_key(|bin| bin.abs_diff(center))?;
        Some(best as i64 * STEP_NS - FARTHEST_NS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHIFT_NS: i64 = 17_450_000;

    /// Requests whose service is woken 40 µs after each begins and has run 30 µs before it ends; the log's clock is behind by [`SHIFT_NS`].
    fn served(times: impl Iterator<Item = (i64, i64)>) -> (Vec<Request>, Vec<i64>, Vec<i64>) {
        let (mut requests, mut begins, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for (at, ran) in times {
            requests.push(Request {
                start_ns: (at - 40_000 - SHIFT_NS) as u64,
                ns: (ran + 70_000) as u64,
                tid: None,
            });
            begins.push(at);
            ends.push(at + ran);
        }
        ends.sort_unstable();
        (requests, begins, ends)
    }

    fn best((requests, begins, ends): &(Vec<Request>, Vec<i64>, Vec<i64>)) -> Option<i64> {
        let requests: Vec<&Request> = requests.iter().collect();
        Fit::of(requests.iter(), 100_000, (begins, ends)).best()
    }

    #[test]
    fn the_shift_is_found_by_requests_that_differ() {
        let second = 1_000_000_000;
        let differ = (0..200).map(|at| {
            (
                20 * second + at * 5_000_000 + at * at % 97 * 31_000,
                200_000 + at * at % 89 * 40_000,
            )
        });
        let found = best(&served(differ)).unwrap_or_default();
        assert!((found - SHIFT_NS).abs() <= REACTION_NS, "{found}");
    }

    #[test]
    fn a_service_that_is_always_woken_tells_no_shift() {
        let mut all = served((0..100).map(|at| (20_000_000_000 + at * 5_000_000, 100_000)));
        all.1 = (0..200_000)
            .map(|at| 10_000_000_000 + at * 100_000)
            .collect();
        all.2.clone_from(&all.1);
        assert_eq!(best(&all), None);
        all.1.clear();
        all.2.clear();
        assert_eq!(best(&all), None);
    }
}
