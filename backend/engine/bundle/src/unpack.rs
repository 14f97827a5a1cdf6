//! Archives among the inputs, unpacked.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Read, Write};

use numalens_archive::{ArchiveKind, Caps, Unpack};
use numalens_columns::{ByteSource, DecodeError, InputError, ReadOptions, SinkError, Skipped};
use numalens_formats::{Found, SPREAD, Spread, is_note};
use serde::Serialize;

use crate::bundle::Left;
use crate::error::Error;
use crate::ingest::{Inputs, Progress};
use crate::storage::Files;

/// Kind of a member that became a part of another.
const JOINED: &str = "";

/// Archives inside archives are opened to this depth.
const DEEPEST: u32 = 3;

/// A file to be read: an input itself, or a member of an archive.
#[derive(Debug, Serialize)]
pub struct Member {
    /// As shown: `bundle.tgz/trace.dat`.
    pub name: String,
    /// Name inside the unpacked archive; `None` for an input itself.
    #[serde(skip)]
    pub file: Option<String>,
    /// `None` for a member of an unsupported kind.
    pub kind: Option<&'static str>,
    /// Size, bytes.
    pub bytes: u64,
    /// Position of the input that it came from.
    pub source: u32,
    /// Notes about it.
    pub notes: Vec<String>,
    /// Parts of the archive that a tolerant reading left out.
    pub(crate) skipped: Vec<Left>,
}

/// Says what a file is.
///
/// # Errors
///
/// Fails when the format of the file is not supported.
pub fn sniff(name: &str, bytes: &[u8]) -> Result<Found, Error> {
    Found::expect(bytes).map_err(|error| Error::input(name, error))
}

/// Lists the files to import among the inputs. Archives are unpacked into `files`, which then hold at most `max_bytes`.
///
/// # Errors
///
/// Fails when an input cannot be read, contains no supported file or is too large, and when the progress callback
/// raises.
pub fn unpack(
    inputs: &Inputs<'_>,
    files: &dyn Files,
    max_bytes: Option<u64>,
    options: ReadOptions,
    progress: &mut Progress<'_>,
) -> Result<Vec<Member>, Error> {
    let mut unpacking = Unpacking {
        files,
        max_bytes,
        options,
        progress,
        written: 0,
        bytes: 0,
        members: Vec::new(),
        refused: None,
    };
    // What is no input by itself may be a part of one.
    let mut others = BTreeMap::new();
    for (source, (name, input)) in (0_u32..).zip(inputs) {
        let bytes = input.bytes();
        let size = bytes.len() as u64;
        match sniff(name, bytes) {
            Ok(Found::Archive(kind)) => {
                unpacking.archive(name, &**input, (source, inputs), kind, 0)?;
            }
            Ok(Found::Input(format)) => {
                unpacking.add(name, None, size, source, Some(format.name));
            }
            // Reported only when nothing else was given: next to an input it is a note that was kept with it.
            Err(error) if is_note(bytes) => {
                unpacking.refused.get_or_insert(error);
                unpacking.add(name, None, size, source, None);
            }
            Err(error) => {
                others.insert(source, error);
                unpacking.add(name, None, size, source, None);
            }
        }
    }
    unpacking.join(0, inputs)?;
    let mut left = unpacking
        .members
        .iter()
        .filter(|member| member.file.is_none() && member.kind.is_none());
    if let Some(error) = left.find_map(|member| others.remove(&member.source)) {
        return Err(error);
    }
    match unpacking.refused {
        Some(error) if unpacking.members.iter().all(|member| member.kind.is_none()) => Err(error),
        _ => Ok(unpacking.members),
    }
}

struct Unpacking<'a, 'p> {
    files: &'a dyn Files,
    max_bytes: Option<u64>,
    options: ReadOptions,
    progress: &'a mut Progress<'p>,
    /// Files and bytes written so far.
    written: u64,
    bytes: u64,
    members: Vec<Member>,
    /// Error for the first note.
    refused: Option<Error>,
}

impl Unpacking<'_, '_> {
    fn add(
        &mut self,
        name: &str,
        file: Option<&str>,
        bytes: u64,
        source: u32,
        kind: Option<&'static str>,
    ) {
        self.members.push(Member {
            name: name.to_owned(),
            file: file.map(str::to_owned),
            kind,
            bytes,
            source,
            notes: Vec::new(),
            skipped: Vec::new(),
        });
    }

