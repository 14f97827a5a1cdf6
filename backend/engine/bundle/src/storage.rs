//! Where a bundle's files are: whatever reads and writes files by name.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_buffer::Buffer;
use numalens_columns::ByteSource;
use numalens_core::ipc::{Bytes, Storage};

/// Files by name, with `/` between folder and file: those of a bundle, or of unpacked archives. A file is written from its
/// start to its end, then read.
pub trait Files: Debug + Send + Sync {
    /// Whether there is a file with this name.
    fn has(&self, name: &str) -> bool;

    /// The names of a folder's files; none when there is no such folder.
    ///
    /// # Errors
    ///
    /// The folder cannot be read.
    fn list(&self, folder: &str) -> io::Result<Vec<String>>;

    /// A file of which parts are read again and again; what is in memory anyway is given without a copy.
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
    fn create(&self, name: &str) -> io::Result<Box<dyn Write>>;

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

    /// What a file is called in messages.
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
    files: Arc<Mutex<BTreeMap<String, Buffer>>>,
}

impl Memory {
    fn files(&self) -> MutexGuard<'_, BTreeMap<String, Buffer>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn bytes(&self, name: &str) -> io::Result<Buffer> {
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
        self.bytes(name).map(Bytes::from)
    }

    fn source(&self, name: &str) -> io::Result<Box<dyn ByteSource>> {
        Ok(Box::new(InMemory(self.bytes(name)?)))
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn Write>> {
        let mut files = self.files();
        if files.contains_key(name) {
            let text = format!("{name}: it exists");
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
        }
        files.insert(name.to_owned(), Buffer::default());
        Ok(Box::new(Writing {
            name: name.to_owned(),
            bytes: Vec::new(),
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
    bytes: Vec<u8>,
    memory: Memory,
}

impl Write for Writing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Twice the room, as vectors take it, is much where many tables are written at once.
        if self.bytes.capacity() - self.bytes.len() < bytes.len() {
            self.bytes
                .reserve_exact(bytes.len().max(self.bytes.len() / 4));
        }
        self.bytes.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        // What it had room for beyond its end would be kept as long as it is.
        self.bytes.shrink_to_fit();
        let bytes = Buffer::from_vec(std::mem::take(&mut self.bytes));
        self.memory
            .files()
            .insert(std::mem::take(&mut self.name), bytes);
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
}
