//! The file of frames in which the trace processor's answers arrive.
//!
//! The file begins with [`MAGIC`]. A frame is one byte for its kind, its length (8 bytes, little endian), and that many
//! bytes. Kinds are `t` bytes of the trace itself, `p` the plan of a table (JSON), `r` rows of that table, and `i` metadata
//! of the trace (JSON), which comes last.

use numalens_columns::{ByteSource, DecodeError, EventSink, InputError, ReadOptions, Recording};

use crate::Importer;

/// First bytes of the file.
pub const MAGIC: &[u8] = b"numalens answers 1\n";
/// Size of a frame's kind and length.
const HEAD: usize = 9;

/// Reads the answers about one trace into event tables. The file is written by this program, so every read is strict.
///
/// # Errors
/// The bytes are not such a file or end before its last frame, an answer is damaged, or the sink refuses.
pub fn decode(
    source: &dyn ByteSource,
    _options: &ReadOptions,
    sink: &mut dyn EventSink,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Recording, DecodeError> {
    let bytes = source.bytes();
    if !bytes.starts_with(MAGIC) {
        let found = "something else";
        return Err(InputError::at_byte(0, "answers of the trace processor", found).into());
    }
    let mut importer = Importer::new();
    let mut at = MAGIC.len();
    loop {
        let frame = Frame::read(bytes, at)?;
        let end = at + HEAD + frame.content.len();
        let done = match frame.what {
            b't' => {
                importer.trace(frame.content);
                Ok(())
            }
            b'p' => importer.table(text(frame.content, at)?, sink),
            b'r' => importer.rows(frame.content, sink),
            b'i' => return importer.finish(text(frame.content, at)?, sink),
            other => {
                let expected = "a frame of the trace, a plan, rows or the end";
                let found = format!("the byte {other:02x}");
                return Err(InputError::at_byte(at as u64, expected, found).into());
            }
        };
        done?;
        source.release(at..end);
        at = end;
        progress(at as u64, bytes.len() as u64);
    }
}

struct Frame<'a> {
    what: u8,
    content: &'a [u8],
}

impl<'a> Frame<'a> {
    fn read(bytes: &'a [u8], at: usize) -> Result<Self, InputError> {
        let cut = |expected: &str| {
            let found = format!("the end at byte {}", bytes.len());
            InputError::at_byte(at as u64, expected, found)
        };
        let rest = bytes.get(at..).unwrap_or_default();
        let Some((&[what, ref length @ ..], content)) = rest.split_first_chunk::<HEAD>() else {
            return Err(cut("the next of the trace processor's answers"));
        };
        let length = usize::try_from(u64::from_le_bytes(*length)).ok();
        let content = length
            .and_then(|length| content.get(..length))
            .ok_or_else(|| cut("the whole of an answer"))?;
        Ok(Self { what, content })
    }
}

fn text(content: &[u8], at: usize) -> Result<&str, InputError> {
    std::str::from_utf8(content)
        .map_err(|_| InputError::at_byte(at as u64, "an answer in UTF-8", "other bytes"))
}
