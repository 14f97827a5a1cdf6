//! Readers of trace text: tracefs, `trace-cmd report`, `perf script`, and `babeltrace2` of `LTTng`'s kernel events.
//!
//! [`decode`] detects the layout of the text and sorts its events by time. It turns them into the tables that the binary
//! readers make from the same events, as far as the text has the fields. The README has the grammar.

mod by_name;
mod bytes;
mod catalogue;
mod columns;
mod decode;
mod event_name;
mod facts;
mod flags;
mod head;
mod layout;
mod line;
mod lines;
mod loose;
mod lttng;
mod merge;
mod records;
mod rows;
mod skips;
mod stamp;
mod states;
mod survey;
mod table;
mod tables;
mod template;
mod unread;

pub use decode::decode;
pub use layout::{TextKind, sniff};
pub use unread::unread;
