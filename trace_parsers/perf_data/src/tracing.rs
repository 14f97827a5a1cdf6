//! The event formats that perf copied from tracefs (`TRACING_DATA`).

use std::collections::BTreeMap;

use numalens_columns::InputError;
use numalens_event_format::{Endian, EventFormat};

use crate::bytes::Bytes;

/// The first ten bytes.
const MAGIC: &[u8] = b"\x17\x08\x44tracing";

/// Longest section, bytes; that of a kernel with all its tracepoints has a few megabytes.
const LONGEST: usize = 64 << 20;

/// Formats by event number, with their system.
#[derive(Debug, Default)]
pub(crate) struct Formats {
    pub(crate) by_id: BTreeMap<u32, (String, EventFormat)>,
    /// Size of the traced kernel's `long`, bytes.
    pub(crate) long_size: u8,
    /// Byte order of the raw records.
    pub(crate) endian: Option<Endian>,
}

impl Formats {
    /// Reads the section at `place` in the file. Formats that precede a damaged part are kept. Later parts (symbols,
    /// `trace_printk` texts, task names) are not read. Returns notes about unusable parts.
    pub(crate) fn read(&mut self, bytes: &[u8], place: u64) -> Result<Vec<String>, InputError> {
        let mut notes = Vec::new();
        if bytes.len() > LONGEST {
            return Err(InputError::at_byte(
                place,
                format!("event formats of at most {LONGEST} bytes"),
                format!("{} bytes", bytes.len()),
            ));
        }
        let mut data = Bytes::new(bytes, Endian::Little);
        match self.sections(&mut data, &mut notes) {
            Ok(()) => Ok(notes),
            Err(expected) => {
                let found = match data.rest() {
                    [] => "the end of the section".to_owned(),
                    rest => format!("{:?}", String::from_utf8_lossy(&rest[..rest.len().min(16)])),
                };
                Err(InputError::at_byte(
                    place + data.at as u64,
                    format!("{expected} in the event formats"),
                    found,
                ))
            }
        }
    }

    fn sections(
        &mut self,
        data: &mut Bytes<'_>,
        notes: &mut Vec<String>,
    ) -> Result<(), &'static str> {
        exactly(data, MAGIC, "the mark 17 08 44 \"tracing\"")?;
        data.name().ok_or("a version")?;
        let [big, long_size] = *data.take(2).ok_or("byte order and size of a long")? else {
            return Err("byte order and size of a long");
        };
        data.endian = if big == 1 {
            Endian::Big
        } else {
            Endian::Little
        };
        self.endian = Some(data.endian);
        self.long_size = if long_size == 4 { 4 } else { 8 };
        data.u32().ok_or("a page size")?;
        for mark in [&b"header_page\0"[..], b"header_event\0"] {
            exactly(data, mark, "the mark of a header's description")?;
            sized(data)?;
        }
        for _ in 0..data.u32().ok_or("the number of ftrace's formats")? {
            let text = sized(data)?;
            self.add("ftrace", text, notes);
        }
        for _ in 0..data.u32().ok_or("the number of event systems")? {
            let system = data.name().ok_or("an event system's name")?;
            for _ in 0..data.u32().ok_or("the number of a system's events")? {
                let text = sized(data)?;
                self.add(&system, text, notes);
            }
        }
        Ok(())
    }

    /// A format that cannot be read costs its own events their columns, not the recording.
    fn add(&mut self, system: &str, text: &[u8], notes: &mut Vec<String>) {
        match EventFormat::parse(text) {
            Ok(format) => {
                self.by_id.insert(format.id, (system.to_owned(), format));
            }
            Err(expected) => notes.push(format!(
                "a format of system {system} was left out: expected {expected}"
            )),
        }
    }
}

fn exactly(data: &mut Bytes<'_>, mark: &[u8], what: &'static str) -> Result<(), &'static str> {
    if !data.rest().starts_with(mark) {
        return Err(what);
    }
    data.at += mark.len();
    Ok(())
}

/// A 64-bit size and as many bytes.
fn sized<'a>(data: &mut Bytes<'a>) -> Result<&'a [u8], &'static str> {
    let size = data.u64().ok_or("a text's size")?;
    data.take(size).ok_or("a text as long as its size says")
}
