//! Inputs and bundles in folders of this machine: files mapped for readers and queries, read piece by piece for exports and
//! replays, written through a pool of open files. While a bundle is made, a second thread may do both.
//!
//! [`Folder`] is the one place below `backend/native` where the engine's files have paths. It reads and writes a bundle's files by path,
//! and fetches bytes that are not here yet. `mapped.rs` maps files into memory for readers and queries; `pool.rs` writes many files
//! at once with few of them open. The content of the files belongs to `backend/engine/bundle`.

mod mapped;
mod pool;

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::panic;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle, ThreadId};

use arrow_buffer::{Buffer, MutableBuffer};
use numalens_bundle::Files;
use numalens_columns::ByteSource;
use numalens_core::ipc::{Bytes, Storage};
use numalens_core::{Helper, Job};

pub use self::mapped::Mapped;
use self::pool::Pool;

/// Makes bytes of a bundle's file available: takes its name inside the bundle, and the range of bytes.
pub type Fetch = Arc<dyn Fn(&str, Range<u64>) -> io::Result<()> + Send + Sync>;

/// A folder of files. All have their full length; bytes that were not requested yet may still be remote.
#[derive(Clone)]
pub struct Folder {
    path: PathBuf,
    fetch: Option<Fetch>,
    pool: Pool,
    helper: Helper,
}

impl Folder {
    /// The folder at a path, which need not exist yet.
    #[must_use]
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            fetch: None,
            pool: Pool::default(),
            helper: Helper::default(),
        }
    }

    /// The same, read and written by a second thread while a bundle is made of inputs; without one if none can be started.
    /// The thread ends with the last clone of this.
    #[must_use]
    pub fn in_two_threads(self) -> Self {
        let worker = Worker::start().ok();
        let helper = worker.map(|worker| Helper::new(move |job| worker.run(job)));
        Self {
            helper: helper.unwrap_or_default(),
            ..self
        }
    }

    /// The same, for files with bytes that may be remote until they are read.
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

    fn create(&self, name: &str) -> io::Result<Box<dyn Write + Send>> {
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

    fn helper(&self) -> Helper {
        self.helper.clone()
    }

    fn shown(&self, name: &str) -> String {
        self.at(name).display().to_string()
    }
}

/// Maximum number of jobs that wait for the thread; a few batches keep both threads busy.
const WAITING: usize = 4;

/// A thread that does jobs.
struct Worker {
    jobs: Option<SyncSender<Job>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    id: ThreadId,
}

impl Worker {
    fn start() -> io::Result<Self> {
        let (jobs, waiting) = sync_channel::<Job>(WAITING);
        let work = move || waiting.into_iter().for_each(|job| job());
        let thread = thread::Builder::new().spawn(work)?;
        Ok(Self {
            jobs: Some(jobs),
            id: thread.thread().id(),
            thread: Mutex::new(Some(thread)),
        })
    }

    fn run(&self, job: Job) {
        if thread::current().id() == self.id {
            // A part of the job that is being done.
            return job();
        }
        let sent = self.jobs.as_ref().map(|jobs| jobs.send(job));
        if let Some(Err(_)) = sent
            && let Err(panicked) = self.end()
        {
            panic::resume_unwind(panicked);
        }
    }

    /// Waits for the thread's end; an error is the panic of a job.
    fn end(&self) -> thread::Result<()> {
        let thread = self.thread.lock();
        let thread = thread.unwrap_or_else(PoisonError::into_inner).take();
        thread.map_or(Ok(()), JoinHandle::join)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.jobs = None;
        if thread::current().id() != self.id {
            drop(self.end());
        }
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
    /// The pieces that were read last; the next one reuses the memory of one that has no other user.
    last: Mutex<Vec<Buffer>>,
}

/// One is in use while the next is read ahead.
const LAST: usize = 2;

impl Pieces {
    fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path).map_err(|error| named(path, &error))?;
        let len = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
        Ok(Self {
            file,
            len,
            last: Mutex::default(),
        })
    }
}

