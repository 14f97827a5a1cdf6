//! What the tests share: a taker that keeps everything, and writers of archives, honest and not.
#![allow(dead_code, missing_docs, unreachable_pub)]
#![allow(clippy::missing_panics_doc, clippy::must_use_candidate)]

use std::io::{Read, Write};

use numalens_archive::{ArchiveSummary, Caps, Unpack, sniff, unpack};
use numalens_columns::{DecodeError, ReadOptions, SinkError, Skipped, SliceSource};

/// Keeps every entry and everything that was left out.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Kept {
    pub entries: Vec<(String, Vec<u8>)>,
    pub skipped: Vec<Skipped>,
}

impl Unpack for Kept {
    fn entry(&mut self, name: &str, reader: &mut dyn Read) -> Result<(), SinkError> {
        let mut bytes = Vec::new();
        let read = reader.read_to_end(&mut bytes);
        self.entries.push((name.to_owned(), bytes));
        read.map_err(|error| SinkError(error.to_string()))?;
        Ok(())
    }

    fn skipped(&mut self, skipped: Skipped) -> Result<(), SinkError> {
        self.skipped.push(skipped);
        Ok(())
    }
}

impl Kept {
    pub fn names(&self) -> Vec<&str> {
        self.entries.iter().map(|(name, _)| name.as_str()).collect()
    }

    pub fn text(&self, name: &str) -> String {
        let entry = self.entries.iter().find(|entry| entry.0 == name).unwrap();
        String::from_utf8_lossy(&entry.1).into_owned()
    }

    /// Why each part was left out, a line each.
    pub fn reasons(&self) -> String {
        let reasons: Vec<&str> = self.skipped.iter().map(|part| part.why.as_str()).collect();
        reasons.join("\n")
    }
}

pub fn read(
    bytes: &[u8],
    caps: &Caps,
    tolerant: bool,
) -> (Kept, Result<ArchiveSummary, DecodeError>) {
    let kind = sniff(bytes).unwrap();
    let mut kept = Kept::default();
    let mut last = 0;
    let total = bytes.len() as u64;
    let result = unpack(
        &SliceSource(bytes),
        kind,
        "in/psi.log.gz",
        caps,
        &ReadOptions { tolerant },
        &mut kept,
        &mut |done, of| {
            assert!(done >= last && done <= of && of == total);
            last = done;
        },
    );
    for part in &kept.skipped {
        assert!(
            part.range.start < part.range.end && part.range.end <= total,
            "{part:?}"
        );
    }
    match &result {
        Ok(summary) => {
            assert_eq!(last, total, "at the end all is done");
            assert_eq!(summary.entries, kept.entries.len() as u64);
            assert_eq!(summary.skipped, kept.skipped.len() as u64);
        }
        Err(DecodeError::Input(error)) => assert!(error.place.number() <= total, "{error}"),
        Err(other) => panic!("not about the input: {other}"),
    }
    (kept, result)
}

/// A strict reading that must succeed.
pub fn good(bytes: &[u8]) -> Kept {
    let (kept, result) = read(bytes, &Caps::default(), false);
    result.unwrap();
    kept
}

/// A tolerant reading that must succeed.
pub fn tolerant(bytes: &[u8]) -> Kept {
    let (kept, result) = read(bytes, &Caps::default(), true);
    result.unwrap();
    kept
}

/// The sentence of a reading that must fail.
pub fn sentence(bytes: &[u8], caps: &Caps, tolerant: bool) -> String {
    match read(bytes, caps, tolerant).1 {
        Ok(summary) => panic!("read: {summary:?}"),
        Err(error) => error.to_string(),
    }
}

