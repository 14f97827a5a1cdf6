//! Caps, progress and damage: what every reader of entries shares.

use std::cell::{Cell, RefCell};
use std::io::{self, Read};
use std::ops::Range;

use numalens_columns::{ByteSource, DecodeError, InputError, Skipped};

use crate::names::Names;
use crate::{ArchiveKind, ArchiveSummary, Caps, Unpack};

/// Size below which the ratio is not checked: small files of one repeated line are harmless.
const RATIO_FROM: u64 = 1 << 20;
/// Progress is reported after this many bytes before or after inflation.
const PROGRESS_STEP: u64 = 1 << 20;

/// Longest text of a crate's error in a sentence, characters.
const MAX_SAID: usize = 200;

/// Error text of a crate, which may repeat bytes of the input, as one short line.
pub(crate) fn said(error: &impl std::fmt::Display) -> String {
    let text = error.to_string();
    let line = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    line.take(MAX_SAID).collect()
}

/// Counters of one unpacking, shared by the readers stacked on each other.
pub(crate) struct Meter<'a> {
    pub(crate) source: &'a dyn ByteSource,
    pub(crate) kind: ArchiveKind,
    pub(crate) caps: Caps,
    pub(crate) tolerant: bool,
    /// Bytes of the archive that were taken.
    pub(crate) consumed: Cell<u64>,
    /// Bytes after inflation.
    pub(crate) inflated: Cell<u64>,
    /// Bytes after inflation that may still be read; headers are read under a small budget.
    pub(crate) budget: Cell<u64>,
    /// Bytes before and after inflation when the ratio's count began, and what counts as taken since.
    ratio_base: Cell<u64>,
    ratio_taken: Cell<Option<u64>>,
    /// Final error, whatever the receiver does with it.
    failure: RefCell<Option<InputError>>,
    /// Damage at which a tolerant read had to end.
    damage: RefCell<Option<InputError>>,
    progress: RefCell<&'a mut dyn FnMut(u64, u64)>,
    reported: Cell<u64>,
}

impl<'a> Meter<'a> {
    pub(crate) fn new(
        source: &'a dyn ByteSource,
        kind: ArchiveKind,
        caps: Caps,
        tolerant: bool,
        progress: &'a mut dyn FnMut(u64, u64),
    ) -> Self {
        Self {
            source,
            kind,
            caps,
            tolerant,
            consumed: Cell::new(0),
            inflated: Cell::new(0),
            budget: Cell::new(u64::MAX),
            ratio_base: Cell::new(0),
            ratio_taken: Cell::new(None),
            failure: RefCell::new(None),
            damage: RefCell::new(None),
            progress: RefCell::new(progress),
            reported: Cell::new(0),
        }
    }

    /// Length of the archive's file.
    pub(crate) fn length(&self) -> u64 {
        self.source.bytes().len() as u64
    }

    /// The place in the file of an offset after inflation: the offset itself where nothing is compressed, else how
    /// far the compressed bytes were taken. In a zip it is an offset in the file anyway.
    pub(crate) fn place(&self, offset: u64) -> u64 {
        let place = match self.kind {
            ArchiveKind::Tar | ArchiveKind::Zip => offset,
            _ => self.consumed.get(),
        };
        place.min(self.length())
    }

    /// Position in the archive: in a zip, the start of the current entry.
    pub(crate) fn here(&self) -> u64 {
        match self.kind {
            ArchiveKind::Tar => self.place(self.inflated.get()),
            _ => self.consumed.get().min(self.length()),
        }
    }

    /// Both places as a range of the file that is never empty.
    pub(crate) fn range(&self, start: u64, end: u64) -> Range<u64> {
        let end = end.clamp(1, self.length().max(1));
        start.min(end - 1)..end
    }

    /// Starts an entry of a zip and a new ratio: it takes `compressed` bytes of the archive.
    pub(crate) fn begin_entry(&self, start: u64, compressed: u64) {
        self.consumed.set(start);
        self.ratio_base.set(self.inflated.get());
        self.ratio_taken.set(Some(compressed));
    }

    /// Ends everything with this error.
    pub(crate) fn fail(&self, error: InputError) -> io::Error {
        self.failure.borrow_mut().get_or_insert(error);
        io::Error::other("the rest of the archive cannot be read")
    }

