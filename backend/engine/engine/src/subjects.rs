//! Lists of all subjects, in the order of their list in `Cargo.toml`.

use numalens_bundle::Error;
use numalens_subject::findings::{Finding, FindingEntry};
use numalens_subject::metrics::{Measure, Metrics};
use numalens_subject::report::Part;
use numalens_subject::section::{Describe, Section};
use numalens_subject::{Context, Found, Stop, Subject, Window};

use crate::{decisions, findings};

/// Sections that combine several subjects: the findings of a window, and the kernel's decisions.
const OWN: [Subject; 2] = [findings::SUBJECT, decisions::SUBJECT];

macro_rules! subjects {
    ($($subject:ident),+) => {
        /// Kinds of findings, by subject.
        const KINDS: &[(&str, &[&FindingEntry])] = &[$((stringify!($subject), $subject::SUBJECT.kinds)),+];
        /// Functions that find them.
        const FOUND: &[Option<Found>] = &[$($subject::SUBJECT.found),+];
        /// Figures for comparisons.
        const METRICS: &[Option<Measure>] = &[$($subject::SUBJECT.metrics,)+ OWN[0].metrics];
        /// The sections.
        const SECTIONS: &[&[Section]] = &[$($subject::SUBJECT.sections,)+ OWN[0].sections, OWN[1].sections];
        /// Descriptions of their answers. Separate from the table, so that a program that never uses them does not include their code.
        const DESCRIPTIONS: &[&[Describe]] =
            &[$($subject::SUBJECT.descriptions,)+ OWN[0].descriptions, OWN[1].descriptions];
        /// Sections of the report.
        const PARTS: &[&[Part]] = &[$($subject::SUBJECT.parts,)+ OWN[0].parts];
    };
}

// `build.rs` takes the subjects from `Cargo.toml`.
include!(concat!(env!("OUT_DIR"), "/subjects.rs"));

/// Kinds of findings, by the name of their subject.
pub(crate) fn kinds() -> Vec<&'static FindingEntry> {
    let mut subjects = KINDS.to_vec();
    subjects.sort_by_key(|subject| subject.0);
    let kinds = subjects.into_iter().flat_map(|subject| subject.1);
    kinds.copied().collect()
}

/// Findings of the window that need nothing else, unranked.
pub(crate) fn found(open: &Context, window: Window) -> Result<Vec<Finding>, Stop> {
    let mut all = Vec::new();
    for found in FOUND.iter().flatten() {
        all.extend(found(open, window)?);
    }
    Ok(all)
}

/// Figures of all subjects for comparisons.
pub(crate) fn metrics(
    open: &Context,
    window: (u64, u64),
    step_ns: u64,
) -> Result<Vec<Metrics>, Error> {
    let mut all = Vec::new();
    for measure in METRICS.iter().flatten() {
        all.extend(measure(open, window, step_ns)?);
    }
    Ok(all)
}

/// Sections of all subjects.
pub(crate) fn sections() -> impl Iterator<Item = &'static Section> {
    SECTIONS.iter().copied().flatten()
}

/// Sections of all subjects, each with what describes its answer.
pub(crate) fn descriptions() -> impl Iterator<Item = (&'static Section, &'static Describe)> {
    sections().zip(DESCRIPTIONS.iter().copied().flatten())
}

/// Sections of the report, in its order.
pub(crate) fn parts() -> impl Iterator<Item = &'static Part> {
    PARTS.iter().copied().flatten()
}
