//! Use of the machine: utilisation of CPUs and nodes, the threads, and the lanes of the timeline. All subjects may read it.

pub mod coverage;
pub mod sections;
pub mod stat;
pub mod timeline;
pub mod utilisation;

pub use self::sections::{DESCRIPTIONS, KINDS, PARTS, SECTIONS};
