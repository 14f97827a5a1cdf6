//! The service behind a log that names none: the tasks that are woken when requests begin and wake others when they end.

use std::collections::{BTreeMap, BTreeSet};

use numalens_bundle::Error;
use numalens_replay::waits::Context;

use super::Request;
use crate::ledger::Ledger;
use crate::wakers;

/// Maximum time from the start of a request to the wakeup of its server, and from the server's answer to the end of the request, ns.
const REACTION_NS: u64 = 200_000;
/// Requests that are looked at.
const LOOKED_AT: usize = 400;
/// Share of the requests that the server must fit, in percent.
const FITTING: usize = 60;
/// Share of the server's requests that any other name fits at most, in percent.
const OTHERS: usize = 70;

/// Returns the name of the tasks that served requests on the recording's clock; `None` if no name dominates.
pub(crate) fn server(ledger: &Ledger<'_>, requests: &[Request]) -> Result<Option<String>, Error> {
    let index = &ledger.open.index;
    let (first_ns, last_ns) = (index.origin_ns(), index.end_ns());
    let inside = |it: &&Request| it.start_ns >= first_ns && it.end_ns() <= last_ns;
    let inside: Vec<&Request> = requests.iter().filter(inside).collect();
    let step = inside.len().div_ceil(LOOKED_AT).max(1);
    let mut fits: BTreeMap<&str, usize> = BTreeMap::new();
    let mut count = 0;
    for request in inside.into_iter().step_by(step) {
        count += 1;
        let (start_ns, end_ns) = (request.start_ns, request.end_ns());
        let begun = ledger.requests.rows(start_ns, start_ns + REACTION_NS)?;
        let woken: BTreeSet<&str> = begun.map(|it| ledger.comm(it.pid)).collect();
        let from_ns = end_ns.saturating_sub(REACTION_NS).max(start_ns);
        let ended = ledger.requests.rows(from_ns, end_ns)?;
        let answered = ended
            .filter(|it| {
                it.waker_pid > 0 && !matches!(it.context, Context::Interrupt | Context::Idle)
            })
            .map(|it| ledger.comm(it.waker_pid));
        let answered: BTreeSet<&str> = answered.collect();
        for name in woken.intersection(&answered) {
            *fits.entry(name).or_default() += 1;
        }
    }
    fits.retain(|name, _| !name.is_empty() && wakers::kernel_thread(name).is_none());
    let mut fits: Vec<(usize, &str)> = fits.into_iter().map(|(name, fits)| (fits, name)).collect();
    fits.sort_unstable_by(|a, b| b.cmp(a));
    let Some(&(best, name)) = fits.first() else {
        return Ok(None);
    };
    let next = fits.get(1).map_or(0, |it| it.0);
    let stands_out = best * 100 >= count * FITTING && next * 100 <= best * OTHERS;
    Ok(stands_out.then(|| name.to_owned()))
}
