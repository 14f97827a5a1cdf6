//! A bundle as one file: an archive of its files.

use std::io::{self, Read};

use numalens_archive::{ArchiveKind, Caps, Unpack};
use numalens_columns::{ByteSource, DecodeError, ReadOptions, SinkError, Skipped};

use crate::error::Error;
use crate::storage::{Files, Memory};

/// Takes the files of a packed bundle under their own names.
struct Taken<'a>(&'a Memory);

impl Unpack for Taken<'_> {
    fn entry(&mut self, name: &str, reader: &mut dyn Read) -> Result<(), SinkError> {
        let written = self
            .0
            .create(name)
            .and_then(|mut file| io::copy(reader, &mut file).map(drop));
        written.map_err(|error| SinkError(error.to_string()))
    }

    fn skipped(&mut self, _skipped: Skipped) -> Result<(), SinkError> {
        Ok(())
    }
}

/// The files of a bundle that was packed as a gzipped tar, in memory; `name` is what messages call it.
///
/// # Errors
///
/// Fails when the archive is damaged, or larger than [`Caps::default`] allows.
pub fn unpacked(name: &str, bytes: &dyn ByteSource) -> Result<Memory, Error> {
    let files = Memory::default();
    let unpacked = numalens_archive::unpack(
        bytes,
        ArchiveKind::TarGz,
        name,
        &Caps::default(),
        &ReadOptions::default(),
        &mut Taken(&files),
        &mut |_, _| {},
    );
    match unpacked {
        Ok(_) => Ok(files),
        Err(DecodeError::Input(error)) => Err(Error::input(name, error)),
        Err(error) => Err(Error::Bundle(format!("{name}: {error}"))),
    }
}

/// The files of a bundle as a tar, which [`unpacked`] takes when it is gzipped; equal bundles give equal bytes.
///
/// # Errors
///
/// Fails when a file cannot be read.
pub fn packed(files: &Memory) -> Result<Vec<u8>, Error> {
    let mut tar = tar::Builder::new(Vec::new());
    for name in files.names() {
        let bytes = files.whole(&name)?;
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, &name, bytes.as_slice())?;
    }
    Ok(tar.into_inner()?)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn what_was_packed_is_unpacked() {
        let files = Memory::default();
        for (name, bytes) in [("manifest.json", &b"{}"[..]), ("deep/table", &[7; 5000])] {
            files.create(name).unwrap().write_all(bytes).unwrap();
        }
        let tar = packed(&files).unwrap();
        let mut zipped = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        zipped.write_all(&tar).unwrap();
        let found = unpacked("x", &zipped.finish().unwrap()).unwrap();
        assert_eq!(found.names(), files.names());
        for name in found.names() {
            assert_eq!(found.whole(&name).unwrap(), files.whole(&name).unwrap());
        }
    }
}