    fn archive(
        &mut self,
        name: &str,
        input: &dyn ByteSource,
        (source, inputs): (u32, &Inputs<'_>),
        kind: ArchiveKind,
        depth: u32,
    ) -> Result<(), Error> {
        // The size of all archives of an order is bounded for every caller.
        let all = Caps::default();
        let left = self.left();
        let caps = Caps {
            entries: all.entries.saturating_sub(self.written),
            total_bytes: left,
            entry_bytes: left.min(all.entry_bytes),
            ratio: all.ratio,
        };
        let mut entries = Entries {
            files: self.files,
            first: self.written,
            written: Vec::new(),
            skipped: Vec::new(),
            failed: None,
        };
        let progress = &mut *self.progress;
        let result = numalens_archive::unpack(
            input,
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
        self.written += entries.written.len() as u64;
        let before = self.members.len();
        for entry in &entries.written {
            self.bytes += entry.bytes;
            self.entry(name, entry, kind, (source, inputs), depth)?;
        }
        if depth == 0 {
            self.join(before, inputs)?;
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
    fn expect_something(
        &mut self,
        name: &str,
        kind: ArchiveKind,
        before: usize,
    ) -> Result<(), Error> {
        let members = &self.members[before..];
        if let [only] = members
            && kind.is_single()
            && only.kind.is_none()
            && let Some(file) = &only.file
        {
            let inside = self.source(name, file)?;
            let Err(error) = Found::expect(inside.bytes()) else {
                return Err(too_deep(name));
            };
            let shown = if kind.is_wrapped() {
                name.to_owned()
            } else {
                format!("{name}, decompressed")
            };
            let error = Error::input(&shown, error);
            if !is_note(inside.bytes()) {
                return Err(error);
            }
            self.refused.get_or_insert(error);
            return Ok(());
        }
        if members.iter().all(|member| member.kind.is_none()) {
            for member in members {
                if let Some(file) = &member.file
                    && let Some(error) = Found::named(self.source(&member.name, file)?.bytes())
                {
                    return Err(Error::input(&member.name, error));
                }
            }
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
        (source, inputs): (u32, &Inputs<'_>),
        depth: u32,
    ) -> Result<(), Error> {
        // A single compressed file is shown under its own name.
        let name = if kind.is_single() {
            archive.to_owned()
        } else {
            format!("{archive}/{}", entry.name)
        };
        let input = self.source(&name, &entry.file)?;
        let size = input.bytes().len() as u64;
        let format = match Found::of(input.bytes()) {
            Some(Found::Archive(kind)) if depth + 1 < DEEPEST => {
                return self.archive(&name, &*input, (source, inputs), kind, depth + 1);
            }
            Some(Found::Input(format)) => Some(format.name),
            _ => None,
        };
        self.add(&name, Some(&entry.file), size, source, format);
        Ok(())
    }

    /// Bytes that may still be written.
    fn left(&self) -> u64 {
        let all = Caps::default().total_bytes;
        let most = self.max_bytes.unwrap_or(all).min(all);
        most.saturating_sub(self.bytes)
    }

    /// Makes one member of those from `before` on that are the parts of one input.
    fn join(&mut self, before: usize, inputs: &Inputs<'_>) -> Result<(), Error> {
        for spread in SPREAD {
            let members = &self.members[before..];
            let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
            for set in (spread.sets)(&names) {
                let set: Vec<usize> = set.into_iter().map(|at| before + at).collect();
                let joined = self.joined(spread, &set, inputs)?;
                self.members.push(joined);
                for at in set {
                    self.members[at].kind = Some(JOINED);
                }
            }
            self.members.retain(|member| member.kind != Some(JOINED));
        }
        Ok(())
    }

    /// The parts of an input as one file.
    fn joined(
        &mut self,
        spread: &Spread,
        set: &[usize],
        inputs: &Inputs<'_>,
    ) -> Result<Member, Error> {
        let number = self.written.to_string();
        self.written += 1;
        let names = set.iter().map(|&at| self.members[at].name.as_str());
        let (source, shown) = (self.members[set[0]].source, around(names));
        let mut unpacked = Vec::new();
        for &at in set {
            let Member { name, file, .. } = &self.members[at];
            unpacked.push(
                file.as_ref()
                    .map(|file| self.source(name, file))
                    .transpose()?,
            );
        }
        let parts: Vec<(&str, &[u8])> = set
            .iter()
            .zip(&unpacked)
            .map(|(&at, file)| {
                let member = &self.members[at];
                let own = || {
                    inputs
                        .get(member.source as usize)
                        .map(|input| input.1.bytes())
                };
                let bytes = file.as_ref().map(|file| file.bytes()).or_else(own);
                (member.name.as_str(), bytes.unwrap_or_default())
            })
            .collect();
        let left = self.left();
        let all: u64 = parts.iter().map(|part| part.1.len() as u64).sum();
        let file = self.files.create(&number)?;
        let mut file = BufWriter::new(Kept { file, failed: None });
        let result = if all > left {
            let expected = format!("at most {left} bytes in all parts");
            Err(InputError::at_byte(0, expected, format!("{all}")).into())
        } else {
            (spread.join)(&parts, left - all, &mut file)
        };
        let flushed = file.flush();
        match (file.get_mut().failed.take(), result) {
            (Some(failed), _) => return Err(failed.into()),
            (None, Err(DecodeError::Input(error))) => return Err(Error::input(&shown, error)),
            (None, Err(error)) => return Err(Error::Bundle(format!("{shown}: {error}"))),
            (None, Ok(())) => flushed?,
        }
        let bytes = self.source(&shown, &number)?.bytes().len() as u64;
        self.bytes += bytes;
        let mut joined = Member {
            name: shown,
            file: Some(number),
            kind: Some(spread.format),
            bytes,
            source,
            notes: Vec::new(),
            skipped: Vec::new(),
        };
        for &at in set {
            let part = &mut self.members[at];
            joined.notes.append(&mut part.notes);
            joined.skipped.append(&mut part.skipped);
        }
        Ok(joined)
    }

    /// A file that was unpacked.
    fn source(&self, name: &str, file: &str) -> Result<Box<dyn ByteSource>, Error> {
        let source = self.files.source(file);
        source.map_err(|error| io::Error::new(error.kind(), format!("{name}: {error}")).into())
    }
}

/// The folder that files have in common; the first one's name when they have none.
fn around<'n>(mut names: impl Iterator<Item = &'n str>) -> String {
    let first = names.next().unwrap_or_default();
    let mut folder = first.rsplit_once('/').map_or("", |name| name.0);
    for name in names {
        let inside = |folder: &str| {
            name.strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'))
        };
        while !folder.is_empty() && !inside(folder) {
            folder = folder.rsplit_once('/').map_or("", |name| name.0);
        }
    }
    if folder.is_empty() { first } else { folder }.to_owned()
}

fn too_deep(name: &str) -> Error {
    let expected = format!("at most {DEEPEST} archives inside each other");
    Error::input(name, InputError::at_byte(0, expected, "more"))
}

/// A file that was written.
struct Entry {
    name: String,
    file: String,
    bytes: u64,
}

/// Writes the files of one archive. They are called by number: names in archives are only shown.
struct Entries<'a> {
    files: &'a dyn Files,
    first: u64,
    written: Vec<Entry>,
    skipped: Vec<Skipped>,
    failed: Option<Error>,
}

impl Unpack for Entries<'_> {
    fn entry(&mut self, name: &str, reader: &mut dyn Read) -> Result<(), SinkError> {
        let number = self.first + self.written.len() as u64;
        let number = number.to_string();
        let file = self.files.create(&number);
        let file = file.map_err(|error| self.refuse(error))?;
        let mut file = BufWriter::new(Kept { file, failed: None });
        let copied = io::copy(reader, &mut file).and_then(|bytes| file.flush().map(|()| bytes));
        // A damaged archive is reported by its reader.
        let bytes = copied.map_err(|error| match file.get_mut().failed.take() {
            Some(failed) => self.refuse(failed),
            None => SinkError(error.to_string()),
        })?;
        self.written.push(Entry {
            name: name.to_owned(),
            file: number,
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
    /// Keeps why a file could not be written.
    fn refuse(&mut self, error: io::Error) -> SinkError {
        let sentence = SinkError(error.to_string());
        self.failed = Some(error.into());
        sentence
    }
}

/// A file that keeps why it could not be written.
struct Kept {
    file: Box<dyn Write + Send>,
    failed: Option<io::Error>,
}

impl Kept {
    fn fail(&mut self, error: io::Error) -> io::Error {
        let again = io::Error::new(error.kind(), error.to_string());
        self.failed = Some(error);
        again
    }
}

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.file.write(bytes);
        done.map_err(|error| self.fail(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.file.flush();
        done.map_err(|error| self.fail(error))
    }
}
