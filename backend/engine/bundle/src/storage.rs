//! Storage of a bundle's files: reading and writing by name.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_buffer::Buffer;
use numalens_columns::ByteSource;
use numalens_core::Helper;
use numalens_core::ipc::{Bytes, Storage};

/// Files by name, with `/` between folder and file: those of a bundle, or of unpacked archives. A file is written from its
/// start to its end, then read.
pub trait Files: Debug + Send + Sync {
    /// Returns whether there is a file with this name.
    fn has(&self, name: &str) -> bool;

    /// The names of a folder's files; none when there is no such folder.
    ///
    /// # Errors
    ///
    /// The folder cannot be read.
    fn list(&self, folder: &str) -> io::Result<Vec<String>>;

    /// Returns a file whose parts are read repeatedly; content in memory is returned without a copy.
    ///
    /// # Errors
    ///
    /// There is no such file, or it cannot be opened.
    fn mapped(&self, name: &str) -> io::Result<Bytes>;

    /// A file that is read once, piece by piece: what was read does not stay in memory.
    ///
    /// # Errors
    ///
    /// There is no such file, or it cannot be opened.
    fn pieces(&self, name: &str) -> io::Result<Bytes> {
        self.mapped(name)
    }

    /// A file as a reader takes it.
    ///
    /// # Errors
    ///
    /// There is no such file, or it cannot be opened.
    fn source(&self, name: &str) -> io::Result<Box<dyn ByteSource>>;

    /// Begins a file, which must not exist, and the folders that it lies in.
    ///
    /// # Errors
    ///
    /// It exists, or cannot be written.
    fn create(&self, name: &str) -> io::Result<Box<dyn Write + Send>>;

    /// Gives a file another name, whose file it replaces.
    ///
    /// # Errors
    ///
    /// There is no such file, or it cannot be renamed.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file, or a folder with all that is in it.
    ///
    /// # Errors
    ///
    /// There is no such file or folder, or it cannot be removed.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Returns the thread that reads ahead and writes behind while a bundle is made; there need not be one.
    fn helper(&self) -> Helper {
        Helper::default()
    }

    /// Returns the name of a file in messages.
    fn shown(&self, name: &str) -> String {
        name.to_owned()
    }

    /// All bytes of a file.
    ///
    /// # Errors
    ///
    /// There is no such file, or its bytes cannot be read.
    fn whole(&self, name: &str) -> io::Result<Buffer> {
        let bytes = self.mapped(name)?;
        bytes.read(0..bytes.len())
    }
}

/// Files in memory. Clones have the same files.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    files: Arc<Mutex<BTreeMap<String, Pieces>>>,
}

/// A file's bytes one after the other, so that a file that grows is never moved: with its copy it would need twice its room.
#[derive(Debug, Clone, Default)]
struct Pieces {
    pieces: Vec<Buffer>,
    /// End of each of them in the file.
    ends: Vec<usize>,
}

impl Pieces {
    fn push(&mut self, piece: Vec<u8>) {
        self.ends.push(self.len() + piece.len());
        self.pieces.push(Buffer::from_vec(piece));
    }
}

impl Storage for Pieces {
    fn len(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Without a copy where the range lies in one piece.
    fn read(&self, range: Range<usize>) -> io::Result<Buffer> {
        let first = self.ends.partition_point(|&end| end <= range.start);
        let mut start = first.checked_sub(1).map_or(0, |before| self.ends[before]);
        let mut bytes = Vec::new();
        for (piece, &end) in self.pieces.iter().zip(&self.ends).skip(first) {
            let (from, to) = (range.start.max(start), range.end.min(end));
            if to - from == range.len() {
                return Ok(piece.slice_with_length(from - start, range.len()));
            }
            bytes.reserve_exact(range.len() - bytes.len());
            bytes.extend_from_slice(&piece[from - start..to - start]);
            if bytes.len() == range.len() {
                break;
            }
            start = end;
        }
        Ok(Buffer::from_vec(bytes))
    }
}

impl Memory {
    fn files(&self) -> MutexGuard<'_, BTreeMap<String, Pieces>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pieces_of(&self, name: &str) -> io::Result<Pieces> {
        self.files().get(name).cloned().ok_or_else(|| missing(name))
    }

    /// The names of all files, in order.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.files().keys().cloned().collect()
    }
}

fn missing(name: &str) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, format!("{name}: no such file"))
}

impl Files for Memory {
    fn has(&self, name: &str) -> bool {
        self.files().contains_key(name)
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        let files = self.files();
        let inside = |name: &String| {
            let rest = name.strip_prefix(folder)?.strip_prefix('/')?;
            (!rest.contains('/')).then(|| rest.to_owned())
        };
        Ok(files.keys().filter_map(inside).collect())
    }

