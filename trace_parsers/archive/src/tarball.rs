//! tar, as a stream: entries one after the other, found again after damage.

use std::io::{self, Cursor, Read};

use numalens_columns::{DecodeError, InputError};
use tar::{Archive, Entry, EntryType};

use crate::meter::{Guard, Meter, Taker, said};
use crate::stream;

const BLOCK: usize = 512;
/// Headers, long names and pax records of one entry, bytes. They are read into memory.
const MAX_HEADERS: u64 = 1 << 20;
/// Damaged headers after which a tolerant reading looks for the next one.
const MAX_DAMAGED: u32 = 1000;
/// Bytes after the end mark that are looked at: tar fills its last record, 10 KiB by default.
const BEHIND: u64 = 1 << 20;

type Stream<'m> = Guard<'m, Box<dyn Read + 'm>>;

/// Returns whether bytes begin with a tar header: its checksum is right.
///
/// The sum counts every byte of the block, the eight of the checksum itself as blanks.
pub(crate) fn is_header(bytes: &[u8]) -> bool {
    let Some(block) = bytes.get(..BLOCK) else {
        return false;
    };
    let sum: u32 = block.iter().map(|&byte| u32::from(byte)).sum();
    let own: u32 = block[148..156].iter().map(|&byte| u32::from(byte)).sum();
    let header = tar::Header::from_byte_slice(block);
    block[0] != 0 && header.cksum().is_ok_and(|said| said == sum - own + 8 * 32)
}

/// End of a run of entries.
enum End {
    /// At the end mark.
    Mark,
    /// At the end of the stream.
    Stream,
    /// Unreadable header at this offset.
    Damaged(u64, io::Error),
}

pub(crate) fn unpack<'m>(
    meter: &'m Meter<'m>,
    taker: &mut Taker<'m, '_>,
) -> Result<(), DecodeError> {
    let mut stream = stream::open(meter);
    let mut found = Vec::new();
    for round in 0.. {
        let base = meter.inflated.get() - found.len() as u64;
        let end = run(meter, taker, &mut stream, &found, base)?;
        meter.budget.set(u64::MAX);
        meter.check()?;
        if let Some(error) = meter.take_damage() {
            // The stream is damaged: nothing behind it can be inflated.
            return taker.damage(&error, meter.length());
        }
        let (at, error) = match end {
            End::Mark => return behind(meter, taker, &mut stream),
            End::Stream => {
                taker.note("the archive has no end mark: it may have been cut between entries");
                return Ok(());
            }
            End::Damaged(at, error) => (at, error),
        };
        if stream.ended && taker.cut {
            // Reported with the entry.
            return Ok(());
        }
        let place = meter.place(at);
        let problem = if stream.ended {
            let place = meter.here();
            InputError::at_byte(place, "a whole entry", "the end of the archive")
        } else {
            InputError::at_byte(
                place,
                "an entry's header",
                format!("none ({})", said(&error)),
            )
        };
        if !meter.tolerant {
            return Err(problem.into());
        }
        let next = if stream.ended || round == MAX_DAMAGED {
            None
        } else {
            next_header(meter, &mut stream)?
        };
        let mut damage = problem;
        damage.place = numalens_columns::Place::Byte(place);
        let Some(next) = next else {
            return taker.damage(&damage, meter.length());
        };
        taker.damage(&damage, meter.place(meter.inflated.get() - BLOCK as u64))?;
        found = next;
    }
    Ok(())
}

/// Reads entries up to an end. `found` is a header that was read from the stream already, `base` its offset.
fn run<'m>(
    meter: &'m Meter<'m>,
    taker: &mut Taker<'m, '_>,
    stream: &mut Stream<'m>,
    found: &[u8],
    base: u64,
) -> Result<End, DecodeError> {
    let ended = std::cell::Cell::new(false);
    let mut archive = Archive::new(Cursor::new(found).chain(Watched {
        stream,
        ended: &ended,
    }));
    let mut next = base;
    meter.budget.set(MAX_HEADERS);
    let mut entries = match archive.entries() {
        Ok(entries) => entries,
        Err(error) => return Ok(End::Damaged(next, error)),
    };
    loop {
        match entries.next() {
            None => return Ok(if ended.get() { End::Stream } else { End::Mark }),
            Some(Err(error)) => return Ok(End::Damaged(next, error)),
            Some(Ok(mut entry)) => {
                meter.budget.set(u64::MAX);
                taker.count(next)?;
                let stored = stored(&entry);
                let end = base
                    .saturating_add(entry.raw_file_position())
                    .saturating_add(stored)
                    .checked_next_multiple_of(BLOCK as u64)
                    .unwrap_or(u64::MAX);
                member(taker, &mut entry, next, end)?;
                // What the taker left unread is read over before the next header.
                let rest = end.saturating_sub(meter.inflated.get());
                meter.budget.set(rest.saturating_add(MAX_HEADERS));
                next = end;
            }
        }
        meter.check()?;
    }
}

