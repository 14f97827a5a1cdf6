//! Use of the machine: utilisation of CPUs and nodes, the threads, and the lanes of the timeline. All subjects may read it.
//!
//! `utilisation/`: how busy nodes and CPUs were and how many tasks waited, from state rows (`meter.rs`), and where each task ran, from
//! slices and waits (`residency.rs`). `timeline.rs`: the lanes of a window. `stat.rs`: samples of `/proc/stat`. Pictures and causes do
//! not belong here.
//!
//! A cell of the table is `round_half_up(100 · busy / (CPUs · length))`. The last step counts with its real length. It has no cell
//! when it is shorter than a second (or than a step of less), unless it is the only one. Unknown time counts as not busy, and the
//! label says so. Rounding is on whole numbers, so 0.5 % is never lost to a float.

pub mod coverage;
pub mod sections;
pub mod stat;
pub mod timeline;
pub mod utilisation;

pub use self::sections::SUBJECT;
