//! What an input is.

use numalens_columns::{ByteSource, InputError};
use numalens_trace_dat::MAGIC;
use serde::{Deserialize, Serialize};

/// The kinds of input that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kind {
    #[serde(rename = "trace.dat")]
    TraceDat,
    #[serde(rename = "topology")]
    Topology,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::TraceDat => "trace.dat",
            Self::Topology => "topology",
        }
    }

    /// Tells the kind by the first bytes.
    pub(crate) fn of(source: &dyn ByteSource) -> Result<Self, InputError> {
        let bytes = source.bytes();
        if bytes.starts_with(MAGIC) {
            Ok(Self::TraceDat)
        } else if numalens_topology::sniff(bytes).is_some() {
            Ok(Self::Topology)
        } else {
            let expected =
                "a trace.dat recording or a topology (lscpu -p, numactl -H, sysfs node lists)";
            Err(InputError::at_byte(0, expected, first_bytes(bytes)))
        }
    }
}

/// What the input begins with, for an error sentence.
fn first_bytes(bytes: &[u8]) -> String {
    const SHOWN: usize = 8;
    const KNOWN: [(&[u8], &str); 6] = [
        (b"PERFILE2", "a perf.data file"),
        (b"\x28\xb5\x2f\xfd", "a zstd-compressed file"),
        (b"\x1f\x8b", "a gzip-compressed file"),
        (b"PK\x03\x04", "a zip archive"),
        (b"\xfd7zXZ", "an xz-compressed file"),
        (b"\x7fELF", "an ELF program"),
    ];
    if bytes.is_empty() {
        return "an empty file".to_owned();
    }
    if let Some((_, what)) = KNOWN.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return (*what).to_owned();
    }
    let shown: Vec<String> = bytes
        .iter()
        .take(SHOWN)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("the bytes {}", shown.join(" "))
}