    fn mapped(&self, name: &str) -> io::Result<Bytes> {
        self.pieces_of(name).map(Bytes::new)
    }

    fn source(&self, name: &str) -> io::Result<Box<dyn ByteSource>> {
        Ok(Box::new(InMemory(self.whole(name)?)))
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn Write + Send>> {
        let mut files = self.files();
        if files.contains_key(name) {
            let text = format!("{name}: it exists");
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
        }
        files.insert(name.to_owned(), Pieces::default());
        Ok(Box::new(Writing {
            name: name.to_owned(),
            written: Pieces::default(),
            piece: Vec::new(),
            room: 0,
            memory: self.clone(),
        }))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut files = self.files();
        let bytes = files.remove(from).ok_or_else(|| missing(from))?;
        files.insert(to.to_owned(), bytes);
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let mut files = self.files();
        let before = files.len();
        let inside = |file: &str| {
            let rest = file.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        files.retain(|file, _| !inside(file));
        if files.len() == before {
            return Err(missing(name));
        }
        Ok(())
    }
}

/// Bytes in memory as a reader takes them.
struct InMemory(Buffer);

impl ByteSource for InMemory {
    fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// A file that is being written; it has its bytes when this is dropped.
struct Writing {
    name: String,
    written: Pieces,
    /// Last written part, and its maximum length.
    piece: Vec<u8>,
    room: usize,
    memory: Memory,
}

/// The shortest and the longest piece of a file but for its end, bytes: multiples of what columns are aligned to.
const PIECE: (usize, usize) = (8 << 10, 4 << 20);

impl Writing {
    fn end_piece(&mut self) {
        // What it had room for beyond its end would be kept as long as it is.
        self.piece.shrink_to_fit();
        self.written.push(std::mem::take(&mut self.piece));
    }
}

impl Write for Writing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.piece.len() == self.room {
            self.end_piece();
            // Unused room is a part of the whole, where many tables are written at once.
            let quarter = self.written.len() / 4;
            self.room = quarter.next_multiple_of(PIECE.0).clamp(PIECE.0, PIECE.1);
            self.piece.reserve_exact(self.room);
        }
        let fits = bytes.len().min(self.room - self.piece.len());
        self.piece.extend_from_slice(&bytes[..fits]);
        Ok(fits)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.end_piece();
        let written = std::mem::take(&mut self.written);
        self.memory
            .files()
            .insert(std::mem::take(&mut self.name), written);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn write(files: &Memory, name: &str, bytes: &[u8]) {
        files.create(name).unwrap().write_all(bytes).unwrap();
    }

    #[test]
    fn files_are_read_as_they_were_written() {
        let files = Memory::default();
        write(&files, "a/one", b"11");
        write(&files, "a/b/two", b"22");
        write(&files, "ab", b"33");
        assert!(files.create("ab").is_err());
        assert_eq!(files.whole("a/one").unwrap().as_slice(), b"11");
        assert_eq!(files.source("ab").unwrap().bytes(), b"33");
        assert_eq!(files.list("a").unwrap(), ["one"]);
        assert!(files.list("none").unwrap().is_empty());
        files.rename("ab", "a/b/two").unwrap();
        assert_eq!(files.whole("a/b/two").unwrap().as_slice(), b"33");
        assert!(files.whole("ab").is_err() && files.rename("ab", "x").is_err());
        files.remove("a/b").unwrap();
        assert_eq!(files.names(), ["a/one"]);
        assert!(files.remove("a/b").is_err());
    }
    #[test]
    fn a_range_is_read_whatever_pieces_it_lies_in() {
        let files = Memory::default();
        let bytes: Vec<u8> = (0..300_000_u32).map(|at| (at % 251) as u8).collect();
        {
            let mut file = files.create("long").unwrap();
            for part in bytes.chunks(777) {
                file.write_all(part).unwrap();
            }
        }
        let file = files.mapped("long").unwrap();
        assert_eq!(file.len(), bytes.len());
        let edge = PIECE.0;
        for range in [
            0..0,
            0..edge,
            edge..edge + 1,
            edge - 1..edge + 1,
            10..3 * edge,
            edge..2 * edge,
            100_000..300_000,
            300_000..300_000,
        ] {
            let read = file.read(range.clone()).unwrap();
            assert_eq!(read.as_slice(), &bytes[range]);
        }
        assert_eq!(files.whole("long").unwrap().as_slice(), &bytes[..]);
        // Inside of a piece nothing is copied.
        let (whole, part) = (file.read(0..edge).unwrap(), file.read(8..16).unwrap());
        assert_eq!(whole.as_ptr().wrapping_add(8), part.as_ptr());
    }
}
