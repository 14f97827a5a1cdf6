//! The first bytes of a file: the positions of its parts.

use std::ops::Range;

use numalens_columns::InputError;
use numalens_event_format::Endian;

use crate::bytes::Bytes;

/// Size in the header of pipe mode: only magic and size.
const PIPE: u64 = 16;
/// Size of a file's header without its feature bits, as the first versions of perf wrote it.
const WITHOUT_FEATURES: u64 = 72;
/// Size of a file's header.
const FILE: u64 = 104;
/// Bits in the header for features.
const FEATURES: u32 = 256;

/// Content of the header. Ranges are as stored, whether or not the file is as long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) endian: Endian,
    pub(crate) form: Form,
}

/// The two forms of a perf.data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Form {
    /// Everything is a record; they begin at this byte.
    Pipe { records: u64 },
    /// Attributes, records and features are at the positions in the header.
    File {
        attrs: Range<u64>,
        /// Size of one attribute with the section of its ids.
        attr_size: u64,
        data: Range<u64>,
        /// Feature numbers, ascending; their sections are listed after the data.
        features: Vec<u32>,
    },
}

/// Byte order, if these are a perf.data's first bytes.
pub(crate) fn byte_order(head: &[u8]) -> Option<Endian> {
    match head.get(..8)? {
        b"PERFILE2" => Some(Endian::Little),
        b"2ELIFREP" => Some(Endian::Big),
        _ => None,
    }
}

impl Header {
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, InputError> {
        let Some(endian) = byte_order(bytes) else {
            let found = match bytes.get(..8) {
                Some(other) => format!("{:?}", String::from_utf8_lossy(other)),
                None => format!("the end of the file after {} bytes", bytes.len()),
            };
            return Err(InputError::at_byte(
                0,
                "the perf.data magic \"PERFILE2\"",
                found,
            ));
        };
        let mut data = Bytes::new(bytes, endian);
        data.at = 8;
        let size = data.u64();
        let form = match size {
            Some(PIPE) => Some(Form::Pipe { records: PIPE }),
            Some(FILE | WITHOUT_FEATURES) => file(&mut data, size == Some(FILE)),
            Some(other) => {
                return Err(InputError::at_byte(
                    8,
                    format!("a header of {FILE} bytes, or of {PIPE} in pipe mode"),
                    format!("one of {other}"),
                ));
            }
            None => None,
        };
        let form = form.ok_or_else(|| {
            InputError::at_byte(
                bytes.len() as u64,
                "the perf.data header",
                "the end of the file",
            )
        })?;
        let header = Self { endian, form };
        if let Form::File {
            attr_size: 0..=79, ..
        } = header.form
        {
            return Err(InputError::at_byte(
                16,
                "event attributes of at least 80 bytes",
                "smaller ones",
            ));
        }
        Ok(header)
    }
}

fn file(data: &mut Bytes<'_>, with_features: bool) -> Option<Form> {
    let attr_size = data.u64()?;
    let attrs = section(data)?;
    let records = section(data)?;
    section(data)?; // names of event types, which perf stopped writing in 2012
    let mut features = Vec::new();
    if with_features {
        let words: Option<Vec<u64>> = (0..FEATURES / 64).map(|_| data.u64()).collect();
        let words = words?;
        features = (0..FEATURES)
            .filter(|bit| words[*bit as usize / 64] >> (bit % 64) & 1 == 1)
            .collect();
    }
    Some(Form::File {
        attrs,
        attr_size,
        data: records,
        features,
    })
}

/// An offset and a size; a size that overflows reaches to the end of all numbers, which no file does.
pub(crate) fn section(data: &mut Bytes<'_>) -> Option<Range<u64>> {
    let offset = data.u64()?;
    let size = data.u64()?;
    Some(offset..offset.saturating_add(size))
}
