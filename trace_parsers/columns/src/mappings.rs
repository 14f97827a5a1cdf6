//! Which files were where in the memory of kernel and processes, as a recording tells it.

use std::fmt::Write;

/// The process number of the kernel's own mappings.
pub const KERNEL_PID: i32 = -1;

/// What changed in a process's memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MappingChange {
    /// A file, or what stands for one (`[vdso]`, `[kernel.kallsyms]_text`), was mapped.
    Map {
        /// First address.
        start: u64,
        /// Length, bytes.
        len: u64,
        /// Where in the file the first address lies, bytes.
        offset: u64,
        /// The file's path: a place in [`Mappings::files`].
        file: u32,
    },
    /// The process is a copy of another one.
    Fork {
        /// The other one.
        parent: i32,
    },
    /// A program took the process over: what was mapped before is gone.
    Exec,
    /// A thread of the process.
    Thread {
        /// Its number.
        tid: i32,
        /// Whether it began just then: whoever had the number before is another one.
        new: bool,
    },
    /// A thread of the process ended.
    Ended {
        /// Its number.
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
    /// What changed.
    pub change: MappingChange,
}

/// All that a recording tells, ascending in time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mappings {
    /// Paths of the files, each once with each of its build ids.
    pub files: Vec<String>,
    /// Build ids in hexadecimal digits, by file; `None`, as at the end, where nothing tells it.
    pub build_ids: Vec<Option<String>>,
    /// The changes.
    pub changes: Vec<Mapping>,
}

impl Mappings {
    /// The build id of a file in hexadecimal digits, where the recording tells it.
    #[must_use]
    pub fn build_id(&self, file: usize) -> Option<&str> {
        self.build_ids.get(file)?.as_deref()
    }

    /// Where the kernel's text begins and ends, and the symbol that begins it: perf names that mapping after it
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

/// What perf calls the kernel's own code.
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
    /// So many bytes behind the begin of the file.
    Offset(u64),
    /// So many bytes behind a symbol, wherever the kernel was put at that boot.
    Behind {
        /// The symbol.
        symbol: &'a str,
        /// Bytes.
        bytes: u64,
    },
    /// So many bytes behind the begin of a module's code.
    Code(u64),
}

/// A file's functions.
pub trait FileFunctions: std::fmt::Debug {
    /// The name of the function at a place; `None` where there is none.
    fn name(&self, place: FilePlace<'_>) -> Option<String>;
}
