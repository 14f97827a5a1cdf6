//! Counters of the kernel's load balancer by domain (`/proc/schedstat`), and whether the log of migrations agrees.

use std::collections::BTreeMap;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, UInt64Type};
use numalens_core::json::Moment;
use numalens_core::provenance::Label;
use numalens_replay::migrations::How;
use numalens_replay::numa::Verdict;
use numalens_subject::logs::NumaInputs;
use numalens_subject::options::Nothing;
use numalens_subject::section::{at, integers, samples, texts};
use numalens_subject::{Context, Stop, Window, optional};
use schemars::JsonSchema;
use serde::Serialize;

/// Kind of the rows of active balancing, which has no count of balanced groups.
const ACTIVE: &str = "active";

/// Counts of a domain while its CPUs were busy, idle, newly idle, or of active balancing, over all CPUs.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
struct DomainCounts {
    /// Number of the domain: 0 has the fewest CPUs.
    domain: i32,
    /// Name in the kernel, since version 17 of the file; null before.
    name: Option<String>,
    /// `busy`, `idle`, `newidle`, or `active`.
    kind: String,
    /// CPUs that have such a domain.
    cpus: u64,
    /// Calls of `load_balance` (6.10 `sched_balance_rq`).
    count: u64,
    /// Number of searches without an imbalance; null for active balancing.
    balanced: Option<u64>,
    /// Number of searches that found tasks and moved none.
    failed: u64,
    /// Tasks moved.
    gained: u64,
    /// Of them cache-hot ones; null for active balancing.
    hot_gained: Option<u64>,
}

/// Counts from one sample to the next.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Step {
    #[serde(with = "Moment")]
    from_ns: u64,
    #[serde(with = "Moment")]
    to_ns: u64,
    /// Calls of `load_balance`, in all domains.
    count: u64,
    /// Tasks moved.
    gained: u64,
}

/// Tasks counted as moved by the balancer, next to the migrations of the log.
#[derive(Debug, Serialize, JsonSchema)]
struct Moved {
    /// Count of the kernel (`lb_gained`, which includes active balancing).
    counted: u64,
    /// Migrations of runnable tasks that NUMA balancing did not order: the balancer's, changes of affinity, and exec's.
    migrations: u64,
    /// Provenance of the moves.
    label: Label,
    /// Inputs that would improve the provenance.
    missing: Vec<String>,
}

/// The counters of load balancing between the first and the last sample in the window.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Counters {
    /// Time of the first of the two samples; null for samples without times (`perf sched stats`), which are all there are.
    sampled_from_ns: Option<Moment>,
    /// Time of the last sample.
    sampled_to_ns: Option<Moment>,
    /// By domain and kind.
    domains: Vec<DomainCounts>,
    /// From sample to sample.
    steps: Vec<Step>,
    /// Null without a recording.
    moved: Option<Moved>,
    label: Label,
}

/// CPU, domain and kind.
type Key = (i32, i32, String);

/// One sample: each row's name and counters, in the order of [`COUNTERS`].
type Reading = BTreeMap<Key, (Option<String>, [Option<u64>; 5])>;

const COUNTERS: [&str; 5] = ["count", "balanced", "failed", "gained", "hot_gained"];

pub(super) fn counters(open: &Context, window: Window, _: Nothing) -> Result<Counters, Stop> {
    let Readings { timed, numbered } = readings(open, window)?;
    let of_time = !timed.is_empty();
    let readings = if of_time { timed } else { numbered };
    let (Some((&from, first)), Some((&to, last))) =
        (readings.first_key_value(), readings.last_key_value())
    else {
        return Err(Stop::unavailable(
            "no samples of /proc/schedstat are in the window",
        ));
    };
    if from == to {
        return Err(Stop::unavailable(
            "/proc/schedstat was not sampled twice in the window",
        ));
    }
    if last
        .values()
        .all(|(_, counts)| counts.iter().flatten().all(|&count| count == 0))
    {
        return Err(Stop::unavailable(
            "the kernel counted nothing in /proc/schedstat: kernel.sched_schedstats is 0",
        ));
    }
    let domains = by_domain(first, last);
    let pairs = readings.iter().zip(readings.iter().skip(1));
    let steps = pairs
        .filter(|_| of_time)
        .map(|((&from_ns, a), (&to_ns, b))| {
            let domains = by_domain(a, b);
            let balancing = || domains.iter().filter(|row| row.kind != ACTIVE);
            Step {
                from_ns,
                to_ns,
                count: balancing().map(|row| row.count).sum(),
                gained: balancing().map(|row| row.gained).sum(),
            }
        });
    let counted = domains
        .iter()
        .filter(|row| row.kind != ACTIVE)
        .map(|row| row.gained)
        .sum();
    Ok(Counters {
        sampled_from_ns: of_time.then_some(Moment(from)),
        sampled_to_ns: of_time.then_some(Moment(to)),
        steps: steps.collect(),
        moved: if of_time {
            optional(moved(open, (from, to), counted))?
        } else {
            None
        },
        domains,
        label: Label::Observed,
    })
}

/// Samples.
#[derive(Default)]
struct Readings {
    /// Samples with a known time inside the window, by time.
    timed: BTreeMap<u64, Reading>,
    /// Samples without times, by their numbers.
    numbered: BTreeMap<u64, Reading>,
}

