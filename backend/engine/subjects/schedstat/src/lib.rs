//! Load balancing by scheduling domain: the kernel's counters, and the costs of probed searches.

mod counters;
mod searches;

use numalens_subject::options::Nothing;
use numalens_subject::section::{Answer, answer};
use numalens_subject::{Context, Stop, Window, subject};
use schemars::JsonSchema;
use serde::Serialize;

use self::counters::{Counters, counters};
pub use self::searches::decisions;
use self::searches::{Searches, searches};

/// Load balancing by domain.
#[derive(Debug, Serialize, JsonSchema)]
struct Schedstat {
    /// Counters of `/proc/schedstat`.
    counters: Answer<Counters>,
    /// Costs of searches, where `sched_balance_newidle` and `sched_balance_rq` were probed.
    searches: Answer<Searches>,
}

fn schedstat(open: &Context, window: Window, _: Nothing) -> Result<Schedstat, Stop> {
    let window = (window.from_ns, window.to_ns);
    Ok(Schedstat {
        counters: answer(counters, open, window, Nothing {}, true)?,
        searches: answer(searches, open, window, Nothing {}, false)?,
    })
}

subject! {
    kinds: &[];
    "schedstat", schedstat, true, Some(
        "Load balancing by scheduling domain: counters of /proc/schedstat next to the migrations of the log, and costs of probed searches."
    );
}
