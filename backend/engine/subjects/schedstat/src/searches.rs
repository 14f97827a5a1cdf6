//! Costs of searching tasks to balance, if `sched_balance_newidle` and `sched_balance_rq` were probed.

use std::collections::BTreeMap;

use numalens_bundle::Error;
use numalens_core::json::Moment;
use numalens_core::provenance::Label;
use numalens_events::IlbKind;
use numalens_idle_balancing::searches::{IDLE_IS_ONE, NEWLY_IDLE};
use numalens_idle_balancing::sections::logs::IdleInputs;
use numalens_replay::idle_balancing::{IlbRow, NR_KNOWN};
use numalens_subject::decisions::{At, Kind, Steps, Tally, Wording};
use numalens_subject::options::Nothing;
use numalens_subject::window::{LOST_EVENTS, time, times};
use numalens_subject::{Context, Stop, Window};
use schemars::JsonSchema;
use serde::Serialize;

/// Beneficiary of a search for tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Searcher {
    /// The CPU itself, which had nothing to run.
    Newidle,
    /// The CPU itself, which was idle.
    Idle,
    /// The CPU itself, which was busy.
    Busy,
    /// The CPU itself; whether it was idle is not recorded.
    Own,
    /// Another CPU, which was idle (`_nohz_idle_balance`).
    Other,
}

/// Count, time and result of a search.
#[derive(Debug, Clone, Copy, Default, Serialize, JsonSchema)]
struct Cost {
    /// Number of searches.
    count: u64,
    /// Number of searches that pulled tasks.
    pulled: u64,
    /// Number of pulled tasks.
    tasks: u64,
    /// Total time, ns.
    ns: u64,
    /// Part without a result.
    in_vain_ns: u64,
    /// The longest, ns.
    longest_ns: u64,
    /// Start of the longest; null without one.
    longest_at_ns: Option<Moment>,
    /// The CPU on which it ran; null when there was none.
    longest_cpu: Option<u32>,
}

impl Cost {
    fn add(&mut self, open: Open, end: &IlbRow) {
        let (ns, tasks) = (end.ts_ns - open.since_ns, end.a & !NR_KNOWN);
        self.count += 1;
        self.pulled += u64::from(tasks > 0);
        self.tasks += tasks;
        self.ns += ns;
        self.in_vain_ns += if tasks == 0 { ns } else { 0 };
        if ns > self.longest_ns || self.longest_cpu.is_none() {
            self.longest_ns = ns;
            self.longest_at_ns = Some(Moment(open.since_ns));
            self.longest_cpu = Some(end.cpu);
        }
    }
}

/// Searches in one domain (`sched_balance_rq`, before 6.10 `load_balance`).
#[derive(Debug, Serialize, JsonSchema)]
struct DomainSearches {
    /// Beneficiary.
    searcher: Searcher,
    /// CPUs of the domain; null when that is not recorded.
    domain_cpus: Option<u32>,
    #[serde(flatten)]
    cost: Cost,
}

/// Costs of a CPU.
#[derive(Debug, Serialize, JsonSchema)]
struct CpuSearches {
    cpu: u32,
    /// On becoming idle, all of `sched_balance_newidle`, ns; null when it was not probed.
    newidle_ns: Option<u64>,
    /// In searches of all kinds, ns.
    search_ns: u64,
    /// Number of searches.
    searches: u64,
    /// The searches' share of the window, percent.
    percent: f64,
}

/// Costs of searching tasks to balance.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Searches {
    label: Label,
    /// Inputs that would improve the provenance.
    missing: Vec<&'static str>,
    /// The section in words.
    sentence: String,
    /// All of `sched_balance_newidle` (before 6.10 `newidle_balance`); null when it was not probed.
    newidle: Option<Cost>,
    /// By searcher and domain.
    domains: Vec<DomainSearches>,
    /// By CPU.
    cpus: Vec<CpuSearches>,
}

/// Open search of a CPU.
#[derive(Debug, Clone, Copy)]
struct Open {
    since_ns: u64,
    searcher: Searcher,
    domain_cpus: u32,
}

