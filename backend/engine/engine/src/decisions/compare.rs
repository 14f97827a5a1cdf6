//! Distributions of decisions side by side (`docs/algorithms/decisions.md`).

use std::collections::BTreeMap;

use numalens_bundle::Error;
use numalens_core::json::for_browser;
use numalens_core::provenance::Label;
use numalens_numa_balancing::statistics::{By, student_two_sided};
use numalens_subject::decisions::{Example, Kind, Outcome, Wording};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Decisions, STEPS};

/// A change is beyond noise below this probability, corrected for the number of tests.
const ALPHA: f64 = 0.01;
/// Fewer decisions on both sides together are not tested.
const FEWEST: f64 = 10.0;
const NS_PER_S: f64 = 1e9;

/// Sections to compare, of the runs of each side.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    by: By,
    base: usize,
    /// True for moments as decimal strings.
    browser: bool,
    sides: Vec<Vec<Option<Decisions>>>,
}

/// Difference from the base, with its probability by chance.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[schemars(rename = "DecisionChange")]
struct Change {
    /// Difference in points of percent, or per second.
    difference: f64,
    /// Probability of the difference by chance, corrected for the number of tests; null where there are too few decisions.
    p: Option<f64>,
    /// True if it is beyond noise.
    significant: bool,
}

/// First moment with an outcome.
#[derive(Debug, Serialize, JsonSchema)]
struct ComparedExample {
    /// Position among all analyses.
    analysis: usize,
    #[serde(flatten)]
    example: Example,
}

/// An outcome on one side.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ComparedDecisionCell")]
struct Cell {
    /// Number of decisions.
    count: u64,
    /// Share of the kind, percent; of a kind, decisions per second. Null without decisions of the kind.
    value: Option<f64>,
    /// First moment with this outcome.
    example: Option<ComparedExample>,
    /// Null for the base, and without a value.
    change: Option<Change>,
}

/// An outcome on all sides.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ComparedOutcome")]
struct Row {
    #[serde(flatten)]
    wording: Wording,
    /// By side.
    sides: Vec<Cell>,
}

/// A kind on all sides: how often, and its outcomes, the largest change beyond noise first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ComparedDecisionKind")]
struct ComparedKind {
    #[serde(flatten)]
    row: Row,
    /// Outcomes of the kind.
    outcomes: Vec<Row>,
    /// Weakest provenance of the decisions.
    label: Label,
    /// Inputs that would improve the provenance.
    missing: Vec<String>,
}

/// Distributions of all sides.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ComparedDecisions")]
pub(crate) struct Compared {
    /// Meaning of a change beyond noise.
    sentence: String,
    /// Kinds of decisions.
    kinds: Vec<ComparedKind>,
    /// By side: reasons for which other kinds are not known.
    missing: Vec<Vec<String>>,
}

/// Counts of decisions in a part of a recording, of something in which they happen: all decisions of the kind, or seconds.
#[derive(Debug, Clone, Copy, Default)]
struct Part {
    count: f64,
    of: f64,
}

/// Parts of one side.
#[derive(Debug, Clone, Default)]
struct Sample(Vec<Part>);

impl Sample {
    fn total(&self) -> Part {
        self.0.iter().fold(Part::default(), |sum, part| Part {
            count: sum.count + part.count,
            of: sum.of + part.of,
        })
    }

    fn ratio(&self) -> Option<f64> {
        let Part { count, of } = self.total();
        (of > 0.0).then(|| count / of)
    }

    /// Variance of the ratio by how much parts differ (ratio estimator), at least that of independent decisions.
    fn variance(&self, pooled: f64, shares: bool) -> f64 {
        let ratio = self.ratio().unwrap_or(0.0);
        let (parts, of) = (self.0.len() as f64, self.total().of);
        let rest = |part: &Part| (part.count - ratio * part.of).powi(2);
        let spread = self.0.iter().map(rest).sum::<f64>() / of.powi(2);
        let spread = if parts > 1.0 {
            spread * parts / (parts - 1.0)
        } else {
            0.0
        };
        let independent = pooled * if shares { 1.0 - pooled } else { 1.0 } / of;
        spread.max(independent)
    }
}

/// Probability that two samples have the same ratio; `None` where there is too little to say.
fn same(base: &Sample, new: &Sample, shares: bool) -> Option<f64> {
    let (a, b) = (base.total(), new.total());
    let (count, of) = (a.count + b.count, a.of + b.of);
    // For a share, the other outcomes must be as many.
    let rest = if shares { of - count } else { FEWEST };
    if count < FEWEST || rest < FEWEST {
        return None;
    }
    let pooled = count / of;
    let variance = base.variance(pooled, shares) + new.variance(pooled, shares);
    let distance = (base.ratio()? - new.ratio()?).abs();
    let df = (base.0.len() + new.0.len()).saturating_sub(2);
    (df > 0).then(|| student_two_sided(distance / variance.sqrt(), df as f64))
}

