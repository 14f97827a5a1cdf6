//! Many files being written at once, few of them open.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::mem;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::named;

/// Files that are open at a time: well below the 1024 that a process usually may have.
const OPEN_FILES: usize = 64;

/// Number of bytes that are passed to the kernel at once: a table's columns come one by one, and the cost of a write is
/// mostly that of its first and last page.
const AT_ONCE: usize = 1 << 20;

/// Keeps the files that were written last open. A recording of all events has far more tables than a process may have
/// open files.
#[derive(Clone, Default)]
pub(super) struct Pool(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    open: VecDeque<(u64, File)>,
    /// Number of the next file.
    next: u64,
    /// Unwritten bytes, all of one file.
    pending: Vec<u8>,
    /// Position in that file.
    pending_of: Option<Place>,
    /// Error at the end of a closed file.
    failed: Option<io::Error>,
}

/// A file's number, and where it is.
type Place = Arc<(u64, PathBuf)>;

impl Pool {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a file, which must not exist.
    pub(super) fn create(&self, path: PathBuf) -> io::Result<PoolFile> {
        let file = File::create_new(&path).map_err(|error| named(&path, &error))?;
        let mut kept = self.kept();
        kept.next += 1;
        let place = Arc::new((kept.next, path));
        kept.keep(place.0, file);
        Ok(PoolFile {
            place,
            pool: self.clone(),
        })
    }
}

impl Kept {
    fn keep(&mut self, number: u64, file: File) {
        if self.open.len() >= OPEN_FILES {
            self.open.pop_front();
        }
        self.open.push_back((number, file));
    }

    fn take(&mut self, number: u64) -> Option<File> {
        let at = self.open.iter().position(|(kept, _)| *kept == number)?;
        self.open.remove(at).map(|(_, file)| file)
    }

    fn is_pending(&self, place: &Place) -> bool {
        let of = self.pending_of.as_ref();
        of.is_some_and(|of| of.0 == place.0)
    }

    fn append(&mut self, place: &Place, bytes: &[u8]) -> io::Result<()> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        if !self.is_pending(place) || self.pending.len() + bytes.len() > AT_ONCE {
            self.flush()?;
            self.pending_of = Some(Arc::clone(place));
        }
        if bytes.len() < AT_ONCE {
            self.pending.extend_from_slice(bytes);
            return Ok(());
        }
        self.write(place, bytes)
    }

    /// Hands over what is pending, of whatever file it is.
    fn flush(&mut self) -> io::Result<()> {
        let Some(place) = self.pending_of.take() else {
            return Ok(());
        };
        let mut pending = mem::take(&mut self.pending);
        let done = self.write(&place, &pending);
        pending.clear();
        self.pending = pending;
        done
    }

    fn write(&mut self, place: &Place, bytes: &[u8]) -> io::Result<()> {
        let (number, path) = &**place;
        let mut file = match self.take(*number) {
            Some(file) => file,
            None => OpenOptions::new()
                .append(true)
                .open(path)
                .map_err(|error| named(path, &error))?,
        };
        let done = file.write_all(bytes).map_err(|error| named(path, &error));
        self.keep(*number, file);
        done
    }
}

/// A file of the pool, written from its start to its end. Its last bytes are written when it is flushed or dropped; if the
/// latter fails, the next write returns the error.
pub(super) struct PoolFile {
    place: Place,
    pool: Pool,
}

impl Write for PoolFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pool.kept().append(&self.place, bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut kept = self.pool.kept();
        if let Some(error) = kept.failed.take() {
            return Err(error);
        }
        if kept.is_pending(&self.place) {
            kept.flush()?;
        }
        Ok(())
    }
}

impl Drop for PoolFile {
    fn drop(&mut self) {
        let mut kept = self.pool.kept();
        if kept.is_pending(&self.place)
            && let Err(error) = kept.flush()
        {
            kept.failed = Some(error);
        }
        drop(kept.take(self.place.0));
    }
}