    /// Damage: the end of everything in a strict reading, of the readable part in a tolerant one.
    pub(crate) fn damaged(&self, error: InputError) -> io::Result<usize> {
        if self.tolerant {
            self.damage.borrow_mut().get_or_insert(error);
            Ok(0)
        } else {
            Err(self.fail(error))
        }
    }

    pub(crate) fn check(&self) -> Result<(), DecodeError> {
        match self.failure.borrow_mut().take() {
            Some(error) => Err(error.into()),
            None => Ok(()),
        }
    }

    /// The damage found since the last call.
    pub(crate) fn take_damage(&self) -> Option<InputError> {
        self.damage.borrow_mut().take()
    }

    fn count(&self, n: u64) -> io::Result<()> {
        let inflated = self.inflated.get() + n;
        self.inflated.set(inflated);
        if self.budget.get() != u64::MAX {
            self.budget.set(self.budget.get().saturating_sub(n));
        }
        let caps = &self.caps;
        if inflated > caps.total_bytes {
            return Err(self.too_much(caps.total_bytes, "after inflation", "more"));
        }
        let out = inflated - self.ratio_base.get();
        let taken = self.ratio_taken.get().unwrap_or(self.consumed.get());
        if self.kind != ArchiveKind::Tar
            && out > RATIO_FROM
            && out > taken.max(1).saturating_mul(caps.ratio)
        {
            let expected = format!(
                "data that inflates to at most {} times its size",
                caps.ratio
            );
            let found = format!("{out} bytes out of {taken}");
            return Err(self.fail(InputError::at_byte(self.here(), expected, found)));
        }
        self.tell(false);
        Ok(())
    }

    fn too_much(&self, most: u64, what: &str, found: &str) -> io::Error {
        let place = self.here();
        self.fail(InputError::at_byte(
            place,
            format!("at most {most} bytes {what}"),
            found,
        ))
    }

    fn tell(&self, last: bool) {
        let done = self.consumed.get().max(self.inflated.get());
        if last || done - self.reported.get() >= PROGRESS_STEP {
            self.reported.set(done);
            let total = self.length();
            let done = if last {
                total
            } else {
                self.consumed.get().min(total)
            };
            (self.progress.borrow_mut())(done, total);
        }
    }

    pub(crate) fn done(&self) {
        self.tell(true);
    }
}

/// Bytes after inflation, counted against the caps.
pub(crate) struct Guard<'m, R> {
    pub(crate) inner: R,
    pub(crate) meter: &'m Meter<'m>,
    /// Name of the inflated data, for messages: `gzip data`.
    pub(crate) what: &'static str,
    /// Nothing more comes.
    pub(crate) ended: bool,
}

impl<R: Read> Read for Guard<'_, R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() || self.ended {
            return Ok(0);
        }
        let budget = self.meter.budget.get();
        if budget == 0 {
            return Err(io::Error::other("more than a header may hold"));
        }
        let most = usize::try_from(budget).map_or(buf.len(), |budget| budget.min(buf.len()));
        match self.inner.read(&mut buf[..most]) {
            Ok(n) => {
                self.ended = n == 0;
                self.meter.count(n as u64)?;
                Ok(n)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                self.ended = true;
                let place = self.meter.here();
                let found = if error.kind() == io::ErrorKind::UnexpectedEof {
                    "its end in the middle".to_owned()
                } else {
                    format!("damaged data ({})", said(&error))
                };
                let expected = format!("a complete {}", self.what);
                self.meter
                    .damaged(InputError::at_byte(place, expected, found))
            }
        }
    }
}

/// One entry as the taker reads it.
struct EntryReader<'r, 'm> {
    inner: &'r mut dyn Read,
    meter: &'m Meter<'m>,
    name: &'r str,
    /// Size of the archive according to itself.
    size: Option<u64>,
    read: u64,
    ended: bool,
}

