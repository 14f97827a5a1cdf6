//! The nohz idle load balancer: what the recording shows of it, and what three of its versions would have done. Rules:
//! `docs/algorithms/idle_balancing.md`.

pub mod compare;
pub mod idle;
mod list;
pub mod model;
mod replay;
mod study;

pub use self::list::{Event, EventKind, Fate, of_kicks, of_model};
pub use self::replay::{Config, Counts, MaskSpan, ModelKind, Replay, Replayed, Resting, Run};
pub use self::study::{Curve, Study, StudyRequest, study};
