//! The nohz idle load balancer: its recorded events, and the decisions of three of its versions. Rules:
//! `docs/algorithms/idle_balancing.md`.

pub mod compare;
mod curve;
mod decisions;
pub mod findings;
pub mod idle;
pub mod left;
mod list;
pub mod model;
pub mod options;
mod replay;
pub mod searches;
pub mod sections;
mod study;

pub use self::curve::Curve;
pub use self::decisions::decisions;
pub use self::list::{Event, EventKind, Fate, of_kicks, of_model};
pub use self::replay::{Config, Counts, MaskSpan, ModelKind, Replay, Replayed, Resting, Run};
pub use self::sections::SUBJECT;
pub use self::study::{Study, StudyRequest, study};
