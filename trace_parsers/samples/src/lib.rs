//! Samples: contents of files in `/proc` and `/sys`, read repeatedly while the machine was recorded.
//!
//! [`read`] turns one file into *sample tables*: Arrow batches in long form, passed to a [`SampleSink`]. The columns of a
//! table are those of [`SampleTableId::schema`]; each begins with the timestamps of its instant, as far as the input has any.
//! [`sniff`] identifies a file of samples by its content. [`MarkerReader`] reads the pressure text that a recorder wrote into
//! the trace itself, [`marker`] the lines that relate samples to the trace's clock.
//!
//! The inputs and their grammar are written down in the README of this folder.

#[macro_use]
mod rows;

mod automig;
mod benchmark;
mod cgroup;
mod files;
mod jsonl;
mod lines;
mod machine;
mod marker;
mod mmtests;
mod numa_group;
mod numa_maps;
mod number;
mod perf_stats;
mod pressure;
mod proc_sched;
mod read;
mod requests;
mod sched_ext;
mod schedstat;
mod sniff;
mod stamp;
mod summary;
mod system;
mod table;
mod task_stat;
mod text;

pub use benchmark::{read_benchmark, sniff_benchmark};
pub use marker::{Marker, MarkerReader, marker};
pub use perf_stats::{read_perf, sniff_perf};
pub use read::read;
pub use requests::read_requests;
pub use sniff::sniff;
pub use summary::{SampleKind, SampleSink, SampleSummary};
pub use table::SampleTableId;