/// The runs of one side.
struct Side<'a>(Vec<(usize, &'a Decisions)>);

impl<'a> Side<'a> {
    fn kind(&self, id: &str) -> impl Iterator<Item = (usize, &'a Decisions, &'a Kind)> {
        let runs = self.0.iter().filter_map(|&(run, one)| {
            let kind = one.kinds.iter().find(|kind| kind.wording.id == id)?;
            Some((run, one, kind))
        });
        runs.collect::<Vec<_>>().into_iter()
    }

    fn outcomes(&self, kind: &str, id: &str) -> Vec<(usize, &'a Outcome)> {
        let found = self.kind(kind).filter_map(|(run, _, kind)| {
            let mut outcomes = kind.outcomes.iter();
            Some((run, outcomes.find(|outcome| outcome.wording.id == id)?))
        });
        found.collect()
    }

    /// Decisions of a kind with an outcome by step or run, of all of the kind; without an outcome, all of them per second.
    fn sample(&self, kind: &str, outcome: Option<&str>, by: By) -> Sample {
        let mut sample = Sample::default();
        let mut of_run = |seconds: f64, all: Option<&Kind>| {
            let steps = all.and_then(|kind| kind.outcomes.first());
            let steps = steps.map_or(STEPS, |outcome| outcome.steps.len());
            let count = |at: usize, only: Option<&str>| {
                let outcomes = all.into_iter().flat_map(|kind| &kind.outcomes);
                let outcomes =
                    outcomes.filter(|one| only.is_none_or(|only| one.wording.id == only));
                outcomes
                    .map(|one| one.steps.get(at).copied().unwrap_or(0))
                    .sum::<u64>() as f64
            };
            let parts = (0..steps).map(|at| match outcome {
                Some(only) => Part {
                    count: count(at, Some(only)),
                    of: count(at, None),
                },
                None => Part {
                    count: count(at, None),
                    of: seconds / steps as f64,
                },
            });
            let parts = Sample(parts.collect());
            match by {
                By::Runs => sample.0.push(parts.total()),
                By::Windows => sample.0.extend(parts.0),
            }
        };
        for &(_, run) in &self.0 {
            let found = run.kinds.iter().find(|one| one.wording.id == kind);
            of_run(run.length_ns as f64 / NS_PER_S, found);
        }
        sample
    }
}

/// Compares the decisions of all sides, as JSON.
///
/// # Errors
///
/// Fails when the request is not JSON of that shape, or names no side as the base.
pub fn compare_decisions(request: &str) -> Result<String, Error> {
    let request: Request = serde_json::from_str(request)
        .map_err(|error| Error::Wrong(format!("the decisions: {error}")))?;
    if request.base >= request.sides.len() {
        return Err(Error::Wrong(format!(
            "expected a base below {}, found {}",
            request.sides.len(),
            request.base
        )));
    }
    let write = || serde_json::to_string(&compared(&request));
    let written = if request.browser {
        for_browser(write)
    } else {
        write()
    };
    written.map_err(|error| Error::Bundle(error.to_string()))
}

fn compared(request: &Request) -> Compared {
    let known = |runs: &'_ [Option<Decisions>]| -> Vec<usize> {
        (0..runs.len()).filter(|&run| runs[run].is_some()).collect()
    };
    let sides: Vec<Side<'_>> = request
        .sides
        .iter()
        .map(|runs| {
            let here = known(runs).into_iter();
            Side(
                here.filter_map(|run| Some((run, runs[run].as_ref()?)))
                    .collect(),
            )
        })
        .collect();
    let mut order: Vec<&str> = Vec::new();
    for kind in sides
        .iter()
        .flat_map(|side| &side.0)
        .flat_map(|run| &run.1.kinds)
    {
        if !order.contains(&&*kind.wording.id) {
            order.push(&kind.wording.id);
        }
    }
    let mut kinds: Vec<ComparedKind> = order
        .iter()
        .map(|id| compared_kind(&sides, id, request))
        .collect();
    correct(&mut kinds);
    for kind in &mut kinds {
        kind.outcomes
            .sort_by(|a, b| weight(b).total_cmp(&weight(a)));
    }
    let missing = sides.iter().map(|side| {
        let mut all: Vec<String> = side
            .0
            .iter()
            .flat_map(|run| run.1.missing.clone())
            .collect();
        all.dedup();
        all
    });
    Compared {
        sentence: sentence(request.by, order.len()),
        missing: missing.collect(),
        kinds,
    }
}

