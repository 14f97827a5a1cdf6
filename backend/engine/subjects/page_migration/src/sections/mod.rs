//! Sections about page migration.

pub mod migration;
pub mod samples;

use numalens_subject::report::{as_is, usual};
use numalens_subject::subject;

use crate::findings;

subject! {
    kinds: findings::KINDS, metrics: migration::metrics;
    "page_migration", migration::migration, true, Some(
        "Page migration: memory that follows tasks and tasks that follow memory, and the statistics of auto-migration where sampled."
    ), report(usual, as_is);
}