fn readings(open: &Context, window: Window) -> Result<Readings, Stop> {
    let mut found = Readings::default();
    samples(open, "schedstat", |batch| {
        let small = |name| batch.column_by_name(name)?.as_primitive_opt::<Int32Type>();
        let (Some(times), Some(cpus), Some(domains), Some(kinds)) = (
            integers(batch, "ts_ns"),
            small("cpu"),
            small("domain"),
            texts(batch, "kind"),
        ) else {
            return;
        };
        let names = texts(batch, "name");
        let counters =
            COUNTERS.map(|name| batch.column_by_name(name)?.as_primitive_opt::<UInt64Type>());
        for row in 0..batch.num_rows() {
            let unsigned =
                |number: Option<i64>| number.and_then(|number| u64::try_from(number).ok());
            let reading = match unsigned(at(Some(times), row)) {
                Some(time) if (window.from_ns..=window.to_ns).contains(&time) => {
                    found.timed.entry(time).or_default()
                }
                Some(_) => continue,
                None => match unsigned(at(integers(batch, "idx"), row)) {
                    Some(number) => found.numbered.entry(number).or_default(),
                    None => continue,
                },
            };
            let name = names
                .filter(|names| names.is_valid(row))
                .map(|names| names.value(row).to_owned());
            let counts = counters.map(|column| {
                column
                    .filter(|column| column.is_valid(row))
                    .map(|column| column.value(row))
            });
            let key = (
                cpus.value(row),
                domains.value(row),
                kinds.value(row).to_owned(),
            );
            reading.insert(key, (name, counts));
        }
    })?;
    Ok(found)
}

/// Increase between two samples, over the CPUs in both. Domains are rebuilt when CPUs go offline or online, and their
/// counters restart (`build_sched_domains`): they count from 0.
fn by_domain(before: &Reading, after: &Reading) -> Vec<DomainCounts> {
    let mut sums: BTreeMap<(i32, &str), DomainCounts> = BTreeMap::new();
    for (key, (name, counts)) in after {
        let Some((_, old)) = before.get(key) else {
            continue;
        };
        let restarted = counts[0] < old[0];
        let since = |at: usize| {
            Some(
                counts[at]?
                    - old[at]
                        .filter(|old| !restarted && Some(*old) <= counts[at])
                        .unwrap_or(0),
            )
        };
        let (_, domain, kind) = key;
        let row = sums.entry((*domain, kind)).or_insert_with(|| DomainCounts {
            domain: *domain,
            name: name.clone(),
            kind: kind.clone(),
            ..DomainCounts::default()
        });
        row.cpus += 1;
        row.count += since(0).unwrap_or(0);
        row.failed += since(2).unwrap_or(0);
        row.gained += since(3).unwrap_or(0);
        for (sum, at) in [(&mut row.balanced, 1), (&mut row.hot_gained, 4)] {
            if let Some(more) = since(at) {
                *sum = Some(sum.unwrap_or(0) + more);
            }
        }
    }
    sums.into_values().collect()
}

/// Migrations in the log between two samples.
fn moved(open: &Context, (from, to): (u64, u64), counted: u64) -> Result<Moved, Stop> {
    let known = NumaInputs::of(open)?;
    let runnable = known
        .migrations(from, to)?
        .filter(|one| one.how == How::Runnable)
        .count() as u64;
    let ordered = known.attempts(from, to)?;
    let ordered = ordered.iter().map(|attempt| match attempt.verdict {
        Verdict::Moved => 1,
        Verdict::Swapped => 2,
        _ => 0,
    });
    let ordered: u64 = ordered.sum();
    let source = known.migrations_source();
    Ok(Moved {
        counted,
        migrations: runnable.saturating_sub(ordered),
        label: source.label,
        missing: source.missing,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(rows: &[(i32, i32, &str, [Option<u64>; 5])]) -> Reading {
        let row = |&(cpu, domain, kind, counts): &(i32, i32, &str, _)| {
            ((cpu, domain, kind.to_owned()), (None, counts))
        };
        rows.iter().map(row).collect()
    }

    #[test]
    fn counters_are_differences_and_begin_anew_with_their_domain() {
        let all = |counts: [u64; 5]| counts.map(Some);
        let before = reading(&[
            (0, 0, "idle", all([10, 9, 1, 4, 0])),
            (1, 0, "idle", all([100, 90, 5, 5, 1])),
            (2, 0, "idle", all([1; 5])),
        ]);
        let after = reading(&[
            (0, 0, "idle", all([14, 12, 2, 5, 1])),
            // Made again since.
            (1, 0, "idle", all([3, 2, 1, 0, 0])),
            (3, 0, "idle", all([7; 5])),
        ]);
        let found = by_domain(&before, &after);
        assert_eq!(found.len(), 1);
        let row = &found[0];
        assert_eq!(
            (
                row.cpus,
                row.count,
                row.balanced,
                row.failed,
                row.gained,
                row.hot_gained
            ),
            (2, 7, Some(5), 2, 1, Some(1))
        );
        let active = [Some(5), None, Some(1), Some(4), None];
        let found = by_domain(
            &reading(&[(0, 1, ACTIVE, [Some(0), None, Some(0), Some(1), None])]),
            &reading(&[(0, 1, ACTIVE, active)]),
        );
        assert_eq!((found[0].balanced, found[0].gained), (None, 3));
    }
}
