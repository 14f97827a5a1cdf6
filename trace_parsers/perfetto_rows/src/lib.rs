//! Rows of Perfetto's trace processor as event columns.
//!
//! The trace processor itself runs elsewhere and answers SQL; this crate decodes its answers (encoded `QueryResult`
//! messages) into event tables, see [`Importer`], or [`decode`] for answers that stand in a file, or keeps them as the rows
//! that they are, see [`Answer`], and says which bytes are a Perfetto trace, see [`sniff`]. Facts of the formats: Perfetto's `trace_processor.proto`, `trace_packet.proto` and `ftrace_event_bundle.proto`.

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
