//! Inputs and bundles in folders of this machine: files mapped for readers and queries, read piece by piece for exports and
//! replays, written through a pool of open files.

mod mapped;
mod pool;

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_buffer::{Buffer, MutableBuffer};
use numalens_bundle::Files;
use numalens_columns::ByteSource;
use numalens_core::ipc::{Bytes, Storage};

pub use self::mapped::Mapped;
use self::pool::Pool;

/// Sees to it that bytes of a bundle's file are there: its name inside the bundle, and which bytes.
pub type Fetch = Arc<dyn Fn(&str, Range<u64>) -> io::Result<()> + Send + Sync>;

/// A folder of files. All have their full length; bytes that nobody requested yet may still be elsewhere.
#[derive(Clone)]
pub struct Folder {
    path: PathBuf,
    fetch: Option<Fetch>,
    pool: Pool,
}

impl Folder {
    /// The folder at a path, which need not exist yet.
    #[must_use]
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            fetch: None,
            pool: Pool::default(),
        }
    }

    /// The same, whose files' bytes may be elsewhere until they are read.
    #[must_use]
    pub fn with_fetch(self, fetch: Option<Fetch>) -> Self {
        Self { fetch, ..self }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    fn fetched(&self, name: &str, bytes: impl Storage + Send + Sync + 'static) -> Bytes {
        match self.fetch.clone() {
            None => Bytes::new(bytes),
            Some(fetch) => Bytes::new(Fetched {
                name: name.to_owned(),
                bytes,
                fetch,
            }),
        }
    }
}

impl fmt::Debug for Folder {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Folder").field(&self.path).finish()
    }
}

impl Files for Folder {
    fn has(&self, name: &str) -> bool {
        self.at(name).exists()
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        let files = match self.at(folder).read_dir() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            files => files?,
        };
        files
            .map(|file| Ok(file?.file_name().to_string_lossy().into_owned()))
            .collect()
    }

    fn mapped(&self, name: &str) -> io::Result<Bytes> {
        Ok(self.fetched(name, Mapped::open(&self.at(name))?.into_buffer()))
    }

    fn pieces(&self, name: &str) -> io::Result<Bytes> {
        Ok(self.fetched(name, Pieces::open(&self.at(name))?))
    }

    fn source(&self, name: &str) -> io::Result<Box<dyn ByteSource>> {
        Ok(Box::new(Mapped::open(&self.at(name))?))
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn Write>> {
        let path = self.at(name);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| named(folder, &error))?;
        }
        Ok(Box::new(self.pool.create(path)?))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let to = self.at(to);
        std::fs::rename(self.at(from), &to).map_err(|error| named(&to, &error))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let path = self.at(name);
        let removed = if path.is_dir() {
            std::fs::remove_dir_all(&path)
        } else {
            std::fs::remove_file(&path)
        };
        removed.map_err(|error| named(&path, &error))
    }

    fn shown(&self, name: &str) -> String {
        self.at(name).display().to_string()
    }
}

/// A file whose bytes are fetched before they are read.
struct Fetched<S> {
    name: String,
    bytes: S,
    fetch: Fetch,
}

impl<S: Storage> Storage for Fetched<S> {
    fn len(&self) -> usize {
        self.bytes.len()
    }

    fn read(&self, range: Range<usize>) -> io::Result<Buffer> {
        (self.fetch)(&self.name, range.start as u64..range.end as u64)?;
        self.bytes.read(range)
    }
}

/// An open file that is read piece by piece.
struct Pieces {
    file: File,
    len: usize,
}

impl Pieces {
    fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path).map_err(|error| named(path, &error))?;
        let len = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
        Ok(Self { file, len })
    }
}

impl Storage for Pieces {
    fn len(&self) -> usize {
        self.len
    }

    fn read(&self, range: Range<usize>) -> io::Result<Buffer> {
        let mut bytes = MutableBuffer::from_len_zeroed(range.len());
        self.file.read_exact_at(&mut bytes, range.start as u64)?;
        Ok(bytes.into())
    }
}

/// The error with the file's name in front.
fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    fn write(folder: &Folder, name: &str, bytes: &[u8]) {
        folder.create(name).unwrap().write_all(bytes).unwrap();
    }

    #[test]
    fn files_are_written_renamed_and_removed() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::new(&place.path().join("bundle"));
        assert!(folder.list("a").unwrap().is_empty());
        write(&folder, "a/one", b"11");
        write(&folder, "two", b"22");
        assert!(folder.create("two").is_err());
        assert_eq!(folder.list("a").unwrap(), ["one"]);
        folder.rename("two", "a/one").unwrap();
        assert_eq!(folder.whole("a/one").unwrap().as_slice(), b"22");
        assert!(!folder.has("two"));
        folder.remove("a").unwrap();
        let error = folder.mapped("a/one").err().unwrap().to_string();
        assert!(error.starts_with(&folder.shown("a/one")), "{error}");
    }

    #[test]
    fn more_files_are_written_at_once_than_are_open() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::new(place.path());
        let name = |at: usize| format!("file-{at}");
        let mut files: Vec<_> = (0..200)
            .map(|at| folder.create(&name(at)).unwrap())
            .collect();
        for part in 0..2_u8 {
            for (at, file) in files.iter_mut().enumerate() {
                file.write_all(&[part, at as u8]).unwrap();
            }
        }
        drop(files);
        for at in 0..200 {
            let bytes = folder.whole(&name(at)).unwrap();
            assert_eq!(bytes.as_slice(), [0, at as u8, 1, at as u8]);
        }
    }

    #[test]
    fn only_what_is_read_is_fetched() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::new(place.path());
        write(&folder, "x", b"0123456789");
        let fetched: Arc<Mutex<Vec<Range<u64>>>> = Arc::default();
        let kept = Arc::clone(&fetched);
        let folder = folder.with_fetch(Some(Arc::new(move |_, range| {
            kept.lock().unwrap().push(range);
            Ok(())
        })));
        let (mapped, pieces) = (folder.mapped("x").unwrap(), folder.pieces("x").unwrap());
        assert_eq!(mapped.read(2..4).unwrap().as_slice(), b"23");
        assert_eq!(pieces.read(5..6).unwrap().as_slice(), b"5");
        assert_eq!(folder.whole("x").unwrap().len(), 10);
        assert_eq!(*fetched.lock().unwrap(), [2..4, 5..6, 0..10]);
    }
}
