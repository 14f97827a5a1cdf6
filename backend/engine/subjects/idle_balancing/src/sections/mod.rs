//! Sections about idle load balancing.

pub mod ilb;
pub mod logs;
pub mod result;

use numalens_subject::report::usual;
use numalens_subject::subject;

use crate::findings;
use crate::options;
use crate::sections::result::{MaskedIlb, StaleSpread};
use numalens_bundle::Error;
use numalens_subject::Context;
use numalens_subject::metrics::{Basis, Better, Metric, Metrics, content, figures};

/// Figures for comparisons: kicks, passes and idle time.
fn metrics(open: &Context, window: (u64, u64), _step_ns: u64) -> Result<Vec<Metrics>, Error> {
    let options = options::Ilb {
        limit: 1,
        ..options::Ilb::default()
    };
    let found = content(ilb::ilb, open, window, options, false)?;
    Ok(vec![figures("ilb", &found, |answer, seconds| {
        let MaskedIlb { ilb, .. } = answer;
        let (kicks, passes, waste) = (&ilb.kicks, &ilb.passes, &ilb.waste);
        let of_kicks = Basis::new(kicks.label, &kicks.missing, seconds);
        let kicks_of =
            |name, title, count: u64| Metric::new(name, title, of_kicks.count(count as f64));
        let without = |label| Basis::new(label, &[""; 0], seconds);
        let passes_of = |name, title, count: Option<u64>| {
            let count = count.map(|count| count as f64);
            Metric::new(name, title, without(passes.label).count(count))
        };
        let blocked = Basis::new(ilb.label, &ilb.missing, seconds).count(ilb.blocked_ticks as f64);
        let stale = ilb.stale.as_ref();
        let stale_by = |name, title, of: fn(&StaleSpread) -> u64| {
            let ticks = stale.map(|stale| without(stale.label).number(of(stale) as f64));
            let ticks = ticks.unwrap_or(Err("no next_balance was stale".to_owned()));
            Metric::new(name, title, ticks).of("", Better::Lower)
        };
        let idle = ilb.idle.idle_percent.as_ref();
        let idle_label = idle.map_or(ilb.label, |idle| idle.label);
        let idle = without(idle_label).number(idle.map(|idle| idle.statistics.mean));
        let wasted = without(waste.label).count(waste.cpu_ms);
        vec![
            kicks_of("ilb_sent", "Kicks sent", kicks.sent),
            kicks_of("ilb_handled", "Kicks handled", kicks.handled),
            kicks_of("ilb_dropped", "Kicks dropped", kicks.dropped).of("", Better::Lower),
            kicks_of("ilb_latched", "Kicks latched", kicks.latched),
            passes_of("ilb_passes", "Passes for idle CPUs", Some(passes.count)),
            passes_of("ilb_pulled", "Tasks they moved", passes.migrations),
            Metric::new("ilb_blocked_ticks", "Blocked ticks", blocked).of("", Better::Lower),
            stale_by(
                "ilb_stale_median",
                "Ticks by which next_balance is stale, median",
                |stale| stale.median_jiffies,
            ),
            stale_by(
                "ilb_stale_most",
                "Ticks by which next_balance is stale, most",
                |stale| stale.most_jiffies,
            ),
            Metric::new("ilb_idle", "Idle, mean of seconds", idle).of("%", Better::Neither),
            Metric::new(
                "ilb_waste",
                "Idle CPUs while tasks wait, balance overdue",
                wasted,
            )
            .of("ms", Better::Lower),
        ]
    })])
}

subject! {
    kinds: findings::KINDS, found: ilb::found, metrics: metrics;
    "idle_balancing", ilb::ilb, false, Some(
        "The nohz idle load balancer: kicks, passes, idle time, and three of its versions side by side.\n\nStates are replayed from the start of the recording; the answer covers the window."
    ), report(usual, result::without_mask);
}
