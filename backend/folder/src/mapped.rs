//! Files mapped into memory.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

use arrow_buffer::Buffer;
use bytes::Bytes;
use memmap2::{Mmap, UncheckedAdvice};
use numalens_columns::ByteSource;

use super::named;

/// A mapped file. It is never written while it is mapped: inputs are finished uploads or the caller's own files, tables are
/// written before they are opened.
#[derive(Debug)]
pub struct Mapped {
    map: Mmap,
}

impl Mapped {
    /// Maps a file.
    ///
    /// # Errors
    ///
    /// It cannot be opened or mapped; the sentence begins with its path.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path).map_err(|error| named(path, &error))?;
        // SAFETY: the bytes are only read. Someone who cuts the file short in the meantime makes the kernel end the process
        // with SIGBUS; ingest runs in a process of its own for such reasons.
        #[allow(unsafe_code)]
        let map = unsafe { Mmap::map(&file) }.map_err(|error| named(path, &error))?;
        Ok(Self { map })
    }

    /// The whole file as a buffer that keeps the mapping alive.
    pub(crate) fn into_buffer(self) -> Buffer {
        Buffer::from(Bytes::from_owner(self.map))
    }
}

impl ByteSource for Mapped {
    fn bytes(&self) -> &[u8] {
        &self.map
    }

    fn release(&self, range: Range<usize>) {
        // Part pages stay: their other part may not have been read yet.
        const PAGE: usize = 4096;
        let start = range.start.next_multiple_of(PAGE);
        let end = range.end.min(self.map.len()) / PAGE * PAGE;
        if start < end {
            // SAFETY: the mapping is of a file and read-only: dropped pages are read again from the file when needed.
            #[allow(unsafe_code)]
            let _ = unsafe {
                self.map
                    .unchecked_advise_range(UncheckedAdvice::DontNeed, start, end - start)
            };
        }
    }
}
