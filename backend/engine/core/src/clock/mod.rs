//! One clock for all inputs: relations between clocks, and how uncertain they are.
//!
//! * `span`: the distance of two clocks: an interval, with drift;
//! * `markers`: samples and trace meet in lines that the sampler wrote into the trace;
//! * `graph`: clocks as nodes, known relations as edges; the least uncertain way from one to another;
//! * `place`: the clocks of a set of inputs, each placed on the reference clock.
//!
//! Relations between clocks and their uncertainty in ns belong here. The readers read the timestamps, and ingest rewrites the tables.

mod graph;
mod markers;
mod place;
mod span;

pub use graph::{Clock, Evidence, Graph, Way};
pub use markers::{Meeting, meet};
pub use place::{Distance, Method, Placed, Placement, SampleTimes, Times, place};
pub use span::Span;
