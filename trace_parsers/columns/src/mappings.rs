//! Which files were where in the memory of kernel and processes, as a recording tells it.

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
    /// Paths of the files, each once.
    pub files: Vec<String>,
    /// The changes.
    pub changes: Vec<Mapping>,
}

impl Mappings {
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
