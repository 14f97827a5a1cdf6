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

/// The log of the balancer's events, by the names that the sections' files import.
pub(crate) mod observe {
    pub(crate) use numalens_events::{IlbKind, Kinds};
    pub(crate) use numalens_replay::idle_balancing::*;
}

pub use list::{Event, EventKind, Fate, of_kicks, of_model};
pub use replay::{Config, Counts, Follow, MaskSpan, Replay, Replayed, Run};
pub use study::{Asked, Study, study};
pub use waste::Curve;
