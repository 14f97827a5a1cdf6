//! One clock for all inputs: relations between clocks, and how uncertain they are.

mod graph;
mod markers;
mod place;
mod span;

pub use graph::{Clock, Evidence, Graph, Way};
pub use markers::{Meeting, meet};
pub use place::{Distance, Method, Placed, Placement, SampleTimes, Times, place};
pub use span::Span;
