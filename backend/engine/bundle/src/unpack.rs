//! Archives among the inputs, unpacked into a scratch folder.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use numalens_archive::{ArchiveKind, Caps, Unpack};
use numalens_columns::{ByteSource, DecodeError, InputError, ReadOptions, SinkError, Skipped};
use numalens_formats::{Found, is_note};
use serde::Serialize;

use crate::bundle::Left;
use crate::error::Error;
use crate::ingest::{Progress, open};
use crate::storage::named;

/// Archives inside archives are opened to this depth.
const DEEPEST: u32 = 3;

/// A file to be read: an input itself, or a member of an archive.
#[derive(Debug, Serialize)]
pub struct Member {
    /// As shown: `bundle.tgz/trace.dat`.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// `None` for a member that is of no kind that is read.
    pub kind: Option<&'static str>,
    /// Its size.
    pub bytes: u64,
    /// Position of the input that it came from.
    pub source: u32,
    /// What is to be said of it.
    pub notes: Vec<String>,
    /// Parts of the archive that a tolerant reading left out.
    pub(crate) skipped: Vec<Left>,
}

/// Says what a file is.
///
/// # Errors
///
/// Fails when the file cannot be read or is nothing that is read.
pub fn sniff(path: &Path, name: &str) -> Result<Found, Error> {
    Found::expect(open(name, path)?.bytes()).map_err(|error| Error::input(name, error))
}

/// Lists what is to be read of the inputs. Archives are unpacked below `folder`, which then holds at most `max_bytes`.
///
/// # Errors
///
/// Fails when an input cannot be read, holds nothing that is read or is too large, and when the progress callback raises.
pub fn unpack(
    inputs: &[(String, PathBuf)],
    folder: &Path,
    max_bytes: Option<u64>,
    options: ReadOptions,
    progress: &mut Progress<'_>,
) -> Result<Vec<Member>, Error> {
    std::fs::create_dir_all(folder).map_err(|error| named(folder, &error))?;
    let mut unpacking = Unpacking {
        folder,
        max_bytes,
        options,
        progress,
        files: 0,
        bytes: 0,
        members: Vec::new(),
    };
    let mut refused = None;
    for (source, (name, path)) in (0_u32..).zip(inputs) {
        match sniff(path, name) {
            Ok(Found::Archive(kind)) => unpacking.archive(name, path, source, kind, 0)?,
            Ok(Found::Input(format)) => unpacking.add(name, path, source, Some(format.name))?,
            // Reported only when nothing else was given: next to an input it is a note that somebody kept with it.
            Err(error) if is_note(open(name, path)?.bytes()) => {
                refused.get_or_insert(error);
                unpacking.add(name, path, source, None)?;
            }
            Err(error) => return Err(error),
        }
    }
    match refused {
        Some(error) if unpacking.members.iter().all(|member| member.kind.is_none()) => Err(error),
        _ => Ok(unpacking.members),
    }
}

struct Unpacking<'a, 'p> {
    folder: &'a Path,
    max_bytes: Option<u64>,
    options: ReadOptions,
    progress: &'a mut Progress<'p>,
    /// Files and bytes written so far.
    files: u64,
    bytes: u64,
    members: Vec<Member>,
}

impl Unpacking<'_, '_> {
    fn add(
        &mut self,
        name: &str,
        path: &Path,
        source: u32,
        kind: Option<&'static str>,
    ) -> Result<(), Error> {
        let bytes = std::fs::metadata(path)
            .map_err(|error| named(path, &error))?
            .len();
        self.members.push(Member {
            name: name.to_owned(),
            path: path.to_owned(),
            kind,
            bytes,
            source,
            notes: Vec::new(),
            skipped: Vec::new(),
        });
        Ok(())
    }

