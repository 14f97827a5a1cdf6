//! The nohz idle load balancer: what the recording shows of it, and what three of its versions would have done. Rules:
//! `docs/algorithms/idle_balancing.md`.

pub mod compare;
pub mod findings;
pub mod idle;
mod list;
pub mod model;
mod replay;
mod study;
mod waste;

pub use self::list::{Event, EventKind, Fate, of_kicks, of_model};
pub use self::replay::{Config, Counts, Follow, MaskSpan, Replay, Replayed, Run};
pub use self::study::{Asked, Study, study};
pub use self::waste::Curve;
