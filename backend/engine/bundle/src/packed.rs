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