fn sentence(by: By, kinds: usize) -> String {
    if kinds == 0 {
        return "No decisions are known.".to_owned();
    }
    let unit = match by {
        By::Runs => "runs of a side differ",
        By::Windows => "parts of a recording differ",
    };
    let weak = match by {
        By::Runs => "",
        By::Windows => {
            " With one run per side, a difference between two runs of the same kernel may show as well."
        }
    };
    format!(
        "A change is beyond noise if it is larger than {unit} (probability below {:.0} %, corrected for the number of tests).{weak}",
        ALPHA * 100.0
    )
}

fn compared_kind(sides: &[Side<'_>], id: &str, request: &Request) -> ComparedKind {
    let all = || sides.iter().flat_map(|side| side.kind(id));
    let mut words: BTreeMap<&str, (&Wording, u64)> = BTreeMap::new();
    for outcome in all().flat_map(|(_, _, kind)| &kind.outcomes) {
        let entry = words.entry(&outcome.wording.id);
        entry.or_insert((&outcome.wording, 0)).1 += outcome.count;
    }
    let row = |wording: &Wording, outcome: Option<&str>| {
        let samples: Vec<Sample> = sides
            .iter()
            .map(|side| side.sample(id, outcome, request.by))
            .collect();
        let cells = sides.iter().enumerate().map(|(at, side)| {
            let scale = if outcome.is_some() { 100.0 } else { 1.0 };
            let value = samples[at].ratio().map(|ratio| ratio * scale);
            let base = samples[request.base].ratio().map(|ratio| ratio * scale);
            let change = value.zip(base).filter(|_| at != request.base);
            let first = outcome.map_or_else(Vec::new, |outcome| side.outcomes(id, outcome));
            let first = first.first();
            Cell {
                count: samples[at].total().count as u64,
                value,
                example: first.map(|(run, outcome)| ComparedExample {
                    analysis: request.sides[..at].iter().map(Vec::len).sum::<usize>() + run,
                    example: outcome.example.clone(),
                }),
                change: change.map(|(value, base)| Change {
                    difference: value - base,
                    p: same(&samples[request.base], &samples[at], outcome.is_some()),
                    significant: false,
                }),
            }
        });
        Row {
            wording: wording.clone(),
            sides: cells.collect(),
        }
    };
    let first = all().next().map(|(_, _, kind)| &kind.wording);
    let blank = Wording::new("", "", "", "");
    let mut missing: Vec<String> = Vec::new();
    for one in all().flat_map(|(_, _, kind)| &kind.missing) {
        if !missing.contains(one) {
            missing.push(one.clone());
        }
    }
    let label = all().map(|(_, _, kind)| kind.label).max();
    ComparedKind {
        row: row(first.unwrap_or(&blank), None),
        outcomes: words
            .values()
            .map(|word| row(word.0, Some(&word.0.id)))
            .collect(),
        label: label.unwrap_or(Label::Observed),
        missing,
    }
}

/// Corrects the probabilities of all tests (Holm).
fn correct(kinds: &mut [ComparedKind]) {
    let rows = kinds.iter_mut().flat_map(|kind| {
        let rows = std::iter::once(&mut kind.row).chain(&mut kind.outcomes);
        rows.flat_map(|row| &mut row.sides)
    });
    let changes = rows.filter_map(|cell| cell.change.as_mut());
    let mut tested: Vec<(&mut f64, &mut bool)> = changes
        .filter_map(|change| Some((change.p.as_mut()?, &mut change.significant)))
        .collect();
    tested.sort_by(|a, b| a.0.total_cmp(b.0));
    let (count, mut least) = (tested.len(), 0.0_f64);
    for (rank, (p, significant)) in tested.into_iter().enumerate() {
        least = least.max((*p * (count - rank) as f64).min(1.0));
        *p = least;
        *significant = least < ALPHA;
    }
}

/// Sorts changes beyond noise first, then by size.
fn weight(row: &Row) -> f64 {
    let of = |cell: &Cell| {
        let change = cell.change?;
        Some(change.difference.abs() + if change.significant { 1000.0 } else { 0.0 })
    };
    row.sides.iter().filter_map(of).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shares of parts of 100 decisions.
    fn sample(counts: &[f64]) -> Sample {
        let part = |&count: &f64| Part { count, of: 100.0 };
        Sample(counts.iter().map(part).collect())
    }

    #[test]
    fn a_difference_must_be_larger_than_that_of_parts() {
        let steady = sample(&[50.0, 52.0, 48.0, 50.0]);
        let higher = sample(&[70.0, 72.0, 68.0, 70.0]);
        assert!(same(&steady, &higher, true).unwrap() < 0.01);
        // The same difference of parts that differ as much themselves.
        let (bursts, others) = (
            sample(&[0.0, 100.0, 0.0, 100.0]),
            sample(&[20.0, 100.0, 60.0, 100.0]),
        );
        assert!(same(&bursts, &others, true).unwrap() > 0.3);
        assert!(same(&steady, &steady, true).unwrap() > 0.99);
    }

    #[test]
    fn parts_that_are_all_alike_differ_by_chance() {
        // By the binomial distribution, 50 and 55 of 400 may come from one share.
        let (a, b) = (sample(&[12.5; 4]), sample(&[13.75; 4]));
        assert!(same(&a, &b, true).unwrap() > 0.3);
        // As rates, by that of Poisson.
        assert!(same(&a, &b, false).unwrap() > 0.3);
        let b = sample(&[40.0; 4]);
        assert!(same(&a, &b, false).unwrap() < 0.001);
    }

    #[test]
    fn too_few_decisions_are_not_tested() {
        let (a, b) = (sample(&[1.0; 4]), sample(&[1.25; 4]));
        assert_eq!(same(&a, &b, true), None);
        assert_eq!(same(&sample(&[99.0; 4]), &sample(&[99.5; 4]), true), None);
        assert!(same(&sample(&[3.0; 4]), &b, true).is_some());
    }

    fn outcome(id: &str, steps: &[u64]) -> serde_json::Value {
        serde_json::json!({
            "id": id, "title": id, "rule": "W1", "kernel": "f",
            "count": steps.iter().sum::<u64>(), "steps": steps,
            "example": { "t_ns": 7, "pid": 1, "comm": "a", "cpu": 0 },
        })
    }

    fn section(rows: &[serde_json::Value]) -> serde_json::Value {
        serde_json::json!({
            "length_ns": 1_000_000_000, "missing": [],
            "kinds": [{
                "id": "wakeup", "title": "Wakeup", "rule": "W1", "kernel": "f", "count": 0,
                "label": "replayed", "missing": [], "outcomes": rows,
            }],
        })
    }

    fn compared_with(by: &str, sides: &[Vec<serde_json::Value>]) -> serde_json::Value {
        let request = serde_json::json!({ "by": by, "base": 0, "browser": false, "sides": sides });
        serde_json::from_str(&compare_decisions(&request.to_string()).unwrap()).unwrap()
    }

    #[test]
    fn outcomes_that_changed_come_first_with_an_example() {
        let few = [
            outcome("kept", &[90, 91, 89, 90]),
            outcome("moved", &[10, 9, 11, 10]),
        ];
        let many = [
            outcome("kept", &[50, 51, 49, 50]),
            outcome("third", &[50, 49, 51, 50]),
        ];
        let found = compared_with("windows", &[vec![section(&few)], vec![section(&many)]]);
        let kind = &found["kinds"][0];
        assert_eq!(kind["sides"][0]["value"], 400.0);
        assert_eq!(kind["sides"][1]["change"]["significant"], false);
        let outcomes = kind["outcomes"].as_array().unwrap();
        let ids: Vec<_> = outcomes
            .iter()
            .map(|row| row["id"].as_str().unwrap())
            .collect();
        assert_eq!(ids, ["third", "kept", "moved"]);
        assert_eq!(outcomes[0]["sides"][0]["value"], 0.0);
        assert_eq!(outcomes[0]["sides"][0]["example"], serde_json::Value::Null);
        assert_eq!(outcomes[0]["sides"][1]["example"]["t_ns"], 7);
        assert_eq!(outcomes[0]["sides"][1]["change"]["significant"], true);
    }

    #[test]
    fn runs_of_a_side_are_values() {
        let run = |kept: u64| {
            section(&[
                outcome("kept", &[kept, kept]),
                outcome("moved", &[100 - kept; 2]),
            ])
        };
        // Runs of the base differ as much as the sides.
        let found = compared_with("runs", &[vec![run(90), run(50)], vec![run(60), run(40)]]);
        let change = &found["kinds"][0]["outcomes"][0]["sides"][1]["change"];
        assert_eq!(change["significant"], false);
        assert!(change["p"].as_f64().unwrap() > 0.2);
    }
}
