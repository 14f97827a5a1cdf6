//! The archive's bytes as a stream, inflated where they are compressed.

use std::io::{self, BufRead, Read};

use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;

use crate::ArchiveKind;
use crate::meter::{Guard, Meter};
use crate::wrapped;

/// Bytes handed out at once.
const STEP: usize = 128 << 10;
/// Consumed bytes are given back to the source in steps of this size.
const RELEASE_STEP: usize = 4 << 20;
/// Largest window of zstd data, as a power of two: what the zstd program takes without an option for more.
const WINDOW_LOG: u32 = 27;

/// The file from its start to its end, counted exactly.
struct FileReader<'m> {
    meter: &'m Meter<'m>,
    at: usize,
    released: usize,
}

impl Read for FileReader<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.fill_buf()?.read(buf)?;
        self.consume(n);
        Ok(n)
    }
}

impl BufRead for FileReader<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let rest = self.meter.source.bytes().get(self.at..).unwrap_or_default();
        Ok(&rest[..rest.len().min(STEP)])
    }

    fn consume(&mut self, n: usize) {
        self.at += n;
        self.meter.consumed.set(self.at as u64);
        if self.at - self.released >= RELEASE_STEP {
            self.meter.source.release(self.released..self.at);
            self.released = self.at;
        }
    }
}

/// The stream of a tar or of one compressed file.
pub(crate) fn open<'m>(meter: &'m Meter<'m>) -> Guard<'m, Box<dyn Read + 'm>> {
    let file = FileReader {
        meter,
        at: 0,
        released: 0,
    };
    let (inner, what): (Box<dyn Read + 'm>, _) = match meter.kind {
        ArchiveKind::TarGz | ArchiveKind::Gz => (Box::new(MultiGzDecoder::new(file)), "gzip data"),
        ArchiveKind::TarZst | ArchiveKind::Zst => (zstd(file), "zstd data"),
        ArchiveKind::TarXz | ArchiveKind::Xz => (Box::new(xz(file)), "xz data"),
        #[cfg(not(target_family = "wasm"))]
        ArchiveKind::TarBz2 | ArchiveKind::Bz2 => (
            Box::new(bzip2::bufread::MultiBzDecoder::new(file)),
            "bzip2 data",
        ),
        #[cfg(target_family = "wasm")]
        ArchiveKind::TarBz2 | ArchiveKind::Bz2 => (Box::new(io::empty()), "bzip2 data"),
        ArchiveKind::Tar | ArchiveKind::Zip => (Box::new(file), "an archive"),
        kind => {
            // The text may be anywhere in the file.
            meter.consumed.set(meter.length());
            wrapped::open(kind, meter.source.bytes())
        }
    };
    Guard {
        inner,
        meter,
        what,
        ended: false,
    }
}

/// Inflates xz data, stream after stream, with the same cap on the memory of a block.
pub(crate) fn xz<R: Read>(file: R) -> XzReader<R> {
    // The decoder's own tables come to less than 1 MiB (`get_memory_usage`).
    let most_kib = (1 << (WINDOW_LOG - 10)) + 1024;
    XzReader::new_mem_limit(file, true, most_kib)
}

/// Inflates zstd data, frame after frame, with a cap on the memory that a frame's window may ask for.
fn zstd<'m>(file: FileReader<'m>) -> Box<dyn Read + 'm> {
    let decoder = zstd::stream::read::Decoder::with_buffer(file).and_then(|mut decoder| {
        decoder.window_log_max(WINDOW_LOG)?;
        Ok(decoder)
    });
    match decoder {
        Ok(decoder) => Box::new(decoder),
        Err(error) => Box::new(Refused(Some(error))),
    }
}

/// A decoder that could not be made says so at its first read.
struct Refused(Option<io::Error>);

impl Read for Refused {
    fn read(&mut self, _buf: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}
