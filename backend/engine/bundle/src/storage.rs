//! Files as bytes: mapped for readers and queries, read piece by piece for exports and replays.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, io};

use arrow_buffer::{Buffer, MutableBuffer};
use bytes::Bytes;
use memmap2::{Mmap, UncheckedAdvice};
use numalens_columns::ByteSource;
use numalens_core::ipc::{self, Storage};

/// A mapped file. Nobody writes to it while it is mapped: inputs are finished uploads or the caller's own files, tables
/// are written before they are opened.
#[derive(Debug)]
pub(crate) struct Mapped {
    map: Mmap,
}

impl Mapped {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path).map_err(|error| named(path, &error))?;
        // SAFETY: the bytes are only read. Someone who cuts the file short meanwhile makes the kernel end the process
        // with SIGBUS; ingest runs in a process of its own for such reasons.
        #[allow(unsafe_code)]
        let map = unsafe { Mmap::map(&file) }.map_err(|error| named(path, &error))?;
        Ok(Self { map })
    }

    /// The whole file as a buffer that keeps the mapping alive.
    pub(crate) fn buffer(path: &Path) -> io::Result<Buffer> {
        Ok(Buffer::from(Bytes::from_owner(Self::open(path)?.map)))
    }
}

impl ByteSource for Mapped {
    fn bytes(&self) -> &[u8] {
        &self.map
    }

    fn release(&self, range: Range<usize>) {
        // Part pages stay: their other part may not have been read yet.
        const PAGE: usize = 4096;
        let start = range.start.next_multiple_of(PAGE);
        let end = range.end.min(self.map.len()) / PAGE * PAGE;
        if start < end {
            // SAFETY: the mapping is of a file and read-only: dropped pages are read again from the file when needed.
            #[allow(unsafe_code)]
            let _ = unsafe {
                self.map
                    .unchecked_advise_range(UncheckedAdvice::DontNeed, start, end - start)
            };
        }
    }
}

/// Sees to it that bytes of a bundle's file are there: its name inside the bundle, and which bytes.
pub type Fetch = Arc<dyn Fn(&str, Range<u64>) -> io::Result<()> + Send + Sync>;

/// The files of a bundle. All have their full length; bytes that nobody requested yet may still be elsewhere.
#[derive(Clone)]
pub struct Files {
    folder: PathBuf,
    fetch: Option<Fetch>,
}

impl Files {
    /// The files of the bundle in a folder; with `fetch`, their bytes may be elsewhere until they are read.
    #[must_use]
    pub fn new(folder: &Path, fetch: Option<Fetch>) -> Self {
        Self {
            folder: folder.to_owned(),
            fetch,
        }
    }

    /// Where they are.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether there is a file with this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.folder.join(name).exists()
    }

    /// A file as text.
    pub(crate) fn text(&self, name: &str) -> io::Result<String> {
        let path = self.whole(name)?;
        std::fs::read_to_string(&path).map_err(|error| named(&path, &error))
    }

    /// All bytes of a file, mapped.
    ///
    /// # Errors
    ///
    /// Fails when the file cannot be opened or its bytes cannot be fetched.
    pub fn mapped(&self, name: &str) -> io::Result<Buffer> {
        Mapped::buffer(&self.whole(name)?)
    }

    /// A file, mapped, of which only those bytes are fetched that are read.
    ///
    /// # Errors
    ///
    /// Fails when the file cannot be opened or its bytes cannot be fetched.
    pub fn stored(&self, name: &str) -> io::Result<ipc::Bytes> {
        let bytes = Mapped::buffer(&self.folder.join(name))?;
        Ok(match self.fetch.clone() {
            None => bytes.into(),
            Some(fetch) => ipc::Bytes::new(Fetched {
                name: name.to_owned(),
                bytes,
                fetch,
            }),
        })
    }

    /// A file that is read piece by piece; other bytes than those are not requested.
    ///
    /// # Errors
    ///
    /// Fails when the file cannot be opened or its bytes cannot be fetched.
    pub fn pieces(&self, name: &str) -> io::Result<Pieces> {
        let mut pieces = Pieces::open(&self.folder.join(name))?;
        let fetch = self.fetch.clone();
        pieces.fetch = fetch.map(|fetch| (name.to_owned(), fetch));
        Ok(pieces)
    }

    fn whole(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.folder.join(name);
        if let Some(fetch) = &self.fetch {
            let len = path.metadata().map_err(|error| named(&path, &error))?.len();
            fetch(name, 0..len)?;
        }
        Ok(path)
    }
}

impl fmt::Debug for Files {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Files").field(&self.folder).finish()
    }
}

/// A mapped file whose bytes are fetched before they are read.
struct Fetched {
    name: String,
    bytes: Buffer,
    fetch: Fetch,
}

impl Storage for Fetched {
    fn len(&self) -> usize {
        self.bytes.len()
    }

    fn read(&self, range: Range<usize>) -> io::Result<Buffer> {
        (self.fetch)(&self.name, range.start as u64..range.end as u64)?;
        self.bytes.read(range)
    }
}

/// An open file that is read piece by piece.
pub struct Pieces {
    file: File,
    len: usize,
    fetch: Option<(String, Fetch)>,
}

impl Pieces {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path).map_err(|error| named(path, &error))?;
        let len = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
        Ok(Self {
            file,
            len,
            fetch: None,
        })
    }
}

impl fmt::Debug for Pieces {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Pieces").field(&self.file).finish()
    }
}

impl Storage for Pieces {
    fn len(&self) -> usize {
        self.len
    }

    fn read(&self, range: Range<usize>) -> io::Result<Buffer> {
        if let Some((name, fetch)) = &self.fetch {
            fetch(name, range.start as u64..range.end as u64)?;
        }
        let mut bytes = MutableBuffer::from_len_zeroed(range.len());
        self.file.read_exact_at(&mut bytes, range.start as u64)?;
        Ok(bytes.into())
    }
}

/// The error with the file's name in front; its number is kept.
pub(crate) fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