/// A tar header of 512 bytes with a right checksum.
pub fn header(name: &[u8], kind: u8, size: u64) -> Vec<u8> {
    let mut block = vec![0_u8; 512];
    block[..name.len()].copy_from_slice(name);
    block[100..108].copy_from_slice(b"0000644\0");
    block[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
    block[156] = kind;
    block[257..265].copy_from_slice(b"ustar\x0000");
    seal(&mut block);
    block
}

/// Makes a header's checksum right.
pub fn seal(block: &mut [u8]) {
    block[148..156].copy_from_slice(b"        ");
    let sum: u32 = block[..512].iter().map(|&byte| u32::from(byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
}

/// A header and its data, filled to whole blocks.
pub fn member(name: &[u8], kind: u8, data: &[u8]) -> Vec<u8> {
    let mut bytes = header(name, kind, data.len() as u64);
    bytes.extend(data);
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes
}

/// A whole tar.
pub fn tar(members: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = members.concat();
    bytes.extend([0; 1024]);
    bytes
}

pub fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn zst(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn xz(bytes: &[u8]) -> Vec<u8> {
    let options = lzma_rust2::XzOptions::default();
    let mut writer = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

/// An entry of a zip as it is written, honest or not.
#[derive(Debug, Clone)]
pub struct ZipEntry {
    pub name: Vec<u8>,
    pub data: Vec<u8>,
    pub deflated: bool,
    pub flags: u16,
    pub method: Option<u16>,
    /// Size after inflation that the directory says.
    pub size: Option<u32>,
    pub crc: Option<u32>,
    /// Mode in the upper half of the external attributes.
    pub mode: u32,
    /// Sizes follow the data.
    pub descriptor: bool,
    /// Sizes stand in a zip64 extra field.
    pub wide: bool,
    /// The directory points to this entry's local header instead of its own.
    pub points_to: Option<usize>,
}

impl ZipEntry {
    pub fn new(name: &str, data: &[u8]) -> Self {
        Self {
            name: name.as_bytes().to_vec(),
            data: data.to_vec(),
            deflated: true,
            flags: 0,
            method: None,
            size: None,
            crc: None,
            mode: 0o100_644,
            descriptor: false,
            wide: false,
            points_to: None,
        }
    }
}

fn put16(out: &mut Vec<u8>, values: &[u16]) {
    for value in values {
        out.extend(value.to_le_bytes());
    }
}

fn put32(out: &mut Vec<u8>, values: &[u32]) {
    for value in values {
        out.extend(value.to_le_bytes());
    }
}

fn put64(out: &mut Vec<u8>, values: &[u64]) {
    for value in values {
        out.extend(value.to_le_bytes());
    }
}

/// A zip with its local headers, its directory and its end.
pub fn zip(entries: &[ZipEntry]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut directory = Vec::new();
    let mut starts = Vec::new();
    for entry in entries {
        let start = out.len() as u32;
        starts.push(start);
        let packed = if entry.deflated {
            let mut encoder =
                flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(&entry.data).unwrap();
            encoder.finish().unwrap()
        } else {
            entry.data.clone()
        };
        let mut crc = flate2::Crc::new();
        crc.update(&entry.data);
        let crc = entry.crc.unwrap_or(crc.sum());
        let size = entry.size.unwrap_or(entry.data.len() as u32);
        let sizes = [packed.len() as u32, size];
        let method = entry.method.unwrap_or(if entry.deflated { 8 } else { 0 });
        let flags = entry.flags | if entry.descriptor { 8 } else { 0 };
        let mut extra = Vec::new();
        if entry.wide {
            put16(&mut extra, &[1, 16]);
            put64(&mut extra, &[u64::from(size), packed.len() as u64]);
        }
        let shown = if entry.wide { [u32::MAX; 2] } else { sizes };

        out.extend(b"PK\x03\x04");
        put16(&mut out, &[20, flags, method, 0, 0x21]);
        if entry.descriptor {
            put32(&mut out, &[0, 0, 0]);
        } else {
            put32(&mut out, &[crc, shown[0], shown[1]]);
        }
        put16(&mut out, &[entry.name.len() as u16, extra.len() as u16]);
        out.extend(&entry.name);
        out.extend(&extra);
        out.extend(&packed);
        if entry.descriptor {
            out.extend(b"PK\x07\x08");
            put32(&mut out, &[crc, sizes[0], sizes[1]]);
        }

        directory.extend(b"PK\x01\x02");
        put16(
            &mut directory,
            &[3 << 8 | 0x14, 0x14, flags, method, 0, 0x21],
        );
        put32(&mut directory, &[crc, shown[0], shown[1]]);
        put16(
            &mut directory,
            &[entry.name.len() as u16, extra.len() as u16, 0, 0, 0],
        );
        put32(&mut directory, &[entry.mode << 16]);
        put32(
            &mut directory,
            &[entry.points_to.map_or(start, |at| starts[at])],
        );
        directory.extend(&entry.name);
        directory.extend(&extra);
    }
    let at = out.len() as u32;
    out.extend(&directory);
    out.extend(b"PK\x05\x06");
    put16(
        &mut out,
        &[0, 0, entries.len() as u16, entries.len() as u16],
    );
    put32(&mut out, &[directory.len() as u32, at]);
    put16(&mut out, &[0]);
    out
}
