//! Files that replays write.

use std::io::{self, Write};

/// Takes the files that a pass over events writes.
pub trait FileSink {
    /// Opens the file `name`, a path inside the bundle, for writing from its start to its end.
    ///
    /// # Errors
    /// It cannot be written.
    fn create(&mut self, name: &str) -> io::Result<Box<dyn Write>>;
}