impl Read for EntryReader<'_, '_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() || self.ended {
            return Ok(0);
        }
        let n = self.inner.read(buf)?;
        self.read += n as u64;
        let meter = self.meter;
        if self.read > meter.caps.entry_bytes {
            return Err(meter.too_much(meter.caps.entry_bytes, "in one entry", "more"));
        }
        match self.size {
            Some(size) if self.read > size => {
                let expected = format!("{size} bytes of {:?}", self.name);
                Err(meter.fail(InputError::at_byte(meter.here(), expected, "more")))
            }
            Some(size) if n == 0 && self.read < size => {
                self.ended = true;
                let expected = format!("{size} bytes of {:?}", self.name);
                let found = format!("the end after {}", self.read);
                meter.damaged(InputError::at_byte(meter.here(), expected, found))
            }
            _ => {
                self.ended = n == 0;
                Ok(n)
            }
        }
    }
}

/// Hands entries out under safe names, once each.
pub(crate) struct Taker<'m, 'o> {
    meter: &'m Meter<'m>,
    out: &'o mut dyn Unpack,
    names: Names,
    seen: u64,
    /// The entry handed out last was cut.
    pub(crate) cut: bool,
    summary: ArchiveSummary,
}

impl<'m, 'o> Taker<'m, 'o> {
    pub(crate) fn new(meter: &'m Meter<'m>, out: &'o mut dyn Unpack) -> Self {
        Self {
            meter,
            out,
            names: Names::default(),
            seen: 0,
            cut: false,
            summary: ArchiveSummary::default(),
        }
    }

    /// Counts an entry of any kind at `place`.
    pub(crate) fn count(&mut self, place: u64) -> Result<(), InputError> {
        self.seen += 1;
        let most = self.meter.caps.entries;
        if self.seen > most {
            let place = self.meter.place(place);
            return Err(InputError::at_byte(
                place,
                format!("at most {most} entries"),
                "one more",
            ));
        }
        Ok(())
    }

    /// Handles one regular file: `name` as in the archive, `size` if known, `at` its position.
    pub(crate) fn entry(
        &mut self,
        name: &str,
        size: Option<u64>,
        at: u64,
        reader: &mut dyn Read,
    ) -> Result<(), DecodeError> {
        let safe = match self.names.take(name) {
            Ok(safe) => safe,
            Err(why) => {
                let end = at.saturating_add(size.unwrap_or(0)).saturating_add(1);
                return self.skip(at, end, &format!("the entry {name:?} was left out: {why}"));
            }
        };
        if size.is_some_and(|size| size > self.meter.caps.entry_bytes) {
            let most = self.meter.caps.entry_bytes;
            let expected = format!("at most {most} bytes in one entry");
            let found = format!("{safe:?} with a declared size of {}", size.unwrap_or(0));
            return Err(InputError::at_byte(self.meter.place(at), expected, found).into());
        }
        let mut reader = EntryReader {
            inner: reader,
            meter: self.meter,
            name: &safe,
            size,
            read: 0,
            ended: false,
        };
        let result = self.out.entry(&safe, &mut reader);
        self.summary.bytes += reader.read;
        self.meter.check()?;
        result?;
        self.summary.entries += 1;
        let damage = self.meter.take_damage();
        self.cut = damage.is_some();
        match damage {
            Some(error) => self.damage(&error, self.meter.here()),
            None => Ok(()),
        }
    }

    /// Reports damage up to `end` in the file, after which a tolerant read continues.
    pub(crate) fn damage(&mut self, error: &InputError, end: u64) -> Result<(), DecodeError> {
        let why = format!("expected {}, found {}", error.expected, error.found);
        let start = error.place.number();
        self.tell(self.meter.range(start, end.max(start + 1)), why)
    }

    /// Reports that the bytes from `start` to `end` (after inflation) were left out.
    pub(crate) fn skip(&mut self, start: u64, end: u64, why: &str) -> Result<(), DecodeError> {
        let range = match self.meter.kind {
            ArchiveKind::Tar | ArchiveKind::Zip => self.meter.range(start, end),
            _ => {
                let at = self.meter.consumed.get();
                self.meter.range(at, at + 1)
            }
        };
        self.tell(range, why.to_owned())
    }

    fn tell(&mut self, range: Range<u64>, why: String) -> Result<(), DecodeError> {
        self.summary.skipped += 1;
        self.out.skipped(Skipped {
            range,
            unit: "byte",
            cpu: None,
            why,
        })?;
        Ok(())
    }

    pub(crate) fn note(&mut self, note: &str) {
        self.summary.notes.push(note.to_owned());
    }

    pub(crate) fn finish(self) -> ArchiveSummary {
        self.summary
    }
}
