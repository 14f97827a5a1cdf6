//! What is several files, given as an archive of them.

use std::collections::BTreeSet;
use std::io::Read;

use numalens_archive::{Unpack, sniff, unpack};
use numalens_columns::{ReadOptions, SinkError, Skipped, SliceSource};
use numalens_formats::SPREAD;

use crate::archives::CAPS;
use crate::{events, text};

/// Bytes that parts may come to beyond their own.
const MORE: u64 = 1 << 20;
/// What a format may put in front: descriptions, a table of CPUs, and filling up to a page.
const FRONT: u64 = 32 << 20;

#[derive(Default)]
struct Files(Vec<(String, Vec<u8>)>);

impl Unpack for Files {
    fn entry(&mut self, name: &str, reader: &mut dyn Read) -> Result<(), SinkError> {
        let mut bytes = Vec::new();
        let read = reader.read_to_end(&mut bytes);
        self.0.push((name.to_owned(), bytes));
        read.map(drop).map_err(|error| SinkError(error.to_string()))
    }

    fn skipped(&mut self, _skipped: Skipped) -> Result<(), SinkError> {
        Ok(())
    }
}

pub(crate) fn check(data: &[u8]) {
    let Some(kind) = sniff(data) else {
        return;
    };
    let mut files = Files::default();
    let options = ReadOptions { tolerant: true };
    let source = SliceSource(data);
    // What a damaged archive has given is looked at all the same.
    let _ = unpack(
        &source,
        kind,
        "x",
        &CAPS,
        &options,
        &mut files,
        &mut |_, _| {},
    );
    let names: Vec<&str> = files.0.iter().map(|file| file.0.as_str()).collect();
    for spread in SPREAD {
        let mut used = BTreeSet::new();
        for set in (spread.sets)(&names) {
            assert!(!set.is_empty());
            assert!(set.iter().all(|&at| at < names.len() && used.insert(at)));
            let part = |&at: &usize| (names[at], files.0[at].1.as_slice());
            let parts: Vec<(&str, &[u8])> = set.iter().map(part).collect();
            let packed: u64 = parts.iter().map(|part| part.1.len() as u64).sum();
            let mut joined = Vec::new();
            if (spread.join)(&parts, MORE, &mut joined).is_err() {
                continue;
            }
            assert!(joined.len() as u64 <= packed + MORE + FRONT);
            match spread.format {
                "trace.dat" => events::check(numalens_trace_dat::decode, &joined),
                "perf.data" => events::check(numalens_perf_data::decode, &joined),
                _ => text::topology(&joined),
            }
        }
    }
}
