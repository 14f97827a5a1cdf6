//! Archives.

use std::io::Read;

use numalens_archive::{ArchiveKind, Caps, Unpack, safe_name, sniff, unpack};
use numalens_columns::{ReadOptions, SinkError, Skipped, SliceSource};

use crate::check::{Extent, Progress};

pub(crate) const CAPS: Caps = Caps {
    entries: 100,
    total_bytes: 4 << 20,
    entry_bytes: 2 << 20,
    ratio: 200,
};
const KINDS: [ArchiveKind; 16] = [
    ArchiveKind::Tar,
    ArchiveKind::TarGz,
    ArchiveKind::TarZst,
    ArchiveKind::Zip,
    ArchiveKind::Gz,
    ArchiveKind::Zst,
    ArchiveKind::TarXz,
    ArchiveKind::Xz,
    ArchiveKind::TarBz2,
    ArchiveKind::Bz2,
    ArchiveKind::Utf8Bom,
    ArchiveKind::Utf16,
    ArchiveKind::Atrace,
    ArchiveKind::SystraceHtml,
    ArchiveKind::ChromeJson,
    ArchiveKind::KernelLog,
];

struct Counter {
    extent: Extent,
    names: Vec<String>,
    bytes: u64,
    skipped: u64,
    /// Reads only the first bytes of each entry.
    lazy: bool,
}

impl Unpack for Counter {
    fn entry(&mut self, name: &str, reader: &mut dyn Read) -> Result<(), SinkError> {
        assert_eq!(safe_name(name).as_deref(), Ok(name));
        assert!(
            !self.names.iter().any(|known| known == name),
            "{name:?} twice"
        );
        self.names.push(name.to_owned());
        let mut buf = [0; 4096];
        loop {
            let n = reader
                .read(&mut buf)
                .map_err(|error| SinkError(error.to_string()))?;
            self.bytes += n as u64;
            if n == 0 || self.lazy {
                return Ok(());
            }
        }
    }

    fn skipped(&mut self, skipped: Skipped) -> Result<(), SinkError> {
        self.skipped += 1;
        self.extent.skipped(&skipped);
        Ok(())
    }
}

pub(crate) fn check(data: &[u8]) {
    let kinds = match sniff(data) {
        Some(kind) => vec![kind],
        None => KINDS.to_vec(),
    };
    for kind in kinds {
        for (tolerant, lazy) in [(false, false), (true, false), (true, true)] {
            one(data, kind, tolerant, lazy);
        }
    }
}

fn one(data: &[u8], kind: ArchiveKind, tolerant: bool, lazy: bool) {
    let extent = Extent::of(data);
    let mut out = Counter {
        extent,
        names: Vec::new(),
        bytes: 0,
        skipped: 0,
        lazy,
    };
    let mut progress = Progress::new();
    let options = ReadOptions { tolerant };
    let report = &mut |done, total| progress.at(done, total);
    let result = unpack(
        &SliceSource(data),
        kind,
        "in/x.gz",
        &CAPS,
        &options,
        &mut out,
        report,
    );
    assert!(out.bytes <= CAPS.total_bytes + 4096);
    match result {
        Ok(summary) => {
            assert_eq!(summary.entries, out.names.len() as u64);
            assert_eq!((summary.bytes, summary.skipped), (out.bytes, out.skipped));
        }
        Err(error) => extent.ended(&error),
    }
}
