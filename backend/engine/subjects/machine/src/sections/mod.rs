//! Sections about who ran where.

pub mod threads;
pub mod utilisation;

use numalens_subject::options::Step;
use numalens_subject::report::{as_is, usual};
use numalens_subject::subject;

subject! {
    kinds: &[];
    "utilisation", utilisation::utilisation, false, Some(
        "How busy nodes and CPUs were, how even that was, and how long the runqueues were; the step is 5 s unless given."
    ), report(|it| Step { step_ns: it.step_ns }, as_is);
    "residency", utilisation::residency, false, Some("Which tasks ran on which nodes."), report(usual, as_is);
    "threads", threads::threads, false, Some(
        "All threads with their process, cgroup, numa group and node, and how long each ran and waited."
    );
}
