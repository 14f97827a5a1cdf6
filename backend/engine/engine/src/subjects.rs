//! The one list of subjects.

use numalens_subject::findings::FindingEntry;
use numalens_subject::report::Part;
use numalens_subject::section::{Describe, Section};

use crate::{decisions, findings};

macro_rules! subjects {
    ($($(#[$on:meta])? $subject:ident,)+) => {
        /// Kinds of findings, by subject.
        const KINDS: &[(&str, &[&FindingEntry])] = &[$($(#[$on])? (stringify!($subject), $subject::KINDS),)+];
        /// The sections.
        const SECTIONS: &[&[Section]] = &[$($(#[$on])? $subject::SECTIONS,)+];
        /// Descriptions of their answers. Separate from the table, so that a program that never uses them does not include their code.
        const DESCRIPTIONS: &[&[Describe]] = &[$($(#[$on])? $subject::DESCRIPTIONS,)+];
        /// Sections of the report.
        const PARTS: &[&[Part]] = &[$($(#[$on])? $subject::PARTS,)+];
    };
}

// In the order of the report. What a feature names, the others work without.
subjects! {
    numalens_psi,
    numalens_machine,
    numalens_placement,
    numalens_numa_balancing,
    numalens_cling,
    numalens_idle_balancing,
    numalens_page_migration,
    numalens_waits,
    numalens_waste,
    findings,
    numalens_off_cpu,
    #[cfg(feature = "schedstat")]
    numalens_schedstat,
    #[cfg(feature = "llc")]
    numalens_llc,
    numalens_sched_ext,
    numalens_wakeup_placement,
    decisions,
    #[cfg(feature = "memory_samples")]
    numalens_memory_samples,
    #[cfg(feature = "stacks")]
    numalens_stacks,
    #[cfg(feature = "hardware")]
    numalens_hardware,
}

/// Kinds of findings, by the name of their subject.
pub(crate) fn kinds() -> Vec<&'static FindingEntry> {
    let mut subjects = KINDS.to_vec();
    subjects.sort_by_key(|subject| subject.0);
    let kinds = subjects.into_iter().flat_map(|subject| subject.1);
    kinds.copied().collect()
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