#[derive(Default)]
struct Meter {
    newidle: BTreeMap<u32, Open>,
    search: BTreeMap<u32, Open>,
    whole: Cost,
    /// Newly idle balancing by CPU, ns.
    of_cpu: BTreeMap<u32, u64>,
    /// Searches by CPU: how many, and ns.
    searches: BTreeMap<u32, (u64, u64)>,
    domains: BTreeMap<(Searcher, u32), Cost>,
    /// Searches by result, where these are counted.
    results: Option<Tally<(Searcher, bool)>>,
    lost: bool,
}

impl Meter {
    fn row(&mut self, row: &IlbRow, idle_is_one: Option<bool>) {
        let mut open = Open {
            since_ns: row.ts_ns,
            searcher: Searcher::Newidle,
            domain_cpus: row.b as u32,
        };
        match row.kind {
            IlbKind::NewIdle => {
                self.newidle.insert(row.cpu, open);
            }
            IlbKind::NewIdleEnd => {
                if let Some(open) = self.newidle.remove(&row.cpu) {
                    self.whole.add(open, row);
                    *self.of_cpu.entry(row.cpu).or_default() += row.ts_ns - open.since_ns;
                }
            }
            IlbKind::Search => {
                open.searcher = self.searcher(row, idle_is_one);
                self.search.insert(row.cpu, open);
            }
            IlbKind::SearchEnd => {
                if let Some(open) = self.search.remove(&row.cpu) {
                    let key = (open.searcher, open.domain_cpus);
                    self.domains.entry(key).or_default().add(open, row);
                    let (count, ns) = self.searches.entry(row.cpu).or_default();
                    (*count, *ns) = (*count + 1, *ns + row.ts_ns - open.since_ns);
                    if let Some(results) = &mut self.results {
                        let at = At {
                            ts_ns: open.since_ns,
                            pid: None,
                            cpu: Some(row.cpu),
                        };
                        results.add((open.searcher, row.a & !NR_KNOWN > 0), at);
                    }
                }
            }
            IlbKind::Lost => {
                self.newidle.remove(&row.cpu);
                self.search.remove(&row.cpu);
                self.lost = true;
            }
            _ => {}
        }
    }

    fn searcher(&self, row: &IlbRow, idle_is_one: Option<bool>) -> Searcher {
        let known = (row.a & NR_KNOWN != 0).then_some(row.a & !NR_KNOWN);
        match (known, idle_is_one) {
            (Some(NEWLY_IDLE), _) => Searcher::Newidle,
            (None, _) if self.newidle.contains_key(&row.cpu) => Searcher::Newidle,
            _ if row.subject != row.cpu => Searcher::Other,
            (Some(idle), Some(idle_is_one)) if (idle == 1) == idle_is_one => Searcher::Idle,
            (Some(_), Some(_)) => Searcher::Busy,
            _ => Searcher::Own,
        }
    }
}

/// Takes the rows of a window.
fn metered(known: &IdleInputs<'_>, window: Window, mut meter: Meter) -> Result<Meter, Error> {
    let kernel = known.evidence.kernel;
    let idle_is_one = kernel.map(|kernel| (kernel.major, kernel.minor) >= IDLE_IS_ONE);
    let rows = known.open.ilb_log()?.rows(window.from_ns, window.to_ns);
    for row in rows.map_err(Error::from)? {
        meter.row(&row, idle_is_one);
    }
    Ok(meter)
}

const SEARCH: Wording = Wording::new(
    "search",
    "Search for tasks to pull",
    "",
    "sched_balance_rq (before 6.10: load_balance)",
);