/// The stream under the tar reader, which notes whether its end was seen.
struct Watched<'s, 'm> {
    stream: &'s mut Stream<'m>,
    ended: &'s std::cell::Cell<bool>,
}

impl Read for Watched<'_, '_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.stream.read(buf)?;
        self.ended.set(self.stream.ended);
        Ok(n)
    }
}

/// Bytes of the entry in the archive. A sparse entry's own size counts its holes.
fn stored<R: Read>(entry: &Entry<'_, R>) -> u64 {
    if entry.header().entry_type() == EntryType::GNUSparse {
        entry.header().entry_size().unwrap_or(u64::MAX)
    } else {
        entry.size()
    }
}

/// One entry from `at` to `end`.
fn member<R: Read>(
    taker: &mut Taker<'_, '_>,
    entry: &mut Entry<'_, R>,
    at: u64,
    end: u64,
) -> Result<(), DecodeError> {
    let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
    let what = match entry.header().entry_type() {
        EntryType::Regular | EntryType::Continuous if name.ends_with('/') => return Ok(()),
        EntryType::Regular | EntryType::Continuous if pax_sparse(entry) => "a sparse file",
        EntryType::Regular | EntryType::Continuous => {
            let size = entry.size();
            return taker.entry(&name, Some(size), at, entry);
        }
        // Folders come with their files; a global header has no file.
        EntryType::Directory | EntryType::XGlobalHeader => return Ok(()),
        EntryType::Link => "a hard link",
        // perf's index of build ids: each names a folder whose file comes along.
        EntryType::Symlink if name.contains(".build-id/") => return Ok(()),
        EntryType::Symlink => "a symbolic link",
        EntryType::Char | EntryType::Block => "a device",
        EntryType::Fifo => "a pipe",
        EntryType::GNUSparse => "a sparse file",
        _ => "an unknown kind of file",
    };
    taker.skip(
        at,
        end,
        &format!("the entry {name:?} was left out: it is {what}"),
    )
}

/// Sparse files of newer archives look regular; their pax records give them away.
fn pax_sparse<R: Read>(entry: &mut Entry<'_, R>) -> bool {
    let Ok(Some(records)) = entry.pax_extensions() else {
        return false;
    };
    records
        .flatten()
        .any(|record| record.key_bytes().starts_with(b"GNU.sparse"))
}

/// The next block that is a header, on a block's boundary. Empty at the end of the stream.
fn next_header(meter: &Meter<'_>, stream: &mut Stream<'_>) -> Result<Option<Vec<u8>>, DecodeError> {
    let mut block = Vec::with_capacity(BLOCK);
    let over = (meter.inflated.get() % BLOCK as u64) as usize;
    let mut want = (BLOCK - over) % BLOCK;
    loop {
        block.clear();
        let read = stream.by_ref().take(want as u64).read_to_end(&mut block);
        meter.check()?;
        if read.is_err() || block.len() < want {
            return Ok(None);
        }
        if want == BLOCK && is_header(&block) {
            return Ok(Some(block));
        }
        want = BLOCK;
    }
}

/// Checks what follows the end mark: padding is fine, anything else is reported.
fn behind<'m>(
    meter: &'m Meter<'m>,
    taker: &mut Taker<'m, '_>,
    stream: &mut Stream<'m>,
) -> Result<(), DecodeError> {
    let start = meter.inflated.get();
    let mut buf = [0; BLOCK];
    let mut more = false;
    while !more && meter.inflated.get() - start < BEHIND {
        match stream.read(&mut buf) {
            Ok(n) if n > 0 => more = buf[..n].iter().any(|&byte| byte != 0),
            _ => break,
        }
    }
    meter.check()?;
    if let Some(error) = meter.take_damage() {
        return taker.damage(&error, meter.length());
    }
    if more {
        taker.skip(
            start,
            meter.length(),
            "data after the archive's end mark was left out",
        )?;
    }
    Ok(())
}
