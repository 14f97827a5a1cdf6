//! Many files being written at once, few of them open.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::limits::Budget;
use crate::storage::named;

/// Files that are open at a time: well below the 1024 that a process usually may have.
const OPEN_FILES: usize = 64;

/// Keeps the files that were written last open. A recording of all events has far more tables than a process may have
/// open files.
#[derive(Clone)]
pub(super) struct Pool {
    open: Rc<RefCell<VecDeque<(u64, File)>>>,
    next: Rc<RefCell<u64>>,
    budget: Budget,
}

impl Pool {
    pub(super) fn new(budget: &Budget) -> Self {
        Self {
            open: Rc::default(),
            next: Rc::default(),
            budget: budget.clone(),
        }
    }

    /// Begins a file, which must not exist.
    pub(super) fn create(&self, path: &Path) -> io::Result<PoolFile> {
        let file = File::create_new(path).map_err(|error| named(path, &error))?;
        let number = {
            let mut next = self.next.borrow_mut();
            *next += 1;
            *next
        };
        self.keep(number, file);
        Ok(PoolFile {
            number,
            path: path.to_owned(),
            pool: self.clone(),
        })
    }

    fn keep(&self, number: u64, file: File) {
        let mut open = self.open.borrow_mut();
        if open.len() >= OPEN_FILES {
            open.pop_front();
        }
        open.push_back((number, file));
    }

    fn take(&self, number: u64) -> Option<File> {
        let mut open = self.open.borrow_mut();
        let at = open.iter().position(|(kept, _)| *kept == number)?;
        open.remove(at).map(|(_, file)| file)
    }
}

/// A file of the pool, written from its start to its end.
pub(super) struct PoolFile {
    number: u64,
    path: PathBuf,
    pool: Pool,
}

impl PoolFile {
    fn with<T>(&self, work: impl FnOnce(&mut File) -> io::Result<T>) -> io::Result<T> {
        let mut file = match self.pool.take(self.number) {
            Some(file) => file,
            None => OpenOptions::new()
                .append(true)
                .open(&self.path)
                .map_err(|error| named(&self.path, &error))?,
        };
        let done = work(&mut file).map_err(|error| named(&self.path, &error));
        self.pool.keep(self.number, file);
        done
    }
}

impl Write for PoolFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.pool.budget.bytes(bytes.len() as u64) {
            return Err(io::Error::other("more bytes than allowed"));
        }
        self.with(|file| file.write_all(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