    fn archive(
        &mut self,
        name: &str,
        path: &Path,
        source: u32,
        kind: ArchiveKind,
        depth: u32,
    ) -> Result<(), Error> {
        let mapped = open(name, path)?;
        // What all archives of an order come to together is bounded, whoever asks.
        let all = Caps::default();
        let left = self
            .max_bytes
            .unwrap_or(all.total_bytes)
            .min(all.total_bytes);
        let left = left.saturating_sub(self.bytes);
        let caps = Caps {
            entries: all.entries.saturating_sub(self.files),
            total_bytes: left,
            entry_bytes: left.min(all.entry_bytes),
            ratio: all.ratio,
        };
        let mut entries = Entries {
            folder: self.folder,
            first: self.files,
            written: Vec::new(),
            skipped: Vec::new(),
            failed: None,
        };
        let progress = &mut *self.progress;
        let result = numalens_archive::unpack(
            &mapped,
            kind,
            name,
            &caps,
            &self.options,
            &mut entries,
            &mut |done, total| {
                progress.at("unpacking", done, total);
            },
        );
        if let Some(raised) = self.progress.raised() {
            return Err(raised);
        }
        let summary = result.map_err(|error| match (entries.failed.take(), error) {
            (Some(failed), _) => failed,
            (None, DecodeError::Input(error)) => Error::input(name, error),
            (None, error) => Error::Bundle(format!("{name}: {error}")),
        })?;
        self.files += entries.written.len() as u64;
        let before = self.members.len();
        for entry in &entries.written {
            self.bytes += entry.bytes;
            self.entry(name, entry, kind, source, depth)?;
        }
        if depth == 0 {
            self.expect_something(name, kind, before)?;
        }
        if let Some(first) = self.members.get_mut(before) {
            first.notes.extend(summary.notes);
            let skipped = entries.skipped.iter().map(Left::from);
            first.skipped.extend(skipped);
        }
        Ok(())
    }

    /// An archive that was given must have something in it that is read; one inside another need not.
    fn expect_something(&self, name: &str, kind: ArchiveKind, before: usize) -> Result<(), Error> {
        let members = &self.members[before..];
        if let (ArchiveKind::Gz | ArchiveKind::Zst, [only]) = (kind, members)
            && only.kind.is_none()
        {
            let inside = open(name, &only.path)?;
            let inside = Found::expect(inside.bytes()).err();
            return Err(inside.map_or_else(
                || too_deep(name),
                |error| Error::input(&format!("{name}, decompressed"), error),
            ));
        }
        if members.iter().all(|member| member.kind.is_none()) {
            let found = match members.first() {
                Some(first) => format!("{} others, {} first", members.len(), first.name),
                None => "no file".to_owned(),
            };
            let expected = "an archive with at least one recording, samples or a topology";
            return Err(Error::input(name, InputError::at_byte(0, expected, found)));
        }
        Ok(())
    }

    /// A file that was in an archive.
    fn entry(
        &mut self,
        archive: &str,
        entry: &Entry,
        kind: ArchiveKind,
        source: u32,
        depth: u32,
    ) -> Result<(), Error> {
        // A single compressed file is shown under its own name.
        let name = match kind {
            ArchiveKind::Gz | ArchiveKind::Zst => archive.to_owned(),
            _ => format!("{archive}/{}", entry.name),
        };
        match Found::of(open(&name, &entry.path)?.bytes()) {
            Some(Found::Archive(kind)) if depth + 1 < DEEPEST => {
                self.archive(&name, &entry.path, source, kind, depth + 1)
            }
            Some(Found::Input(format)) => self.add(&name, &entry.path, source, Some(format.name)),
            _ => self.add(&name, &entry.path, source, None),
        }
    }
}

fn too_deep(name: &str) -> Error {
    let expected = format!("at most {DEEPEST} archives inside each other");
    Error::input(name, InputError::at_byte(0, expected, "more"))
}

/// A file that was written.
struct Entry {
    name: String,
    path: PathBuf,
    bytes: u64,
}

/// Writes the files of one archive. They are called by number: names in archives are only shown.
struct Entries<'a> {
    folder: &'a Path,
    first: u64,
    written: Vec<Entry>,
    skipped: Vec<Skipped>,
    failed: Option<Error>,
}

impl Unpack for Entries<'_> {
    fn entry(&mut self, name: &str, reader: &mut dyn Read) -> Result<(), SinkError> {
        let number = self.first + self.written.len() as u64;
        let path = self.folder.join(number.to_string());
        let file = File::create_new(&path).map_err(|error| self.refuse(&path, &error))?;
        let mut file = BufWriter::new(file);
        let copied = io::copy(reader, &mut file).and_then(|bytes| file.flush().map(|()| bytes));
        let bytes = copied.map_err(|error| self.refuse(&path, &error))?;
        self.written.push(Entry {
            name: name.to_owned(),
            path,
            bytes,
        });
        Ok(())
    }

    fn skipped(&mut self, skipped: Skipped) -> Result<(), SinkError> {
        self.skipped.push(skipped);
        Ok(())
    }
}

impl Entries<'_> {
    /// Keeps what the disk had against it; a damaged archive is reported by its reader.
    fn refuse(&mut self, path: &Path, error: &io::Error) -> SinkError {
        let failure = named(path, error);
        let sentence = SinkError(failure.to_string());
        if error.raw_os_error().is_some() {
            self.failed = Some(failure.into());
        }
        sentence
    }
}
