//! Files that replays write, and the thread that may write them and read ahead.
//!
//! The engine starts no threads. Its caller may have one and offer it as a [`Helper`]; without one, work is done at once.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::EngineError;

/// Takes the files that a pass over events writes.
pub trait FileSink {
    /// Opens the file `name`, a path inside the bundle, for writing from its start to its end.
    ///
    /// # Errors
    /// It cannot be written.
    fn create(&mut self, name: &str) -> io::Result<Output>;
}

/// A file that is being written, and the helper that writes its batches.
pub struct Output {
    pub(crate) file: Box<dyn Write + Send>,
    pub(crate) helper: Helper,
}

impl Output {
    /// Takes the file.
    #[must_use]
    pub fn new(file: impl Write + Send + 'static) -> Self {
        Self {
            file: Box::new(file),
            helper: Helper::default(),
        }
    }

    /// Returns the helper that writes its batches.
    #[must_use]
    pub fn helper(&self) -> Helper {
        self.helper.clone()
    }

    /// Has its batches written by a helper.
    #[must_use]
    pub fn helped(self, helper: Helper) -> Self {
        Self { helper, ..self }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A piece of work.
pub type Job = Box<dyn FnOnce() + Send>;

/// A thread of the caller's that does one job after the other, in the order in which they come. By default there is none.
#[derive(Clone, Default)]
pub struct Helper {
    thread: Option<Arc<dyn Fn(Job) + Send + Sync>>,
    failure: Arc<Mutex<Failure>>,
}

/// State of the writes: those after one that failed are left out.
#[derive(Default)]
struct Failure {
    failed: bool,
    /// The error, until it is reported.
    error: Option<EngineError>,
}

impl Helper {
    /// Takes a function that passes jobs to a thread. It may wait while there are many. When a job has panicked, it panics.
    #[must_use]
    pub fn new(thread: impl Fn(Job) + Send + Sync + 'static) -> Self {
        Self {
            thread: Some(Arc::new(thread)),
            failure: Arc::default(),
        }
    }

    /// The items of an iterator, of which the next is made while the last is used.
    pub fn ahead<I>(&self, items: I) -> Box<dyn Iterator<Item = I::Item>>
    where
        I: Iterator<Item: Send> + Send + 'static,
    {
        if self.thread.is_none() {
            return Box::new(items);
        }
        let mut ahead = Ahead(Lent::new(self, (items, None)));
        ahead.make();
        Box::new(ahead)
    }

    /// Returns the error of the first write that failed, once.
    ///
    /// # Errors
    /// A write failed.
    fn check(&self) -> Result<(), EngineError> {
        locked(&self.failure).error.take().map_or(Ok(()), Err)
    }

    /// Waits for all writes, and returns the error of the first that failed, once.
    ///
    /// # Errors
    /// A write failed.
    pub fn wait(&self) -> Result<(), EngineError> {
        let mut nothing = Lent::new(self, ());
        nothing.with(|()| ());
        nothing.take();
        self.check()
    }
}

fn locked(failure: &Mutex<Failure>) -> MutexGuard<'_, Failure> {
    failure.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A value that the helper may be working on.
pub struct Lent<T> {
    helper: Helper,
    place: Option<Place<T>>,
}

enum Place<T> {
    Here(T),
    Away(Receiver<T>),
}

impl<T> Place<T> {
    /// Waits for the value; `None` when work with it panicked.
    fn take(self) -> Option<T> {
        match self {
            Self::Here(value) => Some(value),
            Self::Away(back) => back.recv().ok(),
        }
    }
}

impl<T: Send + 'static> Lent<T> {
    /// Lends a value.
    #[must_use]
    pub fn new(helper: &Helper, value: T) -> Self {
        Self {
            helper: helper.clone(),
            place: Some(Place::Here(value)),
        }
    }

    /// Has work done with the value.
    fn with(&mut self, work: impl FnOnce(&mut T) + Send + 'static) {
        // Jobs are done in their order: inside of one, the value is back from those before.
        let worked = |place: Place<T>| {
            let mut value = place.take()?;
            work(&mut value);
            Some(value)
        };
        let place = self.place.take();
        self.place = match &self.helper.thread {
            None => place.and_then(worked).map(Place::Here),
            Some(thread) => place.map(|place| {
                let (give, back) = sync_channel(1);
                thread(Box::new(move || {
                    if let Some(value) = worked(place) {
                        drop(give.send(value));
                    }
                }));
                Place::Away(back)
            }),
        };
    }

    /// Has work done that writes, unless an earlier write of the helper failed.
    ///
    /// # Errors
    /// A write failed, now or before; the helper's first error is returned once.
    pub fn write(
        &mut self,
        work: impl FnOnce(&mut T) -> Result<(), EngineError> + Send + 'static,
    ) -> Result<(), EngineError> {
        let failure = Arc::clone(&self.helper.failure);
        self.with(move |value| {
            let failed = locked(&failure).failed;
            if !failed && let Err(error) = work(value) {
                *locked(&failure) = Failure {
                    failed: true,
                    error: Some(error),
                };
            }
        });
        self.helper.check()
    }

    /// Waits for the value and takes it; `None` when it was taken before.
    fn take(&mut self) -> Option<T> {
        let value = self.place.take()?.take();
        if let (None, Some(thread)) = (&value, &self.helper.thread) {
            // Work with it panicked, and so does this as soon as the thread has ended.
            loop {
                thread(Box::new(|| ()));
            }
        }
        value
    }

    /// Waits for what is to be written, and takes the value.
    ///
    /// # Errors
    /// As for [`Self::write`].
    pub fn finish(mut self) -> Result<T, EngineError> {
        let value = self.take();
        self.helper.check()?;
        value.ok_or(EngineError::Stopped)
    }
}

/// See [`Helper::ahead`].
struct Ahead<I: Iterator>(Lent<(I, Option<I::Item>)>);

impl<I> Ahead<I>
where
    I: Iterator<Item: Send> + Send + 'static,
{
    fn make(&mut self) {
        self.0.with(|(items, item)| *item = items.next());
    }
}

impl<I> Iterator for Ahead<I>
where
    I: Iterator<Item: Send> + Send + 'static,
{
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        let (items, item) = self.0.take()?;
        let item = item?;
        self.0.place = Some(Place::Here((items, None)));
        self.make();
        Some(item)
    }
}
