//! Event columns as a Perfetto trace: packets of protobuf, written one after the other.
//!
//! ```
//! use numalens_perfetto_packets::{Clock, Trace};
//!
//! let mut trace = Trace::new();
//! trace.clocks(Clock::Mono, 1_000, None);
//! assert!(!trace.take().is_empty());
//! ```

mod bundles;
mod cells;
mod messages;
mod page;
mod table;
mod trace;
mod track;
mod wire;

pub use bundles::{Bundles, Waking};
pub use table::{Rows, Table, Unfit};
pub use trace::{Clock, Thread, Trace};
pub use track::{Argument, Counter, Mark, Track, Value};
