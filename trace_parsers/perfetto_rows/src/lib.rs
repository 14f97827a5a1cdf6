//! Rows of Perfetto's trace processor as event columns.
//!
//! The trace processor itself runs elsewhere and answers SQL. This crate decodes its answers (encoded `QueryResult`
//! messages): [`Importer`] turns them into event tables, [`decode`] does the same for answers in a file, and [`Answer`] keeps
//! them as rows. [`sniff`] identifies a Perfetto trace. Facts of the formats: Perfetto's `trace_processor.proto`,
//! `trace_packet.proto` and `ftrace_event_bundle.proto`.

mod answer;
mod answers;
mod builder;
mod catalogue;
mod importer;
mod packets;
mod plan;
mod result;
mod sniff;
mod wire;

pub use answer::{Answer, Kind};
pub use answers::{MAGIC, decode};
pub use importer::Importer;
pub use result::Cell;
pub use sniff::sniff;
