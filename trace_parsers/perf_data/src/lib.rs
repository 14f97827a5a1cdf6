//! The perf.data reader: file mode and pipe mode, both byte orders, plain and compressed records.
//!
//! [`decode`] walks the records once. Samples wait in a queue until the recording's rounds guarantee that no earlier one
//! follows, then become rows. A tracepoint's record has the layout of the format text in the file, so that its table equals
//! that of a trace.dat. Other events get a table of the system `perf` with the fields of their samples. Facts of the format:
//! perf's `perf.data-file-format` document, `perf_event_open(2)`, and the output of `perf report -D`.

mod attrs;
mod blocks;
mod bytes;
mod decode;
mod directory;
mod emit;
mod features;
mod header;
mod inflate;
mod mappings;
mod output;
mod queue;
mod records;
mod sample;
mod session;
mod switches;
mod tables;
mod tracing;

pub use decode::decode;
pub use directory::{join, sets};

/// Returns whether these are the first bytes of a perf.data; eight of them are inspected.
#[must_use]
pub fn sniff(head: &[u8]) -> bool {
    header::byte_order(head).is_some()
}

#[cfg(test)]
mod tests {
    #[test]
    fn both_byte_orders_are_known_by_their_first_bytes() {
        assert!(super::sniff(b"PERFILE2\x10"));
        assert!(super::sniff(b"2ELIFREP\0"));
        assert!(!super::sniff(b"PERFILE"));
        assert!(!super::sniff(b"PERFFILE\x10"));
    }
}