/// Returns the searches of a window by result; none where they were not probed.
///
/// # Errors
///
/// Stops without a recording, or when a log cannot be read.
pub fn decisions(open: &Context, steps: Steps) -> Result<Vec<Kind>, Stop> {
    let known = IdleInputs::of(open)?;
    if !known.has_searches() {
        return Ok(Vec::new());
    }
    let meter = Meter {
        results: Some(Tally::new(steps)),
        ..Meter::default()
    };
    let meter = metered(&known, steps.window, meter)?;
    let lost = meter.lost.then(|| LOST_EVENTS.to_owned());
    let quality = (Label::Observed, lost.into_iter().collect());
    let kind = (meter.results).map(|results| results.finish(known.open, SEARCH, quality, result));
    Ok(kind.into_iter().collect())
}

/// Words of the result of a search.
fn result((searcher, pulled): (Searcher, bool)) -> Wording {
    let (id, title, kernel) = match searcher {
        Searcher::Newidle => ("newidle", "Newly idle CPU", "sched_balance_newidle"),
        Searcher::Idle => ("idle", "Idle CPU", "sched_balance_domains"),
        Searcher::Busy => ("busy", "Busy CPU", "sched_balance_domains"),
        Searcher::Own => ("own", "CPU for itself", "sched_balance_domains"),
        Searcher::Other => ("other", "For another, idle CPU", "_nohz_idle_balance"),
    };
    let (end, what) = if pulled {
        ("pulled", "pulled tasks")
    } else {
        ("in_vain", "pulled nothing")
    };
    Wording {
        id: format!("{id}_{end}").into(),
        title: format!("{title} {what}").into(),
        ..Wording::new("", "", "", kernel)
    }
}

pub(super) fn searches(open: &Context, window: Window, _: Nothing) -> Result<Searches, Stop> {
    let known = IdleInputs::of(open)?;
    let newidle = known.kinds.has(IlbKind::NewIdle) && known.kinds.has(IlbKind::NewIdleEnd);
    if !newidle && !known.has_searches() {
        return Err(Stop::unavailable(
            "sched_balance_rq was not probed: record with --probe ilb",
        ));
    }
    let meter = metered(&known, window, Meter::default())?;
    let sentence = sentence(&meter, newidle);
    let window_ns = (window.to_ns - window.from_ns).max(1) as f64;
    let cpus = (0..known.cpus() as u32).map(|cpu| {
        let (searches, search_ns) = meter.searches.get(&cpu).copied().unwrap_or_default();
        CpuSearches {
            cpu,
            newidle_ns: newidle.then(|| meter.of_cpu.get(&cpu).copied().unwrap_or(0)),
            search_ns,
            searches,
            percent: search_ns as f64 * 100.0 / window_ns,
        }
    });
    Ok(Searches {
        label: Label::Observed,
        missing: meter.lost.then_some(LOST_EVENTS).into_iter().collect(),
        sentence,
        newidle: newidle.then_some(meter.whole),
        cpus: cpus.collect(),
        domains: (meter.domains.iter())
            .map(|(&(searcher, cpus), &cost)| DomainSearches {
                searcher,
                domain_cpus: (cpus > 0).then_some(cpus),
                cost,
            })
            .collect(),
    })
}

fn sentence(meter: &Meter, newidle: bool) -> String {
    let mut all = Cost::default();
    let mut looked = Cost::default();
    for ((searcher, _), cost) in &meter.domains {
        let sums = [
            Some(&mut all),
            (*searcher == Searcher::Newidle).then_some(&mut looked),
        ];
        for sum in sums.into_iter().flatten() {
            sum.count += cost.count;
            sum.pulled += cost.pulled;
            sum.ns += cost.ns;
            sum.in_vain_ns += cost.in_vain_ns;
        }
    }
    let of = |what: &str, cost: &Cost| {
        let vain = cost.count - cost.pulled;
        format!(
            "{what} ran {} and took {} of CPU time; {} it moved nothing, which took {}.",
            times(cost.count),
            time(cost.ns),
            times(vain),
            time(cost.in_vain_ns),
        )
    };
    let first = if newidle {
        of("Newly idle balancing", &meter.whole)
    } else {
        of("Searches of newly idle CPUs", &looked)
    };
    format!("{first} {}", of("Searches of all kinds", &all))
}
