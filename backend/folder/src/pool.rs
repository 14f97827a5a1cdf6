//! Many files being written at once, few of them open.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::named;

/// Files that are open at a time: well below the 1024 that a process usually may have.
const OPEN_FILES: usize = 64;

/// Keeps the files that were written last open. A recording of all events has far more tables than a process may have
/// open files.
#[derive(Clone, Default)]
pub(super) struct Pool(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    open: VecDeque<(u64, File)>,
    /// Number of the next file.
    next: u64,
}

impl Pool {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a file, which must not exist.
    pub(super) fn create(&self, path: PathBuf) -> io::Result<PoolFile> {
        let file = File::create_new(&path).map_err(|error| named(&path, &error))?;
        let number = {
            let mut kept = self.kept();
            kept.next += 1;
            kept.next
        };
        self.keep(number, file);
        Ok(PoolFile {
            number,
            path,
            pool: self.clone(),
        })
    }

    fn keep(&self, number: u64, file: File) {
        let mut kept = self.kept();
        if kept.open.len() >= OPEN_FILES {
            kept.open.pop_front();
        }
        kept.open.push_back((number, file));
    }

    fn take(&self, number: u64) -> Option<File> {
        let mut kept = self.kept();
        let at = kept.open.iter().position(|(kept, _)| *kept == number)?;
        kept.open.remove(at).map(|(_, file)| file)
    }
}

/// A file of the pool, written from its start to its end.
pub(super) struct PoolFile {
    number: u64,
    path: PathBuf,
    pool: Pool,
}

impl Write for PoolFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut file = match self.pool.take(self.number) {
            Some(file) => file,
            None => OpenOptions::new()
                .append(true)
                .open(&self.path)
                .map_err(|error| named(&self.path, &error))?,
        };
        let done = file.write(bytes).map_err(|error| named(&self.path, &error));
        self.pool.keep(self.number, file);
        done
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for PoolFile {
    fn drop(&mut self) {
        drop(self.pool.take(self.number));
    }
}
