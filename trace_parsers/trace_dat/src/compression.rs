//! The two compressions that trace-cmd writes.

use std::io::Read;

use numalens_columns::InputError;

/// Largest metadata section after decompression, bytes; the cap keeps a forged size field from asking for the machine's
/// memory.
pub(crate) const MAX_SECTION: u32 = 256 << 20;

/// Compression of a version 7 file's sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compression {
    None,
    Zlib,
    Zstd,
}

impl Compression {
    pub(crate) fn by_name(name: &str) -> Option<Self> {
        match name {
            "none" => Some(Self::None),
            "zlib" => Some(Self::Zlib),
            "zstd" => Some(Self::Zstd),
            _ => None,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Zlib => "zlib",
            Self::Zstd => "zstd",
        }
    }

    /// Replaces `out` with the inflated bytes, which must be exactly `size` long and at most `most`. `place` is the position
    /// of the data.
    pub(crate) fn inflate(
        self,
        data: &[u8],
        (size, most): (u32, u32),
        place: u64,
        out: &mut Vec<u8>,
    ) -> Result<(), InputError> {
        let fail = |found: String| {
            InputError::at_byte(
                place,
                format!("{} data that inflates to {size} bytes", self.name()),
                found,
            )
        };
        if size > most {
            return Err(InputError::at_byte(
                place,
                format!("a block of at most {most} bytes after decompression"),
                format!("one that says {size}"),
            ));
        }
        out.clear();
        match self {
            Self::None => {
                return Err(fail(
                    "a compressed block in a file without compression".to_owned(),
                ));
            }
            Self::Zstd => {
                out.reserve_exact(size as usize);
                zstd::bulk::Decompressor::new()
                    .and_then(|mut decompressor| decompressor.decompress_to_buffer(data, out))
                    .map_err(|error| fail(format!("damaged data ({error})")))?;
            }
            Self::Zlib => {
                // One byte more than announced, so that a longer stream is noticed and never grows past its word.
                flate2::read::ZlibDecoder::new(data)
                    .take(u64::from(size) + 1)
                    .read_to_end(out)
                    .map_err(|error| fail(format!("damaged data ({error})")))?;
            }
        }
        if out.len() == size as usize {
            Ok(())
        } else {
            Err(fail(format!("{} bytes", out.len())))
        }
    }
}