impl Pieces {
    fn last(&self) -> MutexGuard<'_, Vec<Buffer>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The memory of a piece without another user.
    fn unused(&self) -> Option<MutableBuffer> {
        let mut last = self.last();
        let tried = last.drain(..).map(Buffer::into_mutable).collect::<Vec<_>>();
        let mut unused = None;
        for piece in tried {
            match piece {
                Ok(piece) => unused = Some(piece),
                Err(used) => last.push(used),
            }
        }
        unused
    }
}

impl Storage for Pieces {
    fn len(&self) -> usize {
        self.len
    }

    fn read(&self, range: Range<usize>) -> io::Result<Buffer> {
        let mut bytes = self.unused().unwrap_or_default();
        if bytes.capacity() < range.len() {
            bytes = MutableBuffer::new(range.len());
        }
        bytes.resize(range.len(), 0);
        self.file.read_exact_at(&mut bytes, range.start as u64)?;
        let bytes = Buffer::from(bytes);
        let mut last = self.last();
        last.truncate(LAST - 1);
        last.insert(0, bytes.clone());
        Ok(bytes)
    }
}

/// The error with the file's name in front.
fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
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
    fn what_was_flushed_can_be_read() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::new(place.path());
        let mut one = folder.create("one").unwrap();
        let mut two = folder.create("two").unwrap();
        let large = vec![7; 3 << 20];
        for part in [&b"a"[..], &large, b"b"] {
            one.write_all(part).unwrap();
            two.write_all(&part[..1]).unwrap();
        }
        one.flush().unwrap();
        two.flush().unwrap();
        let whole = folder.whole("one").unwrap();
        assert_eq!(whole.len(), large.len() + 2);
        assert_eq!(
            (whole[0], whole[1], whole[whole.len() - 1]),
            (b'a', 7, b'b')
        );
        assert_eq!(folder.whole("two").unwrap().as_slice(), [b'a', 7, b'b']);
    }

    #[test]
    fn bytes_that_could_not_be_written_at_last_are_reported() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::new(place.path());
        let mut first = folder.create("gone/first").unwrap();
        // More than are open at a time: the first has to be opened again.
        let mut others: Vec<_> = (0..100)
            .map(|at| folder.create(&format!("file-{at}")).unwrap())
            .collect();
        folder.remove("gone").unwrap();
        first.write_all(b"x").unwrap();
        drop(first);
        let error = others[0].write_all(b"y").unwrap_err().to_string();
        assert!(error.contains("gone/first"), "{error}");
        others[0].write_all(b"y").unwrap();
    }

    #[test]
    fn a_piece_stays_while_somebody_has_it() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::new(place.path());
        write(&folder, "x", b"0123456789");
        let pieces = folder.pieces("x").unwrap();
        let first = pieces.read(0..4).unwrap();
        let second = pieces.read(4..6).unwrap();
        assert_eq!(
            (first.as_slice(), second.as_slice()),
            (&b"0123"[..], &b"45"[..])
        );
        let place = second.as_ptr();
        drop(second);
        let third = pieces.read(6..8).unwrap();
        assert_eq!((third.as_slice(), third.as_ptr()), (&b"67"[..], place));
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

    #[test]
    fn a_second_thread_reads_ahead_and_writes_in_order() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::new(place.path()).in_two_threads();
        let (helper, own) = (folder.helper(), thread::current().id());
        let items = (0..100).map(move |item| (item, thread::current().id() == own));
        assert!(helper.ahead(items).eq((0..100).map(|item| (item, false))));
        let dropped = Arc::new(());
        let kept = Arc::clone(&dropped);
        let mut cut = helper.ahead((0..100).map(move |item| (item, Arc::clone(&kept))));
        assert_eq!(cut.next().unwrap().0, 0);
        drop(cut);
        helper.wait().unwrap();
        assert_eq!(Arc::strong_count(&dropped), 1);
    }

    #[test]
    fn a_panic_of_the_second_thread_is_one_of_the_first() {
        let folder = Folder::new(Path::new("")).in_two_threads();
        let mut items = folder.helper().ahead((0..2).map(|item| 1 / item));
        let next = panic::AssertUnwindSafe(|| items.next());
        let panicked = panic::catch_unwind(next).unwrap_err();
        let text = panicked.downcast_ref::<&str>().unwrap();
        assert_eq!(*text, "attempt to divide by zero");
    }
}
