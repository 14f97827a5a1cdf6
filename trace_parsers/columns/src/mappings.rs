//! Memory mappings of files in kernel and processes, as recorded.

use std::fmt::Write;

/// The process number of the kernel's own mappings.
pub const KERNEL_PID: i32 = -1;

/// Change of a process' memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MappingChange {
    /// A file, or a pseudo file (`[vdso]`, `[kernel.kallsyms]_text`), was mapped.
    Map {
        /// First address.
        start: u64,
        /// Length, bytes.
        len: u64,
        /// Offset of the first address in the file, bytes.
        offset: u64,
        /// The file's path: a place in [`Mappings::files`].
        file: u32,
    },
    /// The process was forked.
    Fork {
        /// The other one.
        parent: i32,
    },
    /// A program took the process over: what was mapped before is gone.
    Exec,
    /// A thread of the process.
    Thread {
        /// Number.
        tid: i32,
        /// True if the thread is new: an earlier one with this number is different.
        new: bool,
    },
    /// A thread of the process ended.
    Ended {
        /// Number.
        tid: i32,
    },
}

/// A change with its time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    /// ns of the trace clock; 0 for what was so before the recording began.
    pub ts_ns: u64,
    /// The process; [`KERNEL_PID`] for the kernel.
    pub pid: i32,
    /// Change.
    pub change: MappingChange,
}

/// All recorded changes, ascending in time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mappings {
    /// Paths of the files, each once with each of its build ids.
    pub files: Vec<String>,
    /// Build IDs in hexadecimal digits, by file; `None`, also past the end, when not recorded.
    pub build_ids: Vec<Option<String>>,
    /// The changes.
    pub changes: Vec<Mapping>,
}

impl Mappings {
    /// Returns the build ID of a file in hexadecimal digits, if recorded.
    #[must_use]
    pub fn build_id(&self, file: usize) -> Option<&str> {
        self.build_ids.get(file)?.as_deref()
    }

    /// Returns the start and end of the kernel's text, and its first symbol: perf names that mapping after it
    /// (`[kernel.kallsyms]_text`).
    #[must_use]
    pub fn kernel_text(&self) -> Option<(&str, u64, u64)> {
        self.changes.iter().find_map(|mapping| {
            let MappingChange::Map {
                start, len, file, ..
            } = mapping.change
            else {
                return None;
            };
            let name = self.files.get(file as usize)?;
            let symbol = name.strip_prefix(KALLSYMS)?;
            let of_kernel = mapping.pid == KERNEL_PID && !symbol.is_empty();
            of_kernel.then_some((symbol, start, start.wrapping_add(len)))
        })
    }
}

/// Name in perf for the kernel's own code.
pub const KALLSYMS: &str = "[kernel.kallsyms]";

/// A build id in hexadecimal digits.
#[must_use]
pub fn build_id_text(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A place in a file that was mapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilePlace<'a> {
    /// Number of bytes after the start of the file.
    Offset(u64),
    /// Number of bytes after a symbol, whatever the kernel's address at that boot.
    Behind {
        /// The symbol.
        symbol: &'a str,
        /// Bytes.
        bytes: u64,
    },
    /// Number of bytes after the start of a module's code.
    Code(u64),
}

/// A file's functions.
pub trait FileFunctions: std::fmt::Debug {
    /// The name of the function at a place; `None` where there is none.
    fn name(&self, place: FilePlace<'_>) -> Option<String>;
}
