//! The `Ops` table that mmtests prints: what became of the attempts to place tasks, and how often tasks crossed nodes.
//!
//! Two counts of the same events. [`Meter`] counts what happened: a move counts when it succeeded, and tasks that cross
//! nodes are told apart by who sent them. [`Mmtests`] counts what mmtests' `MonitorFtracenumabalance.pm` counts (unchanged
//! since February 2020), with its quirks, so that a table can be laid beside an old one.

mod meter;
mod mmtests;
mod result;

pub use self::meter::{Config, Meter};
pub use self::mmtests::{Mmtests, OpsEvent, OpsKind, Rows};
pub use self::result::{Crossings, Failures, Ops};
