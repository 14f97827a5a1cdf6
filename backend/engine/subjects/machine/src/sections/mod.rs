//! Sections about who ran where, and with which results.

mod benchmark;
pub mod threads;
pub mod utilisation;

use numalens_subject::options::Step;
use numalens_subject::report::{as_is, usual};
use numalens_subject::subject;

subject! {
    kinds: &[], metrics: utilisation::metrics;
    "utilisation", utilisation::utilisation, false, Some(
        "Load of nodes and CPUs, its balance, and lengths of the runqueues (default step: 5 s)."
    ), report(|it| Step { step_ns: it.step_ns }, as_is);
    "residency", utilisation::residency, false, Some("Placement of tasks on nodes."), report(usual, as_is);
    "benchmark", benchmark::benchmark, true, Some("Results that benchmarks printed, each with its unit and better direction.");
    "threads", threads::threads, false, Some(
        "All threads with their process, cgroup, numa group and node, and their run and wait times."
    );
}
